"""Pages that a browser saved as one file: MHTML (Chrome, Edge; RFC 2557) and .webarchive (Safari)."""

import email
import email.policy
import plistlib
import re
from typing import NamedTuple
from xml.parsers.expat import ExpatError

from newsextract.urls import split_url

#: How an MHTML file begins: header lines, one of which says that it has several parts.
MHTML = re.compile(rb"(?:[\w-]+:[^\n]*\n(?:[ \t][^\n]*\n)*+)*?content-type:\s*multipart/related", re.I)
#: Bytes in which the header of an MHTML file is looked for.
HEADER = 4_096
WEBARCHIVE = b"bplist00"
#: Names of a webarchive's main resource: https://developer.apple.com/documentation/webkit/webarchive (WebKit).
MAIN = "WebMainResource"
DATA = "WebResourceData"
URL = "WebResourceURL"
CHARSET = "WebResourceTextEncodingName"


class SavedPage(NamedTuple):
    """The HTML of a page that a browser saved, its URL and the charset that the file declares, if any."""

    html: bytes
    url: str | None
    charset: str | None


def unpack_saved_page(body: bytes) -> SavedPage | None:
    """The page in an MHTML file or a webarchive; None for anything else, and for one without an HTML part."""
    if body.startswith(WEBARCHIVE):
        return _of_webarchive(body)
    return _of_mhtml(body) if MHTML.match(body[:HEADER].lstrip()) else None


def _of_mhtml(body: bytes) -> SavedPage | None:
    message = email.message_from_bytes(body.lstrip(), policy=email.policy.default)
    for part in message.walk():
        if part.get_content_type() in ("text/html", "application/xhtml+xml"):
            html = part.get_payload(decode=True)
            named = (message.get("Snapshot-Content-Location"), part.get("Content-Location"))
            url = next((str(one).strip() for one in named if one and split_url(str(one).strip())), None)
            return SavedPage(html, url, part.get_content_charset()) if isinstance(html, bytes) else None
    return None


def _of_webarchive(body: bytes) -> SavedPage | None:
    try:
        main = plistlib.loads(body)[MAIN]
        html, url, charset = main[DATA], main.get(URL), main.get(CHARSET)
    except (plistlib.InvalidFileException, ExpatError, KeyError, TypeError, ValueError, IndexError, AttributeError,
            OverflowError, RecursionError):  # fmt: skip
        return None
    if not isinstance(html, bytes):
        return None
    is_url = isinstance(url, str) and split_url(url) is not None
    return SavedPage(html, url if is_url else None, charset if isinstance(charset, str) else None)
