"""Words that say what an element is for, in class and id, and how they are found.

A word is looked up whole in a table that fills itself; one that is not there yet is compared with the needles that
begin as any part of it does.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from newsextract.algorithms.fusion.sheet import Floats, Ints, Sheet

#: What a class may say, and by which words; a word with a blank at an end begins or ends there.
CLASS_WORDS: Mapping[str, tuple[str, ...]] = {
    "comment": (
        "comment", "disqus", " respond ", "reply", "replies", "kommentar", "talkback", "discuss", "forum",
        "coral", "livefyre",
    ),
    "caption": (
        "caption", "credit", "photo", "figure", "image", "gallery", "slide", "video", "player", "media",
        "bild",
    ),
    "body": (
        "articlebody", "storybody", "postbody", "entrycontent", "postcontent", "articlecontent",
        "articletext", "bodytext", "richtext", "paragraph", " text ", "bodycopy", "textblock", " body ",
        "prose", "wysiwyg",
    ),
    "content": ("content", "article", "story", "entry", " post ", "main", "haupt", "artikel", "conteudo", "contenu"),
    "foot": ("foot", "copyright", "legal", "disclaimer", "imprint", "impressum", "bottom"),
    "head": ("header", "masthead", "topbar", " top ", "banner", "logo", "brand"),
    "title": ("headline", "title", "heading", " hed "),
    "nav": (" nav", "navi", "menu", "breadcrumb", "crumb", "pagin", "pager", " tabs ", "toc", "skip", "sitemap"),
    "related": (
        "relat", "recommend", "teaser", " card", "trending", "popular", "latest", "readmore", " more ",
        "similar", " also ", "carousel", "outbrain", "taboola", "recirc", "suggest", "promo", "mostread",
        "widget", "feed", " list ", "listing", "grid", "further",
    ),
    "side": ("sidebar", "aside", " rail", " right ", "secondary", "complement", " side ", "column", "sticky"),
    "share": ("share", "sharing", "social", "follow", "tools", "button", " btn", "addthis", " icon", "print"),
    "subscribe": (
        "subscri", "newsletter", "signup", "paywall", "login", "signin", "regist", "donat", "member",
        "consent", "cookie", "gdpr", "popup", "modal", "overlay", "promo", "cta", "offer",
    ),
    "ad": (
        " ad ", " ads ", "advert", "sponsor", " dfp ", "adsense", " gpt ", "adslot", "anzeige", "werbung",
        "affiliate",
    ),
    "meta": (
        "byline", "author", " meta", " date", "time", " tag ", " tags ", "categor", "kicker", "published",
        " bio ", "contributor", "dateline", "label", "source",
    ),
    "summary": (
        "summary", "intro", " lead ", " dek ", "standfirst", "subtitle", "subhead", "excerpt", "abstract",
        "deck", "vorspann", "chapo", "perex",
    ),
    "box": (
        " box", "infobox", "factbox", "expand", "accordion", "embed", "inset", "callout", "quote", "inline",
        "insert", "module", "container",
    ),
    "hidden": ("hidden", "hide", "visually", "sronly", "screenreader", "collapse", "noprint"),
}  # fmt: skip
#: What ancestors say by their tags.
ANCESTOR_TAGS = (
    "article", "main", "aside", "nav", "header", "footer", "figure", "table", "ul", "ol", "form", "section", "td",
)  # fmt: skip
FEATURES = (
    *((f"class {name}", "class words") for name in CLASS_WORDS),
    *((f"in {tag}", "class words") for tag in ANCESTOR_TAGS),
    *((f"class {name} near", "class words") for name in CLASS_WORDS),
    *((f"in {tag} near", "class words") for tag in ANCESTOR_TAGS),
    *((f"class {name} apart", "class words") for name in CLASS_WORDS),
)
TAG_PLACES = {tag: (len(CLASS_WORDS) + place,) for place, tag in enumerate(ANCESTOR_TAGS)}
SEPARATORS = str.maketrans("-_:/.[](){}=#@,", " " * 15, "0123456789")
#: The table of words is begun anew at this size.
KNOWN_WORDS = 50_000
#: Of one element's names so much is read.
LONGEST = 300


class Lexicon:
    """Word -> what it speaks for, as bits by place in CLASS_WORDS; learns words as pages bring them."""

    def __init__(self, words: Mapping[str, Sequence[str]]) -> None:
        self.needles: dict[str, list[tuple[str, int]]] = {}  # by their first three letters
        for place, group in enumerate(words.values()):
            for needle in group:
                self.needles.setdefault(needle[:3], []).append((needle, 1 << place))
        self.known: dict[str, int] = {}
        self.spoken: dict[int, tuple[int, ...]] = {}
        self.count = len(words)

    def said(self, names: Sequence[str]) -> list[int]:
        """The bits of each name's words."""
        if len(self.known) > KNOWN_WORDS:
            self.known, self.spoken = {}, {}
        split = [name.split() for name in names]
        known = self.known
        found = []
        for words in split:
            bits = 0
            for word in words:
                said = known.get(word)
                bits |= self._learn(word) if said is None else said
            found.append(bits)
        return found

    def places(self, bits: int) -> tuple[int, ...]:
        """The places of bits."""
        places = self.spoken.get(bits)
        if places is None:
            places = self.spoken[bits] = tuple(place for place in range(self.count) if bits >> place & 1)
        return places

    def _learn(self, word: str) -> int:
        bits, padded, needles = 0, f" {word} ", self.needles
        for place in range(len(word)):
            for needle, bit in needles.get(padded[place : place + 3], ()):
                if padded.startswith(needle, place):
                    bits |= bit
        self.known[word] = bits
        return bits


