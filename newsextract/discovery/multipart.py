"""Multi-page articles: which link of a page leads to the next part, or back to the first.

The URLs of the parts of an article differ only in the part number. URLs can't tell an article's pages from a list's.
"""

import re
from functools import lru_cache
from urllib.parse import SplitResult, urlsplit, urlunsplit

from newsextract.discovery.links import PageLinks
from newsextract.urls import REMEMBERED
from newsextract.urls.shapes import ENDING

#: Maximum parts of an article that are fetched.
MAX_PARTS = 20
#: Where a URL has the part number: a query parameter, the last path segment, the end of the file name.
PARAMETER = re.compile(r"(?:^|&)(?:p|pg|page|pageno|page_no|paged|pagina|seite|currpage)=(\d{1,2})(?=&|$)", re.I)
SEGMENT = re.compile(r"/(?:(?:page|seite|pagina|p)[/_-]?)?(\d{1,2})/?$", re.I)
FILE_NAME = re.compile(r"[-_,](?:page|seite|p)?(\d{1,2})(?=\.(?:s?html?|php|aspx?)$)", re.I)


@lru_cache(REMEMBERED)
def split_part_number(url: str) -> tuple[str, int]:
    """The URL without its part number, and that number; 1 if it has none."""
    parts = urlsplit(url)
    query = parts.query
    if match := PARAMETER.search(query):
        query = (query[: match.start()] + query[match.end() :]).lstrip("&")
        return _without_fragment(parts._replace(query=query)), int(match[1])
    for pattern in (SEGMENT, FILE_NAME):
        if match := pattern.search(parts.path):
            path = parts.path[: match.start()] + parts.path[match.end() :]
            return _without_fragment(parts._replace(path=path)), int(match[1])
    return _without_fragment(parts), 1


def next_part(links: PageLinks, first: str, number: int) -> str | None:
    """The link to part `number` of the article whose first part is at `first`; None if there is none."""
    base, number_of_first = split_part_number(first)
    bases = {_without_fragment(urlsplit(first))}  # as it is, since it may end in another number
    if number_of_first == 1:
        bases.add(base)
    parts = urlsplit(min(bases, key=len))
    prefix = urlunsplit(parts._replace(path=ENDING.sub("", parts.path), query=""))  # that of all parts
    candidates = [links.next] if links.next else []
    candidates += [link.url for link in links.links if link.url.startswith(prefix)]
    for url in candidates:
        base, part = split_part_number(url)
        if part == number and base in bases:
            return url
    return None


def first_part(links: PageLinks, url: str) -> str | None:
    """The URL of the first part for a later one, by a link "1": a story's number may end a URL, too."""
    base, number = split_part_number(url)
    if number < 2:
        return None
    for link in links.links:
        if link.anchor_text.strip("[]() ") == "1" and split_part_number(link.url) == (base, 1):
            return link.url
    return None


def _without_fragment(parts: SplitResult) -> str:
    return urlunsplit(parts._replace(path=parts.path.rstrip("/"), fragment=""))
