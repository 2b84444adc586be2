"""Bytes to text, for everything that is fetched or saved: pages, feeds, sitemaps, robots.txt.

Valid UTF-8 is believed before any declaration: saved, proxied and mislabelled pages declare a wrong one, and text in
another encoding is almost never valid UTF-8. On pages of Chinese portals this matters more than any extractor.

A declaration is believed if the letters that it gives fit a language (`letters.misfit`). Otherwise turbohtml's detector
guesses, with the country of the declared language or of the host. It doesn't know a dozen old encodings of the WHATWG's
standard: if its guess doesn't fit, either, the encoding that fits best is taken. UTF-8 that was read as Latin letters
and encoded again ("cafÃ©") is read as what it was.
"""

import codecs
import re
from collections.abc import Iterator
from unicodedata import normalize

import numpy as np
import turbohtml.detect

from newsextract.limits import HEAD
from newsextract.page.letters import misfit

BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
DECLARATION = re.compile(rb"""<(?:meta\b[^<>]*?\bcharset|\?xml\b[^<>]*?\bencoding)\s*=["'\s]*([\w.:-]+)""", re.I)
LANGUAGE = re.compile(
    rb"""<(?:(?:html|feed)\b[^<>]*?\blang|meta\b[^<>]*?\bcontent-language["'\s]*content)\s*=["'\s]*([a-z-]+)"""
    rb"""|<language>\s*([a-z-]+)""",
    re.I,
)
#: Begins a run of Japanese in ISO-2022-JP, whose bytes are all ASCII.
JAPANESE = (b"\x1b$B", b"\x1b$@")
#: In UTF-8 with at most this share of invalid bytes they are damage; with at most MAX_MIXED, text of another encoding.
MAX_DAMAGE = 0.05
MAX_MIXED = 0.3
ASCII = bytes(range(128))
#: Bytes that are read to see whether a declaration is right: from the first that isn't ASCII on, unless there are fewer
#: than FEW others; how many of those around them; the share of the limit below that their misfit may have. In the first
#: ones the same title may stand three times.
NEAR = 4_000
FEW = 8
CHECKED = ((NEAR, 500, 1.0), (16 * NEAR, 4_000, 0.3))
#: Bytes that are read to detect an encoding; those around each non-ASCII one that are read with it, for both.
DETECTED_BYTES = 2 * NEAR
CHECKED_AROUND = 1
DETECTED_AROUND = 3
#: Misfit of a declared encoding that is believed, and of a detected one or of Latin letters, which many servers declare
#: for everything. By how much another one must fit better than a detected one that is often taken for it, and than any
#: other. DOUBTFUL: a misfit may be off by 1 where there are only so many non-ASCII bytes; of that, the share below
#: counts for the detected one: little for Cyrillic, where most bytes differ, all for Latin letters.
BELIEVED = 0.8
GOOD = 0.6
BETTER = 0.02
MUCH_BETTER = 0.4
DOUBTFUL = 6
OFTEN_TAKEN_FOR = {
    "windows-1251": ("x-mac-cyrillic", 0.5),
    "ibm866": ("x-mac-cyrillic", 0.5),
    "windows-1252": ("macintosh", 1.0),
}
#: The encodings of the WHATWG's standard without those that others contain.
ENCODINGS = (
    "windows-1252 windows-1251 windows-1250 windows-1256 windows-1253 windows-1255 windows-1254 windows-874"
    " windows-1257 windows-1258 gb18030 big5 euc-jp shift_jis euc-kr koi8-u iso-8859-2 iso-8859-5 iso-8859-6 iso-8859-7"
    " ibm866 macintosh x-mac-cyrillic iso-8859-15 iso-8859-4 iso-8859-13 iso-8859-10 iso-8859-16 iso-8859-3 iso-8859-14"
).split()
#: The countries, as top-level domains, of languages with encodings of their own whose code isn't that of the country.
COUNTRIES = {name: name for name in "bg de es fi fr hr hu is it lt lv mk nl pl pt ro ru sk th tr".split()}
COUNTRIES |= dict(
    pair.split(":")
    for pair in "ar:eg be:by ca:es cs:cz da:dk el:gr et:ee fa:ir he:il iw:il ja:jp ko:kr nb:no nn:no no:no sl:si sr:rs"
    " sv:se uk:ua ur:pk vi:vn zh:cn".split()
)
TRADITIONAL = frozenset({"tw", "hk", "mo", "hant"})
#: Latin letters of windows-1252 -> their byte; those that are the bytes of a letter in UTF-8.
BYTES = {ord(letter): byte for byte, letter in enumerate(bytes(range(128, 160)).decode("whatwg-windows-1252"), 128)}
DOUBLED = re.compile(rb"\xc3.[\xc2\xc5\xc6\xcb\xe2]", re.S)
FURTHER = f"[\x80-\xbf{''.join(map(chr, BYTES))}]"
TWICE = re.compile(f"[\xc2-\xdf]{FURTHER}|[\xe0-\xef]{FURTHER}{{2}}|[\xf0-\xf4]{FURTHER}{{3}}")
HOST = re.compile(r"https?://[^/?#]*\.([a-z0-9-]+)(?=[:/?#]|\Z)", re.I)


