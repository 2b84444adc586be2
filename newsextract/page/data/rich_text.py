"""Rich text in data, rendered to HTML: strings of HTML, Markdown or plain text, lists of them, and trees of nodes.

Every publishing system has its own tree (ProseMirror, Slate, Lexical, Portable Text, Contentful, Draft.js, Editor.js,
Gutenberg, Arc, hast, JsonML, React elements), but all say of a node what it is (`type`, `_type`, `nodeType`, `tagName`,
`__typename`, `style`) and hold text under few names. So the words of that name decide which HTML element a node
becomes: paragraphs, headings, lists, quotes and tables; figures for what has captions; asides for what is not of the
article.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from html import escape
from html import unescape as unescape_html
from typing import Any

import turbohtml

from newsextract.page.data.javascript import joined_surrogates
from newsextract.text import EAST_ASIAN

#: Limits of one rendering: nodes, levels, characters of HTML.
MAX_NODES, MAX_DEPTH, MAX_CHARACTERS = 40_000, 120, 3_000_000
#: Longest text that is read as Markdown.
MAX_MARKDOWN = 200_000
#: Names under which a node says what it is, the most telling first.
TYPE_NAMES = "tagName tag nodeType _type type __typename blockType kind component nodeName name".split()
#: Names that say more of a text block: a Portable Text block is a heading by its style.
STYLE_NAMES = "style listItem variant".split()
#: Elements of HTML by which nodes may be named.
BLOCK_TAGS = frozenset(
    """p h1 h2 h3 h4 h5 h6 ul ol li blockquote table thead tbody tfoot tr td th pre figure figcaption dl dt dd div
    section article main header footer aside""".split()
)
INLINE_TAGS = frozenset("a b strong i em u span sub sup small mark s del ins code abbr cite q time font".split())
SKIPPED_TAGS = frozenset(
    "script style noscript template svg iframe link meta object embed nav form button input".split()
)
#: Kind of a node -> words of its type that say so; the first row of which all or, without `+`, any occur decides.
KINDS: tuple[tuple[str, frozenset[str]], ...] = (
    (
        "aside",
        frozenset(
            """ad ads advert advertisement advertising advertorial promo promotion newsletter related teaser recommended
            recommendation recommendations recirc paywall cta button poll quiz author authors byline bio share social
            sponsor sponsored signup subscribe subscription comments comment tags topics banner interstitial outbrain
            taboola widget affiliate inread form toc script style readmore""".split()
        ),
    ),
    (
        "figure",
        frozenset(
            """image images img photo picture media video audio gallery slideshow carousel embed embedded embeds figure
            graphic chart map oembed tweet twitter instagram youtube facebook tiktok iframe podcast infographic caption
            credit asset player vimeo soundcloud datawrapper imagegallery""".split()
        ),
    ),
    ("br", frozenset("br linebreak hardbreak softbreak".split())),
    ("li", frozenset("li listitem".split())),
    ("tr", frozenset("tr tablerow".split())),
    ("td", frozenset("td th tablecell tableheader tableheadercell tabledatacell".split())),
    ("table", frozenset({"table"})),
    ("ol", frozenset("ol numbered ordered numbers orderedlist".split())),
    ("ul", frozenset("ul list bulletlist bulleted bullets unordered unorderedlist".split())),
    ("blockquote", frozenset("blockquote quote pullquote quotation citation".split())),
    ("pre", frozenset("pre codeblock preformatted".split())),
    (
        "h2",
        frozenset(
            """h1 h2 h3 h4 h5 h6 heading header headline subhead subheader subheading subheadline subtitle crosshead
            title intertitle interstitle""".split()
        ),
    ),
    ("a", frozenset("a link hyperlink anchor autolink mention".split())),
    ("inline", frozenset("strong em b i u span bold italic underline mark emphasis sup sub inline leaf".split())),
    ("p", frozenset("p paragraph para textblock unstyled normal markdown standfirst lead lede".split())),
)
JOINED_WORDS = re.compile(
    r"list[ _-]?item|line[ _-]?break|hard[ _-]?break|soft[ _-]?break|table[ _-]?(?:row|cell|header)|code[ _-]?block"
    r"|text[ _-]?block|read[ _-]?more|pull[ _-]?quote|block[ _-]?quote|sub[ _-]?(?:head|title|headline|header)",
    re.I,
)
WORD = re.compile(r"h[1-6]\b|[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
#: Kinds whose content is one run of text.
TEXT_KINDS = frozenset("p h2 h3 h4 h5 h6 li td a inline pre".split())
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
    r"|photos?|media|thumbnail\w*|video\w*|audio\w*|gallery|embed\w*|marks?|markdefs|type|_type|__typename|name|nodetype"
    r"|tag|tagname|legal\w*|disclaimer\w*|breadcrumbs?|link|links|cta\w*|button\w*|schema|jsonld|aria\w*|tooltip\w*"
    r"|placeholder|additional_properties|analytics\w*|tracking\w*)$",
    re.I,
)
CAPTION_NAME = re.compile(r"^(?:captions?|credits?|alt|copyright)$", re.I)
TAG = re.compile(
    r"</?(?:p|br|div|span|a|b|strong|em|i|u|h[1-6]|ul|ol|li|blockquote|figure|img|table|section|sup|sub)\b[^<>]*>", re.I
)
ESCAPED_TAG = re.compile(r"&(?:amp;)?lt;/?(?:p|br|div|span|a|b|strong|em|i|h[1-6]|ul|li)\b", re.I)
ANY_TAG = re.compile(r"<[^<>]*>")
ENTITY = re.compile(r"&(?:#\d+|#x[\da-f]+|[a-z]\w{1,20});", re.I)
MARKDOWN = re.compile(r"^#{1,6} \S|\]\(https?://|\*\*\w[^*\n]{0,80}\*\*|^[*-] \S.*\n[*-] \S", re.M)
LINES = re.compile(r"\s*\n\s*")
ESCAPED_LINES = re.compile(r"\\r?\\n|\\n")
SPACED = re.compile(r"\S\s+\S")
#: What prose has: words divided by spaces, ended by punctuation; what code and keys have.
SENTENCE_END = re.compile(r"[.!?…。！？؟।»”\"'’)][\"'”’»)]*\s*$|[.!?…。！？؟।]\s", re.M)
CODE = re.compile(r"[{}=;|\\]|://")
MIN_PROSE, MIN_EAST_ASIAN_PROSE = 60, 20


def prose_size(text: str) -> int:
    """Characters of prose in a string of a page's data; 0 for addresses, code, styles and short texts."""
    if len(text) < MIN_EAST_ASIAN_PROSE:
        return 0
    if "<" in text and TAG.search(text):
        plain = ANY_TAG.sub(" ", text)
    elif "&" in text and ESCAPED_TAG.search(text):
        plain = ANY_TAG.sub(" ", unescape_html(unescape_html(text)))
    else:
        plain = text
    head = plain.strip()
    size = len(head)
    if size < MIN_PROSE and not (size >= MIN_EAST_ASIAN_PROSE and EAST_ASIAN.search(head)):
        return 0
    sample = " ".join(unescape_html(unescape_html(head[:4_000])).split())[:2_000]
    if not sample:
        return 0
    if EAST_ASIAN.search(sample):
        return 3 * size if len(CODE.findall(sample)) < len(sample) / 20 else 0
    words = sample.count(" ") + sample.count("\n") + 1
    if not 3 <= len(sample) / words <= 14 or len(CODE.findall(sample)) > len(sample) / 40:
        return 0
    return size if SENTENCE_END.search(sample) else 0


