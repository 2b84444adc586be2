"""Text nodes: the leaves of the tree that hold text, with the tag path to each."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from newsextract import Page


def test_text_nodes_have_tag_paths_from_the_root():
    nodes = Page("<div><p>One <a href=x>link</a> more.</p></div>").text_nodes
    assert nodes.texts == ["One", "link", "more."]
    assert [nodes.tag_paths[path] for path in nodes.paths] == [
        ("html", "body", "div", "p"),
        ("html", "body", "div", "p", "a"),
        ("html", "body", "div", "p"),
    ]
    assert nodes.linked.tolist() == [False, True, False]


def test_text_nodes_are_split_by_br_not_by_comments():
    nodes = Page("<div>one<br>two<!-- x -->three</div>").text_nodes
    assert nodes.texts == ["one", "twothree"]
    assert len(set(nodes.paths.tolist())) == 1
    assert len(set(nodes.parents.tolist())) == 1


def test_text_nodes_leave_out_blank_text_but_keep_the_space():
    page = Page("<p>one<b>two</b> <i>three</i></p>")
    assert page.text_nodes.texts == ["one", "two", "three"]
    assert page.blocks.texts == ["onetwo three"]
    assert page.text_nodes.joined(0, 3) == "onetwo three"


def test_text_nodes_runs_join_nodes_of_one_block_and_choice():
    nodes = Page("<p>a<b>b</b>c</p><p>d</p>").text_nodes
    assert nodes.runs(np.array([True, True, False, False])) == [(0, 2), (2, 3), (3, 4)]


@given(st.lists(st.sampled_from("<p> </p> <b> </b> <a> <br> <div> </div> word 字 . \u00a0".split(" ")), max_size=30))
def test_text_nodes_of_each_block_join_to_its_text(parts):
    page = Page("".join(parts))
    nodes = page.text_nodes
    assert [nodes.joined(*run) for run in nodes.runs(np.ones(len(nodes), bool))] == page.blocks.texts
    assert (np.diff(nodes.blocks) >= 0).all()
