"""A peer for each page of a corpus, in two ways.

`choose_peers`: the most similar URL of the same site among the set's other pages, whatever their templates. Pages
without URL are of one site if their ids are equal but for the trailing number (`wsj.com_brussels_07`).
`crawled_peers`: what a crawl over the set as an archive would take, which also asks whether the templates are one.
"""

import re
from datetime import UTC, datetime

from rapidfuzz.distance import Levenshtein

from evaluation.corpora import Corpus, Gold
from evaluation.warc import page_url
from newsextract.items import FetchedPage
from newsextract.page import Page
from newsextract.pairing import PeerIndex, template_of
from newsextract.urls import site_of

DIGITS = re.compile(r"\d+")
TRAILING_NUMBER = re.compile(r"[-_.]?\d+$")


def choose_peers(corpus: Corpus) -> dict[str, Gold]:
    """Page id -> the page to compare it with; pages that are alone on their site are left out."""
    sites: dict[str, list[Gold]] = {}
    for row in corpus.gold:
        sites.setdefault(_site(row), []).append(row)
    return {row.id: _nearest(row, rows) for rows in sites.values() if len(rows) > 1 for row in rows}


def crawled_peers(corpus: Corpus) -> dict[str, Gold]:
    """Page id -> its peer by `newsextract.pairing`; pages for which it finds none are left out."""
    index = PeerIndex()
    fetched = {row.id: _fetched(corpus, row) for row in corpus.gold}
    rows = {fetched[row.id].id: row for row in corpus.gold}
    for page in fetched.values():
        index.add(page)
    found = {identity: index.find_peer(page) for identity, page in fetched.items()}
    return {identity: rows[peer.id] for identity, peer in found.items() if peer is not None}


def _fetched(corpus: Corpus, row: Gold) -> FetchedPage:
    """The page as an archive of the set would give it, less its body."""
    url = page_url(corpus.name, row)
    template = template_of(Page(corpus.html(row.id), url))
    return FetchedPage(url, b"", datetime.now(UTC), template=template)


def _nearest(row: Gold, rows: list[Gold]) -> Gold:
    """Fewest edits between the addresses with runs of digits made one; ties to the first in the file."""
    others = [other for other in rows if other.id != row.id]
    return min(others, key=lambda other: Levenshtein.distance(_address(row), _address(other)))


def _address(row: Gold) -> str:
    return DIGITS.sub("0", row.url or row.id)


def _site(row: Gold) -> str:
    return (site_of(row.url) if row.url else "") or TRAILING_NUMBER.sub("", row.id)
