"""Comparison of results: two results for the same extractors, and one extractor with others.

Two means say little on a set of thirty pages. Extractors are compared on the same pages with the paired bootstrap (see
`bootstrap`); one is called worse only if the 95 % interval of the difference excludes zero. Among many pairs of equals,
one in forty is called worse by chance.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

from evaluation.bootstrap import difference
from evaluation.results import Difference, Result, Run, merged
from evaluation.runs import run
from evaluation.tables import figure
from newsextract.errors import WrongCall
from newsextract.files import package_data

#: What must be equal for two runs to be compared.
CONDITIONS = attrgetter("set", "convention", "peers")
STYLES = {"ahead": "green", "level": "", "BELOW": "bold red"}


def compare(first: Result, second: Result) -> list[Difference]:
    """For each set and extractor with page figures in both results: the second minus the first.

    Raises WrongCall if the two have nothing in common.
    """
    pairs = [(before, second.run(*before.key)) for before in first.runs]
    changes = [change for before, after in pairs if after and (change := difference(before, after))]
    if not changes:
        raise WrongCall("the two results have no set and extractor in common, with figures of each page")
    return changes


@dataclass(frozen=True, slots=True)
class Standing:
    """An extractor compared with another on one set; `change` is its figure minus the other's."""

    ours: Run
    theirs: Run
    change: Difference

    @property
    def verdict(self) -> str:
        if not self.change.certain:
            return "level"
        return "ahead" if self.change.difference > 0 else "BELOW"


def measure(
    folders: Sequence[str | Path], extractor: str, others: Sequence[str], *, folds: Path | None = None, **how: Any
) -> Result:
    """Runs the extractor and the others; keywords as for `run`."""
    if extractor in others:
        raise WrongCall(f"{extractor} against itself")
    return merged([run(folders, others, **how), run(folders, [extractor], folds=folds, **how)])


def standings(result: Result, extractor: str, others: Sequence[str]) -> list[Standing]:
    """The extractor compared with each of the others on each set and convention for which both have page figures."""
    pairs = [
        (ours, theirs)
        for ours in result.runs
        if ours.extractor == extractor
        for other in others
        for theirs in result.runs
        if theirs.extractor == other and CONDITIONS(theirs) == CONDITIONS(ours)
    ]
    rows = [Standing(*pair, change) for pair in pairs if (change := difference(pair[1], pair[0]))]
    if not rows:
        raise WrongCall(f"{extractor} and {', '.join(others)} have no set in common that they can be judged on")
    return rows


def fitted_on() -> frozenset[str]:
    """The sets on which the package's weights were fitted."""
    return frozenset(package_data("newsextract.extractors.fusion", "weights.json")["provenance"]["sets"])


def standings_table(rows: Sequence[Standing], fitted: Collection[str] = ()) -> Table:
    """A row per pair, a section per set; a star marks the sets on which the weights were fitted."""
    title = f"{rows[0].ours.label} against others"
    table = Table("set", "gold", "pages", title=title, title_justify="left", caption_justify="left")
    if any(row.ours.set in fitted for row in rows):
        table.caption = "* its weights were fitted on this set; for figures on unseen sites see `scripts/bench train`"
    for heading in ("F [95%]", "other", "F", "difference", "95% interval", ""):
        table.add_column(heading, justify="left" if heading in ("other", "") else "right")
    for _, section in groupby(rows, key=lambda row: id(row.ours)):
        for number, row in enumerate(section):
            ours = row.ours.set + (" *" if row.ours.set in fitted else ""), row.ours.convention, str(row.change.pages)
            first = ("",) * 4 if number else (*ours, figure(row.ours, "f"))
            change, interval = f"{row.change.difference:+.4f}", f"{row.change.low:+.4f} {row.change.high:+.4f}"
            verdict = Text(row.verdict, STYLES[row.verdict])
            table.add_row(*first, row.theirs.label, figure(row.theirs, "f"), change, interval, verdict)
        table.add_section()
    return table
