"""Removed articles: they never come back, and readers with a cursor hear of it."""

import json

import pytest

from newsextract.export.exporter import Exporter
from newsextract.export.formats import JsonLines
from newsextract.reasons import REMOVED_TEXT, UrlState
from newsextract.store import QueuedLink
from newsextract.store.admin import check_integrity, remove_articles
from newsextract.store.frontier import find_url
from newsextract.store.histories import Cursor
from newsextract.store.lookup import Selection, find_article
from newsextract.store.outcome import RequestedUrl
from newsextract.store.schema import articles, urls
from newsextract.store.store import Store
from tests.conftest import on_both_databases
from tests.store.samples import later, outcome, signed, text

STORY = "https://courier.example/named-in-court"


def stored(store: Store) -> set[str]:
    return {row.article.url for row in store.articles()}


@pytest.fixture
def removed(store: Store) -> Store:
    store.commit([outcome(STORY), outcome("https://courier.example/ferry")])
    assert store.write(remove_articles, STORY)[0] == 1
    return store


@pytest.mark.parametrize(
    ("url", "canonical"),
    [
        (STORY, None),
        ("http://www.courier.example/named-in-court/?utm_source=a", None),
        ("https://courier.example/m/named-in-court", STORY),
        ("https://courier.example/print/4711", None),
    ],
)
def test_removed_article_stays_away_under_any_url(removed, url, canonical):
    again = outcome(url, text(STORY), canonical=canonical)
    [result] = removed.commit([again])
    assert result.article is None and again.state == UrlState.refused
    assert stored(removed) == {"https://courier.example/ferry"}


@pytest.mark.parametrize("path", ["named-in-court", "2026/court"])
def test_removed_article_stays_away_at_the_host_to_which_its_site_moves(removed, path):
    again = outcome(f"https://new.example/{path}", text(STORY) if path[0] == "2" else "The court has decided.")
    again.former_site = "courier.example"
    removed.commit([again])
    assert again.state == UrlState.refused and stored(removed) == {"https://courier.example/ferry"}


#: What a page shows at another URL, under another headline, of a removed text of 60 words.
AGAIN = {
    "whole": lambda body: body,
    "one word corrected": lambda body: " ".join(["Correction", *body.split()[1:]]),
    "cut": lambda body: " ".join(body.split()[:40]),
    "with a lead": lambda body: f"{text('lead', 20)}\n{body}",
}


@pytest.mark.parametrize("marks_copies", [True, False])
@pytest.mark.parametrize("edit", AGAIN)
def test_removed_text_stays_away_under_another_headline(removed, edit, marks_copies):
    url = "https://courier.example/2026/neighbour"
    again = outcome(url, AGAIN[edit](text(STORY)), headline="A neighbour before the judge")
    again.links = [QueuedLink(url, "A neighbour before the judge", meta={"listing": {"authors": ["Mara Ibsen"]}})]
    again.requested = RequestedUrl(revisit=True)
    removed.commit([signed(again) if marks_copies else again])
    row = removed.read(find_url, url)
    assert (row.state, row.reason) == (UrlState.refused, REMOVED_TEXT) and row.next_due is not None
    assert row.anchor_text is None and row.meta is None
    assert stored(removed) == {"https://courier.example/ferry"}


def test_story_that_quotes_a_removed_one_is_stored(removed):
    words = text(STORY).split()
    bodies = [f"{text('comment')}\n{text(STORY)}", f"{text('b')}\n{' '.join(words[:30])}\n{text('c')}"]
    removed.commit([outcome(f"https://courier.example/comment-{len(body)}", body, headline="Why") for body in bodies])
    assert len(stored(removed)) == 3


@on_both_databases
def test_removed_article_stays_away_with_an_earlier_text(store):
    for day, body in enumerate((text("first"), text("second")), 1):
        store.commit([outcome(STORY, body, at=later(24 * day))])
    store.write(remove_articles, STORY)
    store.commit([outcome("https://courier.example/other", text("first"), headline="Another one")])
    assert stored(store) == set()


@pytest.mark.parametrize("body", ["Read the whole story in our app.", text("wall", 40)], ids=["short", "of many"])
def test_text_that_identifies_no_article_keeps_no_other_one_away(store, body):
    urls = [f"https://courier.example/{name}" for name in ("bridge", "mill", "ferry", "market")]
    store.commit([signed(outcome(url, body, headline=url[-6:])) for url in urls[:3]])
    store.write(remove_articles, urls[0])
    store.commit([outcome(urls[3], body, headline="Market"), outcome(f"{urls[0]}-again", body, headline="bridge"[-6:])])
    assert stored(store) == {*urls[1:]}


@on_both_databases
def test_same_text_at_another_url_of_the_site_is_removed_with_it_and_copies_of_others_stay(store):
    urls = [STORY, "https://courier.example/print/4711", "https://b.example/court"]
    for url in urls:
        store.commit([signed(outcome(url, text("story"), headline=url))])
    assert store.write(remove_articles, STORY) == (2, 2)
    assert stored(store) == {urls[2]} and store.read(check_integrity) == []


def test_another_story_is_stored_at_once_and_the_same_text_of_another_site_too(removed):
    removed.commit([outcome("https://courier.example/mill"), outcome("https://b.example/court", text(STORY))])
    assert len(stored(removed)) == 3


def test_reader_with_a_cursor_hears_of_a_removal_in_order_and_a_new_one_does_not(removed):
    removed.commit([outcome("https://courier.example/mill")])
    with removed.snapshot() as snapshot:
        [line] = snapshot.removed(Selection(since=2))
        assert not [*snapshot.removed(Selection(sites=["b.example"]))]
        assert not [*snapshot.removed(Selection(since=3))]
    assert (line.article.url, line.change, line.change_kind) == (STORY, 3, "removed")
    assert line.article.headline is None and not line.article.article_body


def test_export_from_a_cursor_has_a_line_for_a_removal(removed, tmp_path):
    with (tmp_path / "lines").open("wb") as stream:
        _, cursor = Exporter(removed, Selection(), JsonLines(stream))(Cursor(1))
        Exporter(removed, Selection(), JsonLines(stream))(cursor)
    lines = [json.loads(line) for line in (tmp_path / "lines").read_text("utf-8").splitlines()]
    assert [(line["url"], line["change_kind"]) for line in lines] == [
        ("https://courier.example/ferry", "new"),
        (STORY, "removed"),
    ]


def test_nothing_of_a_removed_article_stays_but_its_url(removed):
    with removed.database.reading() as connection:
        for table in (articles, urls):
            for row in connection.execute(table.select()):
                assert "Headline" not in str(row) or "named-in-court" not in str(row)
    assert removed.read(find_article, STORY) is None
