"""Pages that a browser saved as one file: MHTML (Chrome, Edge; RFC 2557) and .webarchive (Safari)."""

import email
import email.policy
import plistlib
import re
from typing import NamedTuple
from xml.parsers.expat import ExpatError

from newsextract.limits import HEAD
from newsextract.urls import split_url

#: How an MHTML file begins: header lines, one of which says that it has several parts.
MHTML = re.compile(rb"(?:[\w-]+:[^\n]*\n(?:[ \t][^\n]*\n)*+)*?content-type:\s*multipart/related", re.I)
#: How a webarchive begins: a property list, binary or as XML.
WEBARCHIVE = re.compile(rb"bplist00|(?:\xef\xbb\xbf)?\s*<\?xml[^>]*>\s*<!DOCTYPE\s+plist\b")
#: Types of the parts that may be the page.
HTML = ("text/html", "application/xhtml+xml")
#: Names of a webarchive's main resource: https://developer.apple.com/documentation/webkit/webarchive (WebKit).
MAIN = "WebMainResource"
DATA = "WebResourceData"
URL = "WebResourceURL"
CHARSET = "WebResourceTextEncodingName"


class _CutHeaders(email.policy.Compat32):
    """Keeps the beginning of each header: parsing a list of parameters takes quadratic time. The other policies, which
    parse all headers, take 100 times as long."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        return name, value[:HEAD]


CUT_HEADERS = _CutHeaders()


class SavedPage(NamedTuple):
    """The HTML of a page that a browser saved, its URL and the charset that the file declares, if any."""

    html: bytes
    url: str | None
    charset: str | None


def unpack_saved_page(body: bytes) -> SavedPage | None:
    """The page in an MHTML file or a webarchive; None for anything else, and for one without an HTML part."""
    if WEBARCHIVE.match(body):
        return _of_webarchive(body)
    return _of_mhtml(body) if MHTML.match(body[:HEAD].lstrip()) else None


def _of_mhtml(body: bytes) -> SavedPage | None:
    message = email.message_from_bytes(body.lstrip(), policy=CUT_HEADERS)
    parts = [part for part in message.walk() if part.get_content_type() in HTML]
    if not parts:
        return None
    location, start = _url(message.get("Snapshot-Content-Location")), message.get_param("start")
    # others are those of frames: the root is named by its id, by its URL, or comes first
    root = next((part for part in parts if start and _plain(part.get("Content-ID")) == start), None)
    root = root or next(
        (part for part in parts if location and _url(part.get("Content-Location")) == location), parts[0]
    )
    html = root.get_payload(decode=True)
    url = location or _url(root.get("Content-Location"))
    return SavedPage(html, url, root.get_content_charset()) if isinstance(html, bytes) else None


def _url(header: object) -> str | None:
    """The URL in a header, if it is one of a page."""
    url = _plain(header)
    return url if split_url(url) else None


def _plain(header: object) -> str:
    """What a header says, without the line breaks of a long one."""
    return "".join(str(header or "").split())


def _of_webarchive(body: bytes) -> SavedPage | None:
    try:
        main = plistlib.loads(body)[MAIN]
        html, url, charset = main[DATA], main.get(URL), main.get(CHARSET)
    except (plistlib.InvalidFileException, ExpatError, LookupError, TypeError, ValueError, AttributeError,
            OverflowError, RecursionError):  # fmt: skip
        return None
    if not isinstance(html, bytes):
        return None
    is_url = isinstance(url, str) and split_url(url) is not None
    return SavedPage(html, url if is_url else None, charset if isinstance(charset, str) else None)
