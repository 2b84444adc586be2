"""Corrections by hand: new versions of articles with fields that no crawl, extraction or import overwrites.

A corrected field has the source `manual`, which is all that protects it (`with_manual_fields`). The table `corrections`
says who corrected what and why, and what the page says, so that a correction can be undone and a later change of the
page be shown. An article that a correction says is none is retracted, and stays so.
"""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, func, insert, select, tuple_, update

from newsextract.errors import WrongCall
from newsextract.items import Article
from newsextract.store.articles import ArticleRecord, read_records, version_row
from newsextract.store.changes import record_changes, take_numbers
from newsextract.store.duplicates import mark, release
from newsextract.store.engine import RowValues, chunked, database_now, execute_many, is_among, rows_in
from newsextract.store.leases import refuse_running
from newsextract.store.lookup import find_ids, ids_of
from newsextract.store.manual import MANUAL, manual_fields, recounted
from newsextract.store.schema import article_row, article_versions, articles, corrections

#: `not_article_because` of an article that a correction says is none.
BY_HAND = "by_hand"
#: Corrections that take a few seconds, for which a crawl waits. For more, it would wait longer than `LOCK_TIMEOUT`.
MANY = 10_000


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
    undone: bool = False

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


def correct(
    connection: Connection, corrected: Iterable[Correction], progress: Callable[[int], None] = lambda done: None
) -> list[int | None]:
    """Writes a new version for each correction; returns their change numbers, None where nothing differs.

    `progress`: called with how many are done. Raises WrongCall, and writes nothing, if one names no stored article or
    an article that wasn't corrected; DatabaseError for more than MANY during a crawl.
    """
    changes: list[int | None] = []
    for group in chunked(corrected):
        if len(changes) + len(group) > MANY:
            refuse_running(connection, "the database", "correct")
        changes += _correct_group(connection, group)
        progress(len(changes))
    return changes


def _correct_group(connection: Connection, group: Sequence[Correction]) -> list[int | None]:
    take_numbers(connection, 0)  # other writers wait, so that each new version is the last one
    now = database_now(connection)
    ids = find_ids(connection, (one.url for one in group))
    undone = {ids[one.url] for one in group if one.undo and one.url in ids}
    latest = latest_corrections(connection, ids.values())
    sources = _sources_before(connection, undone)
    corrected = {
        record.id: _Corrected(record, latest.get(record.id, {}), sources.get(record.id, {}))
        for record in read_records(connection, (), ids.values())
    }
    versions: list[_Version | None] = []
    for one in group:
        if one.url not in ids:
            raise WrongCall(f"{one.place}there is no article at {one.url}; only a stored article can be corrected")
        versions.append(corrected[ids[one.url]].add(one, now))
    retracted = {one.article for one in versions if one is not None and one.is_retraction}
    if retracted:
        release(connection, retracted, now, None)
        connection.execute(update(articles).where(articles.c.id.in_(retracted)).values(duplicate_of=None))
    written = [one for one in versions if one is not None]
    _compare_again(connection, [one for one in corrected.values() if one.has_returned], now)
    execute_many(connection, insert(article_versions), [one.row for one in written])
    execute_many(connection, insert(corrections), [row for one in written for row in one.fields])
    last = {one.article: one for one in written}
    rows = [{"which": number, **article_row(one.values)} for number, one in last.items()]
    execute_many(connection, update(articles).where(articles.c.id == bindparam("which")), rows)
    numbers = iter(record_changes(connection, [(one.article, one.values.version, one.kind) for one in written], now))
    return [None if one is None else next(numbers) for one in versions]


@dataclass(frozen=True, slots=True)
class _Version:
    """A version by hand: the rows to write, and its kind of change."""

    article: int
    values: Article
    row: RowValues
    fields: list[RowValues]
    kind: str
    is_retraction: bool


@dataclass(slots=True)
class _Corrected:
    """An article as its corrections make it, one after the other.

    `latest`: the last correction of each field; `sources`: the fields' sources before they were corrected;
    `was_retracted`: whether it wasn't an article at any time.
    """

    record: ArticleRecord
    latest: dict[str, CorrectedField]
    sources: Mapping[str, str | None]
    was_retracted: bool = False

    @property
    def has_returned(self) -> bool:
        """Whether it is an article again."""
        return self.was_retracted and self.record.article.is_article

    def add(self, correction: Correction, now: datetime) -> _Version | None:
        """The next version; None if nothing differs."""
        record, before = self.record, self.record.article
        by_hand = manual_fields(before)
        values = dict(correction.values)
        if correction.undo:
            values = {name: self.latest[name].page for name in by_hand if name in self.latest}
            if not values:
                at = f"the article at {correction.url}"
                raise WrongCall(f"{correction.place}{at} has no correction that could be undone")
        document = before.to_dict()
        after = Article.from_dict({**document, **values})
        after.sources = {**before.sources, **dict.fromkeys(values, MANUAL)}
        if correction.undo:
            after.sources = {name: source for name, source in after.sources.items() if name not in values}
            after.sources |= {name: source for name in values if (source := self.sources.get(name))}
        if "is_article" in values:
            after.not_article_because = None if after.is_article else BY_HAND
        after = replace(recounted(after), version=record.last_version + 1)
        if after.to_dict() == {**document, "version": after.version}:
            return None
        for name, value in values.items():
            earlier = self.latest[name] if name in self.latest and name in by_hand else None
            said = (earlier.replaced, earlier.page) if earlier else (document[name], document[name])
            made = CorrectedField(record.id, after.version, name, value, *said, correction.note, correction.by, now)
            self.latest[name] = replace(made, undone=correction.undo)
        is_retraction = before.is_article and not after.is_article
        self.was_retracted |= is_retraction or not before.is_article
        kind = record.change_kind if record.change_kind == "deleted" else "changed" if after.is_article else "retracted"
        row = version_row(record.id, after, record.page_hash)
        fields = [_row_of(self.latest[name]) for name in values]
        record.article, record.last_version, record.change_kind = after, after.version, kind
        return _Version(record.id, after, row, fields, kind, is_retraction)


