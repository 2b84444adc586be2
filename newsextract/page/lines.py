"""The page as lines of markup, for the methods that weigh text against tags line by line (CETR and its kin).

A page's own lines say nothing where its HTML is minified. So a line here begins at each block-level tag and `br` and
ends with it: `<p>some <b>text</b></p>` is one line of four tags, `</div>` behind it one of one tag and no text.
`literal_lines` keeps the source's own lines, as the papers did.
"""

import re
from dataclasses import dataclass
from html import unescape
from typing import Any

import numpy as np
from numpy.typing import NDArray
from turbohtml import Element

from newsextract.page.walk import BLOCK, BREAK, VOID, WORD, Walk, closes_block, collapsed

DROPPED = re.compile(r"<(script|style|noscript|template)\b.*?</\1\s*>|<!--.*?-->|<[!?][^>]*>", re.S | re.I)
TAG = re.compile(r"<[^<>]*>")


@dataclass(frozen=True)
class Lines:
    """Columns, one row a line: `texts` without tags, white space collapsed; `tags`: openings and closings in it;
    `linked`: characters within links; `blocks`: its block in `page.blocks`, -1 where it is none."""

    texts: list[str]
    tags: NDArray[np.int64]
    linked: NDArray[np.int64]
    blocks: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.texts)


def read_lines(body: Any, hidden: set[Element]) -> Lines:
    """The lines below an element, but for what is hidden."""
    if body is None:
        return _columns([])
    reader = _Reader()
    reader.below(body.node, hidden)
    reader.flush()
    return _columns(reader.rows)


class _Reader(Walk):
    def __init__(self) -> None:
        self.rows: list[tuple[str, int, int, int]] = []
        self.run: list[str] = []
        self.tags = self.linked = self.blocks = 0

    def flush(self) -> None:
        if not self.run:
            if self.tags:
                self.rows.append(("", self.tags, 0, -1))
                self.tags = 0
            return
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


def literal_lines(source: str) -> Lines:
    """The source's own lines. A `>` before any `<` closes a tag that an earlier line began, and counts as one tag."""
    rows = []
    for raw in DROPPED.sub("", source).splitlines():
        close, opening = raw.find(">"), raw.find("<")
        begun = close >= 0 and not 0 <= opening < close
        line = raw[close + 1 :] if begun else raw
        whole = line[: line.rfind("<")] if line.rfind("<") > line.rfind(">") else line
        rows.append((" ".join(unescape(TAG.sub("", whole)).split()), line.count("<") + begun, 0, -1))
    return _columns(rows)


def _columns(rows: list[tuple[str, int, int, int]]) -> Lines:
    texts, tags, linked, blocks = zip(*rows, strict=True) if rows else ((),) * 4
    return Lines(list(texts), *(np.array(column, np.int64) for column in (tags, linked, blocks)))
