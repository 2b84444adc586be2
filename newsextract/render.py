"""The article's body as clean HTML: the selected blocks with their structure and inline markup, safe to show.

Only p, h2-h6, ul/ol/li, blockquote, pre, table/tr/td/th, `a` with an absolute http(s) href, em, strong, br, and figure
with img and figcaption are written; all text is escaped; no other element or attribute passes. Without its figures, the
text of the HTML is the body's text, line by line. Which blocks are the body is decided elsewhere (`article.body_rows`).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from typing import Any
from urllib.parse import urljoin

import numpy as np
from turbohtml import Element, Text

from newsextract.page import Page
from newsextract.page.blocks import Blocks
from newsextract.page.walk import BLOCK, BREAK, KINDS, SKIP, WORD, collapsed
from newsextract.urls import split_url

HEADINGS = {"h1": "h2", "h2": "h2", "h3": "h3", "h4": "h4", "h5": "h5", "h6": "h6"}
#: Ancestors whose structure a block keeps, the nearest wins.
STRUCTURAL_TAGS = frozenset(("li", "blockquote", "pre", "td", "th", *HEADINGS))
#: A table with fewer cells, or with a cell of more characters, is layout, not data.
MIN_CELLS, MAX_CELL = 4, 200
#: Attributes with an image's address; those for lazy loading come first, since `src` then is a placeholder.
IMAGE_SOURCES = ("data-src", "data-original", "data-lazy-src", "src")
#: How inline elements are written; others are left out, their text stays.
EMPHASIS = {"em": "em", "i": "em", "cite": "em", "dfn": "em", "strong": "strong", "b": "strong"}
WRITTEN_INLINE = frozenset(("a", *EMPHASIS))
#: Addresses that need no urljoin: an absolute one with a plain host name, and one from the host's root.
ABSOLUTE_URL = re.compile(r"(https?://[a-z0-9][a-z0-9.-]*)(?:[/?#][!-~]*)?$")
ROOT_RELATIVE_URL = re.compile(r"/(?![/\\])(?!.*/\.)[!-~]*$")


def body_html(page: Page, kept: Sequence[int]) -> str:
    """Render the blocks of `page.blocks` with these indices (ascending), with the figures between them."""
    if page.body is None or not kept:
        return ""
    blocks = page.blocks
    root = _common_ancestor(blocks, kept[0], kept[-1])
    inner = InlineReader(page, kept, root).read()
    structure = _Structure(blocks)
    pieces = [(number, 1, structure.piece(number, html)) for number, html in inner.items()]
    shown: set[str] = set()  # of nested figures the same image is shown once
    for number, element in _figures(blocks, root, kept[0], kept[-1]):
        if (figure := _figure_html(element, page.url or "")) and figure not in shown:
            shown.add(figure)
            pieces.append((number, 0, Piece(figure, "figure")))
    pieces.sort(key=lambda piece: piece[:2])
    groups = groupby(enumerate(piece for *_, piece in pieces), key=_container)
    return "\n".join(_group_html([piece for _, piece in members], blocks.element_tags) for _, members in groups)


@dataclass(slots=True)
class Piece:
    """One block as HTML, with the block elements (indices, -1: none) that determine its structure.

    `html`: its inner HTML; `form`: its tag; `element`: the element of that form; `container`: what joins it with its
    neighbours (list, table, blockquote); `row`: its table row.
    """

    html: str
    form: str = "p"
    element: int = -1
    container: int = -1
    row: int = -1


def _container(numbered: tuple[int, Piece]) -> tuple[int, int]:
    """Grouping key: neighbours in one container are written together, all other pieces alone."""
    position, piece = numbered
    return (piece.container, 0) if piece.container >= 0 else (-1, position)


def _common_ancestor(blocks: Blocks, first: int, last: int) -> int:
    """The smallest block element that contains both blocks; the rest of the page need not be walked."""
    element = int(blocks.owners[first])
    while element > 0 and blocks.spans[element][1] <= last:
        element = int(blocks.parents[element])
    return element


class _Structure:
    """The form of each block, from the block elements it stands in."""

    def __init__(self, blocks: Blocks) -> None:
        self.blocks = blocks
        self.tags, self.parents, self.owners = blocks.element_tags, blocks.parents.tolist(), blocks.owners.tolist()
        self.is_data: dict[int, bool] = {}  # by table
        self.form_above: dict[int, int] = {}  # by parent: paragraphs of one parent have one form

    def piece(self, number: int, html: str) -> Piece:
        """The block with this index and inner HTML as a piece."""
        own = self.owners[number]
        element = own if self.tags[own] in STRUCTURAL_TAGS else self._form_above(self.parents[own])
        if element <= 0:
            return Piece(html)
        tag = self.tags[element]
        if tag in ("td", "th"):
            table = self._nearest(element, frozenset(("table",)))
            return Piece(html, tag, own, table, self.parents[element]) if self._is_data(table) else Piece(html)
        if tag == "li":
            items = self._nearest(element, frozenset(("ul", "ol")))
            return Piece(html, "li", element, items if items > 0 else element)
        if tag == "blockquote":
            return Piece(html, "blockquote", own, element)
        return Piece(html, HEADINGS.get(tag, "pre"))

    def _form_above(self, parent: int) -> int:
        if parent not in self.form_above:
            self.form_above[parent] = self._nearest(parent, STRUCTURAL_TAGS)
        return self.form_above[parent]

    def _nearest(self, element: int, tags: frozenset[str]) -> int:
        """The nearest element with one of these tags, itself included; 0 or less where there is none."""
        while element > 0 and self.tags[element] not in tags:
            element = self.parents[element]
        return int(element)

    def _is_data(self, table: int) -> bool:
        if table not in self.is_data:
            self.is_data[table] = table > 0 and _is_data_table(self.blocks.element(table))
        return self.is_data[table]


def _is_data_table(table: Any) -> bool:
    """Whether a table holds data, not layout: at least MIN_CELLS cells, all of them short, no table within."""
    if table.find(".//table") is not None:
        return False
    cells = [*table.iter("td", "th")]
    return len(cells) >= MIN_CELLS and all(len("".join(cell.itertext())) <= MAX_CELL for cell in cells[:500])


def _group_html(pieces: list[Piece], tags: Sequence[str]) -> str:
    """Pieces of one container as one element."""
    first = pieces[0]
    if first.form == "li":
        name = "ol" if tags[first.container] == "ol" else "ul"
        items = ["<br>".join(p.html for p in same) for _, same in groupby(pieces, key=lambda piece: piece.element)]
        return f"<{name}>{''.join(f'<li>{item}</li>' for item in items)}</{name}>"
    if first.form == "blockquote":
        return f"<blockquote>{''.join(f'<p>{piece.html}</p>' for piece in pieces)}</blockquote>"
    if first.form in ("td", "th"):
        rows = groupby(pieces, key=lambda piece: piece.row)
        cells = ("".join(f"<{p.form}>{p.html}</{p.form}>" for p in row) for _, row in rows)
        return f"<table>{''.join(f'<tr>{row}</tr>' for row in cells)}</table>"
    return f"<{first.form}>{first.html}</{first.form}>"


def _figures(blocks: Blocks, root: int, first: int, last: int) -> Iterator[tuple[int, Any]]:
    """The figures below `root` between two blocks, each with the index of the block that follows its beginning."""
    candidates = range(root + 1, len(blocks.nodes)) if "figure" in blocks.element_tags else ()
    for element in candidates:
        if blocks.element_tags[element] == "figure" and first < (number := int(blocks.spans[element, 0])) <= last:
            yield number, blocks.element(element)


def _figure_html(element: Any, base: str) -> str:
    """Inner HTML of a figure: its first image with an address, and its caption; "" without an image."""
    for picture in element.iter("img"):
        target = next((a for name in IMAGE_SOURCES if (a := absolute_url(picture.get(name), base))), None)
        if target is not None:
            caption = collapsed("".join(next((e.itertext() for e in element.iter("figcaption")), ())))
            alt = escape(collapsed(picture.get("alt") or caption))
            figcaption = f"<figcaption>{escape(caption, quote=False)}</figcaption>" if caption else ""
            return f'<img src="{escape(target)}" alt="{alt}">{figcaption}'
    return ""


class InlineReader:
    """Reads the inner HTML of selected blocks: their text, escaped, with links and emphasis.

    Cuts the page into the same blocks as `read_blocks`. The spans of `Blocks` tell at each block-level element which
    block comes next, so that elements without a selected block are skipped.
    """

    def __init__(self, page: Page, kept: Sequence[int], root: int) -> None:
        self.texts, self.base = page.blocks.texts, page.url or ""
        self.hidden = page.hidden
        self.wanted = frozenset(kept)
        spans, nodes = page.blocks.spans, page.blocks.nodes
        last = int(np.searchsorted(spans[:, 0], kept[-1], "right"))
        held = np.searchsorted(kept, spans[root:last])
        #: Of each block-level element: whether it contains a selected block, its first block, the one behind its last.
        self.spans: dict[Element, tuple[bool, int, int]] = dict(
            zip(
                nodes[root:last],
                zip((held[:, 0] < held[:, 1]).tolist(), *spans[root:last].T.tolist(), strict=True),
                strict=True,
            )
        )
        self.root = nodes[root]
        self.html: dict[int, str] = {}
        self.open: list[Element] = []  # inline elements that are written
        self.run: list[tuple[str, Any]] = []  # (text, None); ("", element): begins; ("/", element): ends
        self.number = self.spans[self.root][1]

    def read(self) -> dict[int, str]:
        """The inner HTML of each selected block by its index."""
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
        return self.html

    def _enter(self, element: Element) -> bool:
        """Whether the content of an element has to be read."""
        kind = KINDS.get(element.tag, BLOCK)
        if kind == BLOCK:
            span = self.spans.get(element)
            if self.run and span is not None:
                self._flush()
            if span is None or not span[0]:  # hidden, or without a selected block
                self.number = self.number if span is None else span[2]
                return False
            self.number = span[1]
            if self.open or span[2] - span[1] > 1 or next(element.iter_elements(WRITTEN_INLINE), None) is not None:
                return True
            self.html[self.number] = _escape_text(self.texts[self.number])
            self.number += 1
            return False
        if kind == SKIP or element in self.hidden:
            return False
        if kind == BREAK:
            self._flush()
        elif element.tag in WRITTEN_INLINE:
            self.open.append(element)
            self.run.append(("", element))
        return True

    def _leave(self, element: Element) -> None:
        if self.open and self.open[-1] is element:
            self.run.append(("/", self.open.pop()))
        if self.run and element in self.spans:
            self._flush()

    def _flush(self) -> None:
        """End the run; inline elements that are open end with it and begin again in the next."""
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
            self.html[self.number] = self._run_html([*run, *closing], text)
        else:
            self.html[self.number] = _escape_text(text)

    def _run_html(self, run: list[tuple[str, Any]], text: str) -> str:
        """The run as HTML with the white space of the block's `text`; elements without text are left out."""
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
                    out.append(_escape_text(text[start:end]))
                    closings += [(opened, closing) for opened, _, closing in begun]
                    begun.clear()
                    position = end
            elif not part:
                begun.append((element, *self._tags_of(element)))
            elif begun and begun[-1][0] is element:
                begun.pop()
            elif closings and closings[-1][0] is element:
                out.append(closings.pop()[1])
        return "".join(out)

    def _tags_of(self, element: Element) -> tuple[str, str]:
        """Opening and closing tag of an inline element; empty for a link without an http(s) address."""
        if element.tag == "a":
            target = absolute_url(element.attr("href"), self.base)
            return (f'<a href="{escape(target)}">', "</a>") if target else ("", "")
        return f"<{EMPHASIS[element.tag]}>", f"</{EMPHASIS[element.tag]}>"


def _escape_text(text: str) -> str:
    """`html.escape` without quotes; most text needs none, so the check comes first."""
    return text if "&" not in text and "<" not in text and ">" not in text else escape(text, quote=False)


def absolute_url(href: str | None, base: str) -> str | None:
    """The absolute http(s) URL of a link or image; None for any other, and for one with a user name."""
    href = href.strip() if href else ""
    if ABSOLUTE_URL.match(href):
        return href
    if ROOT_RELATIVE_URL.match(href) and (origin := ABSOLUTE_URL.match(base)):
        return origin[1] + href
    try:
        target = urljoin(base, href) if href else ""
    except ValueError:
        return None
    parts = split_url(target)
    return None if parts is None or parts.username is not None else target
