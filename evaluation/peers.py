"""Peers of the pages of a corpus: other pages of the same site, chosen in two ways.

`choose_peers`: the page of the same site with the most similar URL, regardless of its template. Pages without site and
URL belong to one site if their ids are equal except for the trailing number (`wsj.com_brussels_07`).

`crawled_peers`: the peer in a crawl over the corpus as an archive, which also compares templates.
"""

import re
from datetime import UTC, datetime

from rapidfuzz.distance import Levenshtein

from evaluation.corpora import Corpus, Gold
from evaluation.warc import page_url
from newsextract.items import FetchedPage
from newsextract.page import Page
from newsextract.site_profile.peer_index import PeerIndex
from newsextract.site_profile.templates import template_of

DIGITS = re.compile(r"\d+")
TRAILING_NUMBER = re.compile(r"[-_.]?\d+$")


def choose_peers(corpus: Corpus) -> dict[str, Gold]:
    """Page id -> its peer, without pages that are alone on their site."""
    sites: dict[str, list[Gold]] = {}
    for row in corpus.gold:
        sites.setdefault(row.site or TRAILING_NUMBER.sub("", row.id), []).append(row)
    return {row.id: _nearest(row, rows) for rows in sites.values() if len(rows) > 1 for row in rows}


def crawled_peers(corpus: Corpus) -> dict[str, Gold]:
    """Page id -> its peer by `PeerIndex`; pages without one are left out."""
    index, fetched, rows = PeerIndex(), {}, {}
    for row in corpus.gold:
        url = page_url(corpus.name, row)
        template = template_of(Page(corpus.html(row.id), url))
        page = FetchedPage(url, b"", datetime.now(UTC), template=template)  # as from an archive of the corpus
        fetched[row.id], rows[page.id] = page, row
        index.add(page)
    peers = {id_: index.find_peer(page) for id_, page in fetched.items()}
    return {id_: rows[peer.id] for id_, peer in peers.items() if peer is not None}


def _nearest(row: Gold, rows: list[Gold]) -> Gold:
    """Smallest edit distance of the URLs, runs of digits replaced by one; among equal ones the first in the file."""
    others = [other for other in rows if other.id != row.id]
    return min(others, key=lambda other: Levenshtein.distance(_url_without_numbers(row), _url_without_numbers(other)))


def _url_without_numbers(row: Gold) -> str:
    return DIGITS.sub("0", row.url or row.id)
