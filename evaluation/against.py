"""One extractor against others, set by set: ahead, level, or below for certain.

Two means that differ say little on a set of thirty pages. Every pair is compared on the same pages by the paired
bootstrap (`bootstrap`); "below" is said only where its 95% interval leaves zero out. Of many pairs of equals one in
forty will be called below by chance.
"""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

from evaluation.bootstrap import difference
from evaluation.results import Difference, Result, Run, merged
from evaluation.run import run
from evaluation.show import figure, seed_range
from newsextract.errors import WrongCall

#: The foreign extractors that people would use instead.
OTHERS = ("trafilatura", "readability", "resiliparse")
STYLES = {"ahead": "green", "level": "", "BELOW": "bold red"}


@dataclass(frozen=True, slots=True)
class Standing:
    """An extractor beside another one on one set; `change` is ours less theirs."""

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
    """Figures of the extractor and of the others, as `run` gives them with the same keywords. Of `known`, an earlier
    result with page figures, the others' are taken where it has them for every set."""
    if extractor in others:
        raise WrongCall(f"{extractor} against itself")
    ours = run(folders, [extractor], **how)
    places = {_place(one) for one in ours.runs}
    kept = [one for one in known.runs if one.extractor in others and _place(one) in places] if known else []
    found = {(one.key, tuple(one.by_page.get("id", ()))) for one in kept}
    missing = [other for other in others if not _has(found, ours, other)]
    measured = [run(folders, missing, **_without_weights(how))] if missing else []
    return merged([Result({}, kept), *measured, ours])


def standings(result: Result, extractor: str, others: Sequence[str] = OTHERS) -> list[Standing]:
    """The extractor beside each of the others on every set and convention where both have page figures."""
    pairs = [
        (ours, theirs)
        for ours in result.runs
        if ours.extractor == extractor
        for other in others
        for theirs in result.runs
        if theirs.extractor == other and _place(theirs) == _place(ours)
    ]
    found = [Standing(*pair, change) for pair in pairs if (change := difference(pair[1], pair[0]))]
    if not found:
        raise WrongCall(f"{extractor} and {', '.join(others)} have no set in common that they can be judged on")
    return found


def fitted_on(weights: Sequence[str | Path] = ()) -> frozenset[str]:
    """The sets that the weights, or the package's own, were fitted on: no proof of what they do on other pages."""
    package = files("newsextract.extractors.fusion") / "weights.json"
    texts = [Path(name).read_text("utf-8") for name in weights] or [package.read_text("utf-8")]
    return frozenset(name for text in texts for name in json.loads(text).get("provenance", {}).get("sets", ()))


def standings_table(found: Sequence[Standing], fitted: Collection[str] = ()) -> Table:
    """A row a pair, a block of rows a set; a star marks the sets that were fitted on."""
    title = f"{found[0].ours.label} against others"
    table = Table("set", "gold", "pages", title=title, title_justify="left", caption_justify="left")
    if any(row.ours.set in fitted for row in found):
        table.caption = "* its weights were fitted on this set: what it does on other sites, `bench train` says"
    for heading in ("F [95%]", "of seeds", "other", "F", "difference", "95% interval", ""):
        table.add_column(heading, justify="left" if heading in ("other", "") else "right")
    for place, row in enumerate(found):
        ends = place + 1 == len(found) or found[place + 1].ours is not row.ours
        ours: tuple[str, ...] = (
            row.ours.set + (" *" if row.ours.set in fitted else ""),
            row.ours.convention,
            str(row.change.pages),
            figure(row.ours, "f"),
            seed_range(row.ours),
        )
        if place and found[place - 1].ours is row.ours:
            ours = ("",) * len(ours)
        change, interval = f"{row.change.difference:+.4f}", f"{row.change.low:+.4f} {row.change.high:+.4f}"
        verdict = Text(row.verdict, STYLES[row.verdict])
        table.add_row(*ours, row.theirs.label, figure(row.theirs, "f"), change, interval, verdict, end_section=ends)
    return table


def _place(one: Run) -> tuple[str, str, str]:
    return one.set, one.convention, one.peers


def _has(found: set[tuple[tuple[str, str, str], tuple[str, ...]]], ours: Result, other: str) -> bool:
    """Whether the pages that ours were judged on have been judged for the other extractor as well."""
    wanted = {(replace(one, extractor=other).key, tuple(one.by_page["id"])) for one in ours.runs if one.pages}
    return wanted <= found


def _without_weights(how: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in how.items() if name != "weights"}
