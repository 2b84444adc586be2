"""Stories for people: commands, exports and alerts, over one small database."""

import json
from datetime import UTC, datetime, timedelta

import pyarrow.parquet
import pytest

from newsextract.health.alerts import load_alerts
from newsextract.runs.notifications import note_stories
from newsextract.store import PageOutcome, Store, UrlState
from newsextract.stories.update import update_stories
from tests.stories.articles import EVENTS, SITES, report

WIRE = "https://mirror.example/wire"
GERMAN = (
    "Fähre läuft vor Sorrel Point auf Grund",
    "Die Fähre Marigold ist am Montag vor Sorrel Point auf Felsen gelaufen, mit 184 Menschen an Bord. Kapitänin Ines "
    "Falk sagt, das Ruder habe versagt. Boote aus Port Anselm holten alle ab.",
)


@pytest.fixture
def database(tmp_path):
    """Nine reports of three events, the first one of the ferry found late, and one report in German."""
    given = [report(event, site, 3 * site) for event in EVENTS for site in range(3)]
    given[0].first_seen_at = given[0].date_published + timedelta(hours=9)
    headline, body = GERMAN
    german = report("ferry", 0, 1, url=WIRE, headline=headline, article_body=body, language="de")
    german.site = "mirror.example"
    given.append(german)
    with Store.open(f"sqlite:///{tmp_path}/newsextract.db") as store:
        store.commit([PageOutcome(a.url, UrlState.stored, article=a, at=a.first_seen_at) for a in given])
    return tmp_path


def records(ended):
    return [json.loads(line) for line in ended.stdout.splitlines()]


@pytest.fixture
def ferry(database, command):
    """The story of the ferry, as `stories of` prints it."""
    [story] = records(command("stories", "of", report("ferry", 0).url))
    return story


def test_story_is_shown_with_those_who_did_not_report_and_who_was_stored_first(ferry, command):
    assert [member["site"] for member in ferry["members"]] == [*SITES]
    assert ferry["central"] in {member["url"] for member in ferry["members"]}
    assert ferry["stored_first"]["site"] == SITES[1]
    shown = command("stories", "show", ferry["id"], "--format", "table").stdout
    assert f"stored first  2026-03-02 12:00 UTC {SITES[1]}" in shown
    assert "did not report: none" in shown


def test_articles_of_a_story_are_exported_with_their_ranks(ferry, command, tmp_path):
    fields = ("--fields", "url,story,story_first,story_rank")
    found = records(command("export", "--story", ferry["id"], *fields))
    assert [(row["story"], row["story_first"], row["story_rank"]) for row in found] == [
        (ferry["id"], rank == 1, rank) for rank in (1, 2, 3)
    ]
    assert len(records(command("export", "--stories", *fields))) == 10
    command("export", "--story", ferry["id"], "--format", "parquet", "-o", "rows")
    table = pyarrow.parquet.read_table(tmp_path / "rows")
    assert sorted(table.column("story_rank").to_pylist()) == [1, 2, 3]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("export", "--story", "4711"), "there is no story 4711"),
        (("export", "--fields", "story_rank"), "those of stories need --stories"),
        (("stories", "why", "https://a.example/"), "stories why needs the URLs of two articles"),
        (("search", "ferry", "--limit", "9" * 20), "a number is too large"),
        (("stories", "tell", "1"), "'tell' isn't one of show"),
        (("why", "https://a.example/", "https://b.example/"), "there is no article at https://a.example/"),
    ],
)
def test_wrong_calls(database, command, words, said):
    assert said in command(*words, status=None).stderr


def test_search_prints_the_stories_of_its_matches(ferry, command):
    [found] = records(command("search", "Marigold", "--stories", "--language", "en"))
    assert (found["id"], found["matching"], found["sites"]) == (ferry["id"], 3, 3)


def test_why_names_the_terms_that_two_articles_share(ferry, command):
    [found] = records(command("stories", "why", report("ferry", 0).url, report("ferry", 1, 3).url))
    assert found["similarity"] > found["threshold"]
    assert 0 < len(found["terms"]) <= 10
    assert sum(term["share"] for term in found["terms"]) <= 1
    assert "Marigold" in {term["word"] for term in found["terms"] if term["is_fact"]}
    [other] = records(command("stories", "why", report("ferry", 0).url, report("comet", 1, 3).url))
    assert other["similarity"] < other["threshold"]
    assert "two languages" in command("why", report("ferry", 0).url, WIRE).stdout


def test_story_in_another_language_is_suggested_but_not_merged(ferry, command):
    [found] = records(command("stories", "related", ferry["id"]))
    assert (found["url"], found["language"]) == (WIRE, "de")
    assert "184" in found["facts"]
    assert records(command("stories", "of", WIRE))[0]["id"] != ferry["id"]


def test_widely_reported_story_is_an_alert_once_and_ends(database):
    settings = {"NEWSEXTRACT_STORY_SITES": "3", "NEWSEXTRACT_STORY_ARTICLES_PER_HOUR": None}
    with Store.open(f"sqlite:///{database}/newsextract.db") as store:
        store.database.clock = lambda _: datetime(2026, 3, 2, 16, tzinfo=UTC)
        update_stories(store, f"sqlite:///{database}/newsextract.db")
        note_stories(store, settings)
        alerts = store.read(load_alerts)
        assert len(alerts) == 3
        assert all(alert.sentence.startswith("3 sites, 3 articles, 0 in the last hour: ") for alert in alerts)
        note_stories(store, {**settings, "NEWSEXTRACT_STORY_SITES": 4})
        assert store.read(load_alerts) == []
        store.database.clock = lambda _: datetime(2026, 3, 2, 14, 30, tzinfo=UTC)
        note_stories(store, {"NEWSEXTRACT_STORY_SITES": None, "NEWSEXTRACT_STORY_ARTICLES_PER_HOUR": 1})
        assert {"1 in the last hour" in alert.sentence for alert in store.read(load_alerts)} == {True}
