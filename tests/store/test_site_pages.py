"""The memory of sites: summaries and kept pages, written with the outcome; what a review of pages changes."""

import pytest

from newsextract.items import FetchedPage
from newsextract.near_duplicates import signature_of
from newsextract.store import PageOutcome, Store, UrlState, site_pages
from newsextract.store.outcome import SitePage
from tests.store.samples import NOON, later, outcome, signed, text

SITE = "example.org"
STORY, OTHER = "https://example.org/story", "https://www.example.org/other"


def with_memory(page: PageOutcome, summary: bytes = b"summary", kept: bool = True) -> PageOutcome:
    """The outcome with what the memory of its site gets of it."""
    body = FetchedPage(page.url, b"<p>the page", NOON) if kept else None
    page.run, page.site_page = 1, SitePage(NOON, summary, b"\1decision", 20, page=body)
    return page


def reviewed(page: PageOutcome) -> PageOutcome:
    """The outcome as that of a page that was read again."""
    with_memory(page, b"again", kept=False).review = True
    return page


def refused(url: str, reason: str = "listing", retract: bool = True) -> PageOutcome:
    return PageOutcome(url, UrlState.not_article, reason, at=NOON, revisit=True, retract=retract)


def test_memory_is_written_with_the_outcome_and_replaced_by_the_next(store: Store) -> None:
    store.commit([with_memory(outcome(STORY)), with_memory(refused(OTHER, retract=False))])
    pages = {page.url: page for page in store.site_pages(SITE)}
    assert {url: (page.summary, page.reason, page.is_kept) for url, page in pages.items()} == {
        STORY: (b"summary", "", True),
        OTHER: (b"summary", "listing", True),
    }
    assert [*pages] == [page.url for page in sorted(pages.values(), key=lambda page: page.fingerprint)]
    kept = store.kept_page(STORY)
    assert kept is not None and kept.body == b"<p>the page" and kept.fetched_at == NOON
    assert store.kept_bytes(SITE) > 0
    store.commit([with_memory(outcome(STORY, at=later(1)), b"newer", kept=False)])
    assert {page.url: page.summary for page in store.site_pages(SITE)} == {STORY: b"newer", OTHER: b"summary"}
    assert store.kept_page(STORY) is None
    assert store.sites_to_review(1) == [SITE]


def test_finish_review_lets_the_pages_go_and_keeps_the_memory(store: Store) -> None:
    store.commit([with_memory(outcome(STORY))])
    store.finish_review(SITE)
    assert store.sites_to_review(1) == [] and store.kept_bytes(SITE) == 0
    assert [(page.url, page.reviewed) for page in store.site_pages(SITE)] == [(STORY, True)]


