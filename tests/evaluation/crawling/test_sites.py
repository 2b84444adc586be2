"""`scripts/bench sites`: one crawl of a small saved site, scored, compared, held to floors; weights by fold."""

import json
from importlib.resources import files

import pytest

from evaluation.crawling.site_folder import open_sites
from evaluation.crawling.sites import FIRST_PAGES, WEIGHTS, retracted_paths, share_of_later_articles
from newsextract.store import PageOutcome, UrlState
from tests.examples import examples
from tests.store.samples import outcome


@pytest.fixture
def folds(tmp_path):
    """Weights by fold: those of the package, with a page type by which no page is an article in fold 3."""
    for place, folder in WEIGHTS.items():
        target = tmp_path / "folds" / folder / "without-fold-3.json"
        target.parent.mkdir(parents=True, exist_ok=True)
        values = json.loads(files("newsextract").joinpath(place).read_text())
        target.write_text(json.dumps({**values, "threshold": 1e6} if folder == "page_type" else values))
    (tmp_path / "folds" / "map.json").write_text('{"gazette": 3}')
    return tmp_path / "folds"


def test_sites_prints_scores_that_can_be_compared_and_held(bench, tmp_path, folder, folds):
    result = bench("sites", folder, "--json", "one.json", "--pin", "floors.json", "--list", "--workers", 0)
    assert result.stderr == ""
    values = json.loads((tmp_path / "one.json").read_text())["sites"]["gazette"]
    scores = values["scores"]
    assert [scores[name] for name in ("articles", "found", "pure", "headline", "date")] == [3, 1, 1, 1, 1]
    assert scores["f"] > 0.99 and values["pages"] == 6 and values["retracted"] == values["wrongly_retracted"] == []
    words = ("--folds", folds, "--against", "one.json", "--floors", "floors.json", "--workers", 0)
    seen = bench("sites", folder, *words, status=1)
    assert "(-1.000)" in seen.stdout and "DROPPED" in seen.stdout, "no page is an article without fold 3"


@pytest.mark.parametrize(("words", "message"), examples(__file__, "wrong"))
def test_sites_answers_wrong_calls_in_a_sentence_before_any_crawl(bench, tmp_path, folder, words, message):
    (tmp_path / "map.json").write_text('{"another": 1}')
    result = bench("sites", *words.split(), status=2)
    assert result.stdout == "" and message in result.stderr


def test_pages_that_were_retracted_are_counted_whatever_became_of_them(store):
    kept, retracted = "https://courier.example/2026/kept", "https://courier.example/2026/retracted.html"
    store.commit([outcome(kept), outcome(retracted)])
    store.commit([PageOutcome(retracted, UrlState.not_article, "list", retract=True)])
    assert store.read(retracted_paths) == ["/2026/retracted"]


def test_share_of_later_articles_leaves_out_first_pages_and_what_is_no_page(folder):
    with open_sites([folder]) as (site,):
        [article, *_] = site.gold
        first = {f"/list/{number}": 1 for number in range(FIRST_PAGES)}
        assert share_of_later_articles(site, {"/feed.xml": 0, **first}) is None
        assert share_of_later_articles(site, {"/feed.xml": 0, **first, f"{article}.html": 2, "/tag": 1}) == 0.5
