from datetime import UTC, datetime, timedelta

import pytest

from newsextract.crawl.config import Site
from newsextract.crawl.interval import interval, turn
from newsextract.store.yield_alerts import PastRun, SiteYield

NOON = datetime(2026, 5, 5, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
COURIER = Site("courier", "site", {}, interval=HOUR, shortest=HOUR / 3, longest=4 * HOUR)


def runs(*new: int) -> list[PastRun]:
    """Runs that brought so many new articles, newest first; the last began at noon."""
    found = []
    for n, count in enumerate(new):
        at = NOON - n * HOUR
        found.append(PastRun(n, at, at + HOUR / 10, yields={"courier.example": SiteYield(new=count)}))
    return found


@pytest.mark.parametrize(
    ("new", "hours"),
    [
        ([], 1),
        ([70], 1),  # the first brings the past
        ([0, 70], 1.5),
        ([0, 0, 70], 2.25),
        ([0] * 20, 4),  # no longer than `longest`
        ([5, 70], 1 / 1.5),
        ([9] * 20, 1 / 3),  # no shorter than `shortest`
        ([1, 4, 3, 70], 1),
        ([6, 0, 70], 1),
    ],
)
def test_a_site_is_asked_more_often_where_more_is_new_within_its_bounds(new: list[int], hours: float) -> None:
    assert interval(COURIER, runs(*new)) / HOUR == pytest.approx(hours)


def test_a_site_is_due_when_its_interval_has_passed_since_its_last_run_began() -> None:
    after = turn(COURIER, runs(2, 70), NOON + HOUR / 2)
    assert (after.due, after.is_due(NOON + HOUR / 2), after.is_due(NOON + HOUR)) == (NOON + HOUR, False, True)
    assert turn(COURIER, [], NOON).is_due(NOON)


def test_a_run_left_in_the_middle_goes_on_at_once_unless_somebody_is_at_it() -> None:
    left = PastRun(1, NOON, None, alive_until=NOON + HOUR / 60)
    assert not turn(COURIER, [left], NOON).is_due(NOON)
    assert turn(COURIER, [left], NOON + HOUR / 30).is_due(NOON + HOUR / 30)
    failed = [PastRun(2, NOON, NOON), *runs(1, 70)]
    assert turn(COURIER, failed, NOON).interval == HOUR, "a run that brought no figures moves nothing"
