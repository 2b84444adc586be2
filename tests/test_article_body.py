"""The article's body: what an extractor chose, less the lines that stand in it but are not its text."""

import pytest

from newsextract import Extraction, Page
from newsextract.body import body_rows, is_furniture
from newsextract.body.lines import LINE_RULES
from tests.patterns import examples

TEXT = "The council met on Monday, and after a long debate it voted for the new bridge."


def body(html: str, headline: str | None = None, authors: tuple[str, ...] = ()) -> list[str]:
    page = Page(html)
    extraction = Extraction.of_blocks(page, [True] * len(page.blocks))
    return [extraction.texts[row] for row in body_rows(extraction, headline, authors)]


@pytest.mark.parametrize(
    "line",
    [
        "By Anna Berg",
        "Von Anna Berg",
        "Par Anna Berg, publié le 6 mai 2024",
        "Anna Berg",
        "ANNA BERG, 6 May 2024",
        "6 May 2024",
        "Published 6 May 2024 at 10:30 am",
        "Updated: 2024-05-06 10:30",
        "2024年05月06日 10:30",
        "Photo: Anna Berg",
        "Foto: dpa",
        "Image credit: Reuters",
        "© 2024 The Valley Post. All rights reserved.",
        "图片来源：新华社",
        "（责任编辑：王芳）",
        "责编：李明",
        "来源：新华网",
        "相关阅读：水厂建设进展",
        "分享到：微信 微博",
        "Share this article",
        "Facebook Twitter WhatsApp",
        "Share on Facebook | Tweet | Email | Print",
        "Read more: The bridge that nobody wanted",
        "Related articles",
        "Lesen Sie auch: Die Brücke",
        "Lire aussi : le pont",
        "Sign up for our newsletter",
        "3 Comments",
    ],
)
def test_furniture_goes(line):
    assert body(f"<div><p>{TEXT}</p><p>{line}</p><p>{TEXT}</p></div>", authors=("Anna Berg",)) == [TEXT, TEXT]


@pytest.mark.parametrize(
    "line",
    [
        "By Monday the river had risen by another two metres, and the town was cut off.",
        "Anna Berg, the mayor, told reporters that she would not run again.",
        "Von den neun Brücken der Stadt ist nur diese gesperrt.",
        "“No,” she said.",
        "He laughed.",
        "It was 1945.",
        "Comments on the plan were mixed, the council's report found in its second chapter.",
        "Share prices fell by a third after the announcement, and trading was halted twice.",
        "Photo editors at the paper had, until then, never seen such a picture in print.",
        "Read more books, he told them, and talk less of them, and you will be happier for it.",
        "Print runs rose to a million copies.",
        "来源于民间的故事在这里流传了几百年，至今仍被老人们讲述。",
        "编辑们说，他们从未见过这样的照片。",
        "记者昨日从市水务局获悉，新建的三座水厂将于明年春天投入使用。",
        "12 people were hurt.",
        "In May 2024 the bridge was closed.",
    ],
)
def test_sentences_that_look_like_furniture_stay(line):
    assert body(f"<div><p>{TEXT}</p><p>{line}</p></div>", authors=("Anna Berg",)) == [TEXT, line]


def test_the_headline_is_not_repeated_in_the_body():
    html = f"<h1>Council votes, at last, for bridge</h1><p>{TEXT}</p><p>COUNCIL VOTES AT LAST FOR BRIDGE!</p>"
    assert body(html, headline="Council votes, at last, for bridge") == [TEXT]


@pytest.mark.parametrize(
    "caption",
    [
        "<figure><img src=x><figcaption>{}</figcaption></figure>",
        "<figure><img src=x><div><p>{}</p></div></figure>",
        "<table><caption>{}</caption><tr><td>1</td></tr></table>",
        "<div class='image-caption'>{}</div>",
        "<p class='PhotoCredit'>{}</p>",
        "<div class=caption><span>{}</span></div>",
    ],
)
def test_captions_go_wherever_they_stand(caption):
    text = "Crowds gathered at the bridge on Monday, waiting for the vote."
    assert text not in body(f"<div><p>{TEXT}</p>{caption.format(text)}<p>{TEXT}</p></div>")


def test_a_page_that_is_one_caption_keeps_its_text():
    """A template that calls its whole article a caption means something else by the word."""
    assert body(f"<div class='caption-layout'><p>{TEXT}</p><p>{TEXT}</p></div>") == [TEXT, TEXT]


def test_what_was_not_chosen_is_no_body():
    page = Page(f"<p>{TEXT}</p><p>Something else, too.</p>")
    assert body_rows(Extraction.of_blocks(page, [True, False]), None, ()) == [0]


def test_an_empty_choice_is_an_empty_body():
    assert body("") == []


def test_no_line_beyond_a_paragraphs_length_is_furniture():
    assert not is_furniture("Share " * 60)
    assert is_furniture("Share " * 6)


@pytest.mark.parametrize("rule", range(len(LINE_RULES)))
def test_no_line_is_kept_because_its_first_letters_are_not_those_of_its_rule(rule):
    pattern, longest, _ = LINE_RULES[rule]
    lines = [line for line in examples(pattern) if pattern.match(line) and len(line) <= longest]
    assert lines
    assert [line for line in lines if not is_furniture(line)] == []
