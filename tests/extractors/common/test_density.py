"""Text densities of elements: counts of whole subtrees, and what is made of them."""

from math import e, log
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from turbohtml.etree import ElementView

from newsextract import Page
from newsextract.extractors.common.density import (
    LINK_TAGS,
    Subtrees,
    composite_density,
    composite_density_sum,
    density_sum,
    read_subtrees,
    text_density,
    unlinked_density,
)

HTML = "<body><div>0123456789<p>01234</p></div><ul><li><a href=x>012</a></li><li><a href=y>01</a></li></ul></body>"


def by_tag(counts: Subtrees, *columns: Any) -> dict[str, tuple[float, ...]]:
    return {element.tag: row for element, *row in zip(counts.elements, *map(list, columns), strict=True)}


def brute(element: Any, within: bool = False) -> tuple[int, int, int, int]:
    """C, T, LC, LT by the definitions, by recursion; `within`: whether it is in a link."""
    within = within or element.tag in LINK_TAGS
    children = [brute(child, within) for child in element]
    own = sum(len(" ".join((text or "").split())) for text in (element.text, *(child.tail for child in element)))
    c, t = own + sum(row[0] for row in children), sum(row[1] + 1 for row in children)
    if within:
        return c, t, c, t
    lc = sum(row[2] for row in children)
    lt = 0
    for child, (cc, ct, clc, clt) in zip(element, children, strict=True):
        lt += clt + (child.tag in LINK_TAGS or (clt == ct != 0 and cc == clc))
    return c, t, lc, lt


@given(
    st.lists(st.sampled_from("<p> </p> <div> </div> <a> </a> <b> </b> <ul> <li> word long-word".split()), max_size=30)
)
def test_subtrees_equal_recursive_definitions(parts):
    page = Page("<body>" + "".join(parts) + "<p>end</p></body>")
    counts = read_subtrees(page)
    for row, element in enumerate(map(ElementView, counts.elements)):
        found = (counts.characters[row], counts.tags[row], counts.linked[row], counts.link_tags[row])
        within = any(above.tag in LINK_TAGS for above in element.iterancestors())
        assert tuple(map(int, found)) == brute(element, within)
    assert np.isfinite(composite_density(counts)).all()
    assert (unlinked_density(counts) <= text_density(counts)).all()


def test_composite_density_equals_the_formula():
    counts = read_subtrees(Page(HTML))
    c, t, lc, lt, r = 20, 7, 5, 5, 5 / 20
    expected = c / t * log(c * t / (lc * lt)) / log(log(c * lc / (c - lc) + r * c + e))
    assert composite_density(counts)[0] == pytest.approx(expected)


def test_density_sum_adds_children_and_direct_text():
    counts = read_subtrees(Page(HTML))
    total = by_tag(counts, density_sum(counts, text_density(counts), counts.runs[:, 1].astype(float)))
    assert total["p"] == [5], "a leaf's sum is its own density"
    assert total["div"] == [5 + 10]
    assert total["body"] == [pytest.approx(15 / 1 + 5 / 4)]


def test_composite_densities_of_page_without_links_are_small():
    page = Page("<body><div>Direct text, of some length.<p>More.</p></div></body>")
    assert composite_density_sum(read_subtrees(page)).max() < 1e6
