"""What readers get: each article once, as it is now, in order of change."""

import json
import tracemalloc

import pytest

from newsextract.store import ArticleRow
from tests.store.samples import outcome, text

A, B, C = (f"https://www.example.org/{name}" for name in "abc")


def test_each_article_comes_once_in_its_present_state_in_order_of_change(store):
    store.commit([outcome(A), outcome(B), outcome(C)])
    store.commit([outcome(A, "new text")])
    rows = list(store.articles())
    assert [(row.article.url, row.change, row.change_kind) for row in rows] == [
        (B, 2, "new"),
        (C, 3, "new"),
        (A, 4, "changed"),
    ]
    assert rows[-1].article.article_body == "new text"


def test_going_on_from_the_cursor_gives_only_what_came_since(store):
    store.commit([outcome(A), outcome(B)])
    cursor = store.cursor()
    assert list(store.articles(since=cursor)) == []
    store.commit([outcome(B), outcome(C)])
    assert [row.article.url for row in store.articles(since=cursor)] == [C]


@pytest.mark.parametrize("site", ["example.org", "www.example.org", "https://www.example.org/any", "EXAMPLE.ORG"])
def test_only_the_sites_asked_for(store, site):
    store.commit([outcome(A), outcome("https://other.example/a")])
    assert [row.article.url for row in store.articles(sites=[site])] == [A]
    assert len(list(store.articles(sites=[site, "other.example"]))) == 2


def test_a_language_matches_its_regions_and_no_other_language(store):
    spoken = {"en": "en", "en-GB": "en", "de": "de", "est": "est", None: None}
    urls = {f"https://example.org/{code}": code for code in spoken}
    store.commit([outcome(url, language=code) for url, code in urls.items()])
    assert [row.article.language for row in store.articles(languages=["EN"])] == ["en", "en-GB"]
    assert [row.article.language for row in store.articles(languages=["de", "est"])] == ["de", "est"]
    assert list(store.articles(languages=["%"])) == []


def test_a_snapshot_stays_as_it_was_while_a_writer_goes_on(store):
    store.commit([outcome(A), outcome(B)])
    with store.snapshot() as snapshot:
        store.commit([outcome(A, "new text"), outcome(C)])
        assert snapshot.cursor == 2
        assert [(row.article.url, row.change) for row in snapshot.articles()] == [(A, 1), (B, 2)]
    assert [row.article.url for row in store.articles(since=2)] == [A, C]


def test_a_reader_that_stops_in_the_middle_holds_nothing(store):
    store.commit([outcome(f"https://example.org/{number}") for number in range(300)])
    for _ in range(40):  # more than there are connections
        rows = store.articles()
        next(rows)
        rows.close()
    assert len(list(store.articles())) == 300


def test_reading_takes_no_more_memory_for_more_articles(store):
    store.commit([outcome(f"https://example.org/{number}", text(number, 3000)) for number in range(300)])
    list(store.articles(until=10))
    tracemalloc.start()
    size = sum(len(row.article.article_body) for row in store.articles())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < size * 0.75


def test_a_line_is_one_line_to_every_reader_and_reads_back(store):
    body = "a\u2028b\u2029c\x85d\ne\x1cf 新闻 🗞"
    store.commit([outcome(A, body)])
    [row] = store.articles()
    line = row.to_json()
    assert len(line.splitlines()) == 1 and "新闻 🗞" in line
    values = json.loads(line)
    assert values["article_body"] == body
    assert (values["change"], values["change_kind"], values["fetched_at"]) == (1, "new", "2025-03-01T12:00:00+00:00")


def test_an_article_that_is_not_there_is_none(store):
    assert store.article("https://example.org/no") is None and store.url("https://example.org/no") is None


def test_a_row_is_what_it_says(store):
    store.commit([outcome(A)])
    [row] = store.articles()
    assert isinstance(row, ArticleRow) and row.article == store.article(A)
