"""Runs of extractors over corpora: every page by each extractor, scores by set, times by page.

All extractors get a page one after the other in the same process, so that other work of the machine slows them equally.
A page on which an extractor fails, or takes longer than PAGE_TIMEOUT, counts as an empty output with the error as
reason; a page without a peer is skipped for a method that needs one. Pages are scored in the process that extracted
them.
"""

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from types import FrameType

import numpy as np

from evaluation.bootstrap import SMALL, intervals
from evaluation.conventions import BODY, convention_of, with_convention
from evaluation.corpora import Corpus, Gold, find_corpora, map_in_processes
from evaluation.extractors import EvaluatedExtractor, OwnExtractor, TimedText, find_extractors
from evaluation.peers import choose_peers, crawled_peers
from evaluation.results import Result, Run, circumstances
from evaluation.scores import Judgement, judge, summary
from evaluation.training.folds import FOLDS, fold_weights
from newsextract.cli.terminal import progress_bars
from newsextract.errors import PeerNeeded, WrongCall
from newsextract.extractors import make_extractor
from newsextract.page import Page
from newsextract.page.access import is_free

#: Maximum seconds of an extractor per page; the limit in a crawl is 10.
PAGE_TIMEOUT = 60.0
#: Extracted first in each process, to load dictionaries and regular expressions before measuring.
WARM_UP_PAGE = "<title>x</title><h1>News, 新闻</h1><p>The first words, and then more.</p><p>这是第一段，然后还有。</p>"
#: Where the peer of a page comes from.
PEERS: dict[str, Callable[[Corpus], dict[str, Gold]]] = {
    "none": lambda _: {},
    "same-site": choose_peers,
    "crawl": crawled_peers,
}


@dataclass(frozen=True, slots=True)
class Task:
    """One page of a corpus to be extracted, with its peer; `convention`: that of the corpus (see `conventions`)."""

    folder: Path
    gold: Gold
    peer: Gold | None = None
    convention: str = BODY


@dataclass(frozen=True, slots=True)
class Outcome:
    """One extractor on one page; `judgement` is None if the method doesn't apply. Times in milliseconds."""

    judgement: Judgement | None
    parse: float | None = None
    total: float = 0.0
    failure: str | None = None


def with_folds(extractor: EvaluatedExtractor, folds: Path) -> OwnExtractor:
    """A trained extractor that takes for each page the weights fitted without its site (`scripts/bench train --folds`).

    Raises WrongCall if it has no weights, or a file of them can't be read.
    """
    if not (isinstance(extractor, OwnExtractor) and hasattr(make_extractor(extractor.extractor), "weights")):
        raise WrongCall(f"{extractor.name} is not trained: there are no weights of folds for it")
    for fold in range(FOLDS):
        make_extractor(extractor.extractor, {**extractor.options, "weights": str(fold_weights(folds, fold))})
    return replace(extractor, folds=folds)


def run(
    folders: Sequence[str | Path],
    extractors: str | Sequence[str | EvaluatedExtractor],
    *,
    workers: int = 0,
    peers: str = "none",
    sample: int | None = None,
    convention: str = BODY,
    folds: Path | None = None,
) -> Result:
    """Scores and times of every extractor on every corpus.

    `folders`: see `find_corpora`. `extractors`: see `find_extractors`. `workers`: processes, 0 or 1 for this one.
    `peers`: of PEERS. `sample`: maximum pages per set. `convention`: see `conventions`. `folds`: see `with_folds`.
    """
    if peers not in PEERS:
        raise WrongCall(f"peers is {peers!r}; it is {', '.join([*PEERS][:-1])} or {[*PEERS][-1]}")
    if workers < 0 or (sample is not None and sample < 1):
        raise WrongCall("workers is 0 or more, a sample at least one page")
    every, corpora = find_extractors(extractors), find_corpora(folders)
    if folds:
        every = [with_folds(extractor, folds) for extractor in every]
    conventions = {corpus.name: convention_of(corpus, convention) for corpus in corpora}
    tasks = {corpus.name: _tasks(corpus, peers, sample, conventions[corpus.name]) for corpus in corpora}
    versions = {name: number for extractor in every for name, number in extractor.versions().items()}
    settings = {"workers": workers, "peers": peers, "sample": sample or "all", "convention": convention}
    result = Result(circumstances(versions, settings), [])
    outcomes = map_in_processes(
        partial(_extract_and_judge, every), chain(*tasks.values()), workers, 4, begin=partial(_warm_up, every)
    )
    with progress_bars() as progress:
        for name, pages in tasks.items():
            rows: list[list[Outcome]] = []
            for row in islice(outcomes, len(pages)):
                rows.append(row)
                progress(name, len(rows), len(pages))
            for i, extractor in enumerate(every):
                measured = _run(name, extractor.name, pages, [row[i] for row in rows])
                measured.peers, measured.convention = peers, conventions[name]
                result.runs.append(measured)
    return result


