"""Pairing: shapes of URLs, templates of pages, the index of peers."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract.items import FetchedPage
from newsextract.page import Page
from newsextract.site_profile.peer_index import MAX_SHAPES, PER_TEMPLATE, PeerIndex
from newsextract.site_profile.templates import same_template, template_of
from newsextract.urls.shapes import MIN_SIMILARITY, folder_shape, shape_similarity, url_shape, word_shape
from tests.examples import examples

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SITE = "https://news.example"


@pytest.mark.parametrize(("first", "second"), examples(__file__, "same_shape"))
def test_url_shape_is_equal_for_articles_of_one_template(first, second):
    assert url_shape(SITE + first) == url_shape(SITE + second)


@pytest.mark.parametrize("other", ["/", "/politics/", "/tag/ferry", "/about/imprint", "/politics/?page=2"])
def test_shape_similarity_of_article_and_section_page_is_low(other):
    article = url_shape(SITE + "/politics/2026/03/the-ferry-is-late-again.html")
    assert shape_similarity(article, url_shape(SITE + other)) < MIN_SIMILARITY


def test_shape_similarity_of_other_section_exceeds_other_depth():
    article = url_shape(SITE + "/politics/2026/03/the-ferry-is-late.html")
    sport = url_shape(SITE + "/sport/2026/03/a-swan-takes-the-bus.html")
    deeper = url_shape(SITE + "/gallery/photos/2026/the-best-of-march/17")
    elsewhere = url_shape("https://other.example/politics/2026/03/the-ferry-is-late.html")
    assert 1 > shape_similarity(article, sport) > shape_similarity(article, deeper)
    assert shape_similarity(article, elsewhere) == 0


@given(st.text(max_size=60), st.text(max_size=60))
def test_shape_similarity_is_symmetric_share(first, second):
    one, other = url_shape(f"{SITE}/{first}"), url_shape(f"{SITE}/{second}")
    assert 0 <= shape_similarity(one, other) <= 1
    assert shape_similarity(one, other) == shape_similarity(other, one)
    assert shape_similarity(one, one) == 1


def test_folder_shape_is_equal_for_pages_of_a_calendar_and_not_for_its_views():
    assert folder_shape(f"{SITE}/calendar/2026/05") == folder_shape(f"{SITE}/calendar/3000/11/")
    assert folder_shape(f"{SITE}/calendar/2026/05") != folder_shape(f"{SITE}/calendar/2026/05?view=list")
    assert folder_shape(f"{SITE}/calendar/2026/05") != folder_shape(f"{SITE}/news/2026/05")
    assert word_shape("a-storm-hits-4-towns.html") == word_shape("the-pier-is-back.html") == "w-*.w"
    assert word_shape("a" * 900) == "w"


def template(word: str, paragraphs: int = 3) -> frozenset[int]:
    wrappers = "".join(f"<div class='{word}-{part}'><span>{part}</span></div>" for part in "abcdefgh")
    return template_of(Page(f"<body>{wrappers}" + "<p>Some text of the article.</p>" * paragraphs))


def test_same_template_ignores_number_of_paragraphs_but_not_redesign_nor_section_pages():
    assert same_template(template("old", 3), template("old", 30))
    assert not same_template(template("old"), template("new"))
    assert not same_template(frozenset(), frozenset())
    chrome = frozenset(range(24))
    article, section = chrome | frozenset(range(100, 121)), chrome | frozenset(range(200, 204))
    assert not same_template(article, section)
    assert same_template(article, article | frozenset(range(300, 310)))


NEWS = frozenset(range(50))
BLOG = frozenset(range(100, 150))


def fetched(path: str, template: frozenset[int] = NEWS, at: datetime = NOW) -> FetchedPage:
    return FetchedPage(f"https://site.example{path}", b"<p>x", at, template=template)


def index_of(*pages: FetchedPage) -> PeerIndex:
    index = PeerIndex()
    for page in pages:
        index.add(page)
    return index


def best(index: PeerIndex, page: FetchedPage) -> str | None:
    found = index.find_peer(page)
    return found.url.removeprefix("https://site.example") if found else None


def test_find_peer_takes_most_similar_url_of_the_template_and_of_another_article():
    index = index_of(fetched("/sport/2026/one-two-three.html"), fetched("/news/2026/four-five-six.html"))
    assert best(index, fetched("/news/2025/seven-eight-nine.html")) == "/news/2026/four-five-six.html"
    index = index_of(fetched("/news/1001"))
    for path, template in (("/news/1002", BLOG), ("/news/1001?utm_source=feed", NEWS), ("/news/1001/", NEWS)):
        assert best(index, fetched(path, template)) is None


def test_find_peers_gives_one_page_of_each_template_with_the_most_similar_urls_first():
    pages = [fetched("/sport/2001"), fetched("/news/1001"), fetched("/news/1002", BLOG), fetched("/news/1003")]
    found = index_of(*pages).find_peers("https://site.example/news/1004", 3)
    assert found == (pages[3], pages[2], pages[0])
    found = index_of(*pages).find_peers("https://site.example/news/1003", 1)
    assert found == (pages[2],), "not the article itself"


def test_remove_takes_page_out_of_index():
    index = index_of(fetched("/news/1001"))
    index.remove("https://site.example/news/1001")
    assert best(index, fetched("/news/1002")) is None


@pytest.mark.parametrize(("days", "room"), [(1, 0), (8, PER_TEMPLATE - 1)])
def test_references_older_than_a_week_leave_room_for_pages_of_this_run(days, room):
    index = PeerIndex()
    index.add_references([fetched(f"/news/100{n}") for n in range(PER_TEMPLATE)], NOW + timedelta(days=days))
    assert best(index, fetched("/news/3001")) is not None
    assert sum(index.add(fetched(f"/news/400{n}")) for n in range(PER_TEMPLATE)) == room


def test_peer_index_is_bounded():
    index = PeerIndex()
    assert sum(index.add(fetched(f"/news/{number}")) for number in range(10)) == PER_TEMPLATE
    for number in range(MAX_SHAPES + 50):
        index.add(fetched(f"/s{chr(97 + number % 26)}{chr(97 + number // 26)}/a-b-c"))
    assert index.get("https://site.example/news/0") is None  # the shape used longest ago went
