"""The chosen blocks of a page as lines: a block is one, a row of a data table is one, and `pre` has its own.

Text and HTML of the body are read from these, so that they agree.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import groupby
from typing import Any, TypeVar

from turbohtml import Element, Text

from newsextract.page import Page
from newsextract.page.blocks import Blocks
from newsextract.page.walk import INVISIBLE, KINDS, SKIP, WORD, collapsed
from newsextract.text import composed

V = TypeVar("V")
CELLS = ("td", "th")
UNIT_TAGS = ("pre", "table", *CELLS)
#: How many columns or rows a cell may span.
SPAN = re.compile(r"[1-9]\d{0,3}")
#: A table without headings and with fewer cells, or with a cell of more characters (with headings), is layout.
MIN_CELLS, MAX_CELL, MAX_DECLARED_CELL = 4, 200, 1_000
#: Most columns of a cell that are told in the text.
MAX_SPAN = 12
#: Tags and class words of captions, which are never body text; tags of text even within a figure.
CAPTION_TAGS = frozenset({"figcaption", "figure", "caption"})
CAPTION_WORDS = tuple("caption photo-credit photocredit image-credit imagecredit bildunterschrift legende".split())
CONTENT_TAGS = frozenset({"pre", "code", "table", "blockquote", "ul", "ol", "dl"})
CAPTION_MATTERS = CAPTION_TAGS | CONTENT_TAGS
#: White space of code: control characters and U+00A0 are spaces, invisible ones are left out.
CODE = dict.fromkeys((*range(9), *range(11, 32), *range(127, 161)), " ") | dict.fromkeys(map(ord, INVISIBLE))


def body_text(page: Page, kept: Sequence[int]) -> str:
    """The lines of the blocks of `page.blocks` with these indices (ascending)."""
    body, texts = Structure(page, kept), page.blocks.texts
    lines: list[str] = []
    for unit, numbers in body.units():
        if not unit:
            lines += map(texts.__getitem__, numbers)
        elif page.blocks.element_tags[unit] == "pre":
            lines += body.code_lines(unit, numbers)
        else:
            lines += body.row_lines(unit, numbers)
    return "\n".join(lines)


class Structure:
    """The chosen blocks of a page with the block elements (indices) around them."""

    def __init__(self, page: Page, kept: Sequence[int] = ()) -> None:
        self.page, self.blocks, self.kept = page, page.blocks, kept
        self.tags, self.parents, self.owners = page.blocks.element_tags, page.blocks.parent_list, page.blocks.owner_list

    def units(self) -> Iterator[tuple[int, list[int]]]:
        """The chosen blocks, neighbours together that stand in the same table or `pre` (0: in none)."""
        if {"pre", "table"}.isdisjoint(self.blocks.numbered_tags[1]):
            return iter(((0, [*self.kept]),))
        by_unit = groupby(self.kept, lambda number: max(0, self.unit(self.owners[number])))
        return ((unit, [*numbers]) for unit, numbers in by_unit)

    def is_data(self, element: int) -> bool:
        """Whether a block element is in a cell of a data table, is one, or tells a term's value."""
        is_value = self.tags[element] == "dd" and not self.blocks.element_classes[element]
        return is_value or ((unit := self.unit(element)) > 0 and self.tags[unit] == "table")

    def unit(self, element: int) -> int:
        """The outermost `pre` or data table that holds a block element in it, or a cell of it, or is it; 0 if none,
        negative if the element is in the table but in no cell.
        """
        matters = self.tags[element] in UNIT_TAGS
        return inherited(self.blocks.units, self.parents, element, self.unit_below, matters=matters)

    def unit_below(self, unit: int, element: int) -> int:
        tag = self.tags[element]
        if unit < 0:
            return -unit if tag in CELLS else unit
        if not unit and tag == "table":
            return -element if _is_data_table(self.blocks.nodes[element]) else 0
        return element if not unit and tag == "pre" else unit

    def rows(self, table: int, numbers: Sequence[int]) -> list[tuple[int, list[tuple[int, list[int]]]]]:
        """The rows of a data table with these blocks, and those without text: the row, its cells with their blocks.

        Kept for the HTML, as the text comes first.
        """
        known = self.blocks.tables
        if table not in known or known[table][0] != numbers:
            known[table] = [*numbers], self._read_rows(table, numbers)
        return known[table][1]

    def _read_rows(self, table: int, numbers: Sequence[int]) -> list[tuple[int, list[tuple[int, list[int]]]]]:
        cells = {table: 0}  # block element -> the outermost cell around it, or itself
        blocks_of: dict[int, list[int]] = {}
        cells_of: dict[int, list[tuple[int, list[int]]]] = {}
        for element in range(table + 1, len(self.tags)):
            if (parent := self.parents[element]) < table:
                break
            cells[element] = cell = cells[parent]
            if not cell and self.tags[element] in CELLS:
                cells[element] = element
                cells_of.setdefault(parent, []).append((element, blocks_of.setdefault(element, [])))
        for number in numbers:
            blocks_of.setdefault(cells[self.owners[number]], []).append(number)
        first, last, spans = numbers[0], numbers[-1] + 1, self.blocks.spans
        return [
            (row, cells)
            for row, cells in cells_of.items()
            if any(inner for _, inner in cells) or first <= spans[row, 0] == spans[row, 1] <= last
        ]

    def cell_of(self, table: int, element: int) -> int:
        """The outermost cell of a table that contains an element or is it; 0 if none."""
        cell = 0
        while element > table:
            cell = element if self.tags[element] in CELLS else cell
            element = self.parents[element]
        return cell

    def cell_text(self, cell: int, numbers: Sequence[int]) -> str:
        """The text of a cell; signs without a letter or digit aren't blocks, but a reader sees them."""
        if numbers:
            return " ".join(map(self.blocks.texts.__getitem__, numbers))
        text = collapsed(self.blocks.nodes[cell].text) if len(self.blocks.nodes[cell]) else ""
        return "" if WORD.search(text) else text

    def row_lines(self, table: int, numbers: Sequence[int]) -> Iterator[str]:
        """The rows as lines: cells separated by tabs, empty ones where a cell spans more columns or rows."""
        below: dict[int, int] = {}  # column -> number of the first row below a cell that spans rows
        for number, (_, cells) in enumerate(self.rows(table, numbers)):
            line: list[str] = []
            width = 0
            for cell, inner in cells:
                line += [""] * (width - 1)
                while below.get(len(line), 0) > number:
                    line.append("")
                width, height = self.span(cell, "colspan"), self.span(cell, "rowspan")
                if width * height > 1 or below:
                    below |= dict.fromkeys(range(len(line), len(line) + width), number + height)
                line.append(self.cell_text(cell, inner))
            if any(line):
                yield "\t".join(line)

    def span(self, cell: int, name: str) -> int:
        """How many columns or rows a cell spans."""
        value = self.blocks.nodes[cell].attr(name)
        return min(MAX_SPAN, int(value)) if value and SPAN.fullmatch(value) else 1

    def code(self, pre: int, numbers: Sequence[int]) -> list[tuple[Text, str, str]]:
        """The text nodes of a `pre` without those of blocks that weren't chosen, each with the line break before it and
        its text.
        """
        blocks, root = self.blocks, self.blocks.nodes[pre]
        foreign = {
            node for number in {*range(*blocks.spans[pre])}.difference(numbers) for node in self.nodes_of(number)
        }
        inner = {*blocks.nodes[pre + 1 : self.end(pre)]}
        parts: list[tuple[Text, str, str]] = []
        holder, lead = root, ""
        for node in root.descendants:
            if type(node) is Element and node.tag == "br":
                lead += "\n"
            if type(node) is not Text or node in foreign or node in self.page.styled:
                continue
            element: Any = node.parent
            is_skipped = False
            while element is not root and element not in inner:
                is_skipped |= element.tag == "button" or self.is_skipped(element)
                element = element.parent
            text = composed(node.data.translate(CODE))
            if is_skipped or (element is not holder and not text.strip()):
                continue  # white space between lines that are block elements
            if element is not holder and parts and not lead and not parts[-1][2].endswith("\n"):
                lead = "\n"
            parts.append((node, lead, text))
            holder, lead = element, ""
        numerals = "".join(lead + text for _, lead, text in parts).split()
        is_gutter = len(numerals) > 1 and numerals == [*map(str, range(1, len(numerals) + 1))]
        return [] if is_gutter else parts

    def code_lines(self, pre: int, numbers: Sequence[int]) -> list[str]:
        """The lines of a `pre` with their indentation, without blank ones."""
        lines = "".join(lead + text for _, lead, text in self.code(pre, numbers)).split("\n")
        return [line.rstrip() for line in lines if not line.isspace() and line]

    def nodes_of(self, number: int) -> Sequence[Any]:
        """The text nodes of a block."""
        return self.blocks.text_nodes[number] or self.blocks.nodes[self.owners[number]].children

    def is_skipped(self, element: Element) -> bool:
        return self.page.styled.get(element, KINDS.get(element.tag)) == SKIP

    def end(self, element: int) -> int:
        """One past the last block element within one."""
        outside = (self.blocks.parents[element + 1 :] < element).nonzero()[0]
        return element + 1 + int(outside[0]) if len(outside) else len(self.tags)


