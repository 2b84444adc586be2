"""The article's body as text and as clean HTML, safe to display: the chosen blocks in the structure of the page.

Both are read from the same lines: a block is a line, a row of a data table is one with its cells separated by tabs, and
`pre` has its own. Without captions the text of the HTML is the body. HTML has only the elements of CONTAINERS, INLINE
and tables, p, pre, and figure with img and figcaption; links and images have absolute http(s) URLs; all text is
escaped. `body.body_rows` decides which blocks are the body.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from html import escape
from itertools import chain, groupby
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urljoin

from turbohtml import Element, Text

from newsextract.metadata.images import image_sources, is_decoration, is_icon
from newsextract.page import Page
from newsextract.page.blocks import Blocks
from newsextract.page.walk import INVISIBLE, KINDS, SKIP, WORD, collapsed
from newsextract.urls import split_url

HEADINGS = {"h1": "h2", "h2": "h2", "h3": "h3", "h4": "h4", "h5": "h5", "h6": "h6"}
#: Block elements that are written, and as what; those that must stand directly in one of these; those that hold lines
#: as they are, separated by br, where others hold paragraphs; what a line becomes directly in these.
CONTAINERS = HEADINGS | {tag: tag for tag in "ul ol li dl dt dd blockquote footer details summary".split()}
LISTS = ("ul", "ol")
HOLDERS_OF = {"li": LISTS, "dt": ("dl",), "dd": ("dl",), "summary": ("details",), "footer": ("blockquote",)}
LINE_HOLDERS = frozenset(("li", "dt", "dd", "summary", "footer", *HEADINGS))
MEMBERS = {"ul": "li", "ol": "li", "dl": "dd"}
CELLS = ("td", "th")
FLOW = frozenset(("li", "dd", "blockquote", "details"))
NUMBER, SPAN = re.compile(r"-?\d{1,9}"), re.compile(r"[1-9]\d{0,3}")
#: Attributes that are written, and what their value may be.
ATTRIBUTES = {
    "ol": (("start", NUMBER), ("reversed", re.compile("|reversed")), ("type", re.compile("[1aAiI]"))),
    "li": (("value", NUMBER),),
    "td": (("colspan", SPAN), ("rowspan", SPAN)),
    "th": (("colspan", SPAN), ("rowspan", SPAN)),
}
#: A table without headings and with fewer cells, or with a cell of more characters (with headings), is layout.
MIN_CELLS, MAX_CELL, MAX_DECLARED_CELL = 4, 200, 1_000
#: Most columns of a cell that are told in the text.
MAX_SPAN = 20
#: How inline elements are written; others are dropped, their text stays. Attributes that some keep.
INLINE = {
    tag: tag for tag in "a abbr cite code del em ins kbd mark q rp rt ruby s samp strong sub sup time var".split()
}
INLINE |= {"i": "em", "dfn": "em", "b": "strong", "strike": "s"}
INLINE_ATTRIBUTES = {"abbr": "title", "time": "datetime"}
#: Tags and class words of captions, which are never body text; tags of text even within a figure.
CAPTION_TAGS = frozenset({"figcaption", "figure", "caption"})
CAPTION_WORDS = tuple("caption photo-credit photocredit image-credit imagecredit bildunterschrift legende".split())
CONTENT_TAGS = frozenset({"pre", "code", "table", "blockquote", "ul", "ol", "dl"})
#: White space of code: control characters and U+00A0 are spaces, invisible ones are left out.
CODE = dict.fromkeys((*range(9), *range(11, 32), *range(127, 161)), " ") | dict.fromkeys(map(ord, INVISIBLE))
#: URLs that need no urljoin: absolute ones with a plain host name, and those that begin with /.
ABSOLUTE_URL = re.compile(r"(https?://[a-z0-9][a-z0-9.-]*)(?:[/?#][!-~]*)?$")
ROOT_RELATIVE_URL = re.compile(r"/(?![/\\])(?!.*/\.)[!-~]*$")
#: Attributes with an image's URL; lazy-loading ones come first, because `src` is a placeholder then.
IMAGE_SOURCES = ("data-src", "data-original", "data-lazy-src", "src", "data-srcset", "srcset")
IMAGE_FILE = re.compile(r"\.(?:jpe?g|png|gif|webp|avif)(?:[?#].*)?$", re.I)


def body_text(page: Page, kept: Sequence[int]) -> str:
    """The lines of the blocks of `page.blocks` with these indices (ascending)."""
    body, texts = Structure(page, kept), page.blocks.texts
    lines: list[str] = []
    for unit, numbers in body.units():
        if not unit:
            lines += map(texts.__getitem__, numbers)
        elif page.blocks.element_tags[unit] == "pre":
            lines += body.code_lines(unit, numbers)
        else:
            lines += body.row_lines(unit, numbers)
    return "\n".join(lines)


def body_html(page: Page, kept: Sequence[int]) -> str:
    """Renders the blocks of `page.blocks` with these indices (ascending), with the images between them."""
    return _Writer(page, kept).html() if kept else ""


V = TypeVar("V")


class _Piece(NamedTuple):
    """A part of the HTML: the written elements around it, its HTML, and the element that it is a line of (-1: none)."""

    around: tuple[int, ...]
    html: str
    line_of: int = -1


class _Image(NamedTuple):
    """An image: the block before which it stands, what it has a caption in common with, the element around it."""

    before: int
    wrapper: int
    owner: int
    html: str


class Structure:
    """The chosen blocks of a page with the block elements (indices) around them."""

    def __init__(self, page: Page, kept: Sequence[int] = ()) -> None:
        self.page, self.blocks, self.kept = page, page.blocks, kept
        self.tags, self.parents, self.owners = page.blocks.element_tags, page.blocks.parent_list, page.blocks.owner_list
        self.has_units = "pre" in self.tags or "table" in self.tags
        self.unit_of: dict[int, int] = {-1: 0, 0: 0}  # by block element

    def units(self) -> Iterator[tuple[int, list[int]]]:
        """The chosen blocks, neighbours together that stand in the same table or `pre` (0: in none)."""
        if not self.has_units:
            return iter(((0, [*self.kept]),))
        by_unit = groupby(self.kept, lambda number: max(0, self.unit(self.owners[number])))
        return ((unit, [*numbers]) for unit, numbers in by_unit)

    def in_table(self, element: int) -> bool:
        """Whether a block element is in a cell of a data table, or is one."""
        return (unit := self.unit(element)) > 0 and self.tags[unit] == "table"

    def unit(self, element: int) -> int:
        """The outermost `pre` or data table that holds a block element in it, or a cell of it, or is it; 0 if none,
        negative if the element is in the table but in no cell.
        """
        return _inherited(self.unit_of, self.parents, element, self.unit_below)

    def unit_below(self, unit: int, element: int) -> int:
        tag = self.tags[element]
        if unit < 0:
            return -unit if tag in CELLS else unit
        if not unit and tag == "table":
            return -element if _is_data_table(self.blocks.nodes[element]) else 0
        return element if not unit and tag == "pre" else unit

    def rows(self, table: int, numbers: Sequence[int]) -> list[tuple[int, list[tuple[int, list[int]]]]]:
        """The rows of a data table with these blocks, and those without text: the row, its cells with their blocks."""
        blocks_of: dict[int, list[int]] = {}
        for number in numbers:
            blocks_of.setdefault(self.cell_of(table, self.owners[number]), []).append(number)
        cells_of: dict[int, list[tuple[int, list[int]]]] = {}
        for element in range(table + 1, len(self.tags)):
            if (parent := self.parents[element]) < table:
                break
            if self.tags[element] in CELLS and not self.cell_of(table, parent):
                cells_of.setdefault(parent, []).append((element, blocks_of.get(element, [])))
        first, last, spans = numbers[0], numbers[-1] + 1, self.blocks.spans
        return [
            (row, cells)
            for row, cells in cells_of.items()
            if any(inner for _, inner in cells) or first <= spans[row, 0] == spans[row, 1] <= last
        ]

    def cell_of(self, table: int, element: int) -> int:
        """The outermost cell of a table that contains an element or is it; 0 if none."""
        cell = 0
        while element > table:
            cell = element if self.tags[element] in CELLS else cell
            element = self.parents[element]
        return cell

    def cell_text(self, cell: int, numbers: Sequence[int]) -> str:
        """The text of a cell; signs without a letter or digit aren't blocks, but a reader sees them."""
        if numbers:
            return " ".join(map(self.blocks.texts.__getitem__, numbers))
        text = collapsed(self.blocks.nodes[cell].text) if len(self.blocks.nodes[cell]) else ""
        return "" if WORD.search(text) else text

    def row_lines(self, table: int, numbers: Sequence[int]) -> Iterator[str]:
        """The rows as lines: cells separated by tabs, empty ones where a cell spans more columns or rows."""
        below: dict[int, int] = {}  # column -> number of the first row below a cell that spans rows
        for number, (_, cells) in enumerate(self.rows(table, numbers)):
            line: list[str] = []
            width = 0
            for cell, inner in cells:
                line += [""] * (width - 1)
                while below.get(len(line), 0) > number:
                    line.append("")
                width, height = (self.span(cell, name) for name in ("colspan", "rowspan"))
                below |= dict.fromkeys(range(len(line), len(line) + width), number + height)
                line.append(self.cell_text(cell, inner))
            if any(line):
                yield "\t".join(line)

    def span(self, cell: int, name: str) -> int:
        """How many columns or rows a cell spans."""
        value = self.blocks.nodes[cell].attr(name) or ""
        return min(MAX_SPAN, int(value)) if SPAN.fullmatch(value) else 1

    def code(self, pre: int, numbers: Sequence[int]) -> list[tuple[Text, str, str]]:
        """The text nodes of a `pre` without those of blocks that weren't chosen, each with the line break before it and
        its text.
        """
        blocks, root = self.blocks, self.blocks.nodes[pre]
        foreign = {
            node for number in {*range(*blocks.spans[pre])}.difference(numbers) for node in self.nodes_of(number)
        }
        inner = {*blocks.nodes[pre + 1 : self.end(pre)]}
        parts: list[tuple[Text, str, str]] = []
        holder, lead = root, ""
        for node in root.descendants:
            if type(node) is Element and node.tag == "br":
                lead += "\n"
            if type(node) is not Text or node in foreign or node in self.page.styled:
                continue
            element: Any = node.parent
            is_skipped = False
            while element is not root and element not in inner:
                is_skipped |= element.tag == "button" or self.is_skipped(element)
                element = element.parent
            text = node.data.translate(CODE)
            if is_skipped or (element is not holder and not text.strip()):
                continue  # white space between lines that are block elements
            if element is not holder and parts and not lead and not parts[-1][2].endswith("\n"):
                lead = "\n"
            parts.append((node, lead, text))
            holder, lead = element, ""
        numerals = "".join(lead + text for _, lead, text in parts).split()
        is_gutter = len(numerals) > 1 and numerals == [*map(str, range(1, len(numerals) + 1))]
        return [] if is_gutter else parts

    def code_lines(self, pre: int, numbers: Sequence[int]) -> list[str]:
        """The lines of a `pre` with their indentation, without blank ones."""
        lines = "".join(lead + text for _, lead, text in self.code(pre, numbers)).split("\n")
        return [line.rstrip() for line in lines if not line.isspace() and line]

    def nodes_of(self, number: int) -> Sequence[Any]:
        """The text nodes of a block."""
        return self.blocks.text_nodes[number] or self.blocks.nodes[self.owners[number]].children

    def is_skipped(self, element: Element) -> bool:
        return self.page.styled.get(element, KINDS.get(element.tag)) == SKIP

    def end(self, element: int) -> int:
        """One past the last block element within one."""
        outside = (self.blocks.parents[element + 1 :] < element).nonzero()[0]
        return element + 1 + int(outside[0]) if len(outside) else len(self.tags)


