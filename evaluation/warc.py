"""A corpus as a web archive, so that the whole pipeline can be run on pages whose right text is known.

Each page becomes one response record with status 200 and without a charset in its HTTP header: how to read the bytes
stays the page's own question. A page without a URL of its own gets `http://SET.example/ID.html`. Pages are read,
written and forgotten one by one; the file appears under its name when it is whole.
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
from newsextract.discovery.warc_writer import write_record
from newsextract.errors import ArchiveError
from newsextract.files import atomic_write
from newsextract.urls import split_url

#: What may stand in a URL that is written into a header.
PLAIN = re.compile(r"[!-~]+")
HEADER = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {length}\r\n\r\n"


def write_warc(
    folders: Sequence[str | Path],
    output: str | Path,
    *,
    fetched_at: datetime | None = None,
    console: Console | None = None,
) -> int:
    """Writes the pages of the corpora to `output` (.warc.gz); gives their number. `fetched_at`: now, unless given."""
    corpora, path = find_corpora(folders), Path(output)
    when = (fetched_at or datetime.now(UTC)).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    total = sum(len(corpus.gold) for corpus in corpora)
    try:
        with atomic_write(path) as file, progress_bar(console, total) as advance:
            for corpus in corpora:
                for row in corpus.gold:
                    _write(file, page_url(corpus.name, row), corpus.html(row.id), when)
                    advance(corpus.name)
    except OSError as error:
        raise ArchiveError(f"{path}: can't be written ({error})") from error
    return total


def page_url(set_name: str, row: Gold) -> str:
    """The page's own URL where it is one, else one made of its set and id."""
    if row.url and split_url(row.url) and PLAIN.fullmatch(row.url):
        return row.url
    host = re.sub(r"[^a-z0-9-]+", "-", set_name.lower()).strip("-") or "set"
    return f"http://{host}.example/{quote(row.id, safe='')}.html"


def _write(file: BinaryIO, url: str, html: bytes, when: str) -> None:
    """Writes one page as a response record."""
    headers = (("WARC-Target-URI", url), ("WARC-Date", when), ("Content-Type", "application/http; msgtype=response"))
    content = HEADER.format(length=len(html)).encode() + html
    write_record(file, WarcRecordType.response, uuid5(NAMESPACE_URL, f"{when} {url}"), headers, content)
