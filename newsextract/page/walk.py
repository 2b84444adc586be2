"""What divides a page into blocks: kinds of tags, styles, and the tree walk that all views share.

A block is a maximal run of inline content: block-level tags and `br` end it. Tags and styles have the effect that
HTML's rendering section gives them, so unknown elements are inline. An inline element that contains a block-level one
is block-level itself from there on (`<font><p>...`). Script, metadata and hidden elements are no content.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any

from turbohtml import Element, Text

from newsextract.language import words
from newsextract.page.class_names import BITS, mask_of
from newsextract.text import LONGEST_LINE, composed

BLOCK, INLINE, LINK, BREAK, SKIP, OPENED, OPENED_LINK = range(7)
BLOCK_TAGS = """
    address article aside blockquote body caption center col colgroup dd details dialog dir div dl dt fieldset
    figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu nav ol p plaintext
    pre search section summary table tbody td tfoot th thead tr ul
"""
SKIPPED_TAGS = """
    script style noscript template textarea select option optgroup svg iframe head object embed applet canvas audio
    video map input title frame frameset noframes noembed xmp datalist meta link base param area track meter progress
    annotation annotation-xml
"""
#: Tag -> its effect on the current run of text; any other tag is INLINE.
KINDS: dict[str, int] = {
    **dict.fromkeys(BLOCK_TAGS.split(), BLOCK),
    **dict.fromkeys(SKIPPED_TAGS.split(), SKIP),
    "a": LINK,
    "br": BREAK,
}
#: Tags without a closing tag.
VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
#: Selects elements that attributes may hide or lay out otherwise than their tag, and links to a place in the page; one
#: walk, in which each element is asked first what few have.
STYLED = (
    ':is([style]:is([style*="display" i], [style*="visibility" i], span[style*="clip" i])'
    ", [hidden], [popover], dialog, math"
    ', .w-condition-invisible, [contenteditable="false"]:is(label, [style*="user-select" i], [aria-hidden="true"])'
    ', span[class]:is([class*="sr-only" i], [class*="visually" i], [class*="screen-reader" i])'
    ', a:is([href*="#"], :not([href])):is([class*="permalink" i], .headerlink, .anchor, :is(h1, h2, h3, h4, h5, h6) *))'
)
#: Classes of parts that a site builder leaves out; of text for screen readers, unless another class shows it; of a link
#: to the heading or paragraph that it is in.
LEFT_OUT, UNSEEN, SEEN, PERMALINK = (BITS["page"][name] for name in ("left_out", "unseen", "seen", "permalink"))
CLIPPED = ("clip:rect(0", "clip:rect(1px", "clip-path:inset(50%", "clip-path:inset(100%")
HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
MAX_SIGN = 3
#: What a declaration can't begin in, and a declaration of these properties with its value and priority.
NO_DECLARATION = re.compile(r"""/\*.*?(?:\*/|$)|"[^"]*"|'[^']*'|\([^()]*\)""", re.S)
DECLARATION = re.compile(
    r"""(?:^|;)\s*+(?:(display)\s*+:\s*+((?:none|contents|block|flow-root|list-item|flex|grid|inline|ruby|table|-webkit-)
    [a-z -]*+)|((?:content-)?visibility)\s*+:\s*+(visible|hidden|collapse))\s*+(!\s*+important\s*+)?+(?=;|$)""",
    re.I | re.X,
)
#: How values of `display` begin that make an element block-level; elements without text of their own.
OUTER_BLOCK = ("block", "flow", "list", "flex", "grid", "table")
IMAGES = frozenset({"img", "picture", "source", "wbr"})
#: A hidden element (or `noscript`) with more characters in paragraphs than this, and than all visible ones, counts. A
#: page that shows fewer may be an empty frame, whose text is in its data.
SHOWN_LATER = 1_000
#: Buttons that show the rest of a text; "continue reading" usually means a wall.
READ_MORE = re.compile(rf"\W*{words.alternatives('more_button')}\W*")
#: Most nodes of a short text.
MAX_NODES = 100
#: A letter or digit: a run of text without one isn't a block.
WORD = re.compile(r"[^\W_]")
#: Zero-width characters and the soft hyphen, removed from text.
INVISIBLE = "\u200b\u2060\ufeff\u00ad"
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def collapsed(text: str) -> str:
    """The text in NFC with white space collapsed: one space for each run (also of U+00A0, U+3000), none at the ends.

    Control characters count as white space: a terminal acts on escape sequences, and XML has none of them.
    """
    if not text.isascii():
        for character in INVISIBLE:
            if character in text:
                text = text.replace(character, "")
    text = composed(" ".join(text.split()))
    if text.isprintable() or not CONTROL.search(text):
        return text
    return " ".join(CONTROL.sub(" ", text).split())


