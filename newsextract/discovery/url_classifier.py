"""Article URL classifier: naive Bayes over features of the URL, trained while the crawl runs.

Features: depth, digits, a date, number of words of the last segment, extension, first segment, word shape. P(article)
is computed from how often articles and other pages had each feature (additive smoothing); before the first page the
counts are those of `PRIOR_COUNTS`.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator
from urllib.parse import unquote, urlsplit

from newsextract.pairing.url_shapes import word_shape

#: Counts before any page is known, true of most news sites: feature, articles with it, other pages with it.
PRIOR_COUNTS = (
    ("date", 6, 1),
    ("number:long", 4, 1),
    ("words:many", 5, 1),
    ("words:some", 3, 2),
    ("words:none", 1, 3),
    ("depth:0", 0, 9),
    ("depth:1", 1, 3),
    ("ending:html", 2, 1),
    ("list", 0, 9),
    ("query", 1, 3),
    ("page", 0, 6),
)
#: A path segment that names a list, an archive or a service.
LIST = re.compile(
    r"^(?:tags?|topics?|themen?|categor(?:y|ies)|kategorien?|rubrik|sections?|authors?|autor(?:en)?|archives?|archiv|search|suche"
    r"|login|account|abo|subscri\w*|newsletter|about|contact|kontakt|impressum|privacy|datenschutz|terms|help|hilfe|feeds?|rss"
    r"|galler(?:y|ies)|videos?|shop|jobs|events?|page|seite|users?|profiles?|faq|imprint)$",
    re.I,
)
DATE = re.compile(
    r"(?:^|[/_-])(?:19|20)\d\d[/_-]?(?:0?[1-9]|1[0-2]|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)(?=[/_-]|\d\d)",
    re.I,
)
PAGE_NUMBER = re.compile(r"(?:^|[/?&])(?:page|seite|p|paged)[=/]?\d+", re.I)
MAX_FEATURES = 20_000


class UrlClassifier:
    """Estimates the probability that a URL is an article's; trained with pages of known kind."""

    def __init__(self) -> None:
        self.articles: Counter[str] = Counter({name: articles for name, articles, _ in PRIOR_COUNTS})
        self.others: Counter[str] = Counter({name: others for name, _, others in PRIOR_COUNTS})

    def update(self, url: str, is_article: bool) -> None:
        """Counts the features of a page that was an article, or was none."""
        counts = self.articles if is_article else self.others
        for feature in features(url):
            if feature in counts or len(counts) < MAX_FEATURES:
                counts[feature] += 1

    def article_probability(self, url: str) -> float:
        """P(article | URL), from 0 to 1."""
        log_odds = sum(math.log((self.articles[feature] + 1) / (self.others[feature] + 1)) for feature in features(url))
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, log_odds))))


def features(url: str) -> Iterator[str]:
    """The names of the features that a URL has."""
    parts = urlsplit(url)
    path = unquote(parts.path)
    segments = [segment for segment in path.split("/") if segment]
    last = segments[-1] if segments else ""
    stem, _, ending = last.rpartition(".") if "." in last else (last, "", "")
    yield f"depth:{min(len(segments), 6)}"
    if DATE.search(path):
        yield "date"
    if re.search(r"\d{5,}", last):
        yield "number:long"
    words = len(re.findall(r"[^\W\d_]{2,}", stem))
    yield f"words:{'many' if words > 4 else 'some' if words > 1 else 'one' if words else 'none'}"
    if ending:
        yield f"ending:{'html' if ending.lower() in ('html', 'htm', 'shtml') else ending.lower()[:5]}"
    if any(LIST.match(segment) for segment in segments):
        yield "list"
    if parts.query:
        yield "query"
    if PAGE_NUMBER.search(url):
        yield "page"
    if segments:
        yield f"first:{parts.netloc}/{segments[0] if len(segments) > 1 else '*'}"
        yield f"shape:{parts.netloc}/" + "/".join(word_shape(segment) for segment in segments[:8])
