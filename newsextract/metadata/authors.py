"""Authors: a linear model chooses among the names that the sources of a page give.

Sources are asked one after the other, most trusted first, until one names persons with a score above the threshold.
The weights (authors.json) were fitted by softmax over a page's candidates and "no author", and start from the order of
trust in evaluation/training/authors_prior.toml.
"""

from collections.abc import Iterator, Sequence

from newsextract.metadata.author_candidates import AuthorCandidate, AuthorCandidates
from newsextract.metadata.evidence import PageEvidence, SourcedValue
from newsextract.metadata.linear_model import load_model
from newsextract.text import comparison_key


def authors(evidence: PageEvidence) -> SourcedValue[list[str]] | None:
    """The names of the candidate with the highest score, if that is above the threshold."""
    model = load_model("authors")
    for group in AuthorCandidates(evidence).groups():
        scores = [model.score(author_features(one, group)) for one in group]
        if max(scores) >= model.threshold:
            best = group[scores.index(max(scores))]
            return SourcedValue([*best.names], best.source)
    return None


def author_features(one: AuthorCandidate, group: Sequence[AuthorCandidate]) -> dict[str, float]:
    """A candidate's features that aren't 0."""
    return dict.fromkeys((*one.signs, *_agreement(one, group)), 1.0)


def _agreement(one: AuthorCandidate, group: Sequence[AuthorCandidate]) -> Iterator[str]:
    """What the names themselves say, and whether another source has one of them."""
    if len(one.names) > 1:
        yield "several names"
    if len(group) > 1:
        names = {comparison_key(name) for name in one.names}
        others = (other for other in group if other is not one)
        if any(comparison_key(name) in names for other in others for name in other.names):
            yield "named by another source"
