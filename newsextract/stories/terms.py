"""An article as weighted terms: what StoryTracker compares, in any script.

Words of scripts with spaces are cut to their first letters, which takes off most endings. Chinese is segmented by
jieba; other scripts without spaces are read in pairs of characters. Numbers, and words that the text writes only with a
capital, count more: they tell two events of one kind apart.
"""

import re
import zlib
from collections import Counter
from functools import cache, lru_cache
from typing import NamedTuple

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
#: Words that are kept in memory with the numbers of their terms.
WORDS_KEPT = 1 << 16
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


class Word(NamedTuple):
    """What a word says by itself: in lower case, the number of its term; whether it is a number, and has no case."""

    lower: str
    term: int
    is_number: bool
    is_caseless: bool


def terms_of(text: str, language: str) -> dict[int, float]:
    """How often each term is in a text, by number; negative for a fact: a number, a name, a word without case.

    `language`: without its region; Chinese, and Han in an unknown language, is segmented.
    """
    counted = Counter(words_of(text, language))
    initial = Counter(INITIAL.findall(text[:MAX_CHARACTERS]))
    terms: dict[int, float] = {}
    for word, number in counted.items():
        lower, term, is_number, is_caseless = known_word(word, language)
        is_name = is_number or (lower != word and lower not in counted and initial[word] < number)
        before = terms.get(term, 0.0)
        frequency = abs(before) + number * (FACT_WEIGHT if is_name else 1)
        terms[term] = -frequency if is_name or is_caseless or before < 0 else frequency
    return terms


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


@cache
def _seed(language: str) -> int:
    return zlib.crc32(language.encode())


def term_number(term: str, language: str) -> int:
    """The number of a term of a language; those of two languages differ, so that no story has two languages."""
    return zlib.crc32(term.encode("utf-8", "replace"), _seed(language)) & (HEADLINE - 1)


@lru_cache(WORDS_KEPT)
def known_word(word: str, language: str) -> Word:
    lower = word.lower()
    return Word(lower, term_number(stem(lower), language), word[0].isdigit(), lower == word.upper())


def main_language(language: str | None) -> str:
    """`en` for `en-GB`; empty if unknown."""
    return (language or "").replace("_", "-").partition("-")[0].lower()
