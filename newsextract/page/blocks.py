"""The page as a sequence of text blocks in reading order: one for each paragraph, heading, table cell or list item.

A block is a maximal run of inline content (see `walk`); block-level tags, `hr` and every `br` end it. A run without a
letter or digit isn't a block. Stored as columns: a page has hundreds of blocks, and most methods need few columns.
"""

from array import array
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress, repeat
from struct import pack
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from turbohtml import Element, Text
from turbohtml.etree import ElementView

from newsextract.page.walk import BLOCK, BREAK, INLINE, KINDS, LINK, SKIP, WORD, collapsed
from newsextract.text import composed

#: Values a run in `_Runs.runs`: linked characters, block element, markup count and block elements so far.
RUN = 4
#: Three counters in one integer of 3 x 21 bits: inline elements (lowest), images, links (highest).
ONE_IMAGE = 1 << 21
ONE_LINK = 1 << 42
#: Tag -> what it adds to the counters (1 for any other); 0: a block element; negative: skipped, `br`, or (set while
#: walking) an inline element or link that contains a block element.
SKIPPED, BROKEN, OPENED, OPENED_LINK = range(-1, -5, -1)
STEP = {BLOCK: 0, SKIP: SKIPPED, BREAK: BROKEN, INLINE: 1, LINK: ONE_LINK + 1}
STEPS = {tag: STEP[kind] for tag, kind in KINDS.items()}
STEPS |= {"img": ONE_IMAGE + 1, "button": ONE_LINK + 1}  # a button acts, as a link does

#: Share of a block's characters within links from which on it only leads elsewhere.
ONLY_LINKS = 0.8

#: A column of `Blocks`: half as large as with numpy's own integers.
Column = NDArray[np.int32]


@dataclass(frozen=True)
class Blocks:
    """Columns in reading order, one row a block (`texts`, `linked`, `elements`, `markup`, `text_nodes`) or one a block
    element.

    `texts`: white space collapsed; `linked`: characters within links; `elements`: index into `nodes` of the block
    element around it; `markup`: (blocks, 5) links, images and inline elements since the block before, block elements
    begun before its end, its characters; `text_nodes`: what it is made of, () for the only child of its block element.
    `nodes`: the page's block elements in document order; `parents`: index of each one's parent (-1: none);
    `element_tags`, `element_classes`: tags and class attributes; `spans`: (elements, 2) the blocks of each element's
    subtree as first and one past last.
    """

    texts: list[str]
    linked: Column
    elements: Column
    nodes: list[Element] = field(repr=False)
    parents: Column
    element_tags: list[str]
    element_classes: list[str | None]
    markup: Column
    spans: Column
    text_nodes: list[Sequence[Text]] = field(repr=False)

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def lengths(self) -> Column:
        """Characters of each block."""
        return self.markup[:, 4]

    @cached_property
    def link_shares(self) -> NDArray[np.float64]:
        """Link density: share of each block's characters within links, 0 to 1."""
        return np.minimum(1.0, self.linked / np.maximum(1, self.lengths))

    @cached_property
    def element_list(self) -> Sequence[int]:
        """`elements` as a sequence of Python's integers: faster where single elements are looked up."""
        return array("i", self.elements.tobytes())

    @cached_property
    def parent_list(self) -> Sequence[int]:
        return array("i", self.parents.tobytes())

    @cached_property
    def tags(self) -> list[str]:
        return [*map(self.element_tags.__getitem__, self.element_list)]

    def common_element(self, first: int, last: int) -> int:
        """The smallest block element with the blocks from one to another."""
        element = self.element_list[first]
        while element > 0 and self.spans.item(element, 1) <= last:
            element = self.parent_list[element]
        return element

    def element(self, number: int) -> ElementView:
        """A block element with lxml's API, as in `Page.tree`."""
        return ElementView(self.nodes[number])

    @cached_property
    def numbered_tags(self) -> tuple[Column, list[str]]:
        """A number for the tag of each block element, and the tags by their numbers."""
        numbers = Numbers()
        return numbers.of(self.element_tags), [*numbers]

    def has_tag(self, tags: Container[str]) -> NDArray[np.bool_]:
        """(elements,) which block elements have one of these tags."""
        numbers, names = self.numbered_tags
        return np.array([name in tags for name in names], bool).take(numbers)

    @cached_property
    def element_ids(self) -> dict[int, str | None]:
        """Number -> id of the elements below the outermost that have one: few do, so asking each would cost more."""
        with_id = {*self.nodes[0].select("[id]")}
        return {number: node.attr("id") for number, node in enumerate(self.nodes) if node in with_id}

    @cached_property
    def xpaths(self) -> list[str]:
        """The absolute XPath of each block's element in the parsed page."""
        return [self.nodes[element].xpath_path() for element in self.element_list]

    def path(self, number: int) -> Iterator[int]:
        """A block's element and those around it, up to the root."""
        element = self.element_list[number]
        while element >= 0:
            yield element
            element = self.parent_list[element]


