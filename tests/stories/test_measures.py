"""Agreement of stories with labels."""

from pathlib import Path

import pytest

from newsextract.stories.gold import evaluate_related, read_gold
from newsextract.stories.measures import agreement


def test_paper_example():
    """Bagga and Baldwin's second response: two of three clusters are joined; precision 0.58, recall 1."""
    labels = [1] * 5 + [2] * 2 + [3] * 5
    joined = agreement(labels, [1] * 5 + [2] * 2 + [2] * 5)
    assert joined.recall == 1
    assert joined.precision == pytest.approx((5 + (4 + 25) / 7) / 12)


def test_equal_partitions_agree_fully_whatever_their_names():
    same = agreement([1, 1, 2, 3], ["a", "a", "b", "c"])
    assert (same.bcubed, same.pairwise, same.nmi, same.first_reports, same.low, same.high) == (1, 1, 1, 1, 1, 1)


def test_first_reports():
    """Begun: 0, 2 and 3; first of their label: 0, 1 and 3."""
    assert agreement([1, 2, 2, 3], [1, 1, 2, 3]).first_reports == pytest.approx(2 / 3)


def test_pairs_across_languages_are_balanced_and_scored():
    """Ten made-up events in five languages: 100 pairs of one event, and as many of two."""
    gold = read_gold(Path(__file__).parent / "sets" / "languages.jsonl")
    found = evaluate_related(gold)
    assert found is not None
    assert found.pairs == 200
    assert found.precision > 0.95
    assert found.recall > 0.7
    assert evaluate_related([each for each in gold if each.article.language == "en"]) is None
