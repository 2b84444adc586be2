"""Reading articles: each once, in order of change, and no change is missed, whatever writers do at the same time."""

import json
import threading
import tracemalloc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from sqlalchemy import event

from newsextract.store import PageOutcome, QueuedLink, Selection, Store, UrlState
from tests.store.samples import count_url_states, outcome, signed, text

ON_BOTH_DATABASES = True


def test_cursor_never_passes_a_change_that_is_not_committed(database_url, store):
    """Two writers: the first is between number and commit, the second tries to commit meanwhile."""
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


def test_commit_by_four_writers_of_one_article_makes_one_article(database_url, store):
    urls = [f"https://example.org/{page}" for page in range(12)]

    def pages(number: int, _: int) -> list[PageOutcome]:
        return [outcome(url, f"{text(url)} {number}") for url in (urls if number % 2 else reversed(urls))]

    kinds = at_once(database_url, 4, 1, pages)
    assert (kinds.count("new"), kinds.count("changed")) == (12, 36)
    assert [row.article.version for row in store.articles()] == [4] * 12


def test_commit_is_repeated_after_a_deadlock(database_url, store):
    """Each stores a page that the other links to: one finds it locked by the other, whatever the order."""

    def pages(number: int, page: int) -> list[PageOutcome]:
        mine, theirs = (f"https://site{n}.example/{page}" for n in (number, 1 - number))
        return [outcome(mine, links=[QueuedLink(theirs)])]

    at_once(database_url, 2, 20, pages)
    assert store.read(count_url_states) == {UrlState.stored: 40}


def test_duplicate_stored_by_four_writers_has_one_original(database_url, store):
    def pages(number: int, page: int) -> list[PageOutcome]:
        return [signed(outcome(f"https://site{number}.example/{page}", text(("page", page), 80)))]

    at_once(database_url, 4, 5, pages)
    marks = {row.article.url: row.article.duplicate_of for row in store.articles()}
    for page in range(5):
        first, *others = [url for url in marks if url.endswith(f"/{page}")]
        assert [marks[url] for url in (first, *others)] == [None, first, first, first]


A, B, C = (f"https://www.example.org/{name}" for name in "abc")


def test_articles_are_filtered_by_language_with_its_regions(store):
    spoken = {"en": "en", "en-GB": "en", "de": "de", "est": "est", None: None}
    urls = {f"https://example.org/{code}": code for code in spoken}
    store.commit([outcome(url, language=code) for url, code in urls.items()])
    assert [row.article.language for row in store.articles(languages=["EN"])] == ["en", "en-GB"]
    assert [row.article.language for row in store.articles(languages=["de", "est"])] == ["de", "est"]
    assert list(store.articles(languages=["%"])) == []


def test_snapshot_does_not_see_later_commits(store):
    store.commit([outcome(A), outcome(B)])
    with store.snapshot() as snapshot:
        store.commit([outcome(A, "new text"), outcome(C)])
        assert snapshot.cursor == 2
        assert [(row.article.url, row.change) for row in snapshot.select(Selection())] == [(A, 1), (B, 2)]
    assert [row.article.url for row in store.articles(since=2)] == [A, C]


def test_articles_iterator_closed_early_releases_its_connection(store):
    store.commit([outcome(f"https://example.org/{number}") for number in range(300)])
    for _ in range(40):  # more than there are connections
        rows = store.articles()
        next(rows)
        rows.close()
    assert len(list(store.articles())) == 300


def test_articles_are_read_in_constant_memory(store):
    store.commit([outcome(f"https://example.org/{number}", f"word{number} " * 3000) for number in range(300)])
    list(store.articles(until=10))
    tracemalloc.start()
    size = sum(len(row.article.article_body) for row in store.articles())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < size * 0.75


def test_to_json_is_one_line_to_every_reader(store):
    body = "a\u2028b\u2029c\x85d\ne\x1cf 新闻 — Ürün 🗞"
    store.commit([outcome(A, f"{body}\0\ud800")])
    [row] = store.articles()
    line = row.to_json()
    assert len(line.splitlines()) == 1 and "新闻 — Ürün 🗞" in line
    values = json.loads(line)
    assert values["article_body"] == f"{body}��"
    assert (values["change"], values["change_kind"], values["fetched_at"]) == (1, "new", "2025-03-01T12:00:00+00:00")
