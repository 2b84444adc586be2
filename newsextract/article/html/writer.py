"""Writes the body as HTML: its lines in the lists, quotations, headings and tables of the page, images between them.

Images are those between the blocks, inside and outside of figures, with their captions. All text is escaped.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import chain, groupby
from operator import itemgetter
from typing import Any, NamedTuple
from urllib.parse import urljoin

from turbohtml import Element, Text

from newsextract.article.html.structure import SPAN, Structure
from newsextract.metadata.images import image_sources, is_decoration, is_icon
from newsextract.page import Page
from newsextract.page.blocks import Blocks
from newsextract.page.surroundings import Inherited
from newsextract.page.walk import collapsed
from newsextract.urls import absolute_url

# ---- inline markup ---------------------------------------------------------------------------------------------------

#: How inline elements are written; others are dropped, their text stays. Attributes that some keep.
INLINE = {
    tag: tag for tag in "a abbr cite code del em ins kbd mark q rp rt ruby s samp strong sub sup time var".split()
}
INLINE |= {"i": "em", "dfn": "em", "b": "strong", "strike": "s"}
INLINE_ATTRIBUTES = {"abbr": "title", "time": "datetime"}


class InlineWriter:
    """Writes blocks' inner HTML: the links and inline markup around each text node."""

    def __init__(self, blocks: Blocks, base: str) -> None:
        self.blocks, self.base = blocks, base

    def html(self, number: int, outer: list[Element]) -> str:
        """The inner HTML of a block, with the white space of its text; elements without text are left out.

        `outer`: the written elements around its block element.
        """
        blocks = self.blocks
        text, nodes = blocks.texts[number], blocks.text_nodes[number]
        if not outer and not nodes:
            return escape_text(text)
        owner = blocks.nodes[blocks.owner_list[number]]
        texts: Sequence[Any] = nodes or owner.children
        written = [outer if node.parent is owner else outer + written_around(node, owner) for node in texts]
        if not any(written):
            return escape_text(text)
        parts: list[tuple[list[Element], str, str]] = []
        position = 0
        for node, around in zip(texts, written, strict=True):
            if not (words := node.data.strip()):
                continue
            start = position + text.startswith(" ", position)
            if not text.startswith(words, start) and not (words := collapsed(words)):
                continue
            end = start + len(words)
            parts.append((around, " " if start > position else "", text[start:end]))
            position = end
        return self.joined(parts)

    def joined(self, parts: Iterable[tuple[list[Element], str, str]]) -> str:
        """Parts of a text in the elements around them; each with its white space before, which is in those of both."""
        out: list[str] = []
        begun: list[Element] = []  # elements that are open, with their closing tags
        closings: list[str] = []
        for around, space, text in parts:
            while begun and begun != around[: len(begun)]:
                begun.pop()
                out.append(closings.pop())
            out.append(space)
            for element in around[len(begun) :]:
                opening, closing = self._tags_of(element)
                begun.append(element)
                closings.append(closing)
                out.append(opening)
            out.append(escape_text(text))
        return "".join(out + closings[::-1])

    def _tags_of(self, element: Element) -> tuple[str, str]:
        """Opening and closing tag of an inline element; empty for a link without an http(s) address."""
        name, attribute = INLINE[element.tag], ""
        if name == "a":
            target = absolute_url(element.attr("href"), self.base)
            return (f'<a href="{escape(target)}">', "</a>") if target else ("", "")
        if (kept := INLINE_ATTRIBUTES.get(name)) and (value := element.attr(kept)):
            attribute = f' {kept}="{escape(value)}"'
        return f"<{name}{attribute}>", f"</{name}>"


def written_around(node: Text, top: Element) -> list[Element]:
    """The written elements that a text node stands in below an element, outermost first."""
    around: list[Element] = []
    element: Any = node.parent
    while element is not top:
        if element.tag in INLINE:
            around.append(element)
        element = element.parent
    return around[::-1]


def escape_text(text: str) -> str:
    """`html.escape` without quotes; most text needs none, so the check comes first."""
    return text if "&" not in text and "<" not in text and ">" not in text else escape(text, quote=False)


