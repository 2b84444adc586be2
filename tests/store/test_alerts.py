"""What the runs of a site show: which of its states are noted, and when they end."""

from datetime import timedelta

import pytest

from newsextract.store import PageOutcome, Store, UrlState
from newsextract.store.alerts import (
    Problem,
    finish_run,
    forget_alerts,
    load_alerts,
    mark_notified,
    note_problems,
    note_run,
)
from tests.store.conftest import on_both_databases
from tests.store.samples import NOON, outcome

SITE = "example.org"
HOME = f"https://{SITE}/"
DAY = timedelta(days=1)


def crawl(store: Store, day: int, good: int = 0, bad: int = 0, reason: str = "short", dated: bool = True) -> None:
    """A run of that day with so many new pages that are articles, or none; noted."""
    at = NOON + day * DAY
    store.database.clock = lambda connection: at
    run = store.frontier("courier", {"url": HOME}).run
    date = at if dated else None
    ends = [outcome(f"{HOME}{day}-good-{n}", at=at, date_published=date) for n in range(good)]
    ends += [PageOutcome(f"{HOME}{day}-bad-{n}", UrlState.not_article, reason, at=at) for n in range(bad)]
    for end in ends:
        end.run = run
    store.commit(ends)
    store.write(finish_run, run, "finished", {})
    store.write(note_run, run)


def kinds(store: Store) -> list[str]:
    return [alert.kind for alert in store.read(load_alerts) if alert.ended_at is None]


@on_both_databases
@pytest.mark.parametrize(
    ("reason", "kind"),
    [
        ("http_403", "blocked"),
        ("bot_check", "blocked"),
        ("robots", "blocked"),
        ("consent", "closed"),
        ("needs_javascript", "needs_javascript"),
        ("no_article", "redesigned"),
    ],
)
def test_site_that_brings_less_is_noted_by_its_likely_cause_until_it_brings_articles(
    store: Store, reason: str, kind: str
) -> None:
    for day in range(4):
        crawl(store, day, good=12)
    assert kinds(store) == []
    crawl(store, 4, bad=12, reason=reason)
    assert kinds(store) == [kind]
    store.write(mark_notified, store.read(load_alerts))
    crawl(store, 5, good=12)
    assert kinds(store) == []
    assert [alert.ended_at is not None for alert in store.read(load_alerts)] == [True], "its end is to be told"
    crawl(store, 6, bad=12, reason=reason)
    assert [(alert.kind, alert.ended_at) for alert in store.read(load_alerts)] == [(kind, None)], (
        "it had not ended after all"
    )


@on_both_databases
def test_site_that_dries_up_is_noted_as_silent(store: Store) -> None:
    for day in range(8):
        crawl(store, day, good=6)
    crawl(store, 20)
    [alert] = store.read(load_alerts)
    assert (alert.subject, alert.kind) == (SITE, "silent")
    assert "no new article for 13 days" in alert.sentence


def test_site_that_refuses_its_first_run_is_noted(store: Store) -> None:
    crawl(store, 0, bad=6, reason="http_403")
    assert kinds(store) == ["blocked"]


def test_site_of_few_pages_and_site_without_articles_yet_are_not_noted(store: Store) -> None:
    crawl(store, 0, bad=4, reason="http_403")
    crawl(store, 1, bad=20, reason="section")
    assert kinds(store) == []


@on_both_databases
def test_articles_without_dates_are_noted(store: Store) -> None:
    crawl(store, 0, good=12, dated=False)
    [alert] = store.read(load_alerts)
    assert (alert.kind, alert.sentence) == ("no_dates", "12 of its last 12 articles have no date of publication")
    crawl(store, 1, good=18)
    assert kinds(store) == []


@on_both_databases
def test_state_that_ends_before_it_was_told_is_forgotten_and_another_cause_takes_its_place(store: Store) -> None:
    store.write(note_problems, [Problem(SITE, "blocked", "a")], [SITE], ["blocked", "closed"])
    store.write(note_problems, [], [SITE], ["blocked", "closed"])
    assert store.read(load_alerts) == []
    store.write(note_problems, [Problem(SITE, "blocked", "a")], [SITE], ["blocked", "closed"])
    store.write(mark_notified, store.read(load_alerts))
    store.write(note_problems, [Problem(SITE, "closed", "b")], [SITE], ["blocked", "closed"])
    assert [(alert.kind, alert.notified_at) for alert in store.read(load_alerts)] == [("closed", None)]
    assert store.write(forget_alerts, SITE) == 1
