"""What class names, ids and tags say of an element: one vocabulary, one mask of purposes a name.

Each name is looked at once. Names, their classes and the words of these are cached, because pages repeat them. Patterns
are tried on a class that has their longest word.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import accumulate, count
from struct import pack

import numpy as np
from numpy.typing import NDArray

from newsextract.errors import NewsextractError
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
#: Characters by which words of the vocabulary are looked up; no word has fewer.
BEGINNING = 3
#: How many letters these are told apart by; others than ASCII's count as one.
LETTER = 32
#: Maximum characters of a name that are read.
MAX_NAME = 300


class Masks(dict[str | None, int]):
    """Name -> bits of its purposes; a name is read when it is first asked for."""

    def __init__(self, names: "ClassNames") -> None:
        super().__init__()
        self._names = names

    def __missing__(self, name: str | None) -> int:
        self._names.read([name])
        return self[name]


class ClassNames:
    """Masks of names by a vocabulary, cached.

    `masks`: name -> bits of its purposes; `numbers`: name -> the lowest bits, of the first section, and above them a
    number of the name without digits and case.
    """

    def __init__(self, vocabulary: Mapping[str, Mapping[str, Sequence[str]]]) -> None:
        self.width = len(next(iter(vocabulary.values())))
        self.masks = Masks(self)
        found: dict[str, int] = {}  # words of the vocabulary and keys of its patterns, with their bits
        self._patterns: list[list[tuple[re.Pattern[str], int]]] = []  # by the key that a class with a match has
        keyed: dict[str, dict[int, list[str]]] = {}
        for section, purposes in vocabulary.items():
            for purpose, words in purposes.items():
                bit = BITS[section][purpose]
                for word in words:
                    if PLAIN.fullmatch(word):
                        found[word] = found.get(word, 0) | bit
                    else:
                        patterns = keyed.setdefault(_key_of(word), {})
                        patterns.setdefault(bit, []).append(word.replace("-", " ?"))
        for number, (key, patterns) in enumerate(keyed.items()):
            found[key] = found.get(key, 0) | 1 << WIDTH + number
            self._patterns.append([(re.compile("|".join(forms)), bit) for bit, forms in patterns.items()])
        self._known: dict[str, list[tuple[str, int]]] = {}  # the same by their BEGINNING
        for word, bits in found.items():
            if len(word) < BEGINNING:
                raise NewsextractError(f"class_words.toml: {word!r} has fewer than {BEGINNING} characters")
            self._known.setdefault(word[:BEGINNING], []).append((word, bits))
        self._begins = np.zeros(LETTER**BEGINNING, bool)  # by numbers of beginnings
        for beginning in self._known:
            self._begins[_beginnings(beginning)] = True
        self._clear()

    def _clear(self) -> None:
        self._words: dict[str, int] = {}
        self._classes: dict[str, int] = {}
        self._forms: dict[str, int] = {"": 0}
        self.masks.clear()
        self.masks.update({None: 0, "": 0})
        self.numbers: dict[str | None, int] = {None: 0, "": 0}
        self._characters = 0

    def look_up(self, names: Sequence[str | None]) -> NDArray[np.int64]:
        """(names,) `numbers` of each name."""
        self.read(names)
        return np.frombuffer(pack(f"{len(names)}q", *map(self.numbers.__getitem__, names)), np.int64)

    def read(self, names: Iterable[str | None]) -> None:
        """Reads the names that aren't known: many at once are faster."""
        if self._characters > MAX_CACHED:
            self._clear()
        masks = self.masks
        if not (new := [*{*names}.difference(self.numbers)]):
            return
        joined = "\1".join([name[:MAX_NAME].replace("\1", " ") for name in new if name]).lower()
        classes, forms, first = self._classes, self._forms, (1 << self.width) - 1
        if new_classes := {*joined.replace("\1", " ").split()}.difference(classes):
            self._add_classes([*new_classes])
        for name, lowered, form in zip(new, joined.split("\1"), joined.translate(SEPARATORS).split("\1"), strict=True):
            bits = 0
            for each in lowered.split():
                bits |= classes[each]
            masks[name] = bits
            self.numbers[name] = bits & first | forms.setdefault(form, len(forms)) << self.width
        self._characters += len(joined)

    def _add_classes(self, classes: Sequence[str]) -> None:
        """Adds classes to the cache: the bits of their words, and of the patterns that they match."""
        joined = "\1".join(classes).translate(SEPARATORS)
        words = self._words
        if new := {*joined.replace("\1", " ").split()}.difference(words):
            self._add_words([*new])
        for name, form in zip(classes, joined.split("\1"), strict=True):
            bits = 0
            for word in form.split():
                bits |= words[word]
            self._classes[name] = self._with_patterns(bits, f", {' '.join(form.split())} ,") if bits >> WIDTH else bits
        self._characters += len(joined)

    def _with_patterns(self, bits: int, form: str) -> int:
        """The bits of a class with those of the patterns that it matches, without those of their keys."""
        keys = bits >> WIDTH
        while keys:
            lowest = keys & -keys
            for pattern, bit in self._patterns[lowest.bit_length() - 1]:
                if not bits & bit and pattern.search(form):
                    bits |= bit
            keys ^= lowest
        return bits & (1 << WIDTH) - 1

    def _add_words(self, new: Sequence[str]) -> None:
        """Adds words to the cache: what the vocabulary has of them."""
        joined, words = f" {'  '.join(new)} ", self._words
        words |= dict.fromkeys(new, 0)
        begins = [*accumulate([len(word) + 2 for word in new], initial=0)]
        for place in self._begins.take(_beginnings(joined)).nonzero()[0].tolist():
            for known, bits in self._known.get(joined[place : place + BEGINNING], ()):
                if joined.startswith(known, place):
                    words[new[bisect_right(begins, place) - 1]] |= bits
        self._characters += len(joined) - 2 * len(new)


def _beginnings(text: str) -> NDArray[np.intp]:
    """A number for each BEGINNING characters in a row, equal for equal ones."""
    letters = np.frombuffer(text.encode("ascii", "replace"), np.uint8) % LETTER
    numbers = np.zeros(len(letters) - BEGINNING + 1, np.intp)
    for place in range(BEGINNING):
        numbers = numbers * LETTER + letters[place : len(numbers) + place]
    return numbers


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
    return class_names().masks[name]


def masks_of(names: Sequence[str | None]) -> list[int]:
    """The purposes of names, as `mask_of`; faster for many."""
    known = class_names()
    known.read(names)
    return [*map(known.masks.__getitem__, names)]
