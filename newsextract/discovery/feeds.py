"""Feeds, by themselves: for scripts, as a crawl reads any list by `lists`."""

from newsextract.discovery.entries import Entry
from newsextract.discovery.lists import read_list


def parse_feed(body: bytes, url: str) -> list[Entry]:
    """The entries in the feed's order, each URL once; none if the body isn't a feed."""
    contents = read_list(body, url)
    return contents.pages if contents.is_feed else []
