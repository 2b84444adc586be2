"""The inner HTML of blocks: links and inline markup around their text, all of it escaped."""

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from turbohtml import Element, Text

from newsextract.page.blocks import Blocks
from newsextract.page.walk import collapsed
from newsextract.urls import absolute_url

#: How inline elements are written; others are dropped, their text stays. Attributes that some keep.
INLINE = {
    tag: tag for tag in "a abbr cite code del em ins kbd mark q rp rt ruby s samp strong sub sup time var".split()
} | {"i": "em", "dfn": "em", "b": "strong", "strike": "s"}
INLINE_ATTRIBUTES = {"abbr": "title", "time": "datetime"}


def escape_text(text: str) -> str:
    """`html.escape` without quotes; most text needs none, so the check comes first."""
    return text if "&" not in text and "<" not in text and ">" not in text else escape(text, quote=False)


class InlineWriter:
    """Writes blocks' inner HTML: the links and inline markup around each text node."""

    def __init__(self, blocks: Blocks, base: str) -> None:
        self.blocks, self.base = blocks, base
        self.top: Element | None = None
        self.known: dict[Element, list[Element]] = {}

    def html(self, number: int, outer: list[Element]) -> str:
        """The inner HTML of a block, with the white space of its text; elements without text are left out.

        `outer`: the written elements around its block element.
        """
        blocks = self.blocks
        text, nodes = blocks.texts[number], blocks.text_nodes[number]
        if not outer and not nodes:
            return escape_text(text)
        owner = blocks.nodes[blocks.owner_list[number]]
        texts: Sequence[Any] = nodes or owner.children
        written = [outer if node.parent is owner else outer + self.around(node, owner) for node in texts]
        if not any(written):
            return escape_text(text)
        parts: list[tuple[list[Element], str, str]] = []
        position = 0
        for node, around in zip(texts, written, strict=True):
            if not (words := node.data.strip()):
                continue
            start = position + text.startswith(" ", position)
            if not text.startswith(words, start) and not (words := collapsed(words)):
                continue
            end = start + len(words)
            parts.append((around, " " if start > position else "", text[start:end]))
            position = end
        return self.joined(parts)

    def around(self, node: Text, top: Element) -> list[Element]:
        """The written elements that a text node stands in below an element, outermost first; each is asked once."""
        if self.top is not top:
            self.top, self.known = top, {top: []}
        path: list[Element] = []
        element: Any = node.parent
        while element not in self.known:
            path.append(element)
            element = element.parent
        written = self.known[element]
        for element in reversed(path):
            self.known[element] = written = [*written, element] if element.tag in INLINE else written
        return written

    def joined(self, parts: Iterable[tuple[list[Element], str, str]]) -> str:
        """Parts of a text in the elements around them; each with its white space before, which is in those of both."""
        out: list[str] = []
        begun: list[Element] = []  # elements that are open, with their closing tags
        closings: list[str] = []
        for around, space, text in parts:
            while begun and begun != around[: len(begun)]:
                begun.pop()
                out.append(closings.pop())
            out.append(space)
            for element in around[len(begun) :]:
                opening, closing = self._tags_of(element)
                begun.append(element)
                closings.append(closing)
                out.append(opening)
            out.append(escape_text(text))
        return "".join(out + closings[::-1])

    def _tags_of(self, element: Element) -> tuple[str, str]:
        """Opening and closing tag of an inline element; empty for a link without an http(s) address."""
        name, attribute = INLINE[element.tag], ""
        if name == "a":
            target = absolute_url(element.attr("href"), self.base)
            return (f'<a href="{escape(target)}">', "</a>") if target else ("", "")
        if (kept := INLINE_ATTRIBUTES.get(name)) and (value := element.attr(kept)):
            attribute = f' {kept}="{escape(value)}"'
        return f"<{name}{attribute}>", f"</{name}>"
