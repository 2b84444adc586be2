"""Entries of feeds and sitemaps, and the absolute URL of an `href`."""

import re
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from html import unescape
from urllib.parse import urljoin

from newsextract import urls
from newsextract.items import Listing

#: Longer URLs are traps or trackers; the longest real ones stay far below.
MAX_URL_LENGTH = 2_000
#: Characters of a title that are kept.
MAX_TITLE = 300
#: Entries from which on one time of all of them is that of the last build of a static site.
MIN_SAME_DATES = 3
TAG = re.compile(r"<[^>]*>")


@dataclass(slots=True, frozen=True)
class Entry:
    """A page or sitemap that a feed or sitemap lists; `listing`: what that says of it, None where nothing."""

    url: str
    listing: Listing | None = None

    @property
    def title(self) -> str:
        """The title; "" where none is given."""
        return self.listing.title if self.listing else ""

    @property
    def date(self) -> datetime | None:
        """The date of publication, else of modification, aware; None where none is given."""
        return (self.listing.date_published or self.listing.date_modified) if self.listing else None


def without_build_dates(entries: list[Entry]) -> list[Entry]:
    """The entries without a time that all of them have, to the second: that of the last build of a static site."""
    listings = [entry.listing for entry in entries if entry.listing]
    published = _is_build_date([listing.date_published for listing in listings])
    modified = _is_build_date([listing.date_modified for listing in listings])
    if not published and not modified:
        return entries
    return [replace(entry, listing=_without_dates(entry.listing, published, modified)) for entry in entries]


def _is_build_date(given: list[datetime | None]) -> bool:
    dates = [date for date in given if date is not None]
    return len(dates) >= MIN_SAME_DATES and len(set(dates)) == 1 and bool(dates[0].minute or dates[0].second)


def _without_dates(listing: Listing | None, published: bool, modified: bool) -> Listing | None:
    """The listing without those of its dates."""
    if listing is not None and published:
        listing = replace(listing, date_published=None)
    return replace(listing, date_modified=None) if listing is not None and modified else listing


def plain_text(html: str) -> str:
    """The text of a fragment of HTML, on one line; it may be escaped twice, as in many feeds."""
    return " ".join(unescape(TAG.sub(" ", unescape(html))).split())


def absolute_url(href: str, base: str) -> str | None:
    """The URL to fetch, without fragment and tracking parameters; None where it isn't an http(s) URL."""
    href = "".join(href.split("\n")).strip(" \t\r\f\0")
    if href.startswith("/") and not href.startswith("//"):
        base = "/".join(base.split("/", 3)[:3])  # the same for every page of a site, so that its menu is cached once
    return _join(href, base)


@lru_cache(urls.REMEMBERED)
def _join(href: str, base: str) -> str | None:
    try:
        url = urljoin(base, href)
    except ValueError:
        return None
    if urls.split_url(url) is None or len(url) > MAX_URL_LENGTH:
        return None
    return urls.strip_tracking(url)
