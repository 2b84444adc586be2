"""The page as a sequence of text blocks in reading order: what a reader sees as one paragraph, heading, cell or item.

A block is a maximal run of inline content; block-level tags, `hr` and every `br` end it. A run without a letter or
digit is no block. Columns, not objects: a page has hundreds of blocks, and most readers want one column of them.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray
from turbohtml import Element, Text
from turbohtml.etree import ElementView

from newsextract.page.walk import BREAK, INLINE, KINDS, LINK, SKIP, WORD, collapsed
from newsextract.page.xpaths import xpaths

#: Ends a run of text: no parsed text holds it.
END = "\0"
#: Of each run: linked characters, its block element; the steps and block elements so far.
RUN = 4
#: What an inline element adds to the steps: one to the inline elements, in the lowest 21 bits; an image one in the
#: next, a link one in the highest. Zero: a block element; below: one that is skipped, `br`, an inline one that holds
#: a block element.
IMAGED, LINKED = 1 << 21, 1 << 42
SKIPPED, BROKEN, OPENED, OPENED_LINK = -1, -2, -3, -4
STEPS = {tag: {SKIP: SKIPPED, BREAK: BROKEN, INLINE: 1, LINK: LINKED + 1}[kind] for tag, kind in KINDS.items()}
STEPS |= {"img": IMAGED + 1}


@dataclass(frozen=True)
class Blocks:
    """Columns, one row a block, in reading order.

    `texts`: white space collapsed; `linked`: characters within links; `owners`: index into `nodes` of the nearest
    block element; `nodes`, `parents`: the page's block elements in document order and each one's parent (-1: none);
    `element_tags`, `element_classes`: their tags and class attributes; `markup`: (blocks, 5) links, images and all
    inline elements since the block before, and how many block elements began before its end, its characters; `spans`:
    (elements, 2) the blocks of each element's subtree, as first and one past last.
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
        """Share of each block's characters within links, 0 to 1."""
        return np.minimum(1.0, self.linked / np.maximum(1, self.lengths))

    @cached_property
    def tags(self) -> list[str]:
        """The tag of each block's element."""
        return [self.element_tags[owner] for owner in self.owners.tolist()]

    def element(self, number: int) -> Any:
        """A block element with the names of lxml's, as `Page.tree` has them."""
        return ElementView(self.nodes[number])

    @cached_property
    def element_ids(self) -> list[str | None]:
        """The id attribute of each block element."""
        return [node.attr("id") for node in self.nodes]

    @cached_property
    def element_xpaths(self) -> list[str]:
        """The absolute XPath of each block element in the parsed page."""
        return xpaths(self.nodes)

    @cached_property
    def xpaths(self) -> list[str]:
        """The XPath of each block's element."""
        return [self.element_xpaths[owner] for owner in self.owners]

    @cached_property
    def tag_paths(self) -> list[str]:
        """The tag names from the root to each block's element, as `html.body.div.p`."""
        return [re.sub(r"\[\d+\]", "", path).strip("/").replace("/", ".") for path in self.xpaths]


def read_blocks(body: Any, hidden: set[Element]) -> Blocks:
    """The blocks below an element, but for what is hidden."""
    if body is None:
        return Blocks([], _ints([]), _ints([]), [], _ints([]))
    found = _Found(body.node)
    found.read(body.node, hidden)
    return found.blocks()


class _Found:
    """What is found on the way, in lists as flat as can be, since every call and every append counts.

    `pieces`: the texts as they stand, END behind each run; `runs`: RUN values a run; `nodes`: the elements at block
    level, each with its tag and class; `opened`: three values each, its parent and the length of `runs` when it began
    and when it ended.
    """

    def __init__(self, body: Element) -> None:
        self.pieces: list[str] = []
        self.runs: list[int] = []
        self.nodes: list[Any] = [body, body.tag, body.attr("class")]
        self.opened = [-1, 0, 0]

    def read(self, body: Element, hidden: set[Element]) -> None:
        """The way of `Walk`, written out: calls to a visitor, and views of elements, would double its cost."""
        steps, end, add = STEPS.get, self.end, self.pieces.append
        runs, nodes, opened = self.runs, self.nodes, self.opened
        within = links = linked = seen = inline = last = 0  # `inline`: elements open since the last block-level one
        stack: list[tuple[Iterator[Any], Element, int]] = []
        begun = False  # whether the run has text
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
                    seen, inline, links = seen + step, inline + 1, links + (step >= LINKED)
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
                    inline, links = inline - 1, links - (step >= LINKED)
                    continue
                begun = begun and end(linked, within, seen, last)
                opened[3 * within + 2] = len(runs)
                within, inline, linked, links = opened[3 * within], 0, 0, links - (step == OPENED_LINK)
        begun = begun and end(linked, within, seen, last)

    def end(self, linked: int, within: int, seen: int, last: int) -> bool:
        """A run of text ends, `last` is the last element; False: the next run has no text yet."""
        self.runs += linked, within, seen, last + 1
        self.pieces.append(END)
        return False

    def open(self, stack: list[tuple[Iterator[Any], Element, int]], inline: int, within: int) -> int:
        """The open inline elements hold a block-level one: they are block level themselves."""
        for level in range(len(stack) - inline, len(stack)):
            children, holder, step = stack[level]
            stack[level] = children, holder, OPENED_LINK if step >= LINKED else OPENED
            self.nodes += holder, holder.tag, holder.attr("class")
            self.opened += within, len(self.runs), 0
            within = len(self.nodes) // 3 - 1
        return within

    def blocks(self) -> Blocks:
        """The runs that hold a letter or digit, as columns."""
        self.opened[2] = len(self.runs)
        found = "".join(self.pieces).split(END)[:-1]
        texts = [one if (one := raw.strip()).isprintable() and "  " not in one else collapsed(one) for raw in found]
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
        markup[:, 0] = seen // LINKED
        markup[:, 1] = seen % LINKED // IMAGED
        markup[:, 2] = seen % IMAGED
        markup[:, 3] = runs[:, 3]
        markup[:, 4] = list(map(len, texts))
        nodes, tags, classes = self.nodes[::3], self.nodes[1::3], self.nodes[2::3]
        return Blocks(texts, runs[:, 0], runs[:, 1], nodes, parents, tags, classes, markup, spans)


def _ints(values: list[int]) -> NDArray[np.int64]:
    return np.array(values, np.int64)
