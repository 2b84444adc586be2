"""Which stories in other languages may tell the same event: suggestions, by names and numbers."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, NamedTuple

from sqlalchemy import Connection, select

from newsextract.items import Article
from newsextract.store import Store
from newsextract.store.schema import articles, stories
from newsextract.stories.compare import MAX_TERMS
from newsextract.stories.read import StoredStory
from newsextract.stories.terms import main_language, stem, term_of, terms_of
from newsextract.stories.update import ArticleChange, articles_by_id

#: Stories in other languages that are compared, those of most sites; days between them; least similarity; suggestions.
MAX_CANDIDATES = 300
RELATED_DAYS = 3.0
MIN_RELATED = 0.2
MAX_RELATED = 5
#: Characters of a text whose names and numbers are compared across languages.
FACT_CHARACTERS = 2_000
#: Numbers of at least two digits, and words in Latin script with a capital.
FACT = re.compile(r"\d[\d.,\u2009\u202f\u00a0]*\d|[A-Z\u00c0-\u00de][^\W\d_]{2,}")


@dataclass(frozen=True, slots=True)
class Related:
    """A story in another language that may tell the same event. `facts`: names and numbers that both have."""

    story: int
    language: str | None
    url: str
    headline: str | None
    similarity: float
    facts: list[str]


class SharedFacts(NamedTuple):
    """The cosine between the facts of two articles, and the facts that both have, rare ones first."""

    similarity: float
    facts: list[str]

    @property
    def is_related(self) -> bool:
        """Whether they may tell the same event."""
        return self.similarity >= MIN_RELATED and len(self.facts) > 1


class Facts:
    """The names and numbers of some articles, in order; those that few of them have count more."""

    def __init__(self, given: Sequence[Article]) -> None:
        self._facts = [facts_of(article) for article in given]
        known = Counter(fact for facts in self._facts for fact in facts)
        self._weights = {fact: math.log1p(len(given) / number) for fact, number in known.items()}

    def shared(self, one: int, other: int) -> SharedFacts:
        """What two of the articles share."""
        facts, others = self._facts[one], self._facts[other]
        common = sorted(facts.keys() & others.keys(), key=lambda fact: (-self._weights[fact], fact))
        return SharedFacts(_cosine(facts, others, self._weights), common)


def related_stories(store: Store, story: StoredStory) -> list[Related]:
    """Stories in other languages with the same names and numbers at about the same time: suggestions, no more.

    Names are compared as they are written, so between scripts only numbers and Latin words count.
    """
    rows = store.read(_candidates, story)
    found_articles = {each.id: each.article for each in store.read(_articles, [row.first_report for row in rows])}
    rows = [row for row in rows if row.first_report in found_articles]
    if not rows or rows[0].id != story.id:
        return []
    facts = Facts([found_articles[row.first_report] for row in rows])
    found = []
    for at, row in enumerate(rows[1:], 1):
        shared = facts.shared(0, at)
        if shared.is_related:
            value, names = round(shared.similarity, 3), shared.facts[:MAX_TERMS]
            found.append(Related(row.id, row.language, row.url, row.headline, value, names))
    return sorted(found, key=lambda each: (-each.similarity, each.story))[:MAX_RELATED]


def _articles(connection: Connection, ids: Sequence[int]) -> list[ArticleChange]:
    return [*articles_by_id(connection, ids)]


def _candidates(connection: Connection, story: StoredStory) -> list[Any]:
    """The story, and those in other languages at about the same time."""
    days = timedelta(days=RELATED_DAYS)
    columns = (stories.c.id, stories.c.first_report, articles.c.language, articles.c.url, articles.c.headline)
    query = select(*columns).join(articles, articles.c.id == stories.c.first_report)
    near = (stories.c.first_at >= story.first_at - days) & (stories.c.first_at <= story.last_at + days)
    query = query.where(stories.c.merged_into.is_(None), stories.c.articles > 0, near | (stories.c.id == story.id))
    language = main_language(story.language)
    rows = connection.execute(query.order_by(stories.c.sites.desc(), stories.c.id)).all()
    others = [row for row in rows if main_language(row.language) not in ("", language)]
    return [*(row for row in rows if row.id == story.id), *others[:MAX_CANDIDATES]]


def facts_of(article: Article) -> Counter[str]:
    """How often each number and name is in the beginning of an article, the headline twice."""
    text = f"{article.headline or ''}. {article.headline or ''}. {article.article_body[:FACT_CHARACTERS]}"
    language = main_language(article.language)
    terms, frequencies = terms_of(text, language)
    names = {*terms[frequencies < 0].tolist()}
    facts = Counter[str]()
    for found, number in Counter(FACT.findall(text)).items():
        if (plain := _plain(found)) and (plain.isdigit() or term_of(found, language) in names):
            facts[plain] += number
    return facts


def _plain(fact: str) -> str:
    """A number by its digits, a name in lower case, without endings."""
    return "".join(filter(str.isdecimal, fact)) if fact[0].isdigit() else stem(fact.lower())


def _cosine(one: Counter[str], other: Counter[str], weights: Mapping[str, float]) -> float:
    def length(facts: Counter[str]) -> float:
        return math.sqrt(sum((math.log1p(number) * weights[fact]) ** 2 for fact, number in facts.items()))

    common: Iterable[str] = one.keys() & other.keys()
    product = sum(math.log1p(one[fact]) * math.log1p(other[fact]) * weights[fact] ** 2 for fact in common)
    return product / ((length(one) * length(other)) or 1.0)
