"""Merges articles of another database: which is which here, their versions and corrections, copies among all.

An article is the same if its key is, or if a URL of it leads to an article here with a like text. Versions that this
database lacks are added behind its own. The one that was fetched last is the present one, with what was corrected by
hand on either side.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import chain
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, insert, select, update

from newsextract.items import Article
from newsextract.reasons import GONE_KINDS
from newsextract.store import duplicates
from newsextract.store.articles import (
    ArticleRecord,
    as_document,
    key_hash,
    read_records,
    version_row,
)
from newsextract.store.changes import record_changes
from newsextract.store.engine import RowValues, add_missing, execute_many, rows_in
from newsextract.store.former_urls import Rename, record_renames
from newsextract.store.identity import is_other_body
from newsextract.store.manual import manual_fields, recounted
from newsextract.store.names import RemovedNames
from newsextract.store.removals import Text, find_removals
from newsextract.store.schema import (
    article_row,
    article_versions,
    articles,
    changes,
    corrections,
    signatures,
    urls,
)

if TYPE_CHECKING:
    from newsextract.near_duplicates import Signature  # loads numpy

EARLIEST = datetime.min.replace(tzinfo=UTC)
#: Fields of a version that depend on the database.
OF_DATABASE = ("version", "duplicate_of", "first_seen_at")


@dataclass
class MergedBatch:
    """`here`: the ids of the other database's articles here, by those there; how many were new, changed, known, or left
    out because they were removed here."""

    here: dict[int, int] = field(default_factory=dict)
    new: int = 0
    changed: int = 0
    known: int = 0
    left_out: int = 0


@dataclass
class _Their:
    """An article of the other database with its versions and their page hashes, its corrections, its last change."""

    record: ArticleRecord
    versions: list[tuple[Article, str | None]]
    corrections: list[RowValues]
    changed_at: datetime
    run: int | None
    signature: "Signature | None" = None

    @property
    def is_gone(self) -> bool:
        return self.record.change_kind in GONE_KINDS


def merge_batch(
    reading: Connection,
    writing: Connection,
    ids: Sequence[int],
    known_runs: Mapping[int, int],
    names: RemovedNames,
    now: datetime,
) -> MergedBatch:
    """Merges the articles with these ids of the other database, without the names that were taken out."""
    theirs = _read(reading, ids, known_runs, names)
    own = _match(reading, writing, theirs)
    records = [one.record for one in theirs.values()]
    found = {number: _texts_of(one) for number, one in theirs.items()}
    removed = find_removals(writing, [key_hash(one.key) for one in records], [*chain.from_iterable(found.values())])
    batch, texts, present = MergedBatch(), dict[int, "Signature"](), dict[int, Article]()
    written, log = list[tuple[_Their, int]](), list[tuple[int, int, str, int | None]]()
    for number, one in theirs.items():
        mine = own.get(number)
        if mine is None and (
            removed.has_key([key_hash(one.record.key)])
            or any(removed.has_text(text) or removed.has_like(text) for text in found[number])
        ):
            batch.left_out += 1
            continue
        if mine is None:
            mine_id = _insert(writing, one)
            present[mine_id] = one.record.article
            written.append((one, mine_id))
            kind = one.record.change_kind if one.is_gone else "new"
            log.append((mine_id, one.record.article.version, kind, one.run))
            batch.new += 1
        else:
            mine_id = mine.id
            article, kind = _combine(writing, mine, one, now)
            batch.changed += kind != ""
            batch.known += kind == ""
            if kind:
                log.append((mine_id, article.version, kind, one.run))
            if kind in GONE_KINDS and mine.change_kind not in GONE_KINDS:
                duplicates.release(writing, {mine_id}, now)
            elif kind and article.article_body != mine.article.article_body:
                present[mine_id] = article
        if mine_id in present and one.signature is not None and kind not in GONE_KINDS:
            texts[mine_id] = one.signature
        batch.here[number] = mine_id
    known = present.keys() - {mine_id for _, mine_id in written}
    duplicates.mark(writing, {key: present[key] for key in {*texts, *known}}, texts, known, now)
    for one, mine_id in written:
        _write_versions(writing, one, mine_id)
    by_run: defaultdict[int | None, list[tuple[int, int, str]]] = defaultdict(list)
    for mine_id, version, kind, run in log:
        by_run[run].append((mine_id, version, kind))
    for run, entries in by_run.items():
        record_changes(writing, entries, now, run)
    return batch


def _read(
    reading: Connection, ids: Sequence[int], known_runs: Mapping[int, int], names: RemovedNames
) -> dict[int, _Their]:
    from newsextract.near_duplicates import Signature  # loads numpy

    versions: defaultdict[int, list[tuple[Article, str | None]]] = defaultdict(list)
    corrected: defaultdict[int, list[RowValues]] = defaultdict(list)
    for row in rows_in(reading, select(article_versions), article_versions.c.article, ids):
        versions[row.article].append((names.without(Article.from_dict(json.loads(row.document))), row.page_hash))
    for row in rows_in(reading, select(corrections), corrections.c.article, ids):
        values = dict(row._mapping)
        for name in ("value", "replaced", "page") if row.field == "authors" else ():
            values[name] = json.dumps(names.without(Article("", authors=json.loads(values[name]))).authors)
        corrected[row.article].append(values)
    last = {
        row.article: row for row in sorted(rows_in(reading, select(changes), changes.c.article, ids), key=_change_of)
    }
    texts = dict(rows_in(reading, select(signatures.c.article, signatures.c.signature), signatures.c.article, ids))
    theirs = {}
    for record in sorted(read_records(reading, (), ids), key=lambda record: record.id):
        change = last.get(record.id)
        record.article = names.without(record.article)
        ordered = sorted(versions[record.id], key=lambda pair: pair[0].version)
        at, run = (change.at, known_runs.get(change.run)) if change is not None else (record.last_seen_at, None)
        stored = texts.get(record.id)
        signature = Signature.from_bytes(stored) if stored else None
        theirs[record.id] = _Their(record, ordered, corrected[record.id], at, run, signature)
    return theirs


def _texts_of(one: _Their) -> list[Text]:
    """The texts of an article's versions; only of the present one with its signature."""
    from newsextract.near_duplicates import signature_of  # loads numpy

    present = one.record.article
    hashes = {article.content_hash for article, _ in one.versions} - {present.content_hash}
    signature = one.signature or signature_of(present.article_body)
    return [Text(present.site, present.content_hash, signature), *(Text(present.site, key) for key in sorted(hashes))]


