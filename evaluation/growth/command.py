"""`scripts/bench growth`: what grows faster than its input."""

from concurrent.futures import ProcessPoolExecutor
from functools import cache
from random import Random
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import track

from evaluation.growth.inputs import Input, inputs
from evaluation.growth.measure import problem_of
from evaluation.growth.patterns import patterns as all_patterns
from evaluation.growth.patterns import slow_patterns
from evaluation.growth.readers import warm_up
from newsextract.errors import WrongCall

#: How many times what seems out of proportion is judged again, with nothing else read meanwhile.
TIMES_ALONE = 3


def main(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="TEXT", help="Only inputs whose name holds one of these; none: all.")
    ] = None,
    sample: Annotated[int | None, typer.Option(min=1, metavar="N", help="So many inputs, drawn at random.")] = None,
    seed: Annotated[int, typer.Option(help="The same seed draws the same sample.")] = 1,
    part: Annotated[str, typer.Option(metavar="N/OF", help="One of so many parts of the inputs and patterns.")] = "1/1",
    workers: Annotated[int, typer.Option(min=1, metavar="N", help="Inputs that are read at a time.")] = 2,
    patterns: Annotated[bool, typer.Option(help="Pump the regular expressions, too.")] = True,
) -> None:
    """Pumps every reader and regular expression; exit status 1 if time or memory grows faster than the input."""
    share = _share(part)
    chosen = [name for name in _inputs() if not names or any(map(name.__contains__, names))][share]
    if sample is not None:
        chosen = Random(seed).sample(chosen, min(sample, len(chosen)))
    with ProcessPoolExecutor(workers, initializer=warm_up) as pool:
        problems = pool.map(_problem_of, chosen)
        shown = track(problems, "inputs", len(chosen), console=Console(stderr=True), transient=True)
        suspicious = [name for name, problem in zip(chosen, shown, strict=True) if problem]
    failed = 0
    for name in suspicious:
        if problem := _lasting_problem(name):
            failed += 1
            print(f"{name}: {problem}", flush=True)
    print(f"inputs: {len(chosen):,}, out of proportion: {failed}")
    places = [*all_patterns().items()][share] if patterns and not names else []
    slow = slow_patterns(places if sample is None else Random(seed).sample(places, min(sample, len(places))))
    for place, text in slow.items():
        print(f"{place}: {text}", flush=True)
    if failed or slow:
        raise typer.Exit(1)


def _share(part: str) -> slice:
    """The inputs of a part, such as 1/4: every fourth one. Raises WrongCall."""
    number, _, of = part.partition("/")
    if not (number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of)):
        raise WrongCall(f"--part takes a number and how many parts there are, such as 3/40, not {part!r}")
    return slice(int(number) - 1, None, int(of))


@cache
def _inputs() -> dict[str, Input]:
    """The inputs by name."""
    return {case.name: case for case in inputs()}


def _lasting_problem(name: str) -> str:
    """What is out of proportion each time that an input is read alone, or "": a busy machine isn't busy each time."""
    problem = ""
    for _ in range(TIMES_ALONE):
        if not (problem := _problem_of(name)):
            return ""
    return problem


def _problem_of(name: str) -> str:
    """What is out of proportion in an input; called in other processes, which have no functions from here."""
    return problem_of(_inputs()[name])
