"""UTF-8 bytes to one tree, by the rules of HTML5, with the repairs that keep text which those would lose.

What browsers do is what pages are written for: text behind `</body>`, tables in paragraphs and nesting of any depth
(flattened at 512 levels) cost nothing. But an unclosed `title`, `textarea` or `template` swallows all that follows, in
a browser too. It shows in the tree: a chain of last children that ends in such an element. So a sound page costs
nothing; a damaged one is mended as bytes and parsed again.
"""

import re
from collections.abc import Iterable
from typing import Any

import turbohtml
from turbohtml import Element
from turbohtml.etree import ElementView

#: Elements that are read as raw text up to their closing tag, whatever stands between.
RAW = ("title", "textarea", "iframe", "xmp", "noembed", "noframes")
#: Elements whose content is never the article's text: one that is not closed is opened by mistake.
SWALLOWING = frozenset((*RAW, *"select noscript script style option template svg object plaintext".split()))
FRAMES = re.compile(rb"</?(?:frameset|noframes|frame)\b[^>]*>", re.I)
MARKUP = re.compile(r"\s*<[a-zA-Z/]")
#: Nearly every page's last script is closed so near its end.
NEAR_END = 2_000
#: A raw element with more characters than this has swallowed part of the page.
RAW_TEXT = 2_000
#: Each attempt repairs one thing; a page with more damage than that stays as it then is.
ATTEMPTS = 6


def parse(utf8: bytes) -> Any:
    """The root element, with the names of lxml's; None where the page has no element at all (empty, only comments)."""
    root = _parse(utf8)
    for _ in range(ATTEMPTS):
        mended = _mend(utf8, root)
        if mended is None:
            break
        utf8 = mended
        root = _parse(utf8)
    return root


def drop(root: Any, xpaths: Iterable[str]) -> None:
    """Takes the selected elements out, with what is in them; the text behind them stays, and so do root and body."""
    for path in xpaths:
        for element in root.xpath(path):
            if isinstance(element, ElementView) and element.tag not in ("html", "body"):
                element.drop_tree()
    root.node.normalize()  # the text around what is gone is one text


def _parse(utf8: bytes) -> Any:
    document = turbohtml.parse(utf8, encoding="utf-8", positions=False)
    if document.root is None or not any(map(len, document.root)):  # an empty head and body are the parser's own
        return None
    unseen: Any = document.xpath("//comment() | //processing-instruction()")
    for node in unseen:
        node.extract()
    if unseen:
        document.root.normalize()  # the text around one is one text
    return ElementView(document.root)


def _mend(utf8: bytes, root: Any) -> bytes | None:
    """The bytes to parse instead; None where nothing was lost."""
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
    """Whether a raw element of so much text holds part of the page: for a script, where markup stands for code."""
    if element.tag != "script":
        return True
    return MARKUP.match(text) is not None and "script" in (element.attr("type") or "script")


def _without_last_opening(utf8: bytes, name: str) -> bytes | None:
    """The page less its last opening tag of that name, if it is never closed; None if it is."""
    end = utf8[-NEAR_END:].lower()
    if end.rfind(b"</%s" % name.encode()) > end.rfind(b"<%s" % name.encode()):
        return None
    openings = list(re.finditer(rb"<%s(?=[\s/>])[^>]*>?" % name.encode(), utf8, re.I))
    if not openings or re.search(rb"</%s" % name.encode(), utf8[openings[-1].start() :], re.I):
        return None
    return utf8[: openings[-1].start()] + utf8[openings[-1].end() :]


def _closed_early(utf8: bytes, text: str, tag: str) -> bytes | None:
    """The page with the element of that text closed before the first tag that it swallowed."""
    line = text.strip().split("\n", 1)[0].strip()[:60].encode("utf-8", "replace")
    start = utf8.find(line)
    cut = utf8.find(b"<", start) if line and start >= 0 else -1
    return utf8[:cut] + b"</%s>" % tag.encode() + utf8[cut:] if cut >= 0 else None
