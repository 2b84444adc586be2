"""The page as a sequence of text blocks in reading order: one for each paragraph, heading, table cell or list item.

A block is a maximal run of inline content (see `walk`); block-level tags, `hr` and every `br` end it. A run without a
letter or digit is no block. Stored as columns: a page has hundreds of blocks, and most methods need few columns.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress, repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray
from turbohtml import Element, Text
from turbohtml.etree import ElementView

from newsextract.page.walk import BREAK, INLINE, KINDS, LINK, SKIP, WORD, collapsed

#: Ends each run in `BlockBuilder.pieces`; no parsed text contains it.
END = "\0"
#: Values a run in `BlockBuilder.runs`: linked characters, block element, markup count and block elements so far.
RUN = 4
#: Three counters in one integer of 3 x 21 bits: inline elements in the lowest, images in the next, links in the
#: highest.
ONE_IMAGE, ONE_LINK = 1 << 21, 1 << 42
#: Tag -> what it adds to the counters; 0: a block element; negative: skipped, `br`, or (set while walking) an inline
#: element or link that contains a block element.
SKIPPED, BROKEN, OPENED, OPENED_LINK = -1, -2, -3, -4
STEPS = {tag: {SKIP: SKIPPED, BREAK: BROKEN, INLINE: 1, LINK: ONE_LINK + 1}[kind] for tag, kind in KINDS.items()}
STEPS |= {"img": ONE_IMAGE + 1}


@dataclass(frozen=True)
class Blocks:
    """Columns in reading order, one row a block (`texts`, `linked`, `owners`, `markup`) or one a block element.

    `texts`: white space collapsed; `linked`: characters within links; `owners`: index into `nodes` of the nearest block
    element; `markup`: (blocks, 5) links, images and inline elements since the block before, block elements begun before
    its end, its characters. `nodes`: the page's block elements in document order; `parents`: index of each one's parent
    (-1: none); `element_tags`, `element_classes`: tags and class attributes; `spans`: (elements, 2) the blocks of each
    element's subtree as first and one past last.
    """

    texts: list[str]
    linked: NDArray[np.int64]
    owners: NDArray[np.int64]
    nodes: list[Element] = field(repr=False)
    parents: NDArray[np.int64]
    element_tags: list[str] = field(default_factory=list)
    element_classes: list[str | None] = field(default_factory=list)
    markup: NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 5), np.int64))
    spans: NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 2), np.int64))

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Characters of each block."""
        return self.markup[:, 4]

    @cached_property
    def link_shares(self) -> NDArray[np.float64]:
        """Link density: share of each block's characters within links, 0 to 1."""
        return np.minimum(1.0, self.linked / np.maximum(1, self.lengths))

    @cached_property
    def owner_list(self) -> list[int]:
        """`owners` as a list: faster where single elements are looked up."""
        values: list[int] = self.owners.tolist()
        return values

    @cached_property
    def parent_list(self) -> list[int]:
        """`parents` as a list."""
        values: list[int] = self.parents.tolist()
        return values

    @cached_property
    def tags(self) -> list[str]:
        """The tag of each block's element."""
        return [*map(self.element_tags.__getitem__, self.owner_list)]

    def element(self, number: int) -> Any:
        """A block element with lxml's API, as in `Page.tree`."""
        return ElementView(self.nodes[number])

    @cached_property
    def element_ids(self) -> list[str | None]:
        """The id attribute of each block element."""
        return [*map(Element.attr, self.nodes, repeat("id"))]

    @cached_property
    def xpaths(self) -> list[str]:
        """The absolute XPath of each block's element in the parsed page."""
        of_elements = absolute_xpaths(self.nodes)
        return [of_elements[owner] for owner in self.owner_list]

    def markup_path(self, number: int) -> tuple[tuple[str, str | None], ...]:
        """Tag and class attribute of the elements from a block's own up to the root."""
        path, element = [], int(self.owners[number])
        while element >= 0:
            path.append((self.element_tags[element], self.element_classes[element]))
            element = int(self.parents[element])
        return tuple(path)


def read_blocks(body: Any, hidden: set[Element]) -> Blocks:
    """Read the blocks below an element, without its hidden elements."""
    if body is None:
        return Blocks([], _ints([]), _ints([]), [], _ints([]))
    builder = BlockBuilder(body.node)
    builder.read(hidden)
    return builder.blocks()


