"""The page as lines of markup, for the methods that weigh text against tags line by line (CETR and its kin).

The lines of the source are meaningless if the HTML is minified. Here, each block-level tag and `br` begins or ends a
line: `<p>some <b>text</b></p>` is one line of four tags, a `</div>` after it a line of one tag without text.
"""

import numpy as np
from turbohtml import Element

from newsextract.page.page import Page
from newsextract.page.walk import BLOCK, BREAK, VOID, WORD, Walk, closes_block, collapsed


class Lines:
    """The view `page.view(Lines)`. Columns, one row a line.

    `texts`: without tags, white space collapsed; `tags`: opening and closing tags in the line; `linked`: characters
    within links; `blocks`: index into `page.blocks`, -1 where the line has no letter or digit.
    """

    def __init__(self, page: Page) -> None:
        builder = _LineBuilder()
        builder.walk(page.body.node, page.styled)
        builder.flush()
        texts, tags, linked, blocks = zip(*builder.rows, strict=True) if builder.rows else ((),) * 4
        self.texts: list[str] = [*texts]
        self.tags, self.linked, self.blocks = (np.array(column, np.int64) for column in (tags, linked, blocks))

    def __len__(self) -> int:
        return len(self.texts)


class _LineBuilder(Walk):
    def __init__(self) -> None:
        self.rows: list[tuple[str, int, int, int]] = []
        self.run: list[str] = []
        self.tags = self.linked = self.blocks = 0

    def flush(self) -> None:
        text = collapsed("".join(self.run))
        is_block = WORD.search(text) is not None
        if self.tags or text:
            self.rows.append((text, self.tags, self.linked, self.blocks if is_block else -1))
        self.blocks += is_block
        self.run.clear()
        self.tags = self.linked = 0

    def enter(self, element: Element, kind: int) -> None:
        if kind in (BLOCK, BREAK):
            self.flush()
        self.tags += 1

    def leave(self, element: Element, kind: int) -> None:
        self.tags += element.tag not in VOID
        if closes_block(kind):
            self.flush()

    def opened(self, element: Element) -> None:
        self.flush()

    def text(self, text: str) -> None:
        if self.run or not text.isspace():
            self.run.append(text)
            self.linked += len(text) if self.links else 0
