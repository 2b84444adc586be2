"""Words that say what an element is for, in class and id, and how they are found: needles in a haystack, once a page.

A word is looked up whole in a table that fills itself; the page's words that are not there yet are joined and searched
for each needle at once. So a page costs the same whether its site is known or not, to a twentieth of a millisecond.
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import accumulate

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
TAG_PLACES = {tag: len(CLASS_WORDS) + place for place, tag in enumerate(ANCESTOR_TAGS)}
SEPARATORS = str.maketrans("-_:/.[](){}=#@,", " " * 15, "0123456789")
#: The table of words is begun anew at this size.
KNOWN_WORDS = 50_000
#: Of one element's names so much is read.
LONGEST = 300


class Lexicon:
    """Word -> the places in CLASS_WORDS that it speaks for; learns words as pages bring them."""

    def __init__(self, words: Mapping[str, Sequence[str]]) -> None:
        self.needles = [(needle, place) for place, group in enumerate(words.values()) for needle in group]
        self.known: dict[str, tuple[int, ...]] = {}

    def places(self, name: str) -> tuple[int, ...]:
        """Those of all words of a name; its words were learned before."""
        places = [self.known[word] for word in name.split()]
        if not any(places):
            return ()
        return tuple({place for some in places for place in some})

    def learn(self, names: Iterable[str]) -> None:
        """Learn the words of these names that are not known yet."""
        if len(self.known) > KNOWN_WORDS:
            self.known = {}
        new = set(" ".join(names).split()).difference(self.known)
        if new:
            self._learn(sorted(new))

    def _learn(self, words: Sequence[str]) -> None:
        haystack = " ".join(["", *words, ""])
        starts = list(accumulate((1 + len(word) for word in words), initial=0))
        learned: dict[str, set[int]] = {word: set() for word in words}
        for needle, group in self.needles:
            at = haystack.find(needle)
            while at >= 0:
                learned[words[bisect_right(starts, at) - 1]].add(group)
                at = haystack.find(needle, at + len(needle) - 1)
        self.known.update((word, tuple(sorted(groups))) for word, groups in learned.items())


@cache
def lexicon() -> Lexicon:
    """The one of this process."""
    return Lexicon(CLASS_WORDS)


def names_of(sheet: Sheet) -> list[str]:
    """Class and id of each element that holds blocks, as lower-case words without digits; "" for the others.

    An element with a class is named by it; ids count where there is no class, or on layout elements.
    """
    names = []
    held = (sheet.last > sheet.first).tolist()
    for element, tag, holds in zip(sheet.blocks.elements, sheet.blocks.element_tags, held, strict=True):
        if not holds:
            names.append("")
            continue
        name = element.get("class")
        if name is None or tag == "div":
            identity = element.get("id")
            if identity:
                name = identity if name is None else f"{name} {identity}"
        names.append(name[:LONGEST] if name else "")
    joined = "\x01".join(names)
    if joined.count("\x01") >= len(names):  # in a name itself
        joined = "\x01".join([name.replace("\x01", " ") for name in names])
    return joined.lower().translate(SEPARATORS).split("\x01")


def keys_of(sheet: Sheet, names: Sequence[str]) -> Ints:
    """(elements,) a number for each element's tag and names; equal for equal ones."""
    numbers: dict[tuple[str, str], int] = {}
    pairs = zip(sheet.blocks.element_tags, names, strict=True)
    return np.array([numbers.setdefault(pair, len(numbers)) for pair in pairs], np.int64)


def evidence(sheet: Sheet, names: Sequence[str], title: int) -> Floats:
    """(blocks, FEATURES): how many ancestors speak for a word or are a tag, at most 2; how near; how many `apart`.

    An element that holds the title too says little about one block of it: `apart` counts the others, `near` counts
    them the less the more blocks they have. Where no title is known, an element counts by the share of the page's good
    text that it does not hold.
    """
    known = lexicon()
    distinct = set(names)
    known.learn(distinct)
    said = {name: known.places(name) for name in distinct}
    tags = sheet.blocks.element_tags
    elements: list[int] = []
    columns: list[int] = []
    for element in np.flatnonzero(sheet.last > sheet.first).tolist():
        places = said[names[element]]
        if places:
            columns += places
            elements += (element,) * len(places)
        if tags[element] in TAG_PLACES:
            columns.append(TAG_PLACES[tags[element]])
            elements.append(element)
    return _held(sheet, np.array(elements, np.int64), np.array(columns, np.int64), title)


def _held(sheet: Sheet, elements: Ints, columns: Ints, title: int) -> Floats:
    """Sums over each block's ancestors, as running sums of what begins and ends at each block."""
    count, words, width = len(sheet.size), len(CLASS_WORDS), len(CLASS_WORDS) + len(ANCESTOR_TAGS)
    first, last = sheet.first[elements], sheet.last[elements]
    begins, ends = first * width + columns, last * width + columns
    if title >= 0:
        apart = ((first > title) | (last <= title)).astype(np.float32)
    else:
        apart = 1 - sheet.sums[elements, 2] / max(1.0, sheet.total_good)
    near = apart / np.log2(1 + np.maximum(1, sheet.sums[elements, 6]))
    out = np.empty((count, 2 * width + words), np.float32)
    for place, weights in enumerate((np.ones(len(near), np.float32), near, apart)):
        changes = np.bincount(begins, weights, (count + 1) * width) - np.bincount(ends, weights, (count + 1) * width)
        sums = np.cumsum(changes.reshape(-1, width)[:-1], 0)
        out[:, place * width : (place + 1) * width] = sums[:, : out.shape[1] - place * width]
    return np.clip(out, 0, 2, out=out)