def test_memory_of_a_site_is_bounded_but_for_pages_that_wait_for_the_review(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(site_pages, "MAX_BYTES", 1000)
    pages = [with_memory(outcome(f"{STORY}-{n}"), b"x" * 100, kept=n < 20) for n in range(40)]
    for page in pages:
        store.commit([page])
    left = store.site_pages(SITE)
    assert {page.url for page in left} >= {page.url for page in pages[:20]}, "these are kept"
    assert [page.fingerprint for page in site_pages.sample(left)] == sorted(page.fingerprint for page in left)[:10]
    store.finish_review(SITE)
    assert store.site_pages(SITE) and sum(len(page.summary) for page in store.site_pages(SITE)) <= 1000
    lowest = {page.fingerprint for page in site_pages.sample(left)}
    assert {page.fingerprint for page in store.site_pages(SITE)} == lowest, "a sample without regard to the order"


def test_forget_deletes_the_memory_of_a_site_or_that_of_earlier_runs(store: Store) -> None:
    store.commit([with_memory(outcome(STORY))])
    later_run = with_memory(outcome(OTHER))
    later_run.run = 2
    store.commit([later_run, with_memory(outcome("https://else.example/story"))])
    assert store.forget_site_pages(SITE, before_run=2) == 1
    assert [page.url for page in store.site_pages(SITE)] == [OTHER]
    assert store.forget_site_pages(SITE) == 1
    assert store.site_pages(SITE) == [] and len(store.site_pages("else.example")) == 1


def test_forgotten_url_leaves_nothing_in_the_memory(store: Store) -> None:
    store.commit([with_memory(outcome(STORY)), with_memory(outcome(OTHER))])
    store.forget(STORY)
    assert [page.url for page in store.site_pages(SITE)] == [OTHER]
    store.forget(SITE)
    assert store.site_pages(SITE) == [] and store.kept_bytes(SITE) == 0


def test_review_that_reads_another_text_makes_a_version_and_keeps_the_identity(store: Store) -> None:
    store.commit([with_memory(outcome(STORY, canonical="https://example.org/true"))])
    before = store.url(STORY)
    (same,) = store.commit([reviewed(outcome(STORY, fetched_at=NOON, canonical="https://example.org/true"))])
    assert same.kind == "unchanged"
    (saved,) = store.commit([reviewed(outcome(STORY, "Another text.", fetched_at=NOON))])
    assert (saved.kind, saved.version, saved.change) == ("reextracted", 2, 2)
    assert saved.article is not None and saved.article.canonical_url == "https://example.org/true"
    [row] = store.articles()
    assert (row.change_kind, row.article.article_body, row.article.fetched_at) == ("reextracted", "Another text.", NOON)
    assert store.url(STORY) == before, "nothing was fetched"
    assert [(page.reviewed, page.is_kept) for page in store.site_pages(SITE)] == [(True, True)]


def test_review_leaves_an_article_that_was_fetched_again_meanwhile(store: Store) -> None:
    store.commit([with_memory(outcome(STORY, fetched_at=NOON))])
    store.commit([outcome(STORY, "A newer text.", at=later(1), fetched_at=later(1))])
    (saved,) = store.commit([reviewed(outcome(STORY, "Another text.", fetched_at=NOON))])
    assert saved.kind == "unchanged"
    assert [row.article.article_body for row in store.articles()] == ["A newer text."]


def test_review_takes_back_an_article_that_was_none_with_its_reason(store: Store) -> None:
    story = text("story", 200)
    again = story + " Another end."
    store.commit([signed(with_memory(outcome(STORY, story))), signed(with_memory(outcome(OTHER, again)))])
    store.save_peers([("/*", FetchedPage(STORY, b"<p>", NOON))])
    (saved,) = store.commit([reviewed(refused(STORY))])
    assert saved.kind == "retracted"
    rows = {row.article.url: row for row in store.articles()}
    assert rows[STORY].change_kind == "retracted"
    assert (rows[STORY].article.is_article, rows[STORY].article.not_article_because) == (False, "listing")
    assert rows[OTHER].article.duplicate_of is None, "what was a copy of it is one no more"
    assert store.count_articles() == 1
    assert store.peers(SITE) == []
    url = store.url(STORY)
    assert url is not None and (url.state, url.reason) == (UrlState.not_article, "listing")
    assert [version.article.is_article for version in store.versions(STORY)] == [True, False]
    assert [row.change_kind for row in store.changes(2, 9)] == ["changed", "retracted"]
    (again,) = store.commit([reviewed(refused(STORY))])
    assert again.kind == "none", "only once"
    assert store.articles(since=0) and [s.articles for s in store.status()[0] if s.site == SITE] == [1]


def test_retracted_article_comes_back_as_changed(store: Store) -> None:
    store.commit([with_memory(outcome(STORY))])
    store.commit([reviewed(refused(STORY))])
    (saved,) = store.commit([outcome(STORY, at=later(1), fetched_at=later(1))])
    assert (saved.kind, saved.version) == ("changed", 3)
    [row] = store.articles()
    assert row.article.is_article and row.change_kind == "changed"


def test_retraction_spares_an_article_that_was_read_from_another_page(store: Store) -> None:
    store.commit([outcome(STORY, "A text.", canonical=STORY), outcome(f"{STORY}/print", "A text.", canonical=STORY)])
    store.commit([reviewed(refused(f"{STORY}/print"))])
    assert [row.change_kind for row in store.articles()] == ["new"]


def test_review_stores_a_refused_page_that_is_an_article_as_new(store: Store) -> None:
    store.commit([with_memory(refused(STORY, "short", retract=False))])
    page = reviewed(outcome(STORY, fetched_at=NOON))
    page.signature = signature_of(text(STORY))
    (saved,) = store.commit([page])
    assert saved.kind == "new"
    url = store.url(STORY)
    assert url is not None and url.state == UrlState.stored and url.reason == "" and url.article is not None
    assert url.attempts == 1
