"""The peer index: the most similar URL of one template, never the article itself, bounded."""

from datetime import UTC, datetime

from newsextract.items import FetchedPage
from newsextract.page import Page
from newsextract.pairing import PeerIndex, same_template, template_of
from newsextract.pairing.peer_index import MAX_SHAPES, PER_TEMPLATE

NEWS, BLOG = frozenset(range(50)), frozenset(range(100, 150))


def fetched(path: str, template: frozenset[int] = NEWS) -> FetchedPage:
    return FetchedPage(f"https://site.example{path}", b"<p>x", datetime(2026, 1, 1, tzinfo=UTC), template=template)


def index_of(*pages: FetchedPage) -> PeerIndex:
    index = PeerIndex()
    for page in pages:
        index.add(page)
    return index


def best(index: PeerIndex, page: FetchedPage) -> str | None:
    found = index.find_peer(page)
    return found.url.removeprefix("https://site.example") if found else None


def test_the_most_similar_url_is_the_peer() -> None:
    index = index_of(fetched("/sport/2026/one-two-three.html"), fetched("/news/2026/four-five-six.html"))
    assert best(index, fetched("/news/2025/seven-eight-nine.html")) == "/news/2026/four-five-six.html"


def test_a_page_of_another_template_is_no_peer_however_alike_its_url() -> None:
    index = index_of(fetched("/news/1001", BLOG))
    assert best(index, fetched("/news/1002")) is None


def test_the_same_article_under_another_url_is_no_peer() -> None:
    index = index_of(fetched("/news/1001"))
    assert best(index, fetched("/news/1001?utm_source=feed")) is None
    assert best(index, fetched("/news/1001/")) is None


def test_a_page_that_turned_out_to_be_no_article_is_forgotten() -> None:
    index = index_of(fetched("/news/1001"))
    index.remove("https://site.example/news/1001")
    assert best(index, fetched("/news/1002")) is None


def test_the_index_stays_small_on_a_site_of_endless_shapes() -> None:
    index = PeerIndex()
    assert sum(index.add(fetched(f"/news/{number}")) for number in range(10)) == PER_TEMPLATE
    for number in range(MAX_SHAPES + 50):
        index.add(fetched(f"/s{chr(97 + number % 26)}{chr(97 + number // 26)}/a-b-c"))
    assert index.get("https://site.example/news/0") is None  # the shape used longest ago went


def test_a_redesign_is_another_template_and_more_paragraphs_are_not() -> None:
    def page(word: str, paragraphs: int) -> frozenset[int]:
        wrappers = "".join(f"<div class='{word}-{part}'><span>{part}</span></div>" for part in "abcdefgh")
        return template_of(Page(f"<body>{wrappers}" + "<p>Some text of the article.</p>" * paragraphs))

    assert same_template(page("old", 3), page("old", 30))
    assert not same_template(page("old", 3), page("new", 3))
    assert not same_template(frozenset(), frozenset())


def test_a_section_page_is_of_another_template_though_head_and_foot_are_the_articles() -> None:
    chrome = frozenset(range(24))
    article, section = chrome | frozenset(range(100, 121)), chrome | frozenset(range(200, 204))
    assert not same_template(article, section)
    assert same_template(article, article | frozenset(range(300, 310)))