class BlockBuilder:
    """Collects runs of text and block elements in flat lists; this is the hot loop of every extraction.

    `pieces`: text nodes as in the source, END behind each run; `runs`: RUN values a run; `nodes`, `tags`, `parents`,
    `last`: one value a block element, the last one the runs until its end.
    """

    def __init__(self, body: Element) -> None:
        self.pieces: list[str] = []
        self.runs: list[int] = []
        self.nodes, self.tags, self.parents, self.last = [body], [body.tag], [-1], [0]

    def read(self, hidden: set[Element]) -> None:
        """Walk the tree as `Walk.walk` does; inlined, because visitor calls would double the cost, and without
        descending into an element that has no child or only a text."""
        steps, add = STEPS.get, self.pieces.append
        nodes, tags, parents, last = self.nodes, self.tags, self.parents, self.last
        within = links = linked = seen = inline = element = ended = 0  # `element`: the last one; `ended`: runs
        stack: list[tuple[Iterator[Any], Element, int]] = []
        begun = False  # whether the current run has text
        children: Iterator[Any] = iter(nodes[0].children)
        while True:
            for child in children:
                if type(child) is Text:
                    text = child.data
                    if begun or not text.isspace():
                        add(text)
                        begun = True
                        if links:
                            linked += len(text)
                    continue
                tag = child.tag
                step = steps(tag, 0)
                if step < 0 or (hidden and child in hidden):
                    if step == BROKEN:
                        if begun:
                            ended, begun = self.end(linked, within, seen, element), False
                        linked = 0
                    continue
                below = child.children
                is_leaf = not below or (len(below) == 1 and type(below[0]) is Text)
                if step:  # an inline element
                    seen += step
                    if is_leaf:
                        if below and (begun or not below[0].data.isspace()):
                            add(text := below[0].data)
                            begun = True
                            if links or step >= ONE_LINK:
                                linked += len(text)
                        continue
                    inline += 1
                    links += step >= ONE_LINK
                else:
                    if begun:
                        ended, begun = self.end(linked, within, seen, element), False
                    if inline:
                        within = element = self.open(stack, inline, within)
                        inline = 0
                    element += 1
                    linked = 0
                    nodes.append(child)
                    tags.append(tag)
                    parents.append(within)
                    if is_leaf:
                        if below and not (text := below[0].data).isspace():
                            add(text)
                            ended = self.end(len(text) if links else 0, element, seen, element)
                        last.append(ended)
                        continue
                    last.append(0)
                    within = element
                stack.append((children, child, step))
                children = iter(below)
                break
            else:
                if not stack:
                    break
                children, child, step = stack.pop()
                if step > 0:
                    inline -= 1
                    links -= step >= ONE_LINK
                    continue
                if begun:
                    ended, begun = self.end(linked, within, seen, element), False
                last[within] = ended
                within = parents[within]
                inline = linked = 0
                links -= step == OPENED_LINK
        if begun:
            ended = self.end(linked, within, seen, element)
        last[0] = ended

    def end(self, linked: int, within: int, seen: int, element: int) -> int:
        """End a run in the block element `within`, the last one being `element`; the number of runs so far."""
        self.runs += linked, within, seen, element + 1
        self.pieces.append(END)
        return len(self.runs) // RUN

    def open(self, stack: list[tuple[Iterator[Any], Element, int]], inline: int, within: int) -> int:
        """Make the open inline elements block elements, since a block element begins within them; the innermost's
        index."""
        for level in range(len(stack) - inline, len(stack)):
            children, holder, step = stack[level]
            stack[level] = children, holder, OPENED_LINK if step >= ONE_LINK else OPENED
            self.nodes.append(holder)
            self.tags.append(holder.tag)
            self.parents.append(within)
            self.last.append(0)
            within = len(self.nodes) - 1
        return within

    def blocks(self) -> Blocks:
        """The runs with a letter or digit, as columns."""
        raw_texts = [text.strip() for text in "".join(self.pieces).split(END)[:-1]]
        texts = [raw if raw.isprintable() and "  " not in raw else collapsed(raw) for raw in raw_texts]
        runs, last = _ints(self.runs).reshape(-1, RUN), _ints(self.last)
        kept = [text[:1].isalnum() or WORD.search(text) is not None for text in texts]
        if not all(kept):
            mask = np.array(kept)
            runs, texts = runs[mask], [*compress(texts, kept)]
            last = np.concatenate(([0], np.cumsum(mask)))[last]
        markup = np.empty((len(texts), 5), np.int64)
        seen = runs[:, 2].copy()
        seen[1:] -= runs[:-1, 2]
        markup[:, 0] = seen // ONE_LINK
        markup[:, 1] = seen % ONE_LINK // ONE_IMAGE
        markup[:, 2] = seen % ONE_IMAGE
        markup[:, 3] = runs[:, 3]
        markup[:, 4] = np.fromiter(map(len, texts), np.int64, len(texts))
        first = np.searchsorted(runs[:, 3], np.arange(len(last)), "right")
        spans = np.stack((first, last), 1)
        classes = [*map(Element.attr, self.nodes, repeat("class"))]
        return Blocks(texts, runs[:, 0], runs[:, 1], self.nodes, _ints(self.parents), self.tags, classes, markup, spans)


def absolute_xpaths(elements: Sequence[Element]) -> list[str]:
    """The absolute XPath of each element of a page, `name[n]` where siblings have the same name.

    In one pass over the tree: a call for each element would count its siblings anew each time.
    """
    if not elements:
        return []
    wanted = dict.fromkeys(elements)
    paths: dict[Element, str] = {}
    *_, root = elements[0], *(above for above in elements[0].ancestors if isinstance(above, Element))
    stack = [(root, f"/{root.tag}")]
    while stack:
        element, path = stack.pop()
        if element in wanted:
            paths[element] = path
        children = [child for child in element if isinstance(child, Element)]
        counts = Counter(child.tag for child in children)
        seen: Counter[str] = Counter()
        for child in children:
            seen[child.tag] += 1
            step = f"{child.tag}[{seen[child.tag]}]" if counts[child.tag] > 1 else child.tag
            stack.append((child, f"{path}/{step}"))
    return [paths[element] for element in elements]


def _ints(values: list[int]) -> NDArray[np.int64]:
    return np.fromiter(values, np.int64, len(values))
