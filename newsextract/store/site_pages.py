"""Pages of a site that are kept between crawls: summaries of all, candidates, and references for pairing.

`site_pages` is the memory of a site: the summary of each page and the decision on it, limited in bytes. `candidates`
are pages that were fetched, and perhaps extracted, but are decided later (`crawl.settle`). Both are written in the
transaction that ends the lease of the page's URL, so a waiting page is never lost, and never fetched twice.
"""

import json
from collections.abc import Iterable, Sequence
from datetime import UTC
from itertools import accumulate

from sqlalchemy import ColumnElement, Connection, Table, delete, exists, func, select, true, union, update

from newsextract.items import Article, FetchedPage
from newsextract.page_codec import decode_page, encode_page
from newsextract.reasons import GONE
from newsextract.store.articles import as_document
from newsextract.store.engine import RowValues, chunked, upsert
from newsextract.store.links import REDIRECTED
from newsextract.store.outcome import Candidate, PageOutcome, SitePage
from newsextract.store.schema import LONGEST_SITE, candidates, fingerprint, peers, site_column, site_pages, urls

# ---- the memory ------------------------------------------------------------------------------------------------------

#: Bytes of summaries kept per site, about 2,000 pages: those with the lowest fingerprints, a sample that doesn't depend
#: on the order of the pages.
MAX_BYTES = 2_000_000
#: Pages that are read at a time to find what exceeds that: about as many as a commit adds.
TRIMMED = 100


def save_site_pages(connection: Connection, outcomes: Sequence[PageOutcome]) -> None:
    """Writes the summaries of the outcomes' pages, replacing older ones of the same URL."""
    rows: dict[str, RowValues] = {}
    for outcome in outcomes:
        if (page := outcome.site_page) is not None:
            row = _row_of(outcome, size=len(page.summary), settled=False)
            names = ("fetched_at", "peer_url", "summary", "decision")
            rows[row["fingerprint"]] = row | {name: getattr(page, name) for name in names}
    upsert(connection, site_pages, [rows[key] for key in sorted(rows)])
    for site in sorted({str(row["site"]) for row in rows.values()}):
        _trim(connection, site)


def save_decision(connection: Connection, page: SitePage) -> None:
    """Writes another decision on a page that is known."""
    known = _is_of(site_pages, site_column(page.url)) & (site_pages.c.fingerprint == page.fingerprint)
    connection.execute(update(site_pages).where(known).values(decision=page.decision))


def _row_of(outcome: PageOutcome, **values: object) -> RowValues:
    """The columns that say which page a row is about, and others."""
    own = {"site": site_column(outcome.url), "fingerprint": fingerprint(outcome.url), "url": outcome.url}
    return {**own, "run": outcome.run, **values}


def _is_of(table: Table, site: str) -> ColumnElement[bool]:
    return table.c.site == site[:LONGEST_SITE]


def load_site_pages(connection: Connection, site: str, which: ColumnElement[bool] | None = None) -> list[SitePage]:
    """The memory of a site, or those of its pages that meet the condition, ordered by fingerprint."""
    columns = [site_pages.c[name] for name in SitePage.__dataclass_fields__ if name in site_pages.c]
    of_url = [func.coalesce(urls.c[name], "").label(name) for name in ("reason", "anchor_text")]
    is_target = func.coalesce(urls.c.meta, "").contains(REDIRECTED).label("is_target")
    query = select(*columns, *of_url, is_target).select_from(site_pages)
    query = query.outerjoin(urls, urls.c.fingerprint == site_pages.c.fingerprint)
    query = query.where(_is_of(site_pages, site), true() if which is None else which)
    rows = connection.execute(query.order_by(site_pages.c.fingerprint)).mappings()
    return [SitePage(**row) for row in rows]


def sample(pages: Iterable[SitePage]) -> list[SitePage]:
    """The pages of a site, in the order of `load`, from which its profile is built: as many as fit in MAX_BYTES."""
    listed = [*pages]
    sizes = accumulate(len(page.summary) for page in listed)
    return [page for page, size in zip(listed, sizes, strict=True) if size <= MAX_BYTES]


def settle_site(connection: Connection, site: str) -> None:
    """Makes the current decisions on the pages of a site stand for later runs."""
    decided = site_pages.c.decision.is_not(None) & site_pages.c.settled.is_(False)
    connection.execute(update(site_pages).where(_is_of(site_pages, site), decided).values(settled=True))
    _trim(connection, site)


def forget_site_pages(connection: Connection, site: str) -> int:
    """Deletes the memory of a site; returns how many pages."""
    return connection.execute(delete(site_pages).where(_is_of(site_pages, site))).rowcount


