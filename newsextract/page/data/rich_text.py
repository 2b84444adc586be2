"""Rich text in data, rendered to HTML: strings of HTML, Markdown or plain text, lists of them, and trees of nodes.

`node_kinds` says which HTML element a node becomes, the names of its members which of them hold its text.
"""

import re
from collections import Counter
from html import escape
from html import unescape as unescape_html
from typing import Any

from newsextract.page.data.compiled_jsx import is_compiled_jsx, read_compiled_jsx
from newsextract.page.data.javascript import joined_surrogates
from newsextract.page.data.node_kinds import (
    BLOCK_TAGS,
    INLINE_TAGS,
    SKIPPED_TAGS,
    TEXT_KINDS,
    element_of,
    heading_tag,
    is_block,
    is_inline,
    kind_of,
)
from newsextract.page.data.prose import (
    ENTITY,
    MIN_PROSE,
    TAG,
    balanced,
    paragraph,
    plain_text,
    prose_size,
    text_to_html,
)
from newsextract.text import EAST_ASIAN, words_of

#: Limits of one rendering: nodes, levels, characters of HTML.
MAX_NODES, MAX_DEPTH, MAX_CHARACTERS = 40_000, 120, 3_000_000
#: Names of members that hold a node's text or its children.
CONTENT_NAMES = frozenset(
    """children content contents text value html body nodes blocks items elements content_elements paragraphs paragraph
    data markup raw rendered rows cells columns attrs attributes props root document json fields component components
    sections section innerhtml innerblocks originalcontent markdown richtext textcontent story article articlebody entry
    contenthtml bodyhtml __html dangerouslysetinnerhtml heading headline subheading subtitle title header quote list
    description message copy texts lines answer question primary slices""".split()
)
#: Names of members that are no text of the article, though they may hold sentences.
ASIDE_NAME = re.compile(
    r"^(?:alt|alts?text|caption|captions|credit|credits|copyright|source|author|authors|byline|bio|related\w*"
    r"|recommend\w*|tags?|topics?|keywords?|seo\w*|meta\w*|og\w*|slug|url|href|src|srcset|path|id|_id|_key|key|class"
    r"|classname|style|rel|target|script|css|advert\w*|ads?|promo\w*|newsletter\w*|comments?|share\w*|social\w*|images?"
    r"|photos?|media|thumbnail\w*|video\w*|audio\w*|gallery|embed\w*|marks?|markdefs|rels?|relationships?|type|_type|__typename|name"
    r"|nodetype|tag|tagname|legal\w*|disclaimer\w*|breadcrumbs?|link|links|cta\w*|button\w*|schema|jsonld|aria\w*|tooltip\w*"
    r"|placeholder|additional_properties|analytics\w*|tracking\w*)$",
    re.I,
)
#: Characters of a member that may be a copy of another (a text as tree and as HTML), share of its words in the other.
MIN_COPY, COPIED = 600, 0.9
CAPTION_NAME = re.compile(r"^(?:captions?|credits?|alt|copyright)$", re.I)
#: What a string that is a key has: `tag:a1b2`, `in_article`, `inArticle`.
KEY = re.compile(r"[:_/#=]|\d|[a-z][A-Z]")
SPACED = re.compile(r"\S\s+\S")


def render(value: Any) -> str:
    """The HTML of a value of a page's data; "" where it holds no text. Balanced, so that it can stand in a page."""
    return _Renderer().blocks(value)


