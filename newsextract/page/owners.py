"""What each part of a page belongs to: the page's article, another article, a comment, a quotation, a figure, ...

Worked out from tags, class and id words, and the order of headings, before anybody knows which blocks are text. What is
in a part of somebody else is theirs; what holds the headline or most of the text is no such part.
"""

import re
from collections.abc import Iterator
from enum import IntEnum
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from turbohtml import Element

from newsextract.page.titles import MAX_HEADINGS, line, text_of

if TYPE_CHECKING:
    from newsextract.page.page import Page


class Owner(IntEnum):
    """Whom a part of the page belongs to; what is about other pages or people comes last."""

    ARTICLE, FIGURE, QUOTATION, ADDRESS, BESIDE, NAVIGATION, COMMENT, OTHER_PAGES, OTHER_ARTICLE = range(9)


TAGS = {
    "figure": Owner.FIGURE,
    "figcaption": Owner.FIGURE,
    "blockquote": Owner.QUOTATION,
    "address": Owner.ADDRESS,
    "aside": Owner.BESIDE,
    "footer": Owner.BESIDE,
    "nav": Owner.NAVIGATION,
    "form": Owner.NAVIGATION,
    "dialog": Owner.NAVIGATION,
}
#: Words of class and id that name an owner; the first row that matches counts.
WORDS = (
    (Owner.COMMENT, re.compile(r"comment|disqus|respond|testimonial|review-?item")),
    (
        Owner.QUOTATION,
        re.compile(
            r"twitter-tweet|fb-post|instagram-media|tiktok-embed|bluesky-embed|telegram-post|reddit-(?:card|embed)"
        ),
    ),
    (
        Owner.OTHER_PAGES,
        re.compile(
            r"related|recommend|popular|trending|most-?read|latest|teaser|carousel|read-?next|more-?(?:from|stories|posts)"
            r"|recent|upsell|up-?next|card-?(?:grid|list)|also-?like|similar|suggest"
        ),
    ),
    (Owner.NAVIGATION, re.compile(r"menu|cookie|advert")),
    (Owner.BESIDE, re.compile(r"sidebar|footer|newsletter|widget|promo")),
)
#: Every match of these patterns contains one of these.
PARTS = tuple(
    "comment disqus respond testimonial review tweet fb-post instagram tiktok bluesky telegram reddit related recommend"
    " popular trending most latest teaser carousel read more recent upsell next card like similar suggest menu cookie"
    " advert sidebar footer newsletter widget promo".split()
)
#: A part with this share of the page's text is the article's, whatever it is called.
MOST = 0.5
#: Minimum characters of own text before another article, and of the other's text.
MIN_TEXT = 400
HEADINGS = frozenset({"h1", "h2", "h3"})
#: Elements examined whether they begin another article.
MAX_ARTICLES = 50
#: Blocks of another article before its headline, at most.
MAX_KICKERS = 2


class Owners:
    """The owners of one page's elements; numbers are those of `Blocks.nodes`."""

    def __init__(self, page: "Page") -> None:
        self._blocks, self._title = page.blocks, line(page.meta.title).casefold()
        self._headings = [
            (self._blocks.nodes.index(heading.node), heading)
            for heading in page.meta.headings["h1"][:MAX_HEADINGS]
            if heading.node in self._blocks.nodes
        ]

    @cached_property
    def headline(self) -> int | None:
        """The article's headline element: the longest `h1` that the document's title has, else the first."""
        texts = [(text_of(heading).casefold(), number) for number, heading in self._headings]
        named = [(len(text), number) for text, number in texts if text and text in self._title]
        return max(named)[1] if named else texts[0][1] if texts else None

    @cached_property
    def _holders(self) -> set[Any]:
        """What holds the headline, or most of the page's text."""
        blocks = self._blocks
        written = np.concatenate(([0], blocks.lengths.cumsum()))
        share = written[blocks.spans[:, 1]] - written[blocks.spans[:, 0]]
        numbers = [*self._path(self.headline), *(share > MOST * written[-1]).nonzero()[0].tolist()]
        return {blocks.nodes[number] for number in numbers}

    @cached_property
    def other_articles(self) -> list[int]:
        """The elements that declare themselves another article below the page's own, in document order.

        Each begins with a headline (an `h1`, or any heading in an `article` beside that of the page's headline), has a
        text of its own, and stands below text of the page's article.
        """
        blocks, own = self._blocks, self.headline
        if own is None:
            return []
        above = {*self._path(own)}
        tags, parents = blocks.element_tags, blocks.parent_list
        begun = {number for number, _ in self._headings if number > own}
        if any(tags[number] == "article" for number in above):
            begun.update(number for number, tag in enumerate(tags) if tag == "article" and number > own)
        found: list[int] = []
        for number in sorted(begun)[:MAX_ARTICLES]:
            part = number
            while parents[part] not in above:
                part = parents[part]
            (first, last), start = blocks.spans[part].tolist(), int(blocks.spans[own, 1])
            is_headed = not HEADINGS.isdisjoint(blocks.tags[first : first + 1 + MAX_KICKERS])
            if part not in found and is_headed:
                texts = blocks.lengths[start:first].sum(), blocks.lengths[first:last].sum()
                found += [part] if min(texts) >= MIN_TEXT else []
        return found

    @cached_property
    def _known(self) -> dict[Any, Owner]:
        """Owners by element."""
        nodes = self._blocks.nodes
        return dict.fromkeys(self._holders, Owner.ARTICLE) | {
            nodes[number]: Owner.OTHER_ARTICLE for number in self.other_articles
        }

    def of(self, element: Any) -> Owner:
        """The owner of an element: that of the outermost part around it that isn't the article's."""
        node: Any = element
        path: list[tuple[Any, Owner]] = []
        while isinstance(node, Element) and node not in self._known:
            own = TAGS.get(node.tag) or _named(node.attr("class") or "", node.attr("id") or "")
            parent: Any = node.parent
            if node.tag == "footer" and parent in self._holders and parent.tag == "article":
                own = Owner.ARTICLE
            path.append((node, own))
            node = parent
        owner = self._known.get(node, Owner.ARTICLE)
        for node, own in reversed(path):
            self._known[node] = owner = owner or own
        return owner

    def _path(self, number: int | None) -> Iterator[int]:
        """An element and those around it."""
        while number is not None and number >= 0:
            yield number
            number = self._blocks.parent_list[number]


@lru_cache(maxsize=4096)
def _named(classes: str, identity: str) -> Owner:
    """The owner that an element's class and id name."""
    words = f"{classes} {identity}".lower()
    if not any(map(words.__contains__, PARTS)):
        return Owner.ARTICLE
    return next((owner for owner, pattern in WORDS if pattern.search(words)), Owner.ARTICLE)
