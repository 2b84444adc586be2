"""Features of tag paths."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract import Page
from newsextract.extractors.common.path_features import FEATURES, extended_ratio, path_features, scaled

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
