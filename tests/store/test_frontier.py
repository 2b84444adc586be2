"""The frontier: which URLs a run fetches, which worker leases them, leases of dead workers, and when a URL is due."""

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import select

from newsextract.health.run_end import finish_run
from newsextract.items import Article, FetchedPage
from newsextract.store import Frontier, PageOutcome, QueuedLink, Store, UrlState
from newsextract.store.engine import database_now
from newsextract.store.frontier import find_url, urls_of_run
from newsextract.store.leases import LEASE_DURATION, is_dead, owner_name
from newsextract.store.outcome import Candidate, ListedUrl, PageResponse, RequestedUrl
from newsextract.store.recrawl_policy import LONGEST_INTERVAL, next_due
from newsextract.store.schema import urls
from tests.examples import examples
from tests.store.samples import NOON, count_url_states, outcome

ON_BOTH_DATABASES = True

HOME = "https://example.org/"


def anything(url: str, depth: int, kind: str, date: datetime | None) -> bool:
    return True


def run_of(store: Store, max_pages: int | None = None, owner: str | None = None, **arguments: str) -> Frontier:
    frontier = store.frontier("site", {"url": HOME, **arguments}, max_pages)
    frontier.owner = owner or frontier.owner
    frontier.start("site", ["example.org"], [], anything if arguments else None)  # as crawls with arguments do
    return frontier


def test_pages_of_a_large_list_are_queued_once_and_known_ones_get_what_it_says(store):
    frontier, meta = run_of(store), '{"listing": {"source": "sitemap", "title": "Ferry"}, "listed_in": "sitemap"}'
    frontier.add([QueuedLink(f"{HOME}1", priority=900)])
    listed = [ListedUrl(f"{HOME}{n}", "", meta, 700.0, f"{HOME}map.xml") for n in (1, 2, 2, 3)]
    assert frontier.add_listed(listed) == (2, 2)
    assert frontier.add_listed(listed) == (0, 0)
    found = frontier.lease(9).leased
    assert [(row.url.removeprefix(HOME), round(row.priority)) for row in found] == [("1", 900), ("2", 700), ("3", 700)]
    assert all("Ferry" in (row.meta or "") for row in found)


def links(count: int, **fields: object) -> list[QueuedLink]:
    return [QueuedLink(f"{HOME}{number}", **fields) for number in range(count)]


def urls_of(batch: object) -> list[str]:
    return [row.url.removeprefix(HOME) for row in batch.leased]


def set_clock(store: Store, seconds: float) -> None:
    store.database.clock = lambda connection: NOON + timedelta(seconds=seconds)


def end(
    store: Store,
    frontier: Frontier,
    url: str,
    state: UrlState = UrlState.not_article,
    reason: str = "",
    *,
    depth: int = 0,
    status: int | None = None,
    **fields: Any,
) -> None:
    requested, response = RequestedUrl(depth, revisit=True), PageResponse(status)
    fields = {"at": store.read(database_now), "requested": requested, "response": response, **fields}
    store.commit([PageOutcome(url, state, reason, run=frontier.run, **fields)])


def test_lease_takes_urls_once_by_priority_and_the_run_drains_when_all_ended(store):
    first, second = run_of(store), run_of(store)
    assert second.run == first.run and second.continued
    priorities = (("low", 1), ("high", 9), ("low", 1))
    first.add(QueuedLink(f"{HOME}{name}", priority=priority) for name, priority in priorities)
    assert urls_of(first.lease(1)) == ["high"]
    assert urls_of(first.lease(9)) == ["low"]
    assert not second.lease(9).drained, "another worker has two of them"
    for name in ("high", "low"):
        end(store, first, HOME + name)
    assert second.lease(9).drained
    assert first.add([QueuedLink(f"{HOME}low")]).waiting == 0, "it had its turn in this run"


def test_lease_gives_a_site_to_one_worker_at_a_time_until_it_closes(store):
    first, second = run_of(store), run_of(store)
    first.add([*links(3), QueuedLink("https://other.example/1")])
    assert len(first.lease(3).leased) == 3, "two of one site and the only one of the other"
    assert second.lease(9).leased == []
    assert first.close() == 3
    assert store.read(count_url_states) == {UrlState.queued: 4}
    assert len(second.lease(9).leased) == 4


