"""Two results of the same extractors, figure by figure: did a change make it better, worse, or neither for certain."""

from math import nan

from evaluation.bootstrap import difference
from evaluation.results import Difference, Result, Run
from newsextract.errors import WrongCall


def compare(first: Result, second: Result) -> list[Difference]:
    """For every set and extractor that both hold: the second less the first, on the pages both have.

    Without page figures in both files there is no interval (low and high are nan). WrongCall where nothing is common.
    """
    found = []
    for before in first.runs:
        after = second.run(*before.key)
        if after is not None and (change := difference(before, after) or _of_scores(before, after)):
            found.append(change)
    if not found:
        raise WrongCall("the two results have no set and extractor in common")
    return found


def _of_scores(before: Run, after: Run) -> Difference | None:
    for figure in ("f", "refused"):
        if figure in before.scores and figure in after.scores:
            change = after.scores[figure] - before.scores[figure]
            return Difference(before.set, before.label, after.label, figure, before.pages, change, nan, nan, nan)
    return None
