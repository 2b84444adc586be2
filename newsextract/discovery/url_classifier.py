"""Article URL classifier: naive Bayes over features of a URL and of the links to it, trained while the crawl runs.

Features of the URL: depth, digits, a date, words of the last segment, extension, first segment, word shape, whether it
is a list's, an archive's or a copy's; of the links: words of the anchor text, the feed or sitemap with it. P(article)
is computed from how often articles and other pages had each feature (additive smoothing); before the first page from
`PRIOR_COUNTS`. Likely articles are fetched first, so nearly all of the first pages are articles, and any common feature
would speak for an article. Therefore the more pages have shown a feature, the more it counts only by its difference to
the shares of articles and others among all pages.
"""

import math
import re
import sys
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from urllib.parse import unquote, urlsplit

from newsextract.discovery.found import FoundUrl
from newsextract.files import package_data
from newsextract.limits import MAX_REMEMBERED
from newsextract.text import EAST_ASIAN_CHARACTER, HAN, HANGUL, KANA, LETTERS, MAX_TITLE, character_class, has_number
from newsextract.urls.paths import LISTS, NARROW, kinds_in
from newsextract.urls.shapes import COPY, word_shape

#: Counts before any page is known, typical of news sites: feature -> articles with it, other pages with it.
PRIOR_COUNTS: dict[str, tuple[int, int]] = package_data("newsextract.discovery", "prior_counts.json")
#: Number of pages from which on the learned pages outweigh the prior.
SMOOTHING = 2
#: What a segment of a path may name besides a list.
OTHERS = frozenset({"service", "function", "page", "media"})
#: A path that is only a date, with or without a word before it: an archive by year, month or day.
ARCHIVE = re.compile(
    r"^/(?:[^/\d]+/)*(?:19|20)\d\d(?:[/-](?:0?[1-9]|1[0-2]))?(?:[/-](?:0?[1-9]|[12]\d|3[01]))?(?:/page/\d+)?/?"
    r"(?:index\.\w{3,5})?$",
    re.I,
)
DATE = re.compile(
    r"(?:^|[/_-])(?:19|20)\d\d[/_-]?(?:0?[1-9]|1[0-2]|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)(?=[/_-]|\d\d)"
    r"|[/_-]\d\d?[_-]\d\d?[_-](?:19|20)\d\d(?=[/._-]|$)",
    re.I,
)
PAGE_NUMBER = re.compile(r"(?:^|[/?&])(?:page|seite|pagina|p|paged)[=/]?\d+", re.I)
#: Characters of the scripts that write a word in about two, and words of the others.
WORD = re.compile(f"[^\\W\\d_{character_class(HAN, KANA, HANGUL)}]{{2,}}")
#: Features of URLs that name lists.
LIST_FEATURES = frozenset({"list", "archive", "page"})
#: URLs of which it is kept what their priority depends on: more than the frontier ranks at a time.
RANKED = 2_500


class UrlClassifier:
    """Estimates the probability that a URL is an article's; trained with classified pages."""

    def __init__(self) -> None:
        self.articles = Counter({name: articles for name, (articles, _) in PRIOR_COUNTS.items()})
        self.others = Counter({name: others for name, (_, others) in PRIOR_COUNTS.items()})
        #: Articles and other pages so far.
        self.learned_articles = self.learned_others = 0
        # of features, and of all features of a URL, until something is learned
        self._log_odds: dict[str, float] = {}
        self._sums: dict[tuple[str, ...], float] = {}

    def update(self, found: FoundUrl, is_article: bool) -> None:
        """Counts the features of a classified page."""
        counts = self.articles if is_article else self.others
        self.learned_articles += is_article
        self.learned_others += not is_article
        for feature in features(found):
            if feature in counts or len(counts) < MAX_REMEMBERED:
                counts[feature] += 1
        self._log_odds, self._sums = {}, {}

    def article_probability(self, found: FoundUrl) -> float:
        sums, names = self._sums, features(found)
        log_odds = sums.get(names)
        if log_odds is None:
            log_odds = self._sum_of(names)
            if len(sums) < MAX_REMEMBERED:
                sums[names] = log_odds
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, log_odds))))

    def _sum_of(self, names: tuple[str, ...]) -> float:
        known, log_odds = self._log_odds, 0.0
        for feature in names:
            if feature not in known:
                if len(known) >= MAX_REMEMBERED:
                    known.clear()
                known[feature] = self._log_odds_of(feature)
            log_odds += known[feature]
        return log_odds

    def _log_odds_of(self, feature: str) -> float:
        """The weight of a feature: its difference to the shares of articles and others among all learned pages."""
        ratio = math.log((self.learned_articles + SMOOTHING) / (self.learned_others + SMOOTHING))
        articles, others = self.articles[feature], self.others[feature]
        seen = articles + others - sum(PRIOR_COUNTS.get(feature, ()))
        return math.log((articles + 1) / (others + 1)) - ratio * seen / (seen + SMOOTHING)