def _compare_again(connection: Connection, returned: Iterable[_Corrected], now: datetime) -> None:
    """Finds what articles that were retracted are copies of, now that they are articles again."""
    from newsextract.near_duplicates import signature_of  # loads numpy

    present = {one.record.id: one.record.article for one in returned if one.record.change_kind != "deleted"}
    signed = {number: signature_of(article.article_body) for number, article in present.items()}
    texts = {number: text for number, text in signed.items() if text is not None}
    mark(connection, {number: present[number] for number in texts}, texts, texts, now)


def _sources_before(connection: Connection, ids: Collection[int]) -> dict[int, dict[str, str | None]]:
    """The sources of these articles' fields in the last version in which they weren't corrected, as far as kept."""
    columns = (article_versions.c.article, article_versions.c.version, article_versions.c.document)
    rows = rows_in(connection, select(*columns).order_by(article_versions.c.version), columns[0], ids)
    found: dict[int, dict[str, str | None]] = {}
    for number, _, document in rows:
        sources = json.loads(document)["sources"].items()
        found.setdefault(number, {}).update((name, source) for name, source in sources if source != MANUAL)
    return found


def note_pages(connection: Connection, extracted: Mapping[int, tuple[ArticleRecord, Article]]) -> None:
    """Notes what the pages of corrected articles say now; by article, as stored and as extracted."""
    by_hand = {number: manual_fields(record.article) for number, (record, _) in extracted.items()}
    latest = latest_corrections(connection, [number for number, names in by_hand.items() if names])
    rows = []
    for number, fields in latest.items():
        says = extracted[number][1].to_dict()
        for name in by_hand[number]:
            if name in fields and fields[name].page != says[name]:
                which = {"which": number, "of_version": fields[name].version, "of_field": name}
                rows.append({**which, "page": json.dumps(says[name])})
    is_own = (corrections.c.article == bindparam("which")) & (corrections.c.field == bindparam("of_field"))
    is_own &= corrections.c.version == bindparam("of_version")
    execute_many(connection, update(corrections).where(is_own), rows)


def latest_corrections(connection: Connection, ids: Iterable[int]) -> dict[int, dict[str, CorrectedField]]:
    """The last correction of each field of these articles, by article and field."""
    columns = (corrections.c.article, corrections.c.field)
    last = select(*columns, func.max(corrections.c.version)).group_by(*columns)
    last = last.where(is_among(connection, corrections.c.article))
    query = select(corrections).where(tuple_(*columns, corrections.c.version).in_(last))
    latest: dict[int, dict[str, CorrectedField]] = {}
    for one in map(_field_of, rows_in(connection, query, corrections.c.article, ids)):
        latest.setdefault(one.article, {})[one.field] = one
    return latest


def corrections_of(connection: Connection, ids: Iterable[int]) -> list[CorrectedField]:
    """The corrections of these articles, in order of their versions."""
    rows = rows_in(connection, select(corrections), corrections.c.article, ids)
    return sorted(map(_field_of, rows), key=lambda one: (one.article, one.version, one.field))


def corrections_at(connection: Connection, url: str) -> dict[int, list[CorrectedField]]:
    """The corrections of the article at a URL, by the versions that they made."""
    by_version: dict[int, list[CorrectedField]] = {}
    for one in corrections_of(connection, connection.scalars(ids_of(url))):
        by_version.setdefault(one.version, []).append(one)
    return by_version


def differing(connection: Connection, sites: Iterable[str] = ()) -> list[tuple[str, CorrectedField]]:
    """The corrected fields that differ from the page now, with its URL; of all sites, or of these."""
    chosen = [*sites]
    is_candidate = (corrections.c.page != corrections.c.replaced) & (corrections.c.page != corrections.c.value)
    query = select(articles.c.id, articles.c.url).join(corrections, corrections.c.article == articles.c.id)
    query = query.where(is_candidate, ~corrections.c.undone).distinct()
    rows = rows_in(connection, query, articles.c.site, chosen) if chosen else connection.execute(query)
    addresses = {row.id: row.url for row in rows}
    latest = latest_corrections(connection, addresses)
    fields = ((number, one) for number in sorted(latest) for one in latest[number].values())
    return [(addresses[number], one) for number, one in fields if one.differs and not one.undone]


#: The columns of `corrections` with values as JSON.
AS_JSON = ("value", "replaced", "page")


def _field_of(row: Any) -> CorrectedField:
    values = dict(row._mapping)
    return CorrectedField(**values | {name: json.loads(values[name]) for name in AS_JSON})


def _row_of(one: CorrectedField) -> RowValues:
    values = {column.name: getattr(one, column.name) for column in corrections.columns}
    return values | {name: json.dumps(values[name]) for name in AS_JSON}
