"""CETD: content extraction via text density."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract import Page
from newsextract.errors import WrongOption
from newsextract.extractors import make_extractor
from newsextract.extractors.cetd import CETD, below_marked, best_below, mark_dense

MENU = "<ul>" + "<li><a href=x>A menu item</a></li>" * 12 + "</ul>"
TEXTS = [f"Paragraph {name}, of the story, is long enough to be dense. " * 3 for name in ("one", "two", "three")]
STORY = "".join(f"<p>{text}</p>" for text in TEXTS)


@pytest.mark.parametrize("density", ["ctd", "td"])
@pytest.mark.parametrize("choice", ["sums", "densest", "threshold"])
def test_cetd_chooses_the_dense_subtree(density, choice):
    html = f"<body><div>{MENU}</div><div><h1>Title</h1><div>{STORY}</div></div><div>{MENU}</div></body>"
    text = CETD(density, choice)(Page(html)).text
    assert all(" ".join(part.split()) in text for part in TEXTS)
    assert "A menu item" not in text


def test_cetd_keeps_link_within_a_paragraph():
    story = STORY.replace("of the story", "<a href=x>of the story</a>")
    assert "one, of the story, is" in CETD()(Page(f"<body>{MENU}<div>{story}</div>{MENU}</body>")).text


def test_cetd_marks_second_dense_part():
    html = f"<body><div>{MENU}</div><div>{STORY * 2}</div><div>{MENU}</div><div>{STORY}</div></body>"
    assert CETD()(Page(html)).text.count("Paragraph one") == 9
    assert CETD(choice="densest")(Page(html)).text.count("Paragraph one") == 6


def test_cetd_score_is_the_density_of_the_element():
    extraction = CETD(density="td")(Page("<body><p>0123456789</p><p><a href=x>all link</a></p></body>"))
    assert [block.score for block in extraction.blocks] == [10, 0]


TREES = st.lists(st.tuples(st.integers(0, 100), st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=15).map(
    lambda rows: (
        np.array([-1, *(above % (i + 1) for i, (above, _, _) in enumerate(rows[1:]))], np.int64),
        np.array([density for _, density, _ in rows], float),
        np.array([total for _, _, total in rows], float),
    )
)


def subtree(parents: np.ndarray, row: int) -> list[int]:
    return [row, *(below for child in np.flatnonzero(parents == row) for below in subtree(parents, int(child)))]


@given(TREES)
def test_best_below_is_the_first_largest_of_the_subtree(tree):
    parents, _, total = tree
    for row, best in enumerate(best_below(parents, total).tolist()):
        members = sorted(subtree(parents, row))
        assert best == max(members, key=lambda member: (total[member], -member))


@given(TREES)
def test_mark_dense_equals_the_recursive_definition(tree):
    """On trees in document order the loop does what the paper's recursion from the body down does."""
    parents, density, total = tree
    parents = in_document_order(parents)
    best = best_below(parents, total).tolist()
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


def in_document_order(parents: np.ndarray) -> np.ndarray:
    """The same tree, numbered by a walk from the root."""
    order = subtree(parents, 0)
    number = {old: new for new, old in enumerate(order)}
    return np.array([-1 if parents[old] < 0 else number[int(parents[old])] for old in order], np.int64)


def test_cetd_refuses_unknown_density():
    with pytest.raises(WrongOption, match="ctd, td"):
        make_extractor("cetd", {"density": "text"})
