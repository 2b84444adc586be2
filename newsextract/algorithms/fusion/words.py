"""Words that say what an element is for, in class, id and role, and how they are found: needles in a haystack once a page.

A word is looked up whole in a table that fills itself; the page's words that are not there yet are joined and searched
for each needle at once. So a page costs the same whether its site is known or not, to a twentieth of a millisecond.
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from newsextract.algorithms.fusion.sheet import Floats, Ints, Sheet

#: What a class may say, and by which words; a word with a blank at an end begins or ends there.
CLASS_WORDS: Mapping[str, tuple[str, ...]] = {
    "comment": ("comment", "disqus", " respond ", "reply", "replies", "kommentar", "talkback", "discuss", "forum", "coral", "livefyre"),
    "caption": ("caption", "credit", "photo", "figure", "image", "gallery", "slide", "video", "player", "media", "bild"),
    "body": ("articlebody", "storybody", "postbody", "entrycontent", "postcontent", "articlecontent", "articletext", "bodytext", "richtext", "paragraph", " text ", "bodycopy", "textblock", " body ", "prose", "wysiwyg"),
    "content": ("content", "article", "story", "entry", " post ", "main", "haupt", "artikel", "conteudo", "contenu"),
    "foot": ("foot", "copyright", "legal", "disclaimer", "imprint", "impressum", "bottom"),
    "head": ("header", "masthead", "topbar", " top ", "banner", "logo", "brand"),
    "title": ("headline", "title", "heading", " hed "),
    "nav": (" nav", "navi", "menu", "breadcrumb", "crumb", "pagin", "pager", " tabs ", "toc", "skip", "sitemap"),
    "related": ("relat", "recommend", "teaser", " card", "trending", "popular", "latest", "readmore", " more ", "similar", " also ", "carousel", "outbrain", "taboola", "recirc", "suggest", "promo", "mostread", "widget", "feed", " list ", "listing", "grid", "further"),
    "side": ("sidebar", "aside", " rail", " right ", "secondary", "complement", " side ", "column", "sticky"),
    "share": ("share", "sharing", "social", "follow", "tools", "button", " btn", "addthis", " icon", "print"),
    "subscribe": ("subscri", "newsletter", "signup", "paywall", "login", "signin", "regist", "donat", "member", "consent", "cookie", "gdpr", "popup", "modal", "overlay", "promo", "cta", "offer"),
    "ad": (" ad ", " ads ", "advert", "sponsor", " dfp ", "adsense", " gpt ", "adslot", "anzeige", "werbung", "affiliate"),
    "meta": ("byline", "author", " meta", " date", "time", " tag ", " tags ", "categor", "kicker", "published", " bio ", "contributor", "dateline", "label", "source"),
    "summary": ("summary", "intro", " lead ", " dek ", "standfirst", "subtitle", "subhead", "excerpt", "abstract", "deck", "vorspann", "chapo", "perex"),
    "box": (" box", "infobox", "factbox", "expand", "accordion", "embed", "inset", "callout", "quote", "inline", "insert", "module", "container"),
    "hidden": ("hidden", "hide", "visually", "sronly", "screenreader", "collapse", "noprint"),
}  # fmt: skip
#: What ancestors say by their tags.
ANCESTOR_TAGS = (
    "article",
    "main",
    "aside",
    "nav",
    "header",
    "footer",
    "figure",
    "table",
    "ul",
    "ol",
    "blockquote",
    "form",
    "section",
    "dl",
    "td",
)
FEATURES = (
    *((f"class {name}", "class words") for name in CLASS_WORDS),
    *((f"class {name} near", "class words") for name in CLASS_WORDS),
    *((f"in {tag}", "class words") for tag in ANCESTOR_TAGS),
    *((f"in {tag} near", "class words") for tag in ANCESTOR_TAGS),
)
SEPARATORS = str.maketrans("-_:/.[](){}=#@,", " " * 15, "0123456789")
#: The table of words is begun anew at this size.
KNOWN_WORDS = 50_000
#: Of one element's names so much is read.
LONGEST = 300


class Lexicon:
    """Word -> set of CLASS_WORDS it speaks for, as bits; learns words as pages bring them."""

    def __init__(self, words: Mapping[str, Sequence[str]]) -> None:
        self.needles = [(needle, 1 << place) for place, group in enumerate(words.values()) for needle in group]
        self.known: dict[str, int] = {}

    def bits(self, names: Iterable[str]) -> dict[str, int]:
        """Each name's bits: those of all its words."""
        words = {name: name.split() for name in names}
        known = self.known if len(self.known) < KNOWN_WORDS else {}
        self.known = known
        self._learn({word for parts in words.values() for word in parts if word not in known})
        found = {}
        for name, parts in words.items():
            bits = 0
            for word in parts:
                bits |= known[word]
            found[name] = bits
        return found

    def _learn(self, new: set[str]) -> None:
        if not new:
            return
        self.known.update(dict.fromkeys(new, 0))
        words = sorted(new)
        haystack, starts, length = " ".join(["", *words, ""]), [], 0
        for word in words:
            starts.append(length)
            length += 1 + len(word)
        for needle, bit in self.needles:
            place = haystack.find(needle)
            while place >= 0:
                self.known[words[bisect_right(starts, place) - 1]] |= bit
                place = haystack.find(needle, place + len(needle) - 1)


