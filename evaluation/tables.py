"""Results of runs as tables for a terminal."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from evaluation.results import Difference, Result, Run

#: Figure of Run.scores -> heading; shares are shown as percentages.
SCORES = {"f": "F", "fp": "Fp", "f4": "F4", "lcs": "LCS-F", "precision": "P", "recall": "R"}
SHARES = {"correct95": "correct", "wrong95": "wrong", "missed95": "missed", "empty": "empty", "refused": "refused"}
TIMES = (("ms", "total", "median"), ("95%", "total", "p95"), ("above parse", "above", "median"))


def new_table(title: str, left: Sequence[str], right: Sequence[str]) -> Table:
    """An empty table with headings of text columns, and of columns of numbers behind them."""
    table = Table(*left, title=title, title_justify="left")
    for heading in right:
        table.add_column(heading, justify="right")
    return table


def result_tables(result: Result) -> RenderableType:
    """Scores, scores of groups of pages, failures, and how the runs were made."""
    parts: list[RenderableType] = [_scores(result)]
    if any(run.groups for run in result.runs):
        parts.append(_group_scores(result))
    for run in result.runs:
        parts += [Text(f"{run.set}/{page} {run.label}: {why}", "red") for page, why in list(run.failures.items())[:5]]
    made = ", ".join(f"{name} {value}" for name, value in result.made.items())
    return Group(*parts, Text(made, "dim"))


def _scores(result: Result) -> Table:
    columns = {
        name: heading for name, heading in (SCORES | SHARES).items() if any(name in run.scores for run in result.runs)
    }
    headings = (*columns.values(), *(heading for heading, *_ in TIMES))
    table = new_table("Scores", ("set", "extractor"), ("pages", *headings, "failed"))
    table.add_column("gold")
    for _, runs in groupby(result.runs, key=lambda run: run.set):
        for run in runs:
            figures = [figure(run, name) for name in columns]
            times = [f"{run.times[name][of]:.1f}" if name in run.times else "" for _, name, of in TIMES]
            pages = f"{run.pages}" + (f" (-{run.not_applicable})" if run.not_applicable else "")
            table.add_row(run.set, run.label, pages, *figures, *times, str(len(run.failures) or ""), run.convention)
        table.add_section()
    return table


def _group_scores(result: Result) -> Table:
    """A row per set, extractor and group: page types, and formats of data of pages rendered by JavaScript."""
    table = new_table("Groups of pages", ("set", "extractor", "pages that are"), ("pages", "F", "empty", "refused"))
    for run in result.runs:
        for group, scores in run.groups.items():
            figures = [figure(replace(run, scores=scores, intervals={}), name) for name in ("f", "empty", "refused")]
            table.add_row(run.set, run.label, group, f"{scores['pages']:.0f}", *figures)
    return table


def figure(run: Run, name: str) -> str:
    """A score of a run as text, with its interval if it has one; "" if it has no such score."""
    if name not in run.scores:
        return ""
    value = run.scores[name]
    if name in SHARES:
        return f"{value:.1%}"
    low_high = run.intervals.get(name)
    return f"{value:.4f}" + (f" [{low_high[0]:.3f} {low_high[1]:.3f}]" if low_high else "")


def differences_table(differences: Sequence[Difference]) -> Table:
    """Second less first, with the 95% interval of the paired bootstrap; significant differences are coloured."""
    left, right = ("set", "first", "second", "figure"), ("pages", "difference", "95% interval", "second better")
    table = new_table("Differences (second less first)", left, right)
    for row in differences:
        style = ("green" if row.difference > 0 else "red") if row.certain else ""
        interval = f"{row.low:+.4f} {row.high:+.4f}"
        change = Text(f"{row.difference:+.4f}", style)
        table.add_row(row.set, row.first, row.second, row.figure, str(row.pages), change, interval, f"{row.better:.1%}")
    return table