class Walk:
    """Visitor of all elements and texts below a root, in document order; `links`: number of open links."""

    links = 0

    def enter(self, element: Element, kind: int) -> None:
        """An element of that kind (BLOCK, INLINE, LINK or BREAK) begins."""

    def leave(self, element: Element, kind: int) -> None:
        """An element ends; its kind is OPENED or OPENED_LINK if it is inline and contained a block-level one."""

    def opened(self, element: Element) -> None:
        """An open inline element turns out to contain a block-level one."""

    def text(self, text: str) -> None:
        """A text node, white space as in the source."""

    def walk(self, root: Element, styled: Mapping[Any, int]) -> None:
        """Visits everything below the root except scripts and hidden elements; `styled`: see `styled_kinds`."""
        inline = 0  # how many inline elements are open since the last block-level one
        stack: list[tuple[Iterator[Any], Element, int]] = []
        children: Iterator[Any] = iter(root)
        while True:
            for child in children:
                kind = styled.get(child) if styled else None
                if type(child) is Text:
                    if kind is None:
                        self.text(child.data)
                    continue
                if kind is None:
                    kind = KINDS.get(child.tag, INLINE)
                if kind == SKIP:
                    continue
                if kind == BLOCK:
                    if inline:
                        self._open(stack, inline)
                    inline = 0
                elif kind != BREAK:
                    inline += 1
                    self.links += kind == LINK
                self.enter(child, kind)
                stack.append((children, child, kind))
                children = iter(child)
                break
            else:
                if not stack:
                    return
                children, child, kind = stack.pop()
                self.leave(child, kind)
                if kind in (INLINE, LINK):
                    inline -= 1
                elif kind != BREAK:
                    inline = 0
                self.links -= kind in (LINK, OPENED_LINK)

    def _open(self, stack: list[tuple[Iterator[Any], Element, int]], inline: int) -> None:
        for level in range(len(stack) - inline, len(stack)):
            children, holder, kind = stack[level]
            self.opened(holder)
            stack[level] = children, holder, OPENED_LINK if kind == LINK else OPENED


def closes_block(kind: int) -> bool:
    """Whether the end of an element of that kind ends a run of text."""
    return kind == BLOCK or kind >= OPENED


def styled_kinds(root: Element, hiding: Mapping[str, bool] | None = None) -> dict[Any, int]:
    """Node -> its kind, where attributes change it: SKIP for what a browser hides, BLOCK or INLINE by `display`.

    `hiding`: the selectors of what the page's style sheets hide, with whether that is important.

    Hidden elements with most paragraphs, or next to a "read more", are shown. Below an invisible element with visible
    ones, all else is skipped.
    """
    kinds: dict[Any, int] = {}
    hidden: set[Element] = set()
    visible: set[Element] = set()
    invisible: set[Element] = set()
    for node in root.select(STYLED):
        display, visibility = declared_styles(style) if (style := node.attr("style")) else ("", "")
        tag_kind = KINDS.get(node.tag, INLINE)
        if (tag_kind == LINK and is_permalink(node)) or _is_left_out(node):
            kinds[node] = SKIP
        if (
            node.tag == "span"
            and (mask_of(node.attr("class")) & (UNSEEN | SEEN) == UNSEEN or _is_clipped(style or ""))
            and getattr(node.parent, "tag", "") != "a"
        ):
            kinds[node] = SKIP
        elif display == "none" or (not display and _is_closed(node)):
            hidden.add(node)
        elif visibility:
            (visible if visibility == "visible" else invisible).add(node)
        if tag_kind == BLOCK and display.startswith(("inline", "contents", "ruby")):
            kinds[node] = INLINE
        elif tag_kind == INLINE and display.startswith(OUTER_BLOCK) and node.tag not in IMAGES:
            kinds[node] = BLOCK
    if hiding:
        kinds |= dict.fromkeys(_hidden_by_sheets(root, hiding), SKIP)
    if visible and invisible:
        kinds |= dict.fromkeys(_unseen(visible, invisible), SKIP)
    else:
        hidden |= invisible
    return kinds | dict.fromkeys(_never_shown(root, {node for node in hidden if node.tag != "br"}), SKIP)


