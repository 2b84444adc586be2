"""Tokenization of articles: sentences and words.

sentencex, which knows the abbreviations of many languages, splits sentences. Chinese words are split by jieba's
dictionary and model of unknown words, all others at Unicode's word boundaries (UAX #29) with the package `regex`. Words
are lower-cased; tokens without a letter or digit are dropped. Thai, Lao, Khmer, Burmese and Japanese, which have no
spaces either, are split into single characters.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from newsextract.errors import NewsextractError, WrongCall
from newsextract.items import Article
from newsextract.language.chinese_words import HAN_RUNS, chinese_tokenizer, split_run

try:
    import regex
    from sentencex import segment
    from stopwordsiso import has_lang, stopwords
except ImportError as error:
    raise NewsextractError(
        "tokens need regex, sentencex and stopwordsiso: pip install 'newsextract[corpus]'"
    ) from error

WORD = regex.compile(r"(?V1w)\b[\p{L}\p{M}\p{N}].*?\b")
#: Characters that are searched for sentences at once: for some texts sentencex takes time with the square of these.
SEARCHED = 4_000
#: The language whose abbreviations are used if the article's language is unknown.
FALLBACK_LANGUAGE = "en"


@dataclass(frozen=True)
class Tokenizer:
    """Splits articles into sentences and words. `dictionary`: more words for jieba, in its format, one a line."""

    dictionary: Path | None = None
    without_stop_words: bool = False

    @cached_property
    def _chinese(self) -> Any:
        try:
            return chinese_tokenizer(self.dictionary.read_text("utf-8-sig") if self.dictionary else "")
        except (OSError, ValueError) as error:
            raise WrongCall(f"dictionary {self.dictionary} can't be read: {error}") from error

    def tokenize(self, article: Article) -> dict[str, Any]:
        """`sentences`: those of headline and body, in order; `words`: a list of words for each sentence."""
        language = (article.language or "").partition("-")[0].lower()
        lines = [line for line in (article.headline or "", *article.article_body.splitlines()) if line.strip()]
        found = (sentence for line in lines for sentence in _sentences(language or FALLBACK_LANGUAGE, line))
        sentences = [sentence.strip() for sentence in found if sentence.strip()]
        return {"sentences": sentences, "words": [list(self.split_words(sentence, language)) for sentence in sentences]}

    def split_words(self, sentence: str, language: str = "") -> Iterator[str]:
        dropped = stop_words(language) if self.without_stop_words else frozenset()
        runs = (sentence,) if sentence.isascii() else HAN_RUNS.split(sentence)
        for number, run in enumerate(runs):  # every second run is Chinese
            words = split_run(self._chinese, run) if number % 2 else map(str, WORD.findall(run))
            yield from (word for word in map(str.lower, words) if word not in dropped)


def _sentences(language: str, line: str) -> Iterator[str]:
    """The sentences of a line, read SEARCHED characters at a time: the last one of these goes on in the next ones."""
    begun = ""
    for start in range(0, len(line), SEARCHED):
        *sentences, begun = segment(language, begun + line[start : start + SEARCHED])
        yield from sentences
        if len(begun) > SEARCHED:  # no end for so long
            yield begun
            begun = ""
    yield begun


@lru_cache(100)
def stop_words(language: str) -> frozenset[str]:
    """The stop words of a language; none for an unknown language."""
    return frozenset(stopwords(language)) if language and has_lang(language) else frozenset()
