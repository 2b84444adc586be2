"""Tag paths: their edit distance, figures of all nodes of one path, features."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from newsextract import Page
from newsextract.extractors.common.path_features import (
    FEATURES,
    deviations,
    edit_distance,
    extended_ratio,
    means,
    path_features,
    path_nearness,
    scaled,
    sums,
)
from newsextract.page.text_nodes import TagPaths

#: The page of the published worked example: two paragraphs of one path with 645 characters, a link, a heading of 40.
EXAMPLE = (
    f"<div><div><div><h1>{'h' * 40}</h1><p>{'a' * 300}</p><p>{'b' * 245} <a href=x>{'c' * 7}</a></p>"
    f"<p>{'d' * 99}</p></div></div></div>"
)


def test_path_features_tpr_is_mean_length():
    page = Page(EXAMPLE.replace(f"<p>{'d' * 99}</p>", "").replace("b" * 245, "b" * 345))
    nodes = page.text_nodes
    ratio = dict(zip(nodes.texts, path_features(nodes)["tpr"].tolist(), strict=True))
    assert ratio["a" * 300] == ratio["b" * 345] == 322.5
    assert ratio["c" * 7] == 7
    assert ratio["h" * 40] == 40


def test_extended_ratio_of_path_with_one_text_is_positive():
    features = path_features(Page("<p>One paragraph, all there is.</p>").text_nodes)
    assert features["len_dev"].tolist() == features["punc_dev"].tolist() == [1]
    assert extended_ratio(features)[0] == len("One paragraph, all there is.") * 2


def test_path_features_unlinked_share():
    nodes = Page("<p>0123456789</p><ul><li><a href=x>01234</a></ul>").text_nodes
    features = path_features(nodes)
    assert features["unlinked"].tolist() == [1, 0]
    assert features["share"].tolist() == pytest.approx([10 / 15, 5 / 15])


def test_path_features_ignore_bars_between_menu_items():
    assert path_features(Page("<p>Home | About > Us / Team</p>").text_nodes)["ppr"].tolist() == [0]
    assert path_features(Page("<p>他说：“好，走。”</p>").text_nodes)["ppr"].tolist() == [5]


@given(st.lists(st.sampled_from("<p> </p> <a> </a> <li> <h2> word. long-word, 字。".split()), max_size=30))
def test_scaled_features_are_0_to_1_and_equal_on_a_path(parts):
    nodes = Page("".join(parts)).text_nodes
    features = scaled(path_features(nodes))
    assert tuple(features) == FEATURES
    for column in features.values():
        assert ((column >= 0) & (column <= 1 + 1e-12)).all()
        for path in set(nodes.paths.tolist()):
            assert np.ptp(column[nodes.paths == path]) == 0


def test_path_features_of_empty_page_are_empty():
    assert all(len(column) == 0 for column in scaled(path_features(Page("").text_nodes)).values())


PATHS = st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=6), min_size=2, max_size=8)


def tree_of(paths: list[list[str]]) -> tuple[TagPaths, list[int]]:
    tree, numbers = TagPaths(), []
    for path in paths:
        at = -1
        for tag in path:
            at = tree.add(at, tag)
        numbers.append(at)
    return tree, numbers


@given(PATHS)
def test_tag_paths_hold_each_path_once(paths):
    tree, numbers = tree_of(paths)
    assert [tree[number] for number in numbers] == [tuple(path) for path in paths]
    assert len(set(numbers)) == len({tuple(path) for path in paths})
    assert [tree.depths[number] for number in numbers] == [len(path) for path in paths]
    assert len(set(tree[:])) == len(tree)


@given(PATHS)
def test_edit_distance_equals_levenshtein(paths):
    tree, numbers = tree_of(paths)
    for a, one in zip(numbers, paths, strict=True):
        for b, other in zip(numbers, paths, strict=True):
            assert edit_distance(tree, a, b) == Levenshtein.distance(one, other)


def test_path_nearness_of_link_and_menu():
    page = Page("<ul><li><a>menu</a></li></ul><div><p>one <a>link</a> two</p></div>")
    near = path_nearness(page.text_nodes)
    assert page.text_nodes.texts == ["menu", "one", "link", "two"]
    assert near(1).tolist() == pytest.approx([1 - 3 / 5, 1 - 1 / 5, 1 - 1 / 5])
    assert near(2).tolist() == pytest.approx([1 - 2 / 5, 1])


@given(st.lists(st.sampled_from("<p> </p> <b> </b> <div> </div> word".split()), max_size=30))
def test_sums_means_and_deviations_are_over_the_nodes_of_a_path(parts):
    nodes = Page("".join(parts) + "<p>last</p>").text_nodes
    lengths = nodes.lengths.astype(float)
    for path in range(len(nodes.tag_paths)):
        of_path = lengths[nodes.paths == path]
        assert sums(nodes)[path] == len(of_path)
        assert sums(nodes, lengths)[path] == of_path.sum()
        assert means(nodes, lengths)[path] == pytest.approx(of_path.mean() if len(of_path) else 0)
        assert deviations(nodes, lengths)[path] == pytest.approx(np.std(of_path) if len(of_path) else 0)


def test_tag_paths_of_deep_page_take_linear_memory():
    page = Page("<div>" * 900 + "".join(f"<t{i}>text</t{i}>" for i in range(5_000)))
    paths = page.text_nodes.tag_paths
    assert len(paths) > 5_000
    assert sum(map(len, (paths.parents, paths.tags, paths.depths))) == 3 * len(paths)
