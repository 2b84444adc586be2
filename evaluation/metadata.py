"""Scores of the metadata (headline, date, authors, dek, main image, language) and of the page type, on corpora.

- headline, subtitle: right if gold and value have the same letters and digits, or one begins with the other and the
  shorter has at least .8 of the length of the longer.
- date_published: right if it is the same calendar day. In corpora whose dates are those of feeds, in UTC, a day off is
  right as well; where a parser cut moments in UTC to their day, the day of the value in UTC is.
- authors: mean over pages of the F1 of the two sets of names (letters only).
- main_image: right if the file has the same name; sites give one image by many URLs.
- language: right if the primary subtag is that of the row, or of the corpus.
- kept: share of the articles that are classified as such; taken: per page type, the share of other pages classified as
articles.

Each is computed over the pages whose gold has the field, including those of `metadata.jsonl`. Gold that contradicts its
page is listed with reasons in wrong_gold.toml; figures are without it, those named `_all` with it.
"""

import re
import statistics
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from functools import cache, partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from evaluation.corpora import FROM_FEEDS, Corpus, Gold, map_in_processes
from evaluation.scores import letters
from newsextract.article.extract import extract
from newsextract.files import package_data
from newsextract.items import Article, Image
from newsextract.language.names import CREDENTIAL, JOB, ORGANISATION
from newsextract.page import Page

#: JSON-LD and `meta` elements, but those of the charset.
DECLARATIONS = re.compile(r"<script\b[^>]*ld\+json[^>]*>.*?</script>|<meta\b(?![^>]*charset)[^>]*>", re.I | re.S)
#: Corpora whose dates are moments in UTC cut to their day: 2016-10-03 where the page says 2016-10-02T19:30:57-07:00.
CUT_IN_UTC = frozenset({"publishers"})
#: Corpora in one language whose rows don't name it.
LANGUAGES = {"wcxb-dev": "en", "zhnews": "zh", "chinese69": "zh"}


@cache
def wrong_gold() -> dict[tuple[str, str], frozenset[str]]:
    """(set, field) -> ids whose gold contradicts their page."""
    ids: dict[tuple[str, str], frozenset[str]] = {}
    for row in package_data("evaluation", "wrong_gold.toml")["wrong"]:
        key = row["set"], row["field"]
        ids[key] = ids.get(key, frozenset()) | frozenset(row["ids"].split())
    return ids


def metadata_scores(
    corpus: Corpus, workers: int = 2, sample: int | None = None, *, declared: bool = True
) -> dict[str, Any]:
    """Scores of one corpus; under `wrong`, by field, the pages with wrong values: [id, gold, value, source, points].

    Without `declared`, the pages have lost their `meta` elements and JSON-LD, which shows what is guessed. `guessed_*`:
    the share of pages with a value that is all wrong, where none would be better.
    """
    gold = corpus.sample(sample, with_metadata=True)
    articles = [*map_in_processes(partial(_extract, corpus.folder, declared), gold, workers)]
    return {**score_articles(corpus.name, gold, articles), "declared": declared}


def _extract(folder: Path, declared: bool, gold: Gold) -> Article:
    html = Corpus(folder).html(gold.id)
    return extract(html if declared else DECLARATIONS.sub("", Page(html).source), gold.url)


def score_articles(name: str, gold: Sequence[Gold], articles: Sequence[Article]) -> dict[str, Any]:
    """Scores of the articles of the corpus with this name, like `metadata_scores`."""
    wrong: dict[str, list[list[Any]]] = {}
    scores: dict[str, Any] = {"set": name, "pages": len(gold)}
    rows = list(zip(gold, articles, strict=True))
    fields: tuple[tuple[str, Callable[[Gold], Any], Callable[[Any, Any], float]], ...] = (
        ("headline", lambda row: row.title, same_title),
        ("date_published", lambda row: row.date, partial(is_day_right, name)),
        ("authors", lambda row: row.author, same_names),
        ("subtitle", lambda row: row.subtitle, same_title),
        ("main_image", lambda row: row.lead_image, same_image),
        ("language", lambda row: row.language or LANGUAGES.get(name), same_language),
    )
    for field, gold_of, score in fields:
        unsound, sound, all_points = wrong_gold().get((name, field), frozenset()), [], []
        for row, article in rows:
            wanted, value = gold_of(row), getattr(article, field)
            if not wanted or wanted == "UNKNOWN":
                continue
            all_points.append(points := score(wanted, value))
            if row.id in unsound:
                continue
            sound.append(points)
            if points < 1:
                value = value.url if isinstance(value, Image) else value
                shown = value.isoformat() if isinstance(value, datetime) else value
                wrong.setdefault(field, []).append([row.id, wanted, shown, article.sources.get(field), points])
        if sound:
            scores |= {field: round(statistics.mean(sound), 4), f"{field}_pages": len(sound)}
            guessed = sum(value is not None and not points for *_, value, _, points in wrong.get(field, ()))
            if field in ("date_published", "authors"):
                scores[f"guessed_{field}"] = round(guessed / len(sound), 4)
        if len(sound) < len(all_points):
            scores[f"{field}_all"] = round(statistics.mean(all_points), 4)
    _score_page_type(name, rows, scores, wrong)
    return {**scores, "wrong": wrong}


