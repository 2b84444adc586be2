from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

import pytest

from newsextract.items import Link
from newsextract.store import PageOutcome, QueuedLink, Store, UrlState
from newsextract.store.alerts import PastRun, SiteYield, detect_drops, finish_run, past_runs, past_runs_of_all
from newsextract.store.lookup import read_status
from tests.store.conftest import on_both_databases
from tests.store.samples import NOON, outcome

SITE = "example.org"
HOME = f"https://{SITE}/"
ARGUMENTS = {"url": HOME}


def crawl(
    store: Store,
    when: datetime,
    good: Sequence[str] = (),
    bad: Sequence[str] = (),
    reason: str = "consent",
    home: str = "front",
) -> dict[str, str]:
    """A run of that day, whose pages were articles or not; what it warns of. `home`: the reason of the front page."""
    store.database.clock = lambda connection: when
    frontier = store.frontier("courier", ARGUMENTS)
    front = PageOutcome(HOME, UrlState.not_article, home, run=frontier.run, at=when, revisit=True)
    front.links = [Link(f"{HOME}{path}") for path in (*good, *bad)]
    store.commit([front])
    ends = [outcome(f"{HOME}{path}", at=when) for path in good]
    ends += [PageOutcome(f"{HOME}{path}", UrlState.not_article, reason, at=when) for path in bad]
    for end in ends:
        end.run = frontier.run
    store.commit(ends)
    return store.write(finish_run, frontier.run, "finished", {})


def paths(name: str, count: int) -> list[str]:
    return [f"{name}-{number}" for number in range(count)]


@on_both_databases
def test_yield_counts_new_and_changed_articles_and_pages_without_article(store: Store) -> None:
    crawl(store, NOON, paths("a", 3), paths("x", 2))
    later = NOON + timedelta(hours=2)
    store.database.clock = lambda connection: later
    run = store.frontier("courier", ARGUMENTS).run
    again = outcome(f"{HOME}a-0", "Quite another text by now.", at=later)
    same = PageOutcome(f"{HOME}a-1", UrlState.unchanged, at=later)
    gone = PageOutcome(f"{HOME}a-2", UrlState.failed, "http_410", status=410, at=later)
    known = PageOutcome(f"{HOME}x-1", UrlState.unchanged, "section", at=later)
    for end in (again, same, gone, known):
        end.run = run
    store.commit([again, same, gone, known])
    store.write(finish_run, run, "finished", {"other": 1})
    second, first = store.read(past_runs, "courier", ARGUMENTS)
    assert first.yields[SITE] == SiteYield(new=3, articles=3, others={"consent": 2})
    assert second.yields[SITE] == SiteYield(changed=1, articles=2, others={"http_410": 1})
    assert (first.new, second.new) == (3, 0)
    assert [(run.new, run.changed) for run in store.read(read_status)[1]] == [(0, 1), (3, 0)]


@on_both_databases
def test_yield_of_an_unfinished_run_is_empty(store: Store) -> None:
    run = store.frontier("courier", ARGUMENTS).run
    store.commit([PageOutcome(HOME, UrlState.not_article, "front", links=[Link(f"{HOME}a")], run=run)])
    assert store.write(finish_run, run, "shutdown", {}) == {}
    [left] = store.read(past_runs, "courier", ARGUMENTS)
    assert (left.yields, left.finished_at, left.alive_until) == ({}, None, None)
    assert store.frontier("courier", ARGUMENTS).run == run
    [again] = store.read(past_runs, "courier", ARGUMENTS)
    assert again.alive_until is not None, "somebody is at it"


@on_both_databases
def test_finish_run_warns_of_consent_walls_with_the_likely_cause(store: Store) -> None:
    for day in range(4):
        assert crawl(store, NOON + timedelta(days=day), paths(f"day{day}", 9), paths(f"odd{day}", 1)) == {}
    told = crawl(store, NOON + timedelta(days=4), [], paths("wall", 9))
    assert told == {SITE: "only 0 of 9 pages were articles, 90% before; 9 failed as consent: a consent wall?"}
    [newest, before, *_] = store.read(past_runs, "courier", ARGUMENTS)
    assert newest.warnings == told
    assert before.warnings == {}
    sites, _ = store.read(read_status)
    assert [(site.warning, site.last.id if site.last else None) for site in sites] == [(told[SITE], newest.id)]


