"""An article as weighted terms: what StoryTracker compares, in any script.

Words of scripts with spaces are cut to their first letters, which takes off most endings. Chinese is segmented by
jieba; other scripts without spaces are read in pairs of characters. Numbers, and words that the text writes only with a
capital, count more: they tell two events of one kind apart.
"""

import re
import zlib
from collections import Counter
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from newsextract.methods.common.chinese import HAN_RUNS, chinese_tokenizer
from newsextract.text import HAN, HANGUL, KANA, character_class

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
#: Kinds of words: numbers; with a capital; in scripts without capitals; others.
NUMBER = 3
CAPITAL = 2
CASELESS = 1
PLAIN = 0
#: Languages that jieba segments.
CHINESE = ("zh", "yue", "cmn", "wuu")
WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
#: The first words of sentences, whose capitals say nothing.
INITIAL = re.compile(r"(?:^|[.!?:]\s)[^\w\n]*([^\W_]+(?:['’][^\W_]+)*)", re.MULTILINE)
#: Scripts without spaces beside Han: kana, Thai, Lao, Burmese, Khmer.
UNSPACED = re.compile(f"[{character_class(HAN, KANA)}\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
IS_HAN, IS_HANGUL = (re.compile(f"[{character_class(script)}]") for script in (HAN, HANGUL))
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
    words: list[str] = WORD.findall(text)
    if text.isascii() or not UNSPACED.search(text):
        return words
    split: list[str] = []
    for word in words:
        if not UNSPACED.search(word):
            split.append(word)
        elif is_chinese and IS_HAN.search(word):
            for number, run in enumerate(HAN_RUNS.split(word)):
                split += [w for w in chinese_tokenizer().cut(run) if len(w) > 1] if number % 2 else [run] * bool(run)
        else:
            split += [word[at : at + 2] for at in range(len(word) - 1)] or [word]
    return split


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


def main_language(language: str | None) -> str:
    """`en` for `en-GB`; empty if unknown."""
    return (language or "").replace("_", "-").partition("-")[0].lower()
