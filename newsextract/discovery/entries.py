"""Entries of feeds and sitemaps, and the absolute URL of an `href`."""

import re
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache
from html import unescape
from typing import Any
from urllib.parse import urljoin

from newsextract import urls
from newsextract.items import Listing
from newsextract.settings import URLLENGTH_LIMIT
from newsextract.text import TAG, composed
from newsextract.urls.normalize import PLAIN

#: Number of entries from which on a time common to all is that of the last build of a static site.
MIN_SAME_DATES = 3
#: What the URL standard removes around an href; an href that isn't read as it stands.
BLANK = "".join(map(chr, range(33)))
LINE_ENDS = dict.fromkeys(map(ord, "\t\r\n"))
UNUSUAL = re.compile(r"[\\\t\r\n]|^[\0-\x20]|[\0-\x20]$|^///|^https?:(?!//[^/])", re.I)


@dataclass(slots=True, frozen=True)
class Entry:
    """A page or sitemap that a feed or sitemap lists; `listing`: what it says about it, if anything; `position`: in the
    list."""

    url: str
    listing: Listing | None = None
    position: int = field(default=0, compare=False)

    @property
    def title(self) -> str:
        return self.listing.title if self.listing else ""

    @property
    def date(self) -> datetime | None:
        """The publication date, or that of the modification, aware; None if neither is given."""
        return (self.listing.date_published or self.listing.date_modified) if self.listing else None


def without_build_dates(entries: list[Entry]) -> list[Entry]:
    """The entries without a time that all share to the second: that of the last build of a static site."""
    for name in ("date_published", "date_modified"):
        dates = [date for entry in entries if (date := getattr(entry.listing, name, None))]
        if len(dates) >= MIN_SAME_DATES and len(set(dates)) == 1 and (dates[0].minute or dates[0].second):
            no_date: dict[str, Any] = {name: None}
            entries = [replace(entry, listing=entry.listing and replace(entry.listing, **no_date)) for entry in entries]
    return entries


def plain_text(html: str) -> str:
    """The text of a fragment of HTML, on one line, in NFC; it may be escaped twice, as in many feeds."""
    return composed(" ".join(unescape(TAG.sub(" ", unescape(html))).split()))


def fetchable_url(href: str, base: str) -> str | None:
    """The URL to fetch, without fragment and tracking parameters; None if it isn't an http(s) URL."""
    if href.startswith("#"):  # a place on the page itself: all of them at once
        href = base if PLAIN.fullmatch(base) else ""
    if PLAIN.fullmatch(href):
        return href if len(href) <= URLLENGTH_LIMIT else None
    if href.startswith(("/", "http://", "https://")):
        base = _origin(base)  # the same for every page of a site, so that its menu is read once
    return _join(href, base)


@lru_cache(urls.REMEMBERED)
def _origin(url: str) -> str:
    """Scheme, host and port of a URL."""
    return "/".join(url.split("/", 3)[:3])


def _as_browsers_read(href: str, base: str) -> str:
    """An href without what the URL standard ignores: blanks around it, line ends in it, wrong slashes."""
    href = href.strip(BLANK).translate(LINE_ENDS)
    path = href.partition("#")[0].partition("?")[0]
    path, rest = path.replace("\\", "/"), href[len(path) :]
    scheme, colon, after = path.partition(":")
    if colon and scheme.lower() in urls.DEFAULT_PORTS:
        is_relative = not after.startswith("//") and base.lower().startswith(f"{scheme.lower()}:")
        path = after if is_relative else f"{scheme}://{after.lstrip('/')}"
    elif path.startswith("//"):
        path = f"//{path.lstrip('/')}"
    return path + rest


@lru_cache(urls.REMEMBERED)
def _join(href: str, base: str) -> str | None:
    if UNUSUAL.search(href):
        href = _as_browsers_read(href, base)
    if href[:5].lower() == "feed:":  # feed://example.org/rss, feed:https://example.org/rss
        href = href[5:]
    if href.startswith("/") and not href.startswith("//") and PLAIN.fullmatch(url := _origin(base) + href):
        return url if len(url) <= URLLENGTH_LIMIT else None
    try:
        url = urljoin(base, href)
    except ValueError:
        return None
    if urls.split_url(url) is None or len(url) > URLLENGTH_LIMIT:
        return None
    return urls.strip_tracking(url)
