"""A whole database into another one, empty: from SQLite to PostgreSQL, back, or as a backup while a crawl writes.

The source is read as of one moment, row by row; the target gets all of it in one transaction or nothing. Leases do not
move: whoever held them works on the source, so what was leased waits in the target. Numbers of changes, places in files
of JSON lines and all else that others rely on are the same afterwards.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Table, delete, func, insert, literal, select, text

from newsextract.errors import DatabaseError
from newsextract.store.engine import Database, address
from newsextract.store.outcome import UrlState
from newsextract.store.schema import change_counter, metadata, sites, urls
from newsextract.store.store import Store

#: Rows that are read and written at once.
PORTION = 500

#: Called with a table's name, how many of its rows are copied, and how many there are.
Told = Callable[[str, int, int], None]


def copy_store(source: str, target: str, told: Told = lambda name, done, of: None) -> dict[str, int]:
    """Copies the database at one URL to another; returns how many rows of each table.

    DatabaseError where there is no source or the target is not empty. A file that was made for it goes if it fails.
    """
    file = address(target).path
    made = file if file is not None and not file.exists() else None
    with Store.open(source, must_exist=True, read_only=True) as there:
        try:
            with Store.open(target) as here:
                return _copy_all(there.database, here.database, told)
        except BaseException:
            if made is not None:
                _remove(made)
            raise


def _remove(file: Path) -> None:
    for ending in ("", "-wal", "-shm"):
        file.with_name(file.name + ending).unlink(missing_ok=True)


def _copy_all(source: Database, target: Database, told: Told) -> dict[str, int]:
    with source.reading() as reading, target.writing() as writing:
        for connection, database in ((reading, source), (writing, target)):
            if not database.is_sqlite:  # the one waits for the other
                connection.execute(text("SET LOCAL idle_in_transaction_session_timeout = 0"))
        _take(writing, target)
        counts = {table.name: _copy(reading, writing, table, told) for table in metadata.sorted_tables}
        if not target.is_sqlite:
            _count_on(writing)
    return counts


def _take(connection: Connection, target: Database) -> None:
    """Locks the target, and makes sure that there is nothing in it but the counter that every database begins with."""
    if not target.is_sqlite:
        names = ", ".join(table.name for table in metadata.sorted_tables)
        connection.execute(text(f"LOCK TABLE {names} IN SHARE ROW EXCLUSIVE MODE"))
    for table in metadata.sorted_tables:
        if table is not change_counter and connection.execute(select(literal(1)).select_from(table).limit(1)).first():
            raise DatabaseError(
                f"{target.name} is not empty: its table {table.name} has rows; copy into a database that is new"
            )
    connection.execute(delete(change_counter))


def _copy(reading: Connection, writing: Connection, table: Table, told: Told) -> int:
    total = reading.execute(select(func.count()).select_from(table)).scalar_one()
    done = 0
    told(table.name, done, total)
    for portion in _portions(reading, table):
        writing.execute(insert(table), portion)
        done += len(portion)
        told(table.name, done, total)
    return done


def _portions(connection: Connection, table: Table) -> Iterator[list[dict[str, Any]]]:
    rows = connection.execution_options(stream_results=True, max_row_buffer=PORTION).execute(select(table)).mappings()
    while portion := [_without_lease(table, row) for row in islice(rows, PORTION)]:
        yield portion


def _without_lease(table: Table, row: Mapping[Any, Any]) -> dict[str, Any]:
    values = {column.name: row[column] for column in table.columns}
    if table in (urls, sites):
        values |= {"lease_owner": None, "lease_until": None}
    if values.get("state") == UrlState.leased:
        values["state"] = UrlState.queued
    return values


def _count_on(connection: Connection) -> None:
    """PostgreSQL numbers new rows by a sequence, which knows nothing of numbers that were given."""
    for table in metadata.sorted_tables:
        column = table.autoincrement_column
        if column is not None:
            sequence = func.pg_get_serial_sequence(table.name, column.name)
            highest = select(func.max(column)).scalar_subquery()
            connection.execute(select(func.setval(sequence, highest)).where(highest.is_not(None)))
