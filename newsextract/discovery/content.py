"""Whether bytes are an HTML page at all, whatever their label says."""

import re

HTML_TYPES = frozenset({"text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml"})
#: Types that servers give to anything; what the bytes look like decides.
VAGUE_TYPES = frozenset(
    {"", "text/plain", "application/octet-stream", "application/xml", "text/xml", "unknown/unknown"}
)
#: How files begin that are sent as HTML by mistake.
OTHER_FILES = (
    b"%PDF-", b"PK\x03\x04", b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"RIFF", b"\x1f\x8b", b"OggS", b"ID3",
    b"\x00\x00\x00", b"Rar!", b"7z\xbc\xaf", b"wOFF", b"wOF2", b"{\\rtf", b"\xd0\xcf\x11\xe0",
)  # fmt: skip
BEGINS_AS_HTML = re.compile(
    rb"(?:\s|<\?xml[^>]*>|<!--.*?-->)*<(?:!doctype\s+html|html|head|body|title|meta)\b", re.I | re.S
)
SNIFFED = 2048


def not_html_because(body: bytes, content_type: str | None) -> str | None:
    """None for an HTML page; else the reason why it is none: "empty" or "not_html"."""
    start = body[:SNIFFED].lstrip(b"\xef\xbb\xbf \t\r\n")
    if not start and not body.strip():
        return "empty"
    media_type = (content_type or "").partition(";")[0].strip().lower()
    if start.startswith(OTHER_FILES):
        return "not_html"
    if media_type in HTML_TYPES:
        return None
    if media_type in VAGUE_TYPES and BEGINS_AS_HTML.match(start):
        return None
    return "not_html"


def charset_of(content_type: str | None) -> str | None:
    """The charset that a Content-Type header declares, as written."""
    found = re.search(r"charset\s*=\s*[\"']?\s*([\w.:-]+)", content_type or "", re.I)
    return found[1] if found else None
