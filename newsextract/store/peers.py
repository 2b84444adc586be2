"""Reference pages: a few of each template, whole, so that a later run has peers from its first page on."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime

import zstandard
from sqlalchemy import Connection, delete, select

from newsextract.items import FetchedPage
from newsextract.store.outcome import PageOutcome
from newsextract.store.schema import peers
from newsextract.store.url_states import chunked, site_column
from newsextract.urls import site_of

#: References kept for each pattern of a site, the newest.
PER_PATTERN = 3
#: References read for one site: more than a site has templates.
PER_SITE = 60
LARGEST_PAGE = 32_000_000


def save(connection: Connection, pattern_pages: Iterable[tuple[str, FetchedPage]]) -> None:
    """Keeps each page under its pattern; an older copy of it goes, and the oldest beyond PER_PATTERN."""
    for pattern, page in pattern_pages:
        site = site_column(page.url)
        place = (peers.c.site == site) & (peers.c.pattern == pattern) & peers.c.held.is_(False)
        connection.execute(delete(peers).where(place & (peers.c.url == page.url)))
        connection.execute(peers.insert().values(site=site, pattern=pattern, held=False, **_row(page)))
        kept = select(peers.c.id).where(place).order_by(peers.c.fetched_at.desc(), peers.c.id.desc()).limit(PER_PATTERN)
        ids = connection.execute(kept).scalars().all()
        connection.execute(delete(peers).where(place & peers.c.id.not_in(ids)))


def retire(connection: Connection, pages: Iterable[FetchedPage]) -> None:
    """Lets references go; a newer one of the same address stays."""
    for page in pages:
        place = (peers.c.site == site_column(page.url)) & (peers.c.url == page.url) & peers.c.held.is_(False)
        connection.execute(delete(peers).where(place & (peers.c.fetched_at <= page.fetched_at)))


def load(connection: Connection, site: str) -> list[FetchedPage]:
    """The references of a site, newest first; a row that can't be read is passed over."""
    query = select(peers).where((peers.c.site == site_column(f"http://{site}/")) & peers.c.held.is_(False))
    rows = connection.execute(query.order_by(peers.c.fetched_at.desc()).limit(PER_SITE))
    found = []
    for row in rows:
        try:
            found.append(_page(row.page, row.body))
        except (ValueError, TypeError, KeyError, zstandard.ZstdError):
            continue
    return found


def keep_pending(connection: Connection, outcomes: Sequence[PageOutcome]) -> None:
    """Keeps the pages that wait for a peer, and lets those go that went on."""
    for outcome in outcomes:
        if outcome.was_pending or outcome.pending_page is not None:
            place = (peers.c.site == site_column(outcome.url)) & peers.c.held.is_(True) & (peers.c.url == outcome.url)
            connection.execute(delete(peers).where(place))
        if outcome.pending_page is not None:
            row = {**_row(outcome.pending_page), "url": outcome.url}
            connection.execute(peers.insert().values(site=site_column(outcome.url), pattern="", held=True, **row))


def pending_pages(connection: Connection, urls: Iterable[str]) -> dict[str, FetchedPage]:
    """The held pages of these URLs; one that can't be read is passed over."""
    found = {}
    for some in chunked(urls):
        rows = connection.execute(select(peers).where(peers.c.held.is_(True), peers.c.url.in_(some)))
        for row in rows:
            try:
                found[str(row.url)] = _page(row.page, row.body)
            except (ValueError, TypeError, KeyError, zstandard.ZstdError):
                continue
    return found


def _row(page: FetchedPage) -> dict[str, object]:
    about = {
        "url": page.url,
        "encoding": page.encoding,
        "anchor_text": page.anchor_text,
        "discovered_from": page.discovered_from,
        "status": page.status,
        "etag": page.etag,
        "last_modified": page.last_modified,
        "page_hash": page.page_hash,
        "fetched_at": page.fetched_at.isoformat(),
        "template": sorted(page.template),
        "drop": page.drop,
    }
    body = zstandard.ZstdCompressor(level=3).compress(page.body)
    return {"url": page.url, "page": json.dumps(about), "body": body, "fetched_at": page.fetched_at.astimezone(UTC)}


def _page(about: str, body: bytes) -> FetchedPage:
    values = json.loads(about)
    page = FetchedPage(
        values["url"],
        zstandard.ZstdDecompressor().decompress(body, max_output_size=LARGEST_PAGE),
        datetime.fromisoformat(values["fetched_at"]),
        encoding=values["encoding"],
        anchor_text=values["anchor_text"],
        discovered_from=values.get("discovered_from"),
        status=values.get("status", 200),
        etag=values.get("etag"),
        last_modified=values.get("last_modified"),
        page_hash=values.get("page_hash"),
        drop=tuple(values.get("drop", ())),
    )
    if not site_of(page.url):
        raise ValueError(page.url)
    return replace(page, template=frozenset(values["template"]))
