"""The chosen blocks of a page as lines: a block is one, a row of a data table is one, and `pre` has its own.

Text and HTML of the body are read from these, so that they agree.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Container, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
from turbohtml import Element, Text

from newsextract.page import Page
from newsextract.page.walk import INVISIBLE, KINDS, SKIP, WORD, collapsed
from newsextract.parts.roles import CELLS, Roles
from newsextract.text import composed

#: How many columns or rows a cell may span.
#: Most columns of a cell that are told in the text.
MAX_SPAN = 12
#: White space of code: control characters and U+00A0 are spaces, invisible ones are left out.
CODE = dict.fromkeys((*range(9), *range(11, 32), *range(127, 161)), " ") | dict.fromkeys(map(ord, INVISIBLE))


class Cells(NamedTuple):
    """The cells of a table that are in no other cell.

    `table`: their table; `around`: for it and each block element within, the cell around it, or itself, 0 if none;
    `by_row`: each row with its cells; `begins`: the first block of each row or a later one; `ends`: one past the last
    block of each row or an earlier one.
    """

    table: int
    around: "array[int]"
    by_row: list[tuple[int, list[int]]]
    begins: list[int]
    ends: list[int]


class Place(NamedTuple):
    """The block element around an element, and whether a skipped element (or a page's end), `noscript` or a button is
    between them."""

    holder: Any
    is_skipped: bool
    in_noscript: bool
    in_button: bool


#: A text node of a `pre`, the line break before it, its text.
CodePart = tuple[Text, str, str]


def _codes(_page: Page) -> dict[tuple[int, ...], list[CodePart]]:
    """The parts of each `pre` with the numbers of its chosen blocks, as they are read."""
    return {}


def _tables(_page: Page) -> dict[int, Cells]:
    """The cells of each table, as they are read."""
    return {}


def body_text(page: Page, kept: Sequence[int]) -> str:
    """The lines of the blocks of `page.blocks` with these indices (ascending)."""
    body, texts = Structure(page, kept), page.blocks.texts
    lines: list[str] = []
    for grid, numbers in body.runs():
        if not grid:
            lines += map(texts.__getitem__, numbers)
        elif page.blocks.element_tags[grid] == "pre":
            lines += body.code_lines(grid, numbers)
        else:
            lines += body.row_lines(grid, numbers)
    return "\n".join(lines)


class Structure:
    """The chosen blocks of a page with the block elements (indices) around them."""

    def __init__(self, page: Page, kept: Sequence[int]) -> None:
        self.page, self.blocks, self.kept = page, page.blocks, kept
        self.tags, self.parents, self.elements = (
            page.blocks.element_tags,
            page.blocks.parent_list,
            page.blocks.element_list,
        )
        self.roles = page.view(Roles)
        self.tables = page.view(_tables)

    def runs(self) -> Iterator[tuple[int, list[int]]]:
        """The chosen blocks, neighbours together that stand in the same table or `pre` (0: in none)."""
        if {"pre", "table"}.isdisjoint(self.blocks.numbered_tags[1]):
            return iter(((0, [*self.kept]),))
        by_grid = groupby(self.kept, lambda number: max(0, self.roles[self.elements[number]].grid))
        return ((grid, [*numbers]) for grid, numbers in by_grid)

    def rows(self, table: int, numbers: Sequence[int]) -> Iterator[tuple[int, list[tuple[int, Sequence[int]]]]]:
        """The rows of a data table with these blocks, and those without text: the row, its cells with their blocks."""
        cells = self.cells(table)
        first, last, spans = numbers[0], numbers[-1] + 1, self.blocks.spans
        for row, inner in cells.by_row[bisect_left(cells.ends, first) : bisect_right(cells.begins, last)]:
            with_blocks = [(cell, self.within(cell, numbers)) for cell in inner]
            if any(blocks for _, blocks in with_blocks) or first <= spans[row, 0] == spans[row, 1] <= last:
                yield row, with_blocks

    def within(self, element: int, numbers: Sequence[int]) -> Sequence[int]:
        """Those of ascending numbers whose blocks are in an element."""
        begin, end = self.blocks.spans.item(element, 0), self.blocks.spans.item(element, 1)
        return numbers[bisect_left(numbers, begin) : bisect_left(numbers, end)] if begin < end else ()

    def cells(self, table: int) -> Cells:
        """The cells of a table; read once for text and HTML, and all runs of its blocks."""
        if table not in self.tables:
            self.tables[table] = self.read_cells(table)
        return self.tables[table]

    def read_cells(self, table: int) -> Cells:
        cells = array("i", [0])
        cells_of: dict[int, list[int]] = {}
        for element in range(table + 1, len(self.tags)):
            if (parent := self.parents[element]) < table:
                break
            cell = cells[parent - table]
            if not cell and self.tags[element] in CELLS:
                cell = element
                cells_of.setdefault(parent, []).append(element)
            cells.append(cell)
        spans = self.blocks.spans[[*cells_of]].reshape(-1, 2)
        begins, ends = np.minimum.accumulate(spans[::-1, 0])[::-1], np.maximum.accumulate(spans[:, 1])
        return Cells(table, cells, [*cells_of.items()], begins.tolist(), ends.tolist())

    def cell_text(self, cell: int, numbers: Sequence[int]) -> str:
        """The text of a cell; signs without a letter or digit aren't blocks, but a reader sees them."""
        if numbers:
            return " ".join(map(self.blocks.texts.__getitem__, numbers))
        text = collapsed(self.blocks.nodes[cell].text) if len(self.blocks.nodes[cell]) else ""
        return "" if WORD.search(text) else text

    def row_lines(self, table: int, numbers: Sequence[int]) -> Iterator[str]:
        """The rows as lines: cells separated by tabs, empty ones where a cell spans more columns or rows."""
        spanning: list[tuple[int, int, int]] = []  # first column, one past the last one, first row below the cell
        for number, (_, cells) in enumerate(self.rows(table, numbers)):
            from_above = deque(spanning)
            line: list[str] = []
            width = 0
            for cell, inner in cells:
                line += [""] * (width - 1)
                while from_above and from_above[0][0] <= len(line):
                    line += [""] * (from_above.popleft()[1] - len(line))
                width, height = self.span(cell, "colspan"), self.span(cell, "rowspan")
                if height > 1:
                    spanning.append((len(line), len(line) + width, number + height))
                line.append(self.cell_text(cell, inner))
            if spanning:
                spanning = sorted(each for each in spanning if each[2] > number + 1)
            if any(line):
                yield "\t".join(line)

    def span(self, cell: int, name: str) -> int:
        """How many columns or rows a cell spans."""
        value = self.blocks.nodes[cell].attr(name)
        return min(MAX_SPAN, int(value)) if value and is_span(value) else 1

    def code(self, pre: int, numbers: Sequence[int]) -> list[CodePart]:
        """The parts of a `pre`; read once for text and HTML."""
        known = self.page.view(_codes)
        if (key := (pre, *numbers)) not in known:
            known[key] = self.read_code(pre, numbers)
        return known[key]

    def read_code(self, pre: int, numbers: Sequence[int]) -> list[CodePart]:
        """The text nodes of a `pre` without those of blocks that weren't chosen, each with the line break before it and
        its text.
        """
        blocks, root = self.blocks, self.blocks.nodes[pre]
        foreign = {
            node for number in {*range(*blocks.spans[pre])}.difference(numbers) for node in self.nodes_of(number)
        }
        inner = {*blocks.nodes[pre : self.end(pre)]}
        places: dict[Any, Place] = {}
        parts: list[CodePart] = []
        holder, lead = root, ""
        for node in root.descendants:
            if type(node) is Element and node.tag == "br":
                lead += "\n"
            if type(node) is not Text or node in foreign or node in self.page.styled:
                continue
            element, *between = self.place_of(node.parent, inner, places)
            text = composed(node.data.translate(CODE))
            if any(between) or (element is not holder and not text.strip()):
                continue  # white space between lines that are block elements
            if element is not holder and parts and not lead and not parts[-1][2].endswith("\n"):
                lead = "\n"
            parts.append((node, lead, text))
            holder, lead = element, ""
        numerals = "".join(lead + text for _, lead, text in parts).split()
        is_gutter = len(numerals) > 1 and numerals == [*map(str, range(1, len(numerals) + 1))]
        return [] if is_gutter else parts

    def place_of(self, element: Any, holders: Container[Any], known: dict[Any, Place]) -> Place:
        """The first of `holders` around an element (or itself), and what is between; `known`: what was asked before."""
        path = []
        while element not in known and element not in holders and isinstance(element, Element):
            path.append(element)
            element = element.parent
        if (place := known.get(element)) is None:
            place = Place(element, not isinstance(element, Element) or self.is_skipped(element), False, False)
        for element in reversed(path):
            holder, is_skipped, in_noscript, in_button = place
            tag = element.tag
            is_skipped |= tag != "noscript" and self.is_skipped(element)
            known[element] = place = Place(
                holder, is_skipped, in_noscript or tag == "noscript", in_button or tag == "button"
            )
        return place

    def code_lines(self, pre: int, numbers: Sequence[int]) -> list[str]:
        """The lines of a `pre` with their indentation, without blank ones."""
        lines = "".join(lead + text for _, lead, text in self.code(pre, numbers)).split("\n")
        return [line.rstrip() for line in lines if not line.isspace() and line]

    def nodes_of(self, number: int) -> Sequence[Any]:
        """The text nodes of a block."""
        return self.blocks.text_nodes[number] or self.blocks.nodes[self.elements[number]].children

    def is_skipped(self, element: Element) -> bool:
        return self.page.styled.get(element, KINDS.get(element.tag)) == SKIP

    def end(self, element: int) -> int:
        """One past the last block element within one."""
        parents = self.parents
        return next((number for number in range(element + 1, len(parents)) if parents[number] < element), len(parents))


def is_span(value: str) -> bool:
    """Whether the value of an attribute is a number of columns or rows."""
    return value.isdecimal() and len(value) < 5 and value[0] != "0"
