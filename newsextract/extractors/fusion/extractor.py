"""Fusion: features of a block's text, position, neighbours and markup, of what the page declares, and of a peer,
combined by a trained model.

No paper of its own: the model and its explanation follow T. Denoeux, Logistic regression, neural networks and
Dempster-Shafer theory, Knowledge-Based Systems 176, 2019 (`model.py`), the comparison with a peer TSReC.
Measurements: docs/measurements/FUSION.md.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from newsextract.errors import WrongOption
from newsextract.extractors.base import Extraction, Method
from newsextract.extractors.fusion.box_model import MAX_LOGIT
from newsextract.extractors.fusion.features import GOOD_SUM, FeatureTable, Floats, Ints, build_features
from newsextract.extractors.fusion.model import BlockExplanation, Model, trained
from newsextract.extractors.fusion.selection import confidence_features, count_words, predict_confidence, select_blocks
from newsextract.extractors.fusion.units import unit_weights
from newsextract.page import Page
from newsextract.page.blocks import ONLY_LINKS, Numbers
from newsextract.parts.comments import comment_ranges
from newsextract.parts.other_articles import other_articles

#: Siblings from which on they are compared.
MIN_SIBLINGS = 3
#: Part of the way that a block goes to their mean.
PULL = 0.75
#: In the smallest element with this share of the good text, siblings may be children of different elements.
CORE = 0.5
#: So many siblings with this share of the good text that is kept are the main text.
MIN_MAIN = 5
MAIN_SHARE = 0.8
#: Log odds that are taken from what follows the main text.
BEHIND_MAIN = 1.0
#: Log odds of other articles' text, and of comments.
OTHER = -16.0
#: A peer with more than this share of the words selected without it is the same article.
SAME = 0.3
#: Shorter blocks, in characters, may be in any two articles.
SHORT = 4
#: Blocks of this length and more have their own likelihood ratios.
LONG = 60
#: Log odds beyond which a probability is 0 or 1.
OVERFLOW = 30.0


@dataclass(frozen=True)
class Fusion(Method):
    """`weights`: a file written by `scripts/bench train` to use instead of the package's.

    `Extraction.scores` are probabilities, `Extraction.evidence` is a `BlockExplanation`.
    """

    weights: str = ""

    name = "fusion"
    paper = "trained weights of evidence, fused by Dempster's rule (Denoeux 2019)"
    uses_peer = True

    def __post_init__(self) -> None:
        if not isinstance(self.weights, str):
            raise WrongOption(f"fusion: weights names a file, not {self.weights!r}")
        if self.weights:
            trained(self.weights)

    def __call__(self, page: Page, peer: Page | None = None) -> Extraction:
        if not len(page.blocks):
            return Extraction.of_blocks(page, np.zeros(0, bool), confidence=0.0)
        model = trained(self.weights)
        table = build_features(page)
        logits, added = block_logits(table, model)
        if (weights := unit_weights(table, logits)) is not None:
            added["units"] = weights
            logits = logits + weights
        probability = logistic(logits)
        chosen = select_blocks(table, probability)
        if peer is not None and (weights := peer_weights(table, peer, chosen, model.peer)) is not None:
            added["peer"] = weights
            probability = logistic(logits + weights)
            chosen = select_blocks(table, probability)
        measured = confidence_features(table, probability, chosen)
        confidence = predict_confidence(model.certainty, measured) if chosen.any() else 0.0
        return Extraction.of_blocks(
            page,
            chosen,
            probability,
            evidence=BlockExplanation(model, page, added),
            confidence=confidence,
            peer_url=peer.url if peer is not None and "peer" in added else None,
        )


def block_logits(table: FeatureTable, model: Model) -> tuple[Floats, dict[str, Floats]]:
    """(blocks,) log odds before units are decided, and what is added to the model's in them."""
    logits = model.logits_of(table)
    beside = {
        "siblings": sibling_weights(table, logits),
        "links": linked_weights(table, logits),
        "other articles": other_article_weights(table),
    }
    added = {source: weights for source, weights in beside.items() if weights is not None}
    return sum(added.values(), logits), added


def logistic(logits: Floats) -> Floats:
    """Probabilities from log odds."""
    probability: Floats = np.reciprocal(1 + np.exp(-np.maximum(logits, -OVERFLOW)))
    return probability


def sibling_weights(table: FeatureTable, logits: Floats) -> Floats | None:
    """(blocks,) weights to add to the log odds; None if no block has siblings.

    Paragraphs in equal markup are article, or not, together. A module between them moves the probabilities of those
    next to it; each alone would be kept or dropped by chance at one half. So the log odds of a good block go most of
    the way to the mean of its siblings' good blocks (by the square roots of their sizes).

    Behind the last paragraph of the main text stand author boxes, notices and other articles, so markup that is new
    there is doubted.
    """
    rows = table.good.nonzero()[0]
    if len(rows) < MIN_SIBLINGS:
        return None
    groups = Numbers().of(_sibling_keys(table, rows))
    counts = np.bincount(groups)
    if counts.max() < MIN_SIBLINGS:
        return None
    bounded = np.minimum(np.maximum(logits.take(rows), -MAX_LOGIT), MAX_LOGIT)
    shares = np.sqrt(table.size.take(rows))
    means = np.bincount(groups, shares * bounded) / np.bincount(groups, shares)
    weights = np.zeros(len(logits), np.float32)
    weights[rows] = PULL * (means.take(groups) - bounded) * (counts.take(groups) >= MIN_SIBLINGS)
    is_kept = logits + weights > 0
    kept = np.bincount(groups, table.size.take(rows) * is_kept.take(rows))
    main = int(kept.argmax())
    if counts[main] >= MIN_MAIN and kept[main] >= MAIN_SHARE * kept.sum():
        end = int(rows[groups == main][-1]) + 1
        before, behind = np.flatnonzero(is_kept[:end]), end + np.flatnonzero(is_kept[end:])
        if len(behind):
            known = set(_sibling_keys(table, before))
            weights[behind] -= [BEHIND_MAIN * (key not in known) for key in _sibling_keys(table, behind)]
    return weights