@lru_cache(maxsize=1024)
def declared_styles(style: str) -> tuple[str, str]:
    """The values of `display` and `visibility` that a style attribute declares, "" where it declares none; with
    `content-visibility: hidden` an element shows no more than without `display`."""
    values = dict.fromkeys(("display", "visibility", "content-visibility"), "")
    declarations = DECLARATION.finditer(NO_DECLARATION.sub(" ", style))
    for match in sorted(declarations, key=lambda match: match[5] is not None):  # important ones win
        values[(match[1] or match[3]).lower()] = (match[2] or match[4]).lower().strip()
    return "none" if values["content-visibility"] == "hidden" else values["display"], values["visibility"]


def _hidden_by_sheets(root: Element, hiding: Mapping[str, bool]) -> Iterator[Element]:
    """What the page's style sheets hide. Rules that aren't important hide no more than they leave, since scripts show
    it, and nothing that shows itself.
    """
    for is_important in (True, False):
        selectors = [selector for selector, is_sure in hiding.items() if is_sure == is_important]
        parts = {*root.select(f":is({', '.join(selectors)})")} if selectors else set()
        parts = {part for part in parts if part.tag not in IMAGES}
        seen = {part for part in parts if ":" in (part.attr("class") or "") and mask_of(part.attr("class")) & SEEN}
        if not is_important:
            shown = {part: declared_styles(style) for part in parts if (style := part.attr("style"))}
            seen |= {
                part for part, (value, seeing) in shown.items() if seeing == "visible" or value not in ("", "none")
            }
        lengths = {part: 0 if is_important else paragraph_length(part) for part in outermost(parts - seen)}
        hidden = sum(lengths.values())
        if not hidden or 2 * hidden <= paragraph_length(root):
            yield from lengths


def _is_clipped(style: str) -> bool:
    """Whether a style attribute shows an element to screen readers only."""
    return "clip" in style.lower() and any(sign in "".join(style.lower().split()) for sign in CLIPPED)


def _is_left_out(node: Element) -> bool:
    """Whether a site builder leaves a part out of the page, or it is a label that an editor shows while one writes."""
    if mask_of(node.attr("class")) & LEFT_OUT:
        return True
    return node.attr("contenteditable") == "false" and (
        node.tag == "label" or node.attr("aria-hidden") == "true" or "user-select" in (node.attr("style") or "")
    )


def _is_closed(node: Element) -> bool:
    """Whether the browser's own style hides an element: `hidden`, a closed dialog or popover, a formula drawn again."""
    if node.attr("hidden") not in (None, "until-found") or node.attr("popover") is not None:
        return True
    if node.tag == "math" and node.parent is not None:
        after = node.parent.next_sibling
        return type(after) is Element and after.attr("aria-hidden") == "true"
    return node.tag == "dialog" and node.attr("open") is None


def is_permalink(link: Element) -> bool:
    """Whether a link is a sign ("¶", "#") of the heading or paragraph that it is in, or named so in a heading."""
    if "#" not in (link.attr("href") or "#"):
        return False
    text = link.text.strip()
    is_sign = 0 < len(text) <= MAX_SIGN and not any(map(str.isalnum, text))
    is_named = bool(mask_of(link.attr("class")) & PERMALINK)
    if not is_sign and not is_named:
        return False
    heading = next((up for up in islice(link.ancestors, 3) if type(up) is Element and up.tag in HEADINGS), None)
    if heading is None:
        return is_sign and is_named
    around = short_text(heading, LONGEST_LINE + len(text))
    return around is None or around.strip() != text


