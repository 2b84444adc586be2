"""CoreEx: the element whose children hold much text and hardly a link."""

import pytest

from newsextract import Page
from newsextract.extractors.coreex import CoreEx


def words(count, word="word"):
    return " ".join([word] * count)


def test_the_element_of_the_paragraphs_wins_over_menus_and_over_single_paragraphs():
    menu = "<ul>" + "".join(f"<li><a href=/{n}>Item {n}</a></li>" for n in range(9)) + "</ul>"
    paragraphs = "".join(f"<p>{words(30, name)}</p>" for name in ("one", "two", "three"))
    page = Page(f"<body><div>{menu}</div><div>{paragraphs}</div><div>{menu}</div></body>")
    assert CoreEx()(page).text.splitlines() == [words(30, name) for name in ("one", "two", "three")]


def test_a_link_counts_as_one_word_whatever_its_text():
    page = Page(f"<body><p>{words(20)} <a href=/>{words(100, 'link')}</a></p></body>")
    score = max(block.score for block in CoreEx()(page).blocks)
    assert score == pytest.approx(0.99 + 0.01 * 20 / 21)


def test_a_child_with_every_tenth_word_a_link_is_left_out():
    linked = f"<p>{words(9, 'nine')} <a href=/>here</a></p>"
    kept = f"<p>{words(10, 'ten')} <a href=/>here</a></p>"
    page = Page(f"<body><div>{words(500)}{linked}{kept}</div></body>")
    assert CoreEx()(page).text.splitlines() == [words(500), words(10, "ten") + " here"]


def test_a_link_right_in_the_best_element_is_dropped_and_one_within_its_children_stays():
    page = Page(f"<body><div>{words(900)} <a href=/>more</a><p>{words(300)} <a href=/>inner</a></p></div></body>")
    text = CoreEx()(page).text
    assert "inner" in text and "more" not in text


def test_of_a_wrapper_and_its_only_child_the_wrapper_is_taken():
    page = Page("<body><div><div><p>one two three.</p></div></div></body>")
    extraction = CoreEx()(page)
    assert extraction.text == "one two three."
    assert [block.score for block in extraction.blocks] == [1.0]


def test_each_character_of_chinese_is_a_word():
    page = Page("<body><p>市政府决定关闭大桥进行维修<a href=/>详情</a></p></body>")
    assert "市政府决定关闭大桥进行维修" in CoreEx()(page).text
    assert max(block.score for block in CoreEx()(page).blocks) == pytest.approx(0.99 + 0.01 * 13 / 14)


def test_an_image_with_a_link_is_not_held_against_the_element():
    images = "<a href=/><img src=x></a>" * 50
    page = Page(
        f"<body><div><p>{words(50)}</p>{images}<p>{words(50, 'more')}</p></div><p>{words(20, 'foot')}</p></body>"
    )
    assert words(50) in CoreEx()(page).text and words(50, "more") in CoreEx()(page).text
