"""Speed of extractors: the exponent, the pages that are made, and how time is taken."""

import pytest

from evaluation.extractor_speed import HOSTILE, SIZES, exponent, news_page, seconds
from newsextract.extractors import make_extractor


def test_exponent_of_a_square_is_two_and_of_a_line_one():
    assert exponent(SIZES, [size**2 for size in SIZES]) == pytest.approx(2)
    assert exponent(SIZES, [3 * size for size in SIZES]) == pytest.approx(1)


@pytest.mark.parametrize("size", SIZES[:4])
def test_news_page_has_the_size_asked_for_and_is_reproducible(size):
    assert len(news_page(size, 1)) == pytest.approx(size, rel=0.5)
    assert news_page(size, 1) == news_page(size, 1) != news_page(size, 2)


def test_hostile_pages_grow_with_their_length_and_are_timed():
    for name, make, length in HOSTILE:
        half, whole = len(make(length // 200)), len(make(length // 100))
        assert 1.5 < whole / half < 3.0, name
        total, above = seconds(make_extractor("econ"), make(length // 200), None, 1)
        assert 0 <= above <= total < 5, name
