"""Sentences and words of an article, for programs that count words.

Sentences by sentencex, which knows abbreviations of many languages. Words of Chinese by jieba, of all else by Unicode's
rules for word boundaries (UAX #29), as the package `regex` has them. Words are lower-cased; what holds no letter or
digit is no word. Thai, Lao, Khmer, Burmese and Japanese, which have no spaces either, come in single characters.
"""

import io
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import jieba
import regex

from newsextract.errors import NewsextractError, WrongCall
from newsextract.items import Article

try:
    from sentencex import segment
    from stopwordsiso import has_lang, stopwords
except ImportError as error:
    raise NewsextractError("tokens need sentencex and stopwordsiso: pip install 'newsextract[corpus]'") from error

WORD = regex.compile(r"(?V1w)\b[\p{L}\p{M}\p{N}].*?\b")
#: Runs of Chinese characters, which Unicode's rules would take apart.
HAN = regex.compile(r"(\p{Han}+)")
#: The language by whose abbreviations sentences end where the article's is not known.
FALLBACK = "en"


@dataclass(frozen=True)
class Tokenizer:
    """Sentences and words of articles. `dictionary`: words of your own for jieba; `without_stop_words`: leave them out.

    The dictionary has one word a line, with its frequency and part of speech behind it where you have them.
    """

    dictionary: Path | None = None
    without_stop_words: bool = False

    @cached_property
    def _chinese(self) -> Any:
        """jieba with its own words and those of the dictionary; its own are read once in a process."""
        jieba.setLogLevel("WARNING")
        if self.dictionary is None:
            return jieba.dt
        try:
            own = self.dictionary.read_text("utf-8-sig")
            jieba.initialize()
            segmenter = jieba.Tokenizer()
            segmenter.FREQ, segmenter.total, segmenter.initialized = dict(jieba.dt.FREQ), jieba.dt.total, True
            segmenter.load_userdict(io.StringIO(own))
        except (OSError, ValueError) as error:
            raise WrongCall(f"the dictionary {self.dictionary} can't be read: {error}") from error
        return segmenter

    def of(self, article: Article) -> dict[str, Any]:
        """`sentences`: those of headline and body, in order; `words`: for each of them its words."""
        language = (article.language or "").partition("-")[0].lower()
        lines = [line for line in (article.headline or "", *article.article_body.splitlines()) if line.strip()]
        sentences = [one for line in lines for one in sentences_of(line, language)]
        return {"sentences": sentences, "words": [list(self.words(one, language)) for one in sentences]}

    def words(self, sentence: str, language: str = "") -> Iterator[str]:
        """The words of a sentence, in order."""
        left_out = stop_words(language) if self.without_stop_words else frozenset()
        for number, piece in enumerate(HAN.split(sentence)):
            found = self._chinese.cut(piece) if number % 2 else (match.group() for match in WORD.finditer(piece))
            yield from (word for word in map(str.lower, found) if word not in left_out)


def sentences_of(line: str, language: str) -> list[str]:
    """The sentences of one paragraph."""
    return [one.strip() for one in segment(language or FALLBACK, line) if one.strip()]


@lru_cache(100)
def stop_words(language: str) -> frozenset[str]:
    """Words of a language that say nothing of a topic; none of a language that is not known."""
    return frozenset(stopwords(language)) if language and has_lang(language) else frozenset()