# ---- images ----------------------------------------------------------------------------------------------------------

#: Attributes with an image's URL; lazy-loading ones come first, because `src` is a placeholder then.
IMAGE_SOURCES = ("data-src", "data-original", "data-lazy-src", "src", "data-srcset", "srcset")
#: Most lines of captions of an image.
MAX_LINES = 20
IMAGE_FILE = re.compile(r"\.(?:jpe?g|png|gif|webp|avif)(?:[?#].*)?$", re.I)


class Image(NamedTuple):
    """An image: the block before which it stands, what it has a caption in common with, the element around it."""

    before: int
    wrapper: int
    owner: int
    html: str


class Illustrated(Structure):
    """The chosen blocks with the images among them."""

    def __init__(self, page: Page, kept: Sequence[int]) -> None:
        super().__init__(page, kept)
        self.base = urljoin(page.url or "", page.meta.base or "")
        self.root = self.blocks.common_element(kept[0], kept[-1])
        while self.root > 0 and page.around[self.root].unit:
            self.root = self.parents[self.root]

    def caption_html(self, element: int) -> str:
        """The captions below an element, without those of figures within it."""
        texts = []
        for number in range(*self.blocks.spans[element].tolist()):
            if self.is_caption(number):
                above = self.owners[number]
                while above > element and self.tags[above] != "figure":
                    above = self.parents[above]
                texts += [self.blocks.texts[number]] * (above <= element)
        return escape_text(" ".join(texts))

    def is_caption(self, number: int) -> bool:
        return self.page.around[self.owners[number]].caption is not None

    def images(self) -> Iterator[Image]:
        """The images of the article, each URL once: those among its blocks, and with captions beside them."""
        if not (elements := [*self.blocks.nodes[self.root].iter_elements("img")]):
            return
        below = range(self.root, self.end(self.root))
        owners = dict(zip(self.blocks.nodes[below.start : below.stop], below, strict=True))
        places: dict[int, dict[Element, int]] = {}
        shown: set[str] = set()
        before_it = None  # the image before, if it is shown
        for index, image in enumerate(elements):
            holder: Any = image
            is_fallback = is_hidden = False
            while holder not in owners and not is_hidden:
                is_fallback |= holder.tag == "noscript"
                is_hidden = holder.tag != "noscript" and self.is_skipped(holder)
                holder = holder.parent
                is_hidden |= not isinstance(holder, Element)  # the content of a `template`
            if is_hidden or self.is_skipped(holder):
                continue
            owner = owners[holder]
            if owner not in places:
                places[owner] = self.places_in(owner)
            number, wrapper = places[owner].get(image, self.blocks.spans.item(owner, 0)), self.wrapper_of(owner)
            is_captioned = self.tags[wrapper] == "figure" or not self.has_kept(wrapper)
            if not is_captioned and (caption := self.caption_behind(owner, number)):
                wrapper, is_captioned = caption, True
            if not self.is_among(number, wrapper if is_captioned else None) or (is_fallback and before_it == holder):
                continue
            in_figure = is_captioned or image.closest("figure") is not None
            target = self.image_target(image, in_figure)
            before_it = holder if target else None
            if target and target not in shown:
                shown.add(target)
                alt = escape(collapsed(image.attr("alt") or ""))
                html = f'<img src="{escape(target)}" alt="{alt}">'
                yield Image(number, wrapper if is_captioned else ~index, owner, html)

    def wrapper_of(self, element: int) -> int:
        """The smallest block element around one (or itself) that has blocks."""
        spans = self.blocks.spans
        while element > self.root and spans.item(element, 0) == spans.item(element, 1):
            element = self.parents[element]
        return element

    def caption_behind(self, owner: int, number: int) -> int:
        """The caption that begins with a block, right behind an image in `owner` or behind that element; 0 if none."""
        if number == len(self.owners) or not self.is_caption(number):
            return 0
        caption = self.page.around[self.owners[number]].caption or 0
        before = caption - 1
        while self.parents[before] > self.parents[caption]:
            before = self.parents[before]
        is_behind = before <= owner < caption or owner == self.parents[caption]
        has_image = next(self.blocks.nodes[caption].iter_elements("img"), None) is not None
        return caption if is_behind and not has_image and self.tags[caption] != "figure" else 0

    def has_kept(self, element: int) -> bool:
        first, last = self.blocks.spans[element].tolist()
        return bisect_left(self.kept, first) < bisect_left(self.kept, last)

    def is_among(self, number: int, wrapper: int | None) -> bool:
        """Whether an image is between chosen blocks, but for captions; `wrapper`: the element without chosen ones."""
        first, last = self.kept[0], self.kept[-1]
        between = range(number, first) if number <= first else range(last + 1, number)
        around = () if wrapper is None else range(*self.blocks.spans[wrapper].tolist())
        return len(around) + len(between) <= MAX_LINES and all(map(self.is_caption, chain(around, between)))

    def places_in(self, owner: int) -> dict[Element, int]:
        """The number of the block that follows each image of a block element, where it has blocks, too."""
        first, last = self.blocks.spans[owner].tolist()
        numbers = {node: number for number in range(first, last) for node in self.nodes_of(number)}
        places, number = {}, first
        for node in self.blocks.nodes[owner].descendants if numbers else ():
            if type(node) is Text:
                number = max(number, numbers.get(node, -1) + 1)
            elif type(node) is Element and node.tag == "img":
                places[node] = number
        return places

    def image_target(self, image: Element, in_figure: bool) -> str | None:
        """The URL of an image; outside figures none of decoration and of a link to another page."""
        if not in_figure:
            link = image.closest("a")
            target = absolute_url(link.attr("href"), self.base) if link is not None else None
            own = target is None or IMAGE_FILE.search(target) or target.startswith(self.page.url or "/")
            if is_icon(image) or not own:
                return None
        decoration = None
        for source in image_sources(image, IMAGE_SOURCES):
            if url := absolute_url(source, self.base):
                if not is_decoration(url):
                    return url
                decoration = decoration or url
        return decoration if in_figure else None


