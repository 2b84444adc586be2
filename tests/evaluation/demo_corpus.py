"""The demonstration site's articles as a corpus: `gold.jsonl` and `pages/ID.html.gz`."""

import gzip
import json
from pathlib import Path

from newsextract.demo.site import BASE, Site


def write_corpus(site: Site, folder: Path) -> int:
    """Writes each article with its text, title, authors and date; returns their number."""
    (folder / "pages").mkdir(parents=True)
    rows = []
    for article in site.gold():
        identity = article.path.strip("/").replace("/", "_").removesuffix(".html").removesuffix(".htm")
        (folder / "pages" / f"{identity}.html.gz").write_bytes(gzip.compress(site.page(article.path).body))
        row: dict[str, object] = {"id": identity, "url": BASE + article.path, "text": article.text}
        row |= {"title": article.headline, "author": article.authors, "optional": article.optional}
        rows.append(json.dumps(row | {"date": article.published.isoformat()}))
    (folder / "gold.jsonl").write_text("\n".join(rows), encoding="utf-8")
    return len(rows)
