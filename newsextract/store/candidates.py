"""Candidates: pages that were fetched, and perhaps read, on which is decided later (`crawl.settle`).

Each is written in the transaction that ends the lease of its URL, which is `pending` from then on, and deleted in the
one that settles it. So a page that waits is never lost, and never fetched twice.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, and_, delete, select

from newsextract.items import Article
from newsextract.page_codec import decode_page, encode_page
from newsextract.store.articles import as_document
from newsextract.store.outcome import Candidate, PageOutcome
from newsextract.store.schema import candidates, site_pages
from newsextract.store.url_states import chunked, fingerprint, site_column, upsert

KEYS = ("site", "fingerprint")
VALUES = ("url", "run", "article", "text_confidence", "page", "body")
#: Level of the compression of bodies, which are kept for the length of a crawl only.
LEVEL = 1


@dataclass(frozen=True, slots=True)
class PendingPage:
    """A candidate without its page: the URL that is pending, and what the memory of its site has of it, if anything."""

    url: str
    summary: bytes | None
    decision: bytes | None
    peer_url: str | None


def save(connection: Connection, outcomes: Sequence[PageOutcome]) -> None:
    """Writes the candidates of the outcomes, and deletes those that these settle or that were fetched again."""
    rows, done = {}, set()
    for outcome in outcomes:
        key = {"site": site_column(outcome.url), "fingerprint": fingerprint(outcome.url)}
        if (candidate := outcome.candidate) is not None:
            document, body = encode_page(candidate.page, LEVEL)
            rows[key["fingerprint"]] = {
                **key,
                "url": outcome.url,
                "run": outcome.run,
                "article": None if candidate.article is None else as_document(candidate.article),
                "text_confidence": candidate.text_confidence,
                "page": document,
                "body": body,
            }
        elif outcome.settles or outcome.site_page is not None:
            done.add((key["site"], key["fingerprint"]))
    if rows:
        connection.execute(upsert(connection, candidates, KEYS, VALUES), [rows[key] for key in sorted(rows)])
    sites = {site for site, _ in done}
    for chunk in chunked(sorted({key for _, key in done} - rows.keys())):
        which = candidates.c.site.in_(sites) & candidates.c.fingerprint.in_(chunk)
        connection.execute(delete(candidates).where(which))


def pending(connection: Connection, site: str) -> list[PendingPage]:
    """The candidates of a site, in the order of their fingerprints."""
    same = and_(*(candidates.c[name] == site_pages.c[name] for name in KEYS))
    columns = (candidates.c.url, site_pages.c.summary, site_pages.c.decision, site_pages.c.peer_url)
    query = select(*columns).select_from(candidates.outerjoin(site_pages, same))
    of_site = candidates.c.site == site_column(f"http://{site}/")
    return [PendingPage(*row) for row in connection.execute(query.where(of_site).order_by(candidates.c.fingerprint))]


def find(connection: Connection, url: str) -> Candidate | None:
    """The candidate of a URL; None where there is none, or its page cannot be read."""
    of_url = (candidates.c.site == site_column(url)) & (candidates.c.fingerprint == fingerprint(url))
    row = connection.execute(select(candidates).where(of_url)).one_or_none()
    page = None if row is None else decode_page(row.page, row.body)
    if row is None or page is None:
        return None
    article = None if row.article is None else Article.from_dict(json.loads(row.article))
    return Candidate(page, article, row.text_confidence)


def sites_to_settle(connection: Connection, run: int) -> list[str]:
    """The sites of a run with pages that are pending, or that were decided with a part of the run's pages only."""
    pending_sites = connection.execute(select(candidates.c.site).where(candidates.c.run == run).distinct()).scalars()
    early = select(site_pages.c.site).where(site_pages.c.run == run, site_pages.c.settled.is_(False)).distinct()
    return sorted({*pending_sites, *connection.execute(early).scalars()})
