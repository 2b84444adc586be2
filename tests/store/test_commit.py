"""What one commit does to articles, versions and URL states; new versions from a re-extraction."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from sqlalchemy import ColumnElement, func, select

from newsextract.items import Article, FetchedPage, Image
from newsextract.near_duplicates import signature_of
from newsextract.store import PageOutcome, QueuedLink, Store, UrlState
from newsextract.store.admin import remove_articles
from newsextract.store.articles import ArticleRecord
from newsextract.store.endings import believe_gone
from newsextract.store.frontier import find_url
from newsextract.store.lookup import count_articles, find_versions
from newsextract.store.outcome import PageResponse
from newsextract.store.revisions import NewVersion, present_versions, revise
from newsextract.store.schema import article_versions, articles
from tests.conftest import on_both_databases
from tests.examples import examples
from tests.store.samples import NOON, bodies, count_url_states, delete, later, outcome, signed, text

STORY = "https://www.example.org/news/story"


def gone(url: str, hours: float, status: int = 410, **fields: Any) -> PageOutcome:
    return PageOutcome(url, UrlState.failed, f"http_{status}", response=PageResponse(status), at=later(hours), **fields)


def scalar(store: Store, column: ColumnElement[Any]) -> Any:
    return store.read(lambda connection: connection.execute(select(column)).scalar_one())


@on_both_databases
def test_commit_of_another_text_adds_a_version_and_one_of_the_same_text_none(store):
    [first] = store.commit([outcome(STORY, "first text", at=later(5))])
    assert (first.kind, first.article.version, first.change) == ("new", 1, 1)
    [again] = store.commit([outcome(f"{STORY}/?utm_source=feed#comments", "first text", at=later(6))])
    assert (again.kind, again.article.version, again.change) == ("unchanged", 1, None)
    assert (store.cursor(), scalar(store, func.count(article_versions.c.article))) == (1, 1)
    assert scalar(store, articles.c.last_seen_at) == later(6)
    store.commit([outcome(STORY, "first text", at=later(1))])
    assert scalar(store, articles.c.last_seen_at) == later(6), "an older fetch does not move it back"
    [saved] = store.commit([outcome(STORY, "second text", at=later(7))])
    assert (saved.kind, saved.article.version, saved.change) == ("changed", 2, 2)
    assert saved.article.first_seen_at == later(5)
    changes = [(row.change, row.article.article_body) for row in store.changes(0, 10)]
    assert changes == [(1, "first text"), (2, "second text")]


@on_both_databases
def test_commit_keeps_every_field_of_an_article(store):
    went_in = Article(
        STORY,
        headline="Über Straßen — 新闻 🗞",
        authors=["A", "B"],
        date_published=datetime(2025, 2, 3, 4, 5, tzinfo=timezone(timedelta(hours=8))),
        language="de",
        main_image=Image("https://www.example.org/1.jpg", caption="C"),
        images=[Image("https://www.example.org/1.jpg", credit="D")],
        article_body="Erster Absatz.\nZweiter Absatz.",
        sources={"headline": "h1"},
        confidence=0.5,
        fetched_at=NOON,
    )
    store.commit([PageOutcome(STORY, UrlState.stored, article=went_in, at=NOON)])
    came_out = store.article(STORY)
    assert came_out is not None and came_out.first_seen_at == NOON and len(came_out.content_hash) == 64
    given = {name: value for name, value in went_in.to_dict().items() if value}
    assert {name: came_out.to_dict()[name] for name in given} == given
    assert came_out.site == "example.org"


@on_both_databases
def test_commit_queues_links_once_with_their_referrer(store):
    first, second = "https://example.org/a?utm_medium=x", "https://example.org/b"
    links = [QueuedLink(first, "About A"), QueuedLink(second, "B"), QueuedLink("https://example.org/a", "again")]
    store.commit([outcome(STORY, links=links)])
    back = QueuedLink(STORY, "back")
    store.commit([outcome("https://example.org/other", links=[QueuedLink(second, "B, seen from elsewhere"), back])])
    a, b = store.read(find_url, "https://example.org/a"), store.read(find_url, second)
    assert (a.url, a.state) == ("https://example.org/a", UrlState.queued)
    assert (a.referrer, a.anchor_text, b.anchor_text) == (STORY, "About A", "B")
    assert store.read(find_url, STORY).state == UrlState.stored
    store.commit([outcome(STORY)])
    row = store.read(find_url, STORY)
    assert (row.state, row.attempts) == (UrlState.unchanged, 2)


def test_commit_of_a_failed_fetch_keeps_etag_and_article(store):
    known = outcome(STORY)
    known.response = PageResponse(etag='"1"', page_hash="abc")
    store.commit([known])
    store.commit([PageOutcome(STORY, UrlState.failed, reason="timeout", at=later(1))])
    row = store.read(find_url, STORY)
    assert (row.state, row.reason, row.etag, row.page_hash) == (UrlState.failed, "timeout", '"1"', "abc")
    assert row.article is not None and row.first_seen == NOON and row.last_fetched == later(1)


HOSTILE = "a\0b\ud800c\udc00\u2028"


@on_both_databases
def test_commit_replaces_characters_that_a_database_refuses(store):
    hostile = outcome(
        f"https://example.org/{HOSTILE}",
        HOSTILE,
        headline=HOSTILE,
        authors=[HOSTILE],
        sources={HOSTILE: HOSTILE},
        keywords=[HOSTILE],
        images=[Image(HOSTILE, caption=HOSTILE)],
        confidence=float("nan"),
        canonical=f"https://example.org/{HOSTILE}",
        links=[QueuedLink(f"https://example.org/{HOSTILE}/link", HOSTILE)],
        language=HOSTILE,
    )
    hostile.reason = HOSTILE
    hostile.response = PageResponse(etag=HOSTILE, last_modified=HOSTILE, page_hash=HOSTILE)
    [saved] = store.commit([hostile])
    [row] = store.articles()
    assert saved.kind == "new"
    assert row.article.headline == row.article.authors[0] == "a�b�c�\u2028"
    assert row.article.confidence is None
    assert store.commit([hostile])[0].kind == "unchanged"
    assert store.article(hostile.url) == row.article


@on_both_databases
def test_commit_stores_a_url_of_ten_thousand_characters_and_ignores_links_that_are_no_pages(store):
    url = "https://example.org/" + "x/y" * 3500
    found = ["mailto:a@example.org", "javascript:void(0)", "http://[", "", "//x", "https://a:99999/", url + "z"]
    found += ["https://" + "h" * 300 + ".org/"]
    pages = [outcome(url, "text", links=map(QueuedLink, found)), outcome("file:///tmp/page.html", "no host")]
    store.commit(pages)
    assert [store.article(page.url).article_body for page in pages] == ["text", "no host"]
    assert store.read(count_url_states) == {UrlState.stored: 2, UrlState.queued: 1}


@on_both_databases
def test_commit_stores_naive_and_extreme_dates(store):
    first = datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14)))
    last = datetime(9999, 12, 31, 23, 59, tzinfo=timezone(timedelta(hours=-12)))
    naive, aware = datetime(2025, 1, 1), datetime(2025, 1, 1, tzinfo=UTC)
    for published, stored in ((first, first), (last, last), (naive, aware)):
        url = f"{STORY}-{published.year}"
        store.commit([outcome(url, date_published=published)])
        assert store.article(url).date_published == stored


@on_both_databases
def test_commit_group_may_be_larger_than_a_statement_takes(store):
    saved = store.commit([outcome(f"https://example.org/{number}", text(number, 5)) for number in range(1100)])
    assert {one.kind for one in saved} == {"new"} and store.read(count_articles) == 1100
    assert [one.change for one in saved] == list(range(1, 1101))


@on_both_databases
def test_article_is_deleted_after_404_on_three_days_and_kept(store):
    store.commit([outcome(STORY)])
    for hours, status, kind in ((1, 404, "new"), (2, 404, "new"), (30, 410, "new"), (40, 503, "new"), (60, 404, "new")):
        store.commit([gone(STORY, hours, status)])
        assert [row.change_kind for row in store.articles()] == [kind]
    for hours in (84, 108):
        store.commit([gone(STORY, hours)])
    store.commit([gone(STORY, 900)])
    (row,) = store.articles()
    assert (row.change, row.change_kind, row.article.article_body) == (2, "deleted", text(STORY))
    store.commit([outcome(STORY, at=later(999))])
    assert [row.change_kind for row in store.changes(0, 9)] == ["new", "deleted", "changed"]


@pytest.mark.parametrize(
    ("front", "linked", "others_gone", "others_there", "copies", "is_deleted"), examples(__file__, "gone")
)
def test_one_410_deletes_what_no_list_has(store, front, linked, others_gone, others_there, copies, is_deleted):
    stories = [f"https://www.example.org/{number}" for number in range(others_gone + others_there)]
    store.commit([signed(outcome(url, text(url, 200))) for url in (STORY, *stories)])
    if copies:
        store.commit([signed(outcome("https://other.example/", text(STORY, 200)))])
    run = store.frontier("site", {}).run
    if front:
        links = [QueuedLink(STORY, refetch=True)] if linked else []
        state = UrlState.unchanged if front == "unchanged" else UrlState.not_article
        store.commit([PageOutcome("https://www.example.org/", state, "front", run=run, links=links)])
    store.commit([gone(url, 900, run=run) for url in (STORY, *stories[:others_gone])])
    store.commit([PageOutcome(url, UrlState.unchanged, run=run) for url in stories[others_gone:]])
    store.write(believe_gone, "www.example.org", run)
    kinds = {row.article.url: row.change_kind for row in store.articles()}
    assert (kinds[STORY] == "deleted") is is_deleted


PAGE = "https://example.org/story"
OTHER = "https://example.org/other"


def made(store: Store, url: str) -> ArticleRecord:
    page = FetchedPage(url, b"", NOON)
    return store.read(present_versions, [page])[page.id]


def extracted(body: str) -> Article:
    return Article(PAGE, headline="Headline", article_body=body, extractor="other")


@on_both_databases
def test_revise_does_not_overwrite_a_faster_crawl(store):
    store.commit([outcome(PAGE, at=NOON), outcome(OTHER, at=NOON)])
    changed = NewVersion.of(made(store, PAGE), extracted("Another body."))
    deleted = NewVersion.of(made(store, OTHER), extracted("Another one."))
    store.commit([outcome(PAGE, "newer", at=later(1))])
    delete(store, OTHER, at=later(1))
    assert store.write(revise, [changed, deleted]) == [None, None]
    assert {row.article.url: row.change_kind for row in store.articles()} == {PAGE: "changed", OTHER: "deleted"}
    assert store.read(present_versions, [FetchedPage(PAGE, b"", NOON)]) == {}


def test_revise_marks_duplicates_by_the_new_text(store):
    story, other = text("story", 200), text("other", 200)
    store.commit([signed(outcome(PAGE, story)), signed(outcome(OTHER, other))])
    for body, original in ((story, PAGE), (other, None)):
        revision = NewVersion.of(made(store, OTHER), extracted(body), signature_of(body))
        assert store.write(revise, [revision]) != [None]
        assert {row.article.url: row.article.duplicate_of for row in store.articles()}[OTHER] == original


def captured(url, body, hours, **fields):
    """The page of an archive, fetched at that hour."""
    page = outcome(url, body, at=later(hours), **fields)
    page.captured = True
    return page


@on_both_databases
@pytest.mark.parametrize("status", [404, 410, None])
def test_archive_does_not_revive_what_ended_since(store, status):
    """Nor by another address of the article; a capture of a later time does."""
    url, alias = "https://example.org/story", "https://example.org/amp/story"
    store.commit([outcome(url, text("first"), at=later(1))])
    if status:
        delete(store, url, at=datetime.now(UTC), status=status)
    else:
        store.commit([PageOutcome(url, UrlState.not_article, "section", at=datetime.now(UTC), retract=True)])
    before = store.read(find_url, url)
    ended = [row.change_kind for row in store.articles()]
    assert ended == ["deleted" if status else "retracted"]
    early = [captured(url, text("earlier"), 0), captured(url, text("first"), 1)]
    if status:
        early.append(captured(alias, f"{text('first')} More.", 0, canonical=url))
    for one in early:
        assert store.commit([one])[0].kind == "unchanged"
    assert [row.change_kind for row in store.articles()] == ended
    assert store.read(find_url, url) == before
    back = captured(url, text("first"), 1)
    back.at = before.last_fetched + timedelta(days=9)
    assert store.commit([back])[0].kind == "changed"


@on_both_databases
def test_capture_that_was_decided_changes_nothing_and_an_older_one_becomes_a_version(store):
    url, page, forgotten = (f"https://example.org/{name}" for name in ("story", "section", "forgotten"))
    store.commit([outcome(url, text("new"), at=later(5)), outcome(forgotten, at=later(5))])
    store.commit([PageOutcome(page, UrlState.not_article, "section", at=later(5))])
    store.write(remove_articles, forgotten)
    before, cursor = [store.read(find_url, one) for one in (url, page, forgotten)], store.cursor()
    again = [captured(url, "read otherwise", 5), captured(page, "an article", 5), captured(forgotten, "again", 9)]
    for _ in range(2):
        assert {saved.kind for saved in store.commit(again)} == {"unchanged"}
        assert store.commit([captured(url, text("old"), 2)])[0].kind == "unchanged"
    assert [store.read(find_url, one) for one in (url, page, forgotten)] == before
    assert (store.cursor(), bodies(store)) == (cursor, {url: text("new")})
    assert [version.fetched_at for version in store.read(find_versions, url)] == [later(2), later(5)]
