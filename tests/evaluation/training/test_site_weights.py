"""Training of the weights of site profiles, on a small saved site that is in two folds."""

import json
from importlib.resources import files

import numpy as np
import pytest

from evaluation.training.folds import fold_weights, save_weights
from evaluation.training.site_examples import LabelledSite, read_sites
from evaluation.training.site_variants import VARIANTS
from evaluation.training.site_weights import site_table, train_sites
from newsextract.errors import WrongCall
from newsextract.site_profile.model import read_model
from tests.evaluation.crawling.saved_site import write_site


@pytest.fixture(scope="module")
def sites(tmp_path_factory) -> list[LabelledSite]:
    folder, names = tmp_path_factory.mktemp("sites"), ("gazette", "courier")
    (folder / "map.json").write_text(json.dumps({name: fold for fold, name in enumerate(names)}))
    weights = files("newsextract.extractors.fusion").joinpath("weights.json").read_text("utf-8")
    for fold in range(len(names)):
        fold_weights(folder, fold).write_text(weights)
    return read_sites([write_site(folder / name) for name in names], folder)


def test_train_sites_makes_weights_that_can_be_used_and_needs_two_folds(sites, tmp_path):
    training = train_sites(sites)
    save_weights(training.weights, tmp_path / "weights.json")
    read_model(json.loads((tmp_path / "weights.json").read_text()))
    assert training.folds.keys() == {0, 1} and training.figures.keys() == {"gazette", "courier"}
    assert all(known["pages"] == 6 and known["pure"] == 1.0 for _, known in training.figures.values())
    assert len(site_table(training).columns) == 7
    with pytest.raises(WrongCall, match="too few sites"):
        train_sites(sites[:1])


@pytest.mark.parametrize("changes", VARIANTS, ids=lambda changes: "+".join(change.__name__ for change in changes))
def test_variants_keep_rows_and_labels_together(sites, changes):
    rng, pages = np.random.default_rng(3), sites[0].pages
    for change in changes:
        pages = [*change(pages, rng)]
    assert len(pages) >= len(sites[0].pages)
    for page in pages:
        assert page.labels is None or len(page.labels) == len(page.tokens) == len(page.summary.rows)
        assert (np.diff(page.summary.rows["position"].astype(int)) >= 0).all()
