"""Chinese word segmentation: the most probable split of a text by a dictionary of word frequencies.

With F(w) the frequency of a word and N their sum, the split w_1 ... w_k of a run of Han characters maximises sum
log(F(w_i) / N), found by dynamic programming from the end (Viterbi). The dictionary is jieba's (Sun Junyi, MIT
licence), whose `jieba.cut(text, HMM=False)` gives the same words; here log probabilities are computed once instead of
for each candidate, which is several times as fast, and nothing is cached on disk, where jieba would load a pickle from
a folder that anyone may write to. With `unknown_words`, single characters in a row are joined to words by jieba's
hidden Markov model, as `jieba.cut(text)` does; good for names, which no dictionary has.
"""

import re
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from math import exp, log
from pathlib import Path

from newsextract.errors import NewsextractError
from newsextract.text import HAN, character_class, words_of

#: Splits a text into runs of Han characters (odd positions) and what is between them.
HAN_RUNS = re.compile(f"([{character_class(HAN)}]+)")
#: An entry of a user's dictionary: word, frequency, part of speech.
USER_WORD = re.compile(r"(.+?)(?: +([0-9]+))?(?: +[a-z]+)?$")


def words_in(text: str) -> list[str]:
    """The words of a text in any script, in order, lower-cased; Chinese by the dictionary alone."""
    if text.isascii() or not HAN_RUNS.search(text):
        return words_of(text)
    segmenter = chinese_segmenter()
    parts = enumerate(HAN_RUNS.split(text))
    return [word for position, part in parts for word in (segmenter.cut(part) if position % 2 else words_of(part))]


class ChineseSegmenter:
    """Splits runs of Han characters into words.

    `scores`: word -> log F(w) / N, 0 for a string that only begins words; `total`: log N.
    """

    def __init__(self, scores: dict[str, float], total: float) -> None:
        self.scores = scores
        self.total = total
        self.never: frozenset[str] = frozenset()

    def with_user_words(self, entries: str) -> "ChineseSegmenter":
        """A segmenter with more words, in jieba's format: one a line, with frequency and part of speech if known.

        A word without a frequency gets the least that keeps it in one piece; one of frequency 0 is always split.
        """
        extended = ChineseSegmenter(dict(self.scores), self.total)
        never, added = set(), 0
        for line in filter(None, map(str.strip, entries.splitlines())):
            if not (match := USER_WORD.match(line)):
                continue
            word = match[1]
            frequency = extended._sufficient_frequency(word) if match[2] is None else int(match[2])
            extended.scores[word] = log(frequency) - self.total if frequency else 0.0
            added += frequency
            for end in range(1, len(word)):
                extended.scores.setdefault(word[:end], 0.0)
            if not frequency:
                never.add(word)
        total = log(exp(self.total) + added)
        shift = total - self.total
        extended.scores = {word: score - shift if score else 0.0 for word, score in extended.scores.items()}
        extended.total, extended.never = total, frozenset(never)
        return extended

    def _sufficient_frequency(self, word: str) -> int:
        """A frequency that makes the word more probable than its present split."""
        probability = exp(sum(self.scores.get(part, 0.0) or -self.total for part in self.cut(word)))
        present = round(exp(score + self.total)) if (score := self.scores.get(word, 0.0)) else 1
        return max(int(probability * exp(self.total)) + 1, present)

    def cut(self, run: str) -> list[str]:
        """The words of a run; O(characters), since no word has more than 16."""
        scores, unknown = self.scores, -self.total
        length = len(run)
        best = [0.0] * (length + 1)  # score of the text from each position on
        ends = [0] * length
        for start in range(length - 1, -1, -1):
            value, end = scores.get(run[start], None) or unknown, start + 1
            value += best[end]
            stop = start + 2
            while stop <= length and (word := run[start:stop]) in scores:
                score = scores[word]
                if score and score + best[stop] >= value:
                    value, end = score + best[stop], stop
                stop += 1
            best[start], ends[start] = value, end
        words, start = [], 0
        while start < length:
            words.append(run[start : ends[start]])
            start = ends[start]
        return words

    def cut_with_unknown_words(self, run: str) -> Iterator[str]:
        """The words of a run; two or more single characters in a row are split anew by the hidden Markov model."""
        singles = ""
        for word in self.cut(run):
            if len(word) == 1:
                singles += word
                continue
            yield from self._join_singles(singles)
            singles = ""
            yield word
        yield from self._join_singles(singles)

    def _join_singles(self, characters: str) -> Iterator[str]:
        if len(characters) < 2 or self.scores.get(characters):  # a word that lost against its characters stays split
            yield from characters
            return
        from jieba import finalseg

        for word in finalseg.cut(characters):
            yield from word if word in self.never else (word,)


@cache
def chinese_segmenter() -> ChineseSegmenter:
    """The segmenter with jieba's dictionary; read once a process, in about a second."""
    spec = find_spec("jieba")
    if spec is None or not spec.submodule_search_locations:
        raise NewsextractError("Chinese text needs the package jieba; install it with: pip install jieba")
    source = Path(spec.submodule_search_locations[0]) / "dict.txt"
    rows = [line.split(" ", 2) for line in source.read_text(encoding="utf-8").splitlines()]
    total = log(sum(int(row[1]) for row in rows))
    scores = {row[0]: log(int(row[1]) or 1) - total for row in rows}
    for word in list(scores):
        for end in range(2, len(word)):
            scores.setdefault(word[:end], 0.0)
    return ChineseSegmenter(scores, total)
