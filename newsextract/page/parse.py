"""Bytes to a tree: detects the encoding, parses by the rules of HTML5, repairs damage that would lose text.

*Encoding.* Valid UTF-8 is believed before any declaration: saved, proxied and mislabelled pages declare a wrong one,
and text in another encoding is almost never valid UTF-8. On pages of Chinese portals this matters more than any
extractor.

*Parsing.* Pages are written for browsers, so HTML5's rules cost nothing: text after `</body>`, tables in paragraphs,
nesting of any depth (flattened at 512 levels). But an unclosed `title`, `textarea` or `template` hides everything after
it, in a browser, too. It is recognised in the tree by a chain of last children that ends in such an element, so an
intact page costs nothing; a damaged one is repaired as text and parsed again.
"""

import codecs
import re
from collections.abc import Iterable
from typing import Any

import turbohtml
from turbohtml import Element
from turbohtml.etree import ElementView
from w3lib.encoding import resolve_encoding

from newsextract.page.walk import SHOWN_LATER, paragraph_length

BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
#: Bytes from the page's start that are searched for a charset declaration.
DECLARATION_BYTES = 20_000
DECLARATION = re.compile(rb"""<(?:meta\b[^>]*?\bcharset|\?xml\b[^>]*?\bencoding)\s*=\s*["']?\s*([\w.:-]+)""", re.I)
#: The beginning of a tag in UTF-16: two ASCII characters with zero bytes before, between or after them.
WIDE_TAG = re.compile(rb"(?:(?<=\x00)<\x00[a-zA-Z!?]|<\x00[a-zA-Z!?]\x00)")
#: Encodings whose bytes are all ASCII, so that they look like valid UTF-8.
SEVEN_BIT = frozenset({"iso2022_jp", "iso2022_jp_2", "iso2022_kr", "hz"})
#: Begins the characters of all of them except HZ.
ESCAPE = b"\x1b"
#: A page is damaged UTF-8 if at most this share of its non-ASCII bytes is invalid.
MAX_DAMAGE = 0.05
#: The same for GB18030 guessed without a declaration: Latin text read as GB18030 has more invalid pairs.
MAX_GUESS_DAMAGE = 0.02
#: Minimum share of the non-ASCII bytes in pairs, as in Chinese; an accent in Latin text stands alone.
MIN_PAIRED = 0.8
PAIR = re.compile(rb"[\x80-\xff]{2}")
NON_ASCII = bytes(range(128, 256))

#: Elements whose content is raw text up to their closing tag.
RAW = frozenset({"title", "textarea", "iframe", "xmp", "noembed", "noframes", "script"})
#: Elements used by repairs and by the page's declarations (`meta`).
LISTED = (*RAW, "noscript", "meta", "link", "base", "h1", "h2")
#: Elements that are never article text; an unclosed one is a mistake that would hide the rest of the page.
SWALLOWING = frozenset((*RAW, *"select noscript style option template svg object plaintext".split()))
FRAMES = re.compile(r"</?(?:frameset|noframes|frame)\b[^>]*>", re.I)
MARKUP = re.compile(r"\s*<[a-zA-Z/]")
#: An element of LISTED: its tag, itself, and its text if it is one of RAW.
Listed = tuple[str, Element, str]
#: Within this many characters of the page's end, nearly every page closes its last script.
NEAR_END = 2_000
#: A raw text element with more characters has swallowed part of the page.
RAW_TEXT = 2_000
#: Maximum repairs of one page; each fixes one element.
MAX_REPAIRS = 6


def decode(html: bytes, declared: str | None = None) -> tuple[str, str]:
    """Decode a page; returns its text without BOM, and the name of the encoding.

    Tried in this order: BOM, 7-bit encodings that are declared, UTF-16 by its zero bytes, UTF-8, damaged UTF-8,
    `declared` (the charset of the HTTP header), the page's own declaration, GB18030, cp1252.
    """
    for mark, encoding in BOMS:
        if html.startswith(mark):
            return html[len(mark) :].decode(encoding, "replace"), encoding
    if html.isascii() or ESCAPE in html:
        for encoding in _declared(html, declared)[:1]:
            if encoding in SEVEN_BIT:
                return without_surrogates(html.decode(encoding, "replace")), encoding
    if wide := _utf16(html):
        return html.decode(wide, "replace"), wide
    try:
        return html.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        pass
    text = html.decode("utf-8", "replace")
    if text.count("\ufffd") <= max(1, MAX_DAMAGE * _count_non_ascii(html)) and _has_letters(text):
        return text, "utf-8"
    text, encoding = _by_declaration(html, _declared(html, declared))
    return without_surrogates(text), encoding


def without_surrogates(text: str) -> str:
    """The text with U+FFFD for lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _by_declaration(html: bytes, encodings: list[str]) -> tuple[str, str]:
    """Decodes by the first declared encoding other than UTF-8, otherwise guesses GB18030 or cp1252."""
    for encoding in encodings:
        if encoding != "utf-8":
            return html.decode(encoding, "replace"), encoding
    high = _count_non_ascii(html)
    if 2 * len(PAIR.findall(html)) >= MIN_PAIRED * high:
        text = html.decode("gb18030", "replace")
        if text.count("\ufffd") <= MAX_GUESS_DAMAGE * high:
            return text, "gb18030"
    return html.decode("cp1252", "replace"), "cp1252"


def _count_non_ascii(html: bytes) -> int:
    return len(html) - len(html.translate(None, NON_ASCII))


def _has_letters(text: str) -> bool:
    """Whether any non-ASCII letter was decoded: one stray byte in a page of ASCII doesn't prove UTF-8."""
    return any(character > "\x7f" and character != "\ufffd" for character in text)


