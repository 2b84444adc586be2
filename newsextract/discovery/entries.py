"""Entries of feeds and sitemaps, and the absolute URL of an `href`."""

from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from urllib.parse import urljoin

from newsextract import urls

#: Longer URLs are traps or trackers; the longest real ones stay far below.
MAX_URL_LENGTH = 2_000


@dataclass(slots=True, frozen=True)
class Entry:
    """A page listed by a feed or sitemap; `date` is aware, None where none is given."""

    url: str
    title: str = ""
    date: datetime | None = None


def absolute_url(href: str, base: str) -> str | None:
    """The URL to fetch, without fragment and tracking parameters; None where it is no http(s) URL."""
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
