"""extract(): from a page to an article, whatever the page is."""

import gzip
import json
import re
import unicodedata
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import newsextract
from newsextract import Article, Page
from newsextract.article.extract import article_of
from newsextract.errors import NewsextractError, UnknownExtractor, WrongCall, WrongOption
from newsextract.extractors import make_extractor
from newsextract.urls import content_hash
from tests.extractors.pages import BRIDGE, ENGLISH, MARKER

URL = "https://valleypost.example/2024/05/bridge"
HEAD = (
    '<meta property="og:type" content="article"><meta property="article:published_time" content="2024-05-06T08:00:00Z">'
    '<meta name="author" content="Anna Berg"><link rel="canonical" href="https://valleypost.example/2024/05/bridge">'
)
STORY = ENGLISH.replace("</head>", f"{HEAD}</head>")


@pytest.mark.parametrize("form", ["{1}", "&#{0};", "&#x{0:04X};"], ids=["decomposed", "references", "hexadecimal"])
def test_unicode_forms_of_a_page_give_one_article_with_each_name_once(form):
    about = json.dumps({"@type": "NewsArticle", "author": {"@type": "Person", "name": "Zoë Núñez"}}, ensure_ascii=False)
    html = ENGLISH.replace("<h1>", "<h1>Žižkov: ").replace("</h1>", "</h1><p>By Zoë Núñez and Jürgen Đặng</p>")
    html = html.replace("</head>", f"<script type=application/ld+json>{about}</script></head>")
    marks = partial(re.sub, "[\u0300-\u036f]", lambda mark: form.format(ord(mark[0]), mark[0]))
    composed = newsextract.extract(html, URL)
    other = newsextract.extract(marks(unicodedata.normalize("NFD", html)), URL)
    assert composed.authors == ["Zoë Núñez", "Jürgen Đặng"]
    assert other.to_dict() == composed.to_dict()


def test_urls_in_decomposed_letters_stay_as_the_site_wrote_them():
    image = '<figure><img src="/Zu\u0308rich.jpg" alt="Zu\u0308rich"><figcaption>Zu\u0308rich</figcaption></figure>'
    article = newsextract.extract(ENGLISH.replace("<p>The council hopes", f"{image}<p>The council hopes"), URL)
    assert 'src="https://valleypost.example/Zu\u0308rich.jpg" alt="Zürich"' in article.article_body_html
    assert "<figcaption>Zürich</figcaption>" in article.article_body_html


def test_escapes_of_marks_in_json_are_the_composed_letter_and_those_in_code_stay():
    data = '<script type="application/ld+json">{"@type": "NewsArticle", "author": "Jose\\u0301 Nun\\u0303ez"}</script>'
    html = ENGLISH.replace("</head>", f"{data}</head>").replace("</article>", "<p>In code it is \\u0301.</p></article>")
    article = newsextract.extract(html, URL)
    assert article.authors == ["José Nuñez"] and article.article_body.count("\\u0301") <= 1


def test_content_hash_depends_on_letters_and_digits_of_the_text_only_and_is_stable_across_versions():
    body = "Die Fähre ﬁel am 6. Mai – zum 3. Mal – aus… 渡轮，停运！ STRASSE_straße ５０ %"
    known = "bf155c90c7d0204f0d56f544a020ce0fab116360835538729089a378c1f5eaaf"
    assert content_hash("Hafen „wieder“ offen", body) == known
    assert content_hash("HAFEN wieder offen", body.replace("–", "-").replace("５０", "50")) == known
    other_list, other_text = STORY.replace("<ul>", "<ul><li>New</li>"), STORY.replace("four million", "five million")
    hashes = [newsextract.extract(page, URL, extractor="econ").content_hash for page in (STORY, other_list, other_text)]
    assert hashes[0] == hashes[1] != hashes[2]
    texts = ("Přílet", "Zoë fährt über die Brücke, 서울 ば")
    assert content_hash(*texts) == content_hash(*(unicodedata.normalize("NFD", text) for text in texts))


@pytest.mark.parametrize("html", ["<p>\u0338 a</p>", "<p>a<\u0338/p>", "<p title=\u0338a>b</p>", "&#824;<p>a</p>"])
def test_a_combining_stroke_does_not_change_markup(html):
    assert Page(f"<main>{html}<p>The bridge is open.</p></main>").blocks.texts[-1] == "The bridge is open."


