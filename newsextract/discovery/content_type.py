"""Content types: whether a response body is an HTML page, by its bytes and Content-Type; its charset."""

import re

from newsextract.compression import decode_content
from newsextract.limits import HEAD
from newsextract.settings import DOWNLOAD_MAXSIZE

HTML_TYPES = frozenset({"text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml"})
#: Types that servers send for anything: the bytes decide.
AMBIGUOUS_TYPES = frozenset(
    {"", "text/plain", "application/octet-stream", "application/xml", "text/xml", "unknown/unknown"}
)
#: Magic numbers of files that servers send as HTML by mistake.
OTHER_MAGIC = (
    b"%PDF-", b"PK\x03\x04", b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"RIFF", b"\x1f\x8b", b"OggS", b"ID3",
    b"\x00\x00\x00", b"Rar!", b"7z\xbc\xaf", b"wOFF", b"wOF2", b"{\\rtf", b"\xd0\xcf\x11\xe0",
    b"SQLite format 3\x00", b"\x7fELF", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd", b"BZh9", b"PAR1", b"bplist00", b"WARC/",
)  # fmt: skip
HTML_START = re.compile(
    rb"(?:\s|<\?xml[^>]*+>|<!--(?>.*?-->))*+<(?:!doctype\s+html|html|head|body|title|meta)\b", re.I | re.S
)


def non_html_reason(body: bytes, content_type: str | None) -> str | None:
    """Why a body isn't an HTML page: "empty" or "not_html"; None for an HTML page."""
    start = body[:HEAD].lstrip(b"\xef\xbb\xbf \t\r\n")
    if not start and not body.strip():
        return "empty"
    types = {value.partition(";")[0].strip().lower() for value in (content_type or "").split(",")}  # may be sent twice
    if start.startswith(OTHER_MAGIC):
        return "not_html"
    is_html = types & HTML_TYPES or (types & AMBIGUOUS_TYPES and HTML_START.match(start))
    return None if is_html else "not_html"


def read_html(body: bytes) -> tuple[bytes, str | None]:
    """The unpacked bytes of a saved page, and why they aren't HTML: "empty", "not_html", "too_large", or None."""
    body = decode_content(body, "gzip", DOWNLOAD_MAXSIZE + 1)
    if len(body) > DOWNLOAD_MAXSIZE:
        return body, "too_large"
    return body, non_html_reason(body, "text/html")


def declared_charset(content_type: str | None) -> str | None:
    """The charset that a Content-Type header declares, as written."""
    match = re.search(r"charset\s*=[\s\"']*([\w.:-]+)", content_type or "", re.I)
    return match[1] if match else None
