"""A reader of the change log misses no change, whatever writers do at the same time."""

import threading
from concurrent.futures import ThreadPoolExecutor

from sqlalchemy import event

from newsextract.items import Link
from newsextract.store import Store, UrlState
from tests.store.conftest import on_both_databases
from tests.store.samples import bodies, count_url_states, outcome, text


@on_both_databases
def test_cursor_never_passes_a_change_that_is_not_committed(database_url, store):
    """Two writers: the first stands between number and commit, the second wants to commit meanwhile."""
    with Store.open(database_url) as slow, Store.open(database_url) as quick, ThreadPoolExecutor() as pool:
        numbered, go_on = threading.Event(), threading.Event()

        def pause(_: object) -> None:
            numbered.set()
            assert go_on.wait(300)

        event.listen(slow.database.engine, "commit", pause)
        first = pool.submit(slow.commit, [outcome("https://example.org/slow")])
        assert numbered.wait(300)
        second = pool.submit(quick.commit, [outcome("https://example.org/quick")])
        seen = store.cursor()
        assert [row.change for row in store.articles()] == [] and seen == 0
        assert not second.done()
        go_on.set()
        assert (first.result(300)[0].change, second.result(300)[0].change) == (1, 2)
        assert [row.change for row in store.articles(since=seen)] == [1, 2]


@on_both_databases
def test_changes_followed_while_eight_writers_write_miss_nothing(database_url, store):
    def write(number: int) -> None:
        with Store.open(database_url) as writer:
            for page in range(6):
                writer.commit([outcome(f"https://example.org/{number}/{page}"), outcome("https://example.org/shared")])

    followed: list[str] = []
    with ThreadPoolExecutor(8) as pool:
        writing = [pool.submit(write, number) for number in range(8)]
        cursor = 0
        while True:
            done = all(future.done() for future in writing)
            for row in store.changes(cursor, 5):
                assert row.change > cursor
                cursor = row.change
                followed.append(row.article.url)
            if done and cursor == store.cursor():
                break
        for future in writing:
            future.result()
    assert sorted(followed) == sorted(bodies(store)) and len(followed) == 49


@on_both_databases
def test_commit_by_four_writers_of_one_article_makes_one_article(database_url, store):
    start = threading.Barrier(4)

    def write(number: int) -> list[str]:
        with Store.open(database_url) as writer:
            start.wait(300)
            urls = [f"https://example.org/{page}" for page in range(12)]
            group = [outcome(url, text(url) + f" {number}") for url in (urls if number % 2 else reversed(urls))]
            return [saved.kind for saved in writer.commit(group)]

    with ThreadPoolExecutor(4) as pool:
        kinds = [kind for future in [pool.submit(write, number) for number in range(4)] for kind in future.result(300)]
    assert (kinds.count("new"), kinds.count("changed")) == (12, 36)
    assert [row.article.version for row in store.articles()] == [4] * 12


@on_both_databases
def test_commit_of_sites_with_the_same_links_succeeds_for_all_writers(database_url, store):
    links = [Link(f"https://shared.example/{number}") for number in range(300)]
    start = threading.Barrier(4)

    def write(number: int) -> None:
        with Store.open(database_url) as writer:
            for page in range(5):
                some = links[page * 40 :] if number % 2 else links[::-1]
                start.wait(300)
                writer.commit([outcome(f"https://site{number}.example/{page}", links=some)])

    with ThreadPoolExecutor(4) as pool:
        for future in [pool.submit(write, number) for number in range(4)]:
            future.result(300)
    assert store.read(count_url_states) == {UrlState.queued: 300, UrlState.stored: 20}


@on_both_databases
def test_commit_is_repeated_after_a_deadlock(database_url, store):
    """Each stores a page that the other links to: one finds it locked by the other, whatever the order."""
    start = threading.Barrier(2)

    def write(number: int) -> None:
        with Store.open(database_url) as writer:
            for page in range(20):
                mine, theirs = (f"https://site{n}.example/{page}" for n in (number, 1 - number))
                start.wait(300)
                writer.commit([outcome(mine, links=[Link(theirs)])])

    with ThreadPoolExecutor(2) as pool:
        for future in [pool.submit(write, number) for number in range(2)]:
            future.result(300)
    assert store.read(count_url_states) == {UrlState.stored: 40}
