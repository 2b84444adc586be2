"""Training of the weights of site profiles, on two small made sites."""

import json

import numpy as np
import pytest

from evaluation.training.site_examples import LabelledSite, SitePage
from evaluation.training.site_variants import VARIANTS, letters_of
from evaluation.training.site_weights import save_weights, site_tables, train_sites
from newsextract.body import body_rows
from newsextract.errors import WrongCall
from newsextract.extractors import make_extractor
from newsextract.metadata import classify_page, describe
from newsextract.page import Page
from newsextract.site_profile import summarize
from newsextract.site_profile.model import read_model

TOWNS = ("Ash", "Birch", "Cedar", "Dale", "Elm", "Fern")


def labelled(url: str, html: str, kind: str) -> SitePage:
    page = Page(html, url)
    extraction = make_extractor("fusion")(page)
    metadata = describe(page, extraction.chosen_blocks)
    rows = body_rows(extraction, metadata.values.get("headline"), ())
    text = "\n".join(extraction.texts[row] for row in rows)
    page_type = classify_page(page, text, metadata, extraction.confidence)
    summary = summarize(extraction, rows, metadata, page_type, width=len(text))
    labels = extraction.chosen[summary.blocks].astype(float) if kind == "article" else None
    tokens = None if labels is None else letters_of(summary.rows)
    return SitePage(
        summary, kind, page_type.is_article, labels, tokens, extraction.texts, extraction.chosen, rows, text or None
    )


@pytest.fixture(scope="module")
def sites() -> list[LabelledSite]:
    def site(name: str, fold: int) -> LabelledSite:
        pages = []
        for town in TOWNS:
            text = "".join(
                f"<p>In {town} the council met in week {week}, and it decided that the bridge {week} is repaired.</p>"
                for week in range(2, 8)
            )
            html = f"<title>{town}</title><h1>Bridges of {town}</h1>{text}<p>All rights of {name} are reserved.</p>"
            pages.append(labelled(f"http://{name}.example/2026/bridges-of-{town}/", html, "article"))
        links = "".join(f"<h2><a href='/{town}'>Bridges of {town}</a></h2>" for town in TOWNS)
        pages += [labelled(f"http://{name}.example/tag/{tag}/", links, "list") for tag in ("a", "b", "c")]
        return LabelledSite(name, fold, pages)

    return [site("gazette", 0), site("courier", 1)]


def test_train_sites_makes_weights_that_can_be_used(sites, tmp_path):
    training = train_sites(sites)
    save_weights(training.weights, tmp_path / "weights.json")
    read_model(json.loads((tmp_path / "weights.json").read_text()))
    assert training.folds.keys() == {0, 1} and training.figures.keys() == {"gazette", "courier"}
    assert all(known["pages"] == 9 and known["pure"] == 1.0 for _, known in training.figures.values())
    assert len(next(site_tables(training)).columns) == 7


def test_train_sites_needs_two_folds(sites):
    with pytest.raises(WrongCall, match="too few sites"):
        train_sites(sites[:1])


@pytest.mark.parametrize("changes", VARIANTS, ids=lambda changes: "+".join(change.__name__ for change in changes))
def test_variants_keep_rows_and_labels_together(sites, changes):
    rng, pages = np.random.default_rng(3), sites[0].pages
    for change in changes:
        pages = change(pages, rng)
    assert len(pages) >= len(sites[0].pages)
    for page in pages:
        assert page.labels is None or len(page.labels) == len(page.tokens) == len(page.summary.rows)
        assert (np.diff(page.summary.rows["position"].astype(int)) >= 0).all()