class _Writer(Structure):
    """Writes the body as HTML."""

    def __init__(self, page: Page, kept: Sequence[int]) -> None:
        super().__init__(page, kept)
        self.base = urljoin(page.url or "", page.meta.base or "")
        self.root = self.owners[kept[0]]
        while self.root > 0 and self.blocks.spans[self.root][1] <= kept[-1]:
            self.root = self.parents[self.root]  # the smallest block element with all of them
        while self.root > 0 and self.unit(self.root):
            self.root = self.parents[self.root]
        self.inline = _InlineWriter(self.blocks, self.base, self.root)
        self.around: dict[int, tuple[int, ...]] = {self.parents[self.root]: ()}
        self.in_cell: dict[int, list[str]] = {}  # images
        self.captions: dict[int, int | None] = {-1: None}

    def html(self) -> str:
        pieces = [*self.figures()]
        for unit, numbers in self.units():
            if not unit:
                pieces += [(number, 1, self.piece(number, self.around)) for number in numbers]
                continue
            html = self.pre_html(unit, numbers) if self.tags[unit] == "pre" else self.table_html(unit, numbers)
            if html:
                pieces.append((numbers[0], 1, self.block(self.parents[unit], html)))
        pieces.sort(key=lambda piece: piece[:2])
        return self.joined([piece for *_, piece in pieces], "\n")

    def joined(self, pieces: Sequence[_Piece], separator: str) -> str:
        """The pieces in the elements around them, on the outermost level with a separator between them."""
        out: list[str] = []
        begun: tuple[int, ...] = ()
        held = -1  # the element that the last piece is a line of
        for around, html, line_of in [*pieces, _Piece((), "")]:
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

    def written_around(self, element: int, known: dict[int, tuple[int, ...]]) -> tuple[int, ...]:
        """The written elements around a block element and itself, outermost first, below those known."""
        if element in known:  # as for all paragraphs of one parent
            return known[element]
        return _inherited(known, self.parents, element, partial(self.with_element, known))

    def with_element(self, known: dict[int, tuple[int, ...]], around: tuple[int, ...], element: int) -> tuple[int, ...]:
        if (tag := self.tags[element]) not in CONTAINERS:
            return around
        last = self.tags[around[-1]] if around else ""
        if last in HEADINGS or (tag in HOLDERS_OF and last not in HOLDERS_OF[tag]):
            return around
        if tag not in LISTS or last not in LISTS:
            return (*around, element)
        before = element - 1  # a list directly within a list belongs to the item before it
        while self.parents[before] > self.parents[element]:
            before = self.parents[before]
        item = self.written_around(before, known) if self.parents[before] == self.parents[element] else ()
        item = item[:-1] if item and self.tags[item[-1]] in LISTS else item
        return (*item, element) if len(item) > len(around) else around

    def piece(self, number: int, known: dict[int, tuple[int, ...]], cell: int = -1) -> _Piece:
        """A block as a line of its list item, term, heading or cell, or else as a paragraph."""
        owner = self.owners[number]
        is_plain = self.tags[owner] not in CONTAINERS and owner not in known  # then its parent's counts
        around, html = self.written_around(self.parents[owner] if is_plain else owner, known), self.inline.html(number)
        holder = around[-1] if around else cell
        tag = self.tags[holder] if holder >= 0 else ""
        if tag in LINE_HOLDERS or holder == cell >= 0:
            return _Piece(around, html, holder)
        name = MEMBERS.get(tag, "p")
        return _Piece(around, f"{self.opening(name, owner)}{html}</{name}>")

    def block(self, element: int, html: str) -> _Piece:
        """A figure, table or `pre` in an element, or in what is around it and may contain one."""
        around = self.written_around(element, self.around)
        while around and self.tags[around[-1]] not in FLOW:
            around = around[:-1]
        return _Piece(around, html)

    def opening(self, name: str, element: int) -> str:
        """The opening tag of an element, as what it is written, with its attributes."""
        node, out = self.blocks.nodes[element], name
        for attribute, values in ATTRIBUTES.get(self.tags[element], ()):
            if (value := node.attr(attribute)) is not None and values.fullmatch(value):
                out += f' {attribute}="{value}"'
        if name == "blockquote" and (source := absolute_url(node.attr("cite"), self.base)):
            out += f' cite="{escape(source)}"'
        return f'<{out} dir="rtl">' if (direction := node.attr("dir")) and direction.lower() == "rtl" else f"<{out}>"

    def pre_html(self, pre: int, numbers: Sequence[int]) -> str:
        parts = self.code(pre, numbers)
        inline = [(_written_around(node, self.blocks.nodes[pre]), lead, text) for node, lead, text in parts]
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
        known: dict[int, tuple[int, ...]] = {cell: ()}
        inner = self.joined([self.piece(number, known, cell) for number in numbers], "")
        inner = inner or _escape_text(self.cell_text(cell, numbers))
        return f"{self.opening(name, cell)}{''.join(self.in_cell.get(cell, ()))}{inner}</{name}>"

    def caption_html(self, element: int) -> str:
        """The captions below an element, without those of figures within it."""
        texts = []
        for number in range(*self.blocks.spans[element].tolist()):
            if self.is_caption(number):
                above = self.owners[number]
                while above > element and self.tags[above] != "figure":
                    above = self.parents[above]
                texts += [self.blocks.texts[number]] * (above <= element)
        return _escape_text(" ".join(texts))

    def is_caption(self, number: int) -> bool:
        return caption_of(self.blocks, self.owners[number], self.captions) is not None

    def figures(self) -> Iterator[tuple[int, int, _Piece]]:
        """The images among the blocks as figures, with a common caption in one; those in cells go to `in_cell`."""
        for (before, wrapper), same in groupby(self.images(), key=lambda image: image[:2]):
            images = [*same]
            owner, html = images[0].owner, "".join(image.html for image in images)
            if unit := abs(self.unit(owner)):
                self.in_cell.setdefault(self.cell_of(unit, owner), []).append(html)
                continue
            if wrapper >= 0 and (text := self.caption_html(wrapper)):
                html += f"<figcaption>{text}</figcaption>"
            yield before, 0, self.block(owner, f"<figure>{html}</figure>")

    def images(self) -> Iterator[_Image]:
        """The images of the article, each URL once: those among its blocks, and with captions beside them."""
        elements = [*self.blocks.nodes[self.root].iter_elements("img")]
        owners = {self.blocks.nodes[row]: row for row in range(self.root, self.end(self.root))} if elements else {}
        places: dict[int, dict[Element, int]] = {}
        shown: set[str] = set()
        before_it = None  # the image before, if it is shown
        for index, image in enumerate(elements):
            path: list[Any] = [image.parent]
            while path[-1] not in owners:
                path.append(path[-1].parent)
            is_fallback = any(element.tag == "noscript" for element in path)
            if any(element.tag != "noscript" and self.is_skipped(element) for element in (image, *path)):
                continue
            owner = owners[path[-1]]
            if owner not in places:
                places[owner] = self.places_in(owner)
            number, wrapper = places[owner].get(image, int(self.blocks.spans[owner][0])), self.wrapper_of(owner)
            is_captioned = self.tags[wrapper] == "figure" or not self.has_kept(wrapper)
            if not is_captioned and (caption := self.caption_behind(owner, number)):
                wrapper, is_captioned = caption, True
            if not self.is_among(number, wrapper if is_captioned else None) or (is_fallback and before_it == path[-1]):
                continue
            in_figure = is_captioned or image.closest("figure") is not None
            target = self.image_target(image, in_figure)
            before_it = path[-1] if target else None
            if target and target not in shown:
                shown.add(target)
                alt = escape(collapsed(image.attr("alt") or ""))
                html = f'<img src="{escape(target)}" alt="{alt}">'
                yield _Image(number, wrapper if is_captioned else ~index, owner, html)

    def wrapper_of(self, element: int) -> int:
        """The smallest block element around one (or itself) that has blocks."""
        spans = self.blocks.spans
        while element > self.root and spans[element, 0] == spans[element, 1]:
            element = self.parents[element]
        return element

    def caption_behind(self, owner: int, number: int) -> int:
        """The caption that begins with a block, right behind an image in `owner` or behind that element; 0 if none."""
        if number == len(self.owners) or not self.is_caption(number):
            return 0
        caption = caption_of(self.blocks, self.owners[number], self.captions) or 0
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
        return all(map(self.is_caption, chain(around, between)))

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
        sources = image_sources(image, IMAGE_SOURCES)
        targets = [url for source in sources if (url := absolute_url(source, self.base))]
        pictures = [url for url in targets if not is_decoration(url)]
        return next(iter(pictures or (targets if in_figure else ())), None)


