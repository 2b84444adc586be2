"""Text counted in tokens, whatever its script: a word of a spaced script is one, and so is each character of Chinese.

A word is a maximal run of letters, digits and marks with inner apostrophes and hyphens; each character of Han, Hiragana
and Katakana is a token of its own (Hangul words are spaced). No dictionary: a segmenter would change counts by a nearly
constant factor, `CHARACTERS_A_WORD`, which cancels in every ratio.
"""

import re
import unicodedata
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

#: A Chinese word has so many characters on average.
CHARACTERS_A_WORD = 1.6
#: Han with its extensions, Hiragana, Katakana and its half-width forms, first and last.
IDEOGRAPHS = (
    (0x2E80, 0x2FDF),
    (0x3005, 0x3007),
    (0x3040, 0x30FF),
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0xFF66, 0xFF9F),
    (0x1B000, 0x1B16F),
    (0x20000, 0x323AF),
)
#: Marks that join two parts of one word.
JOINERS = "'\u2019\u2010-"
#: A word of a script that has neither ideographs nor marks, and what may belong to another one.
PLAIN_WORD = re.compile(f"[^\\W_]+(?:[{JOINERS}][^\\W_]+)*")
NOT_PLAIN = re.compile("[^\x00-\u02ff\u0370-\u0482\u048a-\u0590\u2000-\u20cf\u2100-\u2bff]")
#: What is neither letter nor digit; ASCII's as bytes, because `bytes.translate` is faster than a regular expression.
NOT_ALPHANUMERIC = re.compile(r"[\W_]+")
ASCII_NOT_ALPHANUMERIC = bytes(code for code in range(128) if not chr(code).isalnum())
OTHER, LETTER, IDEOGRAPH, JOINER = range(4)
#: Beyond this code point nothing is a letter (private use, tags).
LAST_LETTER = 0x323AF


class Tokens(NamedTuple):
    """Counts a text: `words` of spaced scripts, `ideographs`."""

    words: NDArray[np.int64]
    ideographs: NDArray[np.int64]

    @property
    def total(self) -> NDArray[np.int64]:
        """Words and ideographs, each one token."""
        return self.words + self.ideographs

    @property
    def weighted(self) -> NDArray[np.float64]:
        """Words, with as many characters of Chinese as one word has counted as one."""
        weighted: NDArray[np.float64] = self.words + self.ideographs / CHARACTERS_A_WORD
        return weighted


def count_tokens(texts: Sequence[str]) -> Tokens:
    """The tokens of each text; O(characters)."""
    joined = "\n".join(texts)
    points = np.frombuffer(joined.encode("utf-32-le", "replace"), np.uint32)
    kinds = _kinds()[np.minimum(points, LAST_LETTER + 1)]
    letters = kinds == LETTER
    starts = letters.copy()
    starts[1:] &= ~letters[:-1]
    starts[2:] &= ~((kinds[1:-1] == JOINER) & letters[:-2])
    ends = np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)) + 1) - 1
    return Tokens(_sums(starts, ends), _sums(kinds == IDEOGRAPH, ends))


def words_of(text: str) -> list[str]:
    """The tokens themselves, lower-cased, in order."""
    text = text.lower()
    plain = text.isascii() or not NOT_PLAIN.search(text)
    return (PLAIN_WORD if plain else _token()).findall(text)


def letters_and_digits(text: str) -> str:
    """The text's letters and digits, NFKC-normalized and case-folded: equal for two layouts of the same words."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    raw = folded.encode("utf-8", "surrogatepass").translate(None, ASCII_NOT_ALPHANUMERIC)
    plain = raw.decode("utf-8", "surrogatepass")
    return plain if plain.isascii() else NOT_ALPHANUMERIC.sub("", plain)


def _sums(flags: NDArray[np.bool_], ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many flags stand before each end and not before an earlier one."""
    before = np.concatenate(([0], np.cumsum(flags)))
    return np.diff(before[ends], prepend=0)


@cache
def _token() -> re.Pattern[str]:
    """What `count_tokens` counts. For `re` no mark is part of a word; those beyond the BMP would slow down the rest."""
    letter = map(chr, np.flatnonzero(_kinds() == LETTER).tolist())
    marks = [character for character in letter if unicodedata.category(character)[0] == "M"]
    common, rare = "".join(c for c in marks if c <= "\uffff"), "".join(c for c in marks if c > "\uffff")
    single = "".join(f"{chr(first)}-{chr(last)}" for first, last in IDEOGRAPHS)
    letters = f"(?:[^\\W_{single}]++|[{common}]++|[{rare}]++)++"
    return re.compile(f"{letters}(?:[{JOINERS}]{letters})*|[{single}]")


@cache
def _kinds() -> NDArray[np.uint8]:
    """The kind of every code point."""
    kinds = np.zeros(LAST_LETTER + 2, np.uint8)
    kinds[[point for point in range(LAST_LETTER + 1) if unicodedata.category(chr(point))[0] in "LMN"]] = LETTER
    for first, last in IDEOGRAPHS:
        kinds[first : last + 1] = IDEOGRAPH
    kinds[[ord(mark) for mark in JOINERS]] = JOINER
    return kinds
