"""Articles that are cut into pages: which link of a page leads to the next part, or back to the first.

The addresses of the parts of one article differ in the number of the part alone. Whether the pages are an article's,
or those of a list, cannot be seen here.
"""

import re
from urllib.parse import SplitResult, urlsplit, urlunsplit

from newsextract.discovery.links import PageLinks

#: More parts than any article that is read; the rest of an endless one is left.
MOST_PARTS = 20
#: Where addresses have the number of the part: a parameter, the last piece of the path, the end of a file's name.
PARAMETER = re.compile(r"(?:^|&)(?:p|pg|page|pageno|page_no|paged|pagina|seite|currpage)=(\d{1,2})(?=&|$)", re.I)
PIECE = re.compile(r"/(?:(?:page|seite|pagina|p)[/_-]?)?(\d{1,2})/?$", re.I)
ENDING = re.compile(r"[-_,](?:page|seite|p)?(\d{1,2})(?=\.(?:s?html?|php|aspx?)$)", re.I)
EXTENSION = re.compile(r"\.[a-z]{2,5}$", re.I)


def place(url: str) -> tuple[str, int]:
    """The address without the number of the part, and the number; 1 where it has none."""
    parts = urlsplit(url)
    query = parts.query
    if found := PARAMETER.search(query):
        query = (query[: found.start()] + query[found.end() :]).lstrip("&")
        return _plain(parts._replace(query=query)), int(found[1])
    for rule in (PIECE, ENDING):
        if found := rule.search(parts.path):
            path = parts.path[: found.start()] + parts.path[found.end() :]
            return _plain(parts._replace(path=path)), int(found[1])
    return _plain(parts), 1


def next_part(found: PageLinks, first: str, number: int) -> str | None:
    """The link to part `number` of the article whose first part is at `first`; None where there is none."""
    bases = _bases(first)
    candidates = [found.next] if found.next else []
    opening = _opening(min(bases, key=len))
    candidates += [link.url for link in found.links if link.url.startswith(opening)]
    for url in candidates:
        base, its = place(url)
        if its == number and base in bases:
            return url
    return None


def first_part(found: PageLinks, url: str) -> str | None:
    """The address of the first part, where `url` is a later one and a row of numbers leads back; None for others.

    An address may end in the number of a story, too, whose page links to the section and to the story before it.
    """
    base, number = place(url)
    if number < 2:
        return None
    for link in found.links:
        if link.anchor_text.strip("[]() ") == "1" and place(link.url) == (base, 1):
            return link.url
    return None


def _bases(first: str) -> set[str]:
    """An address may end in a number that is none of a part: it stands for itself, too."""
    base, number = place(first)
    return {_plain(urlsplit(first)), base} if number == 1 else {_plain(urlsplit(first))}


def _opening(base: str) -> str:
    """How the addresses of all parts begin; few other links do, and the rest need no closer look."""
    parts = urlsplit(base)
    return urlunsplit(parts._replace(path=EXTENSION.sub("", parts.path), query=""))


def _plain(parts: SplitResult) -> str:
    return urlunsplit(parts._replace(path=parts.path.rstrip("/"), fragment=""))
