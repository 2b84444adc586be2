from collections.abc import Iterator

import pytest

from newsextract.store import Store


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    with Store.open(database_url) as store:
        yield store


@pytest.fixture
def sqlite_store(sqlite_url: str) -> Iterator[Store]:
    with Store.open(sqlite_url) as store:
        yield store


@pytest.fixture
def postgresql_store(postgresql_url: str) -> Iterator[Store]:
    with Store.open(postgresql_url) as store:
        yield store
