"""Which sites are overdue, which disks nearly full, and what the failure of a crawl is taken for."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from newsextract.schedule.alerts import failure_of, find_full_disks
from newsextract.schedule.config import Site, SitesFile
from newsextract.schedule.intervals import SchedulePlan, SiteSchedule
from newsextract.schedule.watch import find_overdue

NOON = datetime(2026, 5, 5, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
SITE = Site("courier", "site", {}, interval=HOUR)


@pytest.mark.parametrize(
    ("schedule", "overdue"),
    [
        (SiteSchedule(SITE, HOUR, NOON - 2 * HOUR, NOON - HOUR), False),
        (SiteSchedule(SITE, HOUR, NOON - 3 * HOUR, NOON - 2 * HOUR), True),
        (SiteSchedule(SITE, HOUR, NOON - 3 * HOUR, running=True), False),
        (SiteSchedule(SITE, HOUR, NOON - 3 * HOUR), True),  # a run that was left in the middle
        (SiteSchedule(SITE, HOUR), True),  # never crawled; the file is older
        (SiteSchedule(SITE, HOUR / 60, NOON - HOUR / 6, NOON - HOUR / 6), False),  # minutes are no delay
    ],
)
def test_site_is_overdue_when_it_is_later_than_its_interval_is_long(schedule: SiteSchedule, overdue: bool) -> None:
    found = find_overdue(SchedulePlan(SitesFile(Path("sites.toml")), [schedule], NOON), NOON - 5 * HOUR)
    assert [(problem.subject, problem.kind) for problem in found] == ([("courier", "overdue")] if overdue else [])


def test_new_site_is_not_overdue_before_its_first_run() -> None:
    assert not find_overdue(SchedulePlan(SitesFile(Path("s")), [SiteSchedule(SITE, HOUR)], NOON), NOON - HOUR / 2)


def test_full_disk_is_found_once_for_all_its_folders(tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    folders = [tmp_path, tmp_path / "pages", tmp_path / "not there yet"]
    [problem] = find_full_disks(folders, min_free=2**62)
    assert (problem.subject, problem.kind) == (str(tmp_path), "disk")
    assert "GB are free" in problem.sentence


@pytest.mark.parametrize(
    ("stats", "kind", "sentence"),
    [
        ({"newsextract/fatal": "the disk is full", "newsextract/dropped/http_403": 9}, "failed", "the disk is full"),
        ({"newsextract/start_failed": ["it answers 403"], "newsextract/dropped/http_403": 1}, "blocked", "it answers"),
        ({"newsextract/start_failed": ["no host"], "newsextract/dropped/no_such_host": 1}, "failed", "no host"),
        ({"finish_reason": "memusage_exceeded"}, "failed", "it ended as memusage_exceeded"),
        ({}, "failed", "the crawl could not begin"),
    ],
)
def test_failure_of_a_crawl_is_a_block_where_the_site_refuses(stats: dict[str, Any], kind: str, sentence: str) -> None:
    problem = failure_of("courier", stats)
    assert (problem.subject, problem.kind) == ("courier", kind)
    assert problem.sentence.startswith(sentence)
