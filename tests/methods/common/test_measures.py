"""Text densities, features of tag paths, and Dempster's rule, each against its definition."""

from fractions import Fraction
from itertools import product
from math import e, log, prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein
from turbohtml.etree import ElementView

from newsextract import Page
from newsextract.methods.common.dempster_shafer import combine
from newsextract.methods.common.density import (
    LINK_TAGS,
    Subtrees,
    composite_density,
    composite_density_sum,
    density_sum,
    read_subtrees,
    text_density,
    unlinked_density,
)
from newsextract.methods.common.path_features import (
    FEATURES,
    MARKS,
    extended_ratio,
    nearness,
    path_features,
    path_nearness,
    scaled,
)
from newsextract.page.text_nodes import TagPaths, TextNodes

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


def test_composite_density_equals_the_formula_and_density_sum_adds_children_and_direct_text():
    counts = read_subtrees(Page(HTML))
    c, t, lc, lt, r = 20, 7, 5, 5, 5 / 20
    expected = c / t * log(c * t / (lc * lt)) / log(log(c * lc / (c - lc) + r * c + e))
    assert composite_density(counts)[0] == pytest.approx(expected)
    total = by_tag(counts, density_sum(counts, text_density(counts), counts.runs[:, 1].astype(float)))
    assert total["p"] == [5], "a leaf's sum is its own density"
    assert total["div"] == [5 + 10]
    assert total["body"] == [pytest.approx(15 / 1 + 5 / 4)]


def test_composite_densities_of_page_without_links_are_small():
    page = Page("<body><div>Direct text, of some length.<p>More.</p></div></body>")
    assert composite_density_sum(read_subtrees(page)).max() < 1e6


def test_path_features_of_the_worked_example_one_text_linked_text_and_marks():
    """The page as published: two paragraphs of one path with 645 characters, a link, a heading of 40."""
    page = Page(f"<div><h1>{'h' * 40}</h1><p>{'a' * 300}</p><p>{'b' * 345} <a href=x>{'c' * 7}</a></p></div>")
    assert path_features(page.view(TextNodes))["tpr"].tolist() == [40, 322.5, 322.5, 7]
    features = path_features(Page("<p>One paragraph, all there is.</p>").view(TextNodes))
    assert features["len_dev"].tolist() == features["punc_dev"].tolist() == [1]
    assert extended_ratio(features)[0] == len("One paragraph, all there is.") * 2
    features = path_features(Page("<p>0123456789</p><ul><li><a href=x>01234</a></ul>").view(TextNodes))
    assert features["unlinked"].tolist() == [1, 0]
    assert features["share"].tolist() == pytest.approx([10 / 15, 5 / 15])
    for text, marks in (("Home | About > Us / Team", 0), ("他说：“好，走。”", 5)):
        assert path_features(Page(f"<p>{text}</p>").view(TextNodes))["ppr"].tolist() == [marks]
    assert all(len(column) == 0 for column in scaled(path_features(Page("").view(TextNodes))).values())


@given(st.lists(st.sampled_from("<p> </p> <a> </a> <li> <h2> word. long-word, 字。".split()), max_size=30))
def test_path_features_are_means_and_deviations_over_the_nodes_of_a_path(parts):
    nodes = Page("".join(parts)).view(TextNodes)
    features = path_features(nodes)
    marks = np.array([len(MARKS.findall(text)) for text in nodes.texts])
    for path in set(nodes.paths.tolist()):
        rows = nodes.paths == path
        for values, mean, deviation in ((nodes.lengths, "tpr", "len_dev"), (marks, "ppr", "punc_dev")):
            assert features[mean][rows] == pytest.approx(values[rows].mean())
            assert features[deviation][rows] == pytest.approx(max(1, np.std(values[rows])))
    assert tuple(features) == FEATURES
    for column in scaled(features).values():
        assert ((column >= 0) & (column <= 1 + 1e-12)).all()


PATHS = st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=6), min_size=2, max_size=8)


@given(PATHS)
def test_tag_paths_hold_each_path_once_and_are_near_by_edit_distance(paths):
    tree, numbers = TagPaths(), []
    for path in paths:
        at = -1
        for tag in path:
            at = tree.add(at, tag)
        numbers.append(at)
    assert [tree[number] for number in numbers] == [tuple(path) for path in paths]
    assert [tree.depths[number] for number in numbers] == [len(path) for path in paths]
    assert len({tree[number] for number in range(len(tree))}) == len(tree)
    for a, one in zip(numbers, paths, strict=True):
        for b, other in zip(numbers, paths, strict=True):
            longer = max(len(one), len(other))
            assert nearness(tree, a, b) == pytest.approx(1 - Levenshtein.distance(one, other) / longer)


def test_path_nearness_of_menu_and_link():
    page = Page("<ul><li><a>menu</a></li></ul><div><p>one <a>link</a> two</p></div>")
    assert page.view(TextNodes).texts == ["menu", "one", "link", "two"]
    assert path_nearness(page.view(TextNodes)).tolist() == pytest.approx([1 - 3 / 5, 1 - 1 / 5, 1 - 1 / 5])


NEWS = frozenset({"news"})
NOT_NEWS = frozenset({"not news"})
BOTH = NEWS | NOT_NEWS
MASS = st.floats(0, 0.99)


def dempster(sources):
    """The rule by its definition: a sum over all combinations of focal sets, in exact numbers."""
    total = dict.fromkeys((frozenset(), NEWS, NOT_NEWS, BOTH), Fraction(0))
    for combination in product(*(source.items() for source in sources)):
        common = frozenset.intersection(BOTH, *(focal for focal, _ in combination))
        total[common] += prod(Fraction(mass) for _, mass in combination)
    k = 1 - total.pop(frozenset())
    return {focal: float(mass / k) for focal, mass in total.items()}


@given(st.lists(MASS, max_size=3), st.lists(MASS, max_size=2))
def test_combine_equals_dempsters_rule_over_focal_sets(supporting, opposing):
    sources = [{NEWS: p, BOTH: 1 - Fraction(p)} for p in supporting]
    sources += [{NOT_NEWS: q, BOTH: 1 - Fraction(q)} for q in opposing]
    assert float(combine(supporting, opposing)) == pytest.approx(dempster(sources)[NEWS], abs=1e-12)


def test_combine_treats_each_hypothesis_alone_and_certain_contradiction_as_unknown():
    found = combine([[0.5, 0.0, 1.0], [0.5, 0.0, 1.0]], [[0.0, 0.9, 1.0]])
    assert found.tolist() == pytest.approx([0.75, 0, 0])
