"""The demonstration site's articles as a corpus for the evaluation: `gold.jsonl` and `pages/ID.html.gz`."""

import gzip
import json
from pathlib import Path

from newsextract.demo.site import BASE, Site
from newsextract.errors import StorageError


def write_corpus(site: Site, folder: str | Path) -> int:
    """Writes each article with its text, title, authors and date; returns their number. StorageError if that fails."""
    path = Path(folder)
    rows = []
    try:
        (path / "pages").mkdir(parents=True, exist_ok=True)
        for article in site.gold():
            identity = article.path.strip("/").replace("/", "_").removesuffix(".html").removesuffix(".htm")
            page = gzip.compress(site.page(article.path).body, mtime=0)
            (path / "pages" / f"{identity}.html.gz").write_bytes(page)
            row: dict[str, object] = {"id": identity, "url": BASE + article.path, "text": article.text}
            row |= {"title": article.headline, "author": article.authors, "optional": article.optional}
            rows.append(row | {"date": article.published.isoformat()})
        lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (path / "gold.jsonl").write_text(lines, encoding="utf-8")
    except OSError as error:
        raise StorageError(f"{path}: the corpus can't be written ({error})") from error
    return len(rows)
