"""Scores of the metadata (headline, date, authors, language) and of the page type, on corpora.

- headline: right if gold and value have the same letters and digits, or one begins with the other and the shorter has
  at least .8 of the length of the longer.
- date_published: right if it is the same calendar day. In corpora whose dates are those of feeds, in UTC, a day off is
  right as well.
- authors: mean over pages of the F1 of the two sets of names (letters only).
- language: right if the primary subtag is that of the row, or of the corpus.
- kept: share of the articles that are taken for articles; taken: per page type the share of other pages that are taken
  for articles.

Each is over the pages whose gold has the field. Gold that contradicts its page is listed with reasons in
wrong_gold.toml; figures are without it, those named `_all` with it.
"""

import re
import statistics
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cache, partial
from importlib.resources import files
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from evaluation.corpora import Corpus, Gold
from newsextract.body import body_rows
from newsextract.extractors import make_extractor
from newsextract.metadata import classify_page, describe
from newsextract.metadata.names import CREDENTIAL, JOB, ORGANISATION
from newsextract.page import Page
from newsextract.settings import NEWSEXTRACT_EXTRACTOR

#: Corpora in one language whose rows do not name it.
LANGUAGES = {"wcxb-dev": "en", "zhnews": "zh", "chinese69": "zh"}
#: Corpora whose dates are those of feeds, in UTC: the page may show the day before or after.
FEED_DATED = frozenset({"wpsites", "blogsites", "newssites"})


@dataclass(frozen=True)
class PageMetadata:
    """What was extracted from a page: values and their sources by field; `reason`: why it isn't an article, or None.

    Milliseconds of CPU time: `parse_ms` of the parse, for comparison on a busy machine; `ms` of the metadata with the
    views of the page that it needs; `page_type_ms` of the classification.
    """

    values: dict[str, Any]
    sources: dict[str, str]
    reason: str | None
    confidence: float
    parse_ms: float
    ms: float
    page_type_ms: float


@cache
def wrong_gold() -> dict[tuple[str, str], frozenset[str]]:
    """(set, field) -> ids whose gold contradicts their page."""
    rows = tomllib.loads(files("evaluation").joinpath("wrong_gold.toml").read_text(encoding="utf-8"))["wrong"]
    ids: dict[tuple[str, str], frozenset[str]] = {}
    for row in rows:
        key = row["set"], row["field"]
        ids[key] = ids.get(key, frozenset()) | frozenset(row["ids"].split())
    return ids


def metadata_scores(corpus: Corpus, workers: int = 2, sample: int | None = None) -> dict[str, Any]:
    """Scores of one corpus; under `wrong` by field its pages with wrong values: [id, gold, value, source, points]."""
    gold = corpus.sample(sample)
    extract = partial(extract_metadata, corpus.folder)
    if workers > 1:
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
            pages = list(pool.map(extract, gold, chunksize=8))
    else:
        pages = list(map(extract, gold))
    scores: dict[str, Any] = {"set": corpus.name, "pages": len(gold)}
    wrong: dict[str, list[list[Any]]] = {}
    _score_fields(corpus.name, gold, pages, scores, wrong)
    _score_language(corpus.name, gold, pages, scores, wrong)
    _score_page_type(corpus.name, gold, pages, scores, wrong)
    for name in ("parse_ms", "ms", "page_type_ms"):
        scores[name] = round(statistics.median(getattr(page, name) for page in pages), 3)
    return {**scores, "wrong": wrong}


def extract_metadata(folder: Path, gold: Gold) -> PageMetadata:
    """The metadata and page type of one page, with their times."""
    page = Page(Corpus(folder).html(gold.id), gold.url)
    begin = time.process_time()
    page.tree  # noqa: B018  parses
    parsed = time.process_time()
    extraction = make_extractor(NEWSEXTRACT_EXTRACTOR)(page)
    chosen = extraction.chosen_blocks
    page.blocks  # noqa: B018  computed by the extractor already
    start = time.process_time()
    described = describe(page, chosen)
    described_at = time.process_time()
    rows = body_rows(extraction, described.values.get("headline"), described.values.get("authors", ()))
    body = "\n".join(extraction.texts[row] for row in rows)
    before = time.process_time()
    page_type = classify_page(page, body, described, extraction.confidence)
    end = time.process_time()
    return PageMetadata(
        values=dict(described.values),
        sources=dict(described.sources),
        reason=page_type.reason,
        confidence=page_type.confidence,
        parse_ms=1000 * (parsed - begin),
        ms=1000 * (described_at - start),
        page_type_ms=1000 * (end - before),
    )


def _score_fields(
    name: str,
    gold: Sequence[Gold],
    pages: Sequence[PageMetadata],
    scores: dict[str, Any],
    wrong: dict[str, list[list[Any]]],
) -> None:
    """Headline, date and authors of articles whose gold has them."""
    days_off = 1 if name in FEED_DATED else 0
    fields: tuple[tuple[str, Callable[[Gold], Any], Callable[[Any, Any], float]], ...] = (
        ("headline", lambda row: row.title, same_title),
        ("date_published", lambda row: row.date, partial(same_day, days_off=days_off)),
        ("authors", lambda row: row.author, same_names),
    )
    for field, gold_of, score in fields:
        points: list[float] = []
        points_of_wrong_gold: list[float] = []
        for row, page in zip(gold, pages, strict=True):
            wanted, value = gold_of(row), page.values.get(field)
            if not wanted or wanted == "UNKNOWN":
                continue
            if row.id in wrong_gold().get((name, field), ()):
                points_of_wrong_gold.append(score(wanted, value))
                continue
            points.append(score(wanted, value))
            if points[-1] < 1:
                shown = value.isoformat() if isinstance(value, datetime) else value
                wrong.setdefault(field, []).append([row.id, wanted, shown, page.sources.get(field), points[-1]])
        if points:
            scores[field] = round(statistics.mean(points), 4)
            scores[f"{field}_pages"] = len(points)
        if points_of_wrong_gold:
            scores[f"{field}_all"] = round(statistics.mean(points + points_of_wrong_gold), 4)


