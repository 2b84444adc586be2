"""CETR: content extraction via tag ratios."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract import Page
from newsextract.methods.cetr import CETR, CETRTM, derivative, k_means, tag_ratios
from newsextract.methods.common.lines import Lines
from tests.extractors.pages import MENU, TEXTS, story


def test_tag_ratios_are_characters_for_each_tag():
    lines = Page("<div><p>0123456789</p><p>01234<b>56</b><br></p></div>").view(Lines)
    assert tag_ratios(lines).tolist() == [0, 5, 7 / 3, 0, 0]
    assert tag_ratios(Page("0123456789").view(Lines))[0] in (5, 10), "no tag counts as one"


def test_derivative_compares_mean_of_next_lines():
    ratios = np.array([1.0, 2.0, 4.0, 6.0, 0.0])
    assert derivative(ratios, 3).tolist() == [3, pytest.approx(10 / 3 - 2), 1, 6, 0]


@pytest.mark.parametrize("method", [CETR(), CETRTM()])
def test_cetr_chooses_dense_lines_and_a_short_one_between_them(method):
    text = method(Page(f"{MENU}<div>{story()}<p>He laughed.</p>{story()}</div>{MENU}")).text
    assert set(TEXTS) | {"He laughed."} <= set(text.split("\n"))
    assert text.count("Menu item") <= 2


def test_cetr_without_three_distinct_points_uses_the_threshold():
    for html in ("<p>One line, only.</p>", "<p>a</p><p>a</p>", "<p>Two lines.</p><p>Of text, here.</p>"):
        assert CETR()(Page(html)).text


@given(st.lists(st.tuples(st.floats(0, 100), st.floats(0, 100)), min_size=3, max_size=40).map(np.array))
def test_k_means_puts_origin_in_pinned_cluster(points):
    assert k_means(np.vstack((points, [0.0, 0.0])), 3)[-1] == 0
