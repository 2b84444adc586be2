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

from newsextract.page.paths import xpaths
from newsextract.page.walk import BREAK, INLINE, KINDS, LINK, SKIP, WORD, collapsed, hidden_elements

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

    `texts`: white space collapsed; `linked`: characters within links; `owners`: index into `elements` of the nearest
    block element; `elements`, `parents`: the page's block elements in document order and each one's parent (-1: none);
    `element_tags`, `element_classes`: their tags and class attributes; `markup`: (blocks, 5) links, images and all
    inline elements since the block before, and how many block elements began before its end, its characters; `spans`:
    (elements, 2) the blocks of each element's subtree, as first and one past last.
    """

    texts: list[str]
    linked: NDArray[np.int64]
    owners: NDArray[np.int64]
    elements: list[Any]
    parents: NDArray[np.int64]
    root: Any = field(repr=False, default=None)
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

    @cached_property
    def element_xpaths(self) -> list[str]:
        """The absolute XPath of each block element in the parsed page."""
        return xpaths(self.root, self.elements)

    @cached_property
    def xpaths(self) -> list[str]:
        """The XPath of each block's element."""
        return [self.element_xpaths[owner] for owner in self.owners]

    @cached_property
    def tag_paths(self) -> list[str]:
        """The tag names from the root to each block's element, as `html.body.div.p`."""
        return [re.sub(r"\[\d+\]", "", path).strip("/").replace("/", ".") for path in self.xpaths]


def read_blocks(body: Any) -> Blocks:
    """The blocks below an element."""
    if body is None:
        return Blocks([], _ints([]), _ints([]), [], _ints([]))
    found = _Found(body)
    found.read(body)
    return found.blocks()


class _Found:
    """What is found on the way, in lists as flat as can be, since every call and every append counts.

    `pieces`: the texts as they stand, END behind each run; `runs`: RUN values a run; `elements`: those at block level,
    each with its class, which is cheap to read on the way;
    `opened`: three values each, its parent and the length of `runs` when it began and when it ended.
    """

    def __init__(self, body: Any) -> None:
        self.pieces: list[str] = []
        self.runs: list[int] = []
        self.elements, self.opened = [body, body.get("class")], [-1, 0, 0]

    def read(self, body: Any) -> None:
        """The way of `Walk`, written out: calls to a visitor would double its cost."""
        hidden, steps, end, add = hidden_elements(body), STEPS.get, self.end, self.pieces.append
        runs, elements, opened = self.runs, self.elements, self.opened
        within = links = linked = seen = inline = 0  # `inline`: elements open since the last block-level one
        stack: list[tuple[Iterator[Any], Any, int]] = []
        children, text, begun = iter(body[:]), body.text, False  # `begun`: the run has text
        while True:
            if text and (begun or not text.isspace()):
                add(text)
                begun = True
                linked += len(text) if links else 0
            for child in children:
                step = steps(child.tag, 0)
                if step < 0 or (hidden and child in hidden):
                    if step == BROKEN:
                        begun, linked = begun and end(linked, within, seen), 0
                    text = child.tail
                    break
                text, below = child.text, child[:]
                seen += step
                if not step:
                    begun = begun and end(linked, within, seen)
                    within = self.open(stack, inline, within) if inline else within
                    elements += child, child.get("class")
                    opened += within, len(runs), 0
                    within, inline, linked = len(elements) // 2 - 1, 0, 0
                elif below:
                    inline, links = inline + 1, links + (step >= LINKED)
                else:  # what it holds and what follows are one text
                    linked += len(text) if step >= LINKED and text and not links else 0
                    tail = child.tail
                    if text := text + tail if text and tail else text or tail:
                        break
                    continue
                stack.append((children, child, step))
                children = iter(below)
                break
            else:
                if not stack:
                    break
                children, child, step = stack.pop()
                text = child.tail
                if step > 0:
                    inline, links = inline - 1, links - (step >= LINKED)
                    continue
                begun = begun and end(linked, within, seen)
                opened[3 * within + 2] = len(runs)
                within, inline, linked, links = opened[3 * within], 0, 0, links - (step == OPENED_LINK)
        begun = begun and end(linked, within, seen)

    def end(self, linked: int, within: int, seen: int) -> bool:
        """A run of text ends; False: the next has none yet."""
        self.runs += linked, within, seen, len(self.elements) // 2
        self.pieces.append(END)
        return False

    def open(self, stack: list[tuple[Iterator[Any], Any, int]], inline: int, within: int) -> int:
        """The open inline elements hold a block-level one: they are block level themselves."""
        for level in range(len(stack) - inline, len(stack)):
            children, holder, step = stack[level]
            stack[level] = children, holder, OPENED_LINK if step >= LINKED else OPENED
            self.elements += holder, holder.get("class")
            self.opened += within, len(self.runs), 0
            within = len(self.elements) // 2 - 1
        return within

    def blocks(self) -> Blocks:
        """The runs that hold a letter or digit, as columns."""
        self.opened[2] = len(self.runs)
        texts = [text.strip() for text in "".join(self.pieces).split(END)]
        texts.pop()
        texts = [text if text.isprintable() and "  " not in text else collapsed(text) for text in texts]
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
        elements, classes = self.elements[::2], self.elements[1::2]
        root, tags = elements[0].getroottree().getroot(), [element.tag for element in elements]
        return Blocks(texts, runs[:, 0], runs[:, 1], elements, parents, root, tags, classes, markup, spans)


def _ints(values: list[int]) -> NDArray[np.int64]:
    return np.array(values, np.int64)
