"""Request priorities of a crawl: everything that decides which URL is fetched first.

As in Scrapy, higher numbers are fetched earlier. Most kinds of requests have a fixed priority (`FIXED`). For a page
that may be an article, it is computed:

    priority = round(1000 * P(article) + 400 * min(1, 2 * P(article)) * newness + 500 * P(other) * usefulness)
               - 10 * min(depth, 20)

P is that of `url_classifier.UrlClassifier`, which learns during the crawl; queued URLs are re-ranked when it has
learned more (`RERANK_AFTER`). `newness` is 1 for a page from today and 0 for one from `OLDEST_DAYS` ago, on a
logarithmic scale, by the date in a feed, a sitemap or the URL. A page without a date counts as `FRONT_PAGE_DAYS` old if
it is on the front page or in a feed, otherwise as `UNDATED_DAYS` old. `depth` is the number of links from the front
page; `usefulness`, from 0 to 1, is how many new articles a list of its kind leads to.

So a crawl fetches the front page, what it links to, then everything else from new to old. Pages that look like lists,
archives and copies come when no likely article is left, the most useful ones first. The first `EARLY_LISTS` feeds and
sitemaps come before all pages, further ones after likely articles. Among URLs of equal priority, the frontier takes the
first on the page first (`store.frontier`). A URL that is found again moves up if it gains more than 1.
"""

import math
import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import lru_cache
from urllib.parse import urlsplit

from newsextract.discovery.url_classifier import ARCHIVE, PAGE_NUMBER, RANKED, is_narrow_list
from newsextract.language.date_parser import URL_MONTH, find_url_dates

#: The priority above which a page is a likely article.
LIKELY_ARTICLE = 600
MAX_DEPTH_PENALTY = 20
#: Age of a page in days: the maximum; without a date, on the front page or in a feed; without a date, elsewhere.
OLDEST_DAYS = 10_000
FRONT_PAGE_DAYS = 3
UNDATED_DAYS = 300
#: Number of a site's feeds and sitemaps that are fetched before its pages; number of those that each run fetches.
EARLY_LISTS = 4
MAIN_LISTS = 2
#: Day, month and year at the end of a URL, or of a part of it: a-story-14-05-2024.
DAY_FIRST = re.compile(r"(?<!\d)(\d\d?)[-_](\d\d?)[-_]((?:19|20)\d\d)(?!\d)")
#: Queued URLs are ranked again after this many classified pages.
RERANK_AFTER = 5
#: What is learned of a site is learned again whenever the number of its known pages has grown by this factor: the order
#: of its queued URLs here, its profile in `crawl.site_memory`.
GROWTH = 1.5
#: How many of ten new articles a list is assumed to lead to: fewer for tags, authors or filters, whose articles are in
#: other lists, too; more for a further page of a list, which has older articles. Learning it per form of list didn't
#: help: crawls of 100 or 120 pages of four sites found no more.
USEFULNESS = 0.3
USEFULNESS_OF_NARROW = 0.1
USEFULNESS_OF_FURTHER = 0.6
#: Sitemaps that list something else; read last.
OTHER_SITEMAPS = re.compile(r"image|video|author|user|tag|categor|taxonom|product|page-sitemap|posts-page|topic", re.I)


class UrlKind(StrEnum):
    """How a URL was found."""

    FRONT_PAGE = "front page"
    FEED_GIVEN = "feed given by the user"
    ARTICLE_PART = "further page of an article"
    ROBOTS_TXT = "robots.txt"
    FEED_ENTRY = "feed"
    SITEMAP_ENTRY = "sitemap"
    LINK = ""


#: Kinds whose priority doesn't depend on the URL.
FIXED: Mapping[UrlKind, int] = {
    UrlKind.FRONT_PAGE: 10_000,
    UrlKind.FEED_GIVEN: 10_000,
    UrlKind.ARTICLE_PART: 10_000,
    UrlKind.ROBOTS_TXT: 9_000,
}
#: Priorities of the first EARLY_LISTS feeds, and sitemaps, of a site; of further ones; of sitemaps of other pages than
#: articles; of feeds of a tag or an author.
LIST = 5_000
LATER_LIST = 700
OTHER_LIST = 200
NARROW_LIST = 60


def list_priority(url: str, number: int) -> int:
    """The priority of a site's `number`-th feed or sitemap, from 1; those of tags and authors come last."""
    if is_narrow_list(url):
        first = NARROW_LIST
    elif OTHER_SITEMAPS.search(urlsplit(url).path):
        first = OTHER_LIST
    else:
        first = LIST if number <= EARLY_LISTS else LATER_LIST
    return max(1, first - number)


def is_main_list(priority: float) -> bool:
    """Whether a request of this priority is for the front page, or for one of the `MAIN_LISTS`."""
    return LIST - MAIN_LISTS - 1 < priority < LIST or priority > FIXED[UrlKind.ROBOTS_TXT]


@lru_cache(RANKED)
def usefulness(url: str) -> float:
    """How many new articles a list at this URL may bring, from 0 to 1."""
    if is_narrow_list(url):
        return USEFULNESS_OF_NARROW
    return USEFULNESS_OF_FURTHER if PAGE_NUMBER.search(url) else USEFULNESS


def page_priority(
    article_probability: float,
    kind: UrlKind = UrlKind.LINK,
    depth: int = 1,
    date: datetime | None = None,
    useful: float = 0.0,
) -> int:
    """The priority of a page that may be an article, by the formula above. `date`: from a list or the URL."""
    if date is not None:
        days = max(0.0, (datetime.now(UTC) - date) / timedelta(days=1))
    else:
        days = FRONT_PAGE_DAYS if kind == UrlKind.FEED_ENTRY or (kind == UrlKind.LINK and depth == 1) else UNDATED_DAYS
    newness = max(0.0, 1 - math.log1p(days) / math.log1p(OLDEST_DAYS))
    score = 1000 * article_probability + 400 * min(1.0, 2 * article_probability) * newness
    score += 500 * (1 - article_probability) * useful
    return round(score) - 10 * min(depth, MAX_DEPTH_PENALTY)


def next_ranking(pages_learned: int) -> float:
    """The number of classified pages at which queued URLs are ranked next, after this one."""
    return max(RERANK_AFTER, GROWTH * pages_learned)


@lru_cache(RANKED)
def date_of_url(url: str) -> datetime | None:
    """The end of the day (of two possible ones the later) or month in a URL; None for an archive's URL."""
    path = urlsplit(url).path
    if ARCHIVE.search(path):
        return None
    dates = [date.replace(tzinfo=UTC) for date in find_url_dates(path)]
    if not dates and (match := DAY_FIRST.search(path)):
        for day, month in ((match[1], match[2]), (match[2], match[1])):
            with suppress(ValueError):
                dates.append(datetime(int(match[3]), int(month), int(day), tzinfo=UTC))
    if dates:
        return max(dates) + timedelta(days=1)
    month = URL_MONTH.search(path)
    return datetime(int(month[1]), int(month[2]), 1, tzinfo=UTC) + timedelta(days=31) if month else None


def earliest_date(url: str, date: datetime | None) -> datetime | None:
    """The earlier of the date from a list, which may be that of a change, and the date in the URL."""
    of_url = date_of_url(url)
    return min(date, of_url) if date and of_url else date or of_url
