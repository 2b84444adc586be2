"""Parses any bytes as a feed, a sitemap or OPML: unpacks, decodes, repairs, and gives its entries one by one.

lxml reads the text as a stream, without building a tree. It starts at the root element, so nothing before it counts (a
wrong declaration, a PHP notice, comments, a DTD); a list that ends early gives the entries before its end. Names are
compared without their prefixes, because many are undeclared.
"""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from html.entities import html5
from typing import Any, NamedTuple
from urllib.parse import urljoin

from lxml import etree

from newsextract.compression import decode_content
from newsextract.limits import BLOCK_BYTES
from newsextract.page.decode import decode, read_as, without_surrogates
from newsextract.settings import URLLENGTH_LIMIT

#: The limit of the sitemap protocol for a file, unpacked.
MAX_BYTES = 50 * 1024 * 1024
#: Characters of a value that are kept.
MAX_VALUE = 20_000
#: Elements that may be open at a time; a list needs ten, and damaged ones leave some open.
MAX_DEPTH = 5_000
NON_ASCII = bytes(range(128, 256))
#: Root elements, without prefix, and the names of the entries in them.
FEEDS = dict.fromkeys(("rss", "rdf", "channel", "feed"), ("item", "entry"))
SITEMAPS = dict.fromkeys(("urlset", "sitemapindex"), ("url", "sitemap"))
ENTRIES = {**FEEDS, **SITEMAPS, "opml": ("outline",)}
#: A comment, the beginning of a page, or the root of a list.
ROOT = re.compile(rf"<!--|<!doctype\s+html|<html[\s>]|<(?:[\w.-]+:)?({'|'.join(ENTRIES)})(?=[\s/>])", re.I)
#: Characters that XML doesn't allow.
CONTROL = re.compile(r"[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
#: What is rewritten: a bare `&` or `<`, entities of HTML, references to surrogates; those of XML, too, because libxml2
#: drops them after the first error.
REWRITTEN = re.compile(r"<!\[CDATA\[|\]\]>|&(?:#?\w{1,32};)?|<(?![\w/!?])")
#: How characters of the markup are written in text.
ESCAPED = str.maketrans({character: f"&#{ord(character)};" for character in "&<>"})
#: Other vocabularies, by their namespace: the pictures and films of a page have their own titles and dates.
FOREIGN = ("image", "video", "media", "mrss", "itunes", "podcast", "xhtml")
#: Elements around the list: a second root, and end tags without a beginning, don't end the document then, and usual
#: prefixes are declared.
SPARE_ROOTS = b"<list>" * 100 + f"<list {' '.join(f'xmlns:{name}={name!r}' for name in FOREIGN)}>".encode()
#: Elements within an entry that describe something else.
ASIDE = frozenset({"source", "contributor", "image", "video", "textinput", "publication"})
#: Elements of an entry, and the value that each gives.
VALUES = {
    **{name: name for name in ("title", "link", "loc", "origlink", "guid", "author", "summary", "date", "language")},
    **dict.fromkeys(("creator", "name"), "author"),
    **dict.fromkeys(("description", "abstract"), "summary"),
    **dict.fromkeys(("content", "encoded"), "content"),
    **dict.fromkeys(("pubdate", "published", "issued", "created", "publication_date"), "published"),
    **dict.fromkeys(("updated", "modified", "lastmod"), "modified"),
    "id": "guid",
}
XML = "{http://www.w3.org/XML/1998/namespace}"


class Reference(NamedTuple):
    """A URL in an entry as written, and its base; `relation`: of a link, or the name of the element."""

    relation: str
    href: str
    base: str
    media_type: str = ""


@dataclass(slots=True)
class Record:
    """An entry of a list as written: its attributes, its values by name, and its URLs."""

    name: str
    attributes: dict[str, str] = field(default_factory=dict)
    values: dict[str, list[str]] = field(default_factory=dict)
    links: list[Reference] = field(default_factory=list)

    def first(self, *names: str) -> str:
        """The first value of the first of these names that has one; otherwise ""."""
        for name in names:
            if values := self.values.get(name):
                return values[0]
        return ""


class ListParser:
    """The root of a list ("" if the bytes aren't one), its language, and whether it was read up to its end."""

    def __init__(self, url: str) -> None:
        self.root = self.language = self._namespace = ""
        self.is_whole = False
        self.url = url
        self._open: list[tuple[str, str]] = []  # names and bases of the open elements
        self._records: list[Record] = []
        self._record: Record | None = None
        self._value, self._text, self._length = "", list[str](), 0
        # depths of the open record, of the element whose text is collected, and of one that is left out
        self._record_depth = self._value_depth = self._aside_depth = 0

    def parse(self, pieces: Iterator[str]) -> Iterator[Record]:
        """The entries in these pieces of a text, each as soon as it is complete."""
        # no DTD or entity of the document gets here, and those of XML are resolved, also in attributes
        parser: Any = etree.XMLParser(target=self, encoding="utf-8", recover=True, huge_tree=True, no_network=True)
        parser.feed(SPARE_ROOTS)
        try:
            for piece in _from_root(pieces):
                parser.feed(piece.encode("utf-8", "replace"))
                yield from self._records
                self._records.clear()
        except (etree.XMLSyntaxError, ValueError):  # beyond repair
            yield from self._records
            self.is_whole = False

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Called by lxml for a start tag."""
        name, namespace, value, is_entry, is_aside = _read_tag(tag, self.root, self._namespace)
        base = self._open[-1][1] if self._open else self.url
        if attributes and (relative := attributes.get(f"{XML}base")):
            base = _join(base, relative)
        self._open.append((name, base))
        depth = len(self._open)
        if depth > MAX_DEPTH:
            raise ValueError("too many open elements")
        if not self.root:
            self.root, self._namespace = name if name in ENTRIES else "", namespace
            self.language = attributes.get(f"{XML}lang", "")
        elif is_entry:
            self._end_record()  # if one is open, its end tag is missing, or it is an outline with others in it
            own = {key.rpartition("}")[2].lower(): text for key, text in attributes.items()}
            self._record, self._record_depth, self._aside_depth = Record(name, own), depth, 0
        elif self._aside_depth or (is_aside and not self._value):
            self._aside_depth = self._aside_depth or depth
        elif self._record and value == "link" and (href := attributes.get("href")):
            relation, media_type = (attributes.get(key, "").lower() for key in ("rel", "type"))
            self._record.links.append(Reference(relation or "alternate", href, base, media_type))
        elif value == "language" or (value and self._record):
            self._end_value()
            is_name_only = name == "guid" and attributes.get("isPermaLink", "").lower() == "false"
            self._value, self._value_depth = "" if is_name_only else value, depth

    def data(self, text: str) -> None:
        """Called by lxml for text."""
        if self._value and not self._aside_depth and self._length < MAX_VALUE:
            self._text.append(text[:MAX_VALUE])
            self._length += len(text)

    def end(self, tag: str) -> None:
        """Called by lxml for the end of an element, also of one that is closed for want of an end tag."""
        depth = len(self._open)
        if depth == self._value_depth:
            self._end_value()
        if depth == self._aside_depth:
            self._aside_depth = 0
        if depth == self._record_depth:
            self._end_record()
        self.is_whole |= self._open.pop()[0] == self.root

    def close(self) -> None:
        """Called by lxml at the end."""

    def _end_value(self) -> None:
        self._value_depth = 0
        if not self._value:
            return
        text = "".join(self._text).strip()
        if text and self._value == "language" and not self.language:
            self.language = text
        elif text and self._record:
            if self._value in ("link", "loc", "origlink", "guid"):
                self._record.links.append(Reference(self._value, text, self._open[-1][1]))
            self._record.values.setdefault(self._value, []).append(text)
        self._value, self._length = "", 0
        self._text.clear()

    def _end_record(self) -> None:
        self._end_value()
        if self._record:
            self._records.append(self._record)
        self._record, self._record_depth = None, 0


def unpacked(body: bytes) -> bytes:
    """A body without its compression, which may be twofold; MAX_BYTES of it at most."""
    for packing in ("gzip", "zstd", "gzip"):
        body = decode_content(body, packing, MAX_BYTES)
    return body


def text_pieces(body: bytes, charset: str | None, url: str) -> Iterator[str]:
    """The unpacked and decoded text of a body, in pieces; `charset`: of the HTTP header."""
    body = unpacked(body)
    encoding = decode(body[:BLOCK_BYTES].rstrip(NON_ASCII), charset, url)[1]
    if not encoding.startswith("utf"):
        text = read_as(body[:MAX_BYTES], encoding)
        yield from (text[start : start + BLOCK_BYTES] for start in range(0, len(text), BLOCK_BYTES))
        return
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    for start in range(0, min(len(body), MAX_BYTES), BLOCK_BYTES):
        yield decoder.decode(body[start : start + BLOCK_BYTES]).removeprefix("" if start else "\ufeff")


def _from_root(pieces: Iterator[str]) -> Iterator[str]:
    """The repaired text from the root element on; nothing for a page, or if the first piece has no root."""
    rest, in_cdata, has_root = "", False, False

    def repair(match: re.Match[str]) -> str:
        nonlocal in_cdata
        found = match[0]
        if len(found) > 2 and found[0] in "<]":
            in_cdata = found[0] == "<"
            return found
        return found if in_cdata else _rewritten(found)

    for piece in pieces:
        text, rest = rest + piece, ""
        if not has_root:
            if (start := _find_root(text)) is None:
                return
            text, has_root = text[start:], True
        cut = max(text.rfind(mark, -64) for mark in "<&]")
        if cut > 0:  # what may go on in the next piece
            text, rest = text[:cut], text[cut:]
        yield without_surrogates(REWRITTEN.sub(repair, CONTROL.sub(" ", text)))
    if rest:
        yield without_surrogates(REWRITTEN.sub(repair, CONTROL.sub(" ", rest)))


def _find_root(text: str) -> int | None:
    position = 0
    while match := ROOT.search(text, position):
        if match[0] != "<!--":
            return match.start() if match[1] else None
        position = text.find("-->", match.end())
        if position < 0:
            break
    return None


@lru_cache(256)
def _rewritten(found: str) -> str:
    return _character(found).translate(ESCAPED)


def _character(reference: str) -> str:
    """The character that a reference stands for, which may be half of a surrogate pair; otherwise as it is."""
    if reference[1:2] != "#":
        return html5.get(reference[1:], reference)
    digits = reference[2:-1]
    try:
        number = int(digits[1:], 16) if digits[:1] in "xX" else int(digits)
        return CONTROL.sub(" ", chr(number))
    except (ValueError, OverflowError):
        return reference


@lru_cache(256)
def _read_tag(tag: str, root: str, namespace_of_root: str) -> tuple[str, str, str, bool, bool]:
    """What a tag is: its name in lower case, its namespace if that is of another vocabulary, the value that it gives,
    or "", whether an entry of this root begins with it, and whether it describes something else."""
    namespace, _, name = tag.rpartition("}")
    name, namespace = name.lower(), namespace if any(word in namespace.lower() for word in FOREIGN) else ""
    is_foreign = namespace not in ("", namespace_of_root)
    is_entry = not is_foreign and name in ENTRIES.get(root, ())
    return name, namespace, "" if is_foreign else VALUES.get(name, ""), is_entry, is_foreign or name in ASIDE


def _join(base: str, url: str) -> str:
    try:
        joined = urljoin(base, url[:URLLENGTH_LIMIT])
    except ValueError:
        return base
    return joined if len(joined) <= URLLENGTH_LIMIT else base
