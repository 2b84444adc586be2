"""The inside of each block as HTML: its text escaped, with its links and what is emphasised in it."""

import re
from collections.abc import Iterator, Sequence
from html import escape
from typing import Any
from urllib.parse import urljoin

import numpy as np
from turbohtml import Element, Text

from newsextract.page import Page
from newsextract.page.walk import BLOCK, BREAK, KINDS, SKIP, WORD, collapsed
from newsextract.urls import split_url

#: What inline tags are written as.
INLINE = {"em": "em", "i": "em", "cite": "em", "dfn": "em", "strong": "strong", "b": "strong"}
WRITTEN = frozenset(("a", *INLINE))
#: Addresses that need no library to be made absolute: with a host that is a plain name, and from the host's root.
PLAIN = re.compile(r"(https?://[a-z0-9][a-z0-9.-]*)(?:[/?#][!-~]*)?$")
ROOTED = re.compile(r"/(?![/\\])(?!.*/\.)[!-~]*$")


class Reader:
    """Cuts what is wanted of the page into the same blocks as `read_blocks`, keeping inline markup.

    At each block-level element the number of the block to come is known, so what holds no wanted one is passed over.
    """

    def __init__(self, page: Page, kept: Sequence[int], around: int) -> None:
        self.texts, self.base = page.blocks.texts, page.url or ""
        self.hidden = page.hidden
        self.wanted = frozenset(kept)
        spans, nodes = page.blocks.spans, page.blocks.nodes
        last = int(np.searchsorted(spans[:, 0], kept[-1], "right"))
        held = np.searchsorted(kept, spans[around:last])
        #: Each block-level element: whether it holds a wanted block, its first, and the one behind it.
        self.spans: dict[Element, tuple[bool, int, int]] = dict(
            zip(
                nodes[around:last],
                zip((held[:, 0] < held[:, 1]).tolist(), *spans[around:last].T.tolist(), strict=True),
                strict=True,
            )
        )
        self.root = nodes[around]
        self.found: dict[int, str] = {}
        self.open: list[Element] = []  # inline elements that are written
        self.run: list[tuple[str, Any]] = []  # text; or "" and the element that begins; or "/" and the one that ends
        self.number = self.spans[self.root][1]

    def read(self) -> dict[int, str]:
        """The inner HTML of each wanted block by its number."""
        stack: list[tuple[Iterator[Any], Element]] = []
        children: Iterator[Any] = iter(self.root)
        while True:
            for child in children:
                if type(child) is Text:
                    text = child.data
                    if self.run or not text.isspace():
                        self.run.append((text, None))
                elif self._enter(child):
                    stack.append((children, child))
                    children = iter(child)
                    break
            else:
                if not stack:
                    break
                children, child = stack.pop()
                self._leave(child)
        self._flush()
        return self.found

    def _enter(self, element: Element) -> bool:
        """Whether what an element holds is to be read."""
        kind = KINDS.get(element.tag, BLOCK)
        if kind == BLOCK:
            span = self.spans.get(element)
            if self.run and span is not None:
                self._flush()
            if span is None or not span[0]:  # hidden, or nothing that is wanted
                self.number = self.number if span is None else span[2]
                return False
            self.number = span[1]
            if self.open or span[2] - span[1] > 1 or next(element.iter_elements(WRITTEN), None) is not None:
                return True
            self.found[self.number] = escaped(self.texts[self.number])
            self.number += 1
            return False
        if kind == SKIP or element in self.hidden:
            return False
        if kind == BREAK:
            self._flush()
        elif element.tag in WRITTEN:
            self.open.append(element)
            self.run.append(("", element))
        return True

    def _leave(self, element: Element) -> None:
        if self.open and self.open[-1] is element:
            self.run.append(("/", self.open.pop()))
        if self.run and element in self.spans:
            self._flush()

    def _flush(self) -> None:
        """Ends a run; what is open is closed here and opened again in the next."""
        run = self.run
        for part, element in run:
            if element is None and WORD.search(part):
                if self.number in self.wanted:
                    self._keep(run)
                self.number += 1
                break
        self.run = [("", element) for element in self.open]

    def _keep(self, run: list[tuple[str, Any]]) -> None:
        text = self.texts[self.number]
        if any(element is not None for _, element in run):
            closing = [("/", element) for element in reversed(self.open)]
            self.found[self.number] = self._written([*run, *closing], text)
        else:
            self.found[self.number] = escaped(text)

    def _written(self, run: list[tuple[str, Any]], text: str) -> str:
        """The run with its white space as in `text`; markup around no text is left out."""
        out: list[str] = []
        position = 0
        begun: list[tuple[Any, str, str]] = []  # elements that begin here and have no text yet
        closings: list[tuple[Any, str]] = []
        for part, element in run:
            if element is None:
                if words := collapsed(part):
                    start = position + (text[position : position + 1] == " ")
                    end = start + len(words)
                    out += [text[position:start], *(opening for _, opening, _ in begun)]
                    out.append(escaped(text[start:end]))
                    closings += [(one, closing) for one, _, closing in begun]
                    begun.clear()
                    position = end
            elif not part:
                begun.append((element, *self._markup(element)))
            elif begun and begun[-1][0] is element:
                begun.pop()
            elif closings and closings[-1][0] is element:
                out.append(closings.pop()[1])
        return "".join(out)

    def _markup(self, element: Element) -> tuple[str, str]:
        if element.tag == "a":
            target = address(element.attr("href"), self.base)
            return (f'<a href="{escape(target)}">', "</a>") if target else ("", "")
        return f"<{INLINE[element.tag]}>", f"</{INLINE[element.tag]}>"


def escaped(text: str) -> str:
    return text if "&" not in text and "<" not in text and ">" not in text else escape(text, quote=False)


def address(href: str | None, base: str) -> str | None:
    """The absolute http(s) address of a link; None for any other."""
    href = href.strip() if href else ""
    if PLAIN.match(href):
        return href
    if ROOTED.match(href) and (origin := PLAIN.match(base)):
        return origin[1] + href
    try:
        target = urljoin(base, href) if href else ""
    except ValueError:
        return None
    parts = split_url(target)
    return None if parts is None or parts.username is not None else target
