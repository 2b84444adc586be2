"""Dates that a list shows beside its links, in `time` elements: of a card that is one link, or has one linked heading.

Some themes show the date of an article on lists only.
"""

from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from typing import Any

from newsextract.metadata.date_parser import parse_w3c_datetime

#: More than a list has cards; ancestors of a `time` element that may be its card; elements in one at most.
MAX_TIMES, MAX_ANCESTORS, MAX_ELEMENTS = 500, 4, 60
HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")


def list_dates(root: Any) -> Iterator[tuple[str, datetime]]:
    """The `href` of links and the date beside each, in document order."""
    for element in islice(root.iter("time"), MAX_TIMES):
        when = parse_w3c_datetime(element.get("datetime"))
        if when is not None and (href := _link_of_card(element)):
            yield href, when


def _link_of_card(time: Any) -> str | None:
    """The link that a `time` element stands in, or that of the only heading beside it; None where there are two dates.

    A link to a part of a page ("#comment-5") has the date of that part.
    """
    for ancestor in islice(time.iterancestors(), MAX_ANCESTORS):
        if ancestor.tag == "a":
            return _whole_page(ancestor)
        if len(list(islice(ancestor.iter("time"), 2))) > 1:
            return None
        headings = [element for element in islice(ancestor.iter(), MAX_ELEMENTS) if element.tag in HEADINGS]
        if headings:
            return _link_of_heading(headings[0]) if len(headings) == 1 else None
    return None


def _link_of_heading(heading: Any) -> str | None:
    for link in (*islice(heading.iter("a"), 1), *islice(heading.iterancestors("a"), 1)):
        return _whole_page(link)
    return None


def _whole_page(link: Any) -> str | None:
    href = str(link.get("href") or "")
    return href if href and "#" not in href else None
