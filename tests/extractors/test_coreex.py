"""CoreEx: the element whose children hold much text and hardly a link."""

import pytest

from newsextract import Page
from newsextract.extractors.coreex import CoreEx


def words(count, word="word"):
    return " ".join([word] * count)


def test_coreex_chooses_parent_of_the_paragraphs():
    menu = "<ul>" + "".join(f"<li><a href=/{n}>Item {n}</a></li>" for n in range(9)) + "</ul>"
    paragraphs = "".join(f"<p>{words(30, name)}</p>" for name in ("one", "two", "three"))
    page = Page(f"<body><div>{menu}</div><div>{paragraphs}</div><div>{menu}</div></body>")
    assert CoreEx()(page).text.splitlines() == [words(30, name) for name in ("one", "two", "three")]


def test_coreex_counts_a_link_as_one_word():
    page = Page(f"<body><p>{words(20)} <a href=/>{words(100, 'link')}</a></p></body>")
    score = max(block.score for block in CoreEx()(page).blocks)
    assert score == pytest.approx(0.99 + 0.01 * 20 / 21)


def test_coreex_leaves_out_linked_child():
    linked = f"<p>{words(9, 'nine')} <a href=/>here</a></p>"
    kept = f"<p>{words(10, 'ten')} <a href=/>here</a></p>"
    page = Page(f"<body><div>{words(500)}{linked}{kept}</div></body>")
    assert CoreEx()(page).text.splitlines() == [words(500), words(10, "ten") + " here"]


def test_coreex_keeps_links_within_children_only():
    page = Page(f"<body><div>{words(900)} <a href=/>more</a><p>{words(300)} <a href=/>inner</a></p></div></body>")
    text = CoreEx()(page).text
    assert "inner" in text and "more" not in text


def test_coreex_prefers_wrapper_to_its_only_child():
    page = Page("<body><div><div><p>one two three.</p></div></div></body>")
    extraction = CoreEx()(page)
    assert extraction.text == "one two three."
    assert [block.score for block in extraction.blocks] == [1.0]


def test_coreex_counts_chinese_characters_as_words():
    page = Page("<body><p>市政府决定关闭大桥进行维修<a href=/>详情</a></p></body>")
    assert "市政府决定关闭大桥进行维修" in CoreEx()(page).text
    assert max(block.score for block in CoreEx()(page).blocks) == pytest.approx(0.99 + 0.01 * 13 / 14)


def test_coreex_ignores_links_without_text():
    images = "<a href=/><img src=x></a>" * 50
    page = Page(
        f"<body><div><p>{words(50)}</p>{images}<p>{words(50, 'more')}</p></div><p>{words(20, 'foot')}</p></body>"
    )
    assert words(50) in CoreEx()(page).text and words(50, "more") in CoreEx()(page).text
