"""The peer index: the most similar URL of one template, never the article itself, bounded."""

from datetime import UTC, datetime, timedelta

import pytest

from newsextract.items import FetchedPage
from newsextract.pairing import PeerIndex
from newsextract.pairing.peer_index import MAX_SHAPES, PER_TEMPLATE

NOW = datetime(2026, 1, 1, tzinfo=UTC)
NEWS, BLOG = frozenset(range(50)), frozenset(range(100, 150))


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


def test_find_peer_takes_most_similar_url_of_the_template_and_of_another_article() -> None:
    index = index_of(fetched("/sport/2026/one-two-three.html"), fetched("/news/2026/four-five-six.html"))
    assert best(index, fetched("/news/2025/seven-eight-nine.html")) == "/news/2026/four-five-six.html"
    index = index_of(fetched("/news/1001"))
    for path, template in (("/news/1002", BLOG), ("/news/1001?utm_source=feed", NEWS), ("/news/1001/", NEWS)):
        assert best(index, fetched(path, template)) is None


def test_find_peers_gives_one_page_of_each_template_with_the_most_similar_urls_first() -> None:
    pages = [fetched("/sport/2001"), fetched("/news/1001"), fetched("/news/1002", BLOG), fetched("/news/1003")]
    found = index_of(*pages).find_peers("https://site.example/news/1004", 3)
    assert found == (pages[3], pages[2], pages[0])
    found = index_of(*pages).find_peers("https://site.example/news/1003", 1)
    assert found == (pages[2],), "not the article itself"


def test_remove_takes_page_out_of_index() -> None:
    index = index_of(fetched("/news/1001"))
    index.remove("https://site.example/news/1001")
    assert best(index, fetched("/news/1002")) is None


@pytest.mark.parametrize(("days", "room"), [(1, 0), (8, PER_TEMPLATE - 1)])
def test_references_older_than_a_week_leave_room_for_pages_of_this_run(days: int, room: int) -> None:
    index = PeerIndex()
    index.add_references([fetched(f"/news/100{n}") for n in range(PER_TEMPLATE)], NOW + timedelta(days=days))
    assert best(index, fetched("/news/3001")) is not None
    assert sum(index.add(fetched(f"/news/400{n}")) for n in range(PER_TEMPLATE)) == room


def test_peer_index_is_bounded() -> None:
    index = PeerIndex()
    assert sum(index.add(fetched(f"/news/{number}")) for number in range(10)) == PER_TEMPLATE
    for number in range(MAX_SHAPES + 50):
        index.add(fetched(f"/s{chr(97 + number % 26)}{chr(97 + number // 26)}/a-b-c"))
    assert index.get("https://site.example/news/0") is None  # the shape used longest ago went