def _score_page_type(
    name: str, pages: Sequence[tuple[Gold, Article]], scores: dict[str, Any], wrong: dict[str, list[list[Any]]]
) -> None:
    """Articles that are kept; lists, static pages and others classified as articles, by page type."""
    unsound = wrong_gold().get((name, "page_type"), frozenset())
    taken = {row.id: article.is_article for row, article in pages}
    for figure, rows in (
        ("kept", [row for row, _ in pages if row.is_article]),
        ("taken", [row for row, _ in pages if not row.is_article]),
    ):
        sound = [row for row in rows if row.id not in unsound]
        if sound:
            scores[figure] = _share(taken, sound)
            scores[f"{figure}_pages"] = len(sound)
        if len(sound) < len(rows):
            scores[f"{figure}_all"] = _share(taken, rows)
        for page_type in sorted({row.page_type for row in sound if row.page_type and figure == "taken"}):
            scores[f"taken_{page_type}"] = _share(taken, [row for row in sound if row.page_type == page_type])
    reasons = [article.not_article_because for _, article in pages]
    scores["reasons"] = dict(Counter(reason for reason in reasons if reason))
    wrong["page_type"] = [
        [row.id, row.url, row.page_type, article.not_article_because, article.confidence]
        for row, article in pages
        if article.is_article != row.is_article
    ]


def _share(taken: dict[str, bool], rows: Sequence[Gold]) -> float:
    return round(sum(taken[row.id] for row in rows) / len(rows), 4)


def same_language(wanted: str, value: str | None) -> float:
    """1.0 if two language tags have the same primary subtag: "zh" of "zh-Hans"."""
    subtags = [re.split("[-_]", tag.lower())[0] for tag in (wanted, value or "")]
    return float(subtags[0] == subtags[1])


def same_image(wanted: str, value: Image | None) -> float:
    """1.0 if the last steps of the two URLs' paths are equal."""
    steps = [unquote(urlsplit(url).path).rpartition("/")[2].lower() for url in (wanted, value.url if value else "")]
    return float(steps[0] == steps[1])


def same_title(wanted: str, value: str | None) -> float:
    """1.0 if the letters and digits are equal, or one begins with the other and has at least .8 of its length."""
    a, b = sorted((letters(wanted), letters(value or "")), key=len)
    return float(bool(a) and b.startswith(a) and len(a) >= 0.8 * len(b))


def same_day(wanted: str, value: datetime | None, days_off: int = 0) -> float:
    """1.0 if the value is of the gold's day, or at most this many days off; a gold without a day means its month."""
    match = re.match(r"(\d{4})-(\d{1,2})(?:-(\d{1,2}))?", wanted)
    if value is None or match is None:
        return 0.0
    year, month, day = (int(part) if part else None for part in match.groups())
    if year is None or month is None or day is None:
        return float((value.year, value.month) == (year, month))
    if month > 12:  # for example "2022-29-11" in traf
        month, day = day, month
    return float(abs(value.date() - date(year, month, day)) <= timedelta(days=days_off))


def is_day_right(name: str, wanted: str, value: datetime | None) -> float:
    """1.0 if the value is of the gold's day, as the golds of this corpus name it."""
    if name in CUT_IN_UTC and value is not None and same_day(wanted, value.astimezone(UTC)):
        return 1.0
    return same_day(wanted, value, days_off=1 if name in FROM_FEEDS else 0)


def same_names(wanted: str | Sequence[str], value: Sequence[str] | None) -> float:
    """F1 of the two sets of names, by their letters and digits; 1.0 if both are empty."""
    golden = {letters(name) for name in _gold_names(wanted)}
    extracted = {letters(re.sub(r"^(?:Dr|Prof)\.?\s", "", name)) for name in value or ()}
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