def linked_weights(table: FeatureTable, logits: Floats) -> Floats | None:
    """(blocks,) weights to add to the log odds; None if no link is kept.

    Lines of one element that are nothing but links and follow each other are related stories: where their mean says so,
    none is kept by chance.
    """
    is_link = table.link_share > ONLY_LINKS
    if not (is_link & (logits > 0)).any():
        return None
    parents = table.parents.take(table.blocks.elements)
    begins = np.concatenate(([False], (is_link[1:] != is_link[:-1]) | (parents[1:] != parents[:-1])))
    runs = np.add.accumulate(begins)
    counts = np.bincount(runs)
    means = (np.bincount(runs, logits) / counts).astype(np.float32)
    are_dropped = is_link & ((counts >= MIN_SIBLINGS) & (means < 0)).take(runs)
    return np.where(are_dropped, np.minimum(0, means.take(runs) - logits), np.float32(0))


def _sibling_keys(table: FeatureTable, rows: Ints) -> list[tuple[Hashable, ...]]:
    """A key for each of these blocks, equal for siblings: in the core, the tag and first class of its element and its
    element's parent, since modules part the text into several elements; else the parent too. Items of lists are often
    teasers, one element each, so theirs are siblings in one item only."""
    blocks, good = table.blocks, table.sums[GOOD_SUM]
    tags, classes = blocks.element_tags, blocks.element_classes
    first, last = blocks.spans[np.flatnonzero(good >= CORE * good[0])[-1]].tolist()
    elements = blocks.elements[rows]
    parents = table.parents[elements]
    alone = (
        table.last[elements] - table.first[elements] == 1
    )  # else the element's own lines are siblings: breaks part them
    columns = [column.tolist() for column in (rows, elements, parents, table.parents[parents], alone)]
    kinds = dict[tuple[str, str], tuple[str, str]]()  # one pair of each
    markup = {
        element: kinds.setdefault(pair := (tags[element], (classes[element] or "").partition(" ")[0]), pair)
        for element in {*columns[1], *columns[2]}
    }
    return [
        (markup[element], markup[parent], is_alone)
        if first <= row < last and "li" not in (tags[element], tags[parent], tags[above])
        else (parent if is_alone else -1 - element, markup[element])
        for row, element, parent, above, is_alone in zip(*columns, strict=True)
    ]


def other_article_weights(table: FeatureTable) -> Floats | None:
    """(blocks,) weights to add to the log odds; None if no other article declares itself below the page's own, and no
    comments do.
    """
    others, comments = table.page.view(other_articles), table.page.view(comment_ranges)
    if not others and not comments:
        return None
    weights = np.zeros(len(table.size), np.float32)
    for first, last in (*table.blocks.spans[others].tolist(), *comments):
        weights[first:last] = OTHER
    return weights


def peer_weights(table: FeatureTable, peer: Page, chosen: NDArray[np.bool_], ratios: Sequence[float]) -> Floats | None:
    """(blocks,) weights to add to the log odds; None if the peer is the same article or has no blocks.

    TSReC's idea (`methods/tsrec.py`) on blocks: text that another page of the site has, too, is hardly ever part of
    the article. `ratios`: log likelihood ratios counted in training (see `Model.peer`).
    """
    peer_texts = set(peer.blocks.texts)
    shared = np.array([text in peer_texts for text in table.blocks.texts], bool)
    words = count_words(table)
    if not len(peer.blocks) or words[shared & chosen].sum() > SAME * words[chosen].sum():
        return None
    kinds = 2 * (table.blocks.lengths >= LONG) + ~shared
    weights: Floats = np.array(ratios, np.float32)[kinds]
    is_link = table.link_share > ONLY_LINKS  # related stories are each page's own, too
    weights[(table.blocks.lengths < SHORT) | (is_link & ~shared)] = 0
    return weights


def with_site(extraction: Extraction, weights: NDArray[np.float64], chosen: NDArray[np.bool_]) -> Extraction:
    """The extraction with (blocks,) weights of `site_profile` added to its log odds, and these blocks chosen."""
    bounded = np.clip(extraction.scores, 1e-12, 1 - 1e-12)
    logits = np.log(bounded / (1 - bounded)) + weights
    scores = 1 / (1 + np.exp(-np.clip(logits, -OVERFLOW, OVERFLOW)))
    evidence, confidence = extraction.evidence, extraction.confidence
    if isinstance(evidence, BlockExplanation):
        evidence = evidence.with_site(weights)
        if (chosen != extraction.chosen).any():
            measured = confidence_features(evidence.table, scores.astype(np.float32), chosen)
            confidence = predict_confidence(evidence.model.certainty, measured)
    return replace(extraction, scores=scores, chosen=chosen, evidence=evidence, confidence=confidence)
