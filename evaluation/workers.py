"""One page by every contestant, here or in worker processes, judged where it was made.

All contestants see a page one after the other in the same worker, so that a busy machine slows them alike. A page that
a contestant fails on, or needs longer for than PATIENCE, counts as an empty output with its reason; one for which a
method asks a peer that there is not counts for nothing.
"""

import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from types import FrameType

from evaluation.contestants import Contestant, Trial
from evaluation.conventions import BODY, as_gold_has_it
from evaluation.corpus import Gold, page_bytes
from evaluation.scores import Judgement, judge
from newsextract.errors import NewsextractError, PeerNeeded
from newsextract.page import Page

#: Seconds a contestant may take for one page; the crawl's own limit is 10.
PATIENCE = 60.0
#: Every worker runs this first: dictionaries and regular expressions are loaded before any clock starts.
WARM_PAGE = "<title>x</title><h1>News, 新闻</h1><p>The first words, and then more.</p><p>这是第一段，然后还有。</p>"


@dataclass(frozen=True, slots=True)
class Task:
    """One page for all contestants; `peer` is the file of the page to compare it with, `convention` the gold's."""

    path: Path
    gold: Gold
    peer: Path | None = None
    peer_url: str | None = None
    convention: str = BODY


@dataclass(frozen=True, slots=True)
class Outcome:
    """One contestant on one page; `judgement` is None where the method does not apply. Times in milliseconds."""

    judgement: Judgement | None
    parse: float | None = None
    total: float = 0.0
    failure: str | None = None


Mapper = Callable[[Sequence[Task]], Iterator[list[Outcome]]]


def attempt(one: Contestant, task: Task, html: bytes) -> Outcome:
    """One contestant, one page, no way to bring the run down but the death of the process."""
    gold = task.gold
    try:
        with time_limit(PATIENCE):
            if gold.kind == "type":
                return Outcome(judge(gold, "", one.is_article(html, gold.url)))
            trial = _trial(one, task, html)
    except PeerNeeded:
        return Outcome(None)
    except Exception as error:  # an extractor may be anyone's, and a bug in one is a result of the bench
        return Outcome(judge(gold, "", True), failure=f"{type(error).__name__}: {error}"[:300])
    return Outcome(judge(gold, _as_gold_has_it(trial.text, task, html)), trial.parse, trial.total)


def _as_gold_has_it(text: str, task: Task, html: bytes) -> str:
    if task.convention == BODY or task.gold.kind != "text":
        return text
    return as_gold_has_it(text, Page(html, task.gold.url), task.convention)


def _trial(one: Contestant, task: Task, html: bytes) -> Trial:
    """With a peer the first call, not timed, makes the peer's views: a crawl keeps them."""
    if task.peer is None:
        return one.extract(html, task.gold.url, None)
    peer = Page(page_bytes(task.peer), task.peer_url)
    one.extract(html, task.gold.url, peer)
    return one.extract(html, task.gold.url, peer)


@contextmanager
def mapper(workers: int, chosen: Sequence[Contestant]) -> Iterator[Mapper]:
    """Gives what turns tasks into outcomes, in their order, in this process (0) or in so many spawned ones."""
    if workers == 0:
        _warm(chosen)
        yield partial(map, partial(_work, chosen))
        return
    pool = ProcessPoolExecutor(workers, get_context("spawn"), initializer=_warm, initargs=(chosen,))
    try:
        yield lambda tasks: pool.map(partial(_work, chosen), tasks, chunksize=4)
    except BrokenProcessPool as error:
        raise NewsextractError("a worker process died on a page; run with 0 workers to see on which") from error
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _warm(chosen: Sequence[Contestant]) -> None:
    for one in chosen:
        attempt(one, Task(Path(), Gold("warm", text="")), WARM_PAGE.encode())


def _work(chosen: Sequence[Contestant], task: Task) -> list[Outcome]:
    html = page_bytes(task.path)
    return [attempt(one, task, html) for one in chosen]


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """TimeoutError after so many seconds; outside a process's main thread there is no limit."""

    def expire(number: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"more than {seconds:g} s")

    try:
        before = signal.signal(signal.SIGALRM, expire)
    except ValueError:
        yield
        return
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
