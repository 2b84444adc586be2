"""The writer thread: many outcomes, few transactions; a future ends on disk or with the reason why not."""

import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
from sqlalchemy import event

from newsextract.errors import DatabaseError
from newsextract.store import Store, UrlState, Writer
from newsextract.store.lookup import count_articles
from newsextract.store.outcome import PageResponse
from tests.conftest import on_both_databases
from tests.store.samples import count_url_states, outcome


@on_both_databases
def test_writer_commits_outcomes_that_come_together_in_one_transaction(store):
    commits: list[object] = []
    event.listen(store.database.engine, "commit", commits.append)
    with closing(Writer(store, linger=30, group_size=20)) as writer:
        futures = [writer.submit(outcome(f"https://example.org/{number}")) for number in range(20)]
        assert [future.result(300).change for future in futures] == list(range(1, 21))
    assert len(commits) == 1


def test_writer_close_commits_what_was_submitted_by_any_thread_and_refuses_the_rest(store):
    writer = Writer(store, linger=30)
    urls = [f"https://example.org/{number}" for number in range(250)]
    with ThreadPoolExecutor(8) as pool:
        futures = list(pool.map(lambda url: writer.submit(outcome(url)), urls))
    writer.close()
    writer.close()
    assert sorted(future.result(0).change or 0 for future in futures) == list(range(1, 251))
    with pytest.raises(DatabaseError, match="too late"):
        writer.submit(outcome("https://example.org/late"))


@on_both_databases
def test_writer_stores_the_rest_of_a_group_with_bad_rows(store):
    with closing(Writer(store, linger=30, group_size=5)) as writer:
        group = [outcome(f"https://example.org/{number}") for number in range(5)]
        group[2].response = PageResponse(10**30)
        group[3].article.headline = object()
        futures = [writer.submit(one) for one in group]
        errors = [future.exception(300) for future in futures]
    assert [isinstance(error, DatabaseError) for error in errors] == [False, False, True, True, False]
    assert store.read(count_articles) == 3 and store.read(count_url_states) == {UrlState.stored: 3}


def test_writer_fails_a_group_at_once_if_the_database_is_locked(tmp_path, monkeypatch):
    monkeypatch.setattr("newsextract.store.engine.LOCK_TIMEOUT", 0.3)
    with Store.open(f"sqlite:///{tmp_path}/news.db") as store:
        attempts: list[object] = []
        other = sqlite3.connect(tmp_path / "news.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        event.listen(store.database.engine, "engine_connect", attempts.append)
        with closing(Writer(store, linger=30, group_size=10)) as writer:
            futures = [writer.submit(outcome(f"https://example.org/{number}")) for number in range(10)]
            assert all("has locked it" in str(future.exception(300)) for future in futures)
            other.close()
            again = [writer.submit(outcome(f"https://example.org/{number}")) for number in range(10)]
            assert [future.result(300).kind for future in again] == ["new"] * 10
        assert len(attempts) == 2


def test_writer_does_not_store_a_cancelled_outcome(store):
    block, entered = threading.Event(), threading.Event()

    def pause(_: object) -> None:
        entered.set()
        assert block.wait(300)

    event.listen(store.database.engine, "commit", pause)
    with closing(Writer(store, linger=0)) as writer:
        first = writer.submit(outcome("https://example.org/first"))
        assert entered.wait(300)
        second = writer.submit(outcome("https://example.org/second"))
        assert second.cancel()
        block.set()
    assert first.result(300).kind == "new" and store.article("https://example.org/second") is None
