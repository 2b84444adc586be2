"""Words that say what an element is for, in class and id, and the tags of a block's ancestors.

A class is looked up whole in a table that fills itself; of one that is not there yet each word is, and a word that is
not there is compared with the needles that begin as any part of it does.
"""

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np

from newsextract.extractors.fusion.features import GOOD_SUM, Floats, Ints, Sheet

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
#: All ancestors, those that do not hold the title too, and the block's element with its parent.
VIEWS = ("", " apart", " near")
SAYINGS = (*(f"class {name}" for name in CLASS_WORDS), *(f"in {tag}" for tag in ANCESTOR_TAGS))
FEATURES = tuple((f"{saying}{view}", "class words") for view in VIEWS for saying in SAYINGS)
TAG_BITS = {tag: 1 << len(CLASS_WORDS) + place for place, tag in enumerate(ANCESTOR_TAGS)}
SEPARATORS = str.maketrans("-_:/.[](){}=#@,\0", " " * 16, "0123456789")
#: The tables of words and of classes are begun anew when they hold so many characters.
KNOWN = 2_000_000
#: Of one element's names so much is read.
LONGEST = 300
#: An element that holds more of the page's good text than this says little about one block of it.
HOLDS_ALL = 0.5


class Lexicon:
    """What words and whole classes speak for, as bits by place in CLASS_WORDS; learns both as pages bring them.

    `known`: class -> its bits, below a number that classes share which differ only in digits and case.
    """

    def __init__(self, words: Mapping[str, Sequence[str]]) -> None:
        self.needles: dict[str, list[tuple[str, int]]] = {}  # by their first three letters
        for place, group in enumerate(words.values()):
            for needle in group:
                self.needles.setdefault(needle[:3], []).append((needle, 1 << place))
        self.width = len(words)
        self._forget()

    def _forget(self) -> None:
        self.words: dict[str, int] = {}
        self.forms: dict[str, int] = {"": 0}
        self.known: dict[str | None, int] = {None: 0}
        self.characters = 0

    def look_up(self, names: Sequence[str | None]) -> Ints:
        """(names,) bits of each and the number of its form above them."""
        if self.characters > KNOWN:
            self._forget()
        new = [name for name in set(names).difference(self.known) if name is not None]
        if new:
            self._read(new)
        return np.array([*map(self.known.__getitem__, names)], np.int64)

    def _read(self, names: list[str]) -> None:
        """Lower case, words apart, no digits; all in one."""
        joined = "\1".join([name[:LONGEST] for name in names])
        if joined.count("\1") >= len(names):  # in a name itself
            joined = "\1".join([name[:LONGEST].replace("\1", " ") for name in names])
        known, forms, words = self.known, self.forms, self.words
        for name, form in zip(names, joined.lower().translate(SEPARATORS).split("\1"), strict=True):
            bits = 0
            for word in form.split():
                said = words.get(word)
                bits |= self._learn(word) if said is None else said
            known[name] = bits | forms.setdefault(form, len(forms)) << self.width
            self.characters += len(name)

    def _learn(self, word: str) -> int:
        bits, padded, needles = 0, f" {word} ", self.needles
        for place in range(len(word)):
            for needle, bit in needles.get(padded[place : place + 3], ()):
                if padded.startswith(needle, place):
                    bits |= bit
        self.words[word] = bits
        self.characters += len(word)
        return bits


@cache
def lexicon() -> Lexicon:
    """The one of this process."""
    return Lexicon(CLASS_WORDS)


def said_by(sheet: Sheet) -> tuple[Ints, Ints]:
    """(elements,) what each element's class, id and tag say, as bits; a number for its tag and class."""
    blocks, known = sheet.blocks, lexicon()
    of_class = known.look_up([None, *blocks.element_classes[1:]])  # what the body says it says of every block alike
    of_id = known.look_up([None, *blocks.element_ids[1:]])
    tags = np.array([TAG_BITS.get(tag, 0) for tag in sheet.tag_names], np.int64)[sheet.tag_numbers]
    words = (1 << known.width) - 1
    return of_class & words | of_id & words | tags, (of_class >> known.width) * len(sheet.tag_names) + sheet.tag_numbers


def evidence(sheet: Sheet, said: Ints, title: int, out: Floats) -> None:
    """Fills (FEATURES, blocks): whether an ancestor speaks for a word or is a tag. `said`: of each element."""
    if title >= 0:
        apart = (sheet.first > title) | (sheet.last <= title)
    else:
        apart = sheet.sums[GOOD_SUM] <= HOLDS_ALL * sheet.total_good
    inherited = np.stack([said, np.where(apart, said, 0)])
    above = sheet.parents
    while above.any():  # by doubling: what 2^k elements say together
        inherited |= inherited.take(above, 1)
        above = above[above]
    views = np.concatenate([inherited, (said | said[sheet.parents])[None]]).take(sheet.blocks.owners, 1)
    bits = np.unpackbits(views.astype("<i8").view(np.uint8).reshape(*views.shape, 8), axis=2, bitorder="little")
    out[:] = bits[:, :, : len(SAYINGS)].transpose(0, 2, 1).reshape(len(FEATURES), -1)
