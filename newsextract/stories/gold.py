"""Reads articles with the event that a person has given them, from JSON lines."""

import gzip
import json
import random
import zlib
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from newsextract.errors import WrongCall
from newsextract.items import Article
from newsextract.stories.measures import Agreement, agreement
from newsextract.stories.related import Facts
from newsextract.stories.terms import main_language
from newsextract.stories.tracker import THRESHOLD, StoryTracker

#: Thresholds that an evaluation tries.
THRESHOLDS = tuple(round(THRESHOLD + step / 100, 3) for step in range(-4, 11, 2))
#: The field of the label, and the names that fields of an article may have beside their own.
STORY = "story"
OTHER_NAMES = {
    "url": "id",
    "headline": "title",
    "article_body": "text",
    "date_published": "date",
    "language": "lang",
    "site": "site",
}


class LabelledArticle(NamedTuple):
    article: Article
    label: Hashable


def read_gold(path: Path) -> list[LabelledArticle]:
    """The articles of a file (.gz: compressed) with labels, in order of time; WrongCall if a line has no label."""
    gold = []
    try:
        opened = gzip.open if path.suffix == ".gz" else open
        with opened(path, "rt", encoding="utf-8-sig") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    gold.append(_labelled(json.loads(line), f"{path}, line {number}"))
    except (OSError, EOFError, RecursionError, ValueError, zlib.error) as error:
        raise WrongCall(f"{path} can't be read as JSON lines: {error}") from error
    if not gold:
        raise WrongCall(f"{path} has no articles")
    undated = datetime.max.replace(tzinfo=UTC)
    return sorted(gold, key=lambda each: each.article.date_published or undated)


def _labelled(values: Any, place: str) -> LabelledArticle:
    label = values.get(STORY) if isinstance(values, dict) else None
    if not isinstance(label, str | int) or label == "":
        raise WrongCall(f"{place}: each line is an article with its event, a text or a number, in the field {STORY!r}")
    read = {name: _text(values, name, other) for name, other in OTHER_NAMES.items()}
    if not read["url"]:
        raise WrongCall(f"{place}: the article has no url")
    try:
        published = datetime.fromisoformat(read["date_published"]) if read["date_published"] else None
    except ValueError:
        raise WrongCall(f"{place}: {read['date_published']!r} isn't an ISO date") from None
    if published is not None and published.tzinfo is None:
        published = published.replace(tzinfo=UTC)
    return LabelledArticle(
        Article(
            url=read["url"],
            site=read["site"],
            headline=read["headline"],
            article_body=read["article_body"],
            language=read["language"] or None,
            date_published=published,
        ),
        str(label),
    )


def _text(values: Mapping[str, Any], *names: str) -> str:
    return next((str(values[name]) for name in names if values.get(name)), "")


def evaluate(gold: Sequence[LabelledArticle], thresholds: Sequence[float] = THRESHOLDS) -> dict[float, Agreement]:
    """How well stories agree with the labels, by threshold."""
    scores = {}
    for threshold in thresholds:
        tracker = StoryTracker(threshold)
        tracker.add_all([each.article for each in gold])
        story = {report.id: each.id for each in tracker.stories for report in each.reports}
        scores[threshold] = agreement([each.label for each in gold], [story[each.article.url] for each in gold])
    return scores


class PairScore(NamedTuple):
    """How well pairs of articles in two languages that may tell the same event are told from others."""

    pairs: int
    precision: float
    recall: float


def evaluate_related(gold: Sequence[LabelledArticle]) -> PairScore | None:
    """Measures suggestions across languages on all pairs of two languages with one label, and on as many with two.

    None if there are no such pairs.
    """
    facts = Facts([each.article for each in gold])
    by_language: defaultdict[str, list[int]] = defaultdict(list)
    for number, each in enumerate(gold):
        by_language[main_language(each.article.language)].append(number)
    right = wrong = same = 0
    for one, other in combinations(by_language.values(), 2):
        for number in one:
            label = gold[number].label
            alike = [each for each in other if gold[each].label == label]
            unlike = [each for each in other if gold[each].label != label]
            chosen = random.Random(number).sample(unlike, min(len(alike), len(unlike)))
            same += len(alike)
            right += sum(facts.shared(number, each).is_related for each in alike)
            wrong += sum(facts.shared(number, each).is_related for each in chosen)
    return PairScore(2 * same, right / (right + wrong) if right + wrong else 1.0, right / same) if same else None
