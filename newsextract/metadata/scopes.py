"""Scopes of microdata and RDFa: whether a property, or a line of the page, is said about the page's article.

A property belongs to the item of its nearest `itemscope` (HTML standard, 5.2.5) or `typeof` (RDFa), so that the date of
a comment, a video or the card of another story isn't the article's. The page's own are the scopes that hold its
headline or the beginning of its text, scopes of an article that name no other headline (some have nothing but
properties), and items that describe part of what is around them, as a person does (markup.toml, `transparent`).
"""

from collections.abc import Callable
from itertools import islice
from typing import Any

from turbohtml import Element

from newsextract.metadata.markup import MARKUP
from newsextract.metadata.structured_data import ARTICLES
from newsextract.page.json_ld import without_namespace
from newsextract.page.walk import short_text
from newsextract.parts.records import MAX_WITHIN
from newsextract.text import LONGEST_LINE

#: Elements that are the whole page, whatever type they declare.
WHOLE = frozenset({"html", "head", "body"})
#: Types of items that describe part of the item around them, and endings of such types.
TRANSPARENT = frozenset(MARKUP["types"]["transparent"])
TRANSPARENT_ENDINGS = ("Organization", "Element")
#: Properties with the name of an article, and headings, which have it, too.
NAMING = frozenset({"headline", "name", "title"})
HEADINGS = frozenset({"h1", "h2", "h3", "h4"})


class Scopes:
    """The scopes of one page.

    `own`: elements of the article, its headline and the first block of its text; `is_headline`: whether a text is the
    article's headline.
    """

    def __init__(self, own: list[Element], is_headline: Callable[[str], bool]) -> None:
        self._is_headline = is_headline
        self._about_page: dict[Any, bool] = {}
        for node in own:
            self._about_page |= dict.fromkeys((node, *node.ancestors), True)

    def are_about_page(self, element: Element) -> bool:
        """Whether the properties of an element are about the page's article; what opens a scope is said around it."""
        around: Any = element.parent if _types_of(element) is not None else element
        path: list[Element] = []
        while isinstance(around, Element) and around.tag not in WHOLE and around not in self._about_page:
            path.append(around)
            if (types := _types_of(around)) is not None and self._is_foreign(around, types):
                break
            around = around.parent
        else:
            return self._remember(path, answer=self._about_page.get(around, True))
        return self._remember(path, answer=False)

    def _remember(self, path: list[Element], *, answer: bool) -> bool:
        self._about_page |= dict.fromkeys(path, answer)
        return answer

    def _is_foreign(self, scope: Element, types: list[str]) -> bool:
        """Whether a scope that doesn't hold the article is about something else."""
        if not types or all(name in TRANSPARENT or name.endswith(TRANSPARENT_ENDINGS) for name in types):
            return False
        if not any(name.endswith(ARTICLES) for name in types):
            return True
        names = [
            part.attr("content") or short_text(part, LONGEST_LINE) or ""
            for part in islice(scope.iter_elements(), MAX_WITHIN)
            if part.tag in HEADINGS or (_property_of(part) in NAMING and _scope_around(part) is scope)
        ]
        return bool(names) and not any(map(self._is_headline, names))


def _property_of(element: Element) -> str:
    return without_namespace((element.attr("itemprop") or element.attr("property") or "").lower())


def _scope_around(element: Element) -> Element | None:
    """The element of the scope that the properties of an element belong to."""
    return next((up for up in element.ancestors if isinstance(up, Element) and _types_of(up) is not None), None)


def _types_of(element: Element) -> list[str] | None:
    """The types of the item that an element opens, without their vocabulary; None if it opens none."""
    if element.attr("itemscope") is None and element.attr("typeof") is None:
        return None
    declared = element.attr("itemtype") or element.attr("typeof") or ""
    return [without_namespace(name.rstrip("/")) for name in declared.split()]
