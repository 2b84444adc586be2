"""Extractors over corpora: every page by every extractor, figures by set, times by page."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
from rich.console import Console

from evaluation.bootstrap import SMALL, difference, intervals
from evaluation.contestants import Contestant, contestants
from evaluation.conventions import BODY, convention_of
from evaluation.corpus import Corpus, Gold, find_corpora
from evaluation.pairs import choose_peers, crawled_peers
from evaluation.progress import progress_bar
from evaluation.results import PAGE_FIGURES, Difference, Result, Run, circumstances
from evaluation.scores import summary
from evaluation.seeds import averaged, seeded
from evaluation.workers import Outcome, Task, mapper
from newsextract.errors import WrongCall

#: Where a page's peer comes from.
PEERS: dict[str, Callable[[Corpus], dict[str, Gold]]] = {
    "none": lambda _: {},
    "same-site": choose_peers,
    "crawl": crawled_peers,
}


def run(
    folders: Sequence[str | Path],
    extractors: str | Sequence[str | Contestant],
    *,
    workers: int = 0,
    peers: str = "none",
    sample: int | None = None,
    convention: str = BODY,
    weights: Sequence[str | Path] = (),
    console: Console | None = None,
) -> Result:
    """Figures of every extractor on every corpus.

    `folders`: paths, or names below NEWSEXTRACT_CORPORA; none: all there. `extractors`: see `contestants`. `workers`:
    processes, 0 for this one. `peers`: "none", "same-site" for the most similar page of the same site in the set, or
    "crawl" for the page that a crawl over the set would take.
    `sample`: at most so many pages a set. `convention`: what the golds are taken to hold beside the body, see
    `conventions`. `weights`: files of weights; an extractor that is trained is measured with each, its figures are
    means. `console`: where progress is shown, if it is a terminal.
    """
    if peers not in PEERS:
        raise WrongCall(f"peers is {peers!r}; it is {', '.join([*PEERS][:-1])} or {[*PEERS][-1]}")
    if workers < 0 or (sample is not None and sample < 1):
        raise WrongCall("workers is 0 or more, a sample at least one page")
    named, corpora = contestants(extractors), find_corpora(folders)
    groups = seeded(named, weights)
    chosen = [one for group in groups for one in group]
    judged_by = {corpus.name: convention_of(corpus, convention) for corpus in corpora}
    tasks = {corpus.name: _tasks(corpus, peers, sample, judged_by[corpus.name]) for corpus in corpora}
    versions = {name: number for one in chosen for name, number in one.versions().items()}
    settings = {"workers": workers, "peers": peers, "sample": sample or "all", "convention": convention}
    result = Result(circumstances(versions, settings), [])
    with progress_bar(console, sum(map(len, tasks.values()))) as advance, mapper(workers, chosen) as outcomes_of:
        for name, pages in tasks.items():
            outcomes = []
            for outcome in outcomes_of(pages):
                outcomes.append(outcome)
                advance(name)
            of = {one.name: [row[i] for row in outcomes] for i, one in enumerate(chosen)}
            for asked, group in zip(named, groups, strict=True):
                found = averaged(asked.name, [_run(name, one, pages, of[one.name]) for one in group])
                found.peers, found.convention = peers, judged_by[name]
                result.runs.append(found)
    result.differences = _differences(result)
    return result


def _tasks(corpus: Corpus, peers: str, sample: int | None, convention: str) -> list[Task]:
    partner = PEERS[peers](corpus)
    tasks = []
    for gold in corpus.sample(sample):
        peer = partner.get(gold.id)
        path, url = (corpus.path(peer.id), peer.url) if peer else (None, None)
        tasks.append(Task(corpus.path(gold.id), gold, path, url, convention))
    return tasks


def _run(name: str, one: Contestant, tasks: Sequence[Task], outcomes: Sequence[Outcome]) -> Run:
    kept = [(task.gold.id, out, out.judgement) for task, out in zip(tasks, outcomes, strict=True) if out.judgement]
    by_page: dict[str, list[object]] = {"id": [identity for identity, _, _ in kept]}
    for figure in PAGE_FIGURES:
        values = [getattr(judgement, figure) for _, _, judgement in kept]
        if any(value is not None for value in values):
            by_page[figure] = values
    by_page["ms"] = [round(out.total, 4) for _, out, _ in kept]
    return Run(
        set=name,
        extractor=one.name,
        pages=len(kept),
        scores=summary([judgement for _, _, judgement in kept]) if kept else {},
        times=_times([out for _, out, _ in kept if out.total and out.failure is None]),
        not_applicable=len(outcomes) - len(kept),
        failures={identity: out.failure for identity, out, _ in kept if out.failure},
        intervals=intervals(by_page) if 0 < len(kept) < SMALL else {},
        by_page=by_page,
    )


def _times(outcomes: Sequence[Outcome]) -> dict[str, dict[str, float]]:
    columns = {
        "total": [out.total for out in outcomes],
        "parse": [out.parse for out in outcomes if out.parse is not None],
        "above": [out.total - out.parse for out in outcomes if out.parse is not None],
    }
    return {
        name: {"median": float(np.median(values)), "p95": float(np.percentile(values, 95))}
        for name, values in columns.items()
        if values
    }


def _differences(result: Result) -> list[Difference]:
    """Each extractor against the one named before it."""
    found = []
    for name in result.sets:
        runs = [run for run in result.runs if run.set == name]
        found += [change for pair in pairwise(runs) if (change := difference(*pair))]
    return found
