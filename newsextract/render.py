"""The article's body as clean HTML: the chosen blocks with their structure and inline markup, safe to display.

Only p, h2-h6, ul/ol/li, blockquote, pre, table/tr/td/th, `a` with an absolute http(s) href, em, strong, br, and figure
with img and figcaption are written; all text is escaped. Without its figures, the text of the HTML is the body's text,
line by line. `body.body_rows` decides which blocks are the body.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from html import escape
from itertools import chain, groupby
from typing import Any
from urllib.parse import urljoin

import numpy as np
from turbohtml import Element, Text

from newsextract.page import Page
from newsextract.page.blocks import Blocks
from newsextract.page.walk import collapsed
from newsextract.urls import split_url

HEADINGS = {"h1": "h2", "h2": "h2", "h3": "h3", "h4": "h4", "h5": "h5", "h6": "h6"}
#: Ancestors whose structure a block keeps; the nearest wins.
STRUCTURAL_TAGS = frozenset(("li", "blockquote", "pre", "td", "th", *HEADINGS))
#: A table with fewer cells, or with a cell of more characters, is layout, not data.
MIN_CELLS, MAX_CELL = 4, 200
#: Attributes with an image's URL; lazy-loading ones come first, because `src` is a placeholder then.
IMAGE_SOURCES = ("data-src", "data-original", "data-lazy-src", "src")
#: How inline elements are written; others are dropped, their text stays.
EMPHASIS = {"em": "em", "i": "em", "cite": "em", "dfn": "em", "strong": "strong", "b": "strong"}
WRITTEN_INLINE = frozenset(("a", *EMPHASIS))
#: URLs that need no urljoin: absolute ones with a plain host name, and those that begin with /.
ABSOLUTE_URL = re.compile(r"(https?://[a-z0-9][a-z0-9.-]*)(?:[/?#][!-~]*)?$")
ROOT_RELATIVE_URL = re.compile(r"/(?![/\\])(?!.*/\.)[!-~]*$")


def body_html(page: Page, kept: Sequence[int]) -> str:
    """Render the blocks of `page.blocks` with these indices (ascending), with the figures between them."""
    if not kept:
        return ""
    blocks = page.blocks
    root = _common_ancestor(blocks, kept[0], kept[-1])
    inline = _InlineWriter(page, root)
    structure = _Structure(blocks)
    pieces = [(number, 1, structure.piece(number, inline.html(number))) for number in kept]
    shown: set[str] = set()  # of nested figures the same image is shown once
    for number, element in _figures(blocks, root, kept[0], kept[-1]):
        if (figure := _figure_html(element, page.url or "")) and figure not in shown:
            shown.add(figure)
            pieces.append((number, 0, Piece(figure, "figure")))
    if shown:
        pieces.sort(key=lambda piece: piece[:2])
    groups = groupby((piece for *_, piece in pieces), key=lambda piece: piece.container)
    lines = ([_group_html([*same], blocks.element_tags)] if i >= 0 else map(_line_html, same) for i, same in groups)
    return "\n".join(chain.from_iterable(lines))


@dataclass(slots=True)
class Piece:
    """One block as HTML, with the block elements (indices, -1: none) that determine its structure.

    `html`: its inner HTML; `form`: its tag; `element`: the element of that form; `container`: what joins it with its
    neighbours (list, table, blockquote); `row`: its table row.
    """

    html: str
    form: str = "p"
    element: int = -1
    container: int = -1
    row: int = -1


def _common_ancestor(blocks: Blocks, first: int, last: int) -> int:
    """The smallest block element that contains both blocks, so that only a part of the page is walked."""
    element = blocks.owner_list[first]
    while element > 0 and blocks.spans[element][1] <= last:
        element = blocks.parent_list[element]
    return element


class _Structure:
    """The form of each block, from the block elements it stands in."""

    def __init__(self, blocks: Blocks) -> None:
        self.tags, self.parents, self.owners = blocks.element_tags, blocks.parent_list, blocks.owner_list
        #: The nearest element with one of these tags, including itself; 0 or less if there is none.
        self.nearest = partial(_nearest, self.tags, self.parents)
        self.form_above = cache(partial(self.nearest, STRUCTURAL_TAGS))  # paragraphs of one parent have one form
        self.is_data = cache(lambda table: table > 0 and _is_data_table(blocks.nodes[table]))

    def piece(self, number: int, html: str) -> Piece:
        """The block with this index and inner HTML as a piece."""
        own = self.owners[number]
        element = own if self.tags[own] in STRUCTURAL_TAGS else self.form_above(self.parents[own])
        if element <= 0:
            return Piece(html)
        tag = self.tags[element]
        if tag in ("td", "th"):
            table = self.nearest(("table",), element)
            return Piece(html, tag, own, table, self.parents[element]) if self.is_data(table) else Piece(html)
        if tag == "li":
            items = self.nearest(("ul", "ol"), element)
            return Piece(html, "li", element, items if items > 0 else element)
        if tag == "blockquote":
            return Piece(html, "blockquote", own, element)
        return Piece(html, HEADINGS.get(tag, "pre"))


def _nearest(tags: Sequence[str], parents: Sequence[int], wanted: Collection[str], element: int) -> int:
    while element > 0 and tags[element] not in wanted:
        element = parents[element]
    return element


def _is_data_table(table: Element) -> bool:
    """Whether a table holds data rather than layout: at least MIN_CELLS cells, all of them short, no table within."""
    cells = [*table.iter_elements(("td", "th"))]
    is_inner = next(table.iter_elements("table"), None) is None
    return is_inner and len(cells) >= MIN_CELLS and all(len(cell.text) <= MAX_CELL for cell in cells[:500])


def _group_html(pieces: list[Piece], tags: Sequence[str]) -> str:
    first = pieces[0]
    if first.form == "li":
        name = "ol" if tags[first.container] == "ol" else "ul"
        items = ["<br>".join(p.html for p in same) for _, same in groupby(pieces, key=lambda piece: piece.element)]
        return f"<{name}>{''.join(f'<li>{item}</li>' for item in items)}</{name}>"
    if first.form == "blockquote":
        return f"<blockquote>{''.join(f'<p>{piece.html}</p>' for piece in pieces)}</blockquote>"
    if first.form in ("td", "th"):
        rows = groupby(pieces, key=lambda piece: piece.row)
        cells = ("".join(f"<{p.form}>{p.html}</{p.form}>" for p in row) for _, row in rows)
        return f"<table>{''.join(f'<tr>{row}</tr>' for row in cells)}</table>"
    return _line_html(first)


def _line_html(piece: Piece) -> str:
    return f"<{piece.form}>{piece.html}</{piece.form}>"


def _figures(blocks: Blocks, root: int, first: int, last: int) -> Iterator[tuple[int, Element]]:
    """The figures below `root` between two blocks, each with the index of the block that follows its beginning."""
    if "figure" in (tags := blocks.element_tags):
        end = int(np.searchsorted(blocks.spans[:, 0], last, "right"))
        for element in [row for row in range(root + 1, end) if tags[row] == "figure"]:
            if first < (number := int(blocks.spans[element, 0])):
                yield number, blocks.nodes[element]


def _figure_html(figure: Element, base: str) -> str:
    """Inner HTML of a figure: its first image with an address, and its caption; "" without an image."""
    for image in figure.iter_elements("img"):
        target = next((a for name in IMAGE_SOURCES if (a := absolute_url(image.attr(name), base))), None)
        if target is not None:
            caption = collapsed(next((one.text for one in figure.iter_elements("figcaption")), ""))
            alt = escape(collapsed(image.attr("alt") or caption))
            figcaption = f"<figcaption>{escape(caption, quote=False)}</figcaption>" if caption else ""
            return f'<img src="{escape(target)}" alt="{alt}">{figcaption}'
    return ""


class _InlineWriter:
    """Writes blocks' inner HTML: the links and emphasis around each text node, below the element `root`."""

    def __init__(self, page: Page, root: int) -> None:
        self.blocks, self.base = page.blocks, page.url or ""
        self.around: dict[int, list[Element]] = {root: []}  # by block element

    def html(self, number: int) -> str:
        """The inner HTML of a block, with the white space of its text; elements without text are left out."""
        blocks = self.blocks
        text, row = blocks.texts[number], blocks.owner_list[number]
        owner, outer = blocks.nodes[row], self._around(row)
        nodes: Sequence[Any] = blocks.text_nodes[number] or owner.children
        if not outer and len(nodes) == 1 and nodes[0].parent is owner:
            return _escape_text(text)
        out: list[str] = []
        position = 0
        begun: list[Element] = []  # links and emphasis that are open, with their closing tags
        closings: list[str] = []
        for node in nodes:
            words, start = node.data.strip(), position + text.startswith(" ", position)
            if not words or not (text.startswith(words, start) or (words := collapsed(words))):
                continue
            around = outer if node.parent is owner else outer + _written_around(node, owner)
            while begun and begun != around[: len(begun)]:
                begun.pop()
                out.append(closings.pop())
            if start > position:
                out.append(" ")
            for element in around[len(begun) :]:
                opening, closing = self._tags_of(element)
                begun.append(element)
                closings.append(closing)
                out.append(opening)
            position = start + len(words)
            out.append(_escape_text(text[start:position]))
        return "".join(out + closings[::-1])

    def _around(self, element: int) -> list[Element]:
        """The links and emphasis that contain a block element or are it, below `root`, outermost first."""
        if (known := self.around.get(element)) is None:
            known = self._around(self.blocks.parent_list[element])
            if self.blocks.element_tags[element] in WRITTEN_INLINE:
                known = [*known, self.blocks.nodes[element]]
            self.around[element] = known
        return known

    def _tags_of(self, element: Element) -> tuple[str, str]:
        """Opening and closing tag of an inline element; empty for a link without an http(s) address."""
        if element.tag == "a":
            target = absolute_url(element.attr("href"), self.base)
            return (f'<a href="{escape(target)}">', "</a>") if target else ("", "")
        return f"<{EMPHASIS[element.tag]}>", f"</{EMPHASIS[element.tag]}>"


def _written_around(node: Text, top: Element) -> list[Element]:
    """The links and emphasis that a text node stands in below an element, outermost first."""
    around: list[Element] = []
    element: Any = node.parent
    while element is not top:
        if element.tag in WRITTEN_INLINE:
            around.append(element)
        element = element.parent
    return around[::-1]


def _escape_text(text: str) -> str:
    """`html.escape` without quotes; most text needs none, so the check comes first."""
    return text if "&" not in text and "<" not in text and ">" not in text else escape(text, quote=False)


def absolute_url(href: str | None, base: str) -> str | None:
    """The absolute http(s) URL of a link or image; None for any other, and for one with a user name."""
    href = href.strip() if href else ""
    if ABSOLUTE_URL.match(href):
        return href
    if ROOT_RELATIVE_URL.match(href) and (origin := ABSOLUTE_URL.match(base)):
        return origin[1] + href
    try:
        target = urljoin(base, href) if href else ""
    except ValueError:
        return None
    parts = split_url(target)
    return None if parts is None or parts.username is not None else target
