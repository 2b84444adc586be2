"""Projects whose own pipelines stand before, between and behind ours: each article comes through, with their fields."""

import json
import sqlite3
from contextlib import closing

import pytest
from scrapy.settings import Settings

from newsextract.crawl.abort import WRONG
from newsextract.pipelines.extraction import ExtractionPipeline
from newsextract.pipelines.pairing import PairingPipeline
from newsextract.runs.addon import Addon
from tests import preloaded
from tests.crawling import run_command

PROGRAM = "tests.runs.own_pipelines"


@pytest.mark.parametrize("kind", ["dictionaries", "fields", "responses"])
@pytest.mark.parametrize("stored", [False, True])
def test_articles_and_their_own_fields_come_through_all_pipelines(tmp_path, kind, stored):
    database = tmp_path / "news.db"
    words = [*preloaded.command(PROGRAM), kind, f"sqlite:///{database}" if stored else ""]
    rows = [json.loads(line) for line in run_command(words, tmp_path).stdout.splitlines()]
    assert sorted(row["headline"] for row in rows) == [f"Canal {number} to be dredged" for number in range(3)]
    title = "A response" if kind == "responses" else "Canal"
    for row in rows:
        assert row["title"].startswith(title) and row["is_article"] and row["waited"] and "lock" in row["article_body"]
        assert row["steps"][0] == "ReturnsOwnClassAt500" and row["steps"][-1] == "RemovesAt800"
    if stored:
        with closing(sqlite3.connect(database)) as connection:
            assert connection.execute("SELECT count(*) FROM articles").fetchall() == [(3,)]


@pytest.mark.parametrize(
    ("places", "sentence"),
    [
        ({ExtractionPipeline: None}, "switches ExtractionPipeline off"),
        ({ExtractionPipeline: 800}, "ExtractionPipeline must come before ArticleFilterPipeline"),
        ({PairingPipeline: 100}, "PageItemPipeline must come before PairingPipeline"),
    ],
)
def test_project_that_can_give_no_article_is_told_before_the_first_request(places, sentence):
    settings = Settings({"ITEM_PIPELINES": places})
    Addon().update_settings(settings)
    assert sentence in settings[WRONG]
