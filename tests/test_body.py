"""Which lines of the chosen text are the body."""

import pytest

from newsextract import Extraction, Page
from newsextract.body import LINE_RULES, body_rows, is_byline, is_furniture
from tests.patterns import examples

TEXT = "The council met on Monday, and after a long debate it voted for the new bridge."


def body(html: str, headline: str | None = None, authors: tuple[str, ...] = ()) -> list[str]:
    page = Page(html)
    extraction = Extraction.of_blocks(page, [True] * len(page.blocks))
    return [extraction.texts[row] for row in body_rows(extraction, headline, authors)]


@pytest.mark.parametrize(
    "line",
    """By Anna Berg
    Par Anna Berg, publié le 6 mai 2024
    Anna Berg
    ANNA BERG, 6 May 2024
    Updated: 2024-05-06 10:30
    2024年05月06日 10:30
    Photo: Anna Berg
    © 2024 The Valley Post. All rights reserved.
    图片来源：新华社
    （责任编辑：王芳）
    分享到：微信 微博
    Share this article
    Share on Facebook | Tweet | Email | Print
    Read more: The bridge that nobody wanted
    Sign up for our newsletter
    3 Comments
    Lea también: Fernando Botero y su obra
    [Read more: A guide to ferries]
    LEIA TAMBÉM: A ponte
    Читайте также: Мост открыт
    इसे भी पढ़ें : पुल
    Baca juga: Jembatan
    Opinion
    Advertisement""".split("\n"),
)
def test_body_rows_drops_furniture_line(line):
    line = line.strip()
    assert body(f"<div><p>{TEXT}</p><p>{line}</p><p>{TEXT}</p></div>", authors=("Anna Berg",)) == [TEXT, TEXT]


@pytest.mark.parametrize(
    "line",
    """By Monday the river had risen by another two metres, and the town was cut off.
    Von den neun Brücken der Stadt ist nur diese gesperrt.
    “No,” she said.
    It was 1945.
    Comments on the plan were mixed, the council's report found in its second chapter.
    Share prices fell by a third after the announcement, and trading was halted twice.
    Photo editors at the paper had, until then, never seen such a picture in print.
    Read more books, he told them, and talk less of them, and you will be happier for it.
    来源于民间的故事在这里流传了几百年，至今仍被老人们讲述。
    编辑们说，他们从未见过这样的照片。
    记者昨日从市水务局获悉，新建的三座水厂将于明年春天投入使用。
    In May 2024 the bridge was closed.
    Read more often than his other books, it made his name.
    À lire de près ce texte, on comprend que le pont coûtera cher.
    Related to this is the question of who pays.
    Le puede interesar a cualquiera que viva aquí.
    Analysis of the data shows that the bridge is safe
    Les habitants du village""".split("\n"),
)
def test_body_rows_keeps_sentence_that_begins_like_furniture(line):
    line = line.strip()
    assert body(f"<div><p>{TEXT}</p><p>{line}</p></div>", authors=("Anna Berg",)) == [TEXT, line]


def test_body_rows_drops_headline():
    html = f"<h1>Council votes, at last, for bridge</h1><p>{TEXT}</p><p>COUNCIL VOTES AT LAST FOR BRIDGE!</p>"
    assert body(html, headline="Council votes, at last, for bridge") == [TEXT]


@pytest.mark.parametrize(
    "kept",
    [
        pytest.param("<figure><pre>x = 1<br>print(x)</pre></figure>", id="code listing in a figure"),
        pytest.param("<figure><table><tr><td>Dundee A<td>4-0<td>1564</table></figure>", id="results in a figure"),
        pytest.param("<figure><blockquote>Under this cross my mother lies</blockquote></figure>", id="quotation"),
        pytest.param("<ul><li>1<li>2<li>3</ul>", id="numbers"),
        pytest.param("<p>11/27, Sunday: 12 pm – 12 am</p><p>11/28, Monday: 8 am – 2 pm</p>", id="opening hours"),
        pytest.param("<p>Sunday 3 May</p><p>Monday 4 May</p>", id="section dates"),
    ],
)
def test_body_rows_keeps_listings_tables_and_dates_between_paragraphs(kept):
    html = f"<div><p>{TEXT}</p><p>{TEXT} So it did.</p>{kept}<p>{TEXT} And more.</p></div>"
    assert body(html) == Page(html).blocks.texts


def test_body_rows_keeps_refrain_that_is_the_headline():
    refrain = "O wide, wide world"
    verses = "".join(f"<p>{refrain}<br>line {number} of the song</p>" for number in range(4))
    lines = body(f"<h1>{refrain}</h1>{verses}", headline=refrain)
    assert lines.count(refrain) == 4


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
def test_body_rows_drops_caption(caption):
    text = "Crowds gathered at the bridge on Monday, waiting for the vote."
    assert text not in body(f"<div><p>{TEXT}</p>{caption.format(text)}<p>{TEXT}</p></div>")


def test_body_rows_keeps_page_whose_template_calls_all_text_caption():
    assert body(f"<div class='caption-layout'><p>{TEXT}</p><p>{TEXT}</p></div>") == [TEXT, TEXT]


def test_body_rows_are_chosen_blocks_only():
    page = Page(f"<p>{TEXT}</p><p>Something else, too.</p>")
    assert body_rows(Extraction.of_blocks(page, [True, False]), None, ()) == [0]
    assert body("") == []


def test_is_furniture_never_takes_a_line_of_paragraph_length():
    assert not is_furniture("Share " * 60)
    assert is_furniture("Share " * 6)


@pytest.mark.parametrize("rule", range(len(LINE_RULES)))
def test_line_rules_heads_cover_every_alternative_of_the_pattern(rule):
    pattern, longest, _ = LINE_RULES[rule]
    lines = [line for line in examples(pattern) if pattern.match(line) and len(line) <= longest]
    assert lines
    assert [line for line in lines if not is_furniture(line)] == []


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("By Milo Vance, Jr., and Ann Lee", True),
        ("By Milo Vance, Staff Writer", True),
        ("By MILO VANCE and ANN LEE - AP Technology Writers", True),
        ("Par Ann Lee, Milo Vance Envoyés spéciaux à Toulouse", True),
        ("By Milo Vance, The River Times", True),
        ("By Ann Lee, the editor told us, nobody was hurt.", False),
        ("By Ann the bridge was built", False),
        ("By an editor of the River Times", False),
        ("Ann Lee, editor of the River Times", False),
        ("May and June 2016", False),
    ],
)
def test_byline_may_end_with_a_job_or_an_employer(line, wanted):
    assert is_byline(line, {"milo", "vance", "ann", "lee"}) is wanted
