"""The memory of sites and candidates: written with the outcome; what is settled later."""

from dataclasses import replace

from newsextract.health.status import read_status
from newsextract.items import Article, FetchedPage, Listing
from newsextract.store import PageOutcome, QueuedLink, UrlState, site_pages
from newsextract.store.admin import remove_articles
from newsextract.store.frontier import find_url
from newsextract.store.lookup import count_articles, find_versions
from newsextract.store.outcome import Candidate, RequestedUrl, SitePage
from newsextract.store.revisions import add_listed_dates
from newsextract.store.site_pages import (
    find_candidate,
    forget_site_pages,
    load_peers,
    load_site_pages,
    pending_pages,
    save_peers,
    settle_site,
    sites_to_settle,
)
from tests.store.samples import NOON, count_url_states, later, outcome, signed, text

ON_BOTH_DATABASES = True

SITE = "example.org"
STORY = "https://example.org/story"
OTHER = "https://www.example.org/other"


def with_memory(page: PageOutcome, summary: bytes = b"summary") -> PageOutcome:
    """The outcome with what the memory of its site gets of it."""
    page.run, page.site_page = 1, SitePage(NOON, summary, b"\1decision")
    return page


def pending(url: str, article: Article | None = None) -> PageOutcome:
    """The outcome of a page that becomes a candidate."""
    candidate = Candidate(FetchedPage(url, b"<p>the page", NOON, listing=Listing("feed", "Pier")), article, 0.5)
    return with_memory(PageOutcome(url, UrlState.pending, links=[QueuedLink(f"{url}/next")], candidate=candidate))


def settled(page: PageOutcome) -> PageOutcome:
    """The outcome as that of a page that was committed before."""
    with_memory(page, b"again").settles = True
    return page


def refused(url: str, reason: str = "listing", retract: bool = True) -> PageOutcome:
    return PageOutcome(
        url, UrlState.not_article, reason, at=NOON, requested=RequestedUrl(revisit=True), retract=retract
    )


def test_memory_is_written_with_the_outcome_and_replaced_by_the_next(store):
    store.commit([with_memory(outcome(STORY)), with_memory(refused(OTHER, retract=False))])
    pages = {page.url: page for page in store.read(load_site_pages, SITE)}
    told = {url: (page.summary, page.reason) for url, page in pages.items()}
    assert told == {STORY: (b"summary", ""), OTHER: (b"summary", "listing")}
    assert [*pages] == [page.url for page in sorted(pages.values(), key=lambda page: page.fingerprint)]
    store.commit([with_memory(outcome(STORY, at=later(1)), b"newer")])
    summaries = {page.url: page.summary for page in store.read(load_site_pages, SITE)}
    assert summaries == {STORY: b"newer", OTHER: b"summary"}
    assert store.read(sites_to_settle, 1) == [SITE]
    store.write(settle_site, SITE)
    assert store.read(sites_to_settle, 1) == [] and all(page.settled for page in store.read(load_site_pages, SITE))


def test_candidate_is_kept_as_it_was_fetched_and_read_until_it_is_settled(store):
    article = Article(STORY, headline="Pier", article_body="Text")
    store.commit([pending(STORY, article), pending(OTHER)])
    assert store.read(count_url_states) == {UrlState.pending: 2, UrlState.queued: 2}
    assert store.read(count_articles) == 0 and store.read(sites_to_settle, 1) == [SITE]
    memory = store.read(pending_pages, SITE)
    assert memory.keys() == {STORY, OTHER}
    assert {(page.summary, page.decision) for page in memory.values() if page} == {(b"summary", b"\1decision")}
    kept, unread = store.read(find_candidate, STORY), store.read(find_candidate, OTHER)
    assert kept is not None and unread is not None and unread.article is None
    assert (kept.article, kept.text_confidence, kept.page.body) == (article, 0.5, b"<p>the page")
    assert kept.page.listing == Listing("feed", "Pier")

    (saved, none) = store.commit([settled(outcome(STORY, fetched_at=NOON)), settled(refused(OTHER, "short"))])
    assert (saved.kind, none.kind) == ("new", "none")
    assert store.read(pending_pages, SITE) == {} and store.read(find_candidate, STORY) is None
    url = store.read(find_url, STORY)
    assert url is not None and (url.state, url.attempts) == (UrlState.stored, 1) and url.article is not None
    assert store.read(count_url_states)[UrlState.not_article] == 1
    store.commit([pending(OTHER)])
    store.commit([with_memory(outcome(OTHER))])
    assert store.read(pending_pages, SITE) == {}, "it was fetched again"


def test_memory_of_a_site_is_bounded_but_for_candidates(store, monkeypatch):
    monkeypatch.setattr(site_pages, "MAX_BYTES", 1000)
    pages = [pending(f"{STORY}-{n}") if n < 20 else with_memory(outcome(f"{STORY}-{n}")) for n in range(40)]
    for page in pages:
        page.site_page = replace(page.site_page, summary=b"x" * 100)
        store.commit([page])
    left = store.read(load_site_pages, SITE)
    assert {page.url for page in left} >= {page.url for page in pages[:20]}
    sample = site_pages.sample(left)
    assert [page.fingerprint for page in sample] == sorted(page.fingerprint for page in left)[:10]
    for page in pages[:20]:
        done = settled(refused(page.url, retract=False))
        done.site_page = page.site_page
        store.commit([done])
    store.write(settle_site, SITE)
    left = store.read(load_site_pages, SITE)
    assert 0 < sum(len(page.summary) for page in left) <= 1000
    assert {page.url for page in left} == {page.url for page in sample}, "a sample without regard to the order"


