"""Reference pages: fetched pages of articles that serve later runs as peers."""

from collections.abc import Iterable
from datetime import UTC

from sqlalchemy import Connection, delete, select

from newsextract.items import FetchedPage
from newsextract.page_codec import decode_page, encode_page
from newsextract.store.schema import peers
from newsextract.store.url_states import site_column

#: Reference pages kept for each URL pattern of a site, the newest.
PER_PATTERN = 3
#: Reference pages read for one site: more than a site has templates.
PER_SITE = 60


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


def _row(page: FetchedPage) -> dict[str, object]:
    document, body = encode_page(page)
    return {"url": page.url, "page": document, "body": body, "fetched_at": page.fetched_at.astimezone(UTC)}