@cache
def lexicon() -> Lexicon:
    return Lexicon(CLASS_WORDS)


def names_of(sheet: Sheet) -> list[str]:
    """Each element's class, id, role and itemprop as lower-case words without digits."""
    names = []
    for element in sheet.blocks.elements:
        get = element.get
        name, identity = get("class"), get("id")
        if name is None and identity is None:
            names.append("")
        else:
            names.append(f"{name or ''} {identity or ''}"[:LONGEST])
    return "\n".join([name.replace("\n", " ") for name in names]).lower().translate(SEPARATORS).split("\n")


def keys_of(sheet: Sheet, names: Sequence[str]) -> Ints:
    """(elements,) a number for each element's tag and names; equal for equal ones, in this process."""
    tags = sheet.blocks.element_tags
    return np.array([hash(tag + name) for tag, name in zip(tags, names, strict=True)], np.int64)


def evidence(sheet: Sheet, names: Sequence[str]) -> Floats:
    """(blocks, FEATURES): how many ancestors speak for a word or are a tag, at most 2; and how near they are.

    An element that holds nearly all of the page's good text says nothing about one block of it, so `near` counts it
    by the share of good text that it does not hold.
    """
    bits = lexicon().bits(set(names))
    held = (sheet.last > sheet.first).tolist()
    tags = {tag: len(CLASS_WORDS) + place for place, tag in enumerate(ANCESTOR_TAGS)}
    elements: list[int] = []
    columns: list[int] = []
    for element, (name, tag) in enumerate(zip(names, sheet.blocks.element_tags, strict=True)):
        if held[element] and element:
            found = bits[name]
            while found:
                low = found & -found
                elements.append(element)
                columns.append(low.bit_length() - 1)
                found ^= low
            if tag in tags:
                elements.append(element)
                columns.append(tags[tag])
    counts, near = _held(sheet, np.array(elements, int), np.array(columns, int), len(CLASS_WORDS) + len(tags))
    words = len(CLASS_WORDS)
    return np.concatenate([counts[:, :words], near[:, :words], counts[:, words:], near[:, words:]], 1)


def _held(sheet: Sheet, elements: Ints, columns: Ints, width: int) -> tuple[Floats, Floats]:
    """Sums over each block's ancestors, as running sums of what begins and ends at each block."""
    count = len(sheet.size)
    begins, ends = sheet.first[elements] * width + columns, sheet.last[elements] * width + columns
    whole = sheet.sums[elements, 2] / max(1.0, sheet.total_good)
    weights = np.maximum(0, 1 - whole) / np.log2(1 + np.maximum(1, sheet.sums[elements, 6]))

    def total(weight: NDArray[np.float32] | None) -> Floats:
        size = (count + 1) * width
        change = np.bincount(begins, weight, size) - np.bincount(ends, weight, size)
        return np.cumsum(change.reshape(count + 1, width)[:-1], 0).astype(np.float32)

    return np.minimum(2, total(None)), np.clip(total(weights), 0, 2)
