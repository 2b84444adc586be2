"""Text to a tree: parses by the rules of HTML5, and repairs damage that would lose text.

Pages are written for browsers, so HTML5's rules cost nothing: text after `</body>`, tables in paragraphs,
nesting of any depth (flattened at 512 levels). But an unclosed `title`, `textarea` or `template` hides everything after
it, in a browser, too. It is recognised in the tree by a chain of last children that ends in such an element, so an
intact page costs nothing; a damaged one is repaired as text and parsed again.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import cache
from string import ascii_letters
from typing import Any

import numpy as np
import turbohtml
from numpy.typing import NDArray
from turbohtml import Element
from turbohtml.etree import ElementView

from newsextract.page.walk import SHOWN_LATER, outermost, paragraph_length

#: Elements whose content is raw text up to their closing tag.
RAW = frozenset({"title", "textarea", "iframe", "xmp", "noembed", "noframes", "script"})
#: What readers fill in or press, but `textarea`.
CONTROLS = ("button", "input", "select", "form")
#: Elements used by repairs, by the page's declarations (`meta`), by its type (`button`) and by widgets.
LISTED = (*RAW, "noscript", "style", "meta", "link", "base", "h1", "h2", *CONTROLS)
#: One string of each tag: the parser makes one of each element.
NAMES = {tag: tag for tag in LISTED}
#: Elements that are never article text; an unclosed one is a mistake that would hide the rest of the page.
SWALLOWING = frozenset((*RAW, *"select noscript style option template svg object plaintext".split()))
FRAMES = re.compile(r"</?(?:frameset|noframes|frame)\b[^>]*>", re.I)
MARKUP = re.compile(r"\s*<[a-zA-Z/]")
#: XPaths of what no reader sees and no method reads.
COMMENTS = ("descendant::comment()", "descendant::processing-instruction()")
#: An element of LISTED: its tag, itself, and its text if it is one of RAW.
Listed = tuple[str, Element, str]
#: A raw text element with more characters has swallowed part of the page.
RAW_TEXT = 2_000
#: Elements that HTML5 opens again in each paragraph until they are closed; at most three with the same attributes.
FORMATTING_TAGS = "b big code em font i s small strike strong tt u".split()
FORMATTING_HEADS = {name.encode() for name in FORMATTING_TAGS}
LONGEST_TAG = 2 + max(map(len, FORMATTING_TAGS))
MAX_ALIKE = 3
FORMATTING = re.compile(rf"<(/?)({'|'.join(FORMATTING_TAGS)})(?![\w-])([^<>]*)>?", re.I)
FORMATTING_TAG = re.compile(FORMATTING.pattern.encode(), re.I)
#: A page whose unclosed formatting could give more nodes than this, and than this share of its length, is parsed
#: without any: a node takes some 100 bytes. Of 2,500 real pages none comes near. Formatting is only looked for where
#: the tags could give MAX_OF_TAGS times MAX_NODES, or as many a character: of 525 real pages 67 have so many.
MAX_NODES = 200_000
MAX_SHARE = 0.25
MAX_OF_TAGS = 2.0
#: Maximum repairs of one page; each fixes one element.
MAX_REPAIRS = 6


def parse(html: str) -> ElementView:
    """Parse a page to the root element (lxml's API); as in a browser, any page has one, with a head and a body."""
    return parse_page(html)[0]


def parse_page(html: str, formatting: int | None = None) -> tuple[ElementView, list[Listed]]:
    """Like `parse`, with the page's elements of LISTED; `formatting`: what `reopened` says of its bytes, if known."""
    if formatting is None:
        formatting = reopened(html.encode("utf-8", "surrogatepass"))
    if formatting > most_reopened(len(html)):
        html = FORMATTING.sub("", html)
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
    return [(tag := NAMES[element.tag], element, element.text if tag in RAW else "") for element in found]


def drop(root: Any, xpaths: Iterable[str]) -> bool:
    """Removes the elements that XPaths select, with their content but not the text after them; never html or body.

    Returns whether there were any.
    """
    has_dropped = False
    for path in xpaths:
        for element in root.xpath(path):
            if isinstance(element, ElementView) and element.tag not in ("html", "body"):
                element.drop_tree()
                has_dropped = True
    root.node.normalize()  # text before and after a removed element becomes one node
    return has_dropped


def _parse(html: str) -> ElementView:
    document: Any = turbohtml.parse(html, positions=False)
    # one by one: putting both in their order, which nobody needs, would take longer than finding them
    comments = [node for path in COMMENTS for node in document.xpath(path)]
    for node in comments:
        node.extract()
    if comments:
        document.root.normalize()  # text before and after a comment becomes one node
    return ElementView(document.root)


def reopened(html: bytes) -> int:
    """How many elements of formatting HTML5 may open again, at most, in a page in an encoding like ASCII; 0 where they
    are too few to matter. Much faster than in a str.
    """
    signs = np.frombuffer(html, np.uint8)
    is_opening = signs[1:-2] != ord("/")
    is_opening &= signs[:-3] == ord("<")
    tags = int(np.count_nonzero(is_opening))
    if tags * tags < 4 * MAX_OF_TAGS * max(MAX_NODES, len(html)):
        return 0
    opening = _places(is_opening)
    opening = opening[_may_begin(signs, opening)]
    heads = [html[place + 1 : place + LONGEST_TAG].partition(b">")[0].lower() for place in opening.tolist()]
    alike = MAX_ALIKE * len(FORMATTING_TAGS) + len(heads) - sum(map(FORMATTING_HEADS.__contains__, heads))
    if min(alike, len(heads)) * tags <= most_reopened(len(html)):
        return 0
    closing = _places((signs[:-3] == ord("<")) > is_opening)
    closing = closing[_may_begin(signs, closing + 1)]
    return tags * _depth_of_formatting(html, np.sort(np.concatenate((opening, closing))).tolist())


def _places(flags: NDArray[np.bool_]) -> NDArray[np.intp]:
    """The places of rare flags, found eight at a time; without those of the last seven characters."""
    words = flags[: len(flags) // 8 * 8].view(np.uint64)
    filled = np.flatnonzero(words != 0)
    found = np.flatnonzero(words.take(filled).view(bool))
    return 8 * filled.take(found >> 3) + (found & 7)


def _may_begin(signs: NDArray[np.uint8], places: NDArray[np.intp]) -> NDArray[np.bool_]:
    """(places,) whether the two characters behind each may begin the name of an element of FORMATTING."""
    found: NDArray[np.bool_] = _beginnings().take(
        256 * signs.take(places + 1).astype(np.uint16) + signs.take(places + 2)
    )
    return found


def most_reopened(length: int) -> float:
    """How many elements may be opened again in a page of so many characters."""
    return max(MAX_NODES, MAX_SHARE * length)


@cache
def _beginnings() -> Any:
    """(256 * 256,) which two bytes an element of FORMATTING may begin with."""
    table = np.zeros((256, 256), bool)
    letters = [ord(letter) for letter in ascii_letters]
    for name in FORMATTING_TAGS:
        first, *second = ([ord(letter), ord(letter.upper())] for letter in name[:2])
        for code in first:
            table[code, second[0] if second else np.delete(np.arange(256), letters)] = True
    return table.ravel()


def _depth_of_formatting(html: bytes, places: Iterable[int]) -> int:
    """How many elements of formatting are open at once, at most; `places`: where tags of such may begin."""
    stacks, alike, depth, most = defaultdict[bytes, list[bytes]](list), Counter[tuple[bytes, bytes]](), 0, 0
    for place in places:
        if (match := FORMATTING_TAG.match(html, place)) is None:
            continue
        name, attributes = match[2].lower(), match[3]
        if not match[1]:
            if alike[name, attributes] < MAX_ALIKE:
                alike[name, attributes] += 1
                stacks[name].append(attributes)
                depth += 1
                most = max(most, depth)
        elif stacks[name]:
            alike[name, stacks[name].pop()] -= 1
            depth -= 1
    return most


def _open_noscript(root: Element, elements: list[Listed]) -> None:
    """Turns a `noscript` with most of the page's paragraphs into a div: scripts or an unclosed tag hide them."""
    closed = {node for tag, node, _ in elements if tag == "noscript"}
    for _ in range(MAX_REPAIRS if closed else 0):
        lengths = {node: paragraph_length(node) for node in outermost(closed)}
        most = max(lengths, key=lengths.__getitem__, default=None)
        if most is None or lengths[most] <= SHOWN_LATER or 2 * lengths[most] <= paragraph_length(root):
            return
        ElementView(most).tag = "div"
        closed.intersection_update(most.iter_elements("noscript"))


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
    end = html[-RAW_TEXT:].lower()
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
