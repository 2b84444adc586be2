"""New versions from a re-extraction of stored pages."""

from dataclasses import replace

from newsextract.items import Article, FetchedPage
from newsextract.near_duplicates import signature_of
from newsextract.store import PageOutcome, Store, UrlState
from newsextract.store.articles import ArticleRecord
from newsextract.store.commit import NewVersion, present_versions, revise
from newsextract.store.lookup import count_articles, find_versions
from tests.store.conftest import on_both_databases
from tests.store.samples import NOON, later, outcome, signed, text

STORY, OTHER = "https://example.org/story", "https://example.org/other"


def made(store: Store, url: str) -> ArticleRecord:
    page = FetchedPage(url, b"", NOON)
    return store.read(present_versions, [page])[page.id]


def extracted(body: str, **more: object) -> Article:
    return replace(Article(STORY, headline="Headline", article_body=body, extractor="other"), **more)  # type: ignore[arg-type]


@on_both_databases
def test_revise_stores_a_version_where_fields_differ(store: Store) -> None:
    store.commit([outcome(STORY, canonical="https://example.org/true", at=NOON), outcome(OTHER, at=NOON)])
    same = NewVersion.of(made(store, STORY), extracted(text(STORY), canonical_url="https://example.org/else"))
    assert same.differing == ()
    revision = NewVersion.of(made(store, STORY), extracted("Another body.", language="en"))
    assert revision.differing == ("language", "article_body")
    assert store.write(revise, [revision]) == [3]
    [untouched, row] = store.articles()
    assert (untouched.article.url, row.change, row.change_kind) == (OTHER, 3, "reextracted")
    assert (row.article.article_body, row.article.version, row.article.fetched_at) == ("Another body.", 2, NOON)
    assert row.article.canonical_url == "https://example.org/true"
    assert [one.article_body for one in store.read(find_versions, STORY)] == [text(STORY), "Another body."]
    assert store.read(count_articles) == 2


def test_revise_does_not_overwrite_a_faster_crawl(store: Store) -> None:
    store.commit([outcome(STORY, at=NOON), outcome(OTHER, at=NOON)])
    changed = NewVersion.of(made(store, STORY), extracted("Another body."))
    gone = NewVersion.of(made(store, OTHER), extracted("Another one."))
    store.commit(
        [outcome(STORY, text("newer"), at=later(1)), PageOutcome(OTHER, UrlState.failed, "http_410", status=410)]
    )
    assert store.write(revise, [changed, gone]) == [None, None]
    assert {row.article.url: row.change_kind for row in store.articles()} == {STORY: "changed", OTHER: "deleted"}
    assert store.read(present_versions, [FetchedPage(STORY, b"", NOON)]) == {}


def test_revise_marks_duplicates_by_the_new_text(store: Store) -> None:
    story, other = text("story", 200), text("other", 200)
    store.commit([signed(outcome(STORY, story)), signed(outcome(OTHER, other))])
    for body, original in ((story, STORY), (other, None)):
        revision = NewVersion.of(made(store, OTHER), extracted(body), signature_of(body))
        assert store.write(revise, [revision]) != [None]
        assert {row.article.url: row.article.duplicate_of for row in store.articles()}[OTHER] == original