def test_extract_gives_body_and_metadata_of_an_article_from_bytes_str_or_page():
    article = newsextract.extract(STORY, URL, extractor="econ")
    assert article.article_body.split("\n") == list(BRIDGE)
    assert (article.headline, article.authors) == ("Old bridge to close on Monday", ["Anna Berg"])
    assert article.date_published == datetime(2024, 5, 6, 8, tzinfo=UTC)
    assert (article.url, article.canonical_url, article.site) == (URL, URL, "valleypost.example")
    assert (article.is_article, article.extractor) == (True, "econ")
    assert MARKER not in str(article.to_dict())
    assert newsextract.extract(STORY.encode(), URL, extractor="econ") == article
    assert newsextract.extract(Page(STORY, URL), extractor="econ") == article


@pytest.mark.parametrize("html", ["", "   ", "<!-- -->", b"\x00\x01\x02", b"%PDF-1.4\n%\xe2\xe3", "<p></p>"])
def test_extract_of_page_without_article_gives_reason(html):
    article = newsextract.extract(html, URL, extractor="econ")
    assert not article.is_article and article.not_article_because and article.confidence is not None


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


def test_extract_of_wrong_call_names_what_is_allowed():
    with pytest.raises(UnknownExtractor, match=r"did you mean econ\?.*cedst.*tsrec"):
        newsextract.extract(STORY, extractor="enco")
    with pytest.raises(WrongOption, match="repaired"):
        newsextract.extract(STORY, extractor="econ", options={"repair": True})
    with pytest.raises(WrongCall, match="Path"):
        newsextract.extract(Path("page.html"), extractor="econ")
    with pytest.raises(WrongCall, match="url is a str or None, not int"):
        newsextract.extract(STORY, 7)
    assert issubclass(WrongCall, NewsextractError)


@given(st.binary(max_size=200) | st.text(max_size=200))
def test_extract_of_any_bytes_or_text_gives_an_article(html):
    article = newsextract.extract(html, "https://x.example/a", extractor="econ")
    assert isinstance(article, Article)
    assert article.to_dict()["url"] == "https://x.example/a"


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
        f'<meta property="og:description" content="{DEK}"><div class="t4">{DEK}</div>',
        f'<meta property="og:description" content="{DEK}"><p>{DEK}</p>',
        f"<header><h1>Bridge opens at last</h1><div>{DEK}</div><p>By Ann Lee</p></header>",
        f'<figure><figcaption>The bridge</figcaption></figure><div class="t5"><h3 class="x9">{DEK}</h3></div>',
    ],
)
def test_sentence_set_apart_above_the_text_and_declared_description_in_it_are_the_subtitle(markup):
    assert newsextract.extract(with_dek(markup), URL).subtitle == DEK


@pytest.mark.parametrize(
    ("markup", "is_text"),
    [
        ("<div>When you buy through links on our site, we may earn an affiliate commission.</div>", None),
        ("<h2>Where the ferry goes</h2>", None),
        ('<div class="subtitle"><a href="#f">Share this on Facebook</a> <a href="#x">Share by mail</a></div>', None),
        ('<h2><a href="/opinion">Opinion: why the city needs two more bridges across the river.</a></h2>', None),
        ("<div>Posted on 2025-07-29, 889 words, reading time of about four minutes.</div>", None),
        (f"<p><strong>{DEK}</strong></p>", DEK),
        (f'<p class="lead">{DEK}</p>', DEK),
        (f'<h2 class="wp-block-heading is-style-subheading">{DEK}</h2>', DEK),
    ],
)
def test_notices_links_headings_and_opening_paragraphs_are_no_subtitles(markup, is_text):
    article = newsextract.extract(with_dek(markup), URL)
    assert article.subtitle is None
    assert (is_text or "") in article.article_body


def test_extract_checks_its_input_as_the_command_does():
    page = b"<h1>Pier reopens</h1>" + b"<p>The harbour council voted to rebuild the old pier, after all.</p>" * 9
    extract = newsextract.extract
    assert extract(gzip.compress(page), "https://e.org/a") == extract(page, "https://e.org/a")
    for body, reason in ((b"%PDF-1.7\n" + bytes(range(256)) * 99, "not_html"), (b"<p>" * 6_000_000, "too_large")):
        refused = extract(body, "https://e.org/a")
        assert (refused.is_article, refused.not_article_because, refused.article_body) == (False, reason, "")
        assert refused.site == "e.org"
