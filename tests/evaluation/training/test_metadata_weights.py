"""Fitted weights of the metadata: made from labelled pages by one command, the same each time, and read back."""

import gzip
import json
from importlib.resources import files

import pytest

from evaluation.corpora import Corpus
from evaluation.training.metadata_weights import (
    LabelledPage,
    Weights,
    fit,
    fit_headline,
    fit_page_type,
    labelled_pages,
    save,
)
from newsextract.errors import WrongCall
from newsextract.metadata.linear_model import LinearModel, load_model


def pages(number=40):
    """Articles whose second title is right, and pages that sell."""
    titles = [(False, {"first": 1.0}), (True, {"second": 1.0, "long": 0.5})]
    return [
        LabelledPage(
            "papers", i % 5, i % 2 == 0, titles if i % 2 == 0 else [], [{"prose" if i % 2 == 0 else "cart": 1.0}]
        )
        for i in range(number)
    ]


def test_what_the_right_titles_have_weighs_most():
    weights = fit_headline(pages())
    assert weights.values["weights"]["second"] > 0 > weights.values["weights"]["first"]
    assert weights.figures == {"papers: headline right": 1.0}


def test_what_articles_have_speaks_for_one_and_the_threshold_lies_between():
    weights = fit_page_type(pages())
    values = weights.values
    assert values["weights"]["prose"] > 0 > values["weights"]["cart"]
    model = LinearModel(values["weights"], values["bias"], values["threshold"])
    assert model.score({"prose": 1.0}) >= model.threshold > model.score({"cart": 1.0})
    assert weights.figures == {"papers: articles taken for articles": 1.0, "papers: others taken for articles": 0.0}


def test_the_same_pages_give_the_same_file(tmp_path):
    for name in ("one.json", "two.json"):
        save(Weights(fit_page_type(pages()).values), tmp_path / name)
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()


def test_too_few_sites_are_refused_and_so_is_an_unknown_name():
    with pytest.raises(WrongCall, match="too few sites"):
        fit_page_type([page for page in pages() if page.fold < 3])
    with pytest.raises(WrongCall, match="headline, page_type"):
        fit("author", [])


def test_a_page_gives_its_candidates_and_its_signs_with_and_without_address(tmp_path):
    html = b"<title>Bridge opens | Paper</title><h1>Bridge opens</h1><p>" + b"The river rose in the night again. " * 20
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "1.html.gz").write_bytes(gzip.compress(html))
    row = {"id": "1", "url": "https://paper.example/news/bridge-opens", "text": "The river", "title": "Bridge opens"}
    (tmp_path / "gold.jsonl").write_text(json.dumps(row) + "\n")
    (page,) = labelled_pages([Corpus(tmp_path)])
    assert page.article
    assert {right for right, _ in page.titles} == {True, False}
    assert ["story path" in signs for signs in page.signs] == [True, False, True]
    assert ["no confidence" in signs for signs in page.signs] == [False, False, True]


@pytest.mark.parametrize("name", ["headline", "page_type"])
def test_the_committed_weights_say_how_they_were_made(name):
    values = json.loads(files("newsextract.metadata").joinpath(f"{name}.json").read_text())
    assert values["provenance"]["command"].startswith(f"scripts/bench fit {name} ")
    assert load_model(name).weights == values["weights"]
