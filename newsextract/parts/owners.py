"""What each part of a page belongs to: the page's article, another article, a comment, a quotation, a figure, ...

What is in a part of somebody else is theirs, by its tag, class and id; what holds the headline or most of the text is
no such part (`frame`). Other articles are found by their headlines (`other_articles`), readers' comments also by the
line above them (`comments`).
"""

from collections.abc import Iterable
from enum import IntEnum
from functools import cached_property
from itertools import chain
from typing import Any

from turbohtml import Element

from newsextract.page import Page
from newsextract.page.class_names import BITS, class_names
from newsextract.parts.comments import comment_elements
from newsextract.parts.frame import ArticleFrame
from newsextract.parts.other_articles import other_articles


class Owner(IntEnum):
    """Whom a part of the page belongs to; what is about other pages or people comes last."""

    ARTICLE, FIGURE, QUOTATION, ADDRESS, BESIDE, NAVIGATION, COMMENT, OTHER_PAGES, OTHER_ARTICLE = range(9)


#: Tags of parts, whatever their class is.
TAGS = {
    "address": Owner.ADDRESS, "aside": Owner.BESIDE, "footer": Owner.BESIDE, "nav": Owner.NAVIGATION,
    "form": Owner.NAVIGATION, "dialog": Owner.NAVIGATION,
}  # fmt: skip
#: Tags of parts whose class may name another owner, and owners whose names count less than these tags.
NAMED_TAGS = {"blockquote": Owner.QUOTATION, "figure": Owner.FIGURE, "figcaption": Owner.FIGURE}
LESSER = frozenset({Owner.NAVIGATION, Owner.BESIDE})
#: The bits of names by owner; the first that a name has counts.
NAMED = [(bit, Owner[name.upper()]) for name, bit in BITS["owners"].items()]
OWNED = sum(bit for bit, _ in NAMED)


class Owners:
    """The view `page.view(Owners)`: the owners of a page's elements.

    `own`: elements that are known to be the article's, as numbers of `Blocks.nodes`.
    """

    def __init__(self, page: Page, own: Iterable[int] = ()) -> None:
        # not the page itself, which keeps its owners: it would have to wait for the garbage collector
        self._frame, self._own = page.view(ArticleFrame), [*own]
        self._others = page.view(other_articles), page.view(comment_elements)

    @cached_property
    def holders(self) -> set[Any]:
        """What holds anything that is known to be of the article."""
        frame = self._frame
        return frame.holders | frame.outside_quotations(chain.from_iterable(map(frame.path, self._own)))

    @cached_property
    def _known(self) -> dict[Any, Owner]:
        """Owners by element."""
        nodes = self._frame.blocks.nodes
        known = dict.fromkeys(self.holders, Owner.ARTICLE)
        for owner, numbers in zip((Owner.OTHER_ARTICLE, Owner.COMMENT), self._others, strict=True):
            known |= dict.fromkeys([nodes[number] for number in numbers], owner)
        return known

    def of(self, element: Any) -> Owner:
        """The owner of an element: that of the outermost part around it that isn't the article's."""
        node: Any = element
        known = self._known
        path: list[tuple[Any, Owner]] = []
        while isinstance(node, Element) and node not in known:
            own = TAGS.get(node.tag) or _named(node)
            if node.tag == "footer" and self.is_of_article(node):
                own = Owner.ARTICLE
            path.append((node, own))
            node = node.parent
        owner = known.get(node, Owner.ARTICLE)
        for node, own in reversed(path):
            known[node] = owner = owner or own
        return owner

    def is_of_article(self, part: Element) -> bool:
        """Whether a footer or a box is in the page's `article`, not in the page or another article."""
        around = (up for up in part.ancestors if isinstance(up, Element) and up.tag == "article")
        return next(around, None) in self.holders


def _named(element: Element) -> Owner:
    """The owner that an element's tag, class and id name."""
    tag = element.tag
    masks = class_names().masks
    bits = (masks[tag] | masks[element.attr("class")] | masks[element.attr("id")]) & OWNED
    of_tag = NAMED_TAGS.get(tag, Owner.ARTICLE)
    if not bits:
        return of_tag
    named = next(owner for bit, owner in NAMED if bits & bit)
    return of_tag if of_tag and named in LESSER else named
