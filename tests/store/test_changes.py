"""A reader of the change log misses no change, whatever writers do at the same time."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from sqlalchemy import event

from newsextract.store import PageOutcome, QueuedLink, Store, UrlState
from tests.store.conftest import on_both_databases
from tests.store.samples import count_url_states, outcome, signed, text


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


def at_once(url: str, writers: int, rounds: int, pages_of: Callable[[int, int], list[PageOutcome]]) -> list[str]:
    """Commits pages of so many writers, all at the same moment in each round; what kinds of changes these were."""
    start = threading.Barrier(writers)

    def write(number: int) -> list[str]:
        kinds = []
        with Store.open(url) as writer:
            for page in range(rounds):
                start.wait(300)
                kinds += [saved.kind for saved in writer.commit(pages_of(number, page))]
        return kinds

    with ThreadPoolExecutor(writers) as pool:
        futures = [pool.submit(write, number) for number in range(writers)]
        return [kind for future in futures for kind in future.result(300)]


@on_both_databases
def test_commit_by_four_writers_of_one_article_makes_one_article(database_url, store):
    urls = [f"https://example.org/{page}" for page in range(12)]

    def pages(number: int, _: int) -> list[PageOutcome]:
        return [outcome(url, f"{text(url)} {number}") for url in (urls if number % 2 else reversed(urls))]

    kinds = at_once(database_url, 4, 1, pages)
    assert (kinds.count("new"), kinds.count("changed")) == (12, 36)
    assert [row.article.version for row in store.articles()] == [4] * 12


@on_both_databases
def test_commit_of_sites_with_the_same_links_succeeds_for_all_writers(database_url, store):
    links = [QueuedLink(f"https://shared.example/{number}") for number in range(300)]

    def pages(number: int, page: int) -> list[PageOutcome]:
        some = links[page * 40 :] if number % 2 else links[::-1]
        return [outcome(f"https://site{number}.example/{page}", links=some)]

    at_once(database_url, 4, 5, pages)
    assert store.read(count_url_states) == {UrlState.queued: 300, UrlState.stored: 20}


@on_both_databases
def test_commit_is_repeated_after_a_deadlock(database_url, store):
    """Each stores a page that the other links to: one finds it locked by the other, whatever the order."""

    def pages(number: int, page: int) -> list[PageOutcome]:
        mine, theirs = (f"https://site{n}.example/{page}" for n in (number, 1 - number))
        return [outcome(mine, links=[QueuedLink(theirs)])]

    at_once(database_url, 2, 20, pages)
    assert store.read(count_url_states) == {UrlState.stored: 40}


@on_both_databases
def test_duplicate_stored_by_four_writers_has_one_original(database_url, store):
    def pages(number: int, page: int) -> list[PageOutcome]:
        return [signed(outcome(f"https://site{number}.example/{page}", text(("page", page), 80)))]

    at_once(database_url, 4, 5, pages)
    marks = {row.article.url: row.article.duplicate_of for row in store.articles()}
    for page in range(5):
        first, *others = [url for url in marks if url.endswith(f"/{page}")]
        assert [marks[url] for url in (first, *others)] == [None, first, first, first]