class _Renderer:
    """Renders one value. `seen`: paragraphs written already, which are not written again; `in_code`: whether a string
    of compiled JSX is rendered, in which no other one is looked for."""

    def __init__(self) -> None:
        self.nodes = self.characters = 0
        self.seen: set[str] = set()
        self.open: set[int] = set()
        self.in_code = False

    def spent(self, value: Any, depth: int) -> bool:
        """Whether a value is not to be read: limits are reached, or it is within itself."""
        self.nodes += 1
        return self.nodes > MAX_NODES or depth > MAX_DEPTH or self.characters > MAX_CHARACTERS or id(value) in self.open

    def blocks(self, value: Any, depth: int = 0) -> str:
        """A value as block elements."""
        if isinstance(value, str):
            return self.text_blocks(value)
        if not isinstance(value, list | dict) or self.spent(value, depth):
            return ""
        self.open.add(id(value))
        html = self.node(value, depth) if isinstance(value, dict) else self.list_blocks(value, depth)
        self.open.discard(id(value))
        return html

    def inline(self, value: Any, depth: int) -> str:
        """A value as one run of text."""
        if isinstance(value, str):
            return self.text_inline(value)
        if not isinstance(value, list | dict) or self.spent(value, depth):
            return ""
        self.open.add(id(value))
        if isinstance(value, list):
            element = element_of(value)
            html = self.element(*element, depth) if element else "".join(self.inline(one, depth + 1) for one in value)
        else:
            html = self.inline_node(value, depth)
        self.open.discard(id(value))
        return html

    def list_blocks(self, values: list[Any], depth: int) -> str:
        """A list: an element written as a list, or members of which neighbouring inline ones are one paragraph."""
        if element := element_of(values):
            return self.element(*element, depth)
        out: list[str] = []
        run: list[str] = []
        mixed = any(is_inline(one) for one in values if isinstance(one, dict | list))
        if not mixed and _are_keys(values):
            return ""
        if inserted := _inserted(values):
            return self.text_blocks(inserted)
        for one in values:
            if is_inline(one) or (mixed and isinstance(one, str)):
                run.append(self.inline(one, depth + 1))
                continue
            if run:
                out.append(paragraph("".join(run)))
                run = []
            out.append(self.blocks(one, depth + 1))
        if run:
            out.append(paragraph("".join(run)))
        return "".join(out)

    def element(self, tag: str, children: list[Any], depth: int) -> str:
        """An element of JsonML or React."""
        if tag in SKIPPED_TAGS:
            return ""
        if tag == "br":
            return "<br>"
        if tag in INLINE_TAGS:
            return f"<{tag}>{''.join(self.inline(one, depth + 1) for one in children)}</{tag}>"
        name = tag if tag in BLOCK_TAGS else "div"
        return f"<{name}>{self.children_of(name, children, depth)}</{name}>"

    def children_of(self, kind: str, children: list[Any], depth: int) -> str:
        if kind in TEXT_KINDS and not any(is_block(one) for one in children):
            return "".join(self.inline(one, depth + 1) for one in children)
        return self.list_blocks(children, depth) if element_of(children) is None else self.blocks(children, depth + 1)

    def node(self, node: dict[str, Any], depth: int) -> str:
        """A node as block elements, by its kind."""
        kind = kind_of(node)
        if kind == "aside":
            return f'<aside class="related">{self.members(node, depth)}</aside>'
        if kind == "figure":
            return self.figure(node, depth)
        if kind == "br":
            return "<br>"
        if kind in TEXT_KINDS and not self.holds_blocks(node):
            text = self.inline_members(node, depth)
            if kind == "pre":
                return f"<pre>{text}</pre>"
            tag = "p" if kind in ("a", "inline") else heading_tag(node) if kind == "h2" else kind
            return f"<{tag}>{text}</{tag}>" if text.strip() else ""
        html = self.members(node, depth)
        return (
            f"<{kind}>{html}</{kind}>"
            if html and kind in ("ul", "ol", "li", "table", "tr", "td", "blockquote")
            else html
        )

    def holds_blocks(self, node: dict[str, Any]) -> bool:
        """Whether members of a node are block elements."""
        for name, member in node.items():
            if name.lower() in CONTENT_NAMES:
                children = member if isinstance(member, list) else [member]
                if any(is_block(one) for one in children):
                    return True
        return False

    def inline_node(self, node: dict[str, Any], depth: int) -> str:
        kind = kind_of(node)
        if kind in ("aside", "figure"):
            return ""
        if kind == "br":
            return "<br>"
        text = self.inline_members(node, depth)
        return f"<a>{text}</a>" if kind == "a" and text else text

    def inline_members(self, node: dict[str, Any], depth: int) -> str:
        """The text of a node: of its children, or of the first member that holds text."""
        for name in ("children", "content", "nodes", "items", "html", "text", "value", "body", "content_elements"):
            member = node.get(name)
            if member and isinstance(member, str | list | dict) and (html := self.inline(member, depth + 1)).strip(" "):
                return html
            if isinstance(member, str) and member:
                return self.text_inline(member)
        return "".join(
            self.inline(member, depth + 1)
            for name, member in node.items()
            if isinstance(member, dict | list | str) and _holds_text(name, member)
        )

    def members(self, node: dict[str, Any], depth: int) -> str:
        """The members of a node that hold text, each as blocks."""
        out: list[str] = []
        texts: list[Counter[str]] = []  # words of the long ones
        for name, member in node.items():
            if isinstance(member, str) and not _is_phrase(member):
                continue
            if isinstance(member, str | list | dict) and member and _holds_text(name, member):
                html = self.blocks(member, depth + 1)
                lowered = name.lower()
                if isinstance(member, str) and lowered in (
                    "heading",
                    "headline",
                    "subheading",
                    "title",
                    "subtitle",
                    "header",
                ):
                    html = f"<h3>{self.text_inline(member)}</h3>" if html else ""
                if len(html) >= MIN_COPY:
                    words = Counter(words_of(plain_text(html)))
                    if any((words & other).total() >= COPIED * words.total() for other in texts):
                        continue
                    texts.append(words)
                out.append(html)
        return "".join(out)

    def figure(self, node: dict[str, Any], depth: int) -> str:
        """A figure with its captions; whatever else it says is no text of the article."""
        captions = [
            plain_text(member) for name, member in node.items() if isinstance(member, str) and CAPTION_NAME.match(name)
        ]
        inner = "".join(f"<figcaption>{escape(one, quote=False)}</figcaption>" for one in captions[:2] if one)
        return f"<figure>{inner}</figure>" if inner else ""

    def text_inline(self, text: str) -> str:
        """A string within a run of text."""
        self.characters += len(text)
        text = joined_surrogates(text)
        if "<" in text and TAG.search(text):
            return balanced(text)
        if "&" in text and ENTITY.search(text):
            text = unescape_html(text)
        return escape(text, quote=False)

    def text_blocks(self, text: str) -> str:
        """A string as paragraphs; one that was written already is left out."""
        self.characters += len(text)
        if self.characters > MAX_CHARACTERS:
            return ""
        if not self.in_code and is_compiled_jsx(text):
            self.in_code = True
            html = self.list_blocks(read_compiled_jsx(text), MAX_DEPTH // 2)
            self.in_code = False
            return html
        text = joined_surrogates(text)
        if len(text) >= MIN_PROSE:
            key = plain_text(text[:2_000])
            if key in self.seen:
                return ""
            self.seen.add(key)
        return text_to_html(text)


def _holds_text(name: str, member: Any) -> bool:
    """Whether a member of a node is text of it, by its name; an unknown name only where it holds prose."""
    lowered = name.lower()
    if lowered in CONTENT_NAMES:
        return True
    if ASIDE_NAME.match(name):
        return False
    return prose_size(member) > 0 if isinstance(member, str) else True


def _inserted(values: list[Any]) -> str:
    """The text of a Quill delta, a list of insertions in which line feeds end paragraphs; "" for any other list."""
    if not all(isinstance(one, dict) and "insert" in one for one in values):
        return ""
    return "".join(one["insert"] for one in values if isinstance(one["insert"], str))


def _are_keys(values: list[Any]) -> bool:
    """Whether a list has nothing but keys: ids, classes, names of the program's."""
    return bool(values) and all(isinstance(one, str) and not _is_phrase(one) and KEY.search(one) for one in values)


def _is_phrase(text: str) -> bool:
    """Whether a string may be read by people: more than one word, no address; keys, dates and ids are one."""
    head = text[:200].strip()
    return "://" not in head[:10] and (SPACED.search(head) is not None or EAST_ASIAN.search(head) is not None)
