"""The history of an article: its versions as differences of paragraphs and words."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import Match, SequenceMatcher
from itertools import groupby

from newsextract.items import Article
from newsextract.text import HAN, character_class

#: The units of comparison in a paragraph: Han characters, words, and any other character.
TOKEN = re.compile(rf"[{character_class(HAN)}]|\w+|\s+|.", re.DOTALL)
WORD = re.compile(rf"[{character_class(HAN)}]|[^\W_]+")
#: Two paragraphs are versions of one if they are this similar (`SequenceMatcher.ratio`).
SAME_PARAGRAPH = 0.4
#: Lines or tokens of one version times those of the other that `SequenceMatcher` compares, which takes quadratic time.
MAX_PAIRS = 250_000

#: A piece of text, and whether it was "kept", "added" or "removed".
Piece = tuple[str, str]
#: Whether a run is equal in two sequences, its first and one past its last place in the one and in the other.
Run = tuple[bool, int, int, int, int]


@dataclass(frozen=True, slots=True)
class Step:
    """A version against the one before, with the number of words added and removed.

    `paragraphs`: pieces of each, or the length of a run of unchanged ones.
    """

    article: Article
    added: int
    removed: int
    paragraphs: Sequence[Sequence[Piece] | int]


def steps(versions: Sequence[Article]) -> list[Step]:
    """The versions, newest first, each with its differences from the previous one; the oldest in full."""
    described, before = [], list[str]()
    for article in versions:
        lines = [article.headline or "", *filter(None, article.article_body.splitlines())]
        paragraphs: list[Sequence[Piece] | int] = [] if before else [(("kept", line),) for line in lines[1:]]
        words = {"kept": 0, "added": 0, "removed": 0}
        for is_kept, run in groupby(compare(before, lines) if before else (), _is_kept):
            if is_kept:
                paragraphs.append(sum(1 for _ in run))
                continue
            for pieces in run:
                paragraphs.append(pieces)
                for kind, text in pieces:
                    words[kind] += len(WORD.findall(text))
        described.append(Step(article, words["added"], words["removed"], paragraphs))
        before = lines
    return described[::-1]


def _is_kept(pieces: Sequence[Piece]) -> bool:
    return len(pieces) == 1 and pieces[0][0] == "kept"


def compare(before: Sequence[str], after: Sequence[str]) -> Iterator[Sequence[Piece]]:
    """The paragraphs of both texts in order, each as pieces."""
    for is_equal, start, end, other, other_end in _runs(before, after):
        if is_equal:
            yield from ((("kept", line),) for line in before[start:end])
            continue
        while start < end and other < other_end:
            if pieces := _compare_words(before[start], after[other]):
                yield pieces
                start, other = start + 1, other + 1
            elif end - start >= other_end - other:
                yield (("removed", before[start]),)
                start += 1
            else:
                yield (("added", after[other]),)
                other += 1
        yield from ((("removed", line),) for line in before[start:end])
        yield from ((("added", line),) for line in after[other:other_end])


def _compare_words(before: str, after: str) -> list[Piece]:
    """The pieces of a changed paragraph; none for two different ones."""
    if before == after:
        return [("kept", before)]
    old, new = TOKEN.findall(before), TOKEN.findall(after)
    least = SAME_PARAGRAPH / 2 * (len(old) + len(new))
    if min(len(old), len(new)) < least or (Counter(old) & Counter(new)).total() < least:
        return []
    runs = [*_runs(old, new)]
    if sum(end - start for is_equal, start, end, _, _ in runs if is_equal) < least:
        return []
    pieces = []
    for is_equal, start, end, other, other_end in runs:
        sides = {"kept": old[start:end]} if is_equal else {"removed": old[start:end], "added": new[other:other_end]}
        pieces += [(name, "".join(tokens)) for name, tokens in sides.items() if tokens]
    return pieces


def _runs(before: Sequence[str], after: Sequence[str]) -> Iterator[Run]:
    """The equal and changed runs of two sequences, in order. O(n log n) beyond MAX_PAIRS, which takes the square."""
    place, other, size = 0, 0, 0  # the equal run so far
    for start, other_start, length in _matches(before, after):
        if (start, other_start) == (place + size, other + size):
            size += length
            continue
        if size:
            yield True, place, place + size, other, other + size
        yield False, place + size, start, other + size, other_start
        place, other, size = start, other_start, length
    if size:
        yield True, place, place + size, other, other + size
    if (place + size, other + size) != (len(before), len(after)):
        yield False, place + size, len(before), other + size, len(after)


def _matches(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """The equal runs, as their places in both and their length: those at both ends, and those between what occurs once
    in each (patience diff, B. Cohen)."""
    if len(before) * len(after) <= MAX_PAIRS:
        yield from ((start, other, size) for start, other, size in _blocks(before, after) if size)
        return
    most = min(len(before), len(after))
    head = next((place for place in range(most) if before[place] != after[place]), most)
    most -= head
    tail = next((place for place in range(most) if before[-1 - place] != after[-1 - place]), most)
    end, other_end = len(before) - tail, len(after) - tail
    yield 0, 0, head
    place = other = head
    for start, other_start in [*_anchors(before[head:end], after[head:other_end]), (end - head, other_end - head)]:
        gap, other_gap = before[place : head + start], after[other : head + other_start]
        if len(gap) * len(other_gap) <= MAX_PAIRS:
            yield from ((place + a, other + b, size) for a, b, size in _blocks(gap, other_gap) if size)
        place, other = head + start, head + other_start
        if place < end:
            yield place, other, 1
            place, other = place + 1, other + 1
    yield end, other_end, tail


def _blocks(before: Sequence[str], after: Sequence[str]) -> list[Match]:
    return SequenceMatcher(None, before, after, False).get_matching_blocks()


def _anchors(before: Sequence[str], after: Sequence[str]) -> list[tuple[int, int]]:
    """The places of what occurs once in each: the longest rising sequence of them, by patience sorting."""
    once = {text for text, count in Counter(before).items() if count == 1}
    once &= {text for text, count in Counter(after).items() if count == 1}
    places = {text: place for place, text in enumerate(after) if text in once}
    tops: list[int] = []  # of the piles: places in `after`
    last: list[int] = []  # numbers of the pairs on top of the piles
    pairs: list[tuple[int, int, int]] = []  # with the number of the pair before, on the pile to the left
    for start, text in enumerate(before):
        if text in once:
            pile = bisect_left(tops, places[text])
            tops[pile : pile + 1], last[pile : pile + 1] = [places[text]], [len(pairs)]
            pairs.append((start, places[text], last[pile - 1] if pile else -1))
    found, number = [], last[-1] if last else -1
    while number >= 0:
        start, other, number = pairs[number]
        found.append((start, other))
    return found[::-1]
