"""extract(): from a page to an article, whatever the page is; and which lines of the chosen text are the body."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import newsextract
from newsextract import Article, Extraction, Page
from newsextract.article import (
    LINE_RULES,
    article_of,
    article_of_fetched,
    body_rows,
    is_byline,
    is_furniture,
    page_of,
)
from newsextract.errors import NewsextractError, UnknownExtractor, WrongCall, WrongOption
from newsextract.extractors import make_extractor
from newsextract.items import FetchedPage
from newsextract.urls import content_hash
from tests.extractors.pages import BRIDGE, CHINESE, ENGLISH, MARKER, WATER
from tests.patterns import examples

URL = "https://valleypost.example/2024/05/bridge"
HEAD = (
    '<meta property="og:type" content="article"><meta property="article:published_time" content="2024-05-06T08:00:00Z">'
    '<meta name="author" content="Anna Berg"><link rel="canonical" href="https://valleypost.example/2024/05/bridge">'
)
STORY = ENGLISH.replace("</head>", f"{HEAD}</head>")


def test_extract_gives_body_and_metadata_of_an_article():
    article = newsextract.extract(STORY, URL, extractor="econ")
    assert article.article_body.split("\n") == list(BRIDGE)
    assert article.headline == "Old bridge to close on Monday"
    assert article.authors == ["Anna Berg"]
    assert article.date_published == datetime(2024, 5, 6, 8, tzinfo=UTC)
    assert article.url == URL
    assert article.canonical_url == URL
    assert article.site == "valleypost.example"
    assert article.is_article
    assert article.extractor == "econ"
    assert MARKER not in str(article.to_dict())


def test_extract_gives_one_article_for_bytes_str_and_page():
    first = newsextract.extract(STORY, URL, extractor="econ")
    assert newsextract.extract(STORY.encode(), URL, extractor="econ") == first
    assert newsextract.extract(Page(STORY, URL), extractor="econ") == first


def test_extract_reads_gb18030_page():
    article = newsextract.extract(CHINESE.encode("gb18030"), extractor="econ")
    assert article.article_body.split("\n") == list(WATER)


@pytest.mark.parametrize("html", ["", "   ", "<!-- -->", b"\x00\x01\x02", b"%PDF-1.4\n%\xe2\xe3", "<p></p>"])
def test_extract_of_page_without_article_gives_reason(html):
    article = newsextract.extract(html, URL, extractor="econ")
    assert not article.is_article
    assert article.not_article_because
    assert article.confidence is not None


def test_confidence_is_the_lower_of_extractor_and_page_type():
    sure = newsextract.extract(STORY, URL, extractor="econ").confidence
    markless = newsextract.extract(STORY.replace(",", "").replace(".", ""), URL, extractor="econ").confidence
    assert sure is not None and markless is not None
    assert 0 <= markless <= 0.1 < sure <= 1


def test_page_type_ignores_confidence_of_other_extractors():
    class FixedConfidence:
        name = "fixed-confidence"

        def __init__(self, confidence):
            self.confidence = confidence

        def __call__(self, page, peer=None):
            return replace(make_extractor("econ")(page), confidence=self.confidence)

    page = Page(STORY, URL)
    reasons = {article_of(page, FixedConfidence(value)).not_article_because for value in (0.0, 0.5, 1.0, None)}
    assert reasons == {None}
    assert article_of(page, FixedConfidence(0.01)).confidence == 0.01


def test_content_hash_depends_on_the_text_only():
    first = newsextract.extract(STORY, URL, extractor="econ")
    assert newsextract.extract(STORY.replace("<ul>", "<ul><li>New</li>"), URL, extractor="econ").content_hash == (
        first.content_hash
    )
    changed = STORY.replace("four million", "five million")
    assert newsextract.extract(changed, URL, extractor="econ").content_hash != first.content_hash


def test_article_of_fetched_keeps_time_and_origin():
    fetched = FetchedPage(
        url=URL, body=STORY.encode(), fetched_at=datetime(2024, 5, 7, tzinfo=UTC), discovered_from="https://x.example/"
    )
    article = article_of_fetched(fetched, page_of(fetched), make_extractor("econ"))
    assert article.fetched_at == datetime(2024, 5, 7, tzinfo=UTC)
    assert article.discovered_from == "https://x.example/"
    assert article.article_body.split("\n") == list(BRIDGE)


def test_extract_of_wrong_call_names_what_is_allowed():
    with pytest.raises(UnknownExtractor, match="econ"):
        newsextract.extract(STORY, extractor="enco")
    with pytest.raises(WrongOption, match="repaired"):
        newsextract.extract(STORY, extractor="econ", options={"repair": True})
    with pytest.raises(WrongCall, match="Path"):
        newsextract.extract(Path("page.html"), extractor="econ")  # type: ignore[arg-type]
    assert issubclass(WrongCall, NewsextractError)


@given(st.binary(max_size=200) | st.text(max_size=200))
def test_extract_of_any_bytes_or_text_gives_an_article(html):
    article = newsextract.extract(html, "https://x.example/a", extractor="econ")
    assert isinstance(article, Article)
    assert article.to_dict()["url"] == "https://x.example/a"


def test_content_hash_is_stable_across_versions():
    body = "Die Fähre ﬁel am 6. Mai – zum 3. Mal – aus… 渡轮，停运！ STRASSE_straße ５０ %"
    assert content_hash("Hafen „wieder“ offen", body) == (
        "bf155c90c7d0204f0d56f544a020ce0fab116360835538729089a378c1f5eaaf"
    )
    assert content_hash("HAFEN wieder offen", body.replace("–", "-").replace("５０", "50")) == content_hash(
        "Hafen „wieder“ offen", body
    )


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
def test_body_rows_drops_furniture_line(line):
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
def test_body_rows_keeps_sentence_that_begins_like_furniture(line):
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


def test_body_rows_of_empty_page_are_empty():
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
    "line",
    [
        "Lea también: Fernando Botero y su obra",
        "Le puede interesar: El puente abre",
        "[Read more: A guide to ferries]",
        "Read More",
        "LEIA TAMBÉM: A ponte",
        "Lire également Le pont ouvre",
        "Siehe auch: Die Brücke",
        "Les også Broen åpner igjen",
        "Czytaj też: Most",
        "Читайте также: Мост открыт",
        "इसे भी पढ़ें : पुल",
        "Baca juga: Jembatan",
        "Opinion",
        "Advertisement",
    ],
)
def test_related_lines_and_labels_between_paragraphs_are_no_text(line):
    assert is_furniture(line)
    page = STORY.replace(BRIDGE[1], f"{BRIDGE[1]}</p><p>{line}", 1)
    assert line not in newsextract.extract(page, URL, extractor="econ").article_body.split("\n")


@pytest.mark.parametrize(
    "line",
    [
        "Read more often than his other books, it made his name.",
        "À lire de près ce texte, on comprend que le pont coûtera cher.",
        "Related to this is the question of who pays.",
        "Le puede interesar a cualquiera que viva aquí.",
        "Analysis of the data shows that the bridge is safe",
        "Les habitants du village",
    ],
)
def test_sentences_that_begin_like_related_lines_are_text(line):
    assert not is_furniture(line)


DEK = "The ferry that took its place for ten years makes its last trip on Friday evening."


def with_dek(markup):
    paragraphs = "".join(f"<p>{line}</p>" for line in (*BRIDGE, *(f"{line} Again." for line in BRIDGE)))
    return f"<title>Bridge opens</title><article><h1>Bridge opens at last</h1>{markup}{paragraphs}</article>"


@pytest.mark.parametrize(
    "markup",
    [
        f'<h2 class="post-subtitle">{DEK}</h2><p class="byline">By Ann Lee</p>',
        f'<p class="article-dek">{DEK}</p>',
        f'<div class="standfirst"><p>{DEK}</p></div>',
        f'<script type="application/ld+json">{{"@type":"NewsArticle","alternativeHeadline":"{DEK}"}}</script>'
        f"<h2>{DEK}</h2>",
    ],
)
def test_dek_below_the_headline_is_the_subtitle_and_no_paragraph_where_the_declared_text_has_none(markup):
    assert newsextract.extract(with_dek(markup), URL).subtitle == DEK
    declared = json.dumps({"@type": "NewsArticle", "articleBody": "\n".join(BRIDGE)})
    article = newsextract.extract(f'<script type="application/ld+json">{declared}</script>{with_dek(markup)}', URL)
    assert article.subtitle == DEK
    assert DEK not in article.article_body
    assert article.article_body.startswith(BRIDGE[0])


@pytest.mark.parametrize(
    "markup",
    [
        f"<p><strong>{DEK}</strong></p>",
        f'<p class="lead">{DEK}</p>',
        f'<h2 class="wp-block-heading is-style-subheading">{DEK}</h2>',
    ],
)
def test_opening_paragraph_without_evidence_of_a_subtitle_stays_text(markup):
    article = newsextract.extract(with_dek(markup), URL)
    assert article.subtitle is None
    assert DEK in article.article_body


def test_byline_with_jr_and_two_names_is_no_text():
    names = {"ann", "lee", "milo", "vance"}
    assert is_byline("By Milo Vance, Jr., and Ann Lee", names)
    assert not is_byline("May and June 2016", names)
