"""What each part of a page belongs to: the page's article, another article, a comment, a quotation, a figure, ...

Worked out from tags, class and id words, and the order of headings, before anybody knows which blocks are text. What is
in a part of somebody else is theirs; what holds the headline or most of the text is no such part.
"""

import re
from collections.abc import Iterable, Iterator
from enum import IntEnum
from functools import cached_property, lru_cache
from itertools import chain, islice
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
    (Owner.BESIDE, re.compile(r"sidebar|(?<!\S)(?!\S*(?:article|entry|post|story))\S*footer|newsletter|widget|promo")),
)
#: Every match of these patterns contains one of these.
PARTS = tuple(
    "comment disqus respond testimonial review tweet fb-post instagram tiktok bluesky telegram reddit related recommend"
    " popular trending most latest teaser carousel read more recent upsell next card like similar suggest menu cookie"
    " advert sidebar footer newsletter widget promo".split()
)
#: Tags of parts that belong to nobody else even if the text begins or ends with them.
WITHIN = frozenset({"figure", "figcaption", "blockquote"})
#: A part with this share of the page's text is the article's, whatever it is called.
MOST = 0.5
#: Minimum characters of own text before another article, and of the other's text.
MIN_TEXT = 400
HEADINGS = frozenset({"h1", "h2", "h3"})
#: Ancestors of an element, and elements within each, in which the linked heading of a teaser is searched.
TEASER_ANCESTORS, TEASER_ELEMENTS = 4, 40
TEASER_HEADINGS = frozenset({"h2", "h3", "h4", "h5", "h6"})
#: Tags of records in a row, and what all have.
RECORD_TAGS = frozenset({"li", "article", "div", "section", "tr", "a", "dd"})
DATED = re.compile(r"\d{4}|\d[:.]\d\d|\d\W+\w+")
#: Elements examined whether they begin another article.
MAX_ARTICLES = 50
#: Blocks of another article before its headline, at most.
MAX_KICKERS = 2


class Owners:
    """The owners of one page's elements; numbers are those of `Blocks.nodes`."""

    def __init__(self, page: "Page", own: Iterable[int] = ()) -> None:
        self._page, self._own = page, own
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
        own = [
            n
            for n in chain.from_iterable(map(self._path, (self.headline, *self._own)))
            if blocks.element_tags[n] not in WITHIN
        ]
        numbers = [*own, *(share > MOST * written[-1]).nonzero()[0].tolist()]
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
        articles = (number for number, tag in enumerate(tags) if tag == "article" and number > own)
        if any(tags[number] == "article" for number in above):
            begun.update(articles)
        else:
            begun.update(number for number in islice(articles, MAX_ARTICLES) if self._links_elsewhere(number))
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

    def _links_elsewhere(self, number: int) -> bool:
        """Whether the first heading of an element is a link to another page."""
        parts = islice(self._blocks.nodes[number].iter_elements(), TEASER_ELEMENTS)
        heading = next((part for part in parts if part.tag in HEADINGS), None)
        links = () if heading is None else (*heading.iter_elements(), *islice(heading.ancestors, 1))
        urls = (link.attr("href") for link in links if isinstance(link, Element) and link.tag == "a")
        return any(url and not url.startswith("#") for url in urls)

    def of_article(self, own: Iterable[int]) -> "Owners":
        """The owners if these elements are known to be the article's."""
        return Owners(self._page, [*own])

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

    def linked_heading(self, element: Any) -> str | None:
        """The URL of a linked heading beside an element, in a small part without headline and text."""
        own = set() if element is None else {element.node, *element.node.ancestors}
        for _ in range(TEASER_ANCESTORS):
            if element is None or element.node in self._holders:
                break
            for heading in islice(element.node.iter_elements(), TEASER_ELEMENTS):
                if heading.tag in TEASER_HEADINGS and heading not in own:
                    around = (heading, *islice(heading.iter_elements(), 6), *islice(heading.ancestors, 1))
                    links = [link.attr("href") for link in around if isinstance(link, Element) and link.tag == "a"]
                    if links and links[0]:
                        return str(links[0])
            element = element.getparent()
        return None

    def is_record(self, element: Any, least: int = 20) -> bool:
        """Whether an element is in one of several equal parts in a row with a date and more: comments, teasers.

        `least`: minimum characters of each beside the element.
        """
        own = element.text
        for _ in range(TEASER_ANCESTORS):
            if element in self._holders or not isinstance(element, Element):
                break
            if element.tag in RECORD_TAGS and len(element.text) > len(own) + least:
                form = _form_of(element)
                row = chain(islice(element.previous_siblings, 8), islice(element.next_siblings, 8))
                equal = (other for other in row if isinstance(other, Element) and _form_of(other) == form)
                if any(len(other.text) > least and DATED.search(other.text) for other in equal):
                    return True
            element = element.parent
        return False

    def _path(self, number: int | None) -> Iterator[int]:
        """An element and those around it."""
        while number is not None and number >= 0:
            yield number
            number = self._blocks.parent_list[number]


def _form_of(element: Element) -> tuple[str | None, ...]:
    """What equal parts in a row share: tag, class, and tags of the first children."""
    children = (child.tag for child in islice(element, 4) if isinstance(child, Element))
    return element.tag, element.attr("class"), *children


@lru_cache(maxsize=4096)
def _named(classes: str, identity: str) -> Owner:
    """The owner that an element's class and id name."""
    words = f"{classes} {identity}".lower()
    if not any(map(words.__contains__, PARTS)):
        return Owner.ARTICLE
    return next((owner for owner, pattern in WORDS if pattern.search(words)), Owner.ARTICLE)