def test_worker_that_joins_late_gets_sites_that_nobody_fetches_from(store):
    first, second, third = (run_of(store) for _ in range(3))
    first.add(QueuedLink(f"https://site-{n}.example/{page}") for n in range(6) for page in range(3))
    fetching = first.lease(2).leased
    taken = {row.site for row in second.lease(99).leased}
    assert len(taken) == 4 and not taken & {row.site for row in fetching}
    assert third.lease(99).leased == []
    end(store, first, fetching[0].url)
    first.renew_leases()
    assert [row.site for row in third.lease(99).leased] == [fetching[0].site] * 2
    assert {row.site for row in first.lease(99).leased} == {fetching[1].site}


@pytest.mark.parametrize("seconds", [LEASE_DURATION.total_seconds() + 1, -3600], ids=["late", "clock set back an hour"])
def test_lease_that_is_not_renewed_expires(store, seconds):
    set_clock(store, 0)
    lost, other = run_of(store, owner="elsewhere|1|1|a"), run_of(store, owner="elsewhere|1|1|b")
    lost.add(links(2))
    lost.lease(9)
    for renewed in (50, 100, 0):
        set_clock(store, renewed)
        lost.renew_leases()
        assert other.renew_leases() == 0
    set_clock(store, seconds)
    assert other.renew_leases() == 2
    assert len(other.lease(9).leased) == 2


def test_lease_expires_when_owner_dies(store):
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        owner = owner_name(process.pid)
        worker = run_of(store, owner=owner)
        worker.add(links(2))
        worker.lease(9)
        assert not is_dead(owner) and run_of(store).lease(9).leased == []
        process.kill()
    assert is_dead(owner) and not is_dead(owner_name())
    assert len(run_of(store).lease(9).leased) == 2


def test_max_pages_counts_over_all_workers_and_restarts_but_not_what_the_arguments_leave_out(store):
    first, second = (run_of(store, max_pages=3, max_pages_="3") for _ in range(2))
    first.add([*links(9), *(QueuedLink(f"{HOME}old-{number}", left_out="before_since") for number in range(9))])
    assert len(first.lease(2).leased) == 2
    end(store, first, f"{HOME}0")
    first.close()
    (row, _) = second.lease(9).leased
    assert second.lease(9).exhausted, "one has ended, one was given back, three there are"
    end(store, second, row.url, UrlState.retried)
    (again,) = second.lease(9).leased
    assert (again.url, again.attempts) == (row.url, 1), "a page that is retried counts once"


@pytest.mark.parametrize("nearer_first", [True, False])
@pytest.mark.parametrize("in_one_commit", [True, False])
def test_url_found_too_deep_waits_where_the_run_finds_it_nearer_too(store, nearer_first, in_one_commit):
    """A worker that takes over a site from a killed one finds its URLs on other pages than that one did."""
    frontier = run_of(store)
    finds = [QueuedLink(f"{HOME}story", depth=1), QueuedLink(f"{HOME}story", depth=2, left_out="too_deep")]
    ends = [PageOutcome(f"{HOME}{n}", UrlState.not_article, run=frontier.run, links=[finds[n]]) for n in range(2)]
    pages = ends if nearer_first else ends[::-1]
    for group in [pages] if in_one_commit else [[page] for page in pages]:
        store.commit(group)
    frontier.add([QueuedLink(f"{HOME}story", depth=2, priority=9)])
    [row] = frontier.lease(9).leased
    assert (row.url, row.depth, row.priority) == (f"{HOME}story", 1, 9)


def test_start_after_a_finished_run_queues_what_is_due(store):
    set_clock(store, 0)
    first = run_of(store)
    first.add([*links(2), QueuedLink(f"{HOME}feed", kind="feed"), QueuedLink(f"{HOME}story")])
    first.lease(9)
    end(store, first, f"{HOME}0", reason="section")
    end(store, first, f"{HOME}1", reason="login")
    end(store, first, f"{HOME}feed", reason="list")
    story = outcome(f"{HOME}story", at=NOON)
    story.run, story.requested, story.article.date_published = first.run, RequestedUrl(revisit=True), NOON
    store.commit([story])
    first.close()
    store.write(finish_run, first.run, "finished", {})
    set_clock(store, 60)
    second = run_of(store)
    assert second.run != first.run and not second.continued
    assert urls_of(second.lease(9)) == [], "lists without new links wait for days"
    store.write(finish_run, second.run, "finished", {})
    set_clock(store, 3700)
    third = run_of(store)
    assert urls_of(third.lease(9)) == ["story"], "an article is looked at after an hour"
    third.close()
    end(store, third, f"{HOME}story", UrlState.failed, reason="http_404")
    store.write(finish_run, third.run, "finished", {})
    set_clock(store, 11 * 86_400)
    assert set(urls_of(run_of(store).lease(9))) == {"0", "1", "feed", "story"}, "nothing is final after one answer"


