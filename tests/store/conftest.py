"""Stores for tests. The tables are made once for each kind of database; each test gets them empty.

That is a copy of the file of SQLite. Of PostgreSQL, where a copy costs more than most tests, it is the database of the
test before, emptied, or a new copy if that test has changed its tables.
"""

import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
from psycopg.sql import SQL, Identifier, Placeholder

from newsextract.store import Store
from tests.conftest import new_postgresql_database


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new SQLite database."""
    path = tmp_path_factory.mktemp("template") / "news.db"
    Store.open(f"sqlite:///{path}").close()
    return path


@pytest.fixture(scope="session")
def postgresql_template(postgresql_server: str) -> Iterator[str]:
    """The name of a new PostgreSQL database."""
    with new_postgresql_database(postgresql_server) as url:
        Store.open(url).close()
        yield urlsplit(url).path.strip("/")


#: Every relation of the database: other ones, or columns more or less, are a changed schema.
RELATIONS = "SELECT oid, relname, relnatts FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY oid"
TABLES = "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'"
WRITTEN_TABLES = f"{TABLES} AND pg_relation_size(oid) > 0"
END_OTHERS = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s AND pid <> pg_backend_pid()"


class ReusedDatabase:
    """A copy of a new PostgreSQL database for one test after the other."""

    def __init__(self, server: str, template: str) -> None:
        self.server, self.template = server, template
        self.copies = ExitStack()
        self.url = ""
        self.relations: list[Any] = []
        self.rows: dict[str, list[Any]] = {}

    def fresh_url(self) -> str:
        """The URL of the database, with the rows that a new one has."""
        if not self.url or not self._empty():
            self._copy()
        return self.url

    def _copy(self) -> None:
        self.copies.close()
        self.url = self.copies.enter_context(new_postgresql_database(self.server, self.template))
        with psycopg.connect(self.url, autocommit=True) as connection:
            self.relations = connection.execute(RELATIONS).fetchall()
            for (table,) in connection.execute(TABLES).fetchall():
                self.rows[table] = connection.execute(SQL("SELECT * FROM {}").format(Identifier(table))).fetchall()

    def _empty(self) -> bool:
        """Ends the connections of the test before and takes away its rows; False if it has changed the schema."""
        with psycopg.connect(self.url) as connection:
            connection.execute(END_OTHERS, [urlsplit(self.url).path.strip("/")])
            if connection.execute(RELATIONS).fetchall() != self.relations:
                return False
            written = [table for (table,) in connection.execute(WRITTEN_TABLES).fetchall()]
            names = SQL(", ").join(map(Identifier, written))
            connection.execute(SQL("TRUNCATE {} RESTART IDENTITY CASCADE").format(names))
            for table, rows in self.rows.items():
                for row in rows:
                    values = SQL(", ").join([Placeholder()] * len(row))
                    connection.execute(SQL("INSERT INTO {} VALUES ({})").format(Identifier(table), values), row)
        return True


@pytest.fixture(scope="session")
def reused_postgresql(postgresql_server: str, postgresql_template: str) -> Iterator[ReusedDatabase]:
    reused = ReusedDatabase(postgresql_server, postgresql_template)
    with reused.copies:
        yield reused


@pytest.fixture
def migrated_sqlite_url(sqlite_template: Path, sqlite_url: str) -> str:
    """URL of an SQLite database with tables and nothing in them."""
    shutil.copy(sqlite_template, sqlite_url.removeprefix("sqlite:///"))
    return sqlite_url


@pytest.fixture
def migrated_postgresql_url(reused_postgresql: ReusedDatabase) -> str:
    """URL of a PostgreSQL database with tables and nothing in them."""
    return reused_postgresql.fresh_url()


#: A test whose statements, types or locks the two databases treat in ways of their own, or that is the only one of a
#: statement, runs on both; others on SQLite.
on_both_databases = pytest.mark.parametrize("database_url", ["sqlite", "postgresql"], indirect=True)


@pytest.fixture
def database_url(request: pytest.FixtureRequest) -> str:
    """URL of a database with tables and nothing in them: of SQLite, if not `on_both_databases`."""
    return str(request.getfixturevalue(f"migrated_{getattr(request, 'param', 'sqlite')}_url"))


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_database_url(request: pytest.FixtureRequest) -> str:
    """The same without tables."""
    return str(request.getfixturevalue(f"{request.param}_url"))


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    with Store.open(database_url) as store:
        yield store


@pytest.fixture
def sqlite_store(migrated_sqlite_url: str) -> Iterator[Store]:
    with Store.open(migrated_sqlite_url) as store:
        yield store


@pytest.fixture
def postgresql_store(migrated_postgresql_url: str) -> Iterator[Store]:
    with Store.open(migrated_postgresql_url) as store:
        yield store
