"""Rich text in data, rendered to HTML: strings of HTML, Markdown or plain text, lists of them, and trees of nodes.

Every publishing system has its own tree (ProseMirror, Slate, Lexical, Portable Text, Contentful, Draft.js, Editor.js,
Gutenberg, Arc, hast, JsonML, React elements), but all say of a node what it is (`type`, `_type`, `nodeType`, `tagName`,
`__typename`, `style`). The words of that name decide which HTML element it becomes (paragraphs, headings, lists, quotes
and tables; asides for what is not of the article), the names of its members which of them hold its text.

Next.js sites with MDX send a page's text as code in a string of their data (`mdxSource.compiledSource` of
next-mdx-remote): `mdx("p", null, "text", mdx("a", {href: "/x"}, "link"))` of MDX 1, `_jsx(_components.p, {children:
"text"})` of MDX 2 and 3. It is read and never executed; an element becomes a list of its tag and children (JsonML).
"""

import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from html import escape
from html import unescape as unescape_html
from typing import TypeGuard

from newsextract.page.data.javascript import CONSTANTS, Json, LiteralError, Parser, joined_surrogates
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
SKIPPED_TAGS = frozenset("script style noscript template svg iframe meta object embed nav form button input".split())
#: Kind of a node -> words of its type that say so; the first row of which one occurs decides.
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


def kind_of(node: Mapping[str, Json]) -> str:
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


def is_inline(value: Json) -> bool:
    """Whether a node is part of a run of text: a text node with marks, a link, emphasis."""
    if isinstance(value, list):
        element = element_of(value)
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


def is_block(value: Json) -> bool:
    """Whether a child is a block element."""
    if isinstance(value, list):
        element = element_of(value)
        return element[0] in BLOCK_TAGS if element else any(is_block(one) for one in value)
    return isinstance(value, dict) and kind_of(value) not in ("", "inline", "a", "br", "figure", "aside")


def heading_tag(node: dict[str, Json]) -> str:
    """The tag of a heading, by its level."""
    for name in ("tagName", "tag", "style", "type", "level"):
        said = str(node.get(name, "")).lower()
        if said[-1:] in "23456" and said[-1:] and (said[:-1] in ("h", "") or "head" in said):
            return f"h{said[-1]}"
    return "h2"


def element_of(values: list[Json]) -> tuple[str, list[Json]] | None:
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


def _as_children(children: Json) -> list[Json]:
    if children is None:
        return []
    return children if isinstance(children, list) and element_of(children) is None else [children]


# ---- MDX compiled to JavaScript -------------------------------------------------------------------------------------


#: Fewest characters of compiled code; elements that are tried in one string.
MIN_CODE, MAX_ELEMENTS = 80, 400
#: How code begins that a compiler wrote, and the call that creates an element.
BEGINNING = re.compile(r"""\s*(?:/\*|["']use strict["']|(?:const|let|var|function|return|import|export|async)\b)""")
CREATORS = frozenset("mdx jsx jsxs jsxDEV _jsx _jsxs _jsxDEV createElement".split())
CALL = re.compile(r"""(?<![\w$])(?:mdx|_?jsx(?:s|DEV)?|createElement)\(\s*(?=["'`$\w])""")
#: Names of MDX for elements of HTML.
TAGS = {"inlineCode": "code"}


def is_compiled_jsx(text: str) -> bool:
    """Whether a string of a page's data is code that creates elements."""
    if len(text) < MIN_CODE or ("mdx(" not in text and "jsx" not in text and "createElement" not in text):
        return False
    return BEGINNING.match(text) is not None and CALL.search(text) is not None


def read_compiled_jsx(code: str) -> list[Json]:
    """The outermost elements that the code creates, in their order; those that can't be read are left out."""
    elements: list[Json] = []
    position = tokens = 0
    for _ in range(MAX_ELEMENTS):
        match = CALL.search(code, position)
        if match is None:
            break
        parser = _ElementParser(code, match.end(), {})
        parser.count = tokens  # the limit of one literal holds for all of them
        try:
            element = parser.created(0)
            position = parser.end
        except (LiteralError, RecursionError):
            element, position = None, match.end()
        tokens = parser.count
        if element:
            elements.append(element)
    return elements


class _ElementParser(Parser):
    """Reads calls that create elements as these elements; objects may have members of others (`...props`)."""

    has_spread = True

    def created(self, depth: int) -> list[Json] | None:
        """The element of a call whose bracket is read: tag and children; None where it has no text."""
        tag = self.tag()
        arguments = self.members(depth + 1, ")") if self.next() == "," else []
        properties = arguments[0] if arguments and isinstance(arguments[0], dict) else {}
        children = [*arguments[1:], properties.get("children")] if arguments else []
        flat = [one for child in children for one in (child if _is_group(child) else [child])]
        kept = [one for one in flat if isinstance(one, str | list) and one]
        return [tag, *kept] if kept else ["br", ""] if tag == "br" else None

    def tag(self) -> str:
        """The tag of the first argument: a string, `_components.p`, or "div" for any other component."""
        name = self.next()
        if self.kind == "string":
            name = name[1:-1]
        while self.peek() == ".":
            self.next()
            name = self.next()
        name = TAGS.get(name, name)
        return name if name in BLOCK_TAGS or name in INLINE_TAGS or name == "br" else "div"

    def named(self, name: str, depth: int) -> Json:
        called = name
        while self.peek() == "." and name not in CONSTANTS:
            self.next()
            called = self.next()
        if called in CREATORS and self.peek() == "(":
            self.next()
            return self.created(depth)
        return super().named(name, depth)