def test_frontier_continues_a_run_that_was_stopped(store):
    first = run_of(store)
    first.add(links(2))
    store.write(finish_run, first.run, "shutdown", {})
    second = run_of(store)
    assert (second.run, second.continued) == (first.run, True)
    store.write(finish_run, second.run, "finished", {})
    assert run_of(store).run == first.run, "two URLs of it wait"


def test_start_takes_over_urls_of_a_dead_run_with_other_arguments(store):
    set_clock(store, 0)
    left = run_of(store, deny="x")
    left.add(links(2))
    assert run_of(store).lease(9).leased == []
    set_clock(store, 7200)
    other = run_of(store, allow="y")
    assert len(other.lease(9).leased) == 2


def test_add_queues_known_links_that_are_due(store):
    set_clock(store, 0)
    first = run_of(store)
    first.add(links(3, kind="feed"))
    first.lease(9)
    for number in range(3):
        end(store, first, f"{HOME}{number}", reason="list")
    first.close()
    store.write(finish_run, first.run, "finished", {})
    set_clock(store, 11 * 86_400)
    second = store.frontier("feeds", {})
    assert second.add(links(3, kind="feed")).waiting == 3
    assert len(second.lease(9).leased) == 3


def test_lease_drains_while_a_candidate_is_left_which_keeps_the_run_open_and_is_not_queued_again(store):
    frontier, other = run_of(store), run_of(store)
    frontier.add(links(1))
    frontier.lease(9)
    page = FetchedPage(f"{HOME}0", b"page", NOON)
    store.commit([PageOutcome(page.url, UrlState.pending, run=frontier.run, candidate=Candidate(page))])
    assert frontier.lease(9).drained and other.lease(9).drained
    assert frontier.add(links(1)).waiting == 0
    frontier.close()
    store.write(finish_run, frontier.run, "finished", {})
    assert run_of(store).run == frontier.run, "what is pending keeps the run open"


def test_add_tells_known_urls_what_a_feed_says_of_them(store):
    frontier = run_of(store)
    sitemap, feed = {"source": "sitemap", "title": "Pier"}, {"source": "feed", "title": "The pier"}
    frontier.add([QueuedLink(f"{HOME}waiting", priority=5, meta={"listing": sitemap})])
    frontier.add([QueuedLink(f"{HOME}ended", priority=5)])
    end(store, frontier, f"{HOME}ended")
    for listing in (feed, sitemap):
        told = [QueuedLink(f"{HOME}{name}", priority=5, meta={"listing": listing}) for name in ("waiting", "ended")]
        assert frontier.add(told).waiting == 0, "they wait, or are done"
    assert frontier.add([QueuedLink(f"{HOME}waiting", priority=9, meta={"page": 1})]).waiting == 1
    (row,) = frontier.lease(9).leased
    assert json.loads(row.meta or "") == {"page": 1, "listing": feed}
    with store.database.reading() as connection:
        meta = connection.execute(select(urls.c.meta).where(urls.c.url == f"{HOME}ended")).scalar_one()
    assert json.loads(meta) == {"listing": feed}