class _InlineWriter:
    """Writes blocks' inner HTML: the links and inline markup around each text node, below the element `root`."""

    def __init__(self, blocks: Blocks, base: str, root: int) -> None:
        self.blocks, self.base = blocks, base
        self.around: dict[int, list[Element]] = {root: []}  # by block element

    def html(self, number: int) -> str:
        """The inner HTML of a block, with the white space of its text; elements without text are left out."""
        blocks = self.blocks
        text, row = blocks.texts[number], blocks.owner_list[number]
        owner, outer = blocks.nodes[row], self._around(row)
        nodes: Sequence[Any] = blocks.text_nodes[number] or owner.children
        if not outer and len(nodes) == 1 and nodes[0].parent is owner:
            return _escape_text(text)
        parts: list[tuple[list[Element], str, str]] = []
        position = 0
        for node in nodes:
            words, start = node.data.strip(), position + text.startswith(" ", position)
            if not words or not (text.startswith(words, start) or (words := collapsed(words))):
                continue
            around = outer if node.parent is owner else outer + _written_around(node, owner)
            parts.append((around, " " if start > position else "", text[start : start + len(words)]))
            position = start + len(words)
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
            out.append(_escape_text(text))
        return "".join(out + closings[::-1])

    def _around(self, element: int) -> list[Element]:
        """The written elements that contain a block element or are it, below `root`, outermost first."""
        if element in self.around:
            return self.around[element]
        return _inherited(self.around, self.blocks.parent_list, element, self._with_element)

    def _with_element(self, around: list[Element], element: int) -> list[Element]:
        return [*around, self.blocks.nodes[element]] if self.blocks.element_tags[element] in INLINE else around

    def _tags_of(self, element: Element) -> tuple[str, str]:
        """Opening and closing tag of an inline element; empty for a link without an http(s) address."""
        name, attribute = INLINE[element.tag], ""
        if name == "a":
            target = absolute_url(element.attr("href"), self.base)
            return (f'<a href="{escape(target)}">', "</a>") if target else ("", "")
        if (kept := INLINE_ATTRIBUTES.get(name)) and (value := element.attr(kept)):
            attribute = f' {kept}="{escape(value)}"'
        return f"<{name}{attribute}>", f"</{name}>"


