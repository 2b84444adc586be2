"""Topics: the file, the test for a burst with its rate of false alarms, their export, and the alert."""

import random
from datetime import UTC, date, datetime, timedelta
from itertools import product
from pathlib import Path

import pytest

from newsextract.errors import WrongSetting
from newsextract.health.alerts import load_alerts
from newsextract.index.search import Count, open_current
from newsextract.index.topics import MIN_DAYS, find_burst, read_topics, tail_probability, topic_status
from tests.store.samples import outcome

TODAY = date(2026, 11, 20)


def write(folder: Path, text: str) -> Path:
    path = folder / "topics.toml"
    path.write_text(text, "utf-8")
    return path


def test_topics_file_is_checked_as_a_whole(tmp_path):
    text = 'extra = 1\n[topics.a]\nquery = "ferry OR ("\nlanguage = ["en"]\n[topics.b]\nsites = "x"\n'
    text += '[topics.c]\nquery = "x"\nlanguages = ["english!"]\n[topics]\n"d d" = 3'
    with pytest.raises(WrongSetting) as caught:
        read_topics(write(tmp_path, text), ["e"])
    message = str(caught.value)
    complaints = (
        *("extra is unknown", "a.language is unknown; did you mean languages", "a word is missing"),
        *("b.sites must be a list", "b.query must be", "'english!' isn't a language", "d d: a name", "no topic 'e'"),
    )
    for part in complaints:
        assert part in message, part
    for bad in ("", "[topics", "topics = 1", '"\\ud800"'):
        with pytest.raises(WrongSetting):
            read_topics(write(tmp_path, bad))


def clustered(rng: random.Random, mean: float) -> int:
    """A daily count of reports: random stories, each reported one to four times."""
    stories = sum(rng.random() < mean / 2.5 / 40 for _ in range(40))
    return sum(rng.randint(1, 4) for _ in range(stories))


def simulated_days(rng: random.Random, mean: float, independent: bool) -> list[Count]:
    days = []
    for back in range(70, -1, -1):
        day = TODAY - timedelta(back)
        weekend = day.weekday() >= 5
        total = rng.randint(30, 60) if weekend else rng.randint(90, 150)
        rate = mean * (0.7 if weekend else 1.0)
        number = sum(rng.random() < rate / total for _ in range(total)) if independent else clustered(rng, rate)
        days.append(Count(f"{day}", min(number, total), total))
    return days


@pytest.mark.parametrize(("independent", "most"), [(True, 0.002), (False, 0.01)], ids=["independent", "clustered"])
def test_burst_test_keeps_its_rate_of_false_alarms(independent, most):
    """The counts of a topic without a burst, over 60 topics of 1 to 12 articles a day and 15 tested days each."""
    rng, alarms = random.Random(7), 0
    for topic in range(60):
        days = simulated_days(rng, 1 + topic % 12, independent)
        for tested in (TODAY - timedelta(back) for back in range(15)):
            alarms += (burst := find_burst(days, tested)) is not None and burst.day == f"{tested}"
    assert alarms / (60 * 15) <= most


def test_burst_is_found_beside_the_usual_share_of_that_class_of_days():
    def days(usual: int, today: int, total: int = 100) -> list[Count]:
        before = [Count(f"{TODAY - timedelta(n)}", usual, 100) for n in range(2, 40)]
        return [*before, Count(f"{TODAY}", today, total)]

    burst = find_burst(days(2, 14), TODAY)
    assert burst is not None and burst.probability < 1e-5 and 1.9 < burst.expected < 2.2
    assert find_burst(days(2, 14), TODAY + timedelta(1)) == burst, "a burst of yesterday lasts"
    assert find_burst(days(2, 14, total=700), TODAY) is None, "a growing crawl isn't growing attention"
    assert find_burst(days(0, 4), TODAY) is None, "few articles are no burst"
    weekend = [day for day in days(2, 14) if date.fromisoformat(day.key).weekday() >= 5 or day.key == f"{TODAY}"]
    assert find_burst(weekend, TODAY) is None, "no weekday to compare with"
    assert len(weekend) > MIN_DAYS
    assert tail_probability(0, 10, [(1, 10)] * 9)[1] == pytest.approx(1)


TOPICS = """[topics.ferries]
query = "ferr* NOT plane"
[topics.zh]
query = "港"
languages = ["zh"]
sites = ["https://b.org/"]
"""


@pytest.fixture
def store(store):
    now, pages = datetime.now(UTC), []
    for day, n in product(range(40), range(10)):
        at, text = now - timedelta(day), f"{'ferry' if n == 0 or day < 1 else 'bus'} {day} {n}"
        pages.append(outcome(f"https://a.org/{day}-{n}", text, at=at, date_published=at))
    about = {"language": "zh-Hans", "date_published": now - timedelta(3)}
    store.commit([*pages, *(outcome(f"https://{site}.org/p", "渔港重建", at=now, **about) for site in "ab")])
    return store


@pytest.mark.usefixtures("store")
def test_topic_status_counts_and_bursts(tmp_path):
    topics = read_topics(write(tmp_path, TOPICS))
    with open_current(str(tmp_path / "newsextract.db")) as (index, _):
        ferries, port = (topic_status(index, topic, datetime.now(UTC).date()) for topic in topics)
    assert (ferries.today, ferries.week, len(ferries.newest)) == (10, 16, 3)
    assert ferries.usual == pytest.approx(7, abs=0.3) and ferries.burst is not None and ferries.burst.number == 10
    assert (port.today, port.week, port.burst) == (0, 1, None)
    assert [match.site for match in port.newest] == ["b.org"]


def test_burst_is_an_alert_until_it_ends(store, sqlite_url, tmp_path):
    from scrapy.settings import Settings

    from newsextract.runs.notifications import note_topics

    path = write(tmp_path, TOPICS)
    settings = Settings({"NEWSEXTRACT_DATABASE_URL": sqlite_url})
    note_topics(store, settings, tmp_path / "none.toml")
    assert store.read(load_alerts) == []
    note_topics(store, settings, path)
    [alert] = store.read(load_alerts)
    assert (alert.subject, alert.kind) == ("topic ferries", "burst")
    assert alert.sentence.startswith("10 of 10 articles of")
    write(tmp_path, TOPICS.replace("ferr*", "ferr* NOT ferry"))
    note_topics(store, settings, path)
    assert store.read(load_alerts) == [], "a topic is a query: an edited one applies to the past at once"
