"""Agreement of stories with labels."""

import gzip
from pathlib import Path

import pytest

from newsextract.errors import WrongCall
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


@pytest.mark.parametrize(
    "lines",
    [
        b"[]",
        b'{"url": "a"}',
        b'{"url": "a", "story": ["x"]}',
        b'{"url": "a", "story": NaN}',
        b"[" * 100_000,
        b"\xff",
        b"",
    ],
)
def test_gold_that_is_none_is_refused(tmp_path, lines):
    path = tmp_path / "gold.jsonl"
    path.write_bytes(lines)
    with pytest.raises(WrongCall):
        read_gold(path)


def test_gold_may_be_compressed_and_begin_with_a_byte_order_mark_but_not_end_early(tmp_path):
    path, line = tmp_path / "gold.jsonl.gz", b'\xef\xbb\xbf{"url": "a", "story": 1}'
    path.write_bytes(gzip.compress(line))
    assert [each.label for each in read_gold(path)] == ["1"]
    path.write_bytes(gzip.compress(line)[:-9])
    with pytest.raises(WrongCall):
        read_gold(path)


def test_pairs_across_languages_are_balanced_and_scored():
    """Ten made-up events in five languages: 100 pairs of one event, and as many of two."""
    gold = read_gold(Path(__file__).parent / "sets" / "languages.jsonl")
    found = evaluate_related(gold)
    assert found is not None
    assert found.pairs == 200
    assert found.precision > 0.95
    assert found.recall > 0.7
    assert evaluate_related([each for each in gold if each.article.language == "en"]) is None
