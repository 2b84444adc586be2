"""Shapes of URLs: what changes from article to article does not count."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract.pairing import likeness, shape_of
from newsextract.pairing.url_shapes import LIKE_ENOUGH

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
def test_two_articles_of_one_template_have_one_shape(first: str, second: str) -> None:
    assert shape_of(SITE + first) == shape_of(SITE + second)


@pytest.mark.parametrize("other", ["/", "/politics/", "/tag/ferry", "/about/imprint", "/politics/?page=2"])
def test_front_and_section_pages_are_not_like_an_article(other: str) -> None:
    article = shape_of(SITE + "/politics/2026/03/the-ferry-is-late-again.html")
    assert likeness(article, shape_of(SITE + other)) < LIKE_ENOUGH


def test_another_section_is_liker_than_another_depth() -> None:
    article = shape_of(SITE + "/politics/2026/03/the-ferry-is-late.html")
    sport = shape_of(SITE + "/sport/2026/03/a-swan-takes-the-bus.html")
    deeper = shape_of(SITE + "/gallery/photos/2026/the-best-of-march/17")
    assert 1 > likeness(article, sport) > likeness(article, deeper)


def test_another_site_is_never_alike() -> None:
    assert likeness(shape_of("https://a.example/x-y-z"), shape_of("https://b.example/x-y-z")) == 0


@given(st.text(max_size=60), st.text(max_size=60))
def test_likeness_is_a_share_whatever_the_urls(first: str, second: str) -> None:
    one, other = shape_of(f"{SITE}/{first}"), shape_of(f"{SITE}/{second}")
    assert 0 <= likeness(one, other) <= 1
    assert likeness(one, other) == likeness(other, one)
    assert likeness(one, one) == 1