def decode(body: bytes, charset: str | None = None, url: str | None = None) -> tuple[str, str]:
    """Decode a page, feed, sitemap or robots.txt; returns its text without BOM, and the name of the encoding.

    `charset`: as the HTTP header declares it; `url`: its host's country helps to tell encodings apart. Tried in this
    order: BOM, UTF-16 by its zero bytes, UTF-8, `charset`, the declaration in the text, detection.
    """
    for mark, encoding in BOMS:
        if body.startswith(mark):
            return body[len(mark) :].decode(encoding, "replace"), encoding
    if wide := _utf16(body[:NEAR]):
        return body.decode(wide, "replace"), wide
    try:
        text = body.decode()
    except UnicodeDecodeError as error:
        return _damaged(body) or _declared(body, charset, error.start) or _detected(body, charset, url)
    if text.isascii() and b"\x1b" in body and any(mark in body for mark in JAPANESE):
        return read_as(body, "iso-2022-jp"), "iso-2022-jp"
    while _is_encoded_twice(body):
        text = TWICE.sub(lambda match: match[0].translate(BYTES).encode("latin-1").decode("utf-8", "replace"), text)
        body = text.encode()
    return text, "utf-8"


def _is_encoded_twice(body: bytes) -> bool:
    """Whether most of the first letters of UTF-8 that aren't ASCII are its bytes, read as Latin letters."""
    start = max(0, body.find(b"\xc3"))
    if len(DOUBLED.findall(body, start, start + NEAR)) <= FEW // 3:  # as a rule
        return False
    letters = body[start : start + NEAR].decode("utf-8", "ignore").replace("Â\xa0", "")  # is pasted into any text
    twice = sum(map(len, TWICE.findall(letters)))
    return twice > FEW and 2 * twice > len(letters) - len(letters.encode("ascii", "ignore"))


