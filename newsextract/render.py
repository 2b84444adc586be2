"""The article's body as clean HTML: the selected blocks with their structure and inline markup, safe to show.

Only p, h2-h6, ul/ol/li, blockquote, pre, table/tr/td/th, `a` with an absolute http(s) href, em, strong, br, and figure
with img and figcaption are written; all text is escaped; no other element or attribute passes. Without its figures, the
text of the HTML is the body's text, line by line. Which blocks are the body is decided elsewhere (`article.body_rows`).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import chain, groupby
from typing import Any
from urllib.parse import urljoin

import numpy as np
from turbohtml import Element, Text

from newsextract.page import Page
from newsextract.page.blocks import Blocks
from newsextract.page.walk import BLOCK, BREAK, INLINE, KINDS, LINK, SKIP, WORD, collapsed
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
#: Inline elements that become block elements where they contain one.
OPENABLE = frozenset(tag for tag, kind in KINDS.items() if kind in (INLINE, LINK))
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
    pieces = [(number, 1, structure.piece(number, inner[number])) for number in kept]
    shown: set[str] = set()  # of nested figures the same image is shown once
    for number, element in _figures(blocks, root, kept[0], kept[-1]):
        if (figure := _figure_html(element, page.url or "")) and figure not in shown:
            shown.add(figure)
            pieces.append((number, 0, Piece(figure, "figure")))
    if shown:
        pieces.sort(key=lambda piece: piece[:2])
    groups = groupby((piece for *_, piece in pieces), key=lambda piece: piece.container)
    lines = ([_group_html([*same], blocks.element_tags)] if i >= 0 else map(_line_html, same) for i, same in groups)
    return "\n".join(chain.from_iterable(lines))


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


def _common_ancestor(blocks: Blocks, first: int, last: int) -> int:
    """The smallest block element that contains both blocks; the rest of the page need not be walked."""
    element = blocks.owner_list[first]
    while element > 0 and blocks.spans[element][1] <= last:
        element = blocks.parent_list[element]
    return element


class _Structure:
    """The form of each block, from the block elements it stands in."""

    def __init__(self, blocks: Blocks) -> None:
        self.blocks = blocks
        self.tags, self.parents, self.owners = blocks.element_tags, blocks.parent_list, blocks.owner_list
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
    return _line_html(first)


def _line_html(piece: Piece) -> str:
    return f"<{piece.form}>{piece.html}</{piece.form}>"


def _figures(blocks: Blocks, root: int, first: int, last: int) -> Iterator[tuple[int, Any]]:
    """The figures below `root` between two blocks, each with the index of the block that follows its beginning."""
    if "figure" in (tags := blocks.element_tags):
        end = int(np.searchsorted(blocks.spans[:, 0], last, "right"))
        for element in [row for row in range(root + 1, end) if tags[row] == "figure"]:
            if first < (number := int(blocks.spans[element, 0])):
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
    """Reads the inner HTML of selected blocks below the block element `root`: their text, escaped, with links and
    emphasis.

    Only block elements with a selected block, and of those only what has links or emphasis, are read again; their runs
    of inline content are their blocks, as `BlockBuilder.read` cuts them.
    """

    def __init__(self, page: Page, kept: Sequence[int], root: int) -> None:
        blocks = page.blocks
        self.texts, self.tags, self.nodes = blocks.texts, blocks.element_tags, blocks.nodes
        self.parents, self.owners, self.spans = blocks.parent_list, blocks.owner_list, blocks.spans
        self.hidden, self.base, self.root = page.hidden, page.url or "", root
        self.kept, self.wanted = kept, frozenset(kept)
        #: Block elements that may have inline elements in runs of their own; no others are searched for any.
        self.marked = frozenset(blocks.owners[blocks.markup[:, 2] > 0].tolist())
        end = int(np.searchsorted(blocks.spans[:, 0], kept[-1], "right"))
        #: Inline elements with block elements in them, which are block elements themselves from there on.
        self.opened = {self.nodes[row] for row in range(root, end) if self.tags[row] in OPENABLE}
        self.has_written = any(node.tag in WRITTEN_INLINE for node in self.opened)
        self.html: dict[int, str] = {}

    def read(self) -> dict[int, str]:
        """The inner HTML of each selected block by its index."""
        html, owners = self.html, self.owners
        for number in self.kept:
            if number not in html and (self.has_written or owners[number] in self.marked):
                owner = owners[number]
                around = self._written_around(owner) if self.has_written else []
                if around or next(self.nodes[owner].iter_elements(WRITTEN_INLINE), None) is not None:
                    self._read_element(owner, around)
            if number not in html:
                html[number] = _escape_text(self.texts[number])
        return html

    def _written_around(self, owner: int) -> list[Element]:
        """The links and emphasis that a block element is or stands in, outermost first."""
        around = []
        while owner > self.root:
            if self.tags[owner] in WRITTEN_INLINE:
                around.append(self.nodes[owner])
            owner = self.parents[owner]
        return around[::-1]

    def _read_element(self, owner: int, around: list[Element]) -> None:
        """Keep the HTML of the selected blocks of one block element."""
        first, end = self.spans[owner].tolist()
        own = [number for number in range(first, min(end, self.kept[-1] + 1)) if self.owners[number] == owner]
        numbers = iter(own)
        for run in self._runs(self.nodes[owner], around):
            if any(element is None and WORD.search(part) for part, element in run):
                if (number := next(numbers)) in self.wanted:
                    self.html[number] = self._run_html(run, self.texts[number])
                if number == own[-1]:
                    break

    def _runs(self, owner: Element, written: list[Element]) -> Iterator[list[tuple[str, Any]]]:
        """The runs of a block element as (text, None); ("", element): begins; ("/", element): ends.

        `written`: links and emphasis that are open; at the end of a run they end, and begin again in the next. The text
        of an opened inline element before its first block element is its parent's.
        """
        hidden, opened = self.hidden, self.opened
        is_own, opening = owner not in opened, None
        stack: list[tuple[Iterator[Any], Element]] = []
        run: list[tuple[str, Any]] = [("", element) for element in written]
        children: Iterator[Any] = iter(owner)
        while True:
            for child in children:
                if type(child) is Text:
                    run.append((child.data, None))
                    continue
                tag = child.tag
                kind = KINDS.get(tag, BLOCK)
                if kind == SKIP or (hidden and child in hidden and kind != BREAK):
                    continue
                if kind in (BLOCK, BREAK):
                    if is_own:
                        yield [*run, *(("/", element) for element in reversed(written))]
                    is_own = is_own or kind == BLOCK
                    if kind == BLOCK and opening is not None:  # what follows in the opened element is its own
                        open_elements, open_written = opening
                        children = stack[open_elements][0]
                        del stack[open_elements:], written[open_written:]
                        opening, run = None, [("", element) for element in written]
                        break
                    run = [("", element) for element in written]
                    continue
                if opened and opening is None and child in opened:
                    opening = len(stack), len(written)
                stack.append((children, child))
                if tag in WRITTEN_INLINE:
                    written.append(child)
                    run.append(("", child))
                children = iter(child)
                break
            else:
                if not stack:
                    break
                children, child = stack.pop()
                if written and written[-1] is child:
                    run.append(("/", written.pop()))
        if is_own:
            yield [*run, *(("/", element) for element in reversed(written))]

    def _run_html(self, run: list[tuple[str, Any]], text: str) -> str:
        """The run as HTML with the white space of the block's `text`; elements without text are left out."""
        out: list[str] = []
        position = 0
        begun: list[tuple[Any, str, str]] = []  # elements that begin here and have no text yet
        closings: list[tuple[Any, str]] = []
        for part, element in run:
            if element is None:
                words, start = part.strip(), position + text.startswith(" ", position)
                if words and (text.startswith(words, start) or (words := collapsed(words))):
                    if start > position:
                        out.append(" ")
                    if begun:
                        out += [opening for _, opening, _ in begun]
                        closings += [(opened, closing) for opened, _, closing in begun]
                        begun.clear()
                    position = start + len(words)
                    out.append(_escape_text(text[start:position]))
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
