"""Request priorities of a crawl: which URL is fetched first. Everything that decides it is in this module.

As in Scrapy, a higher number is fetched earlier. A kind of request has either a fixed priority (`FIXED`: what leads to
many pages comes before the pages) or one computed from the URL:

    priority = round(100 * min(1, P(article | URL) + BONUS[kind])) - 2 * min(depth, 20)

with P from `url_classifier.UrlClassifier`, which learns while the crawl runs, and `depth` the number of links followed
from the front page. Feeds and sitemaps of a site get 1 less each than the one found before them, so that a site with
many of them fetches the first ones first. Among URLs of equal priority on one page, the frontier takes the first on the
page first (`store.frontier`), and a URL that is found again is moved up if it gains more than 1.
"""

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum

from newsextract.discovery.entries import Entry

MAX_DEPTH_PENALTY = 20
#: Sitemaps of an index that are likely to list articles, best first; the last pattern is that of all others.
ARTICLE_SITEMAPS = (r"news", r"article|post|stor(?:y|ies)", r"")
#: Sitemaps that list something else: read last.
OTHER_SITEMAPS = re.compile(r"image|video|author|tag|categor|product|page-sitemap|topic", re.I)


class UrlKind(StrEnum):
    """How a URL became known."""

    FRONT_PAGE = "front page"
    FEED_GIVEN = "feed given by the user"
    ARTICLE_PART = "further page of an article"
    ROBOTS_TXT = "robots.txt"
    LIST = "feed or sitemap of the site"
    FEED_ENTRY = "entry of a feed"
    SITEMAP_ENTRY = "entry of a sitemap"
    LINK = "link of a page"


#: Kinds whose priority does not depend on the URL.
FIXED: Mapping[UrlKind, int] = {
    UrlKind.FRONT_PAGE: 1_000,
    UrlKind.FEED_GIVEN: 1_000,
    UrlKind.ARTICLE_PART: 1_000,
    UrlKind.ROBOTS_TXT: 900,
    UrlKind.LIST: 500,
}
#: Added to the probability of an article: what a feed or news sitemap names is one more often than its URL alone says.
BONUS: Mapping[UrlKind, float] = {
    UrlKind.FEED_ENTRY: 0.4,
    UrlKind.SITEMAP_ENTRY: 0.1,
    UrlKind.LINK: 0.0,
}


def fixed_priority(kind: UrlKind, number: int = 0) -> int:
    """The priority of a kind of `FIXED`; `number`: that of the list among those of its kind of the site, from 1."""
    return FIXED[kind] - number


def page_priority(article_probability: float, kind: UrlKind = UrlKind.LINK, depth: int = 1) -> int:
    """The priority of a page that may be an article; see the formula above."""
    score = min(1.0, article_probability + BONUS[kind])
    return round(100 * score) - 2 * min(depth, MAX_DEPTH_PENALTY)


def sort_sitemaps(sitemaps: Iterable[Entry]) -> list[Entry]:
    """The parts of a sitemap index in the order to fetch them: news, articles, others; newest first in each; parts
    that list something else than articles last."""

    def rank(entry: Entry) -> tuple[bool, int, float]:
        kind = next(i for i, pattern in enumerate(ARTICLE_SITEMAPS) if re.search(pattern, entry.url, re.I))
        return bool(OTHER_SITEMAPS.search(entry.url)), kind, -(entry.date.timestamp() if entry.date else 0.0)

    return sorted(sitemaps, key=rank)