def without_surrogates(text: str) -> str:
    """The text with U+FFFD for lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _utf16(head: bytes) -> str | None:
    """The codec of UTF-16 without a BOM: the zero bytes beside the letters of its markup stand at one side of them."""
    before, after = head[0::2].count(0), head[1::2].count(0)
    if max(before, after) < max(2, len(head) / 16) or min(before, after) > max(before, after) / 8:
        return None
    return "utf-16-be" if before > after else "utf-16-le"


def _damaged(body: bytes, share: float = MAX_DAMAGE) -> tuple[str, str] | None:
    """UTF-8 with at most that share of invalid bytes among the non-ASCII ones; None for another encoding."""
    if body.decode("utf-8", "ignore").isascii():
        return None
    high = body.translate(None, ASCII)
    invalid = high.decode("utf-8", "replace").count("\ufffd")
    if invalid > max(1, share * len(high)) or invalid == len(high):
        return None
    return body.decode("utf-8", "replace"), "utf-8"


def _declared(body: bytes, charset: str | None, start: int) -> tuple[str, str] | None:
    """Text in the encoding that is declared, if its first words from `start` fit a language in it."""
    start = max(0, start - CHECKED_AROUND)
    for near, size, strictness in CHECKED:
        sample = _sample(body[start : start + near], CHECKED_AROUND, size)
        if near == NEAR and len(sample.translate(None, ASCII)) < FEW:
            continue
        for encoding in _declarations(body, charset):
            latin = encoding == "windows-1252"
            limit = strictness * (GOOD if latin else BELIEVED) + _doubt(sample)
            if misfit(read_as(sample, encoding), _language(body)[:1] if latin else ()) < limit:
                return read_as(body, encoding), encoding
    return None


def _detected(body: bytes, charset: str | None, url: str | None) -> tuple[str, str]:
    """Text in UTF-8 with parts in another encoding, such as a row of a database, or in the encoding that fits best."""
    if _damaged(body, MAX_MIXED):
        text = body.decode("utf-8", "surrogateescape")
        words = "\n".join(re.findall("(?<![A-Za-z])[A-Za-z]*+[\udc80-\udcff][A-Za-z\udc80-\udcff]*+", text))
        encoding = _best_encoding(words.encode("utf-8", "surrogateescape"), body, charset, url)
        invalid = re.compile("[\udc80-\udcff]+")
        return invalid.sub(lambda part: read_as(part[0].encode("utf-8", "surrogateescape"), encoding), text), "utf-8"
    encoding = _best_encoding(_sample(body, DETECTED_AROUND, DETECTED_BYTES), body, charset, url)
    return read_as(body, encoding), encoding


def _best_encoding(sample: bytes, body: bytes, charset: str | None, url: str | None) -> str:
    """The encoding in which the words of the sample fit best: of the declared and the detected one, or of all."""
    languages, doubt = _language(body), _doubt(sample)
    options = turbohtml.detect.Detection(tld=_country(languages, url))
    detected = (turbohtml.detect.detect(sample, options).encoding or "windows-1252").lower()
    fits = {
        encoding: _misfit(sample, encoding, languages[:1]) for encoding in (*_declarations(body, charset), detected)
    }
    if detected in OFTEN_TAKEN_FOR:
        rare, share = OFTEN_TAKEN_FOR[detected]
        fits.setdefault(rare, _misfit(sample, rare, languages[:1]) + BETTER + share * doubt)
    if min(fits.values()) >= GOOD + doubt:
        for encoding in ENCODINGS:
            fits.setdefault(encoding, _misfit(sample, encoding, languages[:1]) + MUCH_BETTER + doubt)
    return min(fits, key=fits.__getitem__)


def _declarations(body: bytes, charset: str | None) -> Iterator[str]:
    """The encodings that the header and the text declare, other than UTF-8 and UTF-16, as browsers read them."""
    declaration = DECLARATION.search(body, 0, HEAD)
    labels = ((charset or "").encode("ascii", "replace"), declaration[1] if declaration else b"")
    for label in filter(None, labels):
        # an unknown label counts for nothing, so that the two bytes behind it are seen as UTF-8
        encoding = (turbohtml.detect.detect(b'<meta charset="%s">\xc3\xa9' % label).encoding or "").lower()
        if encoding not in ("utf-8", "replacement", ""):
            yield encoding


def read_as(body: bytes, encoding: str) -> str:
    """The text of bytes in an encoding of the WHATWG's, by the name that `decode` returns."""
    text = body.decode(f"whatwg-{encoding}", "replace")
    return normalize("NFC", text) if encoding == "windows-1258" else text


def _misfit(sample: bytes, encoding: str, languages: tuple[str, ...]) -> float:
    text = read_as(sample, encoding)
    fit = misfit(text, languages)
    return fit if fit < GOOD else misfit(text)


def _doubt(sample: bytes) -> float:
    """What a misfit may be off by: the more, the fewer non-ASCII bytes there are."""
    return DOUBTFUL / max(1, len(sample.translate(None, ASCII)))


def _sample(body: bytes, around: int, size: int) -> bytes:
    """The non-ASCII bytes, each with some bytes around it, up to that many bytes."""
    values = np.frombuffer(body, np.int8)
    near = values < 0
    for _ in range(around):
        before = near[:-1].copy()
        near[:-1] |= near[1:]
        near[1:] |= before
    return values[near][:size].tobytes()


def _language(body: bytes) -> tuple[str, ...]:
    """The language that the text declares, and its parts: `("zh", "hant", "tw")`; empty if it declares none."""
    found = LANGUAGE.search(body, 0, HEAD)
    return tuple((found[1] or found[2]).decode().lower().split("-")) if found else ()


def _country(language: tuple[str, ...], url: str | None) -> str | None:
    """The country whose encodings are the likeliest, as a top-level domain: the language's, or the host's."""
    if language[:1] == ("zh",) and TRADITIONAL.intersection(language):
        return "tw"
    host = HOST.match(url or "")
    return COUNTRIES.get("".join(language[:1])) or (host[1].lower() if host else None)
