"""What divides a page into blocks: kinds of tags, hidden elements, and the tree walk that all views share.

A block is a maximal run of inline content: block-level tags and `br` end it. An inline element that contains a
block-level one is block-level itself from there on (`<font><p>...`). Script and hidden elements are no content.
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
#: Tag -> its effect on the current run of text; any other tag is block-level (BLOCK).
KINDS: dict[str, int] = {
    **dict.fromkeys(INLINE_TAGS.split(), INLINE),
    **dict.fromkeys(SKIPPED_TAGS.split(), SKIP),
    "a": LINK,
    "br": BREAK,
}
#: Tags without a closing tag.
VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
#: Selects elements that may be hidden; `HIDING` decides by the style.
HIDEABLE = '[hidden], [style*="none"], [style*="hidden"]'
HIDING = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.I)
#: A hidden element (or `noscript`) with more characters in paragraphs than this, and than all visible ones, counts.
SHOWN_LATER = 1_000
#: Buttons that show the rest of a text; "continue reading" usually means a wall.
READ_MORE = re.compile(
    r"""\W*(?:(?:read|show|see|view)\ (?:more|all|full\ (?:story|article))|(?:閱讀|阅读|查看|看)更多|展[开開]全文
    |weiterlesen|mehr\ (?:lesen|anzeigen)|lire\ (?:la\ suite|plus)|voir\ plus|(?:leer|ver)\ más|(?:ler|leia|ver)\ mais
    |tovább|читать\ (?:далее|полностью)|もっと(?:見る|読む)|続きを読む|더\ ?보기|baca\ selengkapnya)\W*""",
    re.I | re.X,
)
#: A letter or digit: a run of text without one isn't a block.
WORD = re.compile(r"[^\W_]")
#: Zero-width characters and the soft hyphen, removed from text.
INVISIBLE = "\u200b\u2060\ufeff\u00ad"
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def collapsed(text: str) -> str:
    """The text with white space collapsed: one space for each run (also of U+00A0, U+3000), none at the ends.

    Control characters count as white space: a terminal acts on escape sequences, and XML has none of them.
    """
    if not text.isascii():
        for character in INVISIBLE:
            if character in text:
                text = text.replace(character, "")
    text = " ".join(text.split())
    if text.isprintable() or not CONTROL.search(text):
        return text
    return " ".join(CONTROL.sub(" ", text).split())


class Walk:
    """Visitor of all elements and texts below a root, in document order; `links`: number of open links."""

    links = 0

    def enter(self, element: Element, kind: int) -> None:
        """An element of that kind (BLOCK, INLINE, LINK or BREAK) begins."""

    def leave(self, element: Element, kind: int) -> None:
        """An element ends; its kind is OPENED or OPENED_LINK if it is inline and contained a block-level one."""

    def opened(self, element: Element) -> None:
        """An open inline element turns out to contain a block-level one."""

    def text(self, text: str) -> None:
        """A text node, white space as in the source."""

    def walk(self, root: Element, hidden: set[Element]) -> None:
        """Visits everything below the root except scripts and hidden elements."""
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
    """Whether the end of an element of that kind ends a run of text."""
    return kind == BLOCK or kind >= OPENED


def hidden_elements(root: Element) -> set[Element]:
    """Elements that a browser hides, but not those with most paragraphs or next to a "read more"."""
    hidden = {node for node in root.select(HIDEABLE) if _hides(node) and not _is_behind_read_more(node)}
    if not hidden:
        return hidden
    lengths = {node: paragraph_length(node) for node in hidden if hidden.isdisjoint(node.ancestors)}
    if max(lengths.values()) <= SHOWN_LATER:
        return hidden
    visible = paragraph_length(root) - sum(lengths.values())
    return hidden - {node for node, length in lengths.items() if length > max(SHOWN_LATER, visible)}


def _hides(node: Element) -> bool:
    if node.attr("hidden") not in (None, "until-found"):
        return True
    style = node.attr("style")
    return style is not None and HIDING.search(style) is not None


def _is_behind_read_more(node: Element) -> bool:
    """Whether a hidden element with paragraphs has paragraphs and a "read more" next to it."""
    if node.tag not in ("div", "section", "span") or node.parent is None:
        return False
    if not any(type(child) is Element and child.tag == "p" for child in node.children):
        return False
    siblings = [child for child in node.parent.children if type(child) is Element]
    place = siblings.index(node)
    near = siblings[max(0, place - 4) : place + 4]
    return any(child.tag == "p" for child in siblings[:place]) and any(READ_MORE.fullmatch(e.text) for e in near)


def paragraph_length(node: Element) -> int:
    """Characters of the text nodes that are children of `p` elements below an element."""
    texts = [text.data for p in node.iter_elements("p") for text in p.children if type(text) is Text]
    return sum(len(text) for text in texts if not text.isspace())
