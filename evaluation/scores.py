"""Scores of extracted texts, each as defined in the literature that it is compared with.

Tokens are lower-cased runs of letters and digits; every Han, Kana and Hangul character is a token of its own. Per page:
precision and recall of the two bags of tokens, the same over 4-grams, the longest common subsequence, and for pages
with segments the number of segments in the text. Scores of a set:

    f       mean over pages of F1 of the bags; an empty output against a text scores 0
    fp      F of the mean precision and the mean recall: what the papers' tables hold
    f4      as fp over 4-gram shingles; precision over pages with output, recall over pages with gold
    lcs     mean over pages of 2 L / (|output| + |gold|), L the longest common subsequence of tokens
    correct, wrong, missed (at .95 and .90)   ECON's judgement, automated: missed if recall is below the mark, else
            wrong if precision is, else correct
    success share of pages with precision and recall at .95 or above: TSReC's judgement, automated
    empty   share of outputs without a token
    refused share of the pages that are no article that were classified as such

On pages with segments precision, recall and f count segments over all pages.
"""

import re
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import fsum

from rapidfuzz.distance import LCSseq

from evaluation.corpora import Gold

TOKEN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff\u3040-\u30ff\uac00-\ud7af]|[^\W_]+")
NO_LETTER = re.compile(r"[\W_]+")
#: ECON's judgement is made at these recalls and precisions.
MARKS = (0.95, 0.90)


@dataclass(frozen=True, slots=True)
class Judgement:
    """Scores of one text. None if a measure is not defined for the page."""

    empty: bool
    precision: float | None = None
    recall: float | None = None
    f: float | None = None
    precision4: float | None = None
    recall4: float | None = None
    lcs: float | None = None
    hit: int | None = None
    miss: int | None = None
    false: int | None = None
    refused: bool | None = None


def tokens(text: str | None) -> list[str]:
    return TOKEN.findall((text or "").lower())


def letters(text: str) -> str:
    """The letters and digits of a text, in lower case."""
    return NO_LETTER.sub("", text.casefold())


def shingles(words: Sequence[str], n: int = 4) -> list[tuple[str, ...]]:
    """All runs of n words; a shorter text is one shingle, an empty one has none."""
    return [tuple(words[i : i + n]) for i in range(max(1, len(words) - n + 1))] if words else []


def overlap(extracted: Sequence[Hashable], wanted: Sequence[Hashable]) -> tuple[float, float]:
    """Precision and recall of two bags; both 1 where both are empty."""
    if not extracted and not wanted:
        return 1.0, 1.0
    common = (Counter(extracted) & Counter(wanted)).total()
    return common / max(1, len(extracted)), common / max(1, len(wanted))


def harmonic(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def lcs_f(extracted: Sequence[str], wanted: Sequence[str]) -> float:
    """F1 of the longest common subsequence: unlike the bags, it depends on the order."""
    if not extracted and not wanted:
        return 1.0
    return 2 * LCSseq.similarity(extracted, wanted) / (len(extracted) + len(wanted))


def without_optional(text: str, optional: Sequence[str]) -> str:
    """The text without the lines that count neither way in the gold (captions, credits)."""
    ignored = {NO_LETTER.sub("", line) for line in optional}
    return "\n".join(line for line in text.split("\n") if NO_LETTER.sub("", line) not in ignored)


def judge(gold: Gold, text: str, is_article: bool | None = None) -> Judgement:
    """Scores of one text; `is_article` is used for pages that aren't articles."""
    if gold.scored_by == "segments":
        hit = sum(segment in text for segment in gold.wanted)
        false = sum(segment in text for segment in gold.unwanted)
        return Judgement(not tokens(text), hit=hit, miss=len(gold.wanted) - hit, false=false)
    if not gold.is_article:
        return Judgement(not tokens(text), refused=None if is_article is None else not is_article)
    extracted, wanted = tokens(without_optional(text, gold.optional)), tokens(gold.text)
    precision, recall = overlap(extracted, wanted)
    precision4, recall4 = overlap(shingles(extracted), shingles(wanted))
    return Judgement(
        empty=not extracted,
        precision=precision,
        recall=recall,
        f=harmonic(precision, recall),
        precision4=precision4 if extracted else None,
        recall4=recall4 if wanted else None,
        lcs=lcs_f(extracted, wanted),
    )


def summary(judgements: Sequence[Judgement]) -> dict[str, float]:
    """Scores of a set by name (see above), without measures that no page of the set has."""
    figures: dict[str, float] = {}
    texts = [page for page in judgements if page.f is not None]
    if texts:
        figures |= _text_figures(texts)
    segments = [page for page in judgements if page.hit is not None]
    if segments:
        figures |= _segment_figures(segments)
    if texts or segments:
        figures["empty"] = mean([page.empty for page in [*texts, *segments]])
    refused = [page.refused for page in judgements if page.refused is not None]
    if refused:
        figures["refused"] = mean(refused)
    return figures


def _text_figures(pages: Sequence[Judgement]) -> dict[str, float]:
    def column(name: str) -> float:
        return mean([value for page in pages if (value := getattr(page, name)) is not None])

    figures = {name: column(name) for name in ("precision", "recall", "f", "lcs")}
    figures["fp"] = harmonic(figures["precision"], figures["recall"])
    figures["f4"] = harmonic(column("precision4"), column("recall4"))
    for mark in MARKS:
        verdicts = Counter(econ_verdict(page.precision or 0.0, page.recall or 0.0, mark) for page in pages)
        for verdict in ("correct", "wrong", "missed"):
            figures[f"{verdict}{mark * 100:.0f}"] = verdicts[verdict] / len(pages)
    figures["success"] = mean([succeeds(page.precision or 0.0, page.recall or 0.0) for page in pages])
    return figures


def _segment_figures(pages: Sequence[Judgement]) -> dict[str, float]:
    hit, miss, false = (sum(getattr(page, name) for page in pages) for name in ("hit", "miss", "false"))
    precision, recall = hit / max(1, hit + false), hit / max(1, hit + miss)
    return {"precision": precision, "recall": recall, "f": harmonic(precision, recall)}


def econ_verdict(precision: float, recall: float, mark: float = 0.95) -> str:
    """ECON's verdict: "missed" if a part is lost, "wrong" if there is too much, else "correct"."""
    if recall < mark:
        return "missed"
    return "wrong" if precision < mark else "correct"


def succeeds(precision: float, recall: float, mark: float = 0.95) -> bool:
    """TSReC's verdict: whether precision and recall both reach the mark."""
    return precision >= mark and recall >= mark


def mean(values: Sequence[float]) -> float:
    return fsum(values) / len(values) if values else 0.0
