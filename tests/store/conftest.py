"""Stores for tests. The migrations run once for each kind of database; each test gets a copy of the result."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from newsextract.store import Store
from tests.conftest import new_postgresql_database


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated SQLite database."""
    path = tmp_path_factory.mktemp("template") / "news.db"
    Store.open(f"sqlite:///{path}").close()
    return path


@pytest.fixture(scope="session")
def postgresql_template(postgresql_server: str) -> Iterator[str]:
    """The name of a migrated PostgreSQL database."""
    with new_postgresql_database(postgresql_server) as url:
        Store.open(url).close()
        yield urlsplit(url).path.strip("/")


@pytest.fixture
def migrated_sqlite_url(sqlite_template: Path, sqlite_url: str) -> str:
    """URL of an SQLite database with tables and nothing in them."""
    shutil.copy(sqlite_template, sqlite_url.removeprefix("sqlite:///"))
    return sqlite_url


@pytest.fixture
def migrated_postgresql_url(postgresql_server: str, postgresql_template: str) -> Iterator[str]:
    """URL of a PostgreSQL database with tables and nothing in them."""
    with new_postgresql_database(postgresql_server, postgresql_template) as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest) -> str:
    """Every test that takes this runs twice: on SQLite and on PostgreSQL, each with tables and nothing in them."""
    return str(request.getfixturevalue(f"migrated_{request.param}_url"))


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
