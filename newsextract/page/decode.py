"""Bytes to text, for everything that is fetched or saved: pages, feeds, sitemaps, robots.txt.

Valid UTF-8 is believed before any declaration: saved, proxied and mislabelled pages declare a wrong one, and text in
another encoding is almost never valid UTF-8. On pages of Chinese portals this matters more than any extractor.
"""

import codecs
import re

from w3lib.encoding import resolve_encoding

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


def decode(html: bytes, declared: str | None = None, url: str | None = None) -> tuple[str, str]:
    """Decode a page, feed, sitemap or robots.txt; returns its text without BOM, and the name of the encoding.

    `declared`: the charset of the HTTP header; `url`: its host's country helps to tell encodings apart.

    Tried in this order: BOM, 7-bit encodings that are declared, UTF-16 by its zero bytes, UTF-8, damaged UTF-8,
    `declared`, the page's own declaration, GB18030, cp1252.
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