def plain_text(text: str) -> str:
    """The text of a string of HTML or plain text, on one line."""
    if "&" in text and ENTITY.search(text):
        text = unescape_html(text)
    return " ".join(ANY_TAG.sub(" ", text).split())


def render(value: Any) -> str:
    """The HTML of a value of a page's data; "" where it holds no text. Balanced, so that it can stand in a page."""
    return _Renderer().blocks(value)


def kind_of(node: Mapping[str, Any]) -> str:
    """What a node is: an HTML tag, "aside", "figure", "inline" or "" where it does not say."""
    for names in (STYLE_NAMES, TYPE_NAMES):
        for name in names:
            said = node.get(name)
            if isinstance(said, str) and said and len(said) < 80 and (kind := _kind(said)):
                return kind
    return ""


@lru_cache(4096)
def _kind(said: str) -> str:
    lowered = said.lower()
    if lowered in BLOCK_TAGS or lowered in INLINE_TAGS:
        return "inline" if lowered in INLINE_TAGS and lowered != "a" else lowered
    if lowered in SKIPPED_TAGS:
        return "aside"
    joined = JOINED_WORDS.sub(lambda match: " " + re.sub(r"[ _-]", "", match[0]).lower() + " ", said)
    words = {word.lower() for word in WORD.findall(joined)}
    return next((kind for kind, cues in KINDS if words & cues), "")


