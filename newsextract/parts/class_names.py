"""What class names, ids and tags say of an element: one vocabulary, one mask of purposes a name.

Each name is looked at once. Whole names are cached, because sites repeat them; each word of a new one is looked up in a
second cache. What is new is searched for the words of the vocabulary, all new words of a page at once. Patterns are
tried on a name that has their longest word, and only for who asks for more than the first section.
"""

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import cache, reduce
from itertools import accumulate, count
from operator import itemgetter, or_

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
#: What parts words; digits are left out.
SEPARATORS = str.maketrans("-_:/.[](){}=#@,\0\t\n\f\r", " " * 20, "0123456789")
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
        self._known: dict[str, int] = {}  # words of the vocabulary and keys of its patterns, with their bits
        self._patterns: list[list[tuple[re.Pattern[str], int]]] = []  # by the key that a name with a match has
        keyed: dict[str, list[tuple[str, int]]] = {}
        for section, purposes in vocabulary.items():
            for purpose, words in purposes.items():
                bit = BITS[section][purpose]
                for word in words:
                    if PLAIN.fullmatch(word):
                        self._known[word] = self._known.get(word, 0) | bit
                    else:
                        keyed.setdefault(_key_of(word), []).append((word.replace("-", " ?"), bit))
        for number, (key, patterns) in enumerate(keyed.items()):
            bits: dict[int, list[str]] = {}
            for pattern, bit in patterns:
                bits.setdefault(bit, []).append(pattern)
            self._known[key] = self._known.get(key, 0) | 1 << WIDTH + number
            self._patterns.append([(re.compile("|".join(found)), bit) for bit, found in bits.items()])
        self._clear()

    def _clear(self) -> None:
        self._words: dict[str, int] = {}
        self._first: dict[str, int] = {}  # the bits of the first section
        self._forms: dict[str, int] = {"": 0}
        self.masks: dict[str | None, int] = {None: 0, "": 0}
        self.numbers: dict[str | None, int] = {None: 0, "": 0}
        self._characters = 0

    def mask(self, name: str | None) -> int:
        """The purposes of a name."""
        if (mask := self.masks.get(name)) is not None:
            return mask
        if name not in self.numbers:
            if self._characters > MAX_CACHED:
                self._clear()
            self._read([name or ""])
        self.masks[name] = mask = self._mask(name or "")
        return mask

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
        split = joined.lower().translate(SEPARATORS)
        if new := {*split.replace("\1", " ").split()}.difference(self._first):
            self._add_words([*new])
        forms, bits_of = self._forms, self._first.__getitem__
        for name, form in zip(names, split.split("\1"), strict=True):
            bits = reduce(or_, map(bits_of, form.split()), 0)
            self.numbers[name] = bits | forms.setdefault(form, len(forms)) << self.width
        self._characters += len(joined)

    def _mask(self, name: str) -> int:
        """The purposes of a name that was read: those of its words, and of the patterns that it matches."""
        split = name[:MAX_NAME].lower()
        bits = reduce(or_, map(self._words.__getitem__, split.translate(SEPARATORS).split()), 0)
        if keys := bits >> WIDTH:
            classes = (" ".join(part.translate(SEPARATORS).split()) for part in split.split())
            form = f", {' , '.join(classes)} ,"
            while keys:
                lowest = keys & -keys
                for pattern, bit in self._patterns[lowest.bit_length() - 1]:
                    if not bits & bit and pattern.search(form):
                        bits |= bit
                keys ^= lowest
        return bits & (1 << WIDTH) - 1

    def _add_words(self, words: Sequence[str]) -> None:
        """Finds what the vocabulary has of words, and caches their bits."""
        joined, found = f" {' '.join(words)} ", [0] * len(words)
        starts = [*accumulate((len(word) + 1 for word in words), initial=1)]
        for known, bits in self._known.items():
            if known in joined:
                place = joined.find(known)
                while place >= 0:
                    found[bisect_right(starts, place + (known[0] == " ")) - 1] |= bits
                    place = joined.find(known, place + 1)
        self._words.update(zip(words, found, strict=True))
        first = (1 << self.width) - 1
        self._first.update((word, bits & first) for word, bits in zip(words, found, strict=True))
        self._characters += len(joined)


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