@cache
def lexicon() -> Lexicon:
    """The one of this process."""
    return Lexicon(CLASS_WORDS)


@dataclass(frozen=True)
class Names:
    """What the elements are called. `held`: those that hold blocks; `keys`: (elements,) a number for each tag and name,
    -1 where no block is; `places`: by key, which words and tags it speaks for, in FEATURES' order."""

    held: Ints
    keys: Ints
    places: list[tuple[int, ...]]


def names_of(sheet: Sheet) -> Names:
    """Class and id of each element that holds blocks, as lower-case words without digits.

    An element with a class is named by it; ids count where there is no class, or on layout elements.
    """
    blocks = sheet.blocks
    elements, tags, classes = blocks.elements, blocks.element_tags, blocks.element_classes
    held = np.flatnonzero(sheet.last > sheet.first)
    numbers: dict[tuple[str, str], int] = {}
    raw = []
    for number in held.tolist():
        tag, name = tags[number], classes[number]
        if tag == "div" or name is None:
            identity = elements[number].get("id")
            name = f"{name or ''} {identity}" if identity else name
        raw.append(numbers.setdefault((tag, name or ""), len(numbers)))
    cleaned = _cleaned([name for _, name in numbers])
    again: dict[tuple[str, str], int] = {}
    of_raw = [again.setdefault((tag, name), len(again)) for (tag, _), name in zip(numbers, cleaned, strict=True)]
    keys = np.full(len(elements), -1, np.int64)
    keys[held] = np.array(of_raw, np.int64)[raw]
    known = lexicon()
    said = zip(again, known.said([name for _, name in again]), strict=True)
    places = [known.places(bits) + TAG_PLACES.get(tag, ()) for (tag, _), bits in said]
    return Names(held, keys, places)


def _cleaned(names: list[str]) -> list[str]:
    """Lower case, words apart, no digits."""
    joined = "\x01".join([name[:LONGEST] for name in names])
    if joined.count("\x01") >= len(names):  # in a name itself
        joined = "\x01".join([name[:LONGEST].replace("\x01", " ") for name in names])
    return joined.lower().translate(SEPARATORS).split("\x01")


def evidence(sheet: Sheet, names: Names, title: int, out: Floats) -> None:
    """Fills (blocks, FEATURES): how many ancestors speak for a word or are a tag, at most 2; how near; how many apart.

    An element that holds the title too says little about one block of it: `apart` counts the others, `near` counts
    them the less the more blocks they have. Where no title is known, an element counts by the share of the page's good
    text that it does not hold. All are sums over each block's ancestors, as running sums of what begins and ends.
    """
    keys = names.keys[names.held].tolist()
    lengths = [len(places) for places in names.places]
    elements = np.repeat(names.held, [lengths[key] for key in keys])
    columns = np.array([place for key in keys for place in names.places[key]], np.int64)
    count, width = len(sheet.size), len(CLASS_WORDS) + len(ANCESTOR_TAGS)
    first, last = sheet.first[elements], sheet.last[elements]
    if title >= 0:
        apart = ((first > title) | (last <= title)).astype(np.float64)
    else:
        apart = 1 - sheet.sums[elements, 2] / max(1.0, sheet.total_good)
    near = apart / np.log2(1 + np.maximum(1, sheet.sums[elements, 6]))
    changes = np.concatenate((first * width + columns, last * width + columns))
    for place, weights in enumerate((np.ones(len(apart)), near, apart)):
        steps = np.bincount(changes, np.concatenate((weights, -weights)), (count + 1) * width)
        filled = out[:, place * width : (place + 1) * width]
        sums = np.cumsum(steps.reshape(-1, width)[:-1, : filled.shape[1]], 0)
        np.minimum(sums, 2, out=filled, casting="same_kind")
