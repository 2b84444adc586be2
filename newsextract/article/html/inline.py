"""The inner HTML of blocks: links and inline markup around their text, all of it escaped."""

from collections.abc import Iterable
from html import escape
from typing import Any, Generic, Self, TypeVar

from turbohtml import Element, Text

from newsextract.page.blocks import Blocks
from newsextract.page.parse import MAX_ALIKE
from newsextract.page.walk import collapsed
from newsextract.urls import absolute_url

#: How inline elements are written; others are dropped, their text stays. Attributes that some keep.
INLINE = {
    tag: tag for tag in "a abbr cite code del em ins kbd mark q rp rt ruby s samp strong sub sup time var".split()
} | {"i": "em", "dfn": "em", "b": "strong", "strike": "s"}
#: Elements of one tag that are written in one another.
INLINE_ATTRIBUTES = {"abbr": "title", "time": "datetime"}
E = TypeVar("E")


def escape_text(text: str) -> str:
    """`html.escape` without quotes; most text needs none, so the check comes first."""
    return text if "&" not in text and "<" not in text and ">" not in text else escape(text, quote=False)


class Path(Generic[E]):
    """A written element with the path of those around it, which all that is within shares."""

    __slots__ = ("above", "depth", "element")

    def __init__(self, element: E, above: Self | None) -> None:
        self.element, self.above = element, above
        self.depth: int = 1 + (above.depth if above else 0)

    @staticmethod
    def between(begun: "Path[E] | None", to: "Path[E] | None") -> tuple[int, list[E]]:
        """How many elements end from one path to another, and those that begin, outermost first."""
        ended, opened = 0, []
        while to is not begun:
            if begun is None or (to is not None and to.depth > begun.depth):
                assert to is not None
                opened.append(to.element)
                to = to.above
            else:
                begun, ended = begun.above, ended + 1
        return ended, opened[::-1]


Markup = Path[Element]


def inside(element: Element, above: Markup | None) -> Markup | None:
    """The path of an inline element; the one around it where the element isn't written.

    MAX_ALIKE elements of one tag are as good as any more, so a path is short.
    """
    tag, alike, markup = element.tag, 0, above
    if tag not in INLINE:
        return above
    while markup is not None and alike < MAX_ALIKE:
        alike += markup.element.tag == tag
        markup = markup.above
    return above if alike == MAX_ALIKE else Path(element, above)


class InlineWriter:
    """Writes blocks' inner HTML: the links and inline markup around each text node."""

    def __init__(self, blocks: Blocks, base: str) -> None:
        self.blocks, self.base = blocks, base
        # the block element and `outer` of the last block, and the written elements around what is below
        self.last: tuple[int, Markup | None] = (-1, None)
        self.known: dict[Any, Markup | None] = {}
        # the path of the last text that stands in one, and the tags around it: lines in a list in an element share them
        self.wrapped: tuple[Markup | None, str, str] = (None, "", "")

    def html(self, number: int, outer: Markup | None) -> str:
        """The inner HTML of a block, with the white space of its text; elements without text are left out.

        `outer`: the path of inline elements around its block element.
        """
        blocks = self.blocks
        text, nodes = blocks.texts[number], blocks.text_nodes[number]
        if not nodes:  # one text node
            return self.wrap(outer, text)
        element = blocks.element_list[number]
        if self.last != (element, outer):
            self.last, self.known = (element, outer), {blocks.nodes[element]: outer}  # lines of a paragraph share them
        written = self.around(nodes, self.known)
        if not any(written):
            return escape_text(text)
        parts: list[tuple[Markup | None, str, str]] = []
        position = 0
        for node, around in zip(nodes, written, strict=True):
            if not (words := node.data.strip()):
                continue
            start = position + text.startswith(" ", position)
            if not text.startswith(words, start) and not (words := collapsed(words)):
                continue
            end = start + len(words)
            parts.append((around, " " if start > position else "", text[start:end]))
            position = end
        return self.wrap(parts[0][0], parts[0][2]) if len(parts) == 1 else self.joined(parts)

    def wrap(self, around: Markup | None, text: str) -> str:
        """A text in the elements of a path."""
        if around is None:
            return escape_text(text)
        if self.wrapped[0] is not around:
            tags = [*map(self._tags_of, Path.between(None, around)[1])]
            self.wrapped = around, "".join(tag for tag, _ in tags), "".join(tag for _, tag in reversed(tags))
        _, opening, closing = self.wrapped
        return f"{opening}{escape_text(text)}{closing}"

    def around(self, nodes: Iterable[Text], known: dict[Any, Markup | None]) -> list[Markup | None]:
        """The written elements around each text node; `known`: element -> those around what it holds, of some around
        all nodes, and of what was asked before."""
        found = []
        for node in nodes:
            above: Any = node.parent
            if above in known:
                found.append(known[above])
                continue
            path: list[Any] = []
            while above not in known:
                path.append(above)
                above = above.parent
            written = known[above]
            for above in reversed(path):
                known[above] = written = inside(above, written)
            found.append(written)
        return found

    def joined(self, parts: Iterable[tuple[Markup | None, str, str]]) -> str:
        """Parts of a text in the elements around them; each with its white space before, which is in those of both."""
        out: list[str] = []
        begun: Markup | None = None
        closings: list[str] = []  # of what is open
        for around, space, text in parts:
            if around is begun:
                out += space, escape_text(text)
                continue
            ended, opened = Path.between(begun, around)
            for _ in range(ended):
                out.append(closings.pop())
            out.append(space)
            for element in opened:
                opening, closing = self._tags_of(element)
                closings.append(closing)
                out.append(opening)
            begun = around
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