def _tasks(corpus: Corpus, peers: str, sample: int | None, convention: str) -> list[Task]:
    peer_of = PEERS[peers](corpus)
    return [Task(corpus.folder, gold, peer_of.get(gold.id), convention) for gold in corpus.sample(sample)]


def _run(set_name: str, extractor: str, tasks: Sequence[Task], outcomes: Sequence[Outcome]) -> Run:
    rows = list(zip(tasks, outcomes, strict=True))
    judged = [(task.gold, out, out.judgement) for task, out in rows if out.judgement]
    by_page: dict[str, list[object]] = {"id": [gold.id for gold, _, _ in judged]}
    for figure in fields(Judgement):
        values = [getattr(judgement, figure.name) for _, _, judgement in judged]
        if figure.name != "empty" and any(value is not None for value in values):
            by_page[figure.name] = values
    by_page["ms"] = [round(out.total, 4) for _, out, _ in judged]
    return Run(
        set=set_name,
        extractor=extractor,
        pages=len(judged),
        scores=summary([judgement for _, _, judgement in judged]) if judged else {},
        times=_times([out for _, out, _ in judged if out.total and out.failure is None]),
        not_applicable=len(outcomes) - len(judged),
        failures={gold.id: out.failure for gold, out, _ in judged if out.failure},
        intervals=intervals(by_page) if 0 < len(judged) < SMALL else {},
        by_page=by_page,
        groups=_group_scores([(_groups_of(task), out.judgement) for task, out in rows if out.judgement]),
    )


def _groups_of(task: Task) -> list[str]:
    """The groups of a page. Those of pages rendered by JavaScript are divided: from a page that isn't free, only
    what it shows is used, even if the gold has more.
    """
    groups = [*task.gold.groups]
    if task.gold.has_article_body is None:
        return groups
    is_closed = is_free(Page(Corpus(task.folder).html(task.gold.id), task.gold.url)) is False
    return [*groups, f"{groups[0]}, {'says it is not free' if is_closed else 'free'}"]


def _group_scores(judged: Sequence[tuple[Sequence[str], Judgement]]) -> dict[str, dict[str, float]]:
    """Scores of each group of pages (page types, formats of data), with their number under `pages`."""
    groups: dict[str, list[Judgement]] = {}
    for names, judgement in judged:
        for group in names:
            groups.setdefault(group, []).append(judgement)
    return {group: {"pages": float(len(pages)), **summary(pages)} for group, pages in sorted(groups.items())}


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


def _warm_up(extractors: Sequence[EvaluatedExtractor]) -> None:
    for extractor in extractors:
        judge_page(extractor, Task(Path(), Gold("warm-up", text="")), WARM_UP_PAGE.encode())


def _extract_and_judge(extractors: Sequence[EvaluatedExtractor], task: Task) -> list[Outcome]:
    html = Corpus(task.folder).html(task.gold.id)
    return [judge_page(extractor, task, html) for extractor in extractors]


def judge_page(extractor: EvaluatedExtractor, task: Task, html: bytes) -> Outcome:
    """One extractor on one page, scored; any exception becomes a failure of this page."""
    gold = task.gold
    if isinstance(extractor, OwnExtractor):
        extractor = extractor.for_page(gold)
    try:
        with time_limit(PAGE_TIMEOUT):
            if not gold.is_article:
                return Outcome(judge(gold, "", extractor.is_article(html, gold.url)))
            output = _extract(extractor, task, html)
    except PeerNeeded:
        return Outcome(None)
    except Exception as error:  # extractors may come from entry points, and their bugs are a result of the run
        return Outcome(judge(gold, "", True), failure=f"{type(error).__name__}: {error}"[:300])
    text = output.text
    if task.convention != BODY and gold.scored_by == "text":
        text = with_convention(text, Page(html, gold.url), task.convention)
    return Outcome(judge(gold, text), output.parse, output.total)


def _extract(extractor: EvaluatedExtractor, task: Task, html: bytes) -> TimedText:
    """With a peer, the first call, which isn't timed, computes the peer's views: a crawl keeps them."""
    if task.peer is None:
        return extractor.extract(html, task.gold.url, None)
    peer = Page(Corpus(task.folder).html(task.peer.id), task.peer.url)
    extractor.extract(html, task.gold.url, peer)
    return extractor.extract(html, task.gold.url, peer)


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raises TimeoutError in the block, which runs in the main thread, after this many seconds."""

    def expire(number: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"more than {seconds:g} s")

    before = signal.signal(signal.SIGALRM, expire)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
