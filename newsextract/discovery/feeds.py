"""RSS and Atom feeds: their entries, parsed by feedparser from bytes."""

import io
import re
from calendar import timegm
from collections.abc import Mapping
from datetime import UTC, datetime
from html import unescape
from typing import Any

import feedparser

from newsextract.discovery.entries import Entry, absolute_url

#: Usual paths of feeds, for sites whose pages link to none.
COMMON_PATHS = ("/feed", "/rss.xml", "/feed/", "/atom.xml", "/rss")
#: A feed longer than this is a dump of an archive, and feedparser needs seconds for it.
MAX_BYTES = 4 * 1024 * 1024
MAX_ENTRIES = 1_000
FEED_ROOT = re.compile(rb"<(?:rss|feed|rdf:RDF)\b", re.I)


def is_feed(body: bytes) -> bool:
    """Whether a body is a feed, by its first bytes: servers send feeds under any content type."""
    return FEED_ROOT.search(body[:2_048]) is not None


def parse_feed(body: bytes, url: str) -> list[Entry]:
    """The entries in the order of the feed, each URL once; empty for a body that is no feed."""
    if not is_feed(body) or len(body) > MAX_BYTES:
        return []
    parsed = feedparser.parse(io.BytesIO(body), sanitize_html=False, resolve_relative_uris=False)
    entries: dict[str, Entry] = {}
    for entry in parsed.entries[:MAX_ENTRIES]:
        target = absolute_url(_link(entry), url)
        if target and target not in entries:
            entries[target] = Entry(target, _title(entry), _date(entry))
    return list(entries.values())


def _link(entry: Mapping[str, Any]) -> str:
    """The URL of the page itself rather than that of a redirect that counts readers."""
    for name in ("feedburner_origlink", "link", "id"):
        value = str(entry.get(name) or "").strip()
        if value.startswith(("http://", "https://", "/")):
            return value
    return str(entry.get("link") or "")


def _title(entry: Mapping[str, Any]) -> str:
    text = re.sub(r"<[^>]*>", " ", unescape(str(entry.get("title") or "")))
    return " ".join(text.split())[:300]


def _date(entry: Mapping[str, Any]) -> datetime | None:
    for name in ("published_parsed", "updated_parsed"):
        parts = entry.get(name)
        if parts:
            try:
                return datetime.fromtimestamp(timegm(parts), UTC)
            except (ValueError, OverflowError, OSError):
                continue
    return None