def _declared(html: bytes, header: str | None) -> list[str]:
    """The known codecs that header and page declare, as browsers read them (GB2312 as GB18030, Latin-1 as cp1252)."""
    match = DECLARATION.search(html, 0, DECLARATION_BYTES)
    names = (header, match[1].decode("ascii", "replace") if match else None)
    codecs_of_names = (resolve_encoding(name) for name in names if name)
    return [codec for codec in codecs_of_names if codec and not codec.startswith(("utf-16", "utf-32"))]


def _utf16(html: bytes) -> str | None:
    """The codec of UTF-16 without a BOM, by the zero bytes beside the letters of its first tag."""
    head = html[:64]
    if b"\x00" not in head:
        return None
    if tag := WIDE_TAG.search(head):
        return "utf-16-be" if tag.start() % 2 else "utf-16-le"
    return None


def parse(html: str) -> ElementView:
    """Parse a page to the root element (lxml's API); as in a browser, any page has one, with a head and a body."""
    return parse_page(html)[0]


def parse_page(html: str) -> tuple[ElementView, list[Listed]]:
    """Like `parse`, with the page's elements of LISTED."""
    for repairs in range(MAX_REPAIRS + 1):
        root = _parse(html)
        elements = listed_elements(root)
        if repairs == MAX_REPAIRS or not (mended := _repair(html, root, elements)):
            break
        html = mended
    _open_noscript(root.node, elements)
    return root, elements


def listed_elements(root: ElementView) -> list[Listed]:
    """The elements of LISTED below a root, in document order: one walk for all who look for them."""
    found = root.node.iter_elements(LISTED)
    return [(tag := element.tag, element, element.text if tag in RAW else "") for element in found]


def drop(root: Any, xpaths: Iterable[str]) -> None:
    """Removes the elements that XPaths select, with their content but not the text after them; never html or body."""
    for path in xpaths:
        for element in root.xpath(path):
            if isinstance(element, ElementView) and element.tag not in ("html", "body"):
                element.drop_tree()
    root.node.normalize()  # text before and after a removed element becomes one node


def _parse(html: str) -> ElementView:
    document: Any = turbohtml.parse(html, positions=False)
    comments = document.xpath("//comment() | //processing-instruction()")
    for node in comments:
        node.extract()
    if comments:
        document.root.normalize()  # text before and after a comment becomes one node
    return ElementView(document.root)


def _open_noscript(root: Element, elements: list[Listed]) -> None:
    """Turns a `noscript` with most of the page's paragraphs into a div: scripts or an unclosed tag hide them."""
    for tag, node, _ in elements:
        length = paragraph_length(node) if tag == "noscript" else 0
        if length > SHOWN_LATER and 2 * length > paragraph_length(root):
            ElementView(node).tag = "div"


def _repair(html: str, root: ElementView, elements: list[Listed]) -> str | None:
    """The page to parse instead, with one repair; None if the tree has lost no text."""
    if root.find("frameset") is not None:
        return FRAMES.sub("", html)
    last = _last_child(root.node.find("body")) or _last_child(root.node.find("head"))
    while last is not None:
        if last.tag in SWALLOWING and (mended := _without_last_opening(html, last.tag)):
            return mended
        last = _last_child(last)
    swallowing = (row for row in elements if len(row[2]) > RAW_TEXT and _swallowed(*row))
    return next(filter(None, (_closed_early(html, text, tag) for tag, _, text in swallowing)), None)


def _last_child(element: Element | None) -> Element | None:
    """The last element within another, not below one of its children."""
    children = () if element is None else reversed(element.children)
    return next((child for child in children if isinstance(child, Element)), None)


def _swallowed(tag: str, element: Element, text: str) -> bool:
    """Whether a raw text element of more than RAW_TEXT has part of the page; a script does if it begins with markup."""
    return tag != "script" or (MARKUP.match(text) is not None and "script" in (element.attr("type") or "script"))


def _without_last_opening(html: str, name: str) -> str | None:
    """The page without its last opening tag of that name if it is never closed, or None."""
    end = html[-NEAR_END:].lower()
    if end.rfind(f"</{name}") > end.rfind(f"<{name}"):
        return None
    openings = list(re.finditer(rf"<{name}(?=[\s/>])[^>]*>?", html, re.I))
    if not openings or re.compile(f"</{name}", re.I).search(html, openings[-1].start()):
        return None
    return html[: openings[-1].start()] + html[openings[-1].end() :]


def _closed_early(html: str, text: str, tag: str) -> str | None:
    """The page with the element of that text closed before the first tag it swallowed; None if it is not found."""
    line = text.strip().split("\n", 1)[0].strip()[:60]
    start = html.find(line)
    cut = html.find("<", start) if line and start >= 0 else -1
    return f"{html[:cut]}</{tag}>{html[cut:]}" if cut >= 0 else None
