"""The article's body as clean HTML: the kept blocks in their form, nothing else, safe to show.

Only p, h2-h6, ul/ol/li, blockquote, pre, table/tr/td/th, a with an absolute http(s) address, em, strong, and figure
with img and figcaption are written, everything is escaped, no other attribute passes. Less figures, its text is the
body's text, line by line.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from typing import Any
from urllib.parse import urljoin

from newsextract.identity import split
from newsextract.page import Page
from newsextract.page.walk import BLOCK, BREAK, WORD, Walk, closes_block, collapsed

#: What inline tags are written as.
INLINE = {"em": "em", "i": "em", "cite": "em", "dfn": "em", "strong": "strong", "b": "strong"}
HEADINGS = {"h1": "h2", "h2": "h2", "h3": "h3", "h4": "h4", "h5": "h5", "h6": "h6"}
#: Ancestors that give a block its form, nearest first.
FORMS = frozenset(("li", "blockquote", "pre", "td", "th", *HEADINGS))
#: A table with fewer cells, or with longer ones, is layout.
CELLS, CELL = 4, 200
#: Where a picture's address stands, the one that pages load later first.
SOURCES = ("data-src", "data-original", "data-lazy-src", "src")


@dataclass(slots=True)
class Piece:
    """A block's inner HTML and the element that gives it its form, with what holds that together (list, table)."""

    html: str
    form: str = "p"
    element: Any = None
    holder: Any = None
    rows: Any = None


def body_html(page: Page, kept: Sequence[int]) -> str:
    """The blocks of `page.blocks` with these numbers (ascending) as HTML, with the figures that stand among them."""
    reader = _Reader(frozenset(kept), page.url or "")
    if page.body is None or not kept:
        return ""
    reader.below(page.body)
    reader.flush()
    pieces: dict[float, Piece] = {number: _formed(page, number, html) for number, html in reader.found.items()}
    for number, element in reader.figures:
        if kept[0] < number <= kept[-1] and (figure := _figure(element, page.url or "")):
            pieces[number - 0.5] = Piece(figure, "figure")
    ordered = [pieces[number] for number in sorted(pieces)]
    groups = groupby(ordered, key=lambda piece: id(piece if piece.holder is None else piece.holder))
    return "\n".join(_group([*members]) for _, members in groups)


class _Reader(Walk):
    """Cuts the page into the same blocks as `read_blocks`, keeping inline markup."""

    def __init__(self, wanted: frozenset[int], base: str) -> None:
        self.wanted, self.base = wanted, base
        self.found: dict[int, str] = {}
        self.figures: list[tuple[int, Any]] = []  # the number of the block behind it, the element
        self.number = 0
        self.tags: list[tuple[Any, str, str]] = []  # open inline elements: element, opening, closing
        self.run: list[tuple[str, str]] = []  # (text, "") or ("", markup)

    def enter(self, element: Any, kind: int) -> None:
        if kind in (BLOCK, BREAK):
            self.flush()
            if element.tag == "figure":
                self.figures.append((self.number, element))
        elif opening := self._opening(element):
            self.tags.append((element, *opening))
            self.run.append(("", opening[0]))

    def leave(self, element: Any, kind: int) -> None:
        if self.tags and self.tags[-1][0] is element:
            self.run.append(("", self.tags.pop()[2]))
        if closes_block(kind):
            self.flush()

    def opened(self, element: Any) -> None:
        self.flush()

    def text(self, text: str) -> None:
        self.run.append((text, ""))

    def flush(self) -> None:
        """Ends a run; what is open is closed here and opened again in the next."""
        text = collapsed("".join(text for text, _ in self.run))
        if WORD.search(text):
            if self.number in self.wanted:
                closing = [("", closing) for _, _, closing in reversed(self.tags)]
                self.found[self.number] = _written([*self.run, *closing], text)
            self.number += 1
        self.run = [("", opening) for _, opening, _ in self.tags]

    def _opening(self, element: Any) -> tuple[str, str] | None:
        if element.tag == "a":
            target = _address(element.get("href"), self.base)
            return (f'<a href="{escape(target)}">', "</a>") if target else None
        name = INLINE.get(element.tag)
        return (f"<{name}>", f"</{name}>") if name else None


