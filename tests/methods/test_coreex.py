"""CoreEx: the element whose children hold much text and hardly a link."""

import pytest

from newsextract import Page
from newsextract.methods.coreex import CoreEx
from tests.extractors.pages import TEXTS, between_menus, story


def words(count: int, word: str = "word") -> str:
    return " ".join([word] * count)


IMAGES = "<a href=/><img src=x></a>" * 50


@pytest.mark.parametrize(
    ("html", "lines"),
    [
        (between_menus(story()), TEXTS),
        (  # a child with a link in ten words is left out
            f"<div>{words(500)}<p>{words(9, 'nine')} <a href=/>here</a></p><p>{words(10, 'ten')} <a href=/>on</a></p>",
            [words(500), words(10, "ten") + " on"],
        ),
        (  # links within children only
            f"<div>{words(900)} <a href=/>more</a><p>{words(300)} <a href=/>inner</a></p></div>",
            [words(900), words(300) + " inner"],
        ),
        (  # links without text don't count
            f"<div><p>{words(50)}</p>{IMAGES}<p>{words(50, 'more')}</p></div><p><a href=/>foot</a></p>",
            [words(50), words(50, "more")],
        ),
    ],
)
def test_coreex_chooses_the_element_and_its_children_with_hardly_a_link(html, lines):
    assert CoreEx()(Page(f"<body>{html}</body>")).text.splitlines() == lines


@pytest.mark.parametrize(
    ("html", "score"),
    [
        (f"<p>{words(20)} <a href=/>{words(100, 'link')}</a></p>", 0.99 + 0.01 * 20 / 21),  # a link is one word
        ("<p>市政府决定关闭大桥进行维修<a href=/>详情</a></p>", 0.99 + 0.01 * 13 / 14),  # a character is a word
        ("<div><div><p>one two three.</p></div></div>", 1.0),
    ],
)
def test_coreex_score_weighs_links_and_the_share_of_words(html, score):
    assert max(block.score for block in CoreEx()(Page(f"<body>{html}</body>")).blocks) == pytest.approx(score)
