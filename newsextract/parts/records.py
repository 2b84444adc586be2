"""Records and teasers: equal parts in a row with a date each, and small parts whose heading links to their page."""

import re
from collections.abc import Container
from itertools import chain, islice
from typing import Any

from turbohtml import Element

from newsextract.page import Page
from newsextract.page.walk import beginning_of
from newsextract.parts.frame import ArticleFrame
from newsextract.text import MAX_SUMMARY

#: Ancestors of an element, and elements within each, in which the linked heading of a teaser is searched.
ANCESTORS = 4
MAX_WITHIN = 40
TEASER_HEADINGS = frozenset({"h2", "h3", "h4", "h5", "h6"})
#: Tags of records in a row, and what all have.
RECORD_TAGS = frozenset({"li", "article", "div", "section", "tr", "a", "dd"})
MAX_DATED = 2_000
DATED = re.compile(r"\d(?:\d{3}|[:.]\d\d|\W+\w+)")


def linked_heading(element: Any, holders: Container[Any]) -> str | None:
    """The URL of a linked heading beside an element, in a small part that is none of the `holders` of the article."""
    own = set() if element is None else {element.node, *element.node.ancestors}
    for _ in range(ANCESTORS):
        if element is None or element.node in holders or len(beginning_of(element.node, MAX_SUMMARY + 1)) > MAX_SUMMARY:
            break
        for heading in islice(element.node.iter_elements(), MAX_WITHIN):
            if heading.tag in TEASER_HEADINGS and heading not in own:
                around = (heading, *islice(heading.iter_elements(), 6), *islice(heading.ancestors, 1))
                links = [link.attr("href") for link in around if isinstance(link, Element) and link.tag == "a"]
                if links and links[0]:
                    return str(links[0])
        element = element.getparent()
    return None


def is_record(page: Page, element: Any, least: int = 20) -> bool:
    """Whether an element is in one of several equal parts in a row with a date and more: comments, teasers.

    `least`: minimum characters of each beside the element.
    """
    part, holders = element, page.view(ArticleFrame).holders
    for _ in range(ANCESTORS):
        if part in holders or not isinstance(part, Element):
            break
        if part.tag in RECORD_TAGS and _is_in_row(part, len(beginning_of(element, MAX_DATED)), least):
            return True
        part = part.parent
    return False


def _is_in_row(part: Element, own: int, least: int) -> bool:
    """Whether a part beside equal ones has a date and so many characters beside those of the element asked about."""
    text = beginning_of(part, own + least + MAX_DATED)
    if len(text) <= own + least or not DATED.search(text, 0, MAX_DATED):
        return False
    form = _form_of(part)
    row = chain(islice(part.previous_siblings, 8), islice(part.next_siblings, 8))
    equal = (beginning_of(other, MAX_DATED) for other in row if isinstance(other, Element) and _form_of(other) == form)
    return any(len(other) > least and DATED.search(other) for other in equal)


def _form_of(element: Element) -> tuple[str | None, ...]:
    """What equal parts in a row share: tag, class, and tags of the first children."""
    children = (child.tag for child in islice(element, 4) if isinstance(child, Element))
    return element.tag, element.attr("class"), *children