def _written(run: list[tuple[str, str]], text: str) -> str:
    """The run with its white space collapsed as in `text`, markup that holds no text left out."""
    out: list[str] = []
    position = 0
    pending: list[str] = []
    for raw, markup in run:
        if markup:
            if pending and markup == _closing_of(pending[-1]):
                pending.pop()
            elif markup.startswith("</"):
                out.append(markup)
            else:
                pending.append(markup)
            continue
        letters = collapsed(raw)
        if not letters:
            continue
        end = position
        for letter in letters.replace(" ", ""):
            end = text.index(letter, end) + 1
        start = position + (text[position : position + 1] == " ")
        out += [text[position:start], *pending, escape(text[start:end], quote=False)]
        pending.clear()
        position = end
    return "".join(out)


def _closing_of(opening: str) -> str:
    return f"</{opening[1:].split(' ')[0].rstrip('>')}>"


def _formed(page: Page, number: int, html: str) -> Piece:
    element = page.blocks.elements[page.blocks.owners[number]]
    own = element
    while element is not None and element is not page.body:
        if element.tag in FORMS:
            break
        element = element.getparent()
    if element is None or element is page.body:
        return Piece(html)
    if element.tag in ("td", "th"):
        table = next(element.iterancestors("table"), None)
        return Piece(html, element.tag, own, table, element.getparent()) if _holds_data(table) else Piece(html)
    if element.tag == "li":
        return Piece(html, "li", element, next(element.iterancestors("ul", "ol"), element))
    if element.tag == "blockquote":
        return Piece(html, "blockquote", own, element)
    return Piece(html, HEADINGS.get(element.tag, "pre"))


def _holds_data(table: Any) -> bool:
    """Whether a table is one of data: some cells, all of them short, none with a table within."""
    if table is None or table.find(".//table") is not None:
        return False
    cells = [*table.iter("td", "th")]
    return len(cells) >= CELLS and all(len("".join(cell.itertext())) <= CELL for cell in cells[:500])


def _group(pieces: list[Piece]) -> str:
    first = pieces[0]
    if first.form == "li":
        name = "ol" if first.holder.tag == "ol" else "ul"
        items = ["<br>".join(p.html for p in same) for _, same in groupby(pieces, key=lambda piece: id(piece.element))]
        return f"<{name}>{''.join(f'<li>{item}</li>' for item in items)}</{name}>"
    if first.form == "blockquote":
        return f"<blockquote>{''.join(f'<p>{piece.html}</p>' for piece in pieces)}</blockquote>"
    if first.form in ("td", "th"):
        rows = groupby(pieces, key=lambda piece: id(piece.rows))
        cells = ("".join(f"<{p.form}>{p.html}</{p.form}>" for p in row) for _, row in rows)
        return f"<table>{''.join(f'<tr>{row}</tr>' for row in cells)}</table>"
    return f"<{first.form}>{first.html}</{first.form}>"


def _figure(element: Any, base: str) -> str:
    """The inside of a figure: its first picture that has an address, and its caption."""
    for picture in element.iter("img"):
        target = next((a for name in SOURCES if (a := _address(picture.get(name), base))), None)
        if target is not None:
            caption = collapsed("".join(next((e.itertext() for e in element.iter("figcaption")), ())))
            alt = escape(collapsed(picture.get("alt") or caption))
            told = f"<figcaption>{escape(caption, quote=False)}</figcaption>" if caption else ""
            return f'<img src="{escape(target)}" alt="{alt}">{told}'
    return ""


def _address(href: str | None, base: str) -> str | None:
    """The absolute http(s) address of a link; None for any other."""
    if not href or not href.strip():
        return None
    try:
        target = urljoin(base, href.strip())
    except ValueError:
        return None
    parts = split(target)
    return None if parts is None or parts.username is not None else target