# ---- blocks ----------------------------------------------------------------------------------------------------------

HEADINGS = {"h1": "h2", "h2": "h2", "h3": "h3", "h4": "h4", "h5": "h5", "h6": "h6"}
#: Block elements that are written, and as what; those that must stand directly in one of these; those that hold lines
#: as they are, separated by br, where others hold paragraphs; what a line becomes directly in these.
CONTAINERS = HEADINGS | {tag: tag for tag in "ul ol li dl dt dd blockquote footer details summary".split()}
LISTS = ("ul", "ol")
HOLDERS_OF = {"li": LISTS, "dt": ("dl",), "dd": ("dl",), "summary": ("details",), "footer": ("blockquote",)}
LINE_HOLDERS = frozenset(("li", "dt", "dd", "summary", "footer", *HEADINGS))
MEMBERS = {"ul": "li", "ol": "li", "dl": "dd"}
PROSE = ("p", "blockquote")
FLOW = frozenset(("li", "dd", "blockquote", "details"))
NUMBER = re.compile(r"-?\d{1,9}")
#: Attributes that are written, and what their value may be.
ATTRIBUTES = {
    "ol": (("start", NUMBER), ("reversed", re.compile("|reversed")), ("type", re.compile("[1aAiI]"))),
    "li": (("value", NUMBER),),
    "td": (("colspan", SPAN), ("rowspan", SPAN)),
    "th": (("colspan", SPAN), ("rowspan", SPAN)),
}


def body_html(page: Page, kept: Sequence[int]) -> str:
    """Renders the blocks of `page.blocks` with these indices (ascending), with the images between them."""
    return Writer(page, kept).html() if kept else ""


#: A part of the HTML: the written elements around it, its HTML, and the element that it is a line of (-1: none).
Piece = tuple[tuple[int, ...], str, int]
#: The written elements around a block element and itself, outermost first: block elements, inline ones.
Written = tuple[tuple[int, ...], list[Element]]


