"""One page of a corpus: its gold and the extracted text as one text, with what was lost and what is too much."""

import re

from rapidfuzz.distance import LCSseq
from rich.text import Text

from evaluation.corpora import find_corpus
from evaluation.extractors import find_extractor
from evaluation.scores import TOKEN, judge
from newsextract.errors import WrongCall
from newsextract.page import Page

#: A token with the punctuation and space behind it.
PIECE = re.compile(rf"({TOKEN.pattern})[\W_]*")
#: Characters of a kept stretch that are shown, unless `full`.
SHOWN = 160
LOST, ADDED = "bold red", "bold yellow"
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def compare_with_gold(page: str, extractor: str, *, peer: str | None = None, full: bool = False) -> Text:
    """The page SET/ID (SET: a folder or a name below NEWSEXTRACT_CORPORA); `peer`: the id of a page of the same set."""
    name, slash, identity = page.rpartition("/")
    if not slash:
        raise WrongCall(f"{page!r}: a page is named SET/ID")
    corpus, evaluated = find_corpus(name), find_extractor(extractor)
    gold = corpus.row(identity)
    other = Page(corpus.html(peer), corpus.row(peer).url) if peer else None
    output = evaluated.extract(corpus.html(identity), gold.url, other).text
    if gold.scored_by == "text":
        scores = judge(gold, output)
        heading = f"precision {scores.precision:.3f}, recall {scores.recall:.3f}, f {scores.f:.3f}; "
        return Text.assemble(
            heading, ("lost", LOST), ", ", ("too much", ADDED), "\n", diff(gold.text or "", output, full)
        )
    shown = Text(f"page type: {gold.page_type}\n" if gold.page_type else "")
    for segments, there, missing in ((gold.wanted, "kept", "lost"), (gold.unwanted, "too much", "left out")):
        for segment in segments:
            verdict = there if segment in output else missing
            shown.append(f"{verdict}: ", LOST if verdict in ("lost", "too much") else "").append(_plain(segment) + "\n")
    return shown.append("\n" + _plain(output))


def diff(gold: str, output: str, full: bool = False) -> Text:
    """Both texts aligned token by token: text that was moved is lost in one place and too much in another."""
    pieces = [list(PIECE.finditer(f"{text}\n")) for text in (gold, output)]
    left, right = ([piece[1].lower() for piece in side] for side in pieces)
    shown = Text()
    for op in LCSseq.opcodes(left, right):
        lost, added = (
            _plain("".join(piece[0] for piece in side[start:end]))
            for side, start, end in zip(pieces, (op.src_start, op.dest_start), (op.src_end, op.dest_end), strict=True)
        )
        if op.tag == "equal":
            long = len(added) > SHOWN and not full
            shown.append(f"{added[: SHOWN // 2]} … {added[-SHOWN // 2 :]}" if long else added)
        else:
            shown.append(lost, LOST).append(added, ADDED)
    return shown


def _plain(text: str) -> str:
    """Text without control characters: a page cannot move the cursor."""
    return CONTROL.sub("", text)
