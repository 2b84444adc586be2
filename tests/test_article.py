"""extract(): from a page to an article, whatever the page is."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import newsextract
from newsextract import Article, Page
from newsextract.article import article_of, extract_page
from newsextract.errors import NewsextractError, UnknownExtractor, WrongCall, WrongOption
from newsextract.extractors import make_extractor
from newsextract.items import FetchedPage
from newsextract.urls import content_hash
from tests.extractors.pages import BRIDGE, CHINESE, ENGLISH, MARKER, WATER

URL = "https://valleypost.example/2024/05/bridge"
HEAD = (
    '<meta property="og:type" content="article"><meta property="article:published_time" content="2024-05-06T08:00:00Z">'
    '<meta name="author" content="Anna Berg"><link rel="canonical" href="https://valleypost.example/2024/05/bridge">'
)
STORY = ENGLISH.replace("</head>", f"{HEAD}</head>")


def test_an_article_comes_with_its_text_and_what_the_page_says_of_it():
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


def test_bytes_text_and_a_page_give_the_same_article():
    first = newsextract.extract(STORY, URL, extractor="econ")
    assert newsextract.extract(STORY.encode(), URL, extractor="econ") == first
    assert newsextract.extract(Page(STORY, URL), extractor="econ") == first


def test_a_chinese_page_in_its_old_encoding_is_read():
    article = newsextract.extract(CHINESE.encode("gb18030"), extractor="econ")
    assert article.article_body.split("\n") == list(WATER)


@pytest.mark.parametrize("html", ["", "   ", "<!-- -->", b"\x00\x01\x02", b"%PDF-1.4\n%\xe2\xe3", "<p></p>"])
def test_a_page_without_an_article_says_so_instead_of_failing(html):
    article = newsextract.extract(html, URL, extractor="econ")
    assert not article.is_article
    assert article.not_article_because
    assert article.confidence is not None


def test_the_confidence_is_that_of_the_weaker_judge():
    sure = newsextract.extract(STORY, URL, extractor="econ").confidence
    markless = newsextract.extract(STORY.replace(",", "").replace(".", ""), URL, extractor="econ").confidence
    assert sure is not None and markless is not None
    assert 0 <= markless <= 0.1 < sure <= 1


def test_how_sure_another_extractor_is_does_not_decide_what_a_page_is():
    class Said:
        name = "said"

        def __init__(self, confidence):
            self.confidence = confidence

        def __call__(self, page, peer=None):
            return replace(make_extractor("econ")(page), confidence=self.confidence)

    page = Page(STORY, URL)
    kinds = {article_of(page, Said(one)).not_article_because for one in (0.0, 0.5, 1.0, None)}
    assert kinds == {None}
    assert article_of(page, Said(0.01)).confidence == 0.01


def test_two_articles_with_one_text_have_one_hash_and_a_changed_one_another():
    first = newsextract.extract(STORY, URL, extractor="econ")
    assert newsextract.extract(STORY.replace("<ul>", "<ul><li>New</li>"), URL, extractor="econ").content_hash == (
        first.content_hash
    )
    changed = STORY.replace("four million", "five million")
    assert newsextract.extract(changed, URL, extractor="econ").content_hash != first.content_hash


def test_a_fetched_page_keeps_when_and_from_where_it_came():
    fetched = FetchedPage(
        url=URL, body=STORY.encode(), fetched_at=datetime(2024, 5, 7, tzinfo=UTC), discovered_from="https://x.example/"
    )
    article = extract_page(fetched, make_extractor("econ"))
    assert article.fetched_at == datetime(2024, 5, 7, tzinfo=UTC)
    assert article.discovered_from == "https://x.example/"
    assert article.article_body.split("\n") == list(BRIDGE)


def test_a_wrong_call_says_what_is_right():
    with pytest.raises(UnknownExtractor, match="econ"):
        newsextract.extract(STORY, extractor="enco")
    with pytest.raises(WrongOption, match="repaired"):
        newsextract.extract(STORY, extractor="econ", options={"repair": True})
    with pytest.raises(WrongCall, match="Path"):
        newsextract.extract(Path("page.html"), extractor="econ")  # type: ignore[arg-type]
    assert issubclass(WrongCall, NewsextractError)


@settings(max_examples=50)
@given(st.binary(max_size=200) | st.text(max_size=200))
def test_anything_is_a_page_and_gives_an_article_object(html):
    article = newsextract.extract(html, "https://x.example/a", extractor="econ")
    assert isinstance(article, Article)
    assert article.to_dict()["url"] == "https://x.example/a"


def test_a_stored_hash_is_that_of_the_same_text_in_every_version():
    body = "Die Fähre ﬁel am 6. Mai – zum 3. Mal – aus… 渡轮，停运！ STRASSE_straße ５０ %"
    assert content_hash("Hafen „wieder“ offen", body) == (
        "bf155c90c7d0204f0d56f544a020ce0fab116360835538729089a378c1f5eaaf"
    )
    assert content_hash("HAFEN wieder offen", body.replace("–", "-").replace("５０", "50")) == content_hash(
        "Hafen „wieder“ offen", body
    )
