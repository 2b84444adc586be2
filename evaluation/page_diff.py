"""Diff of one page: its gold text beside the extracted text, with what was lost and what is too much.

Both texts are aligned token by token (longest common subsequence), so text that was moved shows as lost in one place
and too much in another.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from rapidfuzz.distance import LCSseq
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from evaluation.corpora import Gold, find_corpus
from evaluation.extractors import find_extractor
from evaluation.scores import TOKEN, Judgement, judge
from newsextract.errors import WrongCall
from newsextract.page import Page

#: Common runs of fewer tokens between two differences count as chance.
CHANCE = 3
#: Characters of a kept piece that are shown, unless `full`.
SHOWN = 160
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of the alignment: kept (in both texts), or lost (in the gold only) and added (in the output only)."""

    kept: str = ""
    lost: str = ""
    added: str = ""


@dataclass(frozen=True)
class PageComparison:
    """Gold and extracted text of one page by one extractor."""

    gold: Gold
    text: str
    judgement: Judgement

    def pieces(self) -> list[Piece]:
        return align(self.gold.text or "", self.text)


def compare_with_gold(page: str, extractor: str, *, peer: str | None = None) -> PageComparison:
    """`page` is SET/ID, SET a folder or a name below NEWSEXTRACT_CORPORA; `peer` the id of a page of the same set."""
    name, slash, identity = page.rpartition("/")
    if not slash:
        raise WrongCall(f"{page!r}: a page is named SET/ID")
    corpus, evaluated = find_corpus(name), find_extractor(extractor)
    row = corpus.row(identity)
    other = Page(corpus.html(peer), corpus.row(peer).url) if peer else None
    text = evaluated.extract(corpus.html(identity), row.url, other).text
    return PageComparison(row, text, judge(row, text))


def align(gold: str, output: str) -> list[Piece]:
    """The pieces of both texts, in order."""
    left, right = list(TOKEN.finditer(gold)), list(TOKEN.finditer(output))
    number: dict[str, int] = {}
    sides = [[number.setdefault(match.group().lower(), len(number)) for match in side] for side in (left, right)]
    pieces = []
    for kept, (a, b), (c, d) in _stretches(*sides):
        lost, added = _slice(gold, left, a, b), _slice(output, right, c, d)
        pieces.append(Piece(kept=added) if kept else Piece(lost=lost, added=added))
    return pieces


def _stretches(left: list[int], right: list[int]) -> Iterator[tuple[bool, tuple[int, int], tuple[int, int]]]:
    """(same, range in left, range in right); neighbouring differences and chance agreements between them are merged."""
    codes = [
        (op.tag == "equal", op.src_start, op.src_end, op.dest_start, op.dest_end) for op in LCSseq.opcodes(left, right)
    ]
    a = c = 0
    b = d = 0
    for place, (same, _, src_end, dest_start, dest_end) in enumerate(codes):
        inner = 0 < place < len(codes) - 1
        if same and (dest_end - dest_start >= CHANCE or not inner):
            if (a, c) != (b, d):
                yield False, (a, b), (c, d)
            yield True, (b, src_end), (d, dest_end)
            a, c = src_end, dest_end
        b, d = src_end, dest_end
    if (a, c) != (b, d):
        yield False, (a, b), (c, d)


def _slice(text: str, matches: list[re.Match[str]], first: int, last: int) -> str:
    """The text from one token to the first of the next piece, with the punctuation between."""
    if first == last:
        return ""
    end = matches[last].start() if last < len(matches) else len(text)
    return text[matches[first].start() : end].strip()


def render(comparison: PageComparison, *, full: bool = False) -> RenderableType:
    """Table for a terminal: the gold left with lost text in red, the output right with added text in yellow."""
    if comparison.gold.scored_by == "text":
        heading = ", ".join(
            f"{name} {getattr(comparison.judgement, name):.3f}" for name in ("precision", "recall", "f")
        )
        return Group(Text(f"{comparison.gold.id}: {heading}", "bold"), _side_by_side(comparison.pieces(), full))
    table = Table("segment", "", show_lines=True, title=comparison.gold.id, title_justify="left")
    for wanted, segments in ((True, comparison.gold.wanted), (False, comparison.gold.unwanted)):
        for segment in segments:
            contained = segment in comparison.text
            word = ("kept" if contained else "lost") if wanted else ("too much" if contained else "left out")
            table.add_row(_plain(segment), Text(word, "" if contained == wanted else "red"))
    return Group(
        table,
        Text(f"page type: {comparison.gold.page_type}") if comparison.gold.page_type else Text(),
        _plain(comparison.text),
    )


def _side_by_side(pieces: list[Piece], full: bool) -> Table:
    table = Table("gold (lost: red)", "output (too much: yellow)", show_lines=True, expand=True)
    for column in table.columns:
        column.ratio = 1
    for piece in pieces:
        if piece.kept:
            text = _plain(piece.kept if full else _shortened(piece.kept))
            table.add_row(text, text)
        else:
            table.add_row(_plain(piece.lost, "red"), _plain(piece.added, "yellow"))
    return table


def _shortened(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[: SHOWN // 2]} … {text[-SHOWN // 2 :]}"


def _plain(text: str, style: str = "") -> Text:
    """Text without control characters and markup: a page cannot move the cursor or colour the terminal."""
    return Text(CONTROL.sub("", text), style)
