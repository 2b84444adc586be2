"""Rankers of fields: fitted from a prior on whole pages and on pages without declarations."""

import numpy as np

from evaluation.corpora import Corpus
from evaluation.training.field_weights import FIELDS, fit_field, labelled_choices
from evaluation.training.softmax import fit_softmax
from newsextract.files import package_data

TEXT = "<p>" + "The council met on the bridge and talked about the river for hours. " * 6 + "</p>"


def page(day, site):
    head = f'<meta property="article:published_time" content="2024-05-{day:02}T12:00:00Z">'
    html = f"<html lang=en><head>{head}</head><body><h1>Bridge opens</h1><p>{day} May 2024</p>{TEXT * 3}</body></html>"
    url = f"https://{site}.example/bridge-opens"
    return {"id": f"{site}-{day}", "url": url, "date": f"2024-05-{day:02}", "text": "The council", "html": html}


def test_the_weights_of_dates_are_fitted_and_measured_by_sites(write_corpus):
    corpus = Corpus(write_corpus(*(page(number + 1, f"paper{number}") for number in range(14))))
    weights = fit_field("dates", [corpus], 1, None)
    prior = package_data("evaluation.training", "dates_prior.toml")
    assert weights.values["threshold"] >= 0
    assert weights.values["weights"]["from:feed"] == prior["from:feed"], "no page has a feed"
    assert weights.figures["all sets: right"] == weights.figures["all sets without declarations: right"] == 1.0
    assert len(weights.folds) == 5


def test_a_page_is_decided_with_and_without_its_declarations(write_corpus):
    whole, stripped = labelled_choices(FIELDS["dates"], [Corpus(write_corpus(page(3, "paper")))])
    names = [{name for group in choice.groups for row in group.rows for name in row} for choice in (whole, stripped)]
    assert ["from:meta" in found for found in names] == [True, False]
    assert all("from:line" in found for found in names)
    assert any(stripped.groups[-1].right)


def test_weights_leave_their_prior_only_for_evidence():
    rows = [np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])] * 9
    right = [np.array([False, False, True])] * 9
    first, second, absent = fit_softmax(rows, right, np.ones(9), 1.0, np.array([2.0, 1.0, 3.0]))
    assert first < 2.0
    assert second > 1.0
    assert absent == 3.0
