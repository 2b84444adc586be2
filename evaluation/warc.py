"""Corpora as a WARC file, for `scripts/bench cluster`, and the URLs that their pages have there.

Each page becomes a response record with status 200 and no charset in its HTTP header, so that decoding depends on the
page alone. A page without a URL gets `http://SET.example/ID.html`. The file is written atomically, page by page.
"""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote
from uuid import NAMESPACE_URL, uuid5

from fastwarc.warc import WarcRecordType

from evaluation.corpora import Gold, find_corpora
from newsextract.files import atomic_write
from newsextract.urls import split_url
from newsextract.warc.writer import write_record

#: URLs that may be written into a header.
PLAIN = re.compile(r"[!-~]+")
HEADER = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {length}\r\n\r\n"


def write_warc(folders: Sequence[str | Path], output: Path, *, subdomain: str = "") -> int:
    """Writes the pages of the corpora to `output` (.warc.gz); returns their number.

    `subdomain`: put before the host of every URL, so that the sites are others.
    """
    when, pages = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}", 0
    with atomic_write(output) as file:
        for corpus in find_corpora(folders):
            for row in corpus.gold:
                url, html = page_url(corpus.name, row), corpus.html(row.id)
                if subdomain:
                    url = url.replace("://", f"://{subdomain}.", 1)
                headers = {
                    "WARC-Target-URI": url,
                    "WARC-Date": when,
                    "Content-Type": "application/http; msgtype=response",
                }
                content = HEADER.format(length=len(html)).encode() + html
                identity = uuid5(NAMESPACE_URL, f"{when} {url}")
                write_record(file, WarcRecordType.response, identity, headers.items(), content)
                pages += 1
    return pages


def page_url(set_name: str, row: Gold) -> str:
    """The URL of the page if it is valid, else one made of its set and id."""
    if row.url and split_url(row.url) and PLAIN.fullmatch(row.url):
        return row.url
    host = re.sub(r"[^a-z0-9-]+", "-", set_name.lower()).strip("-") or "set"
    return f"http://{host}.example/{quote(row.id, safe='')}.html"
