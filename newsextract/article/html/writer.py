"""Writes the body as HTML: its lines in the lists, quotations, headings and tables of the page."""

import math
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from io import StringIO
from itertools import chain, groupby
from operator import itemgetter

from turbohtml import Text

from newsextract.article.html.images import Illustrated
from newsextract.article.html.inline import INLINE, InlineWriter, Markup, Path, escape_text, inside
from newsextract.article.html.structure import is_span
from newsextract.page import Page
from newsextract.parts.roles import Inherited
from newsextract.urls import absolute_url

HEADINGS = {"h1": "h2", "h2": "h2", "h3": "h3", "h4": "h4", "h5": "h5", "h6": "h6"}
#: Block elements that are written, and as what; those that must stand directly in one of these; those that hold lines
#: as they are, separated by br, where others hold paragraphs; what a line becomes directly in these.
CONTAINERS = HEADINGS | {tag: tag for tag in "ul ol li dl dt dd blockquote footer details summary".split()}
LISTS = ("ul", "ol")
HOLDERS_OF = {"li": LISTS, "dt": ("dl",), "dd": ("dl",), "summary": ("details",), "footer": ("blockquote",)}
LINE_HOLDERS = frozenset(("li", "dt", "dd", "summary", "footer", *HEADINGS))
MEMBERS = {"ul": "li", "ol": "li", "dl": "dd"}
#: The tags of all that is written, without attributes: a page may have hundreds of thousands of elements.
OPENINGS = {name: f"<{name}>" for name in (*CONTAINERS.values(), "p", "pre", "table", "th", "td")}
CLOSINGS = {tag: f"</{name}>" for tag, name in CONTAINERS.items()}
PROSE = ("p", "blockquote")
FLOW = frozenset(("li", "dd", "blockquote", "details"))


def is_number(value: str) -> bool:
    """Whether the value of an attribute is a number of at most nine digits."""
    return value.removeprefix("-").isdecimal() and len(value) < 10


#: Attributes that are written, and what their value may be.
ATTRIBUTES = {
    "ol": (("start", is_number), ("reversed", {"", "reversed"}.__contains__), ("type", {*"1aAiI"}.__contains__)),
    "li": (("value", is_number),),
    "td": (("colspan", is_span), ("rowspan", is_span)),
    "th": (("colspan", is_span), ("rowspan", is_span)),
}


def body_html(page: Page, kept: Sequence[int]) -> str:
    """Renders the blocks of `page.blocks` with these indices (ascending), with the images between them."""
    return Writer(page, kept).html() if kept else ""


#: The written block elements around a line.
Containers = Path[int]
#: A part of the HTML: the written elements around it, its HTML, and the element that it is a line of (-1: none).
Piece = tuple[Containers | None, str, int]
#: What stands behind the last piece.
END: Piece = (None, "", -1)
#: The written elements around a block element and itself: block elements, inline ones.
Written = tuple[Containers | None, Markup | None]


class _Around(Inherited[Written]):
    def below(self, outside: Written, element: int) -> Written:
        around, markup = outside
        if (tag := self.tags[element]) in INLINE:
            return around, inside(self.blocks.nodes[element], markup)
        return (self.with_container(around, element), markup) if tag in CONTAINERS else outside

    def with_container(self, around: Containers | None, element: int) -> Containers | None:
        tag, last = self.tags[element], (self.tags[around.element] if around else "")
        if last in HEADINGS or (tag in HOLDERS_OF and last not in HOLDERS_OF[tag]):
            return around
        if tag not in LISTS or last not in LISTS:
            return Path(element, around)
        before = element - 1  # a list directly within a list belongs to the item before it
        while self.parents[before] > self.parents[element]:
            before = self.parents[before]
        item = self[before][0] if self.parents[before] == self.parents[element] else None
        item = item.above if item and self.tags[item.element] in LISTS else item
        return Path(element, item) if item and around and item.depth > around.depth else around


