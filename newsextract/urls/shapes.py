"""URL shapes: URLs with placeholders for the parts that change from page to page.

Three shapes, because three questions need different parts of a URL:

- `url_shape`: which pages are of one template? Numbers, dates, identifiers and titles are replaced, section names stay,
  so that `shape_similarity` can compare pages of two sections. Used by pairing and by the index of reference pages.
- `folder_shape`: which pages belong to one machine-made series (calendar, filter combinations)? All of the last path
  segment is dropped, whatever it is made of, and numbers in folders are made equal. Used by `discovery.traps`.
- `word_shape`: how is one path segment built? Every word becomes `w` and every number `9`, so that sites whose sections
  are many still have few shapes to count. A feature of `discovery.url_classifier`.
"""

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile
from urllib.parse import unquote, urlsplit, urlunsplit

from newsextract.settings import URLLENGTH_LIMIT
from newsextract.text import ALPHANUMERICS, DIGITS, LETTERS
from newsextract.urls.normalize import INDEX_FILE, REMEMBERED, site_of

#: A segment of several words.
TITLE = re.compile(r"(?:[^\W_]+[-_+.,~ ]){2,}[^\W_]*.*")
#: Kinds of path segments, most specific first: pattern of the whole segment, placeholder.
SEGMENT_KINDS = (
    (re.compile(r"\d{1,2}"), "N"),
    (re.compile(r"(?:19|20)\d\d"), "YEAR"),
    (re.compile(r"(?:19|20)\d{2}-?[01]?\d(?:-?[0-3]?\d)?"), "DATE"),
    (re.compile(r"[a-z]{0,4}[-_.]?\d{3,}|[0-9a-f]{8,}|[0-9a-f-]{20,}|(?=.*\d)(?=.*[A-Z])[0-9A-Za-z]{8,}"), "ID"),
    (TITLE, "TITLE"),
    (re.compile(r".*[^\x00-\x7f].*"), "TITLE"),
    (re.compile(r"(?=.*\d).{6,}"), "ID"),
    (re.compile(r".{25,}"), "TITLE"),
)
PLACEHOLDERS = frozenset(name for _, name in SEGMENT_KINDS)
EXTENSION = re.compile(r"\.(?:s?html?|php|aspx?|jsp|do|cms|story|ece)$", re.I)
#: URLs whose shapes are less similar than this are not considered pages of one template.
MIN_SIMILARITY = 0.5
#: How the path of a copy, for phones or for printing, differs from that of the page.
COPY = re.compile(r"/(?:amp|print|imprimir|drucken|stampa)(?=/?$)|^/(?:amp|print)(?=/.)|\.amp(?=\.html?$|$)", re.I)
#: A date in a URL, which many stories share; a number or identifier, which tells a story from the others.
DATE = re.compile(r"(?<!\d)(?:19|20)\d\d(?:[/_-]?\d\d?){0,2}(?!\d)")
NUMBER = re.compile(r"(?<![^\W_])[^\W_]*\d[^\W_]*+")
#: A shorter number in a slug may be one of the headline.
MIN_NUMBER = 3
#: What `folder_shape` and `word_shape` make equal: numbers, words, and slugs of these.
SLUG = re.compile(r"[w9](?:[-_][w9])+")
ENDING = re.compile(r"\.\w{2,5}(?=$|[?#])")


@dataclass(frozen=True, slots=True)
class UrlShape:
    """`site`; path `segments` with placeholders; file `extension`; sorted names of the `query` parameters."""

    site: str
    segments: tuple[str, ...]
    extension: str
    query: tuple[str, ...]

    @property
    def pattern(self) -> str:
        """The shape as text: the key of its reference pages in the database."""
        query = f"?{'&'.join(self.query)}" if self.query else ""
        return f"{self.site}/{'/'.join(self.segments)}{self.extension}{query}"


@lru_cache(REMEMBERED)
def url_shape(url: str) -> UrlShape:
    parts = urlsplit(url[:URLLENGTH_LIMIT])
    path = unquote(parts.path)
    extension = EXTENSION.search(path)
    segments = (path[: extension.start()] if extension else path).strip("/").split("/")
    names = sorted({pair.partition("=")[0].lower() for pair in parts.query.split("&") if pair})
    placeholders = [
        next((name for pattern, name in SEGMENT_KINDS if pattern.fullmatch(segment)), segment.lower())
        for segment in segments
    ]
    return UrlShape(site_of(url), tuple(placeholders), extension[0].lower() if extension else "", tuple(names))


