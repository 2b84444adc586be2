"""Fitted weights of the metadata: made from labelled pages by one command, the same each time, and read back."""

import json
from importlib.resources import files

import pytest

from evaluation.corpora import Corpus
from evaluation.training import metadata_weights
from evaluation.training.folds import save_folds
from evaluation.training.metadata_weights import LabelledPage, fit_headline, fit_page_type, labelled_pages
from newsextract.errors import WrongCall
from newsextract.metadata.linear_model import LinearModel, load_model


def pages(number=40):
    """Articles whose second title is right, and pages that sell."""
    titles = [(False, {"first": 1.0}), (True, {"second": 1.0, "long": 0.5})]
    kinds = [(True, titles, "prose"), (False, [], "cart")]
    rows = ((i % 5, *kinds[i % 2]) for i in range(number))
    return [LabelledPage("papers", fold, article, titles, [{sign: 1.0}]) for fold, article, titles, sign in rows]


def test_fit_headline_weighs_features_of_right_titles_most():
    weights = fit_headline(pages())
    assert weights.values["weights"]["second"] > 0 > weights.values["weights"]["first"]
    assert weights.figures == {"papers: headline right": 1.0}


def test_fit_page_type_separates_articles_by_its_threshold():
    weights = fit_page_type(pages())
    values = weights.values
    assert values["weights"]["prose"] > 0 > values["weights"]["cart"]
    model = LinearModel(values["weights"], values["bias"], values["threshold"])
    assert model.score({"prose": 1.0}) >= model.threshold > model.score({"cart": 1.0})
    assert weights.figures["papers: articles taken for articles"] == 1.0
    assert weights.figures["papers: others taken for articles"] == 0.0
    assert weights.figures["calibration: slope"] > 0
    assert fit_page_type(pages()).values == values, "the same pages give the same weights"


@pytest.mark.parametrize("fitting", [fit_headline, fit_page_type])
def test_save_folds_writes_weights_fitted_without_the_pages_of_each_fold(fitting, tmp_path):
    odd = LabelledPage("papers", 3, True, [(True, {"only there": 9.0}), (False, {})], [{"only there": 9.0}])
    save_folds(enumerate(fitting([*pages(), *[odd] * 20]).folds), tmp_path / "page_type")
    weights = [json.loads((tmp_path / f"page_type/without-fold-{fold}.json").read_text()) for fold in range(5)]
    assert ["only there" in values["weights"] for values in weights] == [True, True, True, False, True]


def test_fit_refuses_too_few_sites_and_unknown_names():
    with pytest.raises(WrongCall, match="too few sites"):
        fit_page_type([page for page in pages() if page.fold < 3])
    with pytest.raises(WrongCall, match="headline, page_type, dates, authors"):
        metadata_weights.fit("section", [])


def test_labelled_pages_have_features_with_and_without_url(write_corpus):
    html = "<title>Bridge opens | Paper</title><h1>Bridge opens</h1><p>" + "The river rose in the night again. " * 20
    row = {"id": "1", "url": "https://paper.example/news/bridge-opens", "text": "The river", "title": "Bridge opens"}
    (page,) = labelled_pages([Corpus(write_corpus({**row, "html": html}))])
    assert page.article
    assert {right for right, _ in page.titles} == {True, False}
    assert ["story path" in signs for signs in page.signs] == [True, False, True]
    assert ["no confidence" in signs for signs in page.signs] == [False, False, True]


@pytest.mark.parametrize("name", ["headline", "page_type", "dates", "authors"])
def test_committed_weights_have_the_command_that_made_them(name):
    values = json.loads(files("newsextract.metadata").joinpath(f"{name}.json").read_text())
    assert values["provenance"]["command"].startswith(f"scripts/bench fit {name} ")
    assert load_model(name).weights == values["weights"]
