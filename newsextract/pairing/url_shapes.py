"""How alike two URLs of a site are as addresses of one template.

A URL's *shape* is its path with what changes from article to article blanked: numbers, dates, identifiers, titles in
the address. Pages of one shape come from one template nearly always; where no page of the same shape is known, the
shape with the fewest other steps is taken, if it is near enough.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import unquote, urlsplit

from newsextract.urls import site_of

#: Kinds of path steps, most telling first: what the step is like, and what stands for it.
STEPS = (
    (re.compile(r"\d{1,2}"), "N"),
    (re.compile(r"(?:19|20)\d\d"), "YEAR"),
    (re.compile(r"(?:19|20)\d{2}-?[01]?\d(?:-?[0-3]?\d)?"), "DATE"),
    (re.compile(r"\d{3,}"), "ID"),
    (re.compile(r"[0-9a-f]{8,}|[0-9a-f-]{20,}|(?=.*\d)(?=.*[A-Z])[0-9A-Za-z]{8,}"), "ID"),
    (re.compile(r"[a-z]{0,4}[-_.]?\d{3,}"), "ID"),
    (re.compile(r"(?:[^\W_]+[-_+.,~ ]){2,}[^\W_]*.*"), "TITLE"),
    (re.compile(r".*[^\x00-\x7f].*"), "TITLE"),
    (re.compile(r"(?=.*\d).{6,}"), "ID"),
    (re.compile(r".{25,}"), "TITLE"),
)
VARIABLE = frozenset(name for _, name in STEPS)
ENDING = re.compile(r"\.(?:s?html?|php|aspx?|jsp|do|cms|story|ece)$", re.I)
#: Two shapes less alike than this are not taken for one template.
LIKE_ENOUGH = 0.5
LONGEST_URL = 2_000


@dataclass(frozen=True, slots=True)
class Shape:
    """`site`; `steps` of the path, blanked; the file `ending`; the names of the `query`'s parameters."""

    site: str
    steps: tuple[str, ...]
    ending: str
    query: tuple[str, ...]

    @property
    def pattern(self) -> str:
        """The shape as text, which names its template in the database."""
        query = f"?{'&'.join(self.query)}" if self.query else ""
        return f"{self.site}/{'/'.join(self.steps)}{self.ending}{query}"


@lru_cache(maxsize=4096)
def shape_of(url: str) -> Shape:
    """The shape of an absolute URL."""
    parts = urlsplit(url[:LONGEST_URL])
    path = unquote(parts.path)
    ending = ENDING.search(path)
    steps = (path[: ending.start()] if ending else path).strip("/").split("/")
    names = sorted({pair.partition("=")[0].lower() for pair in parts.query.split("&") if pair})
    return Shape(site_of(url), tuple(map(_step, steps)), ending[0].lower() if ending else "", tuple(names))


def likeness(first: Shape, second: Shape) -> float:
    """0 to 1: 1 for equal shapes, 0 for different sites or where nothing agrees.

    The share of agreeing steps, counted from both ends so that one step more or less in the middle costs only itself;
    a section that differs (`politics` against `sport`) costs half a step; ending and query count as one step each.
    """
    if first.site != second.site:
        return 0.0
    if first == second:
        return 1.0
    total = max(len(first.steps), len(second.steps)) + 2
    agreed = _agreement(first.steps, second.steps) + (first.ending == second.ending) + (first.query == second.query)
    return agreed / total


def _agreement(first: tuple[str, ...], second: tuple[str, ...]) -> float:
    shorter = min(len(first), len(second))
    front = _run(first, second, shorter)
    return front + _run(first[::-1], second[::-1], shorter - int(front)) if len(first) != len(second) else front


def _run(first: tuple[str, ...], second: tuple[str, ...], length: int) -> float:
    """How many steps agree from the start on: of equal lengths to the end, else up to the first that differs."""
    agreed = 0.0
    for one, other in zip(first[:length], second[:length], strict=False):
        if one == other:
            agreed += 1
        elif one not in VARIABLE and other not in VARIABLE:
            agreed += 0.5
        elif len(first) != len(second):
            break
    return agreed


def _step(step: str) -> str:
    return next((name for pattern, name in STEPS if pattern.fullmatch(step)), step.lower())
