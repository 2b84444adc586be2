"""Comparison of results: two results of the same extractors, and one extractor against others.

Two means say little on a set of thirty pages. Extractors are compared on the same pages by the paired bootstrap (see
`bootstrap`); one is called below another only if the 95% interval of the difference excludes zero. Of many pairs of
equals one in forty will be called below by chance.
"""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from math import nan
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

from evaluation.bootstrap import difference
from evaluation.results import Difference, Result, Run, merged
from evaluation.runs import run
from evaluation.tables import figure, seed_range
from newsextract.errors import WrongCall

#: The foreign extractors that people would use instead.
OTHERS = ("trafilatura", "readability", "resiliparse")
STYLES = {"ahead": "green", "level": "", "BELOW": "bold red"}


def compare(first: Result, second: Result) -> list[Difference]:
    """For every set and extractor that both results have: the second less the first, on the pages that both have.

    Without page figures in both files there is no interval (low and high are nan). Raises WrongCall if the two have
    nothing in common.
    """
    changes = []
    for before in first.runs:
        after = second.run(*before.key)
        if after is not None and (change := difference(before, after) or _difference_of_scores(before, after)):
            changes.append(change)
    if not changes:
        raise WrongCall("the two results have no set and extractor in common")
    return changes


def _difference_of_scores(before: Run, after: Run) -> Difference | None:
    for name in ("f", "refused"):
        if name in before.scores and name in after.scores:
            change = after.scores[name] - before.scores[name]
            return Difference(before.set, before.label, after.label, name, before.pages, change, nan, nan, nan)
    return None


@dataclass(frozen=True, slots=True)
class Standing:
    """An extractor beside another one on one set; `change` is its figure less that of the other."""

    ours: Run
    theirs: Run
    change: Difference

    @property
    def verdict(self) -> str:
        if not self.change.certain:
            return "level"
        return "ahead" if self.change.difference > 0 else "BELOW"


def measure(
    folders: Sequence[str | Path],
    extractor: str,
    others: Sequence[str] = OTHERS,
    *,
    known: Result | None = None,
    **how: Any,
) -> Result:
    """Runs of the extractor and of the others; keywords as for `run`.

    `known`: an earlier result with page figures; those of the others are taken from it where it has them for every set.
    """
    if extractor in others:
        raise WrongCall(f"{extractor} against itself")
    ours = run(folders, [extractor], **how)
    conditions = {_conditions(measured) for measured in ours.runs}
    kept = (
        [past for past in known.runs if past.extractor in others and _conditions(past) in conditions] if known else []
    )
    pages_of = {(past.key, tuple(past.by_page.get("id", ()))) for past in kept}
    missing = [other for other in others if not _has_pages_of(pages_of, ours, other)]
    without_weights = {name: value for name, value in how.items() if name not in ("weights", "folds")}
    measured = [run(folders, missing, **without_weights)] if missing else []
    return merged([Result({}, kept), *measured, ours])


def standings(result: Result, extractor: str, others: Sequence[str] = OTHERS) -> list[Standing]:
    """The extractor beside each of the others on every set and convention where both have page figures."""
    pairs = [
        (ours, theirs)
        for ours in result.runs
        if ours.extractor == extractor
        for other in others
        for theirs in result.runs
        if theirs.extractor == other and _conditions(theirs) == _conditions(ours)
    ]
    rows = [Standing(*pair, change) for pair in pairs if (change := difference(pair[1], pair[0]))]
    if not rows:
        raise WrongCall(f"{extractor} and {', '.join(others)} have no set in common that they can be judged on")
    return rows


def fitted_on(weights: Sequence[str | Path] = ()) -> frozenset[str]:
    """The sets that the weights (those of the package, if none are named) were fitted on."""
    package = files("newsextract.extractors.fusion") / "weights.json"
    texts = [Path(name).read_text("utf-8") for name in weights] or [package.read_text("utf-8")]
    return frozenset(name for text in texts for name in json.loads(text).get("provenance", {}).get("sets", ()))


def standings_table(rows: Sequence[Standing], fitted: Collection[str] = ()) -> Table:
    """A row per pair, a section per set; a star marks the sets that the weights were fitted on."""
    title = f"{rows[0].ours.label} against others"
    table = Table("set", "gold", "pages", title=title, title_justify="left", caption_justify="left")
    if any(row.ours.set in fitted for row in rows):
        table.caption = "* its weights were fitted on this set; for figures on unseen sites see `scripts/bench train`"
    for heading in ("F [95%]", "of seeds", "other", "F", "difference", "95% interval", ""):
        table.add_column(heading, justify="left" if heading in ("other", "") else "right")
    for number, row in enumerate(rows):
        ends = number + 1 == len(rows) or rows[number + 1].ours is not row.ours
        ours: tuple[str, ...] = (
            row.ours.set + (" *" if row.ours.set in fitted else ""),
            row.ours.convention,
            str(row.change.pages),
            figure(row.ours, "f"),
            seed_range(row.ours),
        )
        if number and rows[number - 1].ours is row.ours:
            ours = ("",) * len(ours)
        change, interval = f"{row.change.difference:+.4f}", f"{row.change.low:+.4f} {row.change.high:+.4f}"
        verdict = Text(row.verdict, STYLES[row.verdict])
        table.add_row(*ours, row.theirs.label, figure(row.theirs, "f"), change, interval, verdict, end_section=ends)
    return table


def _conditions(run: Run) -> tuple[str, str, str]:
    """What has to be equal for two runs to be compared."""
    return run.set, run.convention, run.peers


def _has_pages_of(pages_of: set[tuple[tuple[str, str, str], tuple[str, ...]]], ours: Result, other: str) -> bool:
    """Whether the other extractor was run on all pages that ours was judged on."""
    wanted = {(replace(run, extractor=other).key, tuple(run.by_page["id"])) for run in ours.runs if run.pages}
    return wanted <= pages_of
