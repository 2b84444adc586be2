"""The page as a tag sequence with region codes, the representation that TSReC compares.

Y. Li, X. Meng, Q. Li, L. Wang. Hybrid Method for Automated News Content Extraction from the Web. WISE 2006.

TS = <N, RCb, RCe, RCp, RCl, C>: tag name; region codes of begin, end, parent and level; content. Only tags that break
the text flow begin a TS; inline tags and text are content of the open one. x contains y iff RCb(x) < RCb(y) and
RCe(y) < RCe(x). Codes count opening and closing tags from the outermost tag; parent 0 is none (the paper's Fig. 6:
(begin, end, parent, level) = (2, 25, 1, 2) below (1, 26, 0, 1)).
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from turbohtml import Element

from newsextract.page.walk import Walk, collapsed

#: Tags that break the text flow: those of the paper's text and figure, and of HTML5. `tr`, `tbody`, `br` do not.
BREAKING = frozenset(
    """
    html body div p form td th h1 h2 h3 h4 h5 h6 ul ol li dl dt dd blockquote pre table section article header footer
    nav aside main figure figcaption address fieldset center details summary
    """.split()
)


@dataclass(frozen=True)
class TagSequence:
    """Columns, one row a breaking tag, in order of `begin`.

    `names`, `contents` (the text in C, white space collapsed), `inner` (C as a pattern: `#` a text run, `<a>` an inline
    tag), `linked` (characters of C within links); `begin`, `end`, `parent`, `level`: the region codes; `elements`.
    """

    names: list[str]
    contents: list[str]
    inner: list[str]
    linked: NDArray[np.int64]
    begin: NDArray[np.int64]
    end: NDArray[np.int64]
    parent: NDArray[np.int64]
    level: NDArray[np.int64]
    elements: list[Element]

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def keys(self) -> list[int]:
        """One hash a row, equal where name and text are equal."""
        return [hash(pair) for pair in zip(self.names, self.contents, strict=True)]


def read_tag_sequence(body: Any, hidden: set[Element]) -> TagSequence:
    """Read the tag sequence of an element's subtree, without script and its hidden elements."""
    if body is None:
        empty = _ints([])
        return TagSequence([], [], [], empty, empty, empty, empty, empty, [])
    builder = _TagSequenceBuilder()
    builder.enter(body.node, 0)
    builder.walk(body.node, hidden)
    builder.leave(body.node, 0)
    return TagSequence(
        [element.tag for element in builder.elements],
        [collapsed("".join(parts)) for parts in builder.texts],
        ["".join(parts) for parts in builder.inner],
        _ints(builder.linked),
        _ints(builder.begin),
        _ints(builder.end),
        _ints(builder.parent),
        _ints(builder.level),
        builder.elements,
    )


class _TagSequenceBuilder(Walk):
    def __init__(self) -> None:
        self.elements: list[Element] = []
        self.texts: list[list[str]] = []
        self.inner: list[list[str]] = []
        self.linked: list[int] = []
        self.begin: list[int] = []
        self.end: list[int] = []
        self.parent: list[int] = []
        self.level: list[int] = []
        self.rows: list[int] = []  # the open rows
        self.count = 0

    def enter(self, element: Element, kind: int) -> None:
        if self.rows and element.tag not in BREAKING:
            self.inner[self.rows[-1]].append(f"<{element.tag}>")
            if element.tag == "br":
                self.texts[self.rows[-1]].append(" ")
            return
        self.count += 1
        above = self.rows[-1] if self.rows else None
        self.parent.append(0 if above is None else self.begin[above])
        self.level.append(1 if above is None else self.level[above] + 1)
        self.begin.append(self.count)
        self.end.append(0)
        self.rows.append(len(self.elements))
        self.elements.append(element)
        self.texts.append([])
        self.inner.append([])
        self.linked.append(0)

    def leave(self, element: Element, kind: int) -> None:
        if element is self.elements[self.rows[-1]]:
            self.count += 1
            self.end[self.rows.pop()] = self.count

    def text(self, text: str) -> None:
        if text.isspace():
            return
        row = self.rows[-1]
        self.texts[row].append(text)
        if not self.inner[row] or self.inner[row][-1] != "#":
            self.inner[row].append("#")
        if self.links:
            self.linked[row] += len(text)


def _ints(values: list[int]) -> NDArray[np.int64]:
    return np.array(values, np.int64)
