"""The page as a tag sequence with region codes, the representation that TSReC compares.

Y. Li, X. Meng, Q. Li, L. Wang. Hybrid Method for Automated News Content Extraction from the Web. WISE 2006.

TS = <N, RCb, RCe, RCp, RCl, C>: tag name; region codes of begin, end, parent and level; content. Only tags that break
the text flow begin a TS; inline tags and text are content of the open one. x contains y iff RCb(x) < RCb(y) and
RCe(y) < RCe(x). Codes count opening and closing tags from the outermost tag; parent 0 is none (the paper's Fig. 6:
(begin, end, parent, level) = (2, 25, 1, 2) below (1, 26, 0, 1)).
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from turbohtml import Element

from newsextract.page.page import Page
from newsextract.page.walk import Walk, collapsed

#: Tags that break the text flow: those of the paper's text and figure, and of HTML5. `tr`, `tbody`, `br` do not.
BREAKING = frozenset(
    """
    html body div p form td th h1 h2 h3 h4 h5 h6 ul ol li dl dt dd blockquote pre table section article header footer
    nav aside main figure figcaption address fieldset center details summary
    """.split()
)


class TagSequence:
    """The view `page.view(TagSequence)`. Columns, one row a breaking tag, in order of `begin`.

    `names`, `contents` (the text in C, white space collapsed), `inner` (C as a pattern: `#` a text run, `<a>` an inline
    tag), `linked` (characters of C within links); `begin`, `end`, `parent`, `level`: the region codes; `elements`.
    """

    def __init__(self, page: Page) -> None:
        builder = _TagSequenceBuilder()
        builder.enter(page.body.node, 0)
        builder.walk(page.body.node, page.styled)
        builder.leave(page.body.node, 0)
        rows = builder.rows
        self.names: list[str] = [row.element.tag for row in rows]
        self.contents = [row.content for row in rows]
        self.inner = [row.inner for row in rows]
        codes = [(row.linked, row.begin, row.end, row.parent, row.level) for row in rows]
        self.linked, self.begin, self.end, self.parent, self.level = np.array(codes, np.int64).reshape(-1, 5).T
        self.elements: list[Element] = [row.element for row in rows]

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def keys(self) -> list[int]:
        """One hash a row, equal where name and text are equal."""
        return [hash(pair) for pair in zip(self.names, self.contents, strict=True)]


@dataclass(slots=True)
class _Row:
    element: Element
    begin: int
    parent: int
    level: int
    end: int = 0
    linked: int = 0
    content: str = ""
    inner: str = ""


@dataclass(slots=True)
class _OpenRow:
    """A row whose tag isn't closed yet, with the parts of its content."""

    row: _Row
    texts: list[str] = field(default_factory=list)
    inner: list[str] = field(default_factory=list)


class _TagSequenceBuilder(Walk):
    def __init__(self) -> None:
        self.rows: list[_Row] = []
        self.open: list[_OpenRow] = []
        self.count = 0

    def enter(self, element: Element, kind: int) -> None:
        above = self.open[-1] if self.open else None
        if above is not None and element.tag not in BREAKING:
            above.inner.append(f"<{element.tag}>")
            if element.tag == "br":
                above.texts.append(" ")
            return
        self.count += 1
        parent, level = (0, 0) if above is None else (above.row.begin, above.row.level)
        self.rows.append(_Row(element, self.count, parent, level + 1))
        self.open.append(_OpenRow(self.rows[-1]))

    def leave(self, element: Element, kind: int) -> None:
        if element is self.open[-1].row.element:
            self.count += 1
            closed = self.open.pop()
            closed.row.end = self.count
            closed.row.content, closed.row.inner = collapsed("".join(closed.texts)), "".join(closed.inner)

    def text(self, text: str) -> None:
        if text.isspace():
            return
        current = self.open[-1]
        current.texts.append(text)
        if not current.inner or current.inner[-1] != "#":
            current.inner.append("#")
        if self.links:
            current.row.linked += len(text)