class _Renderer:
    """Renders one value. `seen`: paragraphs written already, which are not written again."""

    def __init__(self) -> None:
        self.nodes = self.characters = 0
        self.seen: set[str] = set()
        self.open: set[int] = set()

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
            element = _element(value)
            html = self.element(*element, depth) if element else "".join(self.inline(one, depth + 1) for one in value)
        else:
            html = self.inline_node(value, depth)
        self.open.discard(id(value))
        return html

    def list_blocks(self, values: list[Any], depth: int) -> str:
        """A list: an element written as a list, or members of which neighbouring inline ones are one paragraph."""
        if element := _element(values):
            return self.element(*element, depth)
        out: list[str] = []
        run: list[str] = []
        mixed = any(_is_inline(one) for one in values if isinstance(one, dict | list))
        for one in values:
            if _is_inline(one) or (mixed and isinstance(one, str)):
                run.append(self.inline(one, depth + 1))
                continue
            if run:
                out.append(_paragraph("".join(run)))
                run = []
            out.append(self.blocks(one, depth + 1))
        if run:
            out.append(_paragraph("".join(run)))
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
        if kind in TEXT_KINDS and not any(_is_block(one) for one in children):
            return "".join(self.inline(one, depth + 1) for one in children)
        return self.list_blocks(children, depth) if _element(children) is None else self.blocks(children, depth + 1)

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
            tag = "p" if kind in ("a", "inline") else _heading(node) if kind == "h2" else kind
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
                if any(_is_block(one) for one in children):
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
        out = []
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
        text = joined_surrogates(text)
        if len(text) >= MIN_PROSE:
            key = plain_text(text[:2_000])
            if key in self.seen:
                return ""
            self.seen.add(key)
        return text_to_html(text)


def text_to_html(text: str) -> str:
    """A string of HTML (escaped or not), Markdown or plain text as HTML paragraphs."""
    for _ in range(2):
        if ESCAPED_TAG.search(text) and not TAG.search(text):
            text = unescape_html(text)
    if "<" in text and TAG.search(text):
        html = balanced(text)
        return html if re.search(r"<(?:p|div|h[1-6]|li|section)\b", html) else _paragraph(html)
    if "\n" not in text and text.count("\\n") > 1:
        text = ESCAPED_LINES.sub("\n", text)
    if len(text) <= MAX_MARKDOWN and MARKDOWN.search(text):
        return _markdown(text)
    for _ in range(3):
        text = unescape_html(text) if "&" in text and ENTITY.search(text) else text
    return "".join(_paragraph(escape(line, quote=False)) for line in LINES.split(text.strip()) if line)