def test_site_that_becomes_empty_frames_is_warned_of(store: Store) -> None:
    for day in range(3):
        assert crawl(store, NOON + timedelta(days=day), paths(f"day{day}", 12)) == {}
    warnings = crawl(store, NOON + timedelta(days=3), paths("b", 1), paths("c", 15), reason="needs_javascript")
    assert '15 failed as needs_javascript: pages rendered by JavaScript now (render = "auto"' in warnings[SITE]
    [status] = store.read(read_status)[0]
    assert (status.warning, status.advice) == (warnings[SITE], None)


def test_front_page_that_becomes_an_empty_frame_is_warned_of_at_once(store: Store) -> None:
    store.database.clock = lambda connection: NOON
    store.frontier("courier", ARGUMENTS).add([QueuedLink(HOME, kind="home")])
    crawl(store, NOON, paths("a", 6))
    warnings = crawl(store, NOON + timedelta(hours=1), home="needs_javascript")
    assert "the front page came as needs_javascript" in warnings[SITE]


def test_status_says_what_to_set_for_a_site_of_empty_frames(store: Store) -> None:
    crawl(store, NOON, paths("a", 2), paths("c", 4), reason="needs_javascript", home="needs_javascript")
    [status] = store.read(read_status)[0]
    assert status.advice is not None
    assert status.advice.startswith('5 of 7 pages are rendered by JavaScript: set render = "auto"')
    crawl(store, NOON + timedelta(days=1), paths("b", 9))
    assert store.read(read_status)[0][0].advice is None


@on_both_databases
def test_finish_run_clears_statistics_of_old_runs(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("newsextract.store.alerts.RUNS", 3)
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


@pytest.mark.parametrize(
    ("tried", "reason", "said"),
    [
        (SiteYield(articles=1, others={"http_403": 9}), "http_403", "a block?"),
        (SiteYield(articles=1, others={"short": 7, "consent": 2}), "short", "a redesign?"),
    ],
)
def test_detect_drops_names_the_commonest_reason(tried: SiteYield, reason: str, said: str) -> None:
    [sentence] = detect_drops({SITE: tried}, NOON, past([1, 2, 3], [8, 9, 60])).values()
    assert f"as {reason}: {said}" in sentence


@pytest.mark.parametrize(
    "tried",
    [
        SiteYield(articles=0, others={"section": 6}),  # few pages say nothing
        SiteYield(articles=6, others={"section": 4}),  # worse, but not by half
        SiteYield(),
    ],
)
def test_detect_drops_needs_a_clear_drop(tried: SiteYield) -> None:
    assert detect_drops({SITE: tried}, NOON, past([1, 2, 3], [8, 9, 60])) == {}


def test_detect_drops_needs_a_history() -> None:
    wall = SiteYield(others={"consent": 9})
    assert detect_drops({SITE: wall}, NOON, []) == {}
    assert detect_drops({SITE: wall}, NOON, past([1], [10])) == {}


def silence(hours: float, every: float = 3.0, runs: int = 20) -> Callable[[], dict[str, str]]:
    before = past([hours + every * n for n in range(runs)], [2] * runs)
    return lambda: detect_drops({}, NOON, before)


def test_detect_drops_warns_of_a_silence_longer_than_ever() -> None:
    [sentence] = silence(24)().values()
    assert sentence == "no new article for 24 hours, though some 16 a day came before: a redesign or a block?"
    assert silence(10)() == {}, "few articles can have been missed"
    assert silence(24, every=13)() == {}, "it was as silent before"
    assert silence(24, runs=4)() == {}, "too little is known"
    assert detect_drops({SITE: SiteYield(new=1, articles=1)}, NOON, past([24, 27], [2, 2])) == {}


@on_both_databases
def test_past_runs_of_many_spiders_are_those_of_each(store: Store) -> None:
    for day in range(3):
        crawl(store, NOON + day * timedelta(days=1), paths(str(day), 2))
    store.frontier("post", ARGUMENTS)
    arguments = {"courier": ARGUMENTS, "post": ARGUMENTS, "none": ARGUMENTS}
    found = store.read(past_runs_of_all, arguments, 2)
    assert found == {name: store.read(past_runs, name, ARGUMENTS, 2) for name in arguments}
    assert [len(runs) for runs in found.values()] == [2, 1, 0]
