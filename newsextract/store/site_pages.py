"""The memory of sites: the summary of each page of a site and what was decided on it, kept over runs, bounded in bytes.

It is written in the transaction that ends the page's URL (`save`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate

from sqlalchemy import ColumnElement, Connection, delete, exists, func, select, true, update

from newsextract.store.outcome import PageOutcome
from newsextract.store.schema import candidates, site_pages, urls
from newsextract.store.url_states import chunked, fingerprint, site_column, upsert

#: Bytes of summaries kept of a site, about 2,000 pages: those of the lowest fingerprints, which are a sample of the
#: site that does not depend on the order of the pages.
MAX_BYTES = 2_000_000
#: Last digit of the fingerprint of a page with which a site is trimmed: with one page of sixteen.
TRIMMING_DIGIT = "0"
KEYS = ("site", "fingerprint")
UPDATED = (
    "url",
    "fetched_at",
    "run",
    "peer_url",
    "summary",
    "size",
    "known",
    "decision",
    "settled",
    "decision_changes",
)


@dataclass(frozen=True, slots=True)
class StoredSitePage:
    """A page in the memory of its site; `reason`: of its URL's state; `settled`: decided with all pages of a run."""

    fingerprint: str
    url: str
    fetched_at: datetime
    run: int | None
    peer_url: str | None
    summary: bytes
    known: int
    decision: bytes | None
    settled: bool
    decision_changes: int
    reason: str


def save(connection: Connection, outcomes: Sequence[PageOutcome]) -> None:
    """Writes the summaries of the outcomes' pages, each in place of an older one of its URL."""
    rows = {}
    for outcome in outcomes:
        if (page := outcome.site_page) is not None:
            rows[fingerprint(outcome.url)] = {
                "site": site_column(outcome.url),
                "fingerprint": fingerprint(outcome.url),
                "url": outcome.url,
                "fetched_at": page.fetched_at,
                "run": outcome.run,
                "peer_url": page.peer_url,
                "summary": page.summary,
                "size": len(page.summary),
                "known": page.known,
                "decision": page.decision,
                "settled": False,
                "decision_changes": page.decision_changes,
            }
    if not rows:
        return
    connection.execute(upsert(connection, site_pages, KEYS, UPDATED), [rows[key] for key in sorted(rows)])
    if any(key.endswith(TRIMMING_DIGIT) for key in rows):
        for site in sorted({str(row["site"]) for row in rows.values()}):
            _trim(connection, site)


def load(connection: Connection, site: str) -> list[StoredSitePage]:
    """The memory of a site, in the order of the fingerprints."""
    columns = [site_pages.c[name] for name in StoredSitePage.__dataclass_fields__ if name in site_pages.c]
    query = select(*columns, func.coalesce(urls.c.reason, "").label("reason")).select_from(site_pages)
    query = query.outerjoin(urls, urls.c.fingerprint == site_pages.c.fingerprint)
    query = query.where(site_pages.c.site == site_column(f"http://{site}/")).order_by(site_pages.c.fingerprint)
    return [StoredSitePage(**row) for row in connection.execute(query).mappings()]


def sample(pages: Iterable[StoredSitePage]) -> list[StoredSitePage]:
    """Those pages of a site, in the order of `load`, of which its profile is built: as many as MAX_BYTES hold."""
    listed = [*pages]
    sizes = accumulate(len(page.summary) for page in listed)
    return [page for page, size in zip(listed, sizes, strict=True) if size <= MAX_BYTES]


def settle(connection: Connection, site: str) -> None:
    """What is decided on the pages of a site by now stands for later runs."""
    site = site_column(f"http://{site}/")
    decided = (site_pages.c.site == site) & site_pages.c.decision.is_not(None) & site_pages.c.settled.is_(False)
    connection.execute(update(site_pages).where(decided).values(settled=True))
    _trim(connection, site)


def forget(connection: Connection, site: str, before_run: int | None = None) -> int:
    """Deletes the memory of a site, with `before_run` that of earlier runs alone; returns how many pages."""
    site = site_column(f"http://{site}/")
    older: ColumnElement[bool] = true() if before_run is None else site_pages.c.run < before_run
    return connection.execute(delete(site_pages).where((site_pages.c.site == site) & older)).rowcount


def _trim(connection: Connection, site: str) -> None:
    """Deletes what is over MAX_BYTES, but for candidates."""
    total = connection.execute(select(func.sum(site_pages.c.size)).where(site_pages.c.site == site)).scalar()
    if total is None or total <= MAX_BYTES:
        return
    query = select(site_pages.c.fingerprint, site_pages.c.size).where(site_pages.c.site == site)
    rows = connection.execute(query.order_by(site_pages.c.fingerprint)).all()
    sizes = accumulate(row.size for row in rows)
    beyond = [row.fingerprint for row, size in zip(rows, sizes, strict=True) if size > MAX_BYTES]
    is_pending = exists().where(
        candidates.c.site == site_pages.c.site, candidates.c.fingerprint == site_pages.c.fingerprint
    )
    for chunk in chunked(beyond):
        too_many = (site_pages.c.site == site) & site_pages.c.fingerprint.in_(chunk) & ~is_pending
        connection.execute(delete(site_pages).where(too_many))
