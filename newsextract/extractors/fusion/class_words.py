"""Features of the class, id and tag of a block's ancestors: words that name an element's purpose.

Whole class attributes are cached, because sites repeat them. Each word of a new one is looked up in a second cache, and
a new word is searched for `CLASS_WORDS`, indexed by their first three letters.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from operator import itemgetter

import numpy as np

from newsextract.extractors.fusion.features import GOOD_SUM, FeatureTable, Floats, Ints
from newsextract.files import package_data

#: Purpose -> substrings of class and id names; a blank means the beginning or end of a word.
CLASS_WORDS: Mapping[str, Sequence[str]] = package_data(__package__, "class_words.toml")
#: Tags of ancestors that are features.
ANCESTOR_TAGS = (
    "article", "main", "aside", "nav", "header", "footer", "figure", "table", "ul", "ol", "form", "section", "td",
)  # fmt: skip
#: Suffix of the feature: all ancestors, those that don't contain the title, the block's element with its parent.
VIEWS = ("", " apart", " near")
ELEMENT_FEATURES = (*(f"class {name}" for name in CLASS_WORDS), *(f"in {tag}" for tag in ANCESTOR_TAGS))
FEATURES = tuple((f"{name}{view}", "class words") for view in VIEWS for name in ELEMENT_FEATURES)
TAG_BITS = {tag: 1 << len(CLASS_WORDS) + index for index, tag in enumerate(ANCESTOR_TAGS)}
BIT_TYPE = np.uint32 if len(ELEMENT_FEATURES) <= 32 else np.uint64
BITS = np.array([[1 << bit] for bit in range(len(ELEMENT_FEATURES))], BIT_TYPE)
SEPARATORS = str.maketrans("-_:/.[](){}=#@,\0", " " * 16, "0123456789")
#: Characters of cached classes and words at which the caches are cleared.
MAX_CACHED = 2_000_000
#: Maximum characters of a class or id that are read.
MAX_NAME = 300
#: Without a title, an element with more than this share of the page's good text says little about a single block.
HOLDS_ALL = 0.5


class ClassWordIndex:
    """Caches classes. `known`: class -> bits of its purposes, and above them a number without digits and case."""

    def __init__(self, words: Mapping[str, Sequence[str]]) -> None:
        self.patterns: dict[str, list[tuple[str, int]]] = {}  # by their first three letters
        for index, group in enumerate(words.values()):
            for pattern in group:
                self.patterns.setdefault(pattern[:3], []).append((pattern, 1 << index))
        self.width = len(words)
        self._clear()

    def _clear(self) -> None:
        self.words: dict[str, int] = {}
        self.forms: dict[str, int] = {"": 0}
        self.known: dict[str | None, int] = {None: 0}
        self.characters = 0

    def look_up(self, names: Sequence[str | None]) -> Ints:
        """(names,) bits of each class, with its number above them."""
        if self.characters > MAX_CACHED:
            self._clear()
        try:
            return np.fromiter(itemgetter(*names)(self.known), np.int64, len(names))
        except KeyError:  # a new class; most pages of a site have none
            self._read([name for name in set(names).difference(self.known) if name is not None])
            return np.fromiter(itemgetter(*names)(self.known), np.int64, len(names))

    def _read(self, names: list[str]) -> None:
        """Add classes to the cache: lower case, split at separators, without digits; joined to one string for speed."""
        joined = "\1".join([name[:MAX_NAME].replace("\1", " ") for name in names])
        known, forms, words = self.known, self.forms, self.words
        for name, form in zip(names, joined.lower().translate(SEPARATORS).split("\1"), strict=True):
            bits = 0
            for word in form.split():
                word_bits = words.get(word)
                bits |= self._add_word(word) if word_bits is None else word_bits
            known[name] = bits | forms.setdefault(form, len(forms)) << self.width
            self.characters += len(name)

    def _add_word(self, word: str) -> int:
        """Find the patterns in a word, cache and return its bits."""
        bits, padded, patterns = 0, f" {word} ", self.patterns
        for start in range(len(word)):
            for pattern, bit in patterns.get(padded[start : start + 3], ()):
                if padded.startswith(pattern, start):
                    bits |= bit
        self.words[word] = bits
        self.characters += len(word)
        return bits


@cache
def class_word_index() -> ClassWordIndex:
    """The index of this process."""
    return ClassWordIndex(CLASS_WORDS)


def class_bits(table: FeatureTable) -> tuple[Ints, Ints]:
    """(elements,) ELEMENT_FEATURES of each element's class, id and tag as bits; a number for its tag and class."""
    blocks, index = table.blocks, class_word_index()
    bits = index.look_up([None, *blocks.element_classes[1:], None, *blocks.element_ids[1:]])  # not the body's own
    of_class, of_id = bits.reshape(2, -1)
    tags = np.array([TAG_BITS.get(tag, 0) for tag in table.tag_names], np.int64)[table.tag_numbers]
    words = (1 << index.width) - 1
    return of_class & words | of_id & words | tags, (of_class >> index.width) * len(table.tag_names) + table.tag_numbers


def fill_features(table: FeatureTable, element_bits: Ints, title: int, out: Floats) -> None:
    """Fill `out`, (FEATURES, blocks), by the bits of each block's ancestors; `title`: the title's block, -1 if none."""
    if title >= 0:
        apart = (table.first > title) | (table.last <= title)
    else:
        apart = table.sums[GOOD_SUM] <= HOLDS_ALL * table.total_good
    views = np.empty((len(VIEWS), len(element_bits)), BIT_TYPE)
    views[0] = element_bits
    views[1] = element_bits * apart
    views[2] = element_bits | element_bits.take(table.parents)
    inherited, above = views[:2], table.parents
    while above.any():  # by doubling: the bits of 2^k ancestors
        inherited |= inherited.take(above, 1)
        above = above.take(above)
    bits = views.take(table.blocks.owners, 1)[:, None] & BITS
    out.reshape(bits.shape)[:] = bits.astype(bool)