class _Around(Inherited[Written]):
    def below(self, outside: Written, element: int) -> Written:
        around, inline = outside
        if (tag := self.tags[element]) in INLINE:
            return around, [*inline, self.blocks.nodes[element]]
        return (self.with_container(around, element), inline) if tag in CONTAINERS else outside

    def with_container(self, around: tuple[int, ...], element: int) -> tuple[int, ...]:
        tag, last = self.tags[element], (self.tags[around[-1]] if around else "")
        if last in HEADINGS or (tag in HOLDERS_OF and last not in HOLDERS_OF[tag]):
            return around
        if tag not in LISTS or last not in LISTS:
            return (*around, element)
        before = element - 1  # a list directly within a list belongs to the item before it
        while self.parents[before] > self.parents[element]:
            before = self.parents[before]
        item = self[before][0] if self.parents[before] == self.parents[element] else ()
        item = item[:-1] if item and self.tags[item[-1]] in LISTS else item
        return (*item, element) if len(item) > len(around) else around


class Writer(Illustrated):
    """Writes the body as HTML."""

    def __init__(self, page: Page, kept: Sequence[int]) -> None:
        super().__init__(page, kept)
        self.inline = InlineWriter(self.blocks, self.base)
        top, root = self.parents[self.root], [self.root] * (self.tags[self.root] in INLINE)
        self.around = _Around(self.blocks, dict.fromkeys((top, *root), ((), [])))
        self.around_in_cells = _Around(self.blocks, {})
        self.in_cell: dict[int, list[str]] = {}  # images

    def html(self) -> str:
        pieces: list[tuple[float, Piece]] = [*self.figures()]
        for unit, numbers in self.units():
            if not unit:
                for number in numbers:
                    piece = self.piece(number, self.around)
                    if piece[1].endswith("</p>") and self.is_next_line(number):
                        around, before, line_of = pieces.pop()[1]
                        piece = around, f"{before.removesuffix('</p>')}<br>{piece[1].partition('>')[2]}", line_of
                    pieces.append((number, piece))
                continue
            html = self.pre_html(unit, numbers) if self.tags[unit] == "pre" else self.table_html(unit, numbers)
            if html:
                pieces.append((numbers[0], self.block(self.parents[unit], html)))
        pieces.sort(key=itemgetter(0))
        return self.joined([piece for _, piece in pieces], "\n")

    def is_next_line(self, number: int) -> bool:
        """Whether one `br` divides a block from the chosen one before it, in the same `p` or quotation."""
        owner = self.owners[number]
        if number == 0 or self.owners[number - 1] != owner or self.tags[owner] not in PROSE:
            return False
        if (place := bisect_left(self.kept, number)) == 0 or self.kept[place - 1] != number - 1:
            return False
        breaks = 0
        for node in self.nodes_of(number)[0].preceding:
            if type(node) is Text and not node.data.isspace():
                return breaks == 1 and bool(node == self.nodes_of(number - 1)[-1])
            breaks += getattr(node, "tag", "") == "br"
            if breaks > 1 or getattr(node, "tag", "") == "img":
                return False
        return False

    def joined(self, pieces: Sequence[Piece], separator: str) -> str:
        """The pieces in the elements around them, on the outermost level with a separator between them."""
        out: list[str] = []
        begun: tuple[int, ...] = ()
        held = -1  # the element that the last piece is a line of
        for around, html, line_of in [*pieces, ((), "", -1)]:
            if not around and not begun and held == line_of == -1:
                out.append(html if not out or not html else separator + html)  # a paragraph behind another
                continue
            common = 0
            while common < min(len(begun), len(around)) and begun[common] == around[common]:
                common += 1
            if ended := begun[common:]:
                out += [f"</{CONTAINERS[self.tags[element]]}>" for element in ended[::-1]]
            if html and around == begun and held == line_of >= 0:
                out.append("<br>")
            elif html and (held >= 0 if not ended else line_of >= 0 and len(around) == common):
                out.append("\n")  # between a line and a list within its item
            elif html and out and not common:
                out.append(separator)
            out += [self.opening(CONTAINERS[self.tags[element]], element) for element in around[common:]]
            out.append(html)
            begun, held = around, line_of
        return "".join(out)

    def piece(self, number: int, known: _Around, cell: int = -1) -> Piece:
        """A block as a line of its list item, term, heading or cell, or else as a paragraph."""
        owner = self.owners[number]
        place = self.parents[owner] if self.tags[owner] == "p" else owner  # paragraphs of a parent have the same around
        around, inline = known[place]
        html = self.inline.html(number, inline)
        holder = around[-1] if around else cell
        tag = self.tags[holder] if holder >= 0 else ""
        if tag in LINE_HOLDERS or holder == cell >= 0:
            return around, html, holder
        name = MEMBERS.get(tag, "p")
        return around, f"{self.opening(name, owner)}{html}</{name}>", -1

    def block(self, element: int, html: str) -> Piece:
        """A figure, table or `pre` in an element, or in what is around it and may contain one."""
        around = self.around[element][0]
        while around and self.tags[around[-1]] not in FLOW:
            around = around[:-1]
        return around, html, -1

    def opening(self, name: str, element: int) -> str:
        """The opening tag of an element, as what it is written, with its attributes."""
        node, out, tag = self.blocks.nodes[element], name, self.tags[element]
        if name != "p" and tag in ATTRIBUTES:
            for attribute, values in ATTRIBUTES[tag]:
                if (value := node.attr(attribute)) is not None and values.fullmatch(value):
                    out += f' {attribute}="{value}"'
        if name == "blockquote" and (source := absolute_url(node.attr("cite"), self.base)):
            out += f' cite="{escape(source)}"'
        return f'<{out} dir="rtl">' if (direction := node.attr("dir")) and direction.lower() == "rtl" else f"<{out}>"

    def pre_html(self, pre: int, numbers: Sequence[int]) -> str:
        parts = self.code(pre, numbers)
        inline = [(written_around(node, self.blocks.nodes[pre]), lead, text) for node, lead, text in parts]
        return f"{self.opening('pre', pre)}{self.inline.joined(inline)}</pre>" if parts else ""

    def table_html(self, table: int, numbers: Sequence[int]) -> str:
        out, in_head, parent = [self.opening("table", table)], False, self.parents[table]
        if captions := self.caption_html(parent if self.tags[parent] == "figure" else table):
            out.append(f"<caption>{captions}</caption>")
        for row, cells in self.rows(table, numbers):
            if in_head != (is_head := self.tags[self.parents[row]] == "thead"):
                out.append("<thead>" if is_head else "</thead>")
                in_head = is_head
            out.append(f"<tr>{''.join(self.cell_html(cell, inner) for cell, inner in cells)}</tr>")
        return "".join(out) + ("</thead></table>" if in_head else "</table>")

    def cell_html(self, cell: int, numbers: Sequence[int]) -> str:
        name = self.tags[cell]
        self.around_in_cells[cell] = (), self.around[cell][1]
        pieces = [self.piece(number, self.around_in_cells, cell) for number in numbers]
        inner = pieces[0][1] if len(pieces) == 1 and not pieces[0][0] else self.joined(pieces, "")
        inner = inner or escape_text(self.cell_text(cell, numbers))
        return f"{self.opening(name, cell)}{''.join(self.in_cell.get(cell, ()))}{inner}</{name}>"

    def figures(self) -> Iterator[tuple[float, Piece]]:
        """The images as figures, with a common caption in one, and their places between the numbers of the blocks.

        Those in cells go to `in_cell`.
        """
        for (before, wrapper), same in groupby(self.images(), key=lambda image: image[:2]):
            images = [*same]
            owner, html = images[0].owner, "".join(image.html for image in images)
            if unit := abs(self.page.around[owner].unit):
                self.in_cell.setdefault(self.cell_of(unit, owner), []).append(html)
                continue
            if wrapper >= 0 and (text := self.caption_html(wrapper)):
                html += f"<figcaption>{text}</figcaption>"
            yield before - 0.5, self.block(owner, f"<figure>{html}</figure>")