def _trim(connection: Connection, site: str) -> None:
    """Deletes what exceeds MAX_BYTES, except candidates."""
    of_site, key = _is_of(site_pages, site), site_pages.c.fingerprint
    total = connection.execute(select(func.sum(site_pages.c.size)).where(of_site)).scalar()
    if total is None or total <= MAX_BYTES:
        return
    beyond = []
    last_first = select(key, site_pages.c.size).where(of_site).order_by(key.desc())
    with connection.execute(last_first.execution_options(yield_per=TRIMMED)) as rows:
        for fingerprint_of_page, size in rows:
            if total <= MAX_BYTES:
                break
            beyond.append(fingerprint_of_page)
            total -= size
    is_pending = exists().where(candidates.c.site == site_pages.c.site, candidates.c.fingerprint == key)
    for chunk in chunked(beyond):
        connection.execute(delete(site_pages).where(of_site, key.in_(chunk), ~is_pending))


# ---- candidates ------------------------------------------------------------------------------------------------------


def save_candidates(connection: Connection, outcomes: Sequence[PageOutcome]) -> None:
    """Writes the candidates of the outcomes, and deletes those that are settled or fetched again."""
    rows: dict[str, RowValues] = {}
    done: dict[str, str] = {}
    for outcome in outcomes:
        key = fingerprint(outcome.url)
        if (candidate := outcome.candidate) is not None:
            document, body = encode_page(candidate.page)
            article = None if candidate.article is None else as_document(candidate.article)
            confidence = candidate.text_confidence
            rows[key] = _row_of(outcome, article=article, text_confidence=confidence, page=document, body=body)
        elif outcome.settles or outcome.site_page is not None:
            done[key] = site_column(outcome.url)
    upsert(connection, candidates, [rows[key] for key in sorted(rows)])
    for chunk in chunked(sorted(done.keys() - rows.keys())):
        which = candidates.c.site.in_({done[key] for key in chunk}) & candidates.c.fingerprint.in_(chunk)
        connection.execute(delete(candidates).where(which))


def pending_pages(connection: Connection, site: str) -> dict[str, SitePage | None]:
    """The memory of a site's candidates, by URL; None for one that was not extracted yet."""
    query = select(candidates.c.fingerprint, candidates.c.url).where(_is_of(candidates, site))
    pending = connection.execute(query.order_by(candidates.c.fingerprint)).all()
    is_pending = site_pages.c.fingerprint.in_(query.with_only_columns(candidates.c.fingerprint))
    known = {page.fingerprint: page for page in load_site_pages(connection, site, is_pending)}
    return {url: known.get(key) for key, url in pending}


def find_candidate(connection: Connection, url: str) -> Candidate | None:
    """The candidate of a URL; None if there is none, or its page can't be read."""
    of_url = (candidates.c.site == site_column(url)) & (candidates.c.fingerprint == fingerprint(url))
    row = connection.execute(select(candidates).where(of_url)).one_or_none()
    if row is None or (page := decode_page(row.page, row.body)) is None:
        return None
    article = None if row.article is None else Article.from_dict(json.loads(row.article))
    return Candidate(page, article, row.text_confidence)


def sites_to_settle(connection: Connection, run: int) -> list[str]:
    """The sites of a run with pending pages, with pages decided on part of the run's pages only, or with articles that
    were gone."""
    pending = select(candidates.c.site).where(candidates.c.run == run)
    early = select(site_pages.c.site).where(site_pages.c.run == run, site_pages.c.settled.is_(False))
    gone = select(urls.c.site).where(urls.c.run == run, urls.c.reason.in_(GONE), urls.c.article.is_not(None))
    return sorted(connection.scalars(union(pending, early, gone)))


# ---- references ------------------------------------------------------------------------------------------------------

#: Reference pages kept for each URL pattern of a site, the newest.
PER_PATTERN = 3
#: Reference pages read for one site: more than a site has templates.
PER_SITE = 60


def save_peers(connection: Connection, pattern_pages: Iterable[tuple[str, FetchedPage]]) -> None:
    """Stores each page as a reference of its URL pattern, replacing an older copy; only PER_PATTERN are kept."""
    for pattern, page in pattern_pages:
        site = site_column(page.url)
        same = (peers.c.site == site) & (peers.c.pattern == pattern)
        connection.execute(delete(peers).where(same & (peers.c.url == page.url)))
        document, body = encode_page(page)
        values = {"url": page.url, "page": document, "body": body, "fetched_at": page.fetched_at.astimezone(UTC)}
        connection.execute(peers.insert().values(site=site, pattern=pattern, **values))
        kept = select(peers.c.id).where(same).order_by(peers.c.fetched_at.desc(), peers.c.id.desc()).limit(PER_PATTERN)
        ids = connection.scalars(kept).all()
        connection.execute(delete(peers).where(same & peers.c.id.not_in(ids)))


def remove_peer(connection: Connection, url: str) -> None:
    """Deletes the reference page of a URL that turned out not to be an article."""
    same = (peers.c.site == site_column(url)) & (peers.c.url == url)
    connection.execute(delete(peers).where(same))


def load_peers(connection: Connection, site: str) -> list[FetchedPage]:
    """The reference pages of a site, newest first; a row that cannot be read is skipped."""
    query = select(peers).where(_is_of(peers, site)).order_by(peers.c.fetched_at.desc()).limit(PER_SITE)
    return [page for row in connection.execute(query) if (page := decode_page(row.page, row.body)) is not None]
