"""Export of corpora as a WARC file, so that the archive spider can be run on pages with gold.

Each page becomes a response record with status 200 and no charset in its HTTP header, so that decoding depends on the
page alone. A page without a URL gets `http://SET.example/ID.html`. The file is written atomically, page by page.
"""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote
from uuid import NAMESPACE_URL, uuid5

from fastwarc.warc import WarcRecordType
from rich.console import Console

from evaluation.corpora import Gold, find_corpora
from evaluation.progress import progress_bar
from newsextract.files import atomic_write
from newsextract.urls import split_url
from newsextract.warc.writer import write_record

#: URLs that may be written into a header.
PLAIN = re.compile(r"[!-~]+")
HEADER = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {length}\r\n\r\n"


def write_warc(
    folders: Sequence[str | Path],
    output: str | Path,
    *,
    fetched_at: datetime | None = None,
    console: Console | None = None,
    subdomain: str = "",
) -> int:
    """Writes the pages of the corpora to `output` (.warc.gz); returns their number.

    `fetched_at`: by default now. `subdomain`: put before the host of every URL, so that the sites are others.
    """
    corpora, path = find_corpora(folders), Path(output)
    when = (fetched_at or datetime.now(UTC)).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    total = sum(len(corpus.gold) for corpus in corpora)
    with atomic_write(path) as file, progress_bar(console, total) as advance:
        for corpus in corpora:
            for row in corpus.gold:
                url = page_url(corpus.name, row)
                if subdomain:
                    url = url.replace("://", f"://{subdomain}.", 1)
                _write(file, url, corpus.html(row.id), when)
                advance(corpus.name)
    return total


def page_url(set_name: str, row: Gold) -> str:
    """The URL of the page if it is valid, else one made of its set and id."""
    if row.url and split_url(row.url) and PLAIN.fullmatch(row.url):
        return row.url
    host = re.sub(r"[^a-z0-9-]+", "-", set_name.lower()).strip("-") or "set"
    return f"http://{host}.example/{quote(row.id, safe='')}.html"


def _write(file: BinaryIO, url: str, html: bytes, when: str) -> None:
    """Writes one page as a response record."""
    headers = (("WARC-Target-URI", url), ("WARC-Date", when), ("Content-Type", "application/http; msgtype=response"))
    content = HEADER.format(length=len(html)).encode() + html
    write_record(file, WarcRecordType.response, uuid5(NAMESPACE_URL, f"{when} {url}"), headers, content)
