"""Weights of boxes: parts put into pages are labelled by what they are, and the network learns what they have."""

import random

import numpy as np

from evaluation.corpora import Gold
from evaluation.training.boxes import Boxes, fit_boxes, read_boxes
from evaluation.training.network import Fitting
from evaluation.training.parts import LABEL, add_parts, labels_of_parts, wrap_paragraphs
from newsextract.extractors.fusion.box_model import FEATURES, MAX_LOGIT
from newsextract.page import Page

LINES = [
    f"The keepers counted {number} boats at the east gate, and none of those had a name to read from the quay."
    for number in range(8)
]
PAGE = "<title>Boats</title><h1>Boats at the gate</h1><div>" + "".join(f"<p>{line}</p>" for line in LINES) + "</div>"


def test_parts_are_labelled_and_the_same_for_a_seed():
    def changed(seed):
        page, chance = Page(PAGE), random.Random(seed)
        places = [page.blocks.element(int(owner)) for owner in page.blocks.elements[1:]]
        parts = add_parts(places, LINES, chance)
        wrap_paragraphs(places, chance)
        html = page.tree.node.html
        for place, part in parts.items():
            assert place in html and f'{LABEL}="' in part
            html = html.replace(place, part)
        return html

    assert changed(1) == changed(1) != changed(2)
    found = labels_of_parts(Page(changed(1)).blocks)
    assert {*found[~np.isnan(found)].tolist()} <= {0.0, 1.0} and np.isnan(found).any()


def test_boxes_of_a_part_are_the_articles_as_its_label_says():
    box = f"<div {LABEL}='{{}}'><p>They had come for the bell.</p><p>It rang at noon.</p></div>"
    for rule, share in (("keep by hand", 1.0), ("drop by hand", 0.0)):
        page = Page(PAGE.replace("</p>", "</p>" + box.format(rule), 1))
        boxes = read_boxes(page, Gold("1", "https://one.example/boats", text="\n".join(LINES)))
        assert (boxes.shares.tolist(), boxes.kinds) == ([share], [rule])
        assert boxes.features.shape == (1, len(FEATURES))


def test_fit_boxes_learns_what_tells_boxes_apart():
    shares = np.arange(640) % 2.0
    features = np.zeros((640, len(FEATURES)), np.float32)
    features[:, [FEATURES.index(name) for name in ("ended", "commas", "mean odds", "log size")]] = shares[:, None]
    names = (("drop poll", "drop quiz"), ("keep letter", "keep recipe"))  # each is left out in turn
    kinds = [names[int(share)][number // 2 % 2] for number, share in enumerate(shares)]
    pages = [Boxes(fold, features[fold::5], shares[fold::5], np.full(128, 0.5), kinds[fold::5]) for fold in range(5)]
    weights = fit_boxes(pages, Fitting(hidden=4, epochs=20, rate=0.05, batch=64))
    assert [row[0] for row in weights.values["features"]] == [*FEATURES]
    decisions = weights.values["decisions"]
    assert decisions["dropped"]["box"] < decisions["kept"]["box"]
    assert decisions["odds_dropped"] < 0 < decisions["odds_kept"]
    assert weights.figures["parts on other sites: kept"] > 0.7 < weights.figures["parts on other sites: dropped"]


def test_thresholds_are_those_of_boxes_whose_blocks_were_judged_by_weights_without_their_site():
    shares = np.arange(640) % 2.0
    features = np.zeros((640, len(FEATURES)), np.float32)
    features[:, FEATURES.index("mean odds")] = shares

    def boxes(fold, wrong, unseen):
        rows = slice(fold, None, 5)
        return Boxes(fold, features[rows], shares[rows], np.full(128, wrong), [""] * 128, unseen=unseen)

    seen = [boxes(fold, 0.5, unseen=False) for fold in range(5)]
    right = [boxes(fold, 0.0, unseen=True) for fold in range(5)]  # the model of blocks needs no help
    how = Fitting(hidden=4, epochs=20, rate=0.05, batch=64)
    assert fit_boxes(seen, how).values["decisions"]["kept"]["box"] < MAX_LOGIT
    assert {*fit_boxes([*seen, *right], how).values["decisions"]["kept"].values()} == {MAX_LOGIT}
