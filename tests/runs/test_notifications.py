"""Alerts: which sites are overdue and which disks nearly full; each is sent once, services that fail cost nothing."""

import json
import logging
import socket
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from newsextract.errors import WrongSetting
from newsextract.health.alerts import SITE_KINDS, Alert, Problem, load_alerts, note_problems
from newsextract.health.counts import CrawlCounts
from newsextract.runs.config import Site, SitesFile
from newsextract.runs.intervals import SchedulePlan, SiteSchedule
from newsextract.runs.notifications import failure_of, find_full_disks, message_of, notify, parse_services, services_of
from newsextract.runs.watch import find_overdue, find_wrong_clocks
from newsextract.text import MAX_LISTED
from tests.crawling import web
from tests.examples import examples
from tests.store.samples import NOON

SITE = "courier.example"
#: Seconds for a service that answers, on the slowest machine.
WAIT_SECONDS = 300
BLOCKED = Problem(SITE, "blocked", "none of 9 pages was an article; 9 with reason http_403: a block?")


def test_notify_sends_a_state_once_and_its_end_once(store):
    with web() as service:
        service["/"] = "thanks"
        services = parse_services([f"json://me:hush@127.0.0.1:{service.port}/"], thoroughly=True)
        for problems in ([BLOCKED], []):
            for _ in range(2):
                store.write(note_problems, problems, [SITE], SITE_KINDS)
                assert notify(store, services, WAIT_SECONDS)
        assert store.read(load_alerts) == []
    messages = [json.loads(body) for body in service.posted]
    titles = [f"newsextract: {SITE}: {state}" for state in ("blocked", "recovered")]
    assert [message["title"] for message in messages] == titles
    assert messages[0]["message"] == f"{SITE}: blocked: {BLOCKED.sentence}"


def test_dead_service_is_named_without_its_secrets_and_told_again(store, tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    with socket.socket() as dead:  # takes no connection, but keeps its port
        dead.bind(("127.0.0.1", 0))
        address = f"json://me:hush-hush@127.0.0.1:{dead.getsockname()[1]}/token-4711"
        store.write(note_problems, [BLOCKED], [SITE], SITE_KINDS)
        assert not notify(store, [address], WAIT_SECONDS)
        [alert] = store.read(load_alerts)
        assert alert.notified_at is None
        with web() as service:
            service["/"] = "thanks"
            assert notify(store, [address, f"json://127.0.0.1:{service.port}"], WAIT_SECONDS)
        assert len(service.posted) == 1
    assert "Alert service json:// rejected a message" in caplog.text
    stored = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    for secret in ("hush-hush", "token-4711"):
        assert secret not in caplog.text
        assert secret.encode() not in stored


def test_service_that_never_answers_is_ended_in_time(store):
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        store.write(note_problems, [BLOCKED], [SITE], SITE_KINDS)
        port = silent.getsockname()[1]
        assert not notify(store, [f"json://127.0.0.1:{port}/?rto=300&cto=300"], timeout=0.5)


def test_many_states_come_in_one_message():
    news = [Alert(f"{n}.example", "failed", "no", NOON, None, None) for n in range(50)]
    title, text = message_of(news)
    assert title == "newsextract: 50 problems"
    assert len(text.splitlines()) == MAX_LISTED + 1
    assert text.endswith(f"and {50 - MAX_LISTED} more: newsextract watch")


@pytest.mark.parametrize(("value", "error"), examples(__file__, "services"))
def test_wrong_service_is_named_by_its_position(value, error):
    with pytest.raises(WrongSetting, match=error) as raised:
        parse_services(value, thoroughly=True)
    assert "secret-token" not in str(raised.value)


def test_services_come_from_a_list_a_text_or_the_environment_and_wrong_ones_stop_no_crawl(monkeypatch, capsys):
    monkeypatch.setenv("NEWS_ALERTS", "json://example.org/hush")
    assert parse_services(["env:NEWS_ALERTS"]) == ["json://example.org/hush"]
    assert parse_services("json://a.example, mailto://b@c.example") == ["json://a.example", "mailto://b@c.example"]
    assert parse_services(()) == []
    assert services_of({"NEWSEXTRACT_ALERTS": "json://a.example"}, [7]) == ["json://a.example"]
    assert "alerts must be a list" in capsys.readouterr().err


NOW = datetime(2026, 5, 5, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
COURIER = Site("courier", "site", {}, interval=HOUR)


@pytest.mark.parametrize(
    ("schedule", "overdue"),
    [
        (SiteSchedule(COURIER, HOUR, NOW - 2 * HOUR, NOW - HOUR), False),
        (SiteSchedule(COURIER, HOUR, NOW - 3 * HOUR, NOW - 2 * HOUR), True),
        (SiteSchedule(COURIER, HOUR, NOW - 3 * HOUR, running=True), False),
        (SiteSchedule(COURIER, HOUR, NOW - 3 * HOUR), True),  # a run that was left in the middle
        (SiteSchedule(COURIER, HOUR), True),  # never crawled; the file is older
        (SiteSchedule(COURIER, HOUR / 60, NOW - HOUR / 6, NOW - HOUR / 6), False),  # minutes aren't a delay
    ],
)
def test_site_is_overdue_when_it_is_later_than_its_interval_is_long(schedule, overdue):
    found = find_overdue(SchedulePlan(SitesFile(Path("sites.toml")), [schedule], NOW), NOW - 5 * HOUR)
    assert [(problem.subject, problem.kind) for problem in found] == ([("courier", "overdue")] if overdue else [])


def test_new_site_is_not_overdue_before_its_first_run():
    assert not find_overdue(SchedulePlan(SitesFile(Path("s")), [SiteSchedule(COURIER, HOUR)], NOW), NOW - HOUR / 2)


def test_wrong_clock_is_a_problem_of_its_site_that_names_the_moment():
    ahead = SiteSchedule(COURIER, HOUR, NOW - HOUR, NOW, ahead=NOW + 24 * HOUR)
    [problem] = find_wrong_clocks(SchedulePlan(SitesFile(Path("s")), [ahead, SiteSchedule(COURIER, HOUR)], NOW))
    assert (problem.subject, problem.kind) == ("courier", "clock")
    assert f"{NOW + 24 * HOUR:%Y-%m-%d %H:%M} UTC" in problem.sentence


def test_full_disk_is_found_once_for_all_its_folders(tmp_path):
    (tmp_path / "pages").mkdir()
    folders = [tmp_path, tmp_path / "pages", tmp_path / "not there yet"]
    [problem] = find_full_disks(folders, min_free=2**62)
    assert (problem.subject, problem.kind) == (str(tmp_path), "disk")
    assert "GB are free" in problem.sentence


@pytest.mark.parametrize(("stats", "kind", "sentence"), examples(__file__, "failures"))
def test_failure_of_a_crawl_is_a_block_where_the_site_refuses(stats, kind, sentence):
    problem = failure_of("courier", CrawlCounts.of_run(stats))
    assert (problem.subject, problem.kind) == ("courier", kind)
    assert problem.sentence.startswith(sentence)
