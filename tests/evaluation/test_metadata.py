"""Scores of metadata: what counts as right, and which gold is counted apart."""

import tomllib
from importlib.resources import files

import pytest

from evaluation.corpora import Corpus
from evaluation.metadata import metadata_scores, same_title, wrong_gold


@pytest.mark.parametrize(
    ("wanted", "value", "right"),
    [
        ("Bridge opens!", "bridge opens", 1.0),
        ("Bridge opens after years", "Bridge opens after year", 1.0),
        ("Bridge opens after years", "Bridge", 0.0),
        ("Bridge opens", None, 0.0),
        ("Bridge opens", "River rises", 0.0),
    ],
)
def test_a_headline_is_right_if_its_letters_are(wanted, value, right):
    assert same_title(wanted, value) == right


def test_gold_that_is_counted_apart_has_its_reason():
    rows = tomllib.loads(files("evaluation").joinpath("wrong_gold.toml").read_text(encoding="utf-8"))["wrong"]
    assert all(row["reason"] and row["ids"].split() for row in rows)
    assert {field for _, field in wrong_gold()} <= {"headline", "date_published", "authors", "kind"}


def test_a_folder_is_scored_field_by_field_and_names_what_is_wrong(tmp_path):
    import gzip
    import json

    html = (
        """<title>Bridge opens | Paper</title><meta property="article:published_time" content="2024-05-03">
    <h1>Bridge opens after ten years</h1><p>By Ann Lee</p>"""
        + "<p>"
        + "The river rose in the night again. " * 30
    )
    row = {"id": "1", "url": "https://paper.example/news/bridge-opens", "text": "The river rose"}
    row |= {"title": "Bridge opens after ten years", "author": "Ann Lee, Bob Ray", "date": "2024-05-04"}
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "1.html.gz").write_bytes(gzip.compress(html.encode()))
    (tmp_path / "gold.jsonl").write_text(json.dumps(row) + "\n")
    scores = metadata_scores(Corpus(tmp_path), workers=1)
    assert (scores["headline"], scores["date_published"], scores["authors"]) == (
        1.0,
        0.0,
        pytest.approx(2 / 3, abs=1e-3),
    )
    assert [line[0] for line in scores["wrong"]["date_published"]] == ["1"]
