"""Scores of headline, date, authors, language and article-or-not on corpus folders.

headline: right if gold and value have the same letters and digits, or one begins with the other and the shorter has at
least .8 of the longer's. date: right if it is the same calendar day. authors: mean over pages of the F1 of the two sets
of names (letters only). language: right if it is the set's. Each over the pages whose gold has the field. kept: the
share of pages taken for articles. Gold that is not what its page says is listed with reasons in wrong_gold.toml; the
figures are without it, those named `_all` with it.
"""

import json
import re
import statistics
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import datetime
from functools import cache
from gzip import decompress
from importlib.resources import files
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from newsextract.article import body_rows
from newsextract.extractors import make_extractor
from newsextract.metadata import describe, judge
from newsextract.metadata.names import CREDENTIAL, JOB, ORGANISATION
from newsextract.page import Page
from newsextract.settings import NEWSEXTRACT_EXTRACTOR

LANGUAGES = {"wcxb-dev": "en", "zhnews": "zh", "chinese69": "zh"}


@cache
def wrong_gold() -> dict[tuple[str, str], frozenset[str]]:
    """(set, field) -> ids whose gold is not what their page says."""
    rows = tomllib.loads(files("evaluation").joinpath("wrong_gold.toml").read_text(encoding="utf-8"))["wrong"]
    found: dict[tuple[str, str], frozenset[str]] = {}
    for row in rows:
        key = row["set"], row["field"]
        found[key] = found.get(key, frozenset()) | frozenset(row["ids"].split())
    return found


def metadata_scores(folder: str | Path, workers: int = 2) -> dict[str, Any]:
    """The scores of one corpus folder; under `wrong` each field's wrong pages as [id, gold, value, source, points]."""
    folder = Path(folder)
    gold = [json.loads(line) for line in (folder / "gold.jsonl").read_text(encoding="utf-8").split("\n") if line]
    tasks = [(str(folder / "pages" / f"{row['id']}.html.gz"), row.get("url")) for row in gold]
    if workers > 1:
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
            results = list(pool.map(measure, tasks, chunksize=8))
    else:
        results = list(map(measure, tasks))
    return _score(folder.name, gold, results)


def measure(task: tuple[str, str | None]) -> dict[str, Any]:
    """One page's values, its kind, and what they cost in milliseconds of processor time, views of the page included.

    `parse_ms`: the page's own parse, for comparison on a machine that is busy.
    """
    path, url = task
    page = Page(decompress(Path(path).read_bytes()), url)
    begin = time.process_time()
    page.tree  # noqa: B018  what the rest is compared with
    parsed = time.process_time()
    extraction = make_extractor(NEWSEXTRACT_EXTRACTOR)(page)
    chosen = extraction.chosen_blocks
    page.blocks  # noqa: B018  computed by the extractor, not by us
    start = time.process_time()
    described = describe(page, chosen)
    between = time.process_time()
    rows = body_rows(extraction, described.values.get("headline"), described.values.get("authors", ()))
    body = "\n".join(extraction.texts[row] for row in rows)
    before = time.process_time()
    kind = judge(page, body, described, extraction.confidence)
    end = time.process_time()
    return {
        "values": described.values,
        "sources": described.sources,
        "reason": kind.reason,
        "confidence": kind.confidence,
        "parse_ms": 1000 * (parsed - begin),
        "ms": 1000 * (between - start),
        "kind_ms": 1000 * (end - before),
    }


