"""A trained extractor measured with several weights files: how much a figure depends on the seed of the training.

On a small set the influence of the seed is larger than most changes, so the figure of such an extractor is the mean
over its weights files, page by page; its interval is that over pages, and the figures of single files stand beside it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path

from evaluation.bootstrap import SMALL, intervals
from evaluation.corpora import Gold
from evaluation.extractors import EvaluatedExtractor, OwnExtractor, TimedText
from evaluation.results import Run
from evaluation.scores import mean
from evaluation.training.examples import FOLDS, fold_of
from evaluation.training.train import fold_weights
from newsextract.errors import WrongCall
from newsextract.extractors import make_extractor
from newsextract.page import Page

OPTION = "weights"


@dataclass(frozen=True)
class FoldsExtractor:
    """A trained extractor that takes for each page the weights fitted without its site (`scripts/bench train --folds`).

    `members`: the extractor with the weights of each fold; without a gold row (and so a site) the first one is used.
    """

    name: str
    members: tuple[OwnExtractor, ...]

    def versions(self) -> Mapping[str, str]:
        return {}

    def for_page(self, gold: Gold) -> OwnExtractor:
        """The extractor whose weights were fitted without the page's site."""
        return self.members[fold_of(gold)]

    def extract(self, html: bytes, url: str | None, peer: Page | None) -> TimedText:
        return self.members[0].extract(html, url, peer)

    def is_article(self, html: bytes, url: str | None) -> bool | None:
        return self.members[0].is_article(html, url)


def with_fold_weights(extractor: EvaluatedExtractor, folds: Path) -> FoldsExtractor:
    """The trained extractor with the weights of each fold. Raises WrongCall if it is not trained."""
    if not isinstance(extractor, OwnExtractor) or not _is_trained(extractor):
        raise WrongCall(f"{extractor.name} is not trained: there are no weights of folds for it")
    members = []
    for fold in range(FOLDS):
        options = {**extractor.options, OPTION: str(fold_weights(folds, fold))}
        make_extractor(extractor.extractor, options)
        members.append(replace(extractor, options=options))
    return FoldsExtractor(extractor.name, tuple(members))


def with_each_weights_file(
    extractors: Sequence[EvaluatedExtractor], weights: Sequence[str | Path]
) -> list[list[EvaluatedExtractor]]:
    """A list per extractor: the extractor alone or, if it is trained, once with each weights file.

    Raises WrongCall if there are weights files and no extractor is trained.
    """
    if weights and not any(_is_trained(extractor) for extractor in extractors):
        names = ", ".join(extractor.name for extractor in extractors)
        raise WrongCall(f"none of {names} is trained: there is nothing to give weights to")
    return [_with_each(extractor, weights) if _is_trained(extractor) else [extractor] for extractor in extractors]


def mean_run(name: str, runs: Sequence[Run]) -> Run:
    """The mean of the runs of one extractor on the same pages; a single run is returned as it is."""
    if len(runs) == 1:
        return runs[0]
    first = runs[0]
    unknown = [None] * first.pages
    columns = dict.fromkeys(column for run in runs for column in run.by_page if column != "id")
    by_page = {column: _page_means([run.by_page.get(column, unknown) for run in runs]) for column in columns}
    by_page = {"id": first.by_page["id"], **by_page}
    return replace(
        first,
        extractor=name,
        scores={figure: mean([run.scores[figure] for run in runs]) for figure in first.scores},
        times={
            part: {which: mean([run.times[part][which] for run in runs]) for which in figures}
            for part, figures in first.times.items()
            if all(part in run.times for run in runs)
        },
        failures={page: reason for run in runs for page, reason in run.failures.items()},
        intervals=intervals(by_page) if 0 < first.pages < SMALL else {},
        by_page=by_page,
        seeds=[run.scores for run in runs],
        groups={
            group: {figure: mean([run.groups[group][figure] for run in runs]) for figure in figures}
            for group, figures in first.groups.items()
        },
    )


def _is_trained(extractor: EvaluatedExtractor) -> bool:
    if not isinstance(extractor, OwnExtractor) or OPTION in extractor.options:
        return False
    made: object = make_extractor(extractor.extractor)
    return is_dataclass(made) and OPTION in {field.name for field in fields(made)}


def _with_each(extractor: EvaluatedExtractor, weights: Sequence[str | Path]) -> list[EvaluatedExtractor]:
    if not isinstance(extractor, OwnExtractor) or not weights:
        return [extractor]
    made: list[EvaluatedExtractor] = []
    for file in map(str, weights):
        options = {**extractor.options, OPTION: file}
        make_extractor(extractor.extractor, options)
        made.append(replace(extractor, name=f"{extractor.name}:{OPTION}={file}", options=options))
    if len({member.name for member in made}) < len(made):
        raise WrongCall(f"a file of weights is named twice: {', '.join(map(str, weights))}")
    return made


def _page_means(columns: Sequence[Sequence[float | None]]) -> list[float | None]:
    """Per page the mean of the runs that have a figure for it."""
    known = [[float(value) for value in values if value is not None] for values in zip(*columns, strict=True)]
    return [mean(values) if values else None for values in known]