def test_forget_deletes_the_memory_of_a_site_or_of_a_url(store):
    def urls() -> list[str]:
        return [page.url for page in store.read(load_site_pages, SITE)]

    stories = [with_memory(outcome(STORY)), with_memory(outcome(OTHER))]
    store.commit([*stories, with_memory(outcome("https://else.example/story"))])
    assert (store.write(forget_site_pages, SITE), urls()) == (2, [])
    store.commit(stories)
    store.write(remove_articles, STORY)
    assert urls() == [OTHER]
    store.write(remove_articles, SITE)
    assert urls() == [] and len(store.read(load_site_pages, "else.example")) == 1


def test_articles_without_a_date_get_that_of_a_list_as_a_new_version(store):
    frontier = store.frontier("site", {})
    frontier.add([QueuedLink(STORY), QueuedLink(OTHER)])
    dated = outcome(OTHER, date_published=NOON, fetched_at=NOON)
    store.commit([with_memory(outcome(STORY, fetched_at=NOON)), dated])
    assert store.write(add_listed_dates, SITE) == []
    for year in ("0001", "1404", "1970", "2569"):  # a placeholder, other calendars
        wrong = {"source": "feed", "date_published": f"{year}-06-01T10:00:00+00:00"}
        frontier.add([QueuedLink(STORY, meta={"listing": wrong})])
        assert store.write(add_listed_dates, SITE) == [], year
    listing = {"source": "feed", "date_published": later(-5).isoformat()}
    frontier.add([QueuedLink(url, meta={"listing": listing}) for url in (STORY, OTHER)])
    (article,) = store.write(add_listed_dates, SITE)
    assert (article.url, article.date_published, article.sources["date_published"]) == (STORY, later(-5), "feed")
    assert {row.article.url: row.article.date_published for row in store.articles()} == {STORY: later(-5), OTHER: NOON}
    assert [version.version for version in store.read(find_versions, STORY)] == [1, 2]
    assert store.write(add_listed_dates, SITE) == []


def test_retraction_takes_back_an_article_with_its_reason(store):
    story = text("story", 200)
    again = story + " Another end."
    store.commit([signed(with_memory(outcome(STORY, story))), signed(with_memory(outcome(OTHER, again)))])
    store.write(save_peers, [("/*", FetchedPage(STORY, b"<p>", NOON))])
    (saved,) = store.commit([settled(refused(STORY))])
    assert saved.kind == "retracted"
    rows = {row.article.url: row for row in store.articles()}
    assert rows[STORY].change_kind == "retracted"
    assert (rows[STORY].article.is_article, rows[STORY].article.not_article_because) == (False, "listing")
    assert rows[OTHER].article.duplicate_of is None, "what was a copy of it is one no more"
    assert store.read(count_articles) == 1
    assert store.read(load_peers, SITE) == []
    url = store.read(find_url, STORY)
    assert url is not None and (url.state, url.reason) == (UrlState.not_article, "listing")
    assert [version.is_article for version in store.read(find_versions, STORY)] == [True, False]
    assert [row.change_kind for row in store.changes(2, 9)] == ["changed", "retracted"]
    (again,) = store.commit([settled(refused(STORY))])
    assert again.kind == "none", "only once"
    assert store.articles(since=0) and [s.articles for s in store.read(read_status)[0] if s.site == SITE] == [1]


def test_save_peers_keeps_the_newest_pages_of_a_pattern(store):
    listing = Listing("feed", "The pier", NOON, None, ("Jane Roe",), "It is old.")

    def page(name: str, days: int = 0) -> FetchedPage:
        url, fetched_at = f"https://example.org/{name}", later(24 * days)
        return FetchedPage(url, name.encode(), fetched_at, drop=("//aside",), listing=listing)

    store.write(save_peers, [("a", page(f"a{n}", n)) for n in range(5)] + [("b", page("b"))])
    found = store.read(load_peers, SITE)
    assert [one.body for one in found] == [b"a4", b"a3", b"a2", b"b"]
    assert (found[0].drop, found[0].listing) == (("//aside",), listing)
    assert store.read(load_peers, "example.net") == []


def test_retracted_article_comes_back_as_changed(store):
    store.commit([outcome(STORY, "The text of today", at=NOON, fetched_at=NOON)])
    store.commit([outcome(STORY, "Another text of yesterday", at=later(1), fetched_at=later(-24))])
    store.commit([settled(refused(STORY))])
    versions = [version.is_article for version in store.read(find_versions, STORY)]
    assert versions == [True, True, False], "it follows a text of an earlier fetch"
    (saved,) = store.commit([outcome(STORY, at=later(1), fetched_at=later(1))])
    assert (saved.kind, saved.article.version) == ("changed", 4)
    [row] = store.articles()
    assert row.article.is_article and row.change_kind == "changed"


def test_retraction_spares_an_article_that_was_read_from_another_page(store):
    store.commit([outcome(url, "A text.", canonical=STORY) for url in (STORY, f"{STORY}/print")])
    store.commit([settled(refused(f"{STORY}/print"))])
    assert [row.change_kind for row in store.articles()] == ["new"]