class Numbers(dict[Any, int]):
    """Numbers keys from 0 in the order of their first look-up."""

    def __missing__(self, key: Any) -> int:
        self[key] = number = len(self)
        return number

    def of(self, keys: Sequence[Any]) -> Column:
        """(keys,) numbers, equal for equal keys."""
        return ints([*map(self.__getitem__, keys)]).astype(np.int32)


def read_blocks(body: ElementView, styled: Mapping[Any, int]) -> Blocks:
    """Read the blocks below an element, without hidden elements: the runs with a letter or digit, as columns."""
    found = _read_runs(body.node, styled)
    stripped = map(str.strip, found.texts)
    texts = [
        (text if text.isascii() else composed(text)) if text.isprintable() and "  " not in text else collapsed(text)
        for text in stripped
    ]
    runs, last, text_nodes = ints(found.runs).reshape(-1, RUN), ints(found.last) // RUN, found.text_nodes
    kept = [text[:1].isalnum() or WORD.search(text) is not None for text in texts]
    if not all(kept):
        mask = np.array(kept)
        runs, texts, text_nodes = runs[mask], [*compress(texts, kept)], [*compress(text_nodes, kept)]
        last = np.concatenate(([0], np.cumsum(mask)))[last]
    (linked, elements), seen, begun = runs.T[:2].astype(np.int32), runs[:, 2], runs[:, 3]
    markup = np.empty((len(texts), 5), np.int32)
    added = seen.copy()
    added[1:] -= seen[:-1]
    markup[:, 0] = added // ONE_LINK
    markup[:, 1] = added % ONE_LINK // ONE_IMAGE
    markup[:, 2] = added % ONE_IMAGE
    markup[:, 3] = begun
    markup[:, 4] = np.fromiter(map(len, texts), np.int32, len(texts))
    spans = np.empty((len(last), 2), np.int32)
    spans[:, 0] = begun.searchsorted(np.arange(len(last)), "right")
    spans[:, 1] = last
    nodes, parents = found.nodes, ints(found.parents).astype(np.int32)
    classes = [*map(Element.attr, nodes, repeat("class"))]
    names = dict[str, str]()
    tags = [*map(names.setdefault, found.tags, found.tags)]  # one string of each: the parser makes one of each element
    return Blocks(texts, linked, elements, nodes, parents, tags, classes, markup, spans, text_nodes)


class _Runs(NamedTuple):
    """Runs of text and block elements in flat lists.

    `texts`, `text_nodes`: one value a run, as those of `Blocks`, but texts as in the source; `runs`: RUN values a run;
    `nodes`, `tags`, `parents`, `last`: one value a block element, the last one RUN times the runs until its end.
    """

    texts: list[str]
    text_nodes: list[Sequence[Text]]
    runs: list[int]
    nodes: list[Element]
    tags: list[str]
    parents: list[int]
    last: list[int]


