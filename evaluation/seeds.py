"""An extractor that is trained, measured with several files of weights: what a figure owes to the seed.

On a small set one seed's luck is larger than what most changes are worth, so the figure of such an extractor is the
mean over its files, page by page; its interval is that of the pages, and the figures of single files stand beside it.
"""

from collections.abc import Sequence
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

from evaluation.bootstrap import SMALL, intervals
from evaluation.contestants import Contestant, Ours
from evaluation.results import Run
from evaluation.scores import mean
from newsextract.errors import WrongCall
from newsextract.extractors import EXTRACTORS, make_extractor

OPTION = "weights"


def seeded(chosen: Sequence[Contestant], weights: Sequence[str | Path]) -> list[list[Contestant]]:
    """Each contestant alone or, where its extractor is trained, once a file of weights; WrongCall where none is."""
    groups: list[list[Contestant]] = [_with_each(one, weights) if _is_trained(one) else [one] for one in chosen]
    if weights and not any(_is_trained(one) for one in chosen):
        raise WrongCall(
            f"none of {', '.join(one.name for one in chosen)} is trained: there is nothing to give weights to"
        )
    return groups


def averaged(name: str, runs: Sequence[Run]) -> Run:
    """The mean of the runs of one extractor on the same pages; one run stays as it is."""
    if len(runs) == 1:
        return runs[0]
    first = runs[0]
    unknown = [None] * first.pages
    columns = dict.fromkeys(column for run in runs for column in run.by_page if column != "id")
    by_page = {column: _means([run.by_page.get(column, unknown) for run in runs]) for column in columns}
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
        failures={page: why for run in runs for page, why in run.failures.items()},
        intervals=intervals(by_page) if 0 < first.pages < SMALL else {},
        by_page=by_page,
        seeds=[run.scores for run in runs],
    )


def _is_trained(one: Contestant) -> bool:
    if not isinstance(one, Ours) or OPTION in one.options:
        return False
    extractor: Any = EXTRACTORS[one.extractor]
    return is_dataclass(extractor) and OPTION in {field.name for field in fields(extractor)}


def _with_each(one: Contestant, weights: Sequence[str | Path]) -> list[Contestant]:
    if not isinstance(one, Ours) or not weights:
        return [one]
    made: list[Contestant] = []
    for file in map(str, weights):
        options = {**one.options, OPTION: file}
        make_extractor(one.extractor, options)
        made.append(replace(one, name=f"{one.name}:{OPTION}={file}", options=options))
    if len({one.name for one in made}) < len(made):
        raise WrongCall(f"a file of weights is named twice: {', '.join(map(str, weights))}")
    return made


def _means(columns: Sequence[Sequence[Any]]) -> list[float | None]:
    """A page's mean over those runs that have a figure for it."""
    known = [[value for value in values if value is not None] for values in zip(*columns, strict=True)]
    return [mean([float(value) for value in values]) if values else None for values in known]
