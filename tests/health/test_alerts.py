"""Yields of runs, warnings of sites that bring less than they used to, and states that are noted until they end."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from newsextract.health.alerts import Problem, delete_alerts, load_alerts, mark_notified, note_problems
from newsextract.health.drops import detect_drops
from newsextract.health.findings import note_run
from newsextract.health.past_runs import PastRun, past_runs
from newsextract.health.run_end import finish_run
from newsextract.health.status import read_status
from newsextract.health.yields import SiteYield
from newsextract.store import PageOutcome, QueuedLink, Store, UrlState
from newsextract.store.outcome import PageResponse, RequestedUrl
from tests.conftest import on_both_databases
from tests.examples import examples
from tests.store.samples import NOON, outcome

SITE = "example.org"
HOME = f"https://{SITE}/"
ARGUMENTS = {"url": HOME}
DAY = timedelta(days=1)


def crawl(
    store: Store,
    when: datetime,
    good: Sequence[str] = (),
    bad: Sequence[str] = (),
    reason: str = "consent",
    home: str = "front",
    dated: bool = True,
) -> dict[str, str]:
    """A run whose pages were articles or not, noted; what it warns of. `home`: the reason of the front page."""
    store.database.clock = lambda connection: when
    run = store.frontier("courier", ARGUMENTS).run
    front = PageOutcome(HOME, UrlState.not_article, home, run=run, at=when, requested=RequestedUrl(revisit=True))
    front.links = [QueuedLink(f"{HOME}{path}") for path in (*good, *bad)]
    store.commit([front])
    ends = [outcome(f"{HOME}{path}", at=when, date_published=when if dated else None) for path in good]
    ends += [PageOutcome(f"{HOME}{path}", UrlState.not_article, reason, at=when) for path in bad]
    store.commit([replace(end, run=run) for end in ends])
    warnings = store.write(finish_run, run, "finished", {})
    store.write(note_run, run)
    return warnings


def past_of(store: Store) -> list[PastRun]:
    return store.read(past_runs, {"courier": ARGUMENTS})["courier"]


def paths(name: object, count: int) -> list[str]:
    return [f"{name}-{number}" for number in range(count)]


@on_both_databases
def test_yield_counts_new_and_changed_articles_and_pages_without_article(store):
    crawl(store, NOON, paths("a", 3), paths("x", 2))
    later = NOON + timedelta(hours=2)
    store.database.clock = lambda connection: later
    run = store.frontier("courier", ARGUMENTS).run
    again = outcome(f"{HOME}a-0", "Quite another text by now.", at=later)
    again.run = run
    same = PageOutcome(f"{HOME}a-1", UrlState.unchanged, at=later, run=run)
    gone = PageOutcome(f"{HOME}a-2", UrlState.failed, "http_410", response=PageResponse(410), at=later, run=run)
    store.commit([again, same, gone, PageOutcome(f"{HOME}x-1", UrlState.unchanged, "section", at=later, run=run)])
    store.write(finish_run, run, "finished", {"other": 1})
    second, first = past_of(store)
    assert first.yields[SITE] == SiteYield(new=3, articles=3, others={"consent": 2}, fetched=6, failed=2)
    assert second.yields[SITE] == SiteYield(changed=1, articles=2, others={"http_410": 1}, fetched=4)
    assert (first.count("new"), second.count("new")) == (3, 0)
    assert [(run.count("new"), run.count("changed")) for run in store.read(read_status)[1]] == [(0, 1), (3, 0)]


@on_both_databases
def test_yield_of_an_unfinished_run_is_empty(store):
    run = store.frontier("courier", ARGUMENTS).run
    store.commit([PageOutcome(HOME, UrlState.not_article, "front", links=[QueuedLink(f"{HOME}a")], run=run)])
    assert store.write(finish_run, run, "shutdown", {}) == {}
    [left] = past_of(store)
    assert (left.yields, left.finished_at, left.alive_until) == ({}, None, None)
    assert store.frontier("courier", ARGUMENTS).run == run
    [again] = past_of(store)
    assert again.alive_until is not None, "somebody is at it"


@pytest.mark.parametrize(("reason", "kind", "cause"), examples(__file__, "causes"))
def test_site_that_brings_less_is_noted_by_its_likely_cause_until_it_brings_articles(store, reason, kind, cause):
    for day in range(4):
        assert crawl(store, NOON + day * DAY, paths(day, 9), paths(f"odd{day}", 1), "short") == {}
    assert kinds(store) == []
    warnings = crawl(store, NOON + 4 * DAY, [], paths("wall", 9), reason)
    told = f"only 0 of 9 pages were articles (usually 90%); 9 with reason {reason}: {cause}"
    assert warnings[SITE].startswith(told)
    [newest, before, *_] = past_of(store)
    assert (newest.warnings, before.warnings) == (warnings, {})
    [status] = store.read(read_status)[0]
    assert (status.warning, status.last and status.last.id, status.advice) == (warnings[SITE], newest.id, None)
    assert kinds(store) == [kind]
    store.write(mark_notified, store.read(load_alerts))
    crawl(store, NOON + 5 * DAY, paths(5, 12))
    assert kinds(store) == []
    assert [alert.ended_at is not None for alert in store.read(load_alerts)] == [True], "its end is to be told"
    crawl(store, NOON + 6 * DAY, [], paths("wall6", 12), reason)
    assert [(alert.kind, alert.ended_at) for alert in store.read(load_alerts)] == [(kind, None)], "it had not ended"


def kinds(store: Store) -> list[str]:
    return [alert.kind for alert in store.read(load_alerts) if alert.ended_at is None]


def test_front_page_that_becomes_an_empty_frame_is_warned_of_at_once(store):
    store.database.clock = lambda connection: NOON
    store.frontier("courier", ARGUMENTS).add([QueuedLink(HOME, kind="home")])
    crawl(store, NOON, paths("a", 6))
    warnings = crawl(store, NOON + timedelta(hours=1), home="needs_javascript")
    assert "the front page has reason needs_javascript" in warnings[SITE]


@on_both_databases
def test_finish_run_clears_statistics_of_old_runs(store, monkeypatch):
    monkeypatch.setattr("newsextract.health.run_end.RUNS", 3)
    other = store.frontier("courier", {"url": "https://example.net/"}).run
    store.write(finish_run, other, "finished", {"x": 1})
    for _ in range(6):
        store.write(finish_run, store.frontier("courier", ARGUMENTS).run, "finished", {"x": 1})
    assert [run.id - other for run in store.read(read_status)[1] if run.stats] == [6, 5, 4, 0]


def past(hours: list[float], new: list[int]) -> list[PastRun]:
    """Runs so many hours before noon, newest first."""
    return [
        PastRun(n, NOON - timedelta(hours=at), NOON, yields={SITE: SiteYield(new=count, articles=count)})
        for n, (at, count) in enumerate(zip(hours, new, strict=True))
    ]


@pytest.mark.parametrize(("tried", "articles_before", "said"), examples(__file__, "drops"))
def test_detect_drops_names_the_commonest_reason_of_a_clear_drop(tried, articles_before, said):
    before = past([1.0 + n for n in range(len(articles_before))], articles_before)
    sentence = detect_drops({SITE: SiteYield(**tried)}, NOON, before).get(SITE, "")
    assert bool(sentence) == bool(said) and said in sentence


def silence(hours: float, every: float = 3.0, runs: int = 20) -> dict[str, str]:
    return detect_drops({}, NOON, past([hours + every * n for n in range(runs)], [2] * runs))


def test_detect_drops_warns_of_a_silence_longer_than_ever():
    [sentence] = silence(24).values()
    assert sentence == "no new articles for 24 hours; before, about 16 a day: a redesign or a block?"
    assert silence(10) == {}, "few articles can have been missed"
    assert silence(24, every=13) == {}, "it was as silent before"
    assert silence(24, runs=4) == {}, "too little is known"
    assert detect_drops({SITE: SiteYield(new=1, articles=1)}, NOON, past([24, 27], [2, 2])) == {}


def test_site_that_dries_up_is_noted_as_silent(store):
    for day in range(8):
        crawl(store, NOON + day * DAY, paths(day, 6))
    crawl(store, NOON + 20 * DAY)
    [alert] = store.read(load_alerts)
    assert (alert.subject, alert.kind) == (SITE, "silent")
    assert "no new articles for 13 days" in alert.sentence


def test_first_run_is_noted_where_the_site_refuses_it_but_not_with_few_pages_or_none_that_might_be_articles(store):
    crawl(store, NOON, [], paths("a", 4), "http_403")
    crawl(store, NOON + DAY, [], paths("b", 20), "section")
    assert kinds(store) == []
    crawl(store, NOON + 2 * DAY, [], paths("c", 6), "http_403")
    assert kinds(store) == ["blocked"]


@on_both_databases
def test_articles_without_dates_are_noted(store):
    crawl(store, NOON, paths("a", 12), dated=False)
    [alert] = store.read(load_alerts)
    assert (alert.kind, alert.sentence) == ("no_dates", "12 of its last 12 articles have no publication date")
    crawl(store, NOON + DAY, paths("b", 18))
    assert kinds(store) == []


@on_both_databases
def test_state_that_ends_before_it_was_told_is_forgotten_and_another_cause_takes_its_place(store):
    def note(*problems: Problem) -> None:
        store.write(note_problems, problems, [SITE], ["blocked", "closed"])

    note(Problem(SITE, "blocked", "a"))
    note()
    assert store.read(load_alerts) == []
    note(Problem(SITE, "blocked", "a"))
    store.write(mark_notified, store.read(load_alerts))
    note(Problem(SITE, "closed", "b"))
    assert [(alert.kind, alert.notified_at) for alert in store.read(load_alerts)] == [("closed", None)]
    assert store.write(delete_alerts, SITE) == 1
