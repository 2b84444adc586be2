"""Which URLs look like those of articles, so that they are fetched first.

A URL is its shape: depth, digits, a date, the words of its last segment, its ending, its first segment. How often a
shape was an article's is learnt while the crawl runs (naive Bayes with additive smoothing); before that, what is true
of most news sites counts as a few observations.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator
from urllib.parse import unquote, urlsplit

#: What is known of URLs before any page is: feature, articles and other pages seen with it.
KNOWN_BEFORE = (
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
#: A segment that names a list, an archive or a service, in languages of news sites.
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


class Likeness:
    """Learns from pages of known kind; `score` is the probability from 0 to 1 that a URL is an article's."""

    def __init__(self) -> None:
        self.articles: Counter[str] = Counter({name: articles for name, articles, _ in KNOWN_BEFORE})
        self.others: Counter[str] = Counter({name: others for name, _, others in KNOWN_BEFORE})
        self.learnt = 0

    def learn(self, url: str, is_article: bool) -> None:
        """Counts a page of known kind."""
        counted = self.articles if is_article else self.others
        for feature in features(url):
            if feature in counted or len(counted) < MAX_FEATURES:
                counted[feature] += 1
        self.learnt += 1

    def score(self, url: str) -> float:
        """The probability that the URL is an article's, by its shape."""
        log_odds = sum(math.log((self.articles[feature] + 1) / (self.others[feature] + 1)) for feature in features(url))
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, log_odds))))


def features(url: str) -> Iterator[str]:
    """The shape of a URL as a few names."""
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
        yield f"shape:{parts.netloc}/" + "/".join(_shape(segment) for segment in segments[:8])


def _shape(segment: str) -> str:
    """A segment with its letters and numbers made equal: `a-storm-hits-4-towns.html` is `w-*.html`."""
    shape = re.sub(r"[^\W\d_]+", "w", re.sub(r"\d+", "9", segment))
    return re.sub(r"[w9](?:[-_][w9])+", "w-*", shape)[:40]
