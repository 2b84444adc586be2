from newsextract.store import PageOutcome, Store, UrlState
from tests.store.samples import later, outcome, text

STORY = "https://example.org/story"


def test_an_article_that_is_gone_is_marked_and_kept_and_comes_back_as_changed(store: Store) -> None:
    store.commit([outcome(STORY)])
    store.commit([PageOutcome(STORY, UrlState.failed, "http_410", status=410)])
    store.commit([PageOutcome(STORY, UrlState.failed, "http_410", status=410)])
    (row,) = store.articles()
    assert (row.change, row.change_kind, row.article.article_body) == (2, "deleted", text(STORY))
    store.commit([outcome(STORY, at=later(48))])
    assert [row.change_kind for row in store.changes(0, 9)] == ["new", "deleted", "changed"]
