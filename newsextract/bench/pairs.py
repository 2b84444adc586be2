"""A peer for each page of a corpus: the most similar URL of the same site among the set's other pages.

Pages without URL are of one site if their ids are equal but for the trailing number (`wsj.com_brussels_07`).
"""

import re

from rapidfuzz.distance import Levenshtein

from newsextract.bench.corpus import Corpus, Gold
from newsextract.identity import site_of

DIGITS = re.compile(r"\d+")
TRAILING_NUMBER = re.compile(r"[-_.]?\d+$")


def choose_peers(corpus: Corpus) -> dict[str, Gold]:
    """Page id -> the page to compare it with; pages that are alone on their site are left out."""
    sites: dict[str, list[Gold]] = {}
    for row in corpus.gold:
        sites.setdefault(_site(row), []).append(row)
    return {row.id: _nearest(row, rows) for rows in sites.values() if len(rows) > 1 for row in rows}


def _nearest(row: Gold, rows: list[Gold]) -> Gold:
    """Fewest edits between the addresses with runs of digits made one; ties to the first in the file."""
    others = [other for other in rows if other.id != row.id]
    return min(others, key=lambda other: Levenshtein.distance(_address(row), _address(other)))


def _address(row: Gold) -> str:
    return DIGITS.sub("0", row.url or row.id)


def _site(row: Gold) -> str:
    return (site_of(row.url) if row.url else "") or TRAILING_NUMBER.sub("", row.id)
