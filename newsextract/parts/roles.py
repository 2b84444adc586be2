"""The role of block elements, which they inherit: text, caption, cell of a data table, preformatted text."""

from abc import ABC, abstractmethod
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from turbohtml import Element

from newsextract.page import Page
from newsextract.page.blocks import Blocks
from newsextract.page.class_names import BITS, mask_of
from newsextract.page.walk import beginning_of, holders_of
from newsextract.text import LONGEST_LINE

V = TypeVar("V")
CELLS = ("td", "th")
#: A table without headings and with fewer cells, or with a cell of more characters (with headings), is layout.
MIN_CELLS = 4
MAX_DECLARED_CELL = 1_000
#: So many cells of a table are read.
MAX_CELLS = 500
#: Tags and classes of captions, which are never body text; tags of text even within a figure.
CAPTION_TAGS = frozenset({"figcaption", "figure", "caption"})
CAPTION = BITS["captions"]["caption"]
CONTENT_TAGS = frozenset({"pre", "code", "table", "blockquote", "ul", "ol", "dl"})
#: Tags of elements that have another role than their parent, whatever their class.
MATTERING_TAGS = CAPTION_TAGS | CONTENT_TAGS | {*CELLS}


class Inherited(dict[int, V], ABC):
    """A value of each block element that depends on its parent's, computed on first use; `known`: the outermost."""

    def __init__(self, blocks: Blocks, known: dict[int, V]) -> None:
        super().__init__(known)
        self.blocks, self.parents, self.tags = blocks, blocks.parent_list, blocks.element_tags

    def __missing__(self, element: int) -> V:
        path = [element]
        while (above := self.parents[path[-1]]) not in self:
            path.append(above)
        value = self[above]
        for element in reversed(path):
            self[element] = value = self.below(value, element)
        return value

    @abstractmethod
    def below(self, around: V, element: int) -> V:
        """The value of an element, from its parent's."""


class Role(NamedTuple):
    """What a block element is, or is in.

    `caption`: the element that is one, None for text, even in a figure; `grid`: the outermost `pre` or data table of
    whose cells one holds the element, 0 if none, negative if the element is in the table but in no cell.
    """

    caption: int | None
    grid: int


class Roles(Inherited[Role]):
    """The view `page.view(Roles)`: the roles of a page's block elements."""

    def __init__(self, page: Page) -> None:
        super().__init__(page.blocks, {-1: Role(None, 0)})

    def is_data(self, element: int) -> bool:
        """Whether a block element is in a cell of a data table, is one, or tells a term's value."""
        is_value = self.tags[element] == "dd" and not self.blocks.element_classes[element]
        return is_value or ((grid := self[element].grid) > 0 and self.tags[grid] == "table")

    def below(self, around: Role, element: int) -> Role:
        tag, name = self.tags[element], self.blocks.element_classes[element]
        caption, grid = around
        if tag in CONTENT_TAGS:
            caption = None
        elif tag in CAPTION_TAGS or mask_of(name) & CAPTION:
            caption = None if self._is_quotation(element) else element
        elif tag not in CELLS:
            return around
        return Role(caption, self._grid(grid, element))

    def _is_quotation(self, caption: int) -> bool:
        """Whether a figure, or the one that an element is the `figcaption` of, is a quotation with its source."""
        figure = self.blocks.nodes[self.parents[caption] if self.tags[caption] == "figcaption" else caption]
        return figure.tag == "figure" and figure in self._quoting

    @cached_property
    def _quoting(self) -> set[Any]:
        """What holds a quotation."""
        return holders_of(self.blocks.nodes[0].iter_elements("blockquote"))

    @cached_property
    def _declared(self) -> set[Any]:
        """The tables with headings or a caption of their own."""
        return {element.closest("table") for element in self.blocks.nodes[0].iter_elements(("th", "caption", "thead"))}

    @cached_property
    def _outer(self) -> set[Any]:
        """The tables that hold tables, and what else does."""
        return holders_of(table.parent for table in self.blocks.nodes[0].iter_elements("table"))

    def _grid(self, around: int, element: int) -> int:
        tag = self.tags[element]
        if around < 0:
            return -around if tag in CELLS else around
        if not around and tag == "table":
            return -element if self._is_data_table(self.blocks.nodes[element]) else 0
        return element if not around and tag == "pre" else around

    def _is_data_table(self, table: Element) -> bool:
        """Whether a table holds data rather than layout: with headings or MIN_CELLS cells, all of them short, none with
        a table (unless it has headings itself).
        """
        is_declared = table in self._declared
        if (table.attr("role") or "").lower() in ("presentation", "none") or (not is_declared and table in self._outer):
            return False
        cells = [*islice(table.iter_elements(CELLS), MAX_CELLS)]
        longest = MAX_DECLARED_CELL if is_declared else LONGEST_LINE
        are_short = all(len(beginning_of(cell, longest + 1)) <= longest for cell in cells)
        return are_short and (is_declared or len(cells) >= MIN_CELLS)
