"""Feeds: RSS, Atom and JSON Feed (`discovery.lists`)."""

from newsextract.discovery.entries import Entry
from newsextract.discovery.lists import read_list

#: Usual paths of feeds, for sites whose pages link to none.
COMMON_PATHS = ("/feed", "/rss.xml", "/feed/", "/atom.xml", "/rss")


def parse_feed(body: bytes, url: str) -> list[Entry]:
    """The entries in the feed's order, each URL once; none if the body isn't a feed."""
    contents = read_list(body, url)
    return contents.pages if contents.is_feed else []
