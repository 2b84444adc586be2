"""One page of a corpus beside what an extractor made of it: where text was lost, and where too much was kept.

Gold and output are aligned token by token (longest common subsequence), so text that was moved shows as lost in one
place and too much in another.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from rapidfuzz.distance import LCSseq
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from evaluation.contestants import contestant
from evaluation.corpus import Gold, find_corpus
from evaluation.scores import TOKEN, Judgement, judge
from newsextract.errors import WrongCall
from newsextract.page import Page

#: Common runs of fewer tokens between two differences are taken for chance.
CHANCE = 3
#: Characters of an unbroken right part that are shown, unless all is asked for.
SHOWN = 160
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text: kept (in both), lost (in the gold only) and added (in the output only) stand side by side."""

    kept: str = ""
    lost: str = ""
    added: str = ""


@dataclass(frozen=True)
class Look:
    """One page, one extractor."""

    gold: Gold
    text: str
    judgement: Judgement

    def pieces(self) -> list[Piece]:
        return align(self.gold.text or "", self.text)


def look(page: str, extractor: str, *, peer: str | None = None) -> Look:
    """`page` is SET/ID, SET a folder or a name below NEWSEXTRACT_CORPORA; `peer` the id of a page of the same set."""
    name, slash, identity = page.rpartition("/")
    if not slash:
        raise WrongCall(f"{page!r}: a page is named SET/ID")
    corpus, one = find_corpus(name), contestant(extractor)
    row = corpus.row(identity)
    other = Page(corpus.html(peer), corpus.row(peer).url) if peer else None
    text = one.extract(corpus.html(identity), row.url, other).text
    return Look(row, text, judge(row, text))


def align(gold: str, output: str) -> list[Piece]:
    """The two texts as stretches in order."""
    left, right = list(TOKEN.finditer(gold)), list(TOKEN.finditer(output))
    number: dict[str, int] = {}
    sides = [[number.setdefault(match.group().lower(), len(number)) for match in side] for side in (left, right)]
    pieces = []
    for kept, (a, b), (c, d) in _stretches(*sides):
        lost, added = _slice(gold, left, a, b), _slice(output, right, c, d)
        pieces.append(Piece(kept=added) if kept else Piece(lost=lost, added=added))
    return pieces


def _stretches(left: list[int], right: list[int]) -> Iterator[tuple[bool, tuple[int, int], tuple[int, int]]]:
    """(same, range in left, range in right), neighbouring differences and chance agreements between them as one."""
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
    """The text from one token to the next stretch's first, so that no punctuation is lost."""
    if first == last:
        return ""
    end = matches[last].start() if last < len(matches) else len(text)
    return text[matches[first].start() : end].strip()


def render(found: Look, *, full: bool = False) -> RenderableType:
    """For a terminal: the gold left with what was lost in red, the output right with what is too much in yellow."""
    if found.gold.kind == "text":
        heading = ", ".join(f"{name} {getattr(found.judgement, name):.3f}" for name in ("precision", "recall", "f"))
        return Group(Text(f"{found.gold.id}: {heading}", "bold"), _side_by_side(found.pieces(), full))
    table = Table("segment", "", show_lines=True, title=found.gold.id, title_justify="left")
    for wanted, segments in ((True, found.gold.wanted), (False, found.gold.unwanted)):
        for segment in segments:
            there = segment in found.text
            word = ("kept" if there else "lost") if wanted else ("too much" if there else "left out")
            table.add_row(_plain(segment), Text(word, "" if there == wanted else "red"))
    return Group(
        table, Text(f"page type: {found.gold.page_type}") if found.gold.page_type else Text(), _plain(found.text)
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
    """A page's text can't move the cursor, colour the terminal or be read as markup."""
    return Text(CONTROL.sub("", text), style)
