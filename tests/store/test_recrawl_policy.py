"""When a later run asks for a URL again: lists as often as they lead to something new, articles while young."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from newsextract.items import Article
from newsextract.store.outcome import PageOutcome, UrlState
from newsextract.store.recrawl_policy import LONGEST_INTERVAL, next_due

NOW = datetime(2026, 5, 5, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def list_due(new_links: int, passed: timedelta | None = None, number: int = 0, **fields: Any) -> timedelta:
    outcome = PageOutcome(f"https://example.org/tag/{number}", UrlState.not_article, "section", revisit=True)
    outcome = replace(outcome, fetched_before=None if passed is None else NOW - passed, **fields)
    due = next_due(outcome, outcome.state, None, new_links, NOW)
    assert due is not None
    return due - NOW


def requests_of_a_list(pays: bool, hours: int) -> int:
    """How often hourly runs ask for a list in that time."""
    due, fetched, requests = 0, None, 0
    for hour in range(hours):
        if hour >= due:
            passed = None if fetched is None else (hour - fetched) * HOUR
            fetched, requests = hour, requests + 1
            due = hour + list_due(int(pays), passed) / HOUR
    return requests


def test_list_that_never_leads_to_anything_new_is_asked_less_and_less_often() -> None:
    assert requests_of_a_list(pays=False, hours=24 * 100) <= 6
    assert list_due(0, timedelta(days=80)) <= 1.5 * LONGEST_INTERVAL


def test_list_that_leads_to_something_new_is_asked_in_each_run() -> None:
    assert requests_of_a_list(pays=True, hours=24 * 10) >= 24 * 8
    assert list_due(1, HOUR) == timedelta(0)
    assert list_due(0, HOUR) <= 3 * HOUR, "it paid until now"


def test_main_list_is_asked_in_each_run() -> None:
    assert list_due(0, timedelta(days=9), is_main_list=True) == timedelta(0)


def test_lists_of_a_site_are_not_all_due_at_once() -> None:
    days = [list_due(1, number=number) / timedelta(days=1) for number in range(100)]
    assert 0.5 <= min(days) < 0.6 and 1.4 < max(days) <= 1.5
    assert all(list_due(1, number=number) == list_due(1, number=number) for number in range(9))


@pytest.mark.parametrize(
    ("age", "due"), [(0.5, 1), (2, 6), (20, 24), (30, 168), (200, None)], ids=["new", "hours", "day", "week", "old"]
)
def test_article_is_asked_again_at_its_ages(age: float, due: float | None) -> None:
    article = Article(url="https://example.org/story", date_published=NOW - age * HOUR)
    outcome = PageOutcome(article.url, UrlState.stored, article=article, revisit=True)
    at = next_due(outcome, outcome.state, article, 0, NOW)
    assert at == (None if due is None else NOW + (due - age) * HOUR)


def test_article_without_a_date_is_asked_again_once_in_about_a_week() -> None:
    article = Article(url="https://example.org/story", first_seen_at=NOW)
    outcome = PageOutcome(article.url, UrlState.stored, article=article, revisit=True)
    due = next_due(outcome, outcome.state, article, 0, NOW)
    assert due is not None and 3 <= (due - NOW).days <= 10
    assert next_due(outcome, UrlState.unchanged, article, 0, due) is None


def test_other_address_of_a_stored_article_is_not_asked_again() -> None:
    article = Article(url="https://example.org/story", date_published=NOW)
    outcome = PageOutcome("https://example.org/story/print", UrlState.unchanged, revisit=True)
    assert next_due(outcome, outcome.state, article, 0, NOW) is None