def features(found: FoundUrl) -> tuple[str, ...]:
    """The names of the features of a URL and of how it was found."""
    of_url, others = url_features(found.url), list[str]()
    if found.anchor_text:
        others.append(f"anchor:{_length_of_text(found.anchor_text)}")
    if found.listed_in and LIST_FEATURES.isdisjoint(of_url):
        others += (f"in:{found.listed_in}", f"in:{found.list_url[:200]}")
    elif found.listed_in:  # sitemaps, and the feeds of some systems, have lists, too
        others.append(f"in:{found.listed_in} of lists")
    return (*of_url, *others)


@lru_cache(RANKED)
def url_features(url: str) -> tuple[str, ...]:
    """The names of the features of a URL itself; kept, because the best URLs of a queue are ranked again and again."""
    return _same((*map(sys.intern, _url_features(url)),))


@lru_cache(RANKED)
def _same(names: tuple[str, ...]) -> tuple[str, ...]:
    """One object for all equal ones: most URLs of a site have the same features."""
    return names


def _url_features(url: str) -> Iterator[str]:
    parts = urlsplit(url)
    path = unquote(parts.path)
    segments = [segment for segment in path.split("/") if segment]
    form = "/" if path.endswith("/") else ""
    if segments and segments[-1].startswith("index."):
        form = f"/{segments.pop()}"
    last = segments[-1] if segments else ""
    stem, _, ending = last.rpartition(".") if "." in last else (last, "", "")
    yield f"depth:{min(len(segments), 6)}"
    is_archive = ARCHIVE.search(path) is not None
    if is_archive:
        yield "archive"
    elif DATE.search(path):
        yield "date"
    if has_number(last, 5):
        yield "number:long"
    words = sum(len(word) > 1 for word in LETTERS.findall(stem))
    yield f"words:{'many' if words > 4 else 'some' if words > 1 else 'one' if words else 'none'}"
    if ending:
        yield f"ending:{'html' if ending.lower() in ('html', 'htm', 'shtml') else ending.lower()[:5]}"
    if not kinds_in(path).isdisjoint(LISTS | OTHERS):
        yield "list"
    if COPY.search(path):
        yield "copy"
    if parts.query:
        yield "query"
    if PAGE_NUMBER.search(url):
        yield "page"
    if segments:
        yield f"first:{parts.netloc}/{segments[0] if len(segments) > 1 else '*'}"
        yield f"shape:{parts.netloc}/" + "/".join(word_shape(segment) for segment in segments[:8]) + form


def is_narrow_list(url: str) -> bool:
    """Whether a URL is of a list that picks articles from other lists: by tag, author, filter or date."""
    parts = urlsplit(url)
    is_named = not kinds_in(parts.path).isdisjoint(NARROW)
    is_filtered = bool(parts.query) and not PAGE_NUMBER.search(url)
    return is_named or is_filtered or ARCHIVE.search(unquote(parts.path)) is not None


def _length_of_text(text: str) -> str:
    """Long as headlines are, or short as names of sections and authors; "number": no letters, as in a pagination."""
    text = text[:MAX_TITLE]
    words = len(WORD.findall(text)) + len(EAST_ASIAN_CHARACTER.findall(text)) / 2
    return "long" if words > 4 else "some" if words > 2 else "short" if words else "number"
