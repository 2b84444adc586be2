"""Reference pages: fetched pages of articles that serve later runs as peers."""

import json
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime

import zstandard
from sqlalchemy import Connection, delete, select

from newsextract.items import FetchedPage, Listing
from newsextract.store.schema import peers
from newsextract.store.url_states import site_column
from newsextract.urls import site_of

#: Reference pages kept for each URL pattern of a site, the newest.
PER_PATTERN = 3
#: Reference pages read for one site: more than a site has templates.
PER_SITE = 60
LARGEST_PAGE = 32_000_000


def save(connection: Connection, pattern_pages: Iterable[tuple[str, FetchedPage]]) -> None:
    """Stores each page as a reference of its URL pattern, in place of an older copy; only PER_PATTERN are kept."""
    for pattern, page in pattern_pages:
        site = site_column(page.url)
        same = (peers.c.site == site) & (peers.c.pattern == pattern)
        connection.execute(delete(peers).where(same & (peers.c.url == page.url)))
        connection.execute(peers.insert().values(site=site, pattern=pattern, **_row(page)))
        kept = select(peers.c.id).where(same).order_by(peers.c.fetched_at.desc(), peers.c.id.desc()).limit(PER_PATTERN)
        ids = connection.execute(kept).scalars().all()
        connection.execute(delete(peers).where(same & peers.c.id.not_in(ids)))


def retire(connection: Connection, pages: Iterable[FetchedPage]) -> None:
    """Deletes reference pages; a newer one of the same URL stays."""
    for page in pages:
        same = (peers.c.site == site_column(page.url)) & (peers.c.url == page.url)
        connection.execute(delete(peers).where(same & (peers.c.fetched_at <= page.fetched_at)))


def remove(connection: Connection, url: str) -> None:
    """Deletes the reference page of a URL: it turned out to be no article's."""
    same = (peers.c.site == site_column(url)) & (peers.c.url == url)
    connection.execute(delete(peers).where(same))


def load(connection: Connection, site: str) -> list[FetchedPage]:
    """The reference pages of a site, newest first; a row that cannot be read is skipped."""
    query = select(peers).where(peers.c.site == site_column(f"http://{site}/"))
    rows = connection.execute(query.order_by(peers.c.fetched_at.desc()).limit(PER_SITE))
    return [page for row in rows if (page := decode_page(row.page, row.body)) is not None]


def encode_page(page: FetchedPage, level: int = 3) -> tuple[str, bytes]:
    """What was fetched, less the body, as JSON; and the body compressed, by zstandard at that level."""
    document = {
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
        "listing": page.listing and page.listing.to_dict(),
        "amp": page.amp,
    }
    return json.dumps(document), zstandard.ZstdCompressor(level=level).compress(page.body)


def decode_page(document: str, body: bytes) -> FetchedPage | None:
    """The page that `encode_page` was given; None where it cannot be read."""
    try:
        return _page(document, body)
    except (ValueError, TypeError, KeyError, zstandard.ZstdError):
        return None


def _row(page: FetchedPage) -> dict[str, object]:
    document, body = encode_page(page)
    return {"url": page.url, "page": document, "body": body, "fetched_at": page.fetched_at.astimezone(UTC)}


def _page(document: str, body: bytes) -> FetchedPage:
    values = json.loads(document)
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
        listing=Listing.from_dict(values.get("listing")),
        amp=values.get("amp"),
    )
    if not site_of(page.url):
        raise ValueError(page.url)
    return replace(page, template=frozenset(values["template"]))