def _is_group(child: Json) -> TypeGuard[list[Json]]:
    """Whether children of an element are a list of them, not one element."""
    return isinstance(child, list) and not (len(child) > 1 and isinstance(child[0], str) and _is_tag(child[0]))


def _is_tag(name: str) -> bool:
    return name in BLOCK_TAGS or name in INLINE_TAGS or name == "br"


# ---- rendering ------------------------------------------------------------------------------------------------------


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
#: What a string that is a key has: `tag:a1b2`, `in_article`, `inArticle`.
KEY = re.compile(r"[:_/#=]|\d|[a-z][A-Z]")
SPACED = re.compile(r"\S\s+\S")


def render(value: Json) -> str:
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

    def spent(self, value: Json, depth: int) -> bool:
        """Whether a value is not to be read: limits are reached, or it is within itself."""
        self.nodes += 1
        return self.nodes > MAX_NODES or depth > MAX_DEPTH or self.characters > MAX_CHARACTERS or id(value) in self.open

    def blocks(self, value: Json, depth: int = 0) -> str:
        """A value as block elements."""
        if isinstance(value, str):
            return self.text_blocks(value)
        if not isinstance(value, list | dict) or self.spent(value, depth):
            return ""
        self.open.add(id(value))
        html = self.node(value, depth) if isinstance(value, dict) else self.list_blocks(value, depth)
        self.open.discard(id(value))
        return html

    def inline(self, value: Json, depth: int) -> str:
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

    def list_blocks(self, values: list[Json], depth: int) -> str:
        """A list: an element written as a list, or members of which neighbouring inline ones are one paragraph."""
        if element := element_of(values):
            return self.element(*element, depth)
        out: list[str] = []
        run: list[str] = []
        mixed = any(is_inline(one) for one in values if isinstance(one, dict | list))
        if not mixed and _are_keys(values):
            return ""
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

    def element(self, tag: str, children: list[Json], depth: int) -> str:
        """An element of JsonML or React."""
        if tag in SKIPPED_TAGS:
            return ""
        if tag == "br":
            return "<br>"
        if tag in INLINE_TAGS:
            return f"<{tag}>{''.join(self.inline(one, depth + 1) for one in children)}</{tag}>"
        name = tag if tag in BLOCK_TAGS else "div"
        return f"<{name}>{self.children_of(name, children, depth)}</{name}>"

    def children_of(self, kind: str, children: list[Json], depth: int) -> str:
        if kind in TEXT_KINDS and not any(is_block(one) for one in children):
            return "".join(self.inline(one, depth + 1) for one in children)
        return self.list_blocks(children, depth) if element_of(children) is None else self.blocks(children, depth + 1)

    def node(self, node: dict[str, Json], depth: int) -> str:
        """A node as block elements, by its kind."""
        kind = kind_of(node)
        if kind == "aside":
            return f'<aside class="related">{self.members(node, depth)}</aside>'
        if kind == "figure":
            return ""
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

    def holds_blocks(self, node: dict[str, Json]) -> bool:
        """Whether members of a node are block elements."""
        for name, member in node.items():
            if name.lower() in CONTENT_NAMES:
                children = member if isinstance(member, list) else [member]
                if any(is_block(one) for one in children):
                    return True
        return False

    def inline_node(self, node: dict[str, Json], depth: int) -> str:
        kind = kind_of(node)
        if kind in ("aside", "figure"):
            return ""
        if kind == "br":
            return "<br>"
        text = self.inline_members(node, depth)
        return f"<a>{text}</a>" if kind == "a" and text else text

    def inline_members(self, node: dict[str, Json], depth: int) -> str:
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

    def members(self, node: dict[str, Json], depth: int) -> str:
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


def _holds_text(name: str, member: Json) -> bool:
    """Whether a member of a node is text of it, by its name; an unknown name only where it holds prose."""
    lowered = name.lower()
    if lowered in CONTENT_NAMES:
        return True
    if ASIDE_NAME.match(name):
        return False
    return prose_size(member) > 0 if isinstance(member, str) else True


def _are_keys(values: list[Json]) -> bool:
    """Whether a list has nothing but keys: ids, classes, names of the program's."""
    return bool(values) and all(isinstance(one, str) and not _is_phrase(one) and KEY.search(one) for one in values)


def _is_phrase(text: str) -> bool:
    """Whether a string may be read by people: more than one word, no address; keys, dates and ids are one."""
    head = text[:200].strip()
    return "://" not in head[:10] and (SPACED.search(head) is not None or EAST_ASIAN.search(head) is not None)
