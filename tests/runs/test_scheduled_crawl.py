"""`newsextract crawl sites.toml` as a schedule calls it: two at once, and again when one site has changed."""

import json
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from zoneinfo import ZoneInfo

import pytest

from newsextract.health.past_runs import PastRun
from newsextract.health.status import read_status
from newsextract.health.yields import SiteYield
from newsextract.runs.config import Site
from newsextract.runs.intervals import current_interval, schedule_site
from newsextract.runs.many_sites import plan
from newsextract.runs.one_crawl import command_settings
from newsextract.store import Store
from newsextract.store.lookup import count_articles, find_versions
from tests.crawling import QUICK, Answer, article, front, newsextract, web
from tests.examples import examples

# The stories are copies of each other: whether they are marked, and reported again, depends on which site is first.
SETTINGS = {**QUICK, "NEWSEXTRACT_JSONL": "articles.jsonl", "NEWSEXTRACT_DUPLICATES": "0"}
STORIES = [f"/news/2026/05/story-{n}" for n in range(21)]
WALLS = [f"/news/2026/06/story-{n}" for n in range(9)]
BOX = "<div class=box><p>Readers of the Gazette liked this long list of other stories about the harbour.</p></div>"
FILE = Path(__file__).with_name("gazette.toml").read_text("utf-8")


@pytest.fixture(scope="module")
def schedule(tmp_path_factory) -> Iterator[SimpleNamespace]:
    """The calls: two at the same moment for two sites, then one for two sites by name; what the sites saw of each."""
    folder = tmp_path_factory.mktemp("schedule")
    with web() as gazette, web("127.0.0.2") as wire:
        (folder / "sites.toml").write_text(FILE.replace("GAZETTE", gazette.url).replace("WIRE", wire.url))
        gazette["/"] = front(*STORIES)
        for path in STORIES:
            gazette[path] = article(f"Story at {path}", f"Place {path}").replace("</article>", f"{BOX}</article>")
        item = f"<item><link>{gazette.url}/for-the-wire</link></item><item><link>{wire.url}/own</link></item>"
        gazette["/for-the-wire"] = article("A story for the wire", "Gazetteville")
        wire["/rss"] = Answer(f"<rss version='2.0'><channel>{item}</channel></rss>", content_type="text/xml")
        wire["/own"] = article("A story of the wire", "Wiretown")
        crawl = partial(newsextract, folder, "crawl", "sites.toml", settings=SETTINGS)
        with ThreadPoolExecutor() as pool:
            calls = [pool.submit(crawl, "--site", "gazette", "--site", "wire") for _ in range(2)]
        assert [call.result().returncode for call in calls] == [0, 0]
        asked = Counter(gazette.asked)
        gazette["/"] = front(*STORIES, *WALLS)
        for path in WALLS:
            gazette[path] = front("/")
        later = crawl("--site", "gazette", "--site", "gone", status=1)
        database = f"sqlite:///{folder / 'newsextract.db'}"
        calls = {"asked_at_first": asked, "later": later}
        yield SimpleNamespace(folder=folder, database=database, gazette=gazette, wire=wire, **calls)


def test_two_schedules_at_once_fetch_and_store_each_article_once(schedule):
    assert {path: schedule.asked_at_first[path] for path in STORIES} == dict.fromkeys(STORIES, 1)
    with Store.open(schedule.database) as store:
        assert store.read(count_articles) == len(STORIES) + 2
        assert {len(store.read(find_versions, schedule.gazette.url + path)) for path in STORIES} == {1}
        urls = Counter(row.article.url for row in store.articles())
    lines = (schedule.folder / "articles.jsonl").read_text().splitlines()
    assert Counter(json.loads(line)["url"] for line in lines) == urls, "four crawls wrote the file"


def test_entry_sets_headers_cookies_drop_and_extractor_of_its_site(schedule):
    seen = dict(zip(schedule.gazette.asked, schedule.gazette.headers, strict=True))
    assert {seen[path]["X-Subscriber"] for path in STORIES} == {"4711"}
    assert {seen[path]["Cookie"] for path in STORIES} == {"consent=given"}
    assert "X-Agency" in dict(zip(schedule.wire.asked, schedule.wire.headers, strict=True))["/rss"]
    assert "X-Agency" not in seen["/for-the-wire"]
    with Store.open(schedule.database) as store:
        rows = {row.article.url: row.article for row in store.articles()}
    assert [url for url, found in rows.items() if "Readers of the Gazette" in found.article_body] == []
    assert {rows[schedule.gazette.url + path].extractor for path in STORIES} == {"cetd"}


