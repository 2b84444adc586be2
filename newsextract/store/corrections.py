"""Corrections by hand: new versions of articles with fields that no crawl, extraction or import overwrites.

A corrected field has the source `manual`, which is all that protects it (`with_manual_fields`). The table `corrections`
says who corrected what and why, and what the page says, so that a correction can be undone and a later change of the
page be shown. An article that a correction says is none is retracted, and stays so.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, insert, select, update

from newsextract.errors import WrongCall
from newsextract.items import Article
from newsextract.store.articles import ArticleRecord, read_records, version_row
from newsextract.store.changes import record_changes
from newsextract.store.duplicates import release
from newsextract.store.engine import database_now, rows_in
from newsextract.store.lookup import ids_of
from newsextract.store.manual import MANUAL, manual_fields, recounted
from newsextract.store.schema import article_row, article_versions, articles, corrections

#: `not_article_because` of an article that a correction says is none.
BY_HAND = "by_hand"


@dataclass(frozen=True, slots=True)
class Correction:
    """What to correct of the article at a URL, by field; `undo`: take all its corrections back instead.

    `place`: what a sentence about it begins with, such as a line of a file.
    """

    url: str
    values: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""
    by: str = ""
    undo: bool = False
    place: str = ""


@dataclass(frozen=True, slots=True)
class CorrectedField:
    """A row of `corrections`: a version has `value` by hand; `replaced`: the page's value then; `page`: its last."""

    article: int
    version: int
    field: str
    value: Any
    replaced: Any
    page: Any
    note: str
    by: str
    at: datetime
    undone: bool

    @property
    def differs(self) -> bool:
        """Whether the page has come to say something else than when it was corrected, and than the correction."""
        return bool(self.page != self.replaced and self.page != self.value)

    @property
    def sentence(self) -> str:
        """Who did what and why, and what the page says."""
        done = "correction taken back" if self.undone else "corrected by hand"
        who, why = f" by {self.by}" if self.by else "", f" ({self.note})" if self.note else ""
        page = f"; the page said {self.replaced!r}" + (f", and says {self.page!r} now" if self.differs else "")
        return f"{done}{who}: {self.field} is {self.value!r}{why}{'' if self.undone else page}"


def correct(connection: Connection, corrected: Iterable[Correction]) -> list[int | None]:
    """Writes a new version for each correction; returns their change numbers, None where nothing differs.

    Raises WrongCall, and writes nothing, if one names no stored article or an article that wasn't corrected.
    """
    return [_correct(connection, one) for one in corrected]


def _correct(connection: Connection, correction: Correction) -> int | None:
    record = next(iter(read_records(connection, (), connection.scalars(ids_of(correction.url)).all()[:1])), None)
    if record is None:
        raise WrongCall(
            f"{correction.place}there is no article at {correction.url}; only a stored article can be corrected"
        )
    now = database_now(connection)
    before = record.article
    values = dict(correction.values)
    latest = latest_corrections(connection, record.id)
    if correction.undo:
        values = {name: latest[name].page for name in manual_fields(before) if name in latest}
        if not values:
            raise WrongCall(f"{correction.place}the article at {correction.url} has no correction that could be undone")
    documents = {name: before.to_dict()[name] for name in values}
    after = Article.from_dict({**before.to_dict(), **values})
    after.sources = {**before.sources, **dict.fromkeys(values, MANUAL)}
    if correction.undo:
        after.sources = {name: source for name, source in after.sources.items() if name not in values}
        after.sources |= {f: s for f, s in _sources_before(connection, record.id, values).items() if s}
    if "is_article" in values:
        after.not_article_because = None if after.is_article else BY_HAND
    after = replace(recounted(after), version=record.last_version + 1)
    if after.to_dict() == {**before.to_dict(), "version": after.version}:
        return None
    was_gone, is_gone = not before.is_article, not after.is_article
    if is_gone and not was_gone:
        release(connection, {record.id}, now, None)
        connection.execute(update(articles).where(articles.c.id == record.id).values(duplicate_of=None))
    connection.execute(insert(article_versions).values(version_row(record.id, after, record.page_hash)))
    connection.execute(update(articles).where(articles.c.id == record.id).values(article_row(after)))
    shared = {"article": record.id, "version": after.version, "note": correction.note, "by": correction.by, "at": now}
    rows = []
    for name, value in values.items():
        earlier = latest[name] if name in latest and name in manual_fields(before) else None
        replaced, page = (earlier.replaced, earlier.page) if earlier else (documents[name], documents[name])
        texts = {"value": json.dumps(value), "replaced": json.dumps(replaced), "page": json.dumps(page)}
        rows.append({**shared, **texts, "field": name, "undone": correction.undo})
    connection.execute(insert(corrections), rows)
    kind = record.change_kind if record.change_kind == "deleted" else "retracted" if is_gone else "changed"
    return record_changes(connection, [(record.id, after.version, kind)], now)[0]


