"""Scores of crawls of saved sites: each figure, and that they are those of the reference script."""

import importlib.util
import json

import pytest

from evaluation.crawling.site_folder import read_site
from evaluation.crawling.site_scores import score_site
from tests.conftest import saved_sites
from tests.evaluation.crawling.saved_site import ARTICLES, text_of
from tests.examples import examples


def article(path, **changes):
    title, place, date = ARTICLES[path]
    url = f"http://127.0.0.1:8000/{path.removesuffix('index.html')}"
    return {"url": url, "headline": title, "article_body": text_of(place), "date_published": date, **changes}


@pytest.fixture
def stored():
    """What a crawl stored: two of three articles, one of them with mistakes; the archive, the page About us."""
    base = "http://127.0.0.1:8000/"
    half = "\n".join(text_of("Norden").split("\n")[:2])
    return [
        article("2026/ferry.html", headline="Another one", date_published="2026-03-05T00:30:00+01:00"),
        article("2026/pier/index.html", article_body=half, date_published=None),
        {"url": f"{base}archive/", "headline": "Archive", "article_body": "", "date_published": None},
        {"url": f"{base}about/", "headline": "About", "article_body": "We are.", "date_published": None},
        {"url": f"{base}2026/unlinked/", "headline": "A page", "article_body": "x", "date_published": None},
    ]


def test_score_site_counts_articles_lists_static_pages_and_values(folder, stored):
    scores = score_site(read_site(folder), stored)
    assert (scores.articles, scores.stored, scores.statics) == (3, 5, 1)
    assert scores.found == pytest.approx(2 / 3)
    assert scores.pure == pytest.approx(2 / 3)
    assert (scores.headline, scores.date) == (0.5, 0.5)
    assert scores.f_of["/2026/ferry"] == 1
    assert 0.5 < scores.f_of["/2026/pier"] < 0.65
    assert (scores.missing, scores.lists, scores.static_pages) == (["/2026/only-in-feed"], ["/archive"], ["/about"])
    assert scores.wrong_headlines == {"/2026/ferry": "Another one"}
    assert scores.wrong_dates == {"/2026/pier": None}


def test_score_site_of_nothing_and_of_several_articles_with_one_path(folder):
    scores = score_site(read_site(folder), [])
    assert (scores.found, scores.pure, scores.f, scores.headline, scores.date) == (0, 0, None, None, None)
    rows = [article("2026/ferry.html"), article("2026/ferry.html", headline="A later version")]
    assert score_site(read_site(folder), rows).wrong_headlines == {"/2026/ferry": "A later version"}


@pytest.mark.parametrize(("field", "right", "value"), examples(__file__, "values"))
def test_headline_may_have_the_sites_name_and_date_be_a_day_off(folder, field, value, right):
    scores = score_site(read_site(folder), [article("2026/ferry.html", **{field: value})])
    assert (scores.headline if field == "headline" else scores.date) == right


@pytest.mark.sites
def test_score_site_gives_the_figures_of_the_reference_script(folder, stored, tmp_path, capsys):
    spec = importlib.util.spec_from_file_location("reference", saved_sites() / "score_sites.py")
    reference = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(reference)
    (tmp_path / "stored.jsonl").write_text("".join(json.dumps(row) + "\n" for row in stored))
    reference.score(folder, f"cp '{tmp_path / 'stored.jsonl'}' {{out}}", False)
    words = capsys.readouterr().out.split()
    printed = dict(zip(words[1::2], map(float, words[2::2]), strict=True))
    scores = score_site(read_site(folder), stored)
    ours = {"n": scores.articles, "stored": scores.stored, "statics": scores.statics, "F": scores.f}
    ours |= {"found": scores.found, "pure": scores.pure, "title": scores.headline, "date": scores.date}
    assert printed == {name: pytest.approx(value, abs=0.0005) for name, value in ours.items()}
