"""Stores for tests. The tables are made once for each kind of database; each test gets them empty: of SQLite a copy of
the file, of PostgreSQL, where a copy costs more than most tests, the database of the test before without its rows.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from newsextract.store import Store
from newsextract.store.migrations import REVISION
from tests.conftest import new_postgresql_database


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory) -> Path:
    """A new SQLite database."""
    path = tmp_path_factory.mktemp("template") / "news.db"
    Store.open(f"sqlite:///{path}").close()
    return path


@pytest.fixture(scope="session")
def migrated_postgresql(postgresql_server) -> Iterator[str]:
    """A PostgreSQL database that has tables."""
    with new_postgresql_database(postgresql_server) as url:
        Store.open(url).close()
        yield url


WRITTEN_TABLES = """SELECT string_agg(relname, ', ') FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND pg_relation_size(oid) > 0"""
END_OTHERS = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s AND pid <> pg_backend_pid()"


@pytest.fixture
def migrated_sqlite_url(sqlite_template, sqlite_url) -> str:
    """URL of an SQLite database with tables and nothing in them."""
    shutil.copy(sqlite_template, sqlite_url.removeprefix("sqlite:///"))
    return sqlite_url


@pytest.fixture
def migrated_postgresql_url(migrated_postgresql) -> str:
    """URL of a PostgreSQL database with tables and nothing in them: that of the test before, emptied."""
    with psycopg.connect(migrated_postgresql) as connection:
        connection.execute(END_OTHERS, [connection.info.dbname])
        [written] = connection.execute(WRITTEN_TABLES).fetchone() or [""]
        connection.execute(f"TRUNCATE {written} RESTART IDENTITY CASCADE")
        connection.execute("INSERT INTO change_counter VALUES (1, 0)")
        connection.execute("INSERT INTO newsextract_schema VALUES (%s)", [REVISION])
    return migrated_postgresql


#: A test whose statements, types or locks the two databases treat in ways of their own, or that is the only one of a
#: statement, runs on both; others on SQLite.
on_both_databases = pytest.mark.parametrize("database_url", ["sqlite", "postgresql"], indirect=True)
on_postgresql = pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)


@pytest.fixture
def database_url(request) -> str:
    """URL of a database with tables and nothing in them: of SQLite, if not `on_both_databases`."""
    return str(request.getfixturevalue(f"migrated_{getattr(request, 'param', 'sqlite')}_url"))


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_database_url(request) -> str:
    """The same without tables."""
    return str(request.getfixturevalue(f"{request.param}_url"))


@pytest.fixture
def store(database_url) -> Iterator[Store]:
    with Store.open(database_url) as store:
        yield store
