"""UTF-8 bytes to one lxml tree, with the repairs that keep text which libxml2 would lose.

libxml2 stops at 2,048 levels and drops the rest of the page, and an unclosed `title`, `textarea` or `svg` swallows all
that follows. Both show in the tree: a chain of last children that is too deep or ends in such an element. So a sound
page costs nothing; a damaged one is mended as bytes and parsed again.
"""

import re
from collections.abc import Iterable
from typing import Any

from lxml import etree

#: Elements that libxml2 reads as raw text up to their closing tag, whatever stands between.
RAW = ("title", "textarea", "iframe", "xmp", "noembed", "noframes")
#: Elements whose content is never the article's text: one that is not closed is opened by mistake.
SWALLOWING = frozenset((*RAW, *"select noscript script style option template svg object".split()))
#: What stands in a head; anything else there is the body's.
HEAD_TAGS = frozenset("title meta link script style base noscript template object".split())
#: Deeper nesting is flattened, far below the depth where libxml2 gives up.
DEPTH = 1_000
TAG = re.compile(rb"<(/?)([a-zA-Z][^\s/>]*)[^>]*>")
FRAMES = re.compile(rb"</?(?:frameset|noframes|frame)\b[^>]*>", re.I)
CLOSING = re.compile(rb"</(?:body|html|BODY|HTML)")
CLOSINGS = re.compile(rb"</(?:html|body)\s*>", re.I)
BLOCK = re.compile(rb"<(?:p|div|table|article|section|br|h[1-6])\b", re.I)
MARKUP = re.compile(r"\s*<[a-zA-Z/]")
VOID = frozenset(b"area base br col embed hr img input link meta param source track wbr".split())
#: A raw element with more characters than this has swallowed part of the page.
RAW_TEXT = 2_000
#: Each attempt repairs one thing; a page with more damage than that stays as it then is.
ATTEMPTS = 6


def parse(utf8: bytes) -> Any:
    """The root element; None where the page has no element at all (empty, blank, only comments)."""
    utf8 = _reopened(utf8)
    for _ in range(ATTEMPTS):
        root = _parse(utf8)
        mended = _mend(utf8, root)
        if mended is None:
            break
        utf8 = mended
    else:
        root = _parse(utf8)
    return _with_body(root)


def drop(root: Any, xpaths: Iterable[str]) -> None:
    """Takes the selected elements out, with what is in them; the text behind them stays, and so do root and body."""
    for path in xpaths:
        for element in etree.XPath(path)(root):
            if not etree.iselement(element) or element.tag in ("html", "body"):
                continue
            parent, before = element.getparent(), element.getprevious()
            if parent is None:
                continue
            if element.tail and before is not None:
                before.tail = (before.tail or "") + element.tail
            elif element.tail:
                parent.text = (parent.text or "") + element.tail
            parent.remove(element)


def flatten(utf8: bytes) -> bytes:
    """The page with every tag deeper than DEPTH dropped, its text kept."""
    depth, kept, position = 0, [], 0
    for tag in TAG.finditer(utf8):
        if tag[2].lower() in VOID or tag[0].endswith(b"/>"):
            continue
        closes = bool(tag[1])
        if depth > DEPTH or (depth == DEPTH and not closes):
            kept.append(utf8[position : tag.start()])
            position = tag.end()
        depth = max(0, depth - 1) if closes else depth + 1
    kept.append(utf8[position:])
    return b"".join(kept)


def _with_body(root: Any) -> Any:
    """The root, all content in its body: where no `<body>` is written, libxml2 keeps `article` and `main` in head."""
    head = None if root is None else root.find("head")
    strays = [] if head is None or not len(head) or head[-1].tag in HEAD_TAGS else list(head)
    while strays and strays[0].tag in HEAD_TAGS:
        strays.pop(0)
    if not strays:
        return root
    body = root.find("body")
    if body is None:
        body = etree.SubElement(root, "body")
    for place, stray in enumerate(strays):
        body.insert(place, stray)
    return root


def _parse(utf8: bytes) -> Any:
    parser = etree.HTMLParser(
        encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True, collect_ids=False
    )
    try:
        return etree.fromstring(utf8, parser)
    except etree.XMLSyntaxError:
        return None


def _reopened(utf8: bytes) -> bytes:
    """The page without `</body>` and `</html>` where more of it follows: libxml2 would stop there."""
    first = CLOSING.search(utf8)
    if first and BLOCK.search(utf8, first.end()):
        return CLOSINGS.sub(b"", utf8)
    return utf8


def _mend(utf8: bytes, root: Any) -> bytes | None:
    """The bytes to parse instead; None where nothing was lost."""
    if root is None:
        return None
    if root.find("frameset") is not None:
        return FRAMES.sub(b"", utf8)
    depth, element = 0, root
    while len(element):
        element = element[-1]
        depth += 1
        if element.tag in SWALLOWING and (mended := _without_last_opening(utf8, element.tag)):
            return mended
    if depth > DEPTH:
        return flatten(utf8)
    for element in root.iter(*RAW, "script"):
        text = element.text or ""
        if len(text) <= RAW_TEXT or not _swallowed(element, text):
            continue
        if mended := _closed_early(utf8, text, element.tag):
            return mended
    return None


def _swallowed(element: Any, text: str) -> bool:
    """Whether a raw element of so much text holds part of the page: for a script, where markup stands for code."""
    if element.tag != "script":
        return True
    return MARKUP.match(text) is not None and "script" in (element.get("type") or "script")


def _without_last_opening(utf8: bytes, name: str) -> bytes | None:
    """The page less its last opening tag of that name, if it is never closed; None if it is."""
    openings = _openings(utf8, name)
    if not openings or re.search(rb"</%s" % name.encode(), utf8[openings[-1].start() :], re.I):
        return None
    return utf8[: openings[-1].start()] + utf8[openings[-1].end() :]


def _closed_early(utf8: bytes, text: str, tag: str) -> bytes | None:
    """The page with the element of that text closed before the first tag that it swallowed."""
    line = text.strip().split("\n", 1)[0].strip()[:60].encode("utf-8", "replace")
    start = utf8.find(line)
    cut = utf8.find(b"<", start) if line and start >= 0 else -1
    return utf8[:cut] + b"</%s>" % tag.encode() + utf8[cut:] if cut >= 0 else None


def _openings(utf8: bytes, name: str) -> list[re.Match[bytes]]:
    return list(re.finditer(rb"<%s(?=[\s/>])[^>]*>?" % name.encode(), utf8, re.I))
