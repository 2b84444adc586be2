"""What class names, ids and tags say of an element: one vocabulary, one mask of purposes a name.

Each name is looked at once. Whole names are cached, because sites repeat them; each word of a new one is looked up in a
second cache, and a new word is searched for the words of the vocabulary, indexed by their first three letters. Patterns
are tried on a name that has their longest word.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import count
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from newsextract.files import package_data

#: Section -> purpose -> words; see the file.
VOCABULARY: Mapping[str, Mapping[str, Sequence[str]]] = package_data(__package__, "class_words.toml")
#: Section -> purpose -> its bit of a mask; the first section has the lowest bits.
_numbers = count()
BITS = {section: {purpose: 1 << next(_numbers) for purpose in words} for section, words in VOCABULARY.items()}
#: How many bits the masks have.
WIDTH = next(_numbers)
#: A word that isn't a pattern.
PLAIN = re.compile(r" ?[^\W\d_]+ ?")
#: What may be missing in a pattern, and letters that may not, with the borders of their word.
OPTIONAL = re.compile(r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\??|\[[^\]]*\][?*]?|[a-z]\?")
LETTERS = re.compile(r" ?[a-z]+ ?")
#: The letters of a word by which it is indexed.
INDEXED = 3
#: What parts words, and what classes (a mark then); digits are left out.
SEPARATORS = str.maketrans("-_:/.[](){}=#@,\0\t\n\f\r ", " " * 16 + "\2" * 5, "0123456789")
#: Characters of cached names and words at which the caches are cleared.
MAX_CACHED = 2_000_000
#: Maximum characters of a name that are read.
MAX_NAME = 300


class ClassNames:
    """Masks of names by a vocabulary, cached.

    `masks`: name -> bits of its purposes; `numbers`: name -> the lowest bits, of the first section, and above them a
    number of the name without digits and case.
    """

    def __init__(self, vocabulary: Mapping[str, Mapping[str, Sequence[str]]]) -> None:
        self.width = len(next(iter(vocabulary.values())))
        self._index: dict[str, list[tuple[str, int]]] = {}  # words by their first letters
        self._patterns: list[list[tuple[re.Pattern[str], int]]] = []  # by the key that a name with a match has
        keyed: dict[str, list[tuple[str, int]]] = {}
        for section, purposes in vocabulary.items():
            for purpose, words in purposes.items():
                bit = BITS[section][purpose]
                for word in words:
                    if PLAIN.fullmatch(word):
                        self._index.setdefault(word[:INDEXED], []).append((word, bit))
                    else:
                        keyed.setdefault(_key_of(word), []).append((word.replace("-", " ?"), bit))
        for number, (key, patterns) in enumerate(keyed.items()):
            bits: dict[int, list[str]] = {}
            for pattern, bit in patterns:
                bits.setdefault(bit, []).append(pattern)
            self._index.setdefault(key[:INDEXED], []).append((key, 1 << WIDTH + number))
            self._patterns.append([(re.compile("|".join(found)), bit) for bit, found in bits.items()])
        self._clear()

    def _clear(self) -> None:
        self._words: dict[str, int] = {}
        self._forms: dict[str, int] = {"": 0}
        self.masks: dict[str | None, int] = {None: 0, "": 0}
        self.numbers: dict[str | None, int] = {None: 0, "": 0}
        self._open: dict[str | None, tuple[int, Sequence[str]]] = {}  # names whose patterns weren't tried yet
        self._characters = 0

    def mask(self, name: str | None) -> int:
        """The purposes of a name."""
        if (mask := self.masks.get(name)) is not None:
            return mask
        if name not in self.numbers:
            if self._characters > MAX_CACHED:
                self._clear()
            self._read([name or ""])
        if found := self._open.pop(name, None):
            self.masks[name] = self._with_patterns(*found)
        return self.masks[name]

    def look_up(self, names: Sequence[str | None]) -> NDArray[np.int64]:
        """(names,) `numbers` of each name."""
        if self._characters > MAX_CACHED:
            self._clear()
        try:
            return np.fromiter(itemgetter(*names)(self.numbers), np.int64, len(names))
        except KeyError:  # a new name; most pages of a site have none
            self._read([name for name in set(names).difference(self.numbers) if name is not None])
            return np.fromiter(itemgetter(*names)(self.numbers), np.int64, len(names))

    def _read(self, names: Sequence[str]) -> None:
        """Adds names to the caches; joined to one string for speed."""
        joined = "\1".join([name[:MAX_NAME].replace("\1", " ") for name in names])
        split = joined.lower().translate(SEPARATORS).replace("\2", " , ").split("\1")
        known, forms, first = self._words, self._forms, (1 << self.width) - 1
        for name, form in zip(names, split, strict=True):
            bits, words = 0, form.split()
            for word in words:
                if (word_bits := known.get(word)) is None:
                    word_bits = self._add_word(word)
                if word_bits:
                    bits |= word_bits
            if bits >> WIDTH:
                self._open[name] = bits, words
            else:
                self.masks[name] = bits
            self.numbers[name] = bits & first | forms.setdefault(form, len(forms)) << self.width
            self._characters += len(name)

    def _with_patterns(self, bits: int, words: Sequence[str]) -> int:
        """The bits of a name with those of the patterns that it matches, without those of their keys."""
        form, keys = f", {' '.join(words)} ,", bits >> WIDTH
        while keys:
            lowest = keys & -keys
            for pattern, bit in self._patterns[lowest.bit_length() - 1]:
                if not bits & bit and pattern.search(form):
                    bits |= bit
            keys ^= lowest
        return bits & (1 << WIDTH) - 1

    def _add_word(self, word: str) -> int:
        """Finds what the vocabulary has of a word; caches and returns its bits."""
        bits, padded, index = 0, f" {word} ", self._index
        for start in range(len(word)):
            for known, bit in index.get(padded[start : start + INDEXED], ()):
                if padded.startswith(known, start):
                    bits |= bit
        self._words[word] = bits
        self._characters += len(word)
        return bits


def _key_of(pattern: str) -> str:
    """The longest letters in a row that any match of a pattern has in one word, with its borders."""
    found: list[str] = LETTERS.findall(OPTIONAL.sub("|", pattern))
    return max(found, key=len)


@cache
def class_names() -> ClassNames:
    """The names of this process."""
    return ClassNames(VOCABULARY)


def mask_of(name: str | None) -> int:
    """The purposes that a name of a class, an id or a tag says; see `BITS`."""
    return class_names().mask(name)