NOW = datetime(2026, 5, 5, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def list_due(new_links: int, passed: timedelta | None = None, number: int = 0, **fields: Any) -> timedelta:
    fetched_before = None if passed is None else NOW - passed
    requested = RequestedUrl(revisit=True, fetched_before=fetched_before, **fields)
    url = f"https://example.org/tag/{number}"
    outcome = PageOutcome(url, UrlState.not_article, "section", requested=requested)
    due = next_due(outcome, outcome.state, None, new_links, NOW)
    return due - NOW


def requests_of_a_list(pays: bool, hours: int) -> int:
    """How often hourly runs ask for a list in that time."""
    due, fetched, requests = 0, None, 0
    for hour in range(hours):
        if hour >= due:
            passed = None if fetched is None else (hour - fetched) * HOUR
            fetched, requests = hour, requests + 1
            due = hour + list_due(9 * pays, passed) / HOUR
    return requests


def test_list_is_asked_in_each_run_while_it_leads_to_something_new_and_else_ever_less_often():
    assert requests_of_a_list(pays=False, hours=24 * 100) <= 6
    assert list_due(0, timedelta(days=80)) <= 1.5 * LONGEST_INTERVAL
    assert requests_of_a_list(pays=True, hours=24 * 10) >= 24 * 8
    assert list_due(1, HOUR) == timedelta(0)
    assert list_due(0, HOUR) <= 3 * HOUR, "it paid until now"
    assert list_due(0, timedelta(days=9), is_main_list=True) == timedelta(0), "a main list is asked in each run"


def test_lists_of_a_site_are_not_all_due_at_once():
    for stories, longest in ((9, 1), (7, 1), (2, 3.5), (1, 7), (0, 7)):
        days = [list_due(stories, number=number) / timedelta(days=longest) for number in range(100)]
        assert 0.5 <= min(days) < 0.6 and 1.4 < max(days) <= 1.5
        assert all(list_due(stories, number=number) == list_due(stories, number=number) for number in range(9))


def test_stories_make_a_list_due_not_its_other_pages_and_a_dead_link_that_is_no_story_waits_a_day(store):
    set_clock(store, 0)
    frontier = run_of(store)
    names = ("stories", "pages", "story", "about")
    frontier.add(QueuedLink(f"{HOME}{name}", priority=900 if name == "story" else 200, depth=1) for name in names)
    frontier.lease(9)
    found = {
        "stories": [QueuedLink(f"{HOME}story-{n}", priority=900) for n in range(9)],
        "pages": [QueuedLink(f"{HOME}pages?page={n}", priority=280) for n in range(9)]
        + [QueuedLink(f"{HOME}pages/feed", kind="feed", priority=900)],
    }
    for name, linked in found.items():
        end(store, frontier, f"{HOME}{name}", reason="section", depth=1, links=linked)
    for name in ("story", "about"):
        end(store, frontier, f"{HOME}{name}", UrlState.failed, reason="http_404", status=404)
    days = [(store.read(find_url, f"{HOME}{name}").next_due - NOON) / timedelta(days=1) for name in names]
    for waits, (least, most) in zip(days, ((0.5, 1.5), (3.5, 10.5), (1 / 24, 0.06), (1, 1.35)), strict=True):
        assert least <= waits <= most


@pytest.mark.parametrize(
    ("age", "due"), [(0.5, 1), (2, 6), (20, 24), (30, 168), (200, None)], ids=["new", "hours", "day", "week", "old"]
)
def test_article_is_asked_again_at_its_ages(age, due):
    article = Article(url="https://example.org/story", date_published=NOW - age * HOUR)
    outcome = PageOutcome(article.url, UrlState.stored, article=article, requested=RequestedUrl(revisit=True))
    at = next_due(outcome, outcome.state, article, 0, NOW)
    assert at == (None if due is None else NOW + (due - age) * HOUR)


def test_article_without_a_date_is_asked_again_once_in_about_a_week_and_its_other_address_rarely():
    article = Article(url="https://example.org/story", first_seen_at=NOW)
    outcome = PageOutcome(article.url, UrlState.stored, article=article, requested=RequestedUrl(revisit=True))
    due = next_due(outcome, outcome.state, article, 0, NOW)
    assert due is not None and 3 <= (due - NOW).days <= 10
    assert next_due(outcome, UrlState.unchanged, article, 0, due) is None
    other = PageOutcome("https://example.org/story/print", UrlState.unchanged, requested=RequestedUrl(revisit=True))
    other_due = next_due(other, other.state, article, 0, NOW)
    assert other_due is not None and 15 <= (other_due - NOW).days <= 45


@pytest.mark.parametrize(("state", "reason", "status", "hours", "fields"), examples(__file__, "failed"))
def test_url_that_failed_is_due_ever_later_and_final_only_if_it_stays_gone(state, reason, status, hours, fields):
    fields = fields or {}
    asked = fields["retry_after_hours"] * HOUR if "retry_after_hours" in fields else None
    requested, response = RequestedUrl(revisit=True), PageResponse(status or None, retry_after=asked)
    refused = PageOutcome(f"{HOME}story", UrlState[state], reason, requested=requested, response=response)
    for failures, expected in enumerate(hours, 1):
        due = next_due(refused, refused.state, None, 0, NOW, failures, leads_on=fields.get("leads_on", True))
        waits = "never" if due is None else (due - NOW) / HOUR
        assert waits == expected or expected <= waits <= 1.35 * expected or (expected == 720 and 360 <= waits <= 1080)


def test_failures_in_a_row_are_counted_over_runs_and_a_link_found_again_comes_before_a_retry(store):
    for day, failures in ((0, 1), (1, 2), (3, 3)):
        set_clock(store, day * 86_400)
        frontier = run_of(store)
        if day == 0:
            frontier.add(QueuedLink(f"{HOME}{name}", priority=900) for name in ("old", "listed"))
        assert len(frontier.lease(9).leased) == 2
        for name in ("old", "listed"):
            end(store, frontier, f"{HOME}{name}", UrlState.failed, reason="http_403")
        rows = store.read(urls_of_run, frontier.run)
        store.write(finish_run, frontier.run, "finished", {})
        assert [row.failures for row in rows] == [failures, failures]
    set_clock(store, 20 * 86_400)
    frontier = run_of(store)
    frontier.rerank(lambda row: 900)
    frontier.add([QueuedLink(f"{HOME}new", priority=800), QueuedLink(f"{HOME}listed", priority=900)])
    assert urls_of(frontier.lease(9)) == ["listed", "new", "old"]


def test_what_redirected_to_a_wall_is_due_with_it(store):
    frontier = run_of(store)
    frontier.add(links(2))
    wall = QueuedLink(f"{HOME}consent", meta={"redirect_times": 1, "redirect_urls": [f"{HOME}0"]})
    end(store, frontier, f"{HOME}0", UrlState.redirected, links=[wall], status=302)
    end(store, frontier, f"{HOME}1", UrlState.redirected, links=[wall], status=302)
    end(store, frontier, f"{HOME}consent", UrlState.not_article, reason="consent", status=200)
    due = {row.url[-1]: row.next_due for row in store.read(urls_of_run, frontier.run)}
    now = datetime.now(UTC)
    assert all(HOUR / 2 < due[name] - now < 2 * HOUR for name in "01t")


@pytest.mark.parametrize("seen_before", [True, False])
@pytest.mark.parametrize("state", [UrlState.not_article, UrlState.redirected])
def test_only_its_own_site_says_what_a_url_is(store, seen_before, state):
    """A list or a redirect of another site makes a link at most; the site's own feed, also at a subdomain, counts."""
    url, told = "https://a.example/story", {"listing": {"source": "feed", "title": "A lie"}, "date": "2001-01-01"}
    if seen_before:
        store.commit([PageOutcome("https://a.example/", UrlState.not_article, links=[QueuedLink(url)])])
    foreign = QueuedLink(url, kind="feed", meta={**told, "listed_in": "feed_entry"}, referrer="https://b.example/feed")
    store.commit([PageOutcome("https://b.example/feed", state, links=[foreign])])
    row = store.read(find_url, url)
    assert (row.kind, row.state, row.meta) == ("page", UrlState.queued, None)
    own = QueuedLink(url, meta=told, referrer="https://feeds.a.example/rss")
    store.commit([PageOutcome("https://feeds.a.example/rss", state, links=[own])])
    assert json.loads(store.read(find_url, url).meta)["listing"]["title"] == "A lie"


@pytest.mark.parametrize("is_article", [False, True])
def test_url_fetched_by_a_clock_that_was_ahead_is_due_by_the_clock_of_now(store, is_article):
    set_clock(store, 365 * 86_400)
    ahead = run_of(store)
    ahead.add(links(1))
    ahead.lease(9)
    if is_article:  # by that clock it is too old to be due again
        end(store, ahead, f"{HOME}0", UrlState.stored, article=outcome(f"{HOME}0", date_published=NOON).article)
        assert store.read(find_url, f"{HOME}0").next_due is None
    else:
        end(store, ahead, f"{HOME}0", reason="login")
    store.write(finish_run, ahead.run, "finished", {})
    set_clock(store, 0)
    assert urls_of(run_of(store).lease(9)) == ["0"]
