"""Rich text in data, rendered to HTML: strings of HTML, Markdown or plain text, lists of them, and trees of nodes.

Each publishing system has its own tree (ProseMirror, Slate, Lexical, Portable Text, Contentful, Draft.js, Editor.js,
Gutenberg, Arc, hast, JsonML, React elements), but all name a node's kind (`type`, `_type`, `nodeType`, `tagName`,
`__typename`, `style`). The words of that name decide which HTML element it becomes (paragraphs, headings, lists, quotes
and tables; asides for what isn't part of the article), and the names of its members which of them have its text.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from html import unescape as unescape_html
from itertools import groupby, pairwise
from typing import Any

from newsextract.files import package_data
from newsextract.limits import NEARLY_ALL
from newsextract.page.data.javascript import Json
from newsextract.page.data.prose import (
    ENTITY,
    KNOWN_TAG,
    balanced,
    paragraph,
    plain_text,
    prose_size,
    text_to_html,
)
from newsextract.page.json_text import MAX_CHARACTERS, MAX_DEPTH, MAX_VALUES, joined_surrogates
from newsextract.text import EAST_ASIAN, MIN_TEXT, SHORT_LINE, words_of

#: Names of a node's kind, most telling first: a Portable Text block is a heading by its style.
TYPE_NAMES = (
    "style listItem variant tagName tag nodeType _type type __typename blockType kind component nodeName name".split()
)
#: HTML elements that nodes may be named after.
BLOCK_TAGS = frozenset(
    """p h1 h2 h3 h4 h5 h6 ul ol li blockquote table thead tbody tfoot tr td th pre figure figcaption dl dt dd div
    section article main header footer aside br""".split()
)
INLINE_TAGS = frozenset("a b strong i em u span sub sup small mark s del ins code abbr cite q time font".split())
SKIPPED_TAGS = frozenset("script style noscript template svg iframe meta object embed nav form button input".split())
NAMES = package_data("newsextract.page.data", "names.toml")
#: Kind of a node -> words in its type; the first row with one of them decides.
KINDS = {kind: frozenset(words.split()) for kind, words in NAMES["kinds"].items()}
WORD = re.compile(r"h[1-6]\b|[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
#: Kinds whose content is one run of text, and kinds that become the element of this name.
TEXT_KINDS = frozenset("p h1 h2 h3 h4 h5 h6 li td th a inline pre".split())
ELEMENT_KINDS = TEXT_KINDS - {"a", "inline"} | {"ul", "ol", "table", "tr", "blockquote"}


def kind_of(node: Mapping[str, Json]) -> str:
    """The kind of a node: an HTML tag, "aside", "figure", "inline" or "" if unknown."""
    for name in TYPE_NAMES:
        said = node.get(name)
        if isinstance(said, str) and said and len(said) < 80 and (kind := _kind(said)):
            return kind
    return ""


def _kind(said: str) -> str:
    lowered = said.lower()
    if lowered in BLOCK_TAGS or lowered == "a":
        return lowered
    if lowered in INLINE_TAGS:
        return "inline"
    if lowered in SKIPPED_TAGS:
        return "aside"
    words = [word.lower() for word in WORD.findall(said)]
    cues = {*words, *map("".join, pairwise(words))}  # listItem, list-item
    return next((kind for kind, known in KINDS.items() if cues & known), "")


def is_inline(value: Json) -> bool:
    """Whether a node is part of a run of text: a text node with marks, a link, emphasis."""
    if isinstance(value, list):
        element = element_of(value)
        return element is not None and element[0] in INLINE_TAGS
    if not isinstance(value, dict):
        return False
    if kind := kind_of(value):
        return kind in ("inline", "a")
    said = value.get("type") or value.get("nodeType") or value.get("_type") or value.get("object")
    text = value.get("text", value.get("value"))
    is_marked = "marks" in value or any(isinstance(one, bool) for one in value.values())
    return (
        isinstance(text, str)
        and said in (None, "text")
        and not ({"content", "children"} & value.keys())
        and (is_marked or len(value) <= (2 if said else 1))
        and prose_size(text) < 4 * SHORT_LINE
    )


def element_of(values: list[Json]) -> tuple[str, list[Json]] | None:
    """Tag and children of an element written as a list: React's `["$", tag, key, props]`, JsonML's `[tag, ...]`."""
    if len(values) < 2 or not isinstance(values[0], str):
        return None
    if values[0] == "$":
        if len(values) < 4 or not isinstance(values[3], dict):
            return None
        props, tag = values[3], values[1]
        if not isinstance(tag, str) or tag[:1] == "$":  # a component of the site's
            return "div", [
                value for name, value in props.items() if isinstance(value, list | dict) or name == "children"
            ]
        children, inner = props.get("children"), props.get("dangerouslySetInnerHTML")
        html = inner.get("__html") if isinstance(inner, dict) else None
        is_list = isinstance(children, list) and element_of(children) is None
        return tag.lower(), [*(children if is_list else [children]), *([html] if html else [])]  # type: ignore[misc]
    tag = values[0].lower()
    if tag not in BLOCK_TAGS and tag not in INLINE_TAGS and tag not in SKIPPED_TAGS:
        return None
    has_attributes = isinstance(values[1], dict) and not kind_of(values[1])
    return tag, values[2 if has_attributes else 1 :]


#: Names of members with a node's text or children; for a run of text, the first one with text counts.
CONTENT_NAMES = frozenset(NAMES["content_names"].split())
RUN_NAMES = "children content nodes items html text value body content_elements data".split()
HEADING_NAMES = frozenset("heading headline subheading title subtitle header".split())
#: Names of members that aren't text of the article, though they may have sentences.
ASIDE_NAME = re.compile(rf"^(?:{'|'.join(NAMES['aside_names'])})$", re.I)
#: What a key looks like: `tag:a1b2`, `in_article`, `inArticle`.
KEY = re.compile(r"[:_/#=]|\d|[a-z][A-Z]")
SPACED = re.compile(r"\S\s+\S")


def render(value: Json) -> str:
    """A value's HTML, "" without text; unbalanced like an editor's output, so a parser has to close it."""
    return _Renderer().html(value)


class _Renderer:
    """Renders one value. `open`: the enclosing values."""

    def __init__(self) -> None:
        self.nodes = self.characters = 0
        self.open: set[int] = set()

    def html(self, value: Json, depth: int = 0, *, in_run: bool = False) -> str:
        """A value as block elements, or within a run of text; "" beyond the limits, and for a value within itself."""
        if isinstance(value, str):
            return self.text(value, in_run)
        self.nodes += 1
        is_read = isinstance(value, list | dict) and self.nodes <= MAX_VALUES and depth <= MAX_DEPTH
        if not is_read or self.characters > MAX_CHARACTERS or id(value) in self.open:
            return ""
        self.open.add(id(value))
        html = self.node_html(value, depth, in_run) if isinstance(value, dict) else self.list_html(value, depth, in_run)
        self.open.discard(id(value))
        return html

    def list_html(self, values: Any, depth: int, in_run: bool) -> str:
        """A list: an element written as a list, or members, with neighbouring inline ones joined to a paragraph."""
        if element := element_of(values):
            tag, children = element
            if tag in SKIPPED_TAGS or tag == "br":
                return "<br>" if tag == "br" else ""
            name = tag if tag in BLOCK_TAGS or tag in INLINE_TAGS else "div"
            return f"<{name}>{self.list_html(children, depth + 1, name in INLINE_TAGS or name in TEXT_KINDS)}</{name}>"
        if in_run:
            return "".join(self.html(one, depth + 1, in_run=True) for one in values)
        has_inline = any(is_inline(one) for one in values if isinstance(one, dict | list))
        if not has_inline and _are_keys(values):
            return ""
        out: list[str] = []
        for is_run, members in groupby(values, lambda one: is_inline(one) or (has_inline and isinstance(one, str))):
            html = "".join(self.html(one, depth + 1, in_run=is_run) for one in members)
            out.append(paragraph(html) if is_run else html)
        return "".join(out)

    def node_html(self, node: Any, depth: int, in_run: bool) -> str:
        kind = kind_of(node)
        if kind in ("br", "figure", "aside"):
            related = f'<aside class="related">{self.members(node, depth)}</aside>' if kind == "aside" else ""
            return "<br>" if kind == "br" else "" if in_run else related
        html = self.run(node, depth) if in_run or kind in TEXT_KINDS else self.members(node, depth)
        if not html.strip():
            return html if in_run else ""
        if kind in ("a", "inline"):
            html = f"<a>{html}</a>" if kind == "a" else html
            return html if in_run else f"<p>{html}</p>"
        tag = heading_tag(node) if kind == "h2" else kind
        return f"<{tag}>{html}</{tag}>" if kind in ELEMENT_KINDS else html

    def run(self, node: dict[str, Json], depth: int) -> str:
        """The text of a node: of its children, or of the first member with text; otherwise all its members."""
        for name in RUN_NAMES:
            if member := node.get(name):
                html = self.html(member, depth + 1, in_run=True)
                if html.strip() or isinstance(member, str):
                    return html
        return self.members(node, depth)

    def members(self, node: dict[str, Json], depth: int) -> str:
        """The members of a node with text, each as blocks."""
        out: list[str] = []
        texts: list[Counter[str]] = []  # words of the long ones
        for name, member in node.items():
            if (isinstance(member, str) and not _is_phrase(member)) or not _holds_text(name, member):
                continue
            html = self.html(member, depth + 1)
            if isinstance(member, str) and html and name.lower() in HEADING_NAMES:
                html = f"<h3>{self.text(member, in_run=True)}</h3>"
            if len(html) >= MIN_TEXT:
                words = Counter(words_of(plain_text(html)))
                if any((words & other).total() >= NEARLY_ALL * words.total() for other in texts):
                    continue
                texts.append(words)
            out.append(html)
        return "".join(out)

    def text(self, text: str, in_run: bool) -> str:
        """A string as paragraphs, or within a run of text."""
        self.characters += len(text)
        if self.characters > MAX_CHARACTERS:
            return ""
        text = joined_surrogates(text)
        if not in_run:
            return text_to_html(text)
        if "<" in text and KNOWN_TAG.search(text):
            return balanced(text)
        return escape(unescape_html(text) if "&" in text and ENTITY.search(text) else text, quote=False)


def heading_tag(node: dict[str, Json]) -> str:
    for name in ("tagName", "tag", "style", "type", "level"):
        said = str(node.get(name, "")).lower()
        if said[-1:] in "23456" and said[-1:] and (said[:-1] in ("h", "") or "head" in said):
            return f"h{said[-1]}"
    return "h2"


def _holds_text(name: str, member: Json) -> bool:
    """Whether a member of a node is its text, by name; with an unknown name only if it has prose."""
    if name.lower() in CONTENT_NAMES:
        return True
    if ASIDE_NAME.match(name):
        return False
    return prose_size(member) > 0 if isinstance(member, str) else True


def _are_keys(values: Sequence[Json]) -> bool:
    """Whether a list has only keys: ids, classes, names in a program."""
    return bool(values) and all(isinstance(one, str) and not _is_phrase(one) and KEY.search(one) for one in values)


def _is_phrase(text: str) -> bool:
    """Whether a string is for people: more than one word and not a URL; keys, dates and ids are one word."""
    head = text[:200].strip()
    return "://" not in head[:10] and (SPACED.search(head) is not None or EAST_ASIAN.search(head) is not None)
