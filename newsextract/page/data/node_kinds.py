"""What a node of rich text is: the HTML element that it stands for, by the words of its type.

Every publishing system has its own tree (ProseMirror, Slate, Lexical, Portable Text, Contentful, Draft.js, Editor.js,
Gutenberg, Arc, hast, JsonML, React elements), but all say of a node what it is (`type`, `_type`, `nodeType`, `tagName`,
`__typename`, `style`). The words of that name decide: paragraphs, headings, lists, quotes and tables; figures for what
has captions; asides for what is not of the article.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from newsextract.page.data.prose import MIN_PROSE, prose_size

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


def is_inline(value: Any) -> bool:
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


def is_block(value: Any) -> bool:
    """Whether a child is a block element."""
    if isinstance(value, list):
        element = element_of(value)
        return element[0] in BLOCK_TAGS if element else any(is_block(one) for one in value)
    return isinstance(value, dict) and kind_of(value) not in ("", "inline", "a", "br", "figure", "aside")


def heading_tag(node: dict[str, Any]) -> str:
    """The tag of a heading, by its level."""
    for name in ("tagName", "tag", "style", "type", "level"):
        said = str(node.get(name, "")).lower()
        if said[-1:] in "23456" and said[-1:] and (said[:-1] in ("h", "") or "head" in said):
            return f"h{said[-1]}"
    return "h2"


def element_of(values: list[Any]) -> tuple[str, list[Any]] | None:
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
    return children if isinstance(children, list) and element_of(children) is None else [children]