def _change_of(row: Any) -> int:
    number: int = row.change
    return number


def _match(reading: Connection, writing: Connection, theirs: Mapping[int, _Their]) -> dict[int, ArticleRecord]:
    """The articles here that are those of the other database, by the ids there."""
    by_key = {one.key: one for one in read_records(writing, [one.record.key for one in theirs.values()], ())}
    matched = {number: by_key[one.record.key] for number, one in theirs.items() if one.record.key in by_key}
    open_ids = theirs.keys() - matched.keys()
    led = select(urls.c.fingerprint, urls.c.article)
    leads = {row.fingerprint: row.article for row in rows_in(reading, led, urls.c.article, open_ids)}
    found = [row for row in rows_in(writing, led, urls.c.fingerprint, leads) if row.article is not None]
    here = {one.id: one for one in read_records(writing, (), {row.article for row in found})}
    taken = {one.id for one in matched.values()}
    for row in sorted(found, key=lambda row: row.fingerprint):
        number, mine = leads[row.fingerprint], here.get(row.article)
        if number in matched or mine is None or mine.id in taken:
            continue
        if not is_other_body(mine.article.article_body, theirs[number].record.article.article_body):
            matched[number] = mine
            taken.add(mine.id)
    return matched


def _insert(writing: Connection, one: _Their) -> int:
    """Adds an article without its versions, as no copy; its change number is a placeholder that none else has."""
    record = one.record
    record.article = replace(record.article, duplicate_of=None)
    row = {"key": record.key, "key_hash": key_hash(record.key), "last_seen_at": record.last_seen_at}
    values = {**article_row(record.article), **row, "change": -record.id, "change_kind": record.change_kind}
    return int(writing.execute(insert(articles).values(values).returning(articles.c.id)).scalar_one())


def _write_versions(writing: Connection, one: _Their, number: int) -> None:
    """Adds the versions of a new article as they are; the present one says which article it is a copy of here."""
    present = one.record.article
    versions = ((present if article.version == present.version else article, page) for article, page in one.versions)
    execute_many(writing, insert(article_versions), [version_row(number, article, page) for article, page in versions])
    execute_many(writing, insert(corrections), [{**row, "article": number} for row in one.corrections])


def _combine(writing: Connection, mine: ArticleRecord, one: _Their, now: datetime) -> tuple[Article, str]:
    """Adds the versions that the article here lacks; returns its present state and the kind of change, "" if none."""
    query = select(article_versions).order_by(article_versions.c.version.desc())
    own = [*rows_in(writing, query, article_versions.c.article, [mine.id])]
    numbers, added = _new_versions(mine, own, one)
    execute_many(writing, insert(article_versions), added)
    known = {(row.field, row.at) for row in rows_in(writing, select(corrections), corrections.c.article, [mine.id])}
    rows = [row for row in one.corrections if (row["field"], row["at"]) not in known]
    add_missing(writing, corrections, [{**row, "article": mine.id, "version": numbers[row["version"]]} for row in rows])
    article, kind = _present(writing, mine, one, numbers)
    values: RowValues = {"last_seen_at": max(mine.last_seen_at, one.record.last_seen_at)}
    if kind:
        values |= article_row(article)
        record_renames(writing, [Rename(mine.article.url, article.url, mine.id)], now)
    writing.execute(update(articles).where(articles.c.id == mine.id).values(values))
    return article, kind