def _written_around(node: Text, top: Element) -> list[Element]:
    """The written elements that a text node stands in below an element, outermost first."""
    around: list[Element] = []
    element: Any = node.parent
    while element is not top:
        if element.tag in INLINE:
            around.append(element)
        element = element.parent
    return around[::-1]


def caption_of(blocks: Blocks, element: int, known: dict[int, int | None]) -> int | None:
    """The caption that a block element is or is in; None for text, even in a figure. `known`: results so far, at first
    those of -1.
    """

    def below(around: int | None, element: int) -> int | None:
        tag, name = blocks.element_tags[element], blocks.element_classes[element]
        if tag in CAPTION_TAGS or (tag not in CONTENT_TAGS and name and _has_caption_class(name)):
            figure = blocks.nodes[blocks.parent_list[element] if tag == "figcaption" else element]
            is_source = figure.tag == "figure" and next(figure.iter_elements("blockquote"), None) is not None
            return None if is_source else element  # of a quotation
        return None if tag in CONTENT_TAGS else around

    return _inherited(known, blocks.parent_list, element, below)


def _inherited(known: dict[int, V], parents: Sequence[int], element: int, below: Callable[[V, int], V]) -> V:
    """A value of a block element that depends on its parent's; `known`: values so far, one at least above it."""
    path = []
    while element not in known:
        path.append(element)
        element = parents[element]
    value = known[element]
    for element in reversed(path):
        known[element] = value = below(value, element)
    return value


@lru_cache(maxsize=4_096)
def _has_caption_class(name: str) -> bool:
    """Cached: the blocks of a page, and the pages of a site, have few classes around them."""
    return any(map(name.lower().__contains__, CAPTION_WORDS))


def _is_data_table(table: Element) -> bool:
    """Whether a table holds data rather than layout: with headings or MIN_CELLS cells, all of them short, none with a
    table (unless it has headings itself).
    """
    cells = [*table.iter_elements(CELLS)]
    own = (element for element in table.iter_elements(("th", "caption", "thead")) if element.closest("table") is table)
    is_declared = next(own, None) is not None
    if (table.attr("role") or "").lower() in ("presentation", "none") or not (is_declared or len(cells) >= MIN_CELLS):
        return False
    if not is_declared and next(table.iter_elements("table"), None) is not None:
        return False
    longest = MAX_DECLARED_CELL if is_declared else MAX_CELL
    return all(len(cell.text) <= longest for cell in cells[:500])


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
