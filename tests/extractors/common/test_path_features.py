"""Tag paths: the features of all nodes of one path, and the nearness of two paths."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from newsextract import Page
from newsextract.extractors.common.path_features import (
    FEATURES,
    MARKS,
    extended_ratio,
    nearness,
    path_features,
    path_nearness,
    scaled,
)
from newsextract.page.text_nodes import TagPaths

#: The page of the published worked example: two paragraphs of one path with 645 characters, a link, a heading of 40.
EXAMPLE = (
    f"<div><div><div><h1>{'h' * 40}</h1><p>{'a' * 300}</p><p>{'b' * 345} <a href=x>{'c' * 7}</a></p></div></div></div>"
)


def test_path_features_of_the_worked_example():
    nodes = Page(EXAMPLE).text_nodes
    assert path_features(nodes)["tpr"].tolist() == [40, 322.5, 322.5, 7]


def test_path_features_of_one_text_linked_text_and_marks():
    features = path_features(Page("<p>One paragraph, all there is.</p>").text_nodes)
    assert features["len_dev"].tolist() == features["punc_dev"].tolist() == [1]
    assert extended_ratio(features)[0] == len("One paragraph, all there is.") * 2
    features = path_features(Page("<p>0123456789</p><ul><li><a href=x>01234</a></ul>").text_nodes)
    assert features["unlinked"].tolist() == [1, 0]
    assert features["share"].tolist() == pytest.approx([10 / 15, 5 / 15])
    for text, marks in (("Home | About > Us / Team", 0), ("他说：“好，走。”", 5)):
        assert path_features(Page(f"<p>{text}</p>").text_nodes)["ppr"].tolist() == [marks]
    assert all(len(column) == 0 for column in scaled(path_features(Page("").text_nodes)).values())


@given(st.lists(st.sampled_from("<p> </p> <a> </a> <li> <h2> word. long-word, 字。".split()), max_size=30))
def test_path_features_are_means_and_deviations_over_the_nodes_of_a_path(parts):
    nodes = Page("".join(parts)).text_nodes
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
    assert page.text_nodes.texts == ["menu", "one", "link", "two"]
    assert path_nearness(page.text_nodes).tolist() == pytest.approx([1 - 3 / 5, 1 - 1 / 5, 1 - 1 / 5])
