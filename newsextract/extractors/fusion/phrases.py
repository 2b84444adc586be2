"""Features of phrases that mark comments, related articles, sharing, credits and bylines, in short blocks.

All short blocks of a page are searched at once; of a longer one only the part before its first colon, where labels are
("See also: ..."). Blocks near one with a phrase get features, too (among "reply" lines a block is a comment, whatever
its class), and so do blocks after a heading for comments or related articles.
"""

from collections.abc import Mapping, Sequence
from functools import cache, partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from newsextract.extractors.fusion.features import CJK, DIGIT, GOOD_SUM, FeatureTable, Fill, Floats
from newsextract.language import words
from newsextract.text import HAN_OR_KANA, MAX_LABEL

#: Size of a short block; a label of a longer one ends with a colon before this many characters, in Chinese and Japanese
#: with one of these.
SHORT = 60
COLONS = "：】"
#: Phrases by kind, in the order of the features: new kinds only with new weights. A phrase of letters has to match
#: whole words.
KINDS = (
    "comments", "related", "reply", "share", "subscribe", "credit", "editor", "byline", "tags", "advert", "embed",
    "disclaimer",
)  # fmt: skip
PHRASES: Mapping[str, Sequence[str]] = {kind: words.listed(f"phrase_{kind}") for kind in KINDS}
#: Kinds that labels of longer blocks may be; "the minister says: ..." isn't a reply.
LABELS = ("related", "subscribe", "credit", "advert", "disclaimer")
#: Distance of near blocks, on each side.
NEAR = 5
#: The first kinds, up to this number, are also features of the blocks after a line with the phrase.
ZONES = 2
FEATURES = (
    *((f"says {name}", "phrases") for name in PHRASES),
    ("dated", "phrases"),
    *((f"near {name}", "phrases") for name in PHRASES),
    ("near dated", "phrases"),
    *((f"behind {name} line", "phrases") for name in list(PHRASES)[:ZONES]),
)
LABEL_KINDS = [name in LABELS for name in PHRASES]
#: Punctuation replaced by spaces to split lines into words; phrases that contain it are searched in the raw line.
BESIDE = ',.!?()[]|/»«“”„":;…'


def features(table: FeatureTable) -> Fill:
    """FEATURES; all short blocks of the page are searched at once."""
    count, kinds = len(table.size), len(PHRASES) + 1
    is_short = table.size <= SHORT
    short = is_short.tolist()
    has_cjk = bool(table.kinds[CJK].any())
    texts = [*map(_with_colons, table.blocks.texts)] if has_cjk else table.blocks.texts
    lines = [
        text if whole else text[: text.find(":", 0, MAX_LABEL) + 1] for text, whole in zip(texts, short, strict=True)
    ]
    haystack = "\n" + "\n".join(map(str.lower, lines)) + "\n"  # one by one: those in ASCII are much faster
    counts = np.zeros((kinds, count + 2 * NEAR + 1), np.uint8)
    own = counts[:, NEAR + 1 : NEAR + 1 + count]
    rows: list[list[int]] = [[] for _ in PHRASES]
    line, end = -1, 0
    for position, kind in sorted(_find_phrases(haystack, has_cjk)):
        line += haystack.count("\n", end, position)
        end = position
        if short[line] or LABEL_KINDS[kind]:
            own[kind, line] = 1
            rows[kind].append(line)
    own[-1] = (table.kinds[DIGIT] >= 2) & is_short
    behind = np.zeros((ZONES, count), np.float32)
    for zone in range(ZONES):
        _fill_behind(rows[zone], table, behind[zone])
    return partial(_fill_features, counts, behind)


def _with_colons(text: str) -> str:
    """A text with colons for what stands for them in Chinese and Japanese."""
    for sign in COLONS:
        text = text.replace(sign, ":")  # much faster than `translate`
    return text


def _fill_features(counts: NDArray[np.uint8], behind: Floats, rows: slice, out: Floats) -> None:
    """`counts`: (kinds, blocks) with NEAR + 1 columns before and NEAR behind; `behind`: (ZONES, blocks)."""
    kinds, width = len(counts), 2 * NEAR + 1
    out[:kinds] = counts[:, NEAR + 1 + rows.start : NEAR + 1 + rows.stop]
    sums = np.add.accumulate(counts[:, rows.start : rows.stop + width], 1, np.float32)
    np.subtract(sums[:, width:], sums[:, :-width], out=out[kinds : 2 * kinds])
    out[2 * kinds :] = behind[:, rows]


def _find_phrases(haystack: str, has_cjk: bool) -> list[tuple[int, int]]:
    """Position and kind of each phrase in lower-case lines; phrases whose longest word isn't there are skipped."""
    spaced = haystack
    for mark in BESIDE:
        spaced = spaced.replace(mark, " ")
    by_word, by_part = _phrases()
    found = []
    for word in by_word.keys() & spaced.split():
        for phrase, kind, is_marked in by_word[word]:
            text = haystack if is_marked else spaced
            start = text.find(phrase)
            while start >= 0:
                end = start + len(phrase)
                if not (text[start - 1].isalnum() or (text[end].isalnum() and phrase[-1].isalnum())):
                    found.append((start, kind))
                start = text.find(phrase, end)
    for phrase, kind in by_part if has_cjk else by_part[:1]:
        start = haystack.find(phrase)
        while start >= 0:
            found.append((start, kind))
            start = haystack.find(phrase, start + len(phrase))
    return found


@cache
def _phrases() -> tuple[dict[str, list[tuple[str, int, bool]]], list[tuple[str, int]]]:
    """Longest word -> phrases with kind, and whether with marks of BESIDE; phrases to find within words."""
    by_word: dict[str, list[tuple[str, int, bool]]] = {}
    by_part: list[tuple[str, int]] = []
    for kind, group in enumerate(PHRASES.values()):
        for phrase in group:
            words = "".join(" " if mark in BESIDE else mark for mark in phrase).split()
            if phrase == "©":
                by_part.insert(0, (phrase, kind))
            elif HAN_OR_KANA.match(phrase):
                by_part.append((phrase, kind))
            else:
                by_word.setdefault(max(words, key=len), []).append((phrase, kind, words != phrase.split()))
    return by_word, by_part


def _fill_behind(rows: list[int], table: FeatureTable, out: Floats) -> None:
    """1 / (1 + log(1 + blocks since the last of `rows`)), in blocks behind the first one.

    Linked ones and those at the page's top are left out.
    """
    good = table.running[GOOD_SUM]
    named = [row for row in rows if table.link_share[row] < 0.5 and good[row] > 0]
    if named:
        since = 1 / (1 + np.log1p(table.rows[: len(out) - named[0]]))
        for first, end in pairwise([*named, len(out)]):
            out[first:end] = since[: end - first]
