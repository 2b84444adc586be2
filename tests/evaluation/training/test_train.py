"""Training: labels by alignment, fits that come out the same, and a file that reads back."""

import json

import numpy as np
import pytest

from evaluation.corpora import Corpus, Gold
from evaluation.training.examples import examples
from evaluation.training.folds import fold_of, save_weights
from evaluation.training.labels import labels
from evaluation.training.network import Distillation, Fitting, fit
from evaluation.training.train import train
from newsextract.demo import Site
from newsextract.errors import WrongCall
from newsextract.extractors.fusion.model import read_model
from tests.evaluation.demo_corpus import write_corpus

HOW = Fitting(hidden=8, epochs=6, batch=64)
DISTILLATION = Distillation(teachers=2, student=HOW)


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Articles of the demonstration site as if each stood on a site of its own, with their variants; one is a list."""
    folder = tmp_path_factory.mktemp("corpus") / "villages"
    write_corpus(Site(), folder)
    rows = [json.loads(line) for line in (folder / "gold.jsonl").read_text("utf-8").splitlines()[:30]]
    rows = [row | {"url": f"https://paper{number}.example/"} for number, row in enumerate(rows)]
    rows[0] = {"id": rows[0]["id"], "url": rows[0]["url"], "page_type": "listing"}
    (folder / "gold.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return examples([Corpus(folder)], 1, True, lambda name: None)


def test_labels_are_the_share_of_each_block_in_the_gold_and_unknown_beside_segments():
    gold = Gold("1", text="The river rose in the night.\nThe bridge was closed at noon by the police.")
    found = labels(gold, ["Home", "The river rose in the night.", "Share The bridge was closed"])
    assert (found[0], found[1]) == (0, 1) and 0.5 < found[2] < 1
    gold = Gold("1", wanted=("was closed at noon",), unwanted=("Follow us on all networks",))
    found = labels(gold, ["The bridge was closed at noon.", "Follow us on all networks", "Something else"])
    assert found[:2].tolist() == [1, 0] and np.isnan(found[2])


def test_fold_of_pages_of_one_site_is_the_same():
    assert fold_of(Gold("1", "https://www.paper.example/a")) == fold_of(Gold("2", "http://paper.example/b"))
    hosts = [Gold(str(i), f"https://host{i}.example/", given_site="owner/paper") for i in range(20)]
    assert len({fold_of(gold) for gold in hosts}) == 1


def test_train_scores_well_on_unseen_sites_is_reproducible_read_back_and_refuses_too_few_sites(pages, tmp_path):
    training = train(pages, how=HOW, distillation=DISTILLATION)
    assert training.figures["villages"]["f"] > 0.8
    assert sum(count for _, _, count in training.reliability) == 30
    assert train(pages, how=HOW, distillation=DISTILLATION).weights == training.weights
    save_weights(training.weights, tmp_path / "weights.json")
    values = json.loads((tmp_path / "weights.json").read_text())
    assert values == json.loads(json.dumps(training.weights))
    assert np.isfinite(read_model(values).logits(pages[1].evidence)).all()
    with pytest.raises(WrongCall, match="too few sites"):
        train(pages[:2])


def test_fit_learns_what_no_single_column_says():
    columns = np.random.default_rng(0).normal(size=(500, 6)).astype(np.float32)
    wanted = (columns[:, 0] * columns[:, 1] > 0).astype(np.float32)
    how = Fitting(hidden=8, epochs=60, batch=100, drop_evidence=0, drop_hidden=0, rate=0.01)
    network = fit(columns, wanted, np.ones(500, np.float32), 5, how)
    assert ((network.logits(columns) > 0) == wanted).mean() > 0.9
