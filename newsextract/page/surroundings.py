"""What is around the block elements of a page: captions, data tables and preformatted text."""

from functools import lru_cache
from typing import TypeVar

from turbohtml import Element

from newsextract.page.blocks import Blocks

V = TypeVar("V")
CELLS = ("td", "th")
#: A table without headings and with fewer cells, or with a cell of more characters (with headings), is layout.
MIN_CELLS, MAX_CELL, MAX_DECLARED_CELL = 4, 200, 1_000
#: Tags and class words of captions, which are never body text; tags of text even within a figure.
CAPTION_TAGS = frozenset({"figcaption", "figure", "caption"})
CAPTION_WORDS = tuple("caption photo-credit photocredit image-credit imagecredit bildunterschrift legende".split())
CONTENT_TAGS = frozenset({"pre", "code", "table", "blockquote", "ul", "ol", "dl"})
CAPTION_MATTERS = CAPTION_TAGS | CONTENT_TAGS


class Inherited(dict[int, V]):
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

    def below(self, around: V, element: int) -> V:
        """The value of an element, from its parent's."""
        raise NotImplementedError


class Captions(Inherited[int | None]):
    """The caption that a block element is or is in; None for text, even in a figure."""

    def below(self, around: int | None, element: int) -> int | None:
        tag = self.tags[element]
        if not _may_caption(tag, self.blocks.element_classes[element]):
            return around
        if tag in CONTENT_TAGS:
            return None
        figure = self.blocks.nodes[self.parents[element] if tag == "figcaption" else element]
        is_source = figure.tag == "figure" and next(figure.iter_elements("blockquote"), None) is not None
        return None if is_source else element  # of a quotation


class Units(Inherited[int]):
    """The outermost `pre` or data table that holds a block element in it, or a cell of it, or is it; 0 if none,
    negative if the element is in the table but in no cell. `rows`: those of tables, with the blocks they were read for.
    """

    def __init__(self, blocks: Blocks) -> None:
        super().__init__(blocks, {-1: 0, 0: 0})
        self.rows: dict[int, tuple[list[int], list[tuple[int, list[tuple[int, list[int]]]]]]] = {}

    def is_data(self, element: int) -> bool:
        """Whether a block element is in a cell of a data table, is one, or tells a term's value."""
        is_value = self.tags[element] == "dd" and not self.blocks.element_classes[element]
        return is_value or ((unit := self[element]) > 0 and self.tags[unit] == "table")

    def below(self, around: int, element: int) -> int:
        tag = self.tags[element]
        if around < 0:
            return -around if tag in CELLS else around
        if not around and tag == "table":
            return -element if _is_data_table(self.blocks.nodes[element]) else 0
        return element if not around and tag == "pre" else around


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
