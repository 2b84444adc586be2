"""Bytes to one tree: detect the encoding, parse by the rules of HTML5, repair damage that would lose text.

*Encoding.* Valid UTF-8 is believed before any declaration: saved, proxied and mislabelled pages declare a wrong one,
and text in another encoding is almost never valid UTF-8. On pages of Chinese portals this decides more than any
extractor.

*Parsing.* Pages are written for browsers, so HTML5's rules cost nothing: text behind `</body>`, tables in paragraphs,
nesting of any depth (flattened at 512 levels). But an unclosed `title`, `textarea` or `template` hides all that
follows, in a browser too. It is recognised in the tree, by a chain of last children that ends in such an element, so
that a sound page costs nothing; a damaged one is repaired as bytes and parsed again.
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
#: The beginning of a tag in UTF-16: two ASCII characters with zero bytes between, before or behind them.
WIDE_TAG = re.compile(rb"(?:(?<=\x00)<\x00[a-zA-Z!?]|<\x00[a-zA-Z!?]\x00)")
#: Encodings whose bytes are all ASCII, so that they look like valid UTF-8.
SEVEN_BIT = frozenset({"iso2022_jp", "iso2022_jp_2", "iso2022_kr", "hz"})
#: Begins the characters of all of them but HZ.
ESCAPE = b"\x1b"
#: A page is damaged UTF-8 if at most this share of its non-ASCII bytes is invalid.
MAX_DAMAGE = 0.05
#: The same for GB18030 guessed without a declaration: read as GB18030, Latin text has more invalid pairs.
MAX_GUESS_DAMAGE = 0.02
#: Least share of the non-ASCII bytes that stand in pairs, as in Chinese; an accent in Latin text stands alone.
MIN_PAIRED = 0.8
PAIR = re.compile(rb"[\x80-\xff]{2}")
NON_ASCII = bytes(range(128, 256))

#: Elements whose content is raw text up to their closing tag.
RAW = ("title", "textarea", "iframe", "xmp", "noembed", "noframes")
#: Elements whose content is never article text; an unclosed one is a mistake that would hide the rest of the page.
SWALLOWING = frozenset((*RAW, *"select noscript script style option template svg object plaintext".split()))
FRAMES = re.compile(rb"</?(?:frameset|noframes|frame)\b[^>]*>", re.I)
MARKUP = re.compile(r"\s*<[a-zA-Z/]")
#: Bytes from the page's end in which nearly every page closes its last script.
NEAR_END = 2_000
#: A raw text element with more characters has swallowed part of the page.
RAW_TEXT = 2_000
#: Repairs of one page at most; each mends one element.
MAX_REPAIRS = 6


def to_utf8(html: bytes, declared: str | None = None) -> tuple[bytes, str]:
    """Convert a page to valid UTF-8 without BOM; returns it with the name of the encoding it was decoded from.

    Tried in this order: BOM, 7-bit encodings that are declared, UTF-16 by its zero bytes, UTF-8, damaged UTF-8,
    `declared` (the charset of the HTTP header), the page's own declaration, GB18030, cp1252.
    """
    for mark, encoding in BOMS:
        if html.startswith(mark):
            return _encode(html[len(mark) :].decode(encoding, "replace")), encoding
    if html.isascii() or ESCAPE in html:
        for encoding in _declared(html, declared)[:1]:
            if encoding in SEVEN_BIT:
                return _encode(html.decode(encoding, "replace")), encoding
    if wide := _utf16(html):
        return _encode(html.decode(wide, "replace")), wide
    try:
        html.decode("utf-8")
        return html, "utf-8"
    except UnicodeDecodeError:
        pass
    text = html.decode("utf-8", "replace")
    if text.count("\ufffd") <= max(1, MAX_DAMAGE * _count_non_ascii(html)) and _has_letters(text):
        return _encode(text), "utf-8"
    return _by_declaration(html, _declared(html, declared))


def str_to_utf8(text: str) -> bytes:
    """Encode a page given as text; lone surrogates become U+FFFD."""
    return _encode(text.removeprefix("\ufeff"))


def _by_declaration(html: bytes, encodings: list[str]) -> tuple[bytes, str]:
    """Decode by the first declared encoding that is not UTF-8, else guess GB18030 or cp1252."""
    for encoding in encodings:
        if encoding != "utf-8":
            return _encode(html.decode(encoding, "replace")), encoding
    high = _count_non_ascii(html)
    if 2 * len(PAIR.findall(html)) >= MIN_PAIRED * high:
        text = html.decode("gb18030", "replace")
        if text.count("\ufffd") <= MAX_GUESS_DAMAGE * high:
            return _encode(text), "gb18030"
    return _encode(html.decode("cp1252", "replace")), "cp1252"


def _count_non_ascii(html: bytes) -> int:
    return len(html) - len(html.translate(None, NON_ASCII))


def _has_letters(text: str) -> bool:
    """Whether any non-ASCII character was decoded: one stray byte in a page of ASCII is no evidence for UTF-8."""
    return any(character > "\x7f" and character != "\ufffd" for character in text)


def _encode(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:  # lone surrogates
        return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace").encode()


def _declared(html: bytes, header: str | None) -> list[str]:
    """The codecs declared by the HTTP header and by the page, known ones only."""
    return [codec for name in (header, _declaration(html)) if name and (codec := _codec(name))]


def _declaration(html: bytes) -> str | None:
    match = DECLARATION.search(html, 0, DECLARATION_BYTES)
    return match[1].decode("ascii", "replace") if match else None


def _codec(name: str) -> str | None:
    """The codec of a charset label as browsers read it (GB2312 as GB18030, Latin-1 as cp1252); None if unknown."""
    encoding = resolve_encoding(name)
    if encoding is None:
        return None
    return None if encoding.startswith(("utf-16", "utf-32")) else encoding


def _utf16(html: bytes) -> str | None:
    """The codec of UTF-16 without a BOM, by the zero bytes beside the letters of its first tag."""
    head = html[:64]
    if b"\x00" not in head:
        return None
    if tag := WIDE_TAG.search(head):
        return "utf-16-be" if tag.start() % 2 else "utf-16-le"
    return None


def parse(utf8: bytes) -> Any:
    """Parse UTF-8 bytes to the root element (lxml's API); None for a page without elements (empty, only comments)."""
    root = _parse(utf8)
    for _ in range(MAX_REPAIRS):
        mended = _repair(utf8, root)
        if mended is None:
            break
        utf8 = mended
        root = _parse(utf8)
    if root is not None:
        _open_noscript(root.node)
    return root


def drop(root: Any, xpaths: Iterable[str]) -> None:
    """Remove the elements that XPaths select, with their content but not the text behind them; never html or body."""
    for path in xpaths:
        for element in root.xpath(path):
            if isinstance(element, ElementView) and element.tag not in ("html", "body"):
                element.drop_tree()
    root.node.normalize()  # text before and behind a removed element becomes one node


def _parse(utf8: bytes) -> Any:
    document = turbohtml.parse(utf8, encoding="utf-8", positions=False)
    if document.root is None or not any(map(len, document.root)):  # the parser adds an empty head and body itself
        return None
    comments: Any = document.xpath("//comment() | //processing-instruction()")
    for node in comments:
        node.extract()
    if comments:
        document.root.normalize()  # text before and behind a comment becomes one node
    return ElementView(document.root)


def _open_noscript(root: Element) -> None:
    """Make a div of each `noscript` with most of the page's paragraphs: it holds the article of a page drawn by
    scripts, or all that follows where a `div` in it is left open."""
    for node in list(root.iter_elements("noscript")):
        length = paragraph_length(node)
        if length > SHOWN_LATER and 2 * length > paragraph_length(root):
            ElementView(node).tag = "div"


def _repair(utf8: bytes, root: Any) -> bytes | None:
    """The bytes to parse instead, with one repair; None where the tree has lost no text."""
    if root is None:
        return None
    if root.find("frameset") is not None:
        return FRAMES.sub(b"", utf8)
    body = root.find("body")
    element = body if body is not None and len(body) else root.find("head")
    while element is not None and len(element):
        element = element[-1]
        if element.tag in SWALLOWING and (mended := _without_last_opening(utf8, element.tag)):
            return mended
    for raw in root.node.iter_elements((*RAW, "script")):
        text = raw.text
        if len(text) <= RAW_TEXT or not _swallowed(raw, text):
            continue
        if mended := _closed_early(utf8, text, raw.tag):
            return mended
    return None


def _swallowed(element: Element, text: str) -> bool:
    """Whether a raw text element of more than RAW_TEXT holds part of the page; a script does if it begins with
    markup."""
    if element.tag != "script":
        return True
    return MARKUP.match(text) is not None and "script" in (element.attr("type") or "script")


def _without_last_opening(utf8: bytes, name: str) -> bytes | None:
    """The page without its last opening tag of that name if that is never closed; None if it is."""
    end = utf8[-NEAR_END:].lower()
    if end.rfind(b"</%s" % name.encode()) > end.rfind(b"<%s" % name.encode()):
        return None
    openings = list(re.finditer(rb"<%s(?=[\s/>])[^>]*>?" % name.encode(), utf8, re.I))
    if not openings or re.search(rb"</%s" % name.encode(), utf8[openings[-1].start() :], re.I):
        return None
    return utf8[: openings[-1].start()] + utf8[openings[-1].end() :]


def _closed_early(utf8: bytes, text: str, tag: str) -> bytes | None:
    """The page with the element of that text closed before the first tag it swallowed; None if it is not found."""
    line = text.strip().split("\n", 1)[0].strip()[:60].encode("utf-8", "replace")
    start = utf8.find(line)
    cut = utf8.find(b"<", start) if line and start >= 0 else -1
    return utf8[:cut] + b"</%s>" % tag.encode() + utf8[cut:] if cut >= 0 else None
