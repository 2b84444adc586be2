"""The memory of sites: the summary of each page of a site and what was decided on it, kept over runs, bounded in bytes.

Beside it the pages themselves are kept until the end of their site's crawl, when some are read again with what is known
of the site by then. Both are written in the transaction that ends the page's URL (`save`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate

from sqlalchemy import ColumnElement, Connection, and_, case, delete, exists, func, select, true, update

from newsextract.items import FetchedPage
from newsextract.store.outcome import PageOutcome
from newsextract.store.peers import decode_page, encode_page
from newsextract.store.schema import articles, review_pages, site_pages, urls
from newsextract.store.url_states import chunked, fingerprint, site_column, upsert

#: Bytes of summaries kept of a site, about 2,000 pages: those of the lowest fingerprints, which are a sample of the
#: site that does not depend on the order of the pages.
MAX_BYTES = 2_000_000
#: Last digit of the fingerprint of a page with which a site is trimmed: with one page of sixteen.
TRIMMING_DIGIT = "0"
#: Level of the compression of pages, which are kept for hours only.
LEVEL = 1
KEYS = ("site", "fingerprint")
UPDATED = ("url", "fetched_at", "run", "peer_url", "summary", "size", "known", "decision", "reviewed", "flips")


@dataclass(frozen=True, slots=True)
class StoredSitePage:
    """A page in the memory of its site; `reason`: of its URL's state; `is_kept`: whether the page itself is kept.

    `meta`: JSON of what the request of a stored article without a date carried, or would carry now.
    """

    fingerprint: str
    url: str
    fetched_at: datetime
    run: int | None
    peer_url: str | None
    summary: bytes
    known: int
    decision: bytes | None
    reviewed: bool
    flips: int
    reason: str
    is_kept: bool
    meta: str | None = None


def save(connection: Connection, outcomes: Sequence[PageOutcome]) -> None:
    """Writes the summaries of the outcomes' pages, each in place of an older one of its URL, and the pages to keep.

    A page that was read again stays until `finish_review`.
    """
    rows, outdated, bodies, sites = {}, set(), {}, set()
    for outcome in outcomes:
        if (page := outcome.site_page) is None:
            continue
        key = {"site": site_column(outcome.url), "fingerprint": fingerprint(outcome.url)}
        sites.add(key["site"])
        rows[key["fingerprint"]] = {
            **key,
            "url": outcome.url,
            "fetched_at": page.fetched_at,
            "run": outcome.run,
            "peer_url": page.peer_url,
            "summary": page.summary,
            "size": len(page.summary),
            "known": page.known,
            "decision": page.decision,
            "reviewed": outcome.review,
            "flips": page.flips,
        }
        if not outcome.review:  # else other pages of the review may need it, as their peer
            outdated.add(key["fingerprint"])
        if page.page is not None:
            bodies[key["fingerprint"]] = {**key, "run": outcome.run, **_body(page.page)}
    if not rows:
        return
    connection.execute(upsert(connection, site_pages, KEYS, UPDATED), [rows[key] for key in sorted(rows)])
    for chunk in chunked(sorted(outdated - bodies.keys())):
        of_chunk = review_pages.c.site.in_(sites) & review_pages.c.fingerprint.in_(chunk)
        connection.execute(delete(review_pages).where(of_chunk))
    if bodies:
        replaced = ("run", "page", "body", "size")
        connection.execute(upsert(connection, review_pages, KEYS, replaced), [bodies[key] for key in sorted(bodies)])
    if any(key.endswith(TRIMMING_DIGIT) for key in rows):
        for site in sorted(sites):
            _trim(connection, site)


def load(connection: Connection, site: str) -> list[StoredSitePage]:
    """The memory of a site, in the order of the fingerprints."""
    site = site_column(f"http://{site}/")
    columns = [site_pages.c[name] for name in StoredSitePage.__dataclass_fields__ if name in site_pages.c]
    is_kept = review_pages.c.fingerprint.is_not(None).label("is_kept")
    reason = func.coalesce(urls.c.reason, "").label("reason")
    same = and_(
        review_pages.c.site == site_pages.c.site,
        review_pages.c.fingerprint == site_pages.c.fingerprint,
    )
    meta = case((articles.c.date_published.is_(None), urls.c.meta)).label("meta")
    query = select(*columns, reason, is_kept, meta).select_from(site_pages).outerjoin(review_pages, same)
    query = query.outerjoin(urls, urls.c.fingerprint == site_pages.c.fingerprint).where(site_pages.c.site == site)
    query = query.outerjoin(articles, articles.c.id == urls.c.article)
    return [StoredSitePage(**row) for row in connection.execute(query.order_by(site_pages.c.fingerprint)).mappings()]


def sample(pages: Iterable[StoredSitePage]) -> list[StoredSitePage]:
    """Those pages of a site, in the order of `load`, of which its profile is built: as many as MAX_BYTES hold."""
    listed = [*pages]
    sizes = accumulate(len(page.summary) for page in listed)
    return [page for page, size in zip(listed, sizes, strict=True) if size <= MAX_BYTES]


def kept_bytes(connection: Connection, site: str) -> int:
    """Bytes of the pages that are kept of a site until its review."""
    query = select(func.coalesce(func.sum(review_pages.c.size), 0)).where(
        review_pages.c.site == site_column(f"http://{site}/")
    )
    return int(connection.execute(query).scalar_one())


def kept_page(connection: Connection, url: str) -> FetchedPage | None:
    """The kept page of a URL; None where there is none, or it cannot be read."""
    of_url = (review_pages.c.site == site_column(url)) & (review_pages.c.fingerprint == fingerprint(url))
    row = connection.execute(select(review_pages.c.page, review_pages.c.body).where(of_url)).one_or_none()
    return None if row is None else decode_page(row.page, row.body)


def sites_to_review(connection: Connection, run: int) -> list[str]:
    """The sites of a run of which pages are kept: those whose review is not done."""
    query = select(review_pages.c.site).where(review_pages.c.run == run).distinct()
    return sorted(connection.execute(query).scalars())


def finish_review(connection: Connection, site: str) -> None:
    """Deletes the kept pages of a site: what is decided on its pages by now stands for later runs."""
    site = site_column(f"http://{site}/")
    decided = (site_pages.c.site == site) & site_pages.c.decision.is_not(None) & site_pages.c.reviewed.is_(False)
    connection.execute(update(site_pages).where(decided).values(reviewed=True))
    connection.execute(delete(review_pages).where(review_pages.c.site == site))
    _trim(connection, site)


def forget(connection: Connection, site: str, before_run: int | None = None) -> int:
    """Deletes the memory of a site, with `before_run` that of earlier runs alone; returns how many pages."""
    site = site_column(f"http://{site}/")
    for table in (review_pages, site_pages):
        older: ColumnElement[bool] = true() if before_run is None else table.c.run < before_run
        count = connection.execute(delete(table).where((table.c.site == site) & older)).rowcount
    return count


def _body(page: FetchedPage) -> dict[str, object]:
    document, body = encode_page(page, LEVEL)
    return {"page": document, "body": body, "size": len(body)}


def _trim(connection: Connection, site: str) -> None:
    """Deletes what is over MAX_BYTES, but for pages that are still to be reviewed."""
    total = connection.execute(select(func.sum(site_pages.c.size)).where(site_pages.c.site == site)).scalar()
    if total is None or total <= MAX_BYTES:
        return
    query = select(site_pages.c.fingerprint, site_pages.c.size).where(site_pages.c.site == site)
    rows = connection.execute(query.order_by(site_pages.c.fingerprint)).all()
    sizes = accumulate(row.size for row in rows)
    beyond = [row.fingerprint for row, size in zip(rows, sizes, strict=True) if size > MAX_BYTES]
    to_review = exists().where(
        review_pages.c.site == site_pages.c.site, review_pages.c.fingerprint == site_pages.c.fingerprint
    )
    for chunk in chunked(beyond):
        too_many = (site_pages.c.site == site) & site_pages.c.fingerprint.in_(chunk) & ~to_review
        connection.execute(delete(site_pages).where(too_many))
