"""What a feed or sitemap says of one page, and dates as such files write them."""

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from urllib.parse import urljoin

from newsextract import urls

#: Longer URLs are traps or trackers; the longest real ones stay far below.
MAX_URL = 2_000


@dataclass(slots=True, frozen=True)
class Entry:
    """A page named by a feed or sitemap; `date` carries a zone, None where none is given."""

    url: str
    title: str = ""
    date: datetime | None = None


def absolute(href: str, base: str) -> str | None:
    """The URL to fetch, without fragment and tracking parameters; None where it is no http(s) URL."""
    href = "".join(href.split("\n")).strip(" \t\r\f\0")
    if href.startswith("/") and not href.startswith("//"):
        base = "/".join(base.split("/", 3)[:3])  # the same for every page of a site, so that its menu is read once
    return _joined(href, base)


@lru_cache(urls.REMEMBERED)
def _joined(href: str, base: str) -> str | None:
    try:
        url = urljoin(base, href)
    except ValueError:
        return None
    if urls.split_url(url) is None or len(url) > MAX_URL:
        return None
    return urls.strip_tracking(url)


def written_date(text: str | None) -> datetime | None:
    """A date in the profiles of ISO 8601 that sitemaps use, with a zone (UTC where it gives none); None for others."""
    text = (text or "").strip()
    padded = {4: f"{text}-01-01", 7: f"{text}-01"}.get(len(text), text)
    try:
        date = datetime.fromisoformat(padded)
        return date if date.tzinfo else date.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None
