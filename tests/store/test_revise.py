"""New versions from a re-extraction of stored pages."""

from newsextract.items import Article, FetchedPage
from newsextract.near_duplicates import signature_of
from newsextract.store import PageOutcome, Store, UrlState
from newsextract.store.articles import ArticleRecord
from newsextract.store.commit import NewVersion, present_versions, revise
from tests.store.conftest import on_both_databases
from tests.store.samples import NOON, later, outcome, signed, text

STORY, OTHER = "https://example.org/story", "https://example.org/other"


def made(store: Store, url: str) -> ArticleRecord:
    page = FetchedPage(url, b"", NOON)
    return store.read(present_versions, [page])[page.id]


def extracted(body: str) -> Article:
    return Article(STORY, headline="Headline", article_body=body, extractor="other")


@on_both_databases
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
