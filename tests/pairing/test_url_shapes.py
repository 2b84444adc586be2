"""Shapes of URLs: what changes from article to article does not count."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract.pairing import shape_similarity, url_shape
from newsextract.pairing.url_shapes import MIN_SIMILARITY, folder_shape, word_shape

SITE = "https://news.example"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("/2026/03/05/the-ferry-is-late.html", "/2025/11/30/a-swan-takes-the-bus.html"),
        ("/politics/article1042.html", "/politics/article99817.html"),
        ("/news/world-europe-67312345", "/news/uk-politics-11223344"),
        ("/a/x9Kq2LmN", "/a/Zz81kQwe"),
        ("/story/3000000218734/nach-den-rufen", "/story/3000000219999/ein-anderer-titel-hier"),
        ("/content/2026-03/05/content_8812.htm", "/content/2025-12/24/content_7001.htm"),
        ("/newsshow.php?cid=5&id=77", "/newsshow.php?cid=9&id=1234"),
        ("/新闻/今天的渡轮晚点了", "/新闻/天鹅坐公共汽车"),
    ],
)
def test_url_shape_is_equal_for_articles_of_one_template(first: str, second: str) -> None:
    assert url_shape(SITE + first) == url_shape(SITE + second)


@pytest.mark.parametrize("other", ["/", "/politics/", "/tag/ferry", "/about/imprint", "/politics/?page=2"])
def test_shape_similarity_of_article_and_section_page_is_low(other: str) -> None:
    article = url_shape(SITE + "/politics/2026/03/the-ferry-is-late-again.html")
    assert shape_similarity(article, url_shape(SITE + other)) < MIN_SIMILARITY


def test_shape_similarity_of_other_section_exceeds_other_depth() -> None:
    article = url_shape(SITE + "/politics/2026/03/the-ferry-is-late.html")
    sport = url_shape(SITE + "/sport/2026/03/a-swan-takes-the-bus.html")
    deeper = url_shape(SITE + "/gallery/photos/2026/the-best-of-march/17")
    elsewhere = url_shape("https://other.example/politics/2026/03/the-ferry-is-late.html")
    assert 1 > shape_similarity(article, sport) > shape_similarity(article, deeper)
    assert shape_similarity(article, elsewhere) == 0


@given(st.text(max_size=60), st.text(max_size=60))
def test_shape_similarity_is_symmetric_share(first: str, second: str) -> None:
    one, other = url_shape(f"{SITE}/{first}"), url_shape(f"{SITE}/{second}")
    assert 0 <= shape_similarity(one, other) <= 1
    assert shape_similarity(one, other) == shape_similarity(other, one)
    assert shape_similarity(one, one) == 1


def test_folder_shape_is_equal_for_pages_of_a_calendar_and_not_for_its_views() -> None:
    assert folder_shape(f"{SITE}/calendar/2026/05") == folder_shape(f"{SITE}/calendar/3000/11/")
    assert folder_shape(f"{SITE}/calendar/2026/05") != folder_shape(f"{SITE}/calendar/2026/05?view=list")
    assert folder_shape(f"{SITE}/calendar/2026/05") != folder_shape(f"{SITE}/news/2026/05")


def test_word_shape_is_equal_for_titles_of_any_number_of_words() -> None:
    assert word_shape("a-storm-hits-4-towns.html") == word_shape("the-pier-is-back.html") == "w-*.w"
    assert word_shape("a" * 900) == "w"
