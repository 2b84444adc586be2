"""The article's body as clean HTML: the kept blocks in their form, nothing else, safe to show.

Only p, h2-h6, ul/ol/li, blockquote, pre, table/tr/td/th, a with an absolute http(s) address, em, strong, and figure
with img and figcaption are written, everything is escaped, no other attribute passes. Less figures, its text is the
body's text, line by line.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from typing import Any

from newsextract.body.inline import Reader, address
from newsextract.page import Page
from newsextract.page.blocks import Blocks
from newsextract.page.walk import collapsed

HEADINGS = {"h1": "h2", "h2": "h2", "h3": "h3", "h4": "h4", "h5": "h5", "h6": "h6"}
#: Ancestors that give a block its form, nearest first.
FORMS = frozenset(("li", "blockquote", "pre", "td", "th", *HEADINGS))
#: A table with fewer cells, or with longer ones, is layout.
CELLS, CELL = 4, 200
#: Where a picture's address stands, the one that pages load later first.
SOURCES = ("data-src", "data-original", "data-lazy-src", "src")


@dataclass(slots=True)
class Piece:
    """A block's inner HTML and, as numbers of block elements, what gives it its form, what holds that together with
    others (list, table), and its table's row; a piece that stands alone is held by none (-1)."""

    html: str
    form: str = "p"
    element: int = -1
    holder: int = -1
    row: int = -1


def body_html(page: Page, kept: Sequence[int]) -> str:
    """The blocks of `page.blocks` with these numbers (ascending) as HTML, with the figures that stand among them."""
    if page.body is None or not kept:
        return ""
    blocks = page.blocks
    around = _around(blocks, kept[0], kept[-1])
    found = Reader(page, kept, around).read()
    forms = _Forms(blocks)
    pieces = [(number, 1, forms.formed(number, html)) for number, html in found.items()]
    shown: set[str] = set()  # a figure in a figure is the same one
    for number, element in _figures(blocks, around, kept[0], kept[-1]):
        if (figure := _figure(element, page.url or "")) and figure not in shown:
            shown.add(figure)
            pieces.append((number, 0, Piece(figure, "figure")))
    pieces.sort(key=lambda piece: piece[:2])
    groups = groupby(enumerate(piece for *_, piece in pieces), key=_held_by)
    return "\n".join(_group([piece for _, piece in members], blocks.element_tags) for _, members in groups)


def _held_by(numbered: tuple[int, Piece]) -> tuple[int, int]:
    """What neighbours share that are written as one: the holder; a piece without one shares nothing."""
    place, piece = numbered
    return (piece.holder, 0) if piece.holder >= 0 else (-1, place)


def _around(blocks: Blocks, first: int, last: int) -> int:
    """The smallest block element that holds both blocks, so that the rest of the page need not be walked."""
    element = int(blocks.owners[first])
    while element > 0 and blocks.spans[element][1] <= last:
        element = int(blocks.parents[element])
    return element


def _figures(blocks: Blocks, around: int, first: int, last: int) -> Iterator[tuple[int, Any]]:
    """The figures between two blocks, each with the number of the block behind its beginning."""
    places = range(around + 1, len(blocks.nodes)) if "figure" in blocks.element_tags else ()
    for place in places:
        if blocks.element_tags[place] == "figure" and first < (number := int(blocks.spans[place, 0])) <= last:
            yield number, blocks.element(place)


class _Forms:
    """The form of each block, by the block elements that it stands in."""

    def __init__(self, blocks: Blocks) -> None:
        self.blocks = blocks
        self.tags, self.parents, self.owners = blocks.element_tags, blocks.parents.tolist(), blocks.owners.tolist()
        self.data: dict[int, bool] = {}
        self.above: dict[int, int] = {}  # what gives those their form whose parent this is

    def formed(self, number: int, html: str) -> Piece:
        """A block's piece, whose inner HTML this is."""
        own = self.owners[number]
        element = own if self.tags[own] in FORMS else self._form_above(self.parents[own])
        if element <= 0:
            return Piece(html)
        tag = self.tags[element]
        if tag in ("td", "th"):
            table = self._nearest(element, frozenset(("table",)))
            return Piece(html, tag, own, table, self.parents[element]) if self._holds_data(table) else Piece(html)
        if tag == "li":
            items = self._nearest(element, frozenset(("ul", "ol")))
            return Piece(html, "li", element, items if items > 0 else element)
        if tag == "blockquote":
            return Piece(html, "blockquote", own, element)
        return Piece(html, HEADINGS.get(tag, "pre"))

    def _form_above(self, parent: int) -> int:
        """The same for all children: paragraphs stand side by side."""
        if parent not in self.above:
            self.above[parent] = self._nearest(parent, FORMS)
        return self.above[parent]

    def _nearest(self, element: int, tags: frozenset[str]) -> int:
        """The number of the nearest element with such a tag, itself included; 0 or less where there is none."""
        while element > 0 and self.tags[element] not in tags:
            element = self.parents[element]
        return int(element)

    def _holds_data(self, table: int) -> bool:
        if table not in self.data:
            self.data[table] = table > 0 and _holds_data(self.blocks.element(table))
        return self.data[table]


def _holds_data(table: Any) -> bool:
    """Whether a table is one of data: some cells, all of them short, none with a table within."""
    if table.find(".//table") is not None:
        return False
    cells = [*table.iter("td", "th")]
    return len(cells) >= CELLS and all(len("".join(cell.itertext())) <= CELL for cell in cells[:500])


def _group(pieces: list[Piece], tags: Sequence[str]) -> str:
    first = pieces[0]
    if first.form == "li":
        name = "ol" if tags[first.holder] == "ol" else "ul"
        items = ["<br>".join(p.html for p in same) for _, same in groupby(pieces, key=lambda piece: piece.element)]
        return f"<{name}>{''.join(f'<li>{item}</li>' for item in items)}</{name}>"
    if first.form == "blockquote":
        return f"<blockquote>{''.join(f'<p>{piece.html}</p>' for piece in pieces)}</blockquote>"
    if first.form in ("td", "th"):
        rows = groupby(pieces, key=lambda piece: piece.row)
        cells = ("".join(f"<{p.form}>{p.html}</{p.form}>" for p in row) for _, row in rows)
        return f"<table>{''.join(f'<tr>{row}</tr>' for row in cells)}</table>"
    return f"<{first.form}>{first.html}</{first.form}>"


def _figure(element: Any, base: str) -> str:
    """The inside of a figure: its first picture that has an address, and its caption."""
    for picture in element.iter("img"):
        target = next((a for name in SOURCES if (a := address(picture.get(name), base))), None)
        if target is not None:
            caption = collapsed("".join(next((e.itertext() for e in element.iter("figcaption")), ())))
            alt = escape(collapsed(picture.get("alt") or caption))
            told = f"<figcaption>{escape(caption, quote=False)}</figcaption>" if caption else ""
            return f'<img src="{escape(target)}" alt="{alt}">{told}'
    return ""