def _sources_before(connection: Connection, article: int, names: Iterable[str]) -> dict[str, str | None]:
    """The sources that the fields had in the last version before they were corrected, as far as it is kept."""
    query = select(article_versions.c.document).where(article_versions.c.article == article)
    wanted, found = set(names), dict[str, str | None]()
    for document in connection.scalars(query.order_by(article_versions.c.version.desc())):
        sources = json.loads(document)["sources"]
        for name in [name for name in wanted if sources.get(name) != MANUAL]:
            found[name] = sources.get(name)
            wanted.discard(name)
    return found


def note_pages(connection: Connection, extracted: Mapping[int, tuple[ArticleRecord, Article]]) -> None:
    """Notes what the pages of corrected articles say now; by article, as stored and as extracted."""
    for number, (record, article) in extracted.items():
        says = article.to_dict()
        latest = latest_corrections(connection, number)
        for name in manual_fields(record.article):
            if name in latest and latest[name].page != says[name]:
                which = (corrections.c.article == number) & (corrections.c.field == name)
                which &= corrections.c.version == latest[name].version
                connection.execute(update(corrections).where(which).values(page=json.dumps(says[name])))


def latest_corrections(connection: Connection, article: int) -> dict[str, CorrectedField]:
    """The last correction of each field of an article."""
    return {one.field: one for one in corrections_of(connection, [article])}


def corrections_of(connection: Connection, ids: Iterable[int]) -> list[CorrectedField]:
    """The corrections of these articles, in order of their versions."""
    rows = rows_in(connection, select(corrections), corrections.c.article, ids)
    return sorted(map(_row, rows), key=lambda one: (one.article, one.version, one.field))


def corrections_at(connection: Connection, url: str) -> dict[int, list[CorrectedField]]:
    """The corrections of the article at a URL, by the versions that they made."""
    by_version: dict[int, list[CorrectedField]] = {}
    for one in corrections_of(connection, connection.scalars(ids_of(url))):
        by_version.setdefault(one.version, []).append(one)
    return by_version


def differing(connection: Connection, sites: Iterable[str] = ()) -> list[tuple[str, CorrectedField]]:
    """The corrected fields that differ from the page now, with its URL; of all sites, or of these."""
    chosen = {*sites}
    query = select(articles.c.id, articles.c.url, articles.c.site)
    query = query.join(corrections, corrections.c.article == articles.c.id)
    found = {row.id: row for row in connection.execute(query.distinct()) if not chosen or row.site in chosen}
    latest = {(one.article, one.field): one for one in corrections_of(connection, found)}
    return [(found[number].url, one) for (number, _), one in latest.items() if one.differs and not one.undone]


def _row(row: Any) -> CorrectedField:
    values = dict(row._mapping)
    return CorrectedField(**values | {name: json.loads(values[name]) for name in ("value", "replaced", "page")})
