"""Labelled pages for training: features, labels and weights of each page's blocks."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evaluation.corpora import FROM_FEEDS, Corpus, Gold, map_in_processes
from evaluation.scores import Judgement, judge
from evaluation.training.augment import variant, variant_with_modules
from evaluation.training.folds import fold_of
from evaluation.training.labels import labels, token_counts
from newsextract.extractors.fusion.extractor import logistic, sibling_weights
from newsextract.extractors.fusion.features import Floats, build_features
from newsextract.extractors.fusion.model import FEATURE_NAMES, feature_matrix
from newsextract.extractors.fusion.selection import CONFIDENCE_FEATURES, confidence_features, select_blocks
from newsextract.page import Page

#: Weight in the loss of all blocks of a page together; of one labelled block of a page with segments; factor for pages
#: made by augmentation.
PAGE_WEIGHT = 60.0
SEGMENT_WEIGHT = 0.4
VARIANT_WEIGHT = 0.4


@dataclass
class Example:
    """A labelled page: features (blocks, features), labels and weights (blocks,).

    `folder`: of its corpus, where it is read again to judge a choice of blocks; `made`: by augmentation of it.
    """

    folder: Path
    gold: Gold
    fold: int
    evidence: Floats
    labels: NDArray[np.float64]
    weights: NDArray[np.float64]
    made: bool

    @property
    def set(self) -> str:
        return self.folder.name

    def judge(self, logits: Floats) -> tuple[Judgement, NDArray[np.float64]]:
        """The judgement of the blocks chosen by these logits (blocks,), and the page's `confidence_features`."""
        if not len(logits):
            return judge(self.gold, "", False), np.zeros(len(CONFIDENCE_FEATURES))
        table = build_features(Page(Corpus(self.folder).html(self.gold.id), self.gold.url))
        weights = sibling_weights(table, logits)
        probability = logistic(logits if weights is None else logits + weights)
        chosen = select_blocks(table, probability)
        texts = table.blocks.texts
        text = "\n".join(texts[row] for row in np.flatnonzero(chosen).tolist())
        return judge(self.gold, text, bool(chosen.any())), confidence_features(table, probability, chosen)


def examples(corpora: Iterable[Corpus], workers: int, augmented: bool, step: Callable[[str], None]) -> list[Example]:
    """All pages of the corpora; if `augmented`, each followed by its variants. `step` is called after each page."""
    pages: list[Example] = []
    rows = [(corpus.folder, gold) for corpus in corpora for gold in corpus.gold]
    for made in map_in_processes(partial(_page, augmented), rows, workers):
        pages += made
        step(made[0].set)
    return pages


def _page(augmented: bool, row: tuple[Path, Gold]) -> list[Example]:
    folder, gold = row
    html = Corpus(folder).html(gold.id)
    pages = [example(folder, gold, html, made=False)]
    # modules would teach that such lines as golds from feeds have aren't text
    kinds = (variant,) if folder.name in FROM_FEEDS else (variant, variant_with_modules)
    made = [make(html, gold, paragraphs_of(folder)) for make in kinds] if augmented else []
    return pages + [example(folder, gold, page, made=True) for page in made if page]


@cache
def paragraphs_of(folder: Path) -> list[str]:
    """Paragraphs of a corpus's gold texts, from which augmentation makes comments."""
    lines = [line.strip() for row in Corpus(folder).gold for line in (row.text or "").split("\n")]
    return [line for line in lines if 20 <= len(line) <= 600] or ["I agree."]


def example(folder: Path, gold: Gold, html: bytes, made: bool) -> Example:
    """One labelled page."""
    page = Page(html, gold.url)
    texts = page.blocks.texts
    if gold.scored_by == "segments":
        weights = np.full(len(texts), SEGMENT_WEIGHT)
    else:
        weights = np.sqrt(token_counts(texts) + 1)
        weights *= PAGE_WEIGHT / max(1.0, weights.sum())
    columns = feature_matrix(build_features(page)) if texts else np.zeros((0, len(FEATURE_NAMES)), np.float32)
    weights *= VARIANT_WEIGHT if made else 1.0
    return Example(folder, gold, fold_of(gold), columns, labels(gold, texts), weights, made)


def stacked(pages: Sequence[Example]) -> tuple[Floats, Floats, Floats]:
    """Evidence, labels and weights of all labelled blocks."""
    known = [(page, ~np.isnan(page.labels)) for page in pages if len(page.labels)]
    return (
        np.concatenate([page.evidence[rows] for page, rows in known]),
        np.concatenate([page.labels[rows] for page, rows in known]).astype(np.float32),
        np.concatenate([page.weights[rows] for page, rows in known]).astype(np.float32),
    )