class Writer(Illustrated):
    """Writes the body as HTML."""

    def __init__(self, page: Page, kept: Sequence[int]) -> None:
        super().__init__(page, kept)
        self.inline = InlineWriter(self.blocks, self.base)
        top, root = self.parents[self.root], [self.root] * (self.tags[self.root] in INLINE)
        self.around = _Around(self.blocks, dict.fromkeys((top, *root), (None, None)))
        self.around_in_cells = _Around(self.blocks, {})
        self.in_cell: dict[int, list[str]] = {}  # images
        self.last_table = 0

    def html(self) -> str:
        figures = sorted(self.figures(), key=itemgetter(0))  # all before the tables, whose cells hold some
        return self.joined(_with_figures(figures, self.texts()), "\n")

    def texts(self) -> Iterator[tuple[float, Piece]]:
        """The lines, tables and code, each with the number of its block."""
        for grid, numbers in self.runs():
            if not grid:
                yield from self.lines(numbers)
                continue
            html = self.pre_html(grid, numbers) if self.tags[grid] == "pre" else self.table_html(grid, numbers)
            if html:
                yield numbers[0], self.block(self.parents[grid], html)

    def lines(self, numbers: Sequence[int]) -> Iterator[tuple[float, Piece]]:
        """Blocks as lines, those of one paragraph that a `br` divides as one."""
        last: tuple[float, Piece] | None = None
        further: list[str] = []  # lines of the last one's paragraph
        for number in numbers:
            piece = self.piece(number, self.around)
            if last and piece[1].endswith("</p>") and self.is_next_line(number):
                last = number, last[1]
                further.append(piece[1].removesuffix("</p>").partition(">")[2])
                continue
            if last:
                yield _with_lines(*last, further) if further else last
            last, further = (number, piece), []
        if last:
            yield _with_lines(*last, further) if further else last

    def is_next_line(self, number: int) -> bool:
        """Whether one `br` divides a block from the chosen one before it, in the same `p` or quotation."""
        element = self.elements[number]
        if number == 0 or self.elements[number - 1] != element or self.tags[element] not in PROSE:
            return False
        if (place := bisect_left(self.kept, number)) == 0 or self.kept[place - 1] != number - 1:
            return False
        breaks = 0
        for node in self.nodes_of(number)[0].preceding:
            if type(node) is Text and not node.data.isspace():
                return breaks == 1 and bool(node == self.nodes_of(number - 1)[-1])
            breaks += getattr(node, "tag", "") == "br"
            if breaks > 1 or getattr(node, "tag", "") == "img":
                return False
        return False

    def joined(self, pieces: Iterable[Piece], separator: str) -> str:
        """The pieces in the elements around them, on the outermost level with a separator between them."""
        out = StringIO()  # a list of as many strings would need ten times the memory
        begun: Containers | None = None
        closings: list[str] = []  # of what is open
        is_begun, held = False, -1  # the element that the last piece is a line of
        for around, html, line_of in chain(pieces, [END]):
            if around is begun is None and held == line_of == -1:  # a paragraph behind another
                out.write(separator + html if is_begun and html else html)
                is_begun = True
                continue
            ended, opened = Path.between(begun, around)
            for _ in range(ended):
                out.write(closings.pop())
            if html and around is begun and held == line_of >= 0:
                out.write("<br>")
            elif html and (held >= 0 if not ended else line_of >= 0 and not opened):
                out.write("\n")  # between a line and a list within its item
            elif html and is_begun and not closings:
                out.write(separator)
            for element in opened:
                closings.append(CLOSINGS[self.tags[element]])
                out.write(self.opening(CONTAINERS[self.tags[element]], element))
            out.write(html)
            is_begun, begun, held = True, around, line_of
        return out.getvalue()

    def piece(self, number: int, known: _Around, cell: int = -1) -> Piece:
        """A block as a line of its list item, term, heading or cell, or else as a paragraph."""
        element = self.elements[number]
        place = (
            self.parents[element] if self.tags[element] == "p" else element
        )  # paragraphs of a parent have the same around
        around, markup = known[place]
        html = self.inline.html(number, markup)
        holder = around.element if around else cell
        tag = self.tags[holder] if holder >= 0 else ""
        if tag in LINE_HOLDERS or holder == cell >= 0:
            return around, html, holder
        name = MEMBERS.get(tag, "p")
        return around, f"{self.opening(name, element)}{html}</{name}>", -1

    def block(self, element: int, html: str) -> Piece:
        """A figure, table or `pre` in an element, or in what is around it and may contain one."""
        around = self.around[element][0]
        while around and self.tags[around.element] not in FLOW:
            around = around.above
        return around, html, -1

    def opening(self, name: str, element: int) -> str:
        """The opening tag of an element, as what it is written, with its attributes."""
        node, attributes, tag = self.blocks.nodes[element], "", self.tags[element]
        if name != "p" and tag in ATTRIBUTES:
            for attribute, is_right in ATTRIBUTES[tag]:
                if (value := node.attr(attribute)) is not None and is_right(value):
                    attributes += f' {attribute}="{value}"'
        if name == "blockquote" and (source := absolute_url(node.attr("cite"), self.base)):
            attributes += f' cite="{escape(source)}"'
        if (direction := node.attr("dir")) and direction.lower() == "rtl":
            attributes += ' dir="rtl"'
        return f"<{name}{attributes}>" if attributes else OPENINGS[name]

    def pre_html(self, pre: int, numbers: Sequence[int]) -> str:
        parts = self.code(pre, numbers)
        around = self.inline.around((node for node, _, _ in parts), {self.blocks.nodes[pre]: None})
        inline = ((markup, lead, text) for markup, (_, lead, text) in zip(around, parts, strict=True))
        return f"{self.opening('pre', pre)}{self.inline.joined(inline)}</pre>" if parts else ""

    def table_html(self, table: int, numbers: Sequence[int]) -> str:
        out, in_head, parent = [self.opening("table", table)], False, self.parents[table]
        is_first, self.last_table = table != self.last_table, table  # a chosen caption divides a table
        if is_first and (captions := self.caption_html(parent if self.tags[parent] == "figure" else table)):
            out.append(f"<caption>{captions}</caption>")
        for row, cells in self.rows(table, numbers):
            if in_head != (is_head := self.tags[self.parents[row]] == "thead"):
                out.append("<thead>" if is_head else "</thead>")
                in_head = is_head
            out.append(f"<tr>{''.join(self.cell_html(cell, inner) for cell, inner in cells)}</tr>")
        return "".join(out) + ("</thead></table>" if in_head else "</table>")

    def cell_html(self, cell: int, numbers: Sequence[int]) -> str:
        name = self.tags[cell]
        self.around_in_cells.clear()  # a table may have hundreds of thousands of cells
        self.around_in_cells[cell] = None, self.around[self.parents[cell]][1]
        pieces = [self.piece(number, self.around_in_cells, cell) for number in numbers]
        inner = pieces[0][1] if len(pieces) == 1 and not pieces[0][0] else self.joined(pieces, "")
        inner = inner or escape_text(self.cell_text(cell, numbers))
        return f"{self.opening(name, cell)}{''.join(self.in_cell.get(cell, ()))}{inner}</{name}>"

    def figures(self) -> Iterator[tuple[float, Piece]]:
        """The images as figures, with a common caption in one, and their places between the numbers of the blocks.

        Those in cells go to `in_cell`.
        """
        for (before, wrapper), same in groupby(self.images(), key=lambda image: image[:2]):
            images = [*same]
            element, html = images[0].element, "".join(image.html for image in images)
            if grid := abs(self.roles[element].grid):
                cells = self.cells(grid)
                self.in_cell.setdefault(cells.around[element - cells.table], []).append(html)
                continue
            if wrapper >= 0 and (text := self.caption_html(wrapper)):
                html += f"<figcaption>{text}</figcaption>"
            yield before - 0.5, self.block(element, f"<figure>{html}</figure>")


def _with_figures(figures: Iterable[tuple[float, Piece]], texts: Iterable[tuple[float, Piece]]) -> Iterator[Piece]:
    """Figures and texts by their numbers, one at a time: a page may have hundreds of thousands of lines."""
    remaining = chain(figures, [(math.inf, END)])
    place, figure = next(remaining)
    for number, piece in texts:
        while place < number:
            yield figure
            place, figure = next(remaining)
        yield piece
    while place < math.inf:
        yield figure
        place, figure = next(remaining)


def _with_lines(number: float, piece: Piece, further: Sequence[str]) -> tuple[float, Piece]:
    """A paragraph with its further lines."""
    around, html, line_of = piece
    return number, (around, f"{html.removesuffix('</p>')}<br>{'<br>'.join(further)}</p>", line_of)
