"""RSS and Atom feeds: their entries, parsed by feedparser from bytes."""

import io
import re
from calendar import timegm
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import feedparser

from newsextract.discovery.entries import MAX_TITLE, Entry, absolute_url, plain_text, without_build_dates
from newsextract.items import Listing

#: Usual paths of feeds, for sites whose pages link to none.
COMMON_PATHS = ("/feed", "/rss.xml", "/feed/", "/atom.xml", "/rss")
#: A longer feed is a dump of an archive, and takes feedparser seconds.
MAX_BYTES = 4 * 1024 * 1024
MAX_ENTRIES = 1_000
#: Limits: characters of a name, names of an entry, characters of a summary; a longer one is the article's text.
MAX_NAME, MAX_AUTHORS, MAX_SUMMARY = 80, 5, 500
PARAGRAPH = re.compile(r"</?(?:p|br|div)\b[^>]*>|\n\s*\n", re.I)
#: What systems append to the beginning of a text.
CUT_OFF = re.compile(r"\s*\[(?:…|\.\.\.)\]\s*[→»]?\s*$")
FEED_ROOT = re.compile(rb"<(?:rss|feed|rdf:RDF)\b", re.I)


def is_feed(body: bytes) -> bool:
    """Whether a body is a feed, by its first bytes, because servers send feeds with any content type."""
    return FEED_ROOT.search(body[:2_048]) is not None


def parse_feed(body: bytes, url: str) -> list[Entry]:
    """The entries in the feed's order, each URL once; none if the body isn't a feed."""
    if not is_feed(body) or len(body) > MAX_BYTES:
        return []
    parsed = feedparser.parse(io.BytesIO(body), sanitize_html=False, resolve_relative_uris=False)
    entries: dict[str, Entry] = {}
    for entry in parsed.entries[:MAX_ENTRIES]:
        link = _link(entry)
        target = absolute_url(link, url)
        if target and target not in entries:
            entries[target] = Entry(target, None if "#" in link else _listing(entry))
    return without_build_dates(list(entries.values()))


def _listing(entry: Mapping[str, Any]) -> Listing:
    """What an entry says about its page. A link with a fragment is about a part of the page, such as a comment."""
    return Listing(
        "feed",
        title=plain_text(str(entry.get("title") or ""))[:MAX_TITLE],
        date_published=_date(entry, "published_parsed"),
        date_modified=_date(entry, "updated_parsed"),
        authors=_authors(entry),
        summary=_summary(entry),
    )


def _authors(entry: Mapping[str, Any]) -> tuple[str, ...]:
    people = entry.get("authors") or []  # feedparser adds the `author` to them
    names = [plain_text(str(person.get("name") or "")) for person in people[:MAX_AUTHORS]]
    return tuple(dict.fromkeys(name for name in names if 0 < len(name) <= MAX_NAME))


def _summary(entry: Mapping[str, Any]) -> str:
    """The first paragraph of the summary; "" if it is so long that it is the article's text."""
    paragraphs = PARAGRAPH.split(str(entry.get("summary") or "")[: 40 * MAX_SUMMARY])
    first = next((text for piece in paragraphs if (text := CUT_OFF.sub("", plain_text(piece)))), "")
    return first if len(first) <= MAX_SUMMARY else ""


def _link(entry: Mapping[str, Any]) -> str:
    """The URL of the page itself rather than of a redirect that counts readers."""
    for name in ("feedburner_origlink", "link", "id"):
        value = str(entry.get(name) or "").strip()
        if value.startswith(("http://", "https://", "/")):
            return value
    return str(entry.get("link") or "")


def _date(entry: Mapping[str, Any], name: str) -> datetime | None:
    """A time that feedparser has parsed, or None. feedparser's `get` gives published for a missing updated."""
    parts = entry.get(name) if name in entry else None
    try:
        return datetime.fromtimestamp(timegm(parts), UTC) if parts else None
    except (TypeError, ValueError, OverflowError, OSError):
        return None
