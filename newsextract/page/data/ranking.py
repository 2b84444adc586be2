"""Which candidate of a page's data is the article: by headline, address, description, path and length."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Any
from urllib.parse import unquote, urlsplit

from newsextract.page.data.candidates import ADDRESS_NAMES, OTHER_WORKS, Candidate, title_similarity
from newsextract.page.data.prose import plain_text
from newsextract.text import letters_and_digits, words_of

#: Sources of titles that name the page's article.
TITLE_SOURCES = frozenset("og twitter title title-part json-ld-headline h1 anchor meta".split())
#: Characters of the description that are searched for in a candidate.
PROBE = 40
#: Names of a member that hold an article's text, the most telling ones.
BODY_NAME = re.compile(
    r"body|content|article|story|paragraph|text|richtext|blocks?|elements?|markdown|html|nodes|components|children",
    re.I,
)
#: What each kind of evidence adds to the log of a candidate's size.
TITLE, ADDRESS, DESCRIPTION, OTHER_WORK, BODY, DECLARED = 2.0, 1.0, 0.7, -1.6, 0.4, 1.5
#: A member with the text of what it describes (a product, a report, a show), not a summary of it, has characters:
FULL_DESCRIPTION, MIN_FULL = re.compile(r"description$", re.I), 400
#: Characters beyond which more prose says no more.
ENOUGH = 8_000


@dataclass(frozen=True)
class PageClues:
    """What a page says of its article outside its data: titles as sets of words, description, path of the address."""

    titles: tuple[frozenset[str], ...]
    description: str
    path: str


def clues_of(page: Any) -> PageClues:
    """The clues of a `Page`."""
    titles = {
        frozenset(words)
        for title in page.titles
        if title.source in TITLE_SOURCES and len(words := words_of(title.text)) > 1
    }
    described = (page.meta.get("og:description") or page.meta.get("description") or "").strip()
    try:
        path = unquote(urlsplit(page.url or page.meta.get("og:url") or "").path).strip("/").lower()
    except ValueError:
        path = ""
    return PageClues(tuple(titles), letters_and_digits(plain_text(described))[:PROBE], path)


def rank(candidates: Sequence[Candidate], clues: PageClues) -> list[tuple[float, Candidate]]:
    """The candidates with their scores, best first."""
    scored = [(score(candidate, clues), candidate) for candidate in candidates]
    scored.sort(key=lambda row: -row[0])
    return scored


def score(candidate: Candidate, clues: PageClues) -> float:
    """Log of the candidate's characters, up to ENOUGH, with what speaks for and against it."""
    value = log(1 + min(candidate.size, ENOUGH)) + 0.2 * log(1 + max(0, candidate.size - ENOUGH))
    value += TITLE * title_match(candidate, clues)
    if clues.path and any(_has_address(owner, clues.path) for owner in candidate.owners[:4]):
        value += ADDRESS
    beginning = plain_text("\n".join(candidate.texts[:5])[:20_000])
    if len(clues.description) >= PROBE and clues.description in letters_and_digits(beginning):
        value += DESCRIPTION
    steps = candidate.names
    value += OTHER_WORK * min(2, sum(_is_other(step, candidate) for step in steps[-6:]))
    value += DECLARED * candidate.is_declared
    value += BODY * any(BODY_NAME.search(step) for step in steps[-3:])
    return value


def title_match(candidate: Candidate, clues: PageClues) -> float:
    """The best similarity of a headline of the candidate's objects to a title of the page; 0 for a candidate whose own
    name says that it is something else of them (`tags`)."""
    names = candidate.names
    if names and _is_other(names[-1], candidate):
        return 0.0
    return max((title_similarity(owner, clues.titles) for owner in candidate.owners), default=0.0)


def _is_other(name: str, candidate: Candidate) -> bool:
    """Whether a name in a candidate's path says that it is something else than the text of its object."""
    if OTHER_WORKS.search(name) is None:
        return False
    is_full = candidate.size >= MIN_FULL and FULL_DESCRIPTION.search(name) is not None
    return not is_full or candidate.works is not None or any("@type" in owner for owner in candidate.owners[:1])


def _has_address(owner: dict[str, Any], path: str) -> bool:
    for name in ADDRESS_NAMES:
        value = owner.get(name)
        if isinstance(value, str) and 3 < len(value) < 500:
            try:
                own = unquote(urlsplit(value).path).strip("/").lower()
            except ValueError:
                continue
            if len(own) > 3 and (own == path or path.endswith(f"/{own}") or own.endswith(f"/{path}")):
                return True
    return False
