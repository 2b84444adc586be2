"""Scores of metadata: what counts as right, and which gold is counted apart."""

import json
import tomllib
from datetime import UTC, datetime, timedelta, timezone
from importlib.resources import files

import pytest

from evaluation.corpora import Corpus, find_corpus
from evaluation.metadata import is_day_right, metadata_scores, same_day, same_title, wrong_gold
from tests.examples import examples


@pytest.mark.parametrize(
    ("wanted", "value", "right"),
    [
        ("Bridge opens after years", "bridge opens: after year!", 1.0),
        ("Bridge opens after years", "Bridge", 0.0),
        ("Bridge opens", None, 0.0),
        ("Bridge opens", "River rises", 0.0),
    ],
)
def test_same_title_compares_letters_and_digits(wanted, value, right):
    assert same_title(wanted, value) == right


def test_wrong_gold_rows_have_reasons():
    rows = tomllib.loads(files("evaluation").joinpath("wrong_gold.toml").read_text(encoding="utf-8"))["wrong"]
    assert all(row["reason"] and row["ids"].split() for row in rows)
    assert {field for _, field in wrong_gold()} <= {"headline", "date_published", "authors", "page_type"}


@pytest.mark.parametrize(("wanted", "day", "days_off", "right"), examples(__file__, "days"))
def test_same_day_allows_so_many_days_off(wanted, day, days_off, right):
    assert same_day(wanted, datetime(2024, 5, day, 23, tzinfo=UTC), days_off) == right


def test_a_day_cut_in_utc_is_right_in_utc_where_golds_are():
    evening = datetime(2024, 5, 2, 19, 30, tzinfo=timezone(timedelta(hours=-7)))
    assert is_day_right("publishers", "2024-05-03", evening)
    assert is_day_right("publishers", "2024-05-02", evening)
    assert not is_day_right("newsrooms", "2024-05-03", evening)


ARTICLE = f"""<html lang=en><title>Bridge opens | Paper</title>
    <meta property="article:published_time" content="2024-05-03">
    <meta property="og:image" content="https://cdn.example/800/bridge.jpg?w=8">
    <h1>Bridge opens after ten years</h1><p class=standfirst>It took ten years and two floods.</p>
    <p>By Ann Lee</p><p>{"The river rose in the night again. " * 30}"""
LIST = "<title>News</title><h1>News</h1>" + "".join(f"<li><a href=/{i}>A story, number {i}</a></li>" for i in range(40))
GOLD = {"id": "1", "url": "https://paper.example/news/bridge-opens", "text": "The river rose"}
GOLD |= {"title": "Bridge opens after ten years", "author": "Ann Lee, Bob Ray", "date": "2024-05-04", "html": ARTICLE}


def test_metadata_scores_by_field_name_the_wrong_pages_and_without_declarations_what_is_guessed(write_corpus):
    corpus = Corpus(write_corpus(dict(GOLD)))
    scores = metadata_scores(corpus, workers=1)
    assert (scores["headline"], scores["date_published"], scores["guessed_date_published"]) == (1.0, 0.0, 1.0)
    assert scores["authors"] == pytest.approx(2 / 3, abs=1e-3)
    assert [line[0] for line in scores["wrong"]["date_published"]] == ["1"]
    assert "taken" not in scores
    bare = metadata_scores(corpus, workers=1, declared=False)
    assert (bare["date_published"], bare["guessed_date_published"], bare["declared"]) == (0.0, 0.0, False)


def test_metadata_scores_read_rows_without_text(write_corpus):
    folder = write_corpus(dict(GOLD))
    row = {"id": "1", "url": GOLD["url"], "subtitle": "It took ten years and two floods."}
    row["lead_image"] = "https://paper.example/bridge.jpg"
    (folder / "metadata.jsonl").write_text(json.dumps(row), encoding="utf-8")
    (folder / "gold.jsonl").unlink()
    scores = metadata_scores(find_corpus(folder), workers=1)
    assert [scores[name] for name in ("subtitle", "main_image", "kept")] == [1.0, 1.0, 1.0]


def test_metadata_scores_of_a_mixed_corpus_have_articles_kept_and_lists_taken(write_corpus):
    rows = [
        {**GOLD, "language": "en", "site": "paper"},
        {"id": "2", "url": "https://paper.example/news/", "page_type": "listing", "html": LIST},
        {"id": "3", "url": "https://paper.example/news/story", "page_type": "page", "html": ARTICLE},
    ]
    scores = metadata_scores(Corpus(write_corpus(*rows, name="wpsites")), workers=1)
    assert (scores["headline_pages"], scores["language"], scores["language_pages"]) == (1, 1.0, 1)
    assert scores["date_published"] == 1.0, "dates of feeds may be a day off"
    assert (scores["kept"], scores["kept_pages"]) == (1.0, 1)
    assert (scores["taken"], scores["taken_listing"], scores["taken_page"]) == (0.5, 0.0, 1.0)
    assert [line[0] for line in scores["wrong"]["page_type"]] == ["3"]
