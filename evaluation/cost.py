"""`scripts/bench cost`: the cost of an article beside lxml's bare parse, and the ceilings it must not exceed.

Text by `fusion` and the whole article (`newsextract.extract`), CPU time of one process, page by page in turn with the
bare parse, on pages of the corpora. `--pin` writes the figures to `cost.json`, from which docs/OPERATIONS.md
quotes them, and ceilings a quarter above them to `floors.json`.
"""

import json
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from evaluation.extractor_speed import OUT, RATIO_SETS, Call, beside_the_parse
from evaluation.gate import floors_path, read_floors
from evaluation.results import write_atomically
from newsextract.article import extract
from newsextract.errors import WrongCall
from newsextract.extractors import make_extractor
from newsextract.page import Page

#: Where `floors.json` has the ceilings: sample, set and extractor of a floor.
PLACE = ("cost", "corpora", "fusion")
#: A ceiling over the figure that was pinned: other machines, other versions of the libraries.
SLACK = 1.25
SETS, PAGES = (*RATIO_SETS, "newsrooms"), 40


def results_path() -> Path:
    return Path(str(files("evaluation") / "cost.json"))


def measure(rounds: int) -> dict[str, float]:
    """Text and article as multiples of the parse, medians of the rounds."""
    calls: dict[str, Call] = {"text": lambda html, url: make_extractor("fusion")(Page(html, url)).text}
    calls["article"] = extract
    return beside_the_parse(calls, rounds, SETS, PAGES)


def main(
    rounds: Annotated[int, typer.Option(min=1, help="Repetitions; the median counts.")] = 3,
    pin: Annotated[
        bool, typer.Option("--pin", help="Make what is measured the figures that the ceilings are of.")
    ] = False,
) -> None:
    """Cost of text and article beside the bare parse; exit status 1 above a ceiling."""
    found = {name: round(ratio, 2) for name, ratio in measure(rounds).items()}
    floors = read_floors()
    if pin:
        sample, name, extractor = PLACE
        floors[sample] = {name: {extractor: {figure: round(SLACK * ratio, 2) for figure, ratio in found.items()}}}
        write_atomically(floors_path(), json.dumps(floors, indent=1, sort_keys=True) + "\n")
        record = {"date": f"{datetime.now(UTC):%Y-%m-%d}", "sets": SETS, "pages": PAGES, "times the parse": found}
        write_atomically(results_path(), json.dumps(record, indent=1) + "\n")
        return
    ceilings: dict[str, float] = floors.get(PLACE[0], {}).get(PLACE[1], {}).get(PLACE[2], {})
    if not ceilings:
        raise WrongCall("floors.json has no ceilings of cost: scripts/bench cost --pin")
    too_dear = [name for name, ceiling in ceilings.items() if found[name] > ceiling]
    for name, ceiling in ceilings.items():
        OUT.print(
            f"{name}: {found[name]} times the parse, at most {ceiling}: {'OVER' if name in too_dear else 'holds'}"
        )
    raise typer.Exit(1 if too_dear else 0)
