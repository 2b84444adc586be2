"""Sitemaps and their indexes, by themselves: for scripts, as a crawl reads any list by `lists`."""

from newsextract.discovery.lists import ListContents, read_list


def parse_sitemap(body: bytes, url: str) -> ListContents:
    """The pages of a sitemap and the further sitemaps of an index, as far as it is whole; none for other bodies."""
    return read_list(body, url)
