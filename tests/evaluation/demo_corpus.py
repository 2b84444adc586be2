"""Corpora for tests: `gold.jsonl` and `pages/ID.html.gz`, of given rows or of the demonstration site's articles."""

import gzip
import json
from pathlib import Path

from newsextract.demo.site import BASE, Site


def write_rows(folder: Path, *rows: dict[str, object]) -> Path:
    """Writes a corpus: rows of gold.jsonl, each with its page under `html`."""
    (folder / "pages").mkdir(parents=True)
    with (folder / "gold.jsonl").open("w", encoding="utf-8") as gold:
        for row in rows:
            html = row.pop("html", "<p>Nothing.</p>")
            body = html if isinstance(html, bytes) else str(html).encode()
            (folder / "pages" / f"{row['id']}.html.gz").write_bytes(gzip.compress(body))
            gold.write(json.dumps(row) + "\n")
    return folder


def write_corpus(site: Site, folder: Path) -> int:
    """Writes each article with its text, title, authors and date; returns their number."""
    rows = []
    for article in site.gold():
        identity = article.path.strip("/").replace("/", "_").removesuffix(".html").removesuffix(".htm")
        row = {"id": identity, "url": BASE + article.path, "text": article.text, "html": site.page(article.path).body}
        row |= {"title": article.headline, "author": article.authors, "optional": article.optional}
        rows.append(row | {"date": article.published.isoformat()})
    write_rows(folder, *rows)
    return len(rows)
