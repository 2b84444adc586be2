"""How well stories agree with labels: BCubed, pairwise F, normalised mutual information, first reports.

A. Bagga, B. Baldwin. Entity-based cross-document coreferencing using the vector space model. ACL, 1998 (BCubed: for
each article, the share of its story's articles that have its label, and the reverse; averaged over articles).
"""

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Counts = Counter[Hashable]
Pairs = Counter[tuple[Hashable, Hashable]]

#: Resamples of an interval, and its quantiles.
RESAMPLES = 500
INTERVAL = (0.025, 0.975)


@dataclass(frozen=True, slots=True)
class Agreement:
    """All from 0 to 1. `low`, `high`: 95 % interval of `bcubed`, over labelled stories drawn with replacement.

    `first_reports`: F of the articles that begin a story, in the order given.
    """

    articles: int
    labels: int
    precision: float
    recall: float
    pairwise: float
    nmi: float
    first_reports: float
    low: float
    high: float

    @property
    def bcubed(self) -> float:
        return f_measure(self.precision, self.recall)


def f_measure(precision: float, recall: float) -> float:
    """The harmonic mean; 0 if both are."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def agreement(labels: Sequence[Hashable], stories: Sequence[Hashable]) -> Agreement:
    """Compares the stories of articles with their labels, both in order of time. Deterministic."""
    of_label, of_story = Counter(labels), Counter(stories)
    both = Counter(zip(labels, stories, strict=True))
    precisions = np.array([both[pair] / of_story[pair[1]] for pair in zip(labels, stories, strict=True)])
    recalls = np.array([both[pair] / of_label[pair[0]] for pair in zip(labels, stories, strict=True)])
    low, high = _interval(labels, precisions, recalls)
    return Agreement(
        articles=len(labels),
        labels=len(of_label),
        precision=float(precisions.mean()),
        recall=float(recalls.mean()),
        pairwise=_pairwise(of_label, of_story, both),
        nmi=_nmi(of_label, of_story, both),
        first_reports=_first_reports(labels, stories),
        low=low,
        high=high,
    )


def _pairwise(of_label: Counts, of_story: Counts, both: Pairs) -> float:
    right, labelled, found = (sum(n * (n - 1) for n in counts.values()) for counts in (both, of_label, of_story))
    return f_measure(right / found if found else 1.0, right / labelled if labelled else 1.0)


def _nmi(of_label: Counts, of_story: Counts, both: Pairs) -> float:
    total = both.total()
    entropies = [-sum(n / total * math.log(n / total) for n in counts.values()) for counts in (of_label, of_story)]
    mutual = sum(
        n / total * math.log(n * total / (of_label[label] * of_story[story])) for (label, story), n in both.items()
    )
    return 2 * mutual / sum(entropies) if sum(entropies) else 1.0


def _first_reports(labels: Sequence[Hashable], stories: Sequence[Hashable]) -> float:
    seen_labels, seen_stories = set[Hashable](), set[Hashable]()
    counts = Counter[tuple[bool, bool]]()
    for label, story in zip(labels, stories, strict=True):
        counts[label not in seen_labels, story not in seen_stories] += 1
        seen_labels.add(label)
        seen_stories.add(story)
    right, wrong = counts[True, True], counts[True, False] + counts[False, True]
    return 2 * right / (2 * right + wrong)


def _interval(labels: Sequence[Hashable], precisions: Floats, recalls: Floats) -> tuple[float, float]:
    by_label: defaultdict[Hashable, list[int]] = defaultdict(list)
    for number, label in enumerate(labels):
        by_label[label].append(number)
    sums = np.array([(len(at), precisions[at].sum(), recalls[at].sum()) for at in by_label.values()])
    random = np.random.default_rng(0)
    scores = []
    for _ in range(RESAMPLES):
        number, precision, recall = sums[random.integers(len(sums), size=len(sums))].sum(0)
        scores.append(f_measure(precision / number, recall / number))
    low, high = np.quantile(scores, INTERVAL)
    return float(low), float(high)
