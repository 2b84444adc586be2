"""Reading articles: each once, in its current state, in order of change."""

import json
import tracemalloc

from newsextract.store import Selection
from tests.store.conftest import on_both_databases
from tests.store.samples import outcome

A, B, C = (f"https://www.example.org/{name}" for name in "abc")


@on_both_databases
def test_articles_are_filtered_by_language_with_its_regions(store):
    spoken = {"en": "en", "en-GB": "en", "de": "de", "est": "est", None: None}
    urls = {f"https://example.org/{code}": code for code in spoken}
    store.commit([outcome(url, language=code) for url, code in urls.items()])
    assert [row.article.language for row in store.articles(languages=["EN"])] == ["en", "en-GB"]
    assert [row.article.language for row in store.articles(languages=["de", "est"])] == ["de", "est"]
    assert list(store.articles(languages=["%"])) == []


@on_both_databases
def test_snapshot_does_not_see_later_commits(store):
    store.commit([outcome(A), outcome(B)])
    with store.snapshot() as snapshot:
        store.commit([outcome(A, "new text"), outcome(C)])
        assert snapshot.cursor == 2
        assert [(row.article.url, row.change) for row in snapshot.select(Selection())] == [(A, 1), (B, 2)]
    assert [row.article.url for row in store.articles(since=2)] == [A, C]


@on_both_databases
def test_articles_iterator_closed_early_releases_its_connection(store):
    store.commit([outcome(f"https://example.org/{number}") for number in range(300)])
    for _ in range(40):  # more than there are connections
        rows = store.articles()
        next(rows)
        rows.close()
    assert len(list(store.articles())) == 300


@on_both_databases
def test_articles_are_read_in_constant_memory(store):
    store.commit([outcome(f"https://example.org/{number}", f"word{number} " * 3000) for number in range(300)])
    list(store.articles(until=10))
    tracemalloc.start()
    size = sum(len(row.article.article_body) for row in store.articles())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < size * 0.75


def test_to_json_is_one_line_to_every_reader(store):
    body = "a\u2028b\u2029c\x85d\ne\x1cf 新闻 🗞"
    store.commit([outcome(A, body)])
    [row] = store.articles()
    line = row.to_json()
    assert len(line.splitlines()) == 1 and "新闻 🗞" in line
    values = json.loads(line)
    assert values["article_body"] == body
    assert (values["change"], values["change_kind"], values["fetched_at"]) == (1, "new", "2025-03-01T12:00:00+00:00")
