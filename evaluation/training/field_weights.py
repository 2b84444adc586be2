"""Training of the rankers of fields: softmax over a page's candidates and "no value", from a prior order of trust.

Each page is read as it is and without its declarations, so that the weights of what is declared and of what is shown
are both learned. The penalty holds the weights at those of the prior file: sources that no labelled page has keep their
place there. The threshold is the least score from which on the share `Field.precision` of the values given for pages as
they are is right, by folds of sites.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from evaluation.corpora import Corpus, Gold, map_in_processes
from evaluation.metadata import DECLARATIONS, is_day_right, same_names, wrong_gold
from evaluation.training.folds import fold_of, fold_weights, split_by_fold
from evaluation.training.softmax import Features, Weights, fit_softmax, listed, matrix
from newsextract.extractors import make_extractor
from newsextract.files import package_data
from newsextract.metadata.author_candidates import AuthorCandidates
from newsextract.metadata.authors import author_features
from newsextract.metadata.date_readings import DateReader
from newsextract.metadata.dates import DateChoice
from newsextract.metadata.describe import read_evidence
from newsextract.metadata.evidence import PageEvidence
from newsextract.metadata.linear_model import LinearModel
from newsextract.page import Page
from newsextract.settings import NEWSEXTRACT_EXTRACTOR

#: Penalty of weights that leave the prior.
RIDGE = 150.0
#: Weight of a page without its declarations.
STRIPPED = 0.5
#: Scores that are tried as thresholds; that of no value is 0.
THRESHOLDS = np.arange(1.0, 6.0, 0.1)
#: Numbers of the pages held out, and the weights fitted without them.
Fitted = tuple[list[int], dict[str, float]]


class Group(NamedTuple):
    """Candidates among which a page decides: the features of each, and whether it is right."""

    rows: list[Features]
    right: list[bool]


@dataclass
class LabelledChoice:
    """The groups of one page, each read only if those before have no candidate above the threshold."""

    set: str
    fold: int
    is_whole: bool
    groups: list[Group]

    @property
    def group(self) -> str:
        """Set and kind of page, for figures."""
        return f"{self.set}{'' if self.is_whole else ' without declarations'}"

    def decide(self, model: LinearModel) -> tuple[float, bool]:
        """The score of the candidate that is chosen, and whether it is right; the worst score, if there is none."""
        best = (-np.inf, False)
        for rows, right in self.groups:
            scores = [model.score(row) for row in rows]
            top = int(np.argmax(scores))
            best = (scores[top], right[top])
            if best[0] >= model.threshold:
                break
        return best


class Field(NamedTuple):
    """A field with a ranker: key in the golds and in wrong_gold.toml, its groups on a page, the precision wanted."""

    key: str
    name: str
    groups: Callable[[PageEvidence, Gold, str], Iterator[Group]]
    precision: float


def fit_field(name: str, corpora: Sequence[Corpus], workers: int, folds: Path | None) -> Weights:
    """The weights of one of FIELDS; `folds`: see `metadata_weights.labelled_pages`."""
    field = FIELDS[name]
    pages = labelled_choices(field, corpora, workers, folds)
    prior = package_data("evaluation.training", f"{name}_prior.toml")
    names = sorted({key for page in pages for group in page.groups for row in group.rows for key in row} | {*prior})
    start = np.array([prior.get(key, 0.0) for key in names])
    sizes = Counter(page.set for page in pages)
    largest = max(sizes.values())

    def fitted(of: Sequence[int]) -> dict[str, float]:
        rows, right, worth = [], [], []
        for page in (pages[i] for i in of):
            for group in page.groups:
                rows.append(matrix([{}, *group.rows], names))  # the first: no value
                right.append(np.array([not any(group.right), *group.right]))
                share = (largest / sizes[page.set]) ** 0.5 / len(page.groups)
                worth.append(share * (1.0 if page.is_whole else STRIPPED))
        return listed(names, fit_softmax(rows, right, np.array(worth), RIDGE, start))

    by_fold = [(outside, fitted(inside)) for inside, outside in split_by_fold([page.fold for page in pages])]
    threshold = next(
        (float(each) for each in THRESHOLDS if _precision(pages, by_fold, float(each)) >= field.precision),
        float(THRESHOLDS[-1]),
    )
    values = {"threshold": round(threshold, 2), "weights": fitted(range(len(pages)))}
    held_out = [{"threshold": values["threshold"], "weights": weights} for _, weights in by_fold]
    return Weights(values, _figures(pages, by_fold, threshold), held_out)


def _precision(pages: Sequence[LabelledChoice], by_fold: Sequence[Fitted], at: float) -> float:
    """The share of right values among those given for whole pages, each decided by the weights without its site."""
    decided = [
        pages[i].decide(LinearModel(weights, 0.0, at))
        for outside, weights in by_fold
        for i in outside
        if pages[i].is_whole
    ]
    given = [is_right for score, is_right in decided if score >= at]
    return sum(given) / max(1, len(given))


def _figures(pages: Sequence[LabelledChoice], by_fold: Sequence[Fitted], threshold: float) -> dict[str, float]:
    """Share of right values of all pages, and of those given, by set."""
    every, given, right = Counter[str](), Counter[str](), Counter[str]()
    for outside, weights in by_fold:
        for page in (pages[i] for i in outside):
            score, is_right = page.decide(LinearModel(weights, 0.0, threshold))
            for group in (page.group, "all sets" + page.group.removeprefix(page.set)):
                every[group] += 1
                given[group] += score >= threshold
                right[group] += score >= threshold and is_right
    figures = {f"{group}: right": right[group] / every[group] for group in every}
    return figures | {f"{group}: right of those given": right[group] / max(1, given[group]) for group in every}


def labelled_choices(
    field: Field, corpora: Sequence[Corpus], workers: int = 1, folds: Path | None = None
) -> list[LabelledChoice]:
    """The decisions of all articles of the corpora whose gold has the field and is sound."""
    rows = [
        (corpus.folder, gold, is_whole)
        for corpus in corpora
        for gold in {gold.id: gold for gold in corpus.with_metadata if getattr(gold, field.key)}.values()
        for is_whole in (True, False)
        if gold.is_article
        and getattr(gold, field.key) != "UNKNOWN"
        and gold.id not in wrong_gold().get((corpus.name, field.name), frozenset())
    ]
    return [*map_in_processes(partial(_labelled_choice, field, folds), rows, workers)]


def _labelled_choice(field: Field, folds: Path | None, row: tuple[Path, Gold, bool]) -> LabelledChoice:
    folder, gold, is_whole = row
    html = Corpus(folder).html(gold.id)
    page = Page(html if is_whole else DECLARATIONS.sub("", Page(html).source), gold.url)
    weights = {} if folds is None else {"weights": str(fold_weights(folds, fold_of(gold)))}
    chosen: Sequence[int] = make_extractor(NEWSEXTRACT_EXTRACTOR, weights)(page).chosen_blocks
    evidence, _ = read_evidence(page, chosen)
    return LabelledChoice(folder.name, fold_of(gold), is_whole, [*field.groups(evidence, gold, folder.name)])


def date_groups(evidence: PageEvidence, gold: Gold, name: str) -> Iterator[Group]:
    """The dates of a page; right is the gold's day in the date's zone or in UTC, which golds use, too."""
    page = DateChoice(DateReader(evidence))
    for group in filter(None, page.groups()):
        values = [page.value(one).value for one in group]
        right = [
            any(is_day_right(name, gold.date or "", at) for at in (value, value.astimezone(UTC))) for value in values
        ]
        yield Group([page.features(one, group) for one in group], right)


def author_groups(evidence: PageEvidence, gold: Gold, name: str) -> Iterator[Group]:
    """The names of a page; right are those nearest to the gold's, if one of them is."""
    for group in AuthorCandidates(evidence).groups():
        points = [same_names(gold.author or "", one.names) for one in group]
        yield Group([author_features(one, group) for one in group], [max(points) == each > 0 for each in points])


FIELDS: dict[str, Field] = {
    "dates": Field("date", "date_published", date_groups, 0.985),
    "authors": Field("author", "authors", author_groups, 0.97),
}
