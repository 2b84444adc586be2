"""An article as weighted terms: what StoryTracker compares, in any script.

Words of scripts with spaces are cut to their first letters, which takes off most endings. Chinese is segmented by
jieba; other scripts without spaces are read in pairs of characters, or in threes of syllables. Numbers, and words that
the text writes only with a capital, count more: they tell two events of one kind apart.
"""

import re
import zlib
from collections import Counter
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from newsextract.language.chinese_words import chinese_tokenizer, split_run
from newsextract.text import (
    ABUGIDAS,
    HAN,
    HANGUL,
    KANA,
    character_class,
    combining_marks,
    letters_with_marks,
    may_have_marks,
)

#: Letters that a word is cut to; of Hangul, whose letters are syllables.
STEM = 6
STEM_HANGUL = 2
#: Weight of one occurrence of a number or name; other words have 1.
FACT_WEIGHT = 2.0
#: Characters of a text that are read.
MAX_CHARACTERS = 6_000
#: Term numbers are hashes with this many bits; one more bit tells terms of headlines from those of texts.
TERM_BITS = 21
HEADLINE = 1 << TERM_BITS
#: Words whose terms are kept in memory.
WORDS_KEPT = 1 << 16
#: Kinds of words: others; in scripts without capitals; with a capital; numbers.
PLAIN, CASELESS, CAPITAL, NUMBER = range(4)
#: Languages that jieba segments.
CHINESE = ("zh", "yue", "cmn", "wuu")
WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
#: The first words of sentences, whose capitals say nothing.
INITIAL = re.compile(r"(?:^|[.!?:]\s)[^\w\n]*([^\W_]+(?:['’][^\W_]+)*)", re.MULTILINE)
UNSPACED = re.compile(f"[{character_class(HAN, KANA)}{ABUGIDAS}]")
IS_ABUGIDA, IS_HAN, IS_HANGUL = (
    re.compile(f"[{script}]") for script in (ABUGIDAS, character_class(HAN), character_class(HANGUL))
)
#: The parts of a word in one script each: Japanese changes it where a word ends.
HIRAGANA = "\u3040-\u309f"
KATAKANA = "\u30a0-\u30ff\u31f0-\u31ff\uff66-\uff9f"
SCRIPTS = re.compile(
    f"[{character_class(HAN)}]+|[{HIRAGANA}]+|[{KATAKANA}]+|[{ABUGIDAS}]+"
    f"|[^{character_class(HAN)}{HIRAGANA}{KATAKANA}{ABUGIDAS}]+"
)
#: Characters of Han or kana, and syllables of abugidas, that stand for a word.
CHARACTERS = 2
SYLLABLES = 3
#: Arabic's article, with the words that are written together with it.
ARABIC_ARTICLE = re.compile("(?:[وفبك]?ال|لل)(?=\\w{3})")


class _KnownWords(dict[str, int]):
    """What a word says by itself: the number of its term, without its language, and its kind above that."""

    def __missing__(self, word: str) -> int:
        if len(self) >= WORDS_KEPT:
            self.clear()
        lower = word.lower()
        if word[0].isdigit():
            kind = NUMBER
        elif lower != word:
            kind = CAPITAL
        else:
            kind = PLAIN if word.isascii() or lower != word.upper() else CASELESS
        number = zlib.crc32(stem(lower).encode("utf-8", "replace")) & (HEADLINE - 1)
        code = self[word] = kind << TERM_BITS | number
        return code


KNOWN_WORDS = _KnownWords()


def terms_of(text: str, language: str) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """The numbers of the terms of a text, in order, and how often each is in it, negative for a fact: a number, a name,
    a word without case.

    `language`: without its region; Chinese, and Han in an unknown language, is segmented.
    """
    counted = Counter(words_of(text, language))
    codes = np.fromiter(map(KNOWN_WORDS.__getitem__, counted), np.int32, len(counted))
    frequencies = np.fromiter(counted.values(), np.float64, len(counted))
    kinds = codes >> TERM_BITS
    is_name = kinds == NUMBER
    if len(capitals := np.flatnonzero(kinds == CAPITAL)):
        words = [*counted]
        initial = Counter(INITIAL.findall(text[:MAX_CHARACTERS]))
        is_name[capitals] = [
            (word := words[at]).lower() not in counted and initial[word] < counted[word] for at in capitals.tolist()
        ]
    frequencies[is_name] *= FACT_WEIGHT
    terms, places = np.unique(codes & (HEADLINE - 1) ^ _seed(language), return_inverse=True)
    summed = np.bincount(places, frequencies, len(terms))
    is_fact = np.bincount(places, is_name | (kinds == CASELESS), len(terms)) > 0
    return terms, np.where(is_fact, -summed, summed)


def words_of(text: str, language: str) -> list[str]:
    """The words of a text in order, as they are written."""
    text, is_chinese = text[:MAX_CHARACTERS], language in ("", *CHINESE)
    if not may_have_marks(text):
        plain: list[str] = WORD.findall(text)
        return plain
    words: list[str] = _marked_word().findall(text)
    if not UNSPACED.search(text):
        return words
    return [each for word in words for run in SCRIPTS.findall(word) for each in _split(run, is_chinese)]


def _split(run: str, is_chinese: bool) -> Sequence[str]:
    """The words in letters of one script; runs of characters where nothing tells where words end.

    jieba cuts names that it doesn't know into single characters, so these are joined in pairs.
    """
    if not UNSPACED.match(run):
        return [run]
    if IS_ABUGIDA.match(run):
        return _joined(_syllable().findall(run), SYLLABLES)
    if not is_chinese or not IS_HAN.match(run):
        return _joined(run, CHARACTERS)
    cut = [*split_run(chinese_tokenizer(), run)]
    return [word for word in cut if len(word) > 1] + [a + b for a, b in pairwise(cut) if len(a) == len(b) == 1]


def _joined(parts: Sequence[str], number: int) -> list[str]:
    """All runs of so many parts."""
    return ["".join(parts[at : at + number]) for at in range(max(len(parts) - number + 1, 1))]


@cache
def _marked_word() -> re.Pattern[str]:
    letters = letters_with_marks()
    return re.compile(f"{letters}(?:['’]{letters})*")


@cache
def _syllable() -> re.Pattern[str]:
    return re.compile(f"[^\\W_]{combining_marks()}*+|{combining_marks()}++")


def stem(word: str) -> str:
    """A word in lower case without most endings: its first letters."""
    if word.isascii():
        return word[:STEM]
    if IS_HANGUL.match(word):
        return word[:STEM_HANGUL]
    return ARABIC_ARTICLE.sub("", word, count=1)[:STEM] if "\u0600" < word[0] < "\u0700" else word[:STEM]


@lru_cache(1 << 10)
def _seed(language: str) -> int:
    return zlib.crc32(language.encode("utf-8", "replace")) & (HEADLINE - 1)


def term_of(word: str, language: str) -> int:
    """The number of a word's term; those of two languages differ, so that no story has two languages."""
    return KNOWN_WORDS[word] & (HEADLINE - 1) ^ _seed(language)


@lru_cache(1 << 10)
def main_language(language: str | None) -> str:
    """`en` for `en-GB`; empty if unknown."""
    return (language or "").replace("_", "-").partition("-")[0].lower()
