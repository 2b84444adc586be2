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
WRITTEN = frozenset(("a", *INLINE))
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
    if page.body is None or not kept:
        return ""
    around = _around(page, kept[0], kept[-1])
    reader = _Reader(frozenset(kept), page.url or "", int(page.blocks.spans[around][0]))
    reader.below(page.blocks.elements[around], page.hidden)
    reader.flush()
    pieces: dict[float, Piece] = {number: _formed(page, number, html) for number, html in reader.found.items()}
    for number, element in reader.figures:
        if kept[0] < number <= kept[-1] and (figure := _figure(element, page.url or "")):
            pieces[number - 0.5] = Piece(figure, "figure")
    ordered = [pieces[number] for number in sorted(pieces)]
    groups = groupby(ordered, key=lambda piece: id(piece if piece.holder is None else piece.holder))
    return "\n".join(_group([*members]) for _, members in groups)


def _around(page: Page, first: int, last: int) -> int:
    """The smallest block element that holds both blocks, so that the rest of the page need not be walked."""
    blocks = page.blocks
    element = int(blocks.owners[first])
    while element > 0 and blocks.spans[element][1] <= last:
        element = int(blocks.parents[element])
    return element


class _Reader(Walk):
    """Cuts the page into the same blocks as `read_blocks`, keeping inline markup."""

    def __init__(self, wanted: frozenset[int], base: str, number: int) -> None:
        self.wanted, self.base, self.number = wanted, base, number
        self.found: dict[int, str] = {}
        self.figures: list[tuple[int, Any]] = []  # the number of the block behind it, the element
        self.open: list[Any] = []  # inline elements that are written
        self.begun = False  # the run has more than white space
        self.run: list[tuple[str, Any]] = []  # text; or "" and the element that begins; or "/" and the one that ends

    def enter(self, element: Any, kind: int) -> None:
        if kind in (BLOCK, BREAK):
            self.flush()
            if element.tag == "figure":
                self.figures.append((self.number, element))
        elif element.tag in WRITTEN:
            self.open.append(element)
            self.run.append(("", element))

    def leave(self, element: Any, kind: int) -> None:
        if self.open and self.open[-1] is element:
            self.run.append(("/", self.open.pop()))
        if closes_block(kind):
            self.flush()

    def opened(self, element: Any) -> None:
        self.flush()

    def text(self, text: str) -> None:
        self.run.append((text, None))
        self.begun = self.begun or not text.isspace()

    def flush(self) -> None:
        """Ends a run; what is open is closed here and opened again in the next."""
        text = collapsed("".join(part for part, element in self.run if element is None)) if self.begun else ""
        if text and WORD.search(text):
            if self.number in self.wanted:
                closing = [("/", element) for element in reversed(self.open)]
                self.found[self.number] = self._written([*self.run, *closing], text)
            self.number += 1
        self.run = [("", element) for element in self.open]
        self.begun = False

    def _written(self, run: list[tuple[str, Any]], text: str) -> str:
        """The run with its white space as in `text`; markup around no text is left out."""
        out: list[str] = []
        position = 0
        begun: list[tuple[Any, str, str]] = []  # elements that begin here and have no text yet
        closings: list[tuple[Any, str]] = []
        for part, element in run:
            if element is None:
                if words := collapsed(part).split():
                    start = position + (text[position : position + 1] == " ")
                    end = position
                    for word in words:
                        end += (text[end : end + 1] == " ") + len(word)
                    out += [text[position:start], *(opening for _, opening, _ in begun)]
                    out.append(escape(text[start:end], quote=False))
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

    def _markup(self, element: Any) -> tuple[str, str]:
        if element.tag == "a":
            target = _address(element.get("href"), self.base)
            return (f'<a href="{escape(target)}">', "</a>") if target else ("", "")
        return f"<{INLINE[element.tag]}>", f"</{INLINE[element.tag]}>"


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
