"""One way through a page's tree for all views: in document order, without recursion, past script and hidden elements.

An inline tag that holds a block-level one is block level itself from there on (`<font><p>...`): the walk tells its
visitor when that happens, and closes it as a block.
"""

import re
from collections.abc import Iterator
from typing import Any

from turbohtml import Element, Text

BLOCK, INLINE, LINK, BREAK, SKIP, OPENED, OPENED_LINK = range(7)
INLINE_TAGS = """
    abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q rb rp rt ruby s samp small
    span strike strong sub sup time tt u var wbr img picture source
"""
SKIPPED_TAGS = """
    script style noscript template textarea select option svg iframe head object embed applet canvas audio video map
    input math title frame frameset noframes noembed xmp datalist
"""
#: What a tag does to the run of text that it stands in; any other tag is block level.
KINDS: dict[str, int] = {
    **dict.fromkeys(INLINE_TAGS.split(), INLINE),
    **dict.fromkeys(SKIPPED_TAGS.split(), SKIP),
    "a": LINK,
    "br": BREAK,
}
#: Tags without a closing one.
VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
#: What may be hidden; whether it is says HIDING.
HIDEABLE = '[hidden], [style*="none"], [style*="hidden"]'
HIDING = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.I)
#: Hidden paragraphs of more characters than this, and than all that is not hidden, are the article.
SHOWN_LATER = 1_000
WORD = re.compile(r"[^\W_]")
#: What a reader does not see within a line, beside the white space that str.split knows.
INVISIBLE = "\u200b\u2060\ufeff\u00ad"


def collapsed(text: str) -> str:
    """The text as a browser shows it: runs of white space (also U+00A0, U+3000) are one space, none at the ends."""
    if not text.isascii():
        for character in INVISIBLE:
            if character in text:
                text = text.replace(character, "")
    return " ".join(text.split())


class Walk:
    """Visits every element and text below a root; a view overrides what it needs.

    `links`: how many links are open. `enter` and `leave` get the element and its kind; `opened` the inline element that
    turned out to hold a block-level one.
    """

    links = 0

    def enter(self, element: Element, kind: int) -> None:
        """An element begins."""

    def leave(self, element: Element, kind: int) -> None:
        """An element ends."""

    def opened(self, element: Element) -> None:
        """An open inline element is block level from here on."""

    def text(self, text: str) -> None:
        """Text, as it stands."""

    def below(self, root: Element, hidden: set[Element]) -> None:
        """Walk all that is below the root and not hidden."""
        inline = 0  # how many inline elements are open since the last block-level one
        stack: list[tuple[Iterator[Any], Element, int]] = []
        children: Iterator[Any] = iter(root)
        while True:
            for child in children:
                if type(child) is Text:
                    self.text(child.data)
                    continue
                kind = KINDS.get(child.tag, BLOCK)
                if kind == SKIP or (hidden and child in hidden):
                    continue
                if kind == BLOCK:
                    if inline:
                        self._open(stack, inline)
                    inline = 0
                elif kind != BREAK:
                    inline += 1
                    self.links += kind == LINK
                self.enter(child, kind)
                stack.append((children, child, kind))
                children = iter(child)
                break
            else:
                if not stack:
                    return
                children, child, kind = stack.pop()
                self.leave(child, kind)
                if kind in (INLINE, LINK):
                    inline -= 1
                elif kind != BREAK:
                    inline = 0
                self.links -= kind in (LINK, OPENED_LINK)

    def _open(self, stack: list[tuple[Iterator[Any], Element, int]], inline: int) -> None:
        for level in range(len(stack) - inline, len(stack)):
            children, holder, kind = stack[level]
            self.opened(holder)
            stack[level] = children, holder, OPENED_LINK if kind == LINK else OPENED


def closes_block(kind: int) -> bool:
    """Whether the end of such an element ends a run of text."""
    return kind == BLOCK or kind >= OPENED


def hidden_elements(root: Element) -> set[Element]:
    """Elements that a browser would not show, by their own attributes. The root itself is always read.

    Where one of them holds most of the page's paragraphs, a script shows it once it has run (streamed pages, paywalls):
    that one is read.
    """
    hidden = {node for node in root.select(HIDEABLE) if _hides(node)}
    if not hidden:
        return hidden
    prose = {node: _prose(node) for node in hidden if hidden.isdisjoint(node.ancestors)}
    if max(prose.values()) <= SHOWN_LATER:
        return hidden
    visible = _prose(root) - sum(prose.values())
    return hidden - {node for node, length in prose.items() if length > max(SHOWN_LATER, visible)}


def _hides(node: Element) -> bool:
    if node.attr("hidden") not in (None, "until-found"):
        return True
    style = node.attr("style")
    return style is not None and HIDING.search(style) is not None


def _prose(node: Element) -> int:
    """Characters that stand directly in the paragraphs below an element."""
    texts = [text.data for p in node.iter_elements("p") for text in p.children if type(text) is Text]
    return sum(len(text) for text in texts if not text.isspace())
