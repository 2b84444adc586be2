"""Chinese text to words: the most probable split by jieba's dictionary, without jieba's model of unknown words.

The same words as `jieba.cut(text, HMM=False)`, several times as fast: probabilities are looked up, not computed anew
for each candidate. The dictionary is read once a process (about a second) and nothing is kept on disk; jieba itself
would load a cache from a folder that anyone may write to.
"""

import re
from functools import cache
from importlib.util import find_spec
from math import log
from pathlib import Path

from newsextract.errors import NewsextractError
from newsextract.text import words_of

HAN_CHARACTERS = "[\u3005\u3007\u3400-\u9fff\uf900-\ufaff\U00020000-\U000323af]+"
HAN = re.compile(HAN_CHARACTERS)
BETWEEN = re.compile(f"({HAN_CHARACTERS})")


def words_in(text: str) -> list[str]:
    """The words of any text in order, lower-cased; those of Chinese by the dictionary."""
    if text.isascii() or not HAN.search(text):
        return words_of(text)
    parts = enumerate(BETWEEN.split(text))
    return [word for position, part in parts for word in (segment(part) if position % 2 else words_of(part))]


def segment(run: str) -> list[str]:
    """The words of a run of Han characters; O(characters), since no word has more than 16."""
    scores, unknown = _dictionary()
    length = len(run)
    best = [0.0] * (length + 1)  # of the text from each position on
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


@cache
def _dictionary() -> tuple[dict[str, float], float]:
    """Logarithm of each word's probability, 0 for what only begins words; and that of a character not in it."""
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
    return scores, -total