def _unseen(visible: set[Element], invisible: set[Element]) -> Iterator[Any]:
    """The nodes to skip so that invisible elements show only the visible ones below them."""
    around = holders_of(node.parent for node in visible)
    open_nodes: list[Any] = [*invisible]
    while open_nodes:
        node = open_nodes.pop()
        if node not in around:
            yield node
            continue
        for child in node.children:
            if child in around and child not in visible and child not in invisible:
                open_nodes.append(child)
            elif child not in visible and child not in invisible:
                yield child


def _never_shown(root: Element, hidden: set[Element]) -> Iterable[Element]:
    """The hidden elements but those with most of the page's paragraphs or next to a "read more"."""
    hidden = hidden.difference(_behind_read_more(hidden))
    if not hidden:
        return hidden
    lengths = {node: paragraph_length(node) for node in outermost(hidden)}
    if max(lengths.values()) <= SHOWN_LATER:
        return hidden
    visible = paragraph_length(root) - sum(lengths.values())
    return hidden - {node for node, length in lengths.items() if length > max(SHOWN_LATER, visible)}


def outermost(nodes: set[Element]) -> Iterator[Element]:
    """The nodes that are in none of the others; each element around them is looked at once."""
    outside: set[Any] = set()
    inside: set[Any] = set()
    for node in nodes:
        path: list[Any] = []
        is_inside = False
        for above in node.ancestors:
            if is_inside := above in nodes or above in inside:
                break
            if above in outside:
                break
            path.append(above)
        (inside if is_inside else outside).update(path)
        if not is_inside:
            yield node


def _behind_read_more(hidden: set[Element]) -> Iterator[Element]:
    """The hidden elements with paragraphs that have paragraphs before and a "read more" next to them."""
    by_parent = defaultdict[Any, list[Element]](list)
    for node in hidden:
        has_paragraph = any(type(child) is Element and child.tag == "p" for child in node.children)
        if has_paragraph and node.tag in ("div", "section", "span") and node.parent is not None:
            by_parent[node.parent].append(node)
    for parent, nodes in by_parent.items():
        siblings = [child for child in parent.children if type(child) is Element]
        first = next((place for place, child in enumerate(siblings) if child.tag == "p"), len(siblings))
        texts = [*map(short_text, siblings)]
        buttons = [place for place, text in enumerate(texts) if text is not None and READ_MORE.fullmatch(text)]
        near = {place for button in buttons for place in range(button - 3, button + 5)}
        wanted = {siblings[place] for place in near if first < place < len(siblings)}
        yield from wanted.intersection(nodes)


def short_text(element: Element, length: int = LONGEST_LINE) -> str | None:
    """The text of an element; None if it has more than so many characters, or more than MAX_NODES nodes."""
    parts: list[str] = []
    for number, node in enumerate(element.descendants):
        if type(node) is Text:
            parts.append(node.data)
            length -= len(node.data)
        if length < 0 or number == MAX_NODES:
            return None
    return "".join(parts)


def beginning_of(element: Element, length: int) -> str:
    """The beginning of an element's text, at least so many characters or all of it, whatever stands behind it.

    Of more than twice as many nodes without text, only these are read.
    """
    parts: list[str] = []
    for node in islice(element.descendants, 2 * length):
        if type(node) is Text:
            parts.append(node.data)
            length -= len(node.data)
            if length <= 0:
                break
    return "".join(parts)


def holders_of(nodes: Iterable[Any]) -> set[Any]:
    """The nodes and everything around them; what is around several ones is looked at once."""
    holders: set[Any] = set()
    for node in nodes:
        while node is not None and node not in holders:
            holders.add(node)
            node = node.parent
    return holders


def paragraph_length(node: Element) -> int:
    """Characters of the text nodes that are children of `p` elements below an element."""
    texts = [text.data for p in node.iter_elements("p") for text in p.children if type(text) is Text]
    return sum(len(text) for text in texts if not text.isspace())
