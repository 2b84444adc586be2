"""Tag paths: their edit distance, and figures of all nodes of one path."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from newsextract import Page
from newsextract.extractors.common.path_features import deviations, edit_distance, means, path_nearness, sums
from newsextract.page.tag_paths import TagPaths

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