def _score_language(
    name: str,
    gold: Sequence[Gold],
    pages: Sequence[PageMetadata],
    scores: dict[str, Any],
    wrong: dict[str, list[list[Any]]],
) -> None:
    rows = [
        (row.id, wanted, str(page.values.get("language") or ""))
        for row, page in zip(gold, pages, strict=True)
        if (wanted := row.language or LANGUAGES.get(name))
    ]
    if rows:
        wrong["language"] = [[*row] for row in rows if primary_subtag(row[2]) != primary_subtag(row[1])]
        scores["language"] = round(1 - len(wrong["language"]) / len(rows), 4)
        scores["language_pages"] = len(rows)


def _score_page_type(
    name: str,
    gold: Sequence[Gold],
    pages: Sequence[PageMetadata],
    scores: dict[str, Any],
    wrong: dict[str, list[list[Any]]],
) -> None:
    """Articles that are kept; lists, static pages and others that are taken for articles, by page type."""
    unsound = wrong_gold().get((name, "page_type"), frozenset())
    taken = {row.id: page.reason is None for row, page in zip(gold, pages, strict=True)}
    for figure, rows in (
        ("kept", [row for row in gold if row.is_article]),
        ("taken", [row for row in gold if not row.is_article]),
    ):
        sound = [row for row in rows if row.id not in unsound]
        if sound:
            scores[figure] = _share(taken, sound)
            scores[f"{figure}_pages"] = len(sound)
        if len(sound) < len(rows):
            scores[f"{figure}_all"] = _share(taken, rows)
        for page_type in sorted({row.page_type for row in sound if row.page_type and figure == "taken"}):
            scores[f"taken_{page_type}"] = _share(taken, [row for row in sound if row.page_type == page_type])
    scores["reasons"] = dict(Counter(page.reason for page in pages if page.reason))
    wrong["page_type"] = [
        [row.id, row.url, row.page_type, page.reason, round(page.confidence, 3)]
        for row, page in zip(gold, pages, strict=True)
        if taken[row.id] != row.is_article
    ]


def _share(taken: dict[str, bool], rows: Sequence[Gold]) -> float:
    return round(sum(taken[row.id] for row in rows) / len(rows), 4)


def primary_subtag(tag: str) -> str:
    """The language of a language tag: "zh" of "zh-Hans"."""
    return tag.lower().replace("_", "-").split("-")[0]


def same_title(wanted: str, value: str | None) -> float:
    """1.0 if the letters and digits are equal, or one begins with the other and has at least .8 of its length."""
    a, b = sorted((_letters(wanted), _letters(value or "")), key=len)
    return float(bool(a) and b.startswith(a) and len(a) >= 0.8 * len(b))


def same_day(wanted: str, value: datetime | None, days_off: int = 0) -> float:
    """1.0 if the value is of the gold's day, or at most so many days off; a gold without a day is one of a month."""
    match = re.match(r"(\d{4})-(\d{1,2})(?:-(\d{1,2}))?", wanted)
    if value is None or match is None:
        return 0.0
    year, month, day = (int(part) if part else None for part in match.groups())
    if year is None or month is None or day is None:
        return float((value.year, value.month) == (year, month))
    if month > 12:  # "2022-29-11", as some of traf's
        month, day = day, month
    return float(abs(value.date() - date(year, month, day)) <= timedelta(days=days_off))


def same_names(wanted: str | Sequence[str], value: Sequence[str] | None) -> float:
    """F1 of the two sets of names, by their letters and digits; 1.0 if both are empty."""
    golden = {_letters(name) for name in _gold_names(wanted)}
    extracted = {_letters(re.sub(r"^(?:Dr|Prof)\.?\s", "", name)) for name in value or ()}
    return 2 * len(golden & extracted) / (len(golden) + len(extracted)) if golden | extracted else 1.0


def _gold_names(wanted: str | Sequence[str]) -> list[str]:
    """Names of the gold: split, without credentials, jobs, text in brackets, and organisations beside persons."""
    if isinstance(wanted, str):
        text = re.sub(r"\([^)]*\)", " ", wanted)
        parts = re.split(
            r"\s*[,;&|、，]\s*(?:and\s+)?|(?:^|\s+)(?:and|with)\s+|(?<=[\u3400-\u9fff])\s+(?=[\u3400-\u9fff])", text
        )
        wanted = [part for part in parts if part.strip() and not CREDENTIAL.fullmatch(part.strip())] or [wanted]
        wanted = [part for i, part in enumerate(wanted) if not i or not JOB.search(part)]
    persons = [name for name in wanted if not ORGANISATION.search(name)]
    return [
        re.sub(r"^(?:Dr|Prof)\.?\s|\s(?:CPP|MW|M\.?D\.?|Ph\.?D\.?)$", "", name.strip()) for name in persons or wanted
    ]


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.casefold())
