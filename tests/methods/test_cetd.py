"""CETD: content extraction via text density."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract import Page
from newsextract.methods.cetd import CETD, below_marked, best_below, mark_dense
from tests.extractors.pages import TEXTS, between_menus, story


@pytest.mark.parametrize("density", ["ctd", "td"])
def test_cetd_chooses_the_dense_subtrees_with_their_links(density):
    linked = story().replace("of the story", "<a href=x>of the story</a>")
    for html in (f"<h1>Title</h1><div>{story()}</div>", linked):
        text = CETD(density)(Page(between_menus(html))).text
        assert all(part in text for part in TEXTS)
        assert "Menu item" not in text
    two = f"{between_menus(story() * 4)}<div>{story() * 2}</div>"
    assert CETD(density)(Page(two)).text.count(TEXTS[0]) == 6, "a second dense part is marked too"


@st.composite
def trees(draw):
    """A tree in document order, numbered by a walk from the root: parents, densities and sums of its elements."""
    count = draw(st.integers(1, 15))
    parents = [-1]
    for row in range(1, count):
        chain = [row - 1]
        while parents[chain[-1]] >= 0:
            chain.append(parents[chain[-1]])
        parents.append(draw(st.sampled_from(chain)))
    columns = st.lists(st.integers(0, 5), min_size=count, max_size=count)
    return np.array(parents), np.array(draw(columns), float), np.array(draw(columns), float)


def subtree(parents: np.ndarray, row: int) -> list[int]:
    return [row, *(below for child in np.flatnonzero(parents == row) for below in subtree(parents, int(child)))]


@given(trees())
def test_mark_dense_equals_the_recursive_definition(tree):
    """The loop does what the paper's recursion from the body down does."""
    parents, density, total = tree
    best = best_below(parents, total).tolist()
    for row in range(len(best)):
        assert best[row] == max(subtree(parents, row), key=lambda member: (total[member], -member))
    chain, at = [], best[0]
    while at >= 0:
        chain.append(at)
        at = int(parents[at])
    threshold = min(density[row] for row in chain)
    marked = {best[0]}

    def visit(row: int, covered: bool) -> None:
        covered = covered or row in marked
        if not covered and density[row] >= threshold:
            marked.add(best[row])
            for child in np.flatnonzero(parents == row).tolist():
                visit(child, row in marked)

    visit(0, False)
    ours = below_marked(parents, mark_dense(parents, density, total))
    assert set(np.flatnonzero(ours).tolist()) == {below for row in marked for below in subtree(parents, row)}
