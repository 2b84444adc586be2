"""The page as a sequence of text blocks in reading order: one for each paragraph, heading, table cell or list item.

A block is a maximal run of inline content (see `walk`); block-level tags, `hr` and every `br` end it. A run without a
letter or digit is no block. Stored as columns: a page has hundreds of blocks, and most methods need few columns.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress
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
    def tags(self) -> list[str]:
        """The tag of each block's element."""
        return [self.element_tags[owner] for owner in self.owners.tolist()]

    def element(self, number: int) -> Any:
        """A block element with lxml's API, as in `Page.tree`."""
        return ElementView(self.nodes[number])

    @cached_property
    def element_ids(self) -> list[str | None]:
        """The id attribute of each block element."""
        return [node.attr("id") for node in self.nodes]

    @cached_property
    def element_xpaths(self) -> list[str]:
        """The absolute XPath of each block element in the parsed page."""
        return absolute_xpaths(self.nodes)

    @cached_property
    def xpaths(self) -> list[str]:
        """The XPath of each block's element."""
        return [self.element_xpaths[owner] for owner in self.owners]

    @cached_property
    def tag_paths(self) -> list[str]:
        """The tag names from the root to each block's element, as `html.body.div.p`."""
        return [re.sub(r"\[\d+\]", "", path).strip("/").replace("/", ".") for path in self.xpaths]

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
    builder.read(body.node, hidden)
    return builder.blocks()


class BlockBuilder:
    """Collects runs of text and block elements in flat lists; this is the hot loop of every extraction.

    `pieces`: text nodes as in the source, END behind each run; `runs`: RUN values a run; `nodes`: three values a block
    element: element, tag, class; `opened`: three values a block element: its parent, the length of `runs` at its
    beginning and at its end.
    """

    def __init__(self, body: Element) -> None:
        self.pieces: list[str] = []
        self.runs: list[int] = []
        self.nodes: list[Any] = [body, body.tag, body.attr("class")]
        self.opened = [-1, 0, 0]

    def read(self, body: Element, hidden: set[Element]) -> None:
        """Walk the tree as `Walk.walk` does; inlined, because visitor calls would double the cost."""
        steps, end, add = STEPS.get, self.end, self.pieces.append
        runs, nodes, opened = self.runs, self.nodes, self.opened
        within = links = linked = seen = inline = last = 0  # `inline`: elements open since the last block element
        stack: list[tuple[Iterator[Any], Element, int]] = []
        begun = False  # whether the current run has text
        children: Iterator[Any] = iter(body)
        while True:
            for child in children:
                if type(child) is Text:
                    text = child.data
                    if begun or not text.isspace():
                        add(text)
                        begun = True
                        linked += len(text) if links else 0
                    continue
                tag = child.tag
                step = steps(tag, 0)
                if step < 0 or (hidden and child in hidden):
                    if step == BROKEN:
                        begun, linked = begun and end(linked, within, seen, last), 0
                    continue
                if step:
                    seen, inline, links = seen + step, inline + 1, links + (step >= ONE_LINK)
                else:
                    begun = begun and end(linked, within, seen, last)
                    if inline:
                        within = last = self.open(stack, inline, within)
                    nodes += child, tag, child.attr("class")
                    opened += within, len(runs), 0
                    within = last = last + 1
                    inline = linked = 0
                stack.append((children, child, step))
                children = iter(child)
                break
            else:
                if not stack:
                    break
                children, child, step = stack.pop()
                if step > 0:
                    inline, links = inline - 1, links - (step >= ONE_LINK)
                    continue
                begun = begun and end(linked, within, seen, last)
                opened[3 * within + 2] = len(runs)
                within, inline, linked, links = opened[3 * within], 0, 0, links - (step == OPENED_LINK)
        begun = begun and end(linked, within, seen, last)

    def end(self, linked: int, within: int, seen: int, last: int) -> bool:
        """End a run; `last` is the last block element. Returns False: the next run has no text yet."""
        self.runs += linked, within, seen, last + 1
        self.pieces.append(END)
        return False

    def open(self, stack: list[tuple[Iterator[Any], Element, int]], inline: int, within: int) -> int:
        """Make the open inline elements block elements, since a block element begins within them; the innermost's
        index."""
        for level in range(len(stack) - inline, len(stack)):
            children, holder, step = stack[level]
            stack[level] = children, holder, OPENED_LINK if step >= ONE_LINK else OPENED
            self.nodes += holder, holder.tag, holder.attr("class")
            self.opened += within, len(self.runs), 0
            within = len(self.nodes) // 3 - 1
        return within

    def blocks(self) -> Blocks:
        """The runs with a letter or digit, as columns."""
        self.opened[2] = len(self.runs)
        raw_texts = [text.strip() for text in "".join(self.pieces).split(END)[:-1]]
        texts = [raw if raw.isprintable() and "  " not in raw else collapsed(raw) for raw in raw_texts]
        runs = np.array(self.runs, np.int64).reshape(-1, RUN)
        opened = np.array(self.opened, np.int64).reshape(-1, 3)
        parents, spans = opened[:, 0].copy(), opened[:, 1:] // RUN
        kept = [text[:1].isalnum() or WORD.search(text) is not None for text in texts]
        if not all(kept):
            mask = np.array(kept)
            runs, texts = runs[mask], [*compress(texts, kept)]
            spans = np.concatenate(([0], np.cumsum(mask)))[spans]
        markup = np.empty((len(texts), 5), np.int64)
        seen = runs[:, 2].copy()
        seen[1:] -= runs[:-1, 2]
        markup[:, 0] = seen // ONE_LINK
        markup[:, 1] = seen % ONE_LINK // ONE_IMAGE
        markup[:, 2] = seen % ONE_IMAGE
        markup[:, 3] = runs[:, 3]
        markup[:, 4] = list(map(len, texts))
        nodes, tags, classes = self.nodes[::3], self.nodes[1::3], self.nodes[2::3]
        return Blocks(texts, runs[:, 0], runs[:, 1], nodes, parents, tags, classes, markup, spans)


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
    return np.array(values, np.int64)