def _score(name: str, gold: Sequence[dict[str, Any]], results: Sequence[dict[str, Any]]) -> dict[str, Any]:
    scores: dict[str, Any] = {"set": name, "pages": len(gold)}
    wrong: dict[str, list[list[Any]]] = {}
    for field, key, judged in (
        ("headline", "title", same_title),
        ("date_published", "date", _day),
        ("authors", "author", _names),
    ):
        points: list[float] = []
        doubtful: list[float] = []
        for row, result in zip(gold, results, strict=True):
            wanted = row.get(key)
            if not wanted or wanted == "UNKNOWN":
                continue
            value = result["values"].get(field)
            if row["id"] in wrong_gold().get((name, field), ()):
                doubtful.append(judged(wanted, value))
                continue
            points.append(judged(wanted, value))
            if points[-1] < 1:
                wrong.setdefault(field, []).append(
                    [row["id"], wanted, _shown(value), result["sources"].get(field), points[-1]]
                )
        if points:
            scores[field] = round(statistics.mean(points), 4)
            scores[f"{field}_pages"] = len(points)
        if doubtful:
            scores[f"{field}_all"] = round(statistics.mean(points + doubtful), 4)
    _score_rest(name, gold, results, scores, wrong)
    scores["wrong"] = wrong
    return scores


def _score_rest(
    name: str,
    gold: Sequence[dict[str, Any]],
    results: Sequence[dict[str, Any]],
    scores: dict[str, Any],
    wrong: dict[str, list[list[Any]]],
) -> None:
    if language := LANGUAGES.get(name):
        tags = [str(result["values"].get("language") or "") for result in results]
        scores["language"] = round(sum(tag.split("-")[0] == language for tag in tags) / len(tags), 4)
        wrong["language"] = [
            [row["id"], language, tag] for row, tag in zip(gold, tags, strict=True) if tag[:2] != language
        ]
    kept = {row["id"]: result["reason"] is None for row, result in zip(gold, results, strict=True)}
    sound = [taken for page, taken in kept.items() if page not in wrong_gold().get((name, "kind"), ())]
    scores["kept"] = round(sum(sound) / len(sound), 4)
    if len(sound) < len(kept):
        scores["kept_all"] = round(sum(kept.values()) / len(kept), 4)
    scores["reasons"] = dict(Counter(result["reason"] for result in results if result["reason"]))
    others = any(row.get("page_type") for row in gold)
    wrong["kind"] = [
        [row["id"], row.get("url"), row.get("page_type"), result["reason"], round(result["confidence"], 3)]
        for row, result in zip(gold, results, strict=True)
        if (result["reason"] is None) == others
    ]
    for field in ("parse_ms", "ms", "kind_ms"):
        scores[field] = round(statistics.median(result[field] for result in results), 3)


def same_title(wanted: str, value: str | None) -> float:
    """1.0 if the letters and digits are the same, or one begins with the other and has at least .8 of its length."""
    a, b = sorted((_letters(wanted), _letters(value or "")), key=len)
    return float(bool(a) and b.startswith(a) and len(a) >= 0.8 * len(b))


def _day(wanted: str, value: datetime | None) -> float:
    match = re.match(r"(\d{4})-(\d{1,2})(?:-(\d{1,2}))?", wanted)
    if value is None or match is None:
        return 0.0
    year, month, day = (int(part) if part else None for part in match.groups())
    return float(value.year == year and value.month == month and day in (None, value.day))


def _names(wanted: str | list[str], value: list[str] | None) -> float:
    golden = {_letters(name) for name in _gold_names(wanted)}
    found = {_letters(re.sub(r"^(?:Dr|Prof)\.?\s", "", name)) for name in value or ()}
    return 2 * len(golden & found) / (len(golden) + len(found)) if golden | found else 1.0


def _gold_names(wanted: str | list[str]) -> list[str]:
    """The gold's names: split, without credentials, jobs, remarks in brackets, and agencies beside persons."""
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


def _shown(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


def main(folders: Sequence[str]) -> None:
    """Prints one JSON line a folder, and the wrong pages of each field below it."""
    for folder in folders:
        scores = metadata_scores(folder)
        wrong = scores.pop("wrong")
        print(json.dumps(scores, ensure_ascii=False))
        for field, rows in wrong.items():
            for row in rows:
                print(" ", field, json.dumps(row, ensure_ascii=False))


if __name__ == "__main__":
    main(sys.argv[1:])
