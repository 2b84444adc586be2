"""Agreement of published methods: asked where fusion is unsure, taken where six families choose the same text."""

import json
from importlib.resources import files

import numpy as np
import pytest

from newsextract import Page, extract
from newsextract.extractors.fusion import Fusion
from newsextract.extractors.fusion.agreement import AGREED_CONFIDENCE, agreed_blocks

SENTENCE = "On day {n} the surveyors measured the bank, wrote down what they saw, and went on to village number {n}."
PARAGRAPHS = [" ".join(SENTENCE.format(n=10 * n + m) for m in range(4)) for n in range(12)]
ARTICLE = "<title>Surveyors measured the bank</title><form><div>{}</div></form>".format(
    "".join(f"<p>{paragraph}</p>" for paragraph in PARAGRAPHS)
)


@pytest.fixture(scope="module")
def unsure(tmp_path_factory):
    """Weights like the package's, by which no page is likely to be right."""
    weights = json.loads(files("newsextract.extractors.fusion").joinpath("weights.json").read_text("utf-8"))
    weights["certainty"] = [-20.0, *[0.0] * (len(weights["certainty"]) - 1)]
    path = tmp_path_factory.mktemp("weights") / "unsure.json"
    path.write_text(json.dumps(weights), "utf-8")
    return str(path)


def test_agreement_is_taken_where_fusion_is_unsure(unsure):
    extraction = Fusion(weights=unsure)(Page(ARTICLE))
    assert extraction.text.split("\n") == PARAGRAPHS
    assert (extraction.by, extraction.confidence) == ("agreement", AGREED_CONFIDENCE)


def test_agreement_is_named_as_the_article_s_extractor(unsure):
    assert extract(ARTICLE, options={"weights": unsure}).extractor == "agreement"


def test_agreement_is_not_asked_where_fusion_is_sure():
    extraction = Fusion()(Page(ARTICLE))
    assert extraction.by is None and extraction.confidence > 0.05


@pytest.mark.parametrize("html", ["<p>Too short.</p>", "<ul>" + "<li><a href=/x>A link</a>" * 40 + "</ul>"])
def test_agreement_needs_a_text_that_six_families_choose(html):
    page = Page(html)
    assert agreed_blocks(page, np.zeros(len(page.blocks), bool)) is None