def balanced(html: str) -> str:
    """HTML with every element closed, so that what follows it stays outside."""
    root: Any = turbohtml.parse_fragment(html, "div", positions=False)
    inner: str = root.inner_html
    return inner


def _markdown(text: str) -> str:
    from markdown_it import MarkdownIt

    return balanced(str(MarkdownIt("commonmark").render(text)))


def _paragraph(html: str) -> str:
    return f"<p>{html}</p>" if html.strip() else ""


def _heading(node: dict[str, Any]) -> str:
    """The tag of a heading, by its level."""
    for name in ("tagName", "tag", "style", "type", "level"):
        said = str(node.get(name, "")).lower()
        if said[-1:] in "23456" and said[-1:] and (said[:-1] in ("h", "") or "head" in said):
            return f"h{said[-1]}"
    return "h2"


def _holds_text(name: str, member: Any) -> bool:
    """Whether a member of a node is text of it, by its name; an unknown name only where it holds prose."""
    lowered = name.lower()
    if lowered in CONTENT_NAMES:
        return True
    if ASIDE_NAME.match(name):
        return False
    return prose_size(member) > 0 if isinstance(member, str) else True


def _is_phrase(text: str) -> bool:
    """Whether a string may be read by people: more than one word, no address; keys, dates and ids are one."""
    head = text[:200].strip()
    return "://" not in head[:10] and (SPACED.search(head) is not None or EAST_ASIAN.search(head) is not None)


def _is_inline(value: Any) -> bool:
    """Whether a node is part of a run of text: a text node with marks, a link, emphasis."""
    if isinstance(value, list):
        element = _element(value)
        return element is not None and element[0] in INLINE_TAGS
    if not isinstance(value, dict):
        return False
    kind = kind_of(value)
    if kind in ("inline", "a"):
        return True
    if kind:
        return False
    said = value.get("type") or value.get("nodeType") or value.get("_type") or value.get("object")
    text = value.get("text", value.get("value"))
    return (
        isinstance(text, str)
        and (said is None or said == "text")
        and not ({"content", "children"} & value.keys())
        and (
            "marks" in value or len(value) <= (2 if said else 1) or any(isinstance(one, bool) for one in value.values())
        )
        and prose_size(text) < 4 * MIN_PROSE
    )


def _is_block(value: Any) -> bool:
    """Whether a child is a block element."""
    if isinstance(value, list):
        element = _element(value)
        return element[0] in BLOCK_TAGS if element else any(_is_block(one) for one in value)
    return isinstance(value, dict) and kind_of(value) not in ("", "inline", "a", "br", "figure", "aside")


def _element(values: list[Any]) -> tuple[str, list[Any]] | None:
    """Tag and children of an element written as a list: React's `["$", tag, key, props]`, JsonML's `[tag, ...]`."""
    if len(values) < 2 or not isinstance(values[0], str):
        return None
    if values[0] == "$":
        if len(values) < 4 or not isinstance(values[3], dict):
            return None
        props, tag = values[3], values[1]
        children = props.get("children")
        inner = props.get("dangerouslySetInnerHTML")
        if isinstance(inner, dict) and isinstance(inner.get("__html"), str):
            children = [children, inner["__html"]]
        if not isinstance(tag, str) or tag[:1] == "$":
            children = [value for name, value in props.items() if isinstance(value, list | dict) or name == "children"]
            return "div", children
        return tag.lower(), _as_children(children)
    tag = values[0].lower()
    if tag not in BLOCK_TAGS and tag not in INLINE_TAGS and tag not in SKIPPED_TAGS and tag != "br":
        return None
    if isinstance(values[1], dict) and not kind_of(values[1]):
        return tag, values[2:]
    return tag, values[1:]


def _as_children(children: Any) -> list[Any]:
    if children is None:
        return []
    return children if isinstance(children, list) and _element(children) is None else [children]