def _new_versions(mine: ArticleRecord, own: Collection[Any], one: _Their) -> tuple[dict[int, int], list[RowValues]]:
    """The numbers here of the other database's versions, by those there, and the rows of those that are new.

    A text that is there already is no new version, unless it was corrected or retracted, or came back.
    """
    documents = {_plain(row.document): row.version for row in own}  # the first of equal ones
    texts = {row.content_hash: row.version for row in own if json.loads(row.document)["is_article"]}
    corrected = {row["version"] for row in one.corrections}
    theirs = one.record.article
    comes_back = _is_newer(theirs, mine.article) and not _has_same_text(theirs, mine.article)
    comes_back |= mine.change_kind in GONE_KINDS and not one.is_gone
    numbers, added = dict[int, int](), list[RowValues]()
    for article, page_hash in one.versions:
        is_own = bool(manual_fields(article)) or article.version in corrected or not article.is_article
        is_own |= comes_back and article.version == theirs.version
        plain = _plain(as_document(article))
        present = documents.get(plain)
        if present is None and not is_own:
            present = texts.get(article.content_hash)
        if present is None:
            mine.last_version += 1
            present = mine.last_version
            added.append(version_row(mine.id, _as_here(article, mine, present), page_hash))
            documents.setdefault(plain, present)
            texts.setdefault(article.content_hash, present)
        numbers[article.version] = present
    return numbers, added


def _plain(document: str) -> str:
    """A version without what depends on its database, to be compared."""
    values = {name: value for name, value in json.loads(document).items() if name not in OF_DATABASE}
    return json.dumps(values, sort_keys=True)


def _as_here(article: Article, mine: ArticleRecord, version: int) -> Article:
    """An article of the other database as a version of this one."""
    own = mine.article
    seen = min(filter(None, (own.first_seen_at, article.first_seen_at)), default=None)
    return replace(article, version=version, duplicate_of=own.duplicate_of, first_seen_at=seen)


def _is_newer(first: Article, second: Article) -> bool:
    return (first.fetched_at or EARLIEST) > (second.fetched_at or EARLIEST)


def _has_same_text(first: Article, second: Article) -> bool:
    return first.content_hash == second.content_hash


def _present(writing: Connection, mine: ArticleRecord, one: _Their, numbers: Mapping[int, int]) -> tuple[Article, str]:
    """The article here after the merge, and the kind of change; writes a version if it is neither side's."""
    theirs, own = one.record.article, mine.article
    was_gone = mine.change_kind in GONE_KINDS
    if one.is_gone:
        if was_gone or mine.last_seen_at > one.changed_at:  # it was seen here since
            return own, ""
        if one.record.change_kind == "deleted":
            return own, "deleted"
        return _as_here(theirs, mine, numbers[theirs.version]), one.record.change_kind
    if was_gone:
        ended, is_deleted = _ended_at(writing, mine.id), mine.change_kind == "deleted"
        seen = one.record.last_seen_at if is_deleted else theirs.fetched_at or EARLIEST
        if seen <= ended or "is_article" in manual_fields(own):
            return own, ""
    article = _with_corrections(writing, mine, theirs)
    is_as_before = _has_same_text(article, own) and _by_hand(article) == _by_hand(own)
    if is_as_before and not was_gone:
        return own, ""
    if _plain(as_document(article)) == _plain(as_document(theirs)):
        return _as_here(theirs, mine, numbers[theirs.version]), "changed"
    mine.last_version += 1
    article = _as_here(article, mine, mine.last_version)
    writing.execute(insert(article_versions).values(version_row(mine.id, article, None)))
    return article, "changed"


def _by_hand(article: Article) -> dict[str, Any]:
    values = article.to_dict()
    return {name: values[name] for name in sorted(manual_fields(article))}


def _with_corrections(writing: Connection, mine: ArticleRecord, theirs: Article) -> Article:
    """The side that was fetched last, each field as it was corrected last, on either side, or not at all."""
    sides = (theirs, mine.article) if _is_newer(theirs, mine.article) else (mine.article, theirs)
    rows = rows_in(writing, select(corrections), corrections.c.article, [mine.id])
    latest = {row.field: row for row in sorted(rows, key=lambda row: (row.at, row.version))}
    article = sides[0]
    for name in sorted({*manual_fields(mine.article), *manual_fields(theirs)}):
        row = latest.get(name)
        if row is not None and row.undone:
            chosen = next((side for side in sides if name not in manual_fields(side)), sides[0])
        else:
            by_hand = [side for side in sides if name in manual_fields(side)]
            same = (side for side in by_hand if row is not None and side.to_dict()[name] == json.loads(row.value))
            chosen = next(same, by_hand[0])
        sources = {**article.sources, name: chosen.sources.get(name)}
        kept = {name: getattr(chosen, name)}
        if name == "is_article":
            kept["not_article_because"] = chosen.not_article_because
        article = replace(article, **kept, sources={key: source for key, source in sources.items() if source})
    return recounted(article)


def _ended_at(writing: Connection, number: int) -> datetime:
    query = select(changes.c.at).join(articles, articles.c.change == changes.c.change)
    return writing.execute(query.where(articles.c.id == number)).scalar() or EARLIEST
