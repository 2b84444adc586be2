"""`scripts/bench stories FOLDER`: stories against labelled events, order of arrival, time and memory.

A set is NAME.jsonl or NAME.jsonl.gz with `id`, `title`, `text`, `date`, `lang`, `site` and the label, `story`.
"""

import random
import resource
import sys
import time
from array import array
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import track

from newsextract.cli.terminal import print_table
from newsextract.errors import WrongCall
from newsextract.items import Article
from newsextract.stories.gold import LabelledArticle, evaluate_related, read_gold
from newsextract.stories.measures import Agreement, agreement
from newsextract.stories.tracker import StoryTracker
from newsextract.text import say

#: Articles that arrive together where the order is shuffled.
ARRIVING = 100
#: Words of a made-up article, of its own event and in all; events a day; days of the window; articles a batch.
EVENT_WORDS = 40
WORDS = 300
DAYS = 20
BATCH = 1_000
VOCABULARY = 200_000


def main(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A folder of sets, or one file.")],
    articles: Annotated[int, typer.Option(min=0, metavar="N", help="Also time N articles in one window.")] = 0,
) -> None:
    """Prints how stories agree with labelled events, and how much the order of arrival matters."""
    paths = sorted([*folder.glob("*.jsonl"), *folder.glob("*.jsonl.gz")]) if folder.is_dir() else [folder]
    if not paths:
        raise WrongCall(f"{folder} has no sets: files NAME.jsonl or NAME.jsonl.gz")
    rows, across = [], list[str]()
    for path in track(paths, "sets", console=Console(stderr=True), transient=True):
        gold = read_gold(path)
        if related := evaluate_related(gold):
            across.append(
                f"{path.name.partition('.')[0]}: related across languages, {related.pairs} pairs, half of one event: "
                f"precision {related.precision:.2f}, recall {related.recall:.2f}"
            )
        one, seconds = _timed(gold)
        shuffled = [_score(gold, _shuffled(gold, number)).bcubed - one.bcubed for number in (ARRIVING, 1)]
        languages = ",".join(sorted({each.article.language or "?" for each in gold}))
        rows.append(
            (
                path.name.partition(".")[0],
                languages,
                *_cells(one),
                *(f"{difference:+.3f}" for difference in shuffled),
                f"{len(gold) / seconds:.0f}",
            )
        )
    columns = (
        "set",
        "language",
        "articles",
        "stories",
        "BCubed",
        "95 %",
        "P",
        "R",
        "pairs",
        "NMI",
        "first",
        f"by {ARRIVING}",
        "one by one",
        "per CPU s",
    )
    print_table(columns, rows, columns[2:], 140)
    for line in across:
        say(line)
    if articles:
        _measure_window(articles)


def _cells(one: Agreement) -> tuple[str, ...]:
    values = (one.precision, one.recall, one.pairwise, one.nmi, one.first_reports)
    return (
        f"{one.articles}",
        f"{one.labels}",
        f"{one.bcubed:.3f}",
        f"{one.low:.3f}-{one.high:.3f}",
        *(f"{v:.3f}" for v in values),
    )


def _timed(gold: Sequence[LabelledArticle]) -> tuple[Agreement, float]:
    began = time.process_time()
    score = _score(gold, [[each.article for each in gold]])
    return score, time.process_time() - began


def _score(gold: Sequence[LabelledArticle], batches: Sequence[Sequence[Article]]) -> Agreement:
    tracker = StoryTracker()
    for batch in batches:
        tracker.add_all(batch)
    story = {report.id: each.id for each in tracker.stories for report in each.reports}
    return agreement([each.label for each in gold], [story[each.article.url] for each in gold])


def _shuffled(gold: Sequence[LabelledArticle], number: int) -> list[list[Article]]:
    """The articles in random order, so many at a time."""
    articles = [each.article for each in gold]
    random.Random(0).shuffle(articles)
    return [articles[at : at + number] for at in range(0, len(articles), number)]


def _measure_window(number: int) -> None:
    """Times the last tenth of so many made-up articles, and prints the memory that all need."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    tracker, batches = StoryTracker(), list[float]()
    batch = list[Article]()
    for article in _made_up(number):
        batch.append(article)
        if len(batch) == BATCH:
            began = time.process_time()
            tracker.add_all(batch)
            batches.append(time.process_time() - began)
            batch = []
    last = batches[-max(len(batches) // 10, 1) :]
    unit = 1024**2 if sys.platform == "darwin" else 1024
    memory = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / unit
    speed = BATCH * len(last) / sum(last)
    say(f"{number} articles in {DAYS} days: {speed:.0f} per CPU second at the end, +{memory:.0f} MB")


def _made_up(number: int) -> Iterator[Article]:
    """Articles in order of time: words by Zipf's law, and those of one of the day's events."""
    chance = random.Random(0)
    begin = datetime.fromisoformat("2026-01-01T00:00:00+00:00")
    a_day = max(number // DAYS, 1)
    ranks = array("i", (int(VOCABULARY ** chance.random()) for _ in range(1_000_000)))
    for at in range(number):
        day, event = divmod(at, a_day)[0], chance.randrange(max(a_day // 4, 1))
        event_random = random.Random(day * 1_000_003 + event)
        own = [f"Ev{event_random.randrange(VOCABULARY):x}" for _ in range(EVENT_WORDS)]
        start = chance.randrange(len(ranks) - WORDS)
        common = ranks[start : start + WORDS - EVENT_WORDS]
        words = [f"w{rank:x}q" for rank in common] + chance.sample(own, EVENT_WORDS * 3 // 4)
        chance.shuffle(words)
        published = begin + timedelta(days=at / a_day)
        yield Article(
            url=f"https://s{at % 200}.example/{at}",
            site=f"s{at % 200}.example",
            headline=" ".join(words[:9]),
            article_body=" ".join(words),
            language="en",
            date_published=published,
        )
