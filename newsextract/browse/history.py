"""What the pages of an article show: the evidence report, and its history as differences of paragraphs and words."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from difflib import SequenceMatcher

from newsextract.errors import NewsextractError
from newsextract.store import Store
from newsextract.store.lookup import Version, find_versions
from newsextract.text import HAN, character_class

#: What is compared in a paragraph: Han characters, words, and each other character.
TOKEN = re.compile(rf"[{character_class(HAN)}]|\w+|\s+|.", re.DOTALL)
WORD = re.compile(rf"[{character_class(HAN)}]|[^\W_]+")
#: Two paragraphs are one that was changed if they have so much in common (`SequenceMatcher.ratio`).
SAME_PARAGRAPH = 0.4
#: Tokens of a paragraph above which it is not compared word by word, which takes quadratic time.
MAX_TOKENS = 1_500

#: A piece of text, and whether it was "kept", "added" or "removed".
Piece = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Step:
    """A version against the one before: its paragraphs as pieces; `unchanged` paragraphs between them are counted."""

    version: int
    fetched_at: datetime | None
    headline: str
    taken_back: str | None
    added: int
    removed: int
    paragraphs: Sequence[Sequence[Piece] | int]


def report(database: str, url: str) -> str:
    """The HTML of the evidence report on the kept page of an article; NewsextractError if none was kept."""
    from newsextract.cluster.kept_pages import read_stored_pages
    from newsextract.report import render_report

    page, peer = read_stored_pages(database, url)
    return render_report(page, url, peer=peer, peer_name=peer.url if peer else None)


def history(database: str, url: str) -> list[Step]:
    """The history of the article at a URL; NewsextractError if there is none."""
    with Store.open(database, must_exist=True, read_only=True) as store:
        if found := store.read(find_versions, url):
            return steps(found)
    raise NewsextractError(f"There is no article at {url}")


def steps(versions: Sequence[Version]) -> list[Step]:
    """The versions, newest first, each with its differences from the one before; the oldest as it was."""
    described, before = [], list[str]()
    for version in versions:
        article = version.article
        lines = [article.headline or "", *article.article_body.splitlines()]
        paragraphs = list(_fold(compare(before, lines))) if before else [[("kept", line)] for line in lines[1:]]
        pieces = [piece for paragraph in paragraphs if not isinstance(paragraph, int) for piece in paragraph]
        added, removed = (_count_words(pieces, kind) for kind in ("added", "removed"))
        because = None if article.is_article else article.not_article_because or "no article"
        described.append(Step(version.version, version.fetched_at, lines[0], because, added, removed, paragraphs))
        before = lines
    return described[::-1]


def _count_words(pieces: Sequence[Piece], kind: str) -> int:
    return sum(len(WORD.findall(text)) for piece_kind, text in pieces if piece_kind == kind)


def compare(before: Sequence[str], after: Sequence[str]) -> Iterator[list[Piece]]:
    """The paragraphs of both texts in order, each as pieces."""
    for kind, start, end, other_start, other_end in SequenceMatcher(None, before, after, False).get_opcodes():
        if kind == "equal":
            yield from ([("kept", line)] for line in before[start:end])
            continue
        removed, added = list(before[start:end]), list(after[other_start:other_end])
        while removed and added:
            if _similarity(removed[0], added[0]) >= SAME_PARAGRAPH:
                yield list(_compare_words(removed.pop(0), added.pop(0)))
            elif len(removed) >= len(added):
                yield [("removed", removed.pop(0))]
            else:
                yield [("added", added.pop(0))]
        yield from ([("removed", line)] for line in removed)
        yield from ([("added", line)] for line in added)


def _similarity(before: str, after: str) -> float:
    matcher = SequenceMatcher(None, TOKEN.findall(before)[:MAX_TOKENS], TOKEN.findall(after)[:MAX_TOKENS], False)
    return matcher.ratio() if matcher.quick_ratio() >= SAME_PARAGRAPH else 0.0


def _compare_words(before: str, after: str) -> Iterator[Piece]:
    old, new = TOKEN.findall(before), TOKEN.findall(after)
    if max(len(old), len(new)) > MAX_TOKENS:
        yield from (("removed", before), ("added", after))
        return
    for kind, start, end, other_start, other_end in SequenceMatcher(None, old, new, False).get_opcodes():
        if kind == "equal":
            yield "kept", "".join(old[start:end])
            continue
        yield from (
            (name, "".join(tokens))
            for name, tokens in (("removed", old[start:end]), ("added", new[other_start:other_end]))
            if tokens
        )


def _fold(paragraphs: Iterator[list[Piece]]) -> Iterator[list[Piece] | int]:
    """Runs of unchanged paragraphs as their number."""
    unchanged = 0
    for pieces in paragraphs:
        if all(kind == "kept" for kind, _ in pieces):
            unchanged += 1
            continue
        if unchanged:
            yield unchanged
        unchanged = 0
        yield pieces
    if unchanged:
        yield unchanged