def _read_runs(root: Element, styled: Mapping[Any, int]) -> _Runs:
    """`Walk.walk` inlined: visitor calls would double the cost of this loop, the hottest of an extraction."""
    steps = STEPS.get
    texts: list[str] = []
    text_nodes: list[Sequence[Text]] = []
    runs: list[int] = []
    nodes, tags, parents, last = [root], [root.tag], [-1], [0]
    within = links = linked = seen = inline = 0  # `within`: the block element around; `inline`: inline ones in it
    parts: list[str] = []  # of the current run, and its text nodes
    part_nodes: list[Text] = []
    hidden = {node for node, kind in styled.items() if kind == SKIP}
    laid_out = {node: STEP[kind] for node, kind in styled.items() if kind != SKIP}
    holders = {node.parent for node in hidden}
    stack: list[tuple[Iterator[Any], Element, int]] = [(iter(()), root, 0)]
    children: Iterator[Any] = iter(_shown(root, hidden))  # of lists: three times as fast as `iter(element)`
    while stack:
        for child in children:
            if type(child) is Text:
                text = child.data
                if parts or not text.isspace():
                    parts.append(text)
                    part_nodes.append(child)
                    if links:
                        linked += len(text)
                continue
            tag = child.tag
            step = steps(tag, 1)
            if laid_out and child in laid_out:
                step = laid_out[child]
            if step == SKIPPED:
                continue
            count = len(child)
            if step > 0:  # an inline element
                if tag == "button" and child.attr("aria-expanded") is not None:
                    step = 1  # the heading of what it shows
                seen += step
                if not count:
                    continue
                if count == 1 and type(only := child[0]) is Text:
                    text = only.data
                    if parts or not text.isspace():
                        parts.append(text)
                        part_nodes.append(only)
                        if links or step >= ONE_LINK:
                            linked += len(text)
                    continue
                inline += 1
                if step >= ONE_LINK:
                    links += 1
            else:
                if parts:
                    runs += linked, within, seen, len(nodes)
                    texts.append("".join(parts))
                    text_nodes.append(tuple(part_nodes))
                    parts, part_nodes = [], []
                linked = 0
                if step == BROKEN:
                    continue
                if inline:
                    within = _open(stack, inline, within, nodes, tags, parents, last)
                    inline = 0
                nodes.append(child)
                tags.append(tag)
                parents.append(within)
                if not count:
                    last.append(len(runs))
                    continue
                if count == 1 and type(only := child[0]) is Text:
                    text = only.data
                    if not text.isspace():
                        runs += len(text) if links else 0, len(nodes) - 1, seen, len(nodes)
                        texts.append(text)
                        text_nodes.append(())
                    last.append(len(runs))
                    continue
                last.append(0)
                within = len(nodes) - 1
            stack.append((children, child, step))
            children = iter(_shown(child, hidden) if holders and child in holders else child.children)
            break
        else:
            children, child, step = stack.pop()
            if step > 0:
                inline -= 1
                if step >= ONE_LINK:
                    links -= 1
                continue
            if parts:
                runs += linked, within, seen, len(nodes)
                texts.append("".join(parts))
                text_nodes.append(tuple(part_nodes))
                parts, part_nodes = [], []
            last[within] = len(runs)
            within = parents[within]
            inline = linked = 0
            if step == OPENED_LINK:
                links -= 1
    return _Runs(texts, text_nodes, runs, nodes, tags, parents, last)


def _shown(element: Element, hidden: set[Any]) -> list[Any]:
    """The children of an element that aren't hidden."""
    return [child for child in element.children if child not in hidden]


def _open(
    stack: list[tuple[Iterator[Any], Element, int]],
    inline: int,
    within: int,
    nodes: list[Element],
    tags: list[str],
    parents: list[int],
    last: list[int],
) -> int:
    """Turns the open inline elements into block elements, as one begins within them; returns the innermost's index."""
    for level in range(len(stack) - inline, len(stack)):
        children, holder, step = stack[level]
        stack[level] = children, holder, OPENED_LINK if step >= ONE_LINK else OPENED
        nodes.append(holder)
        tags.append(holder.tag)
        parents.append(within)
        last.append(0)
        within = len(nodes) - 1
    return within


def ints(values: list[int]) -> NDArray[np.int64]:
    """The numbers as an array, read-only."""
    return np.frombuffer(pack(f"{len(values)}q", *values), np.int64)  # twice as fast as by `array` or `np.fromiter`
