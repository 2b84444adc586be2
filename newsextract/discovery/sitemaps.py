"""Sitemaps (`discovery.lists`), and those that robots.txt declares."""

import re

from newsextract.discovery.entries import fetchable_url
from newsextract.discovery.lists import ListContents, read_list
from newsextract.page.decode import decode

#: Usual paths of sitemaps, for sites whose robots.txt declares none.
COMMON_PATHS = ("/sitemap.xml",)
DECLARATION = re.compile(r"^[ \t]*sitemap[ \t]*:[ \t]*(\S+)", re.I | re.M)


def parse_sitemap(body: bytes, url: str) -> ListContents:
    """The pages of a sitemap and the further sitemaps of an index, as far as it is whole; none for other bodies."""
    return read_list(body, url)


def sitemaps_in_robots_txt(robots: bytes, url: str) -> list[str]:
    """The sitemaps that a robots.txt declares, each once."""
    declared = DECLARATION.findall(decode(robots[:500_000])[0])
    return [target for target in dict.fromkeys(fetchable_url(line, url) for line in declared) if target]