def shape_similarity(first: UrlShape, second: UrlShape) -> float:
    """Similarity of two shapes from 0 (different sites, or nothing in common) to 1 (equal).

    The share of equal segments, counted from both ends so that one segment more or less in the middle costs only
    itself; two different section names (`politics`, `sport`) count as half a segment; extension and query count as one
    segment each.
    """
    if first.site != second.site:
        return 0.0
    if first == second:
        return 1.0
    total = max(len(first.segments), len(second.segments)) + 2
    equal = _equal_segments(first.segments, second.segments)
    equal += (first.extension == second.extension) + (first.query == second.query)
    return equal / total


def _equal_segments(first: tuple[str, ...], second: tuple[str, ...]) -> float:
    """The number of equal segments: all for paths of equal length, else up to the first difference from either end."""
    if len(first) == len(second):
        return sum(map(_equality, first, second))
    from_start = sum(takewhile(bool, map(_equality, first, second)))
    rest = min(len(first), len(second)) - int(from_start)
    return from_start + sum(takewhile(bool, map(_equality, first[::-1][:rest], second[::-1][:rest])))


def _equality(one: str, other: str) -> float:
    if one == other:
        return 1.0
    return 0.0 if one in PLACEHOLDERS or other in PLACEHOLDERS else 0.5


@lru_cache(REMEMBERED)
def folder_shape(url: str) -> str:
    """Host, folder with its numbers made equal, query parameter names: `example.org/calendar/9/*?view`."""
    parts = urlsplit(url)
    path = INDEX_FILE.sub("/", parts.path).rstrip("/")
    folder, _, _ = DIGITS.sub("9", path).rpartition("/")
    names = sorted({pair.partition("=")[0] for pair in parts.query.split("&")})
    return f"{parts.netloc}{folder}/*?{'&'.join(names)}"


def word_shape(segment: str) -> str:
    """A path segment with its words and numbers made equal: `a-storm-hits-4-towns.html` gives `w-*.w`."""
    return SLUG.sub("w-*", LETTERS.sub("w", DIGITS.sub("9", segment)))[:40]


def numbers_in(url: str) -> frozenset[str]:
    """The numbers and identifiers in a URL's path and query, in lower case: what tells a story from others of its day.

    >>> sorted(numbers_in("https://paper.example/2026/11/28/bridge-AD17.html?entry=4"))
    ['4', 'ad17']
    """
    return frozenset(NUMBER.findall(DATE.sub("", _path(url).partition("#")[0])))


def original_of_copy(url: str) -> str | None:
    """The URL of the original for the URL of a copy (AMP, print), otherwise None."""
    parts = urlsplit(url)
    path, number = COPY.subn("", parts.path, count=1)
    return urlunsplit(parts._replace(path=path or "/")) if number else None


def is_same_story(url: str, other: str) -> bool:
    """Whether two URLs of a site with one text look like those of one story: they have a number in common, or one is
    the other one and more."""
    return not numbers_in(url).isdisjoint(numbers_in(other)) or is_copy(path_tokens(url), path_tokens(other))


def folder_of(url: str) -> str:
    """The path of a URL without its last segment and query."""
    return _path_and_query(url)[0].rpartition("/")[0]


def page_of_entry(url: str) -> str:
    """The path of the page of which a URL may be an entry: before a query, or of a title that it is below; else its
    own.

    >>> page_of_entry("https://paper.example/live/storm-hits-coast?entry=evening")
    'live/storm-hits-coast'
    >>> page_of_entry("https://paper.example/live/storm-hits-coast/evening")
    'live/storm-hits-coast'
    """
    path, query = _path_and_query(url)
    folder = folder_of(url)
    return folder if not query and TITLE.fullmatch(unquote(folder.rpartition("/")[2])) else path


def has_number_of(url: str, other: str) -> bool:
    """Whether the last segments of two paths, with their queries, have a number of a story in common."""
    common = numbers_in(_last_segment(url)) & numbers_in(_last_segment(other))
    return any(len(number) >= MIN_NUMBER for number in common)


def _last_segment(url: str) -> str:
    return f"https:///{_path(url).rstrip('/').rpartition('/')[2]}"


def path_tokens(url: str) -> Counter[str]:
    """The words and numbers of a URL's path and query, without an ending such as ".html"."""
    return Counter(ALPHANUMERICS.findall(ENDING.sub("", _path(url))))


def is_copy(tokens: Counter[str], other: Counter[str]) -> bool:
    """Whether one URL, by its tokens, is the other one and more."""
    return tokens <= other or other <= tokens


def _path_and_query(url: str) -> tuple[str, str]:
    path, _, query = _path(url).partition("#")[0].partition("?")
    return path.rstrip("/"), query


def _path(url: str) -> str:
    return url.casefold().partition("://")[2].partition("/")[2]
