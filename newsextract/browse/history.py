"""The history of an article: its versions as differences of paragraphs and words."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby

from newsextract.items import Article
from newsextract.text import HAN, character_class

#: The units of comparison in a paragraph: Han characters, words, and any other character.
TOKEN = re.compile(rf"[{character_class(HAN)}]|\w+|\s+|.", re.DOTALL)
WORD = re.compile(rf"[{character_class(HAN)}]|[^\W_]+")
#: Two paragraphs are versions of one if they are this similar (`SequenceMatcher.ratio`).
SAME_PARAGRAPH = 0.4
#: Longer paragraphs (in tokens) are not compared word by word, which takes quadratic time.
MAX_TOKENS = 1_500

#: A piece of text, and whether it was "kept", "added" or "removed".
Piece = tuple[str, str]


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
        lines = [article.headline or "", *article.article_body.splitlines()]
        paragraphs: list[Sequence[Piece] | int] = [] if before else [[("kept", line)] for line in lines[1:]]
        words = {"kept": 0, "added": 0, "removed": 0}
        compared = compare(before, lines) if before else ()
        for unchanged, run in groupby(compared, lambda pieces: all(kind == "kept" for kind, _ in pieces)):
            pieces = list(run)
            paragraphs += [len(pieces)] if unchanged else pieces
            for kind, text in (piece for paragraph in pieces for piece in paragraph):
                words[kind] += len(WORD.findall(text))
        described.append(Step(article, words["added"], words["removed"], paragraphs))
        before = lines
    return described[::-1]


def compare(before: Sequence[str], after: Sequence[str]) -> Iterator[list[Piece]]:
    """The paragraphs of both texts in order, each as pieces."""
    for kind, start, end, other_start, other_end in SequenceMatcher(None, before, after, False).get_opcodes():
        if kind == "equal":
            yield from ([("kept", line)] for line in before[start:end])
            continue
        removed, added = list(before[start:end]), list(after[other_start:other_end])
        while removed and added:
            if pieces := _compare_words(removed[0], added[0]):
                yield pieces
                removed, added = removed[1:], added[1:]
            elif len(removed) >= len(added):
                yield [("removed", removed.pop(0))]
            else:
                yield [("added", added.pop(0))]
        yield from ([("removed", line)] for line in removed)
        yield from ([("added", line)] for line in added)


def _compare_words(before: str, after: str) -> list[Piece]:
    """The pieces of a changed paragraph; none for two different ones."""
    old, new = TOKEN.findall(before), TOKEN.findall(after)
    matcher = SequenceMatcher(None, old[:MAX_TOKENS], new[:MAX_TOKENS], False)
    if matcher.quick_ratio() < SAME_PARAGRAPH or matcher.ratio() < SAME_PARAGRAPH:
        return []
    if max(len(old), len(new)) > MAX_TOKENS:
        return [("removed", before), ("added", after)]
    pieces = []
    for kind, start, end, other_start, other_end in matcher.get_opcodes():
        sides = {"kept": old[start:end]}
        if kind != "equal":
            sides = {"removed": old[start:end], "added": new[other_start:other_end]}
        pieces += [(name, "".join(tokens)) for name, tokens in sides.items() if tokens]
    return pieces