def caption_of(blocks: Blocks, element: int) -> int | None:
    """The caption that a block element is or is in; None for text, even in a figure."""
    matters = _may_caption(blocks.element_tags[element], blocks.element_classes[element])
    return inherited(blocks.captions, blocks.parent_list, element, partial(_caption, blocks), matters=matters)


def _caption(blocks: Blocks, around: int | None, element: int) -> int | None:
    tag, name = blocks.element_tags[element], blocks.element_classes[element]
    if tag in CONTENT_TAGS:
        return None
    if not _may_caption(tag, name):
        return around
    figure = blocks.nodes[blocks.parent_list[element] if tag == "figcaption" else element]
    is_source = figure.tag == "figure" and next(figure.iter_elements("blockquote"), None) is not None
    return None if is_source else element  # of a quotation


def inherited(
    known: dict[int, V], parents: Sequence[int], element: int, below: Callable[[V, int], V], *, matters: bool
) -> V:
    """A value of a block element that depends on its parent's; `known`: values so far, some above it.

    `matters`: whether the element itself may change it; all paragraphs of a parent have the same.
    """
    if element not in known and not matters:
        element = parents[element]
    if element in known:
        return known[element]
    path = [element]
    while (element := parents[element]) not in known:
        path.append(element)
    value = known[element]
    for element in reversed(path):
        known[element] = value = below(value, element)
    return value


@lru_cache(maxsize=4_096)
def _may_caption(tag: str, name: str | None) -> bool:
    """Whether an element may begin or end a caption. Cached: the pages of a site have few tags with few classes."""
    return tag in CAPTION_MATTERS or (name is not None and any(map(name.lower().__contains__, CAPTION_WORDS)))


def _is_data_table(table: Element) -> bool:
    """Whether a table holds data rather than layout: with headings or MIN_CELLS cells, all of them short, none with a
    table (unless it has headings itself).
    """
    cells = [*table.iter_elements(CELLS)]
    own = (element for element in table.iter_elements(("th", "caption", "thead")) if element.closest("table") is table)
    is_declared = next(own, None) is not None
    if (table.attr("role") or "").lower() in ("presentation", "none") or not (is_declared or len(cells) >= MIN_CELLS):
        return False
    if not is_declared and next(table.iter_elements("table"), None) is not None:
        return False
    longest = MAX_DECLARED_CELL if is_declared else MAX_CELL
    return all(len(cell.text) <= longest for cell in cells[:500])