def test_failed_site_and_yield_drop_are_said_in_status_log_and_statistics(schedule):
    assert "not crawled: http://127.0.0.9:1/" in schedule.later.stderr
    assert set(WALLS) <= set(schedule.gazette.asked)
    assert f"only 0 of {len(WALLS)} pages were articles" in schedule.later.stderr
    with Store.open(schedule.database) as store:
        stats = [run.stats for run in store.read(read_status)[1]]
    warning = f"newsextract/yield_warning/{schedule.gazette.url.removeprefix('http://')}"
    assert [found[warning] in schedule.later.stderr for found in stats if warning in found] == [True]


def test_plan_gives_each_site_its_own_interval(schedule):
    found = plan(command_settings({"NEWSEXTRACT_DATABASE_URL": schedule.database}, schedule.folder / "sites.toml"))
    minutes = {row.site.name: (row.due - row.last).seconds / 60 for row in found.schedules if row.due and row.last}
    assert minutes == {"gazette": 90, "wire": 360, "gone": 30}, "the second run of the Gazette brought nothing new"
    assert found.due() == []


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


@pytest.mark.parametrize(("new", "hours"), examples(__file__, "intervals"))
def test_interval_follows_the_number_of_new_articles_within_bounds(new, hours):
    assert current_interval(COURIER, runs(*new)) / HOUR == pytest.approx(hours)


def test_refused_runs_leave_the_interval_as_it_was():
    quiet, refused = (SiteYield(fetched=9, failed=failed) for failed in (1, 7))
    refusals = [PastRun(n, NOON, NOON, yields={"courier.example": refused}) for n in (8, 9)]
    assert current_interval(COURIER, [*refusals, *runs(2, 0, 2, 70)]) == 1.5 * HOUR
    assert current_interval(COURIER, [replace(refusals[0], yields={"courier.example": quiet}), *runs(70)]) == 1.5 * HOUR
    assert current_interval(COURIER, [*runs(70), *refusals]) == HOUR, "the first run that was let in brings the past"


@pytest.mark.parametrize("interval", [timedelta(hours=1), timedelta(days=1), timedelta(weeks=1)])
def test_a_call_slightly_before_the_interval_is_over_crawls_the_site(interval):
    """A daily schedule calls 24 hours after its last call; the run of that call began seconds later."""
    site = replace(COURIER, interval=interval, shortest=interval, longest=interval)
    last = replace(runs(2)[0], started_at=NOON + timedelta(seconds=7))
    after = schedule_site(site, [last], NOON + interval)
    assert after.is_due(NOON + interval) and not after.is_due(NOON + interval * 0.85)


@pytest.mark.parametrize(("day", "hours"), [(datetime(2026, 3, 28), 23), (datetime(2026, 10, 24), 25)])
def test_daily_schedule_crawls_every_day_whatever_the_clocks_do(day, hours):
    site = replace(COURIER, interval=24 * HOUR, shortest=24 * HOUR, longest=24 * HOUR)
    local = [(day + timedelta(days=n)).replace(hour=3, tzinfo=ZoneInfo("Europe/Berlin")) for n in (0, 1)]
    calls = [call.astimezone(UTC) for call in local]
    assert calls[1] - calls[0] == timedelta(hours=hours)
    last = replace(runs(2)[0], started_at=calls[0] + timedelta(seconds=20))
    assert schedule_site(site, [last], calls[1]).is_due(calls[1])


def test_unfinished_run_is_due_at_once_unless_a_process_works_on_it():
    left = PastRun(1, NOON, None, alive_until=NOON + HOUR / 60)
    assert not schedule_site(COURIER, [left], NOON).is_due(NOON)
    assert schedule_site(COURIER, [left], NOON + HOUR / 30).is_due(NOON + HOUR / 30)
    failed = [PastRun(2, NOON, NOON), *runs(1, 70)]
    assert schedule_site(COURIER, failed, NOON).interval == HOUR, "a run that brought no figures moves nothing"


def test_runs_of_a_clock_that_was_ahead_do_not_count():
    """A machine booted a year ahead, crawled once, and was put right."""
    [usual, *_] = runs(2)
    ahead = replace(usual, id=9, started_at=NOON + timedelta(days=365), finished_at=NOON + timedelta(days=365, hours=1))
    assert schedule_site(COURIER, [ahead], NOON).is_due(NOON)
    after = schedule_site(COURIER, [ahead, replace(usual, started_at=NOON - HOUR / 2)], NOON)
    assert (after.due, after.ahead) == (NOON + HOUR / 2, ahead.started_at)
    held = PastRun(9, NOON - HOUR, None, alive_until=NOON + timedelta(days=365))
    assert schedule_site(COURIER, [held], NOON).is_due(NOON), "nobody works on it"
