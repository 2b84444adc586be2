"""`scripts/bench cost`: the cost of an article beside lxml's bare parse, and the ceilings it must not exceed.

Measures the text by `fusion` and the whole article (`newsextract.extract`), in CPU time of one process, page by page
alternating with the bare parse, on pages of the corpora. `--pin` writes the figures to `cost.json`, which
docs/OPERATIONS.md quotes, and ceilings a quarter above them to `floors.json`.
"""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from statistics import median
from time import process_time
from typing import Annotated

import lxml.html
import typer
from rich.console import Console
from rich.progress import track

from evaluation import CHECKOUT
from evaluation.corpora import find_corpus
from evaluation.extractors import FOREIGN, silenced
from evaluation.gate import read_floors, write_floors
from evaluation.results import write_atomically
from evaluation.tables import new_table
from newsextract.article.extract import extract
from newsextract.cli.terminal import results
from newsextract.errors import WrongCall
from newsextract.extractors import make_extractor
from newsextract.page import Page

#: The timed functions, called with a page's bytes and its URL.
Call = Callable[[bytes, str | None], object]
#: Where `floors.json` has the ceilings: sample, set and extractor of a floor.
PLACE = ("cost", "corpora", "fusion")
#: A ceiling relative to the pinned figure: other machines, other versions of the libraries.
SLACK = 1.25
#: Bytes for which an allocator first merges what is free.
LARGE = 1 << 16
SETS = ("wcxb-dev", "fundus", "newsrooms")
PAGES = 40
#: The file of the figures.
FIGURES = CHECKOUT / "evaluation" / "cost.json"

#: How often it is measured again, at most, while something is above its ceiling: a busy machine isn't busy each time.
AGAIN = 4


def measure(rounds: int, peers: bool = False) -> dict[str, float]:
    """Multiples of the parse, medians of the rounds, for text and article, and for other packages."""
    calls: dict[str, Call] = {"text": lambda html, url: make_extractor("fusion")(Page(html, url)).text}
    calls["article"] = extract
    if peers:
        FOREIGN["resiliparse"].check()
        FOREIGN["trafilatura"].check()
        trafilatura = import_module("trafilatura")
        quietly = partial(_quietly, include_comments=False, with_metadata=True)
        calls["resiliparse: text"] = FOREIGN["resiliparse"].text
        calls["trafilatura: bare_extraction"] = partial(quietly, trafilatura.bare_extraction)
        calls["trafilatura: extract, JSON"] = partial(quietly, trafilatura.extract, output_format="json")
    return beside_the_parse(calls, rounds)


def _quietly(call: Callable[..., object], html: bytes, url: str | None, **options: object) -> object:
    """Calls the function without warnings."""
    with silenced():
        return call(html, url=url, **options)


def beside_the_parse(calls: dict[str, Call], rounds: int) -> dict[str, float]:
    """Times each page by the bare parse and by each call in turn: sums over pages, medians of the rounds."""
    pages = [(corpus.html(row.id), row.url) for corpus in map(find_corpus, SETS) for row in corpus.sample(PAGES)]
    ratios: dict[str, list[float]] = {name: [] for name in calls}
    for turn in track(range(rounds + 1), "beside the bare parse", console=Console(stderr=True), transient=True):
        parse, sums = 0.0, dict.fromkeys(calls, 0.0)
        for html, url in pages:
            parse += _seconds(lambda html, _: lxml.html.document_fromstring(html), html, url)
            for name, call in calls.items():
                sums[name] += _seconds(call, html, url)
        if turn:  # the first round is a warm-up
            for name, total in sums.items():
                ratios[name].append(total / parse)
    title = f"Times lxml's parse ({1000 * parse / len(pages):.2f} ms a page), {PAGES} pages a set"
    table = new_table(title, ("",), ("median", "least", "most"))
    for name, found in sorted(ratios.items(), key=lambda row: median(row[1])):
        table.add_row(name, *(f"{figure(found):.2f}" for figure in (median, min, max)))
    results().print(table)
    return {name: median(found) for name, found in ratios.items()}


def _seconds(call: Call, html: bytes, url: str | None) -> float:
    """CPU seconds of a call and of freeing what it made.

    An allocator may put off merging what was freed until it needs LARGE bytes (glibc does); without the last line the
    call after would pay for the tree of the one before.
    """
    start = process_time()
    found = call(html, url)
    del found
    bytearray(LARGE)
    return process_time() - start


def main(
    rounds: Annotated[int, typer.Option(min=1, help="Repetitions; the median counts.")] = 5,
    pin: Annotated[
        bool, typer.Option("--pin", help="Make what is measured the figures that the ceilings are of.")
    ] = False,
    peers: Annotated[bool, typer.Option("--peers", help="Other packages, too: the extra `peers`.")] = False,
) -> None:
    """Cost of text and article beside the bare parse; exit status 1 above a ceiling."""
    found = {name: round(ratio, 2) for name, ratio in measure(rounds, peers).items()}
    floors = read_floors()
    if pin:
        own = {name: found[name] for name in ("text", "article")}
        sample, name, extractor = PLACE
        floors[sample] = {name: {extractor: {figure: round(SLACK * ratio, 2) for figure, ratio in own.items()}}}
        write_floors(floors)
        record = {"date": f"{datetime.now(UTC):%Y-%m-%d}", "sets": SETS, "pages": PAGES, "times the parse": own}
        write_atomically(FIGURES, json.dumps(record, indent=1) + "\n")
        return
    ceilings: dict[str, float] = floors.get(PLACE[0], {}).get(PLACE[1], {}).get(PLACE[2], {})
    if not ceilings:
        raise WrongCall("floors.json has no ceilings of cost: scripts/bench cost --pin")
    too_dear = _over(ceilings, found)
    for _ in range(AGAIN):
        if not too_dear:
            break
        found = {name: min(found[name], round(ratio, 2)) for name, ratio in measure(rounds, peers).items()}
        too_dear = _over(ceilings, found)
    for name, ceiling in ceilings.items():
        print(f"{name}: {found[name]} times the parse, at most {ceiling}: {'OVER' if name in too_dear else 'holds'}")
    raise typer.Exit(1 if too_dear else 0)


def _over(ceilings: dict[str, float], found: dict[str, float]) -> list[str]:
    """The names of what is above its ceiling."""
    return [name for name, ceiling in ceilings.items() if found[name] > ceiling]
