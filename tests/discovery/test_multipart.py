"""Articles that are cut into pages: which address is the next part, and which is none."""

import pytest

from newsextract.discovery.links import PageLinks
from newsextract.discovery.multipart import first_part, next_part, split_part_number
from newsextract.items import Link

SITE = "https://example.org"


def found(*paths: str, following: str | None = None) -> PageLinks:
    return PageLinks([Link(SITE + path) for path in paths], next=following and SITE + following)


@pytest.mark.parametrize(
    ("first", "second", "third"),
    [
        ("/story", "/story?page=2", "/story?page=3"),
        ("/story?id=7", "/story?id=7&page=2", "/story?page=3&id=7"),
        ("/story", "/story/2", "/story/3/"),
        ("/story/", "/story/page/2/", "/story/page/3/"),
        ("/story/1", "/story/2", "/story/3"),
        ("/story.html", "/story-2.html", "/story-3.html"),
        ("/a/t20260505_812.shtml", "/a/t20260505_812_2.shtml", "/a/t20260505_812_3.shtml"),
        ("/welt/story-a-12345.html", "/welt/story-a-12345-2.html", "/welt/story-a-12345-3.html"),
    ],
)
def test_next_and_first_part_by_number_in_url(first: str, second: str, third: str) -> None:
    links = found("/", "/other/2", first, second, third)
    assert next_part(links, SITE + first, 2) == SITE + second
    assert next_part(links, SITE + first, 3) == SITE + third
    assert next_part(links, SITE + first, 4) is None
    links.links[2].anchor_text = "1"
    assert first_part(links, SITE + second) == SITE + first


def test_next_part_by_rel_next() -> None:
    assert next_part(found("/x", following="/story?page=2"), f"{SITE}/story", 2) == f"{SITE}/story?page=2"


def test_next_part_is_not_next_story() -> None:
    """Many a publishing system says rel=next of the article that was published after this one."""
    links = found("/another-story", "/story-extended/2", "/2", following="/another-story")
    assert next_part(links, f"{SITE}/story", 2) is None


def test_next_part_ignores_numbers_of_dates_and_stories() -> None:
    assert next_part(found("/2026/05/13"), f"{SITE}/2026/05/12", 2) is None
    assert next_part(found("/news/813.html"), f"{SITE}/news/812.html", 2) is None
    assert first_part(found("/", "/2026"), f"{SITE}/2026/05") is None
    assert first_part(found("/news", "/news/11", "/news/13"), f"{SITE}/news/12") is None
    assert split_part_number(f"{SITE}/story-20260505.html") == (f"{SITE}/story-20260505.html", 1)
