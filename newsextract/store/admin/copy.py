"""Copies a database into an empty one: from SQLite to PostgreSQL, back, or as a backup while a crawl writes.

The source is read as of one moment, in batches; the target gets everything in one transaction or nothing. Leases are
not copied, because their owners work on the source: leased URLs are queued in the target. Change numbers, offsets in
files of JSON lines and all else that others rely on stay the same.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Table, delete, func, insert, literal, select, text

from newsextract.errors import DatabaseError
from newsextract.reasons import UrlState
from newsextract.store.engine import Database, parse_database_url
from newsextract.store.schema import change_counter, metadata, sites, urls
from newsextract.store.store import Store

#: Rows read and written at once.
BATCH = 500

#: Called with a table's name, how many of its rows are copied, and how many it has.
ProgressCallback = Callable[[str, int, int], None]


def copy_store(source: str, target: str, progress: ProgressCallback = lambda name, done, of: None) -> dict[str, int]:
    """Copies the database at one URL to another; returns the number of rows of each table.

    DatabaseError if there is no source or the target is not empty. A file created for the target is removed on failure.
    """
    file = parse_database_url(target).path
    created = file if file is not None and not file.exists() else None
    with Store.open(source, must_exist=True, read_only=True) as source_store:
        try:
            with Store.open(target) as target_store:
                return _copy_all(source_store.database, target_store.database, progress)
        except BaseException:
            if created is not None:
                _remove(created)
            raise


def _remove(file: Path) -> None:
    for ending in ("", "-wal", "-shm"):
        file.with_name(file.name + ending).unlink(missing_ok=True)


def _copy_all(source: Database, target: Database, progress: ProgressCallback) -> dict[str, int]:
    with source.reading() as reading, target.writing() as writing:
        for connection, database in ((reading, source), (writing, target)):
            if not database.is_sqlite:  # reader and writer wait for each other
                connection.execute(text("SET LOCAL idle_in_transaction_session_timeout = 0"))
        _lock_empty(writing, target)
        counts = {table.name: _copy(reading, writing, table, progress) for table in metadata.sorted_tables}
        if not target.is_sqlite:
            _advance_sequences(writing)
    return counts


def _lock_empty(connection: Connection, target: Database) -> None:
    """Locks the target; DatabaseError if it holds more than the counter that every new database has."""
    if not target.is_sqlite:
        names = ", ".join(table.name for table in metadata.sorted_tables)
        connection.execute(text(f"LOCK TABLE {names} IN SHARE ROW EXCLUSIVE MODE"))
    for table in metadata.sorted_tables:
        if table is not change_counter and connection.execute(select(literal(1)).select_from(table).limit(1)).first():
            raise DatabaseError(
                f"{target.name} is not empty: its table {table.name} has rows; copy into a database that is new"
            )
    connection.execute(delete(change_counter))


def _copy(reading: Connection, writing: Connection, table: Table, progress: ProgressCallback) -> int:
    total = reading.execute(select(func.count()).select_from(table)).scalar_one()
    done = 0
    progress(table.name, done, total)
    for batch in _batches(reading, table):
        writing.execute(insert(table), batch)
        done += len(batch)
        progress(table.name, done, total)
    return done


def _batches(connection: Connection, table: Table) -> Iterator[list[dict[str, Any]]]:
    rows = connection.execution_options(stream_results=True, max_row_buffer=BATCH).execute(select(table)).mappings()
    while batch := [_without_lease(table, row) for row in islice(rows, BATCH)]:
        yield batch


def _without_lease(table: Table, row: Mapping[Any, Any]) -> dict[str, Any]:
    values = {column.name: row[column] for column in table.columns}
    if table in (urls, sites):
        values |= {"lease_owner": None, "lease_until": None}
    if values.get("state") == UrlState.leased:
        values["state"] = UrlState.queued
    return values


def _advance_sequences(connection: Connection) -> None:
    """Sets PostgreSQL's sequences past the highest copied ids, which were inserted without them."""
    for table in metadata.sorted_tables:
        column = table.autoincrement_column
        if column is not None:
            sequence = func.pg_get_serial_sequence(table.name, column.name)
            highest = select(func.max(column)).scalar_subquery()
            connection.execute(select(func.setval(sequence, highest)).where(highest.is_not(None)))
