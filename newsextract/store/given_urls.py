"""What became of given URLs: an article, or why there is none."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, Row, select

from newsextract.reasons import GONE_KINDS, UrlState, label_of
from newsextract.store.engine import rows_in
from newsextract.store.links import REDIRECTED
from newsextract.store.outcome import OPEN
from newsextract.store.schema import articles, fingerprint, urls

NOT_FETCHED = "not fetched yet"
#: What to say of an article whose last change is of this kind.
GONE = {"deleted": "its article was deleted", "retracted": "its article was retracted: it isn't one"}


def without_article(connection: Connection, given: Sequence[str]) -> dict[str, str]:
    """The URLs that have no article now, each with the reason in words, in their order.

    A URL that redirects is judged by the page that it leads to.
    """
    by_key = {fingerprint(url): url for url in given}
    rows = _rows(connection, by_key)
    redirected = {key for key, row in rows.items() if row.state == UrlState.redirected and row.article is None}
    targets = _targets(connection, redirected) if redirected else {}
    reasons = {by_key[key]: _reason(targets.get(key, rows.get(key))) for key in by_key}
    return {url: reasons[url] for url in given if reasons.get(url)}


def _rows(connection: Connection, keys: Iterable[str]) -> dict[str, Row[*tuple[Any, ...]]]:
    columns = (urls.c.fingerprint, urls.c.state, urls.c.reason, urls.c.article, articles.c.change_kind)
    query = select(*columns).outerjoin(articles, articles.c.id == urls.c.article)
    return {row.fingerprint: row for row in rows_in(connection, query, urls.c.fingerprint, keys)}


def _targets(connection: Connection, redirected: set[str]) -> dict[str, Row[*tuple[Any, ...]]]:
    """The rows of the pages that these URLs redirect to, by the URLs' fingerprints."""
    query = select(urls.c.fingerprint, urls.c.meta).where(urls.c.meta.contains(f'"{REDIRECTED}"', autoescape=True))
    query = query.where(urls.c.state != UrlState.redirected)
    origins = {
        key: [one for one in map(fingerprint, json.loads(meta)[REDIRECTED]) if one in redirected]
        for key, meta in connection.execute(query)
    }
    rows = _rows(connection, (key for key, found in origins.items() if found))
    return {origin: rows[key] for key, found in origins.items() for origin in found}


def _reason(row: Row[*tuple[Any, ...]] | None) -> str:
    """Why there is no article at a URL; "" if there is one."""
    if row is None or (row.state in OPEN and row.article is None):
        return NOT_FETCHED
    if row.article is not None and row.change_kind is not None:
        return GONE.get(row.change_kind, "") if row.change_kind in GONE_KINDS else ""
    return label_of(row.reason) or row.state
