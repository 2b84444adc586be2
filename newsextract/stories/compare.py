"""What two articles have in common, and which article of a story is the most central."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from sqlalchemy import Connection

from newsextract.errors import NewsextractError
from newsextract.items import Article
from newsextract.store import Store
from newsextract.store.lookup import ids_of
from newsextract.stories.read import StoryArticle
from newsextract.stories.similarity import Weighed, similarities
from newsextract.stories.statistics import Statistics
from newsextract.stories.terms import HEADLINE, main_language, term_of, words_of
from newsextract.stories.tracker import THRESHOLD, Report, StoryTracker
from newsextract.stories.update import ArticleChange, articles_by_id, report_of

#: Terms that are named, and articles of a story that are compared for the central one.
MAX_TERMS = 10
#: Two articles are texts of one template if less than this share of their similarity is left.
TEMPLATE_SHARE = 0.7
MAX_MEMBERS = 60


@dataclass(frozen=True, slots=True)
class SharedTerm:
    """A word that two articles share, as the first one writes it.

    `share`: its part of the similarity, 0 to 1; `in_headline`: of both; `is_fact`: a number or a name.
    """

    word: str
    share: float
    in_headline: bool
    is_fact: bool


@dataclass(frozen=True, slots=True)
class Comparison:
    """Why two articles are in one story, or not. `days`: between them; `threshold`: what their stories need on
    average; `is_template`: they share common words, but hardly any rare ones, so their similarity was reduced."""

    similarity: float
    threshold: float
    days: float
    is_template: bool
    same_language: bool
    terms: list[SharedTerm]


def why_together(store: Store, urls: tuple[str, str], statistics: Statistics) -> Comparison:
    """Compares the articles at two URLs; NewsextractError if there is none at one of them."""
    one, other = (store.read(_article_at, url) for url in urls)
    tracker = StoryTracker()
    tracker.statistics = statistics
    reports = [report_of(one), report_of(other)]
    tracker.weigh([(reports[0], one.article), (reports[1], other.article)], count=False)
    weighed = Weighed(reports, statistics)
    value, in_full = 0.0, 0.0
    if reports[0].vector and reports[1].vector:
        value, in_full = (float(similarities(weighed, templates=each)[0, 1]) for each in (False, True))
    days = abs(reports[0].moment - reports[1].moment)
    languages = [main_language(each.article.language) for each in (one, other)]
    words = _words_by_number(one.article, languages[0])
    terms = _shared_terms(weighed, words)
    return Comparison(
        similarity=value,
        threshold=THRESHOLD,
        days=days,
        is_template=value < TEMPLATE_SHARE * in_full,
        same_language=languages[0] == languages[1],
        terms=terms,
    )


def _article_at(connection: Connection, url: str) -> ArticleChange:
    ids = connection.scalars(ids_of(url)).all()
    found = next(articles_by_id(connection, ids), None)
    if found is None:
        raise NewsextractError(f"there is no article at {url}")
    return found


def _words_by_number(article: Article, language: str) -> dict[int, str]:
    """The words of an article as it writes them, by the number of their term."""
    text = f"{article.headline or ''}\n{article.article_body}"
    words: dict[int, str] = {}
    for word in words_of(text, language):
        words.setdefault(term_of(word, language), word)
    return words


def _shared_terms(weighed: Weighed, words: Mapping[int, str]) -> list[SharedTerm]:
    own, others = weighed.rows == 0, weighed.rows == 1
    common, at, there = np.intersect1d(weighed.terms[own], weighed.terms[others], return_indices=True)
    products = weighed.weights[own][at] * weighed.weights[others][there]
    shares = products / (float(products.sum()) or 1.0)
    facts = weighed.is_fact[own][at] & weighed.is_fact[others][there]
    found: dict[int, SharedTerm] = {}
    for term, share, is_fact in zip(common.tolist(), shares.tolist(), facts.tolist(), strict=True):
        number, in_headline = term & (HEADLINE - 1), term >= HEADLINE
        before = found.get(number) or SharedTerm(words.get(number, "?"), 0.0, False, False)
        found[number] = replace(
            before,
            share=before.share + share,
            in_headline=before.in_headline or in_headline,
            is_fact=before.is_fact or is_fact,
        )
    return sorted(found.values(), key=lambda term: (-term.share, term.word))[:MAX_TERMS]


def central_article(store: Store, members: Sequence[StoryArticle], statistics: Statistics) -> StoryArticle:
    """The article with the highest mean similarity to the others; copies don't count. Of two, the earlier one."""
    own = [member for member in members if member.copy_of is None] or [*members]
    if len(own) <= 2:
        return own[0]
    compared = own[:: max(math.ceil(len(own) / MAX_MEMBERS), 1)]
    found = {each.id: each for each in store.read(_by_id, [member.id for member in compared])}
    tracker = StoryTracker()
    tracker.statistics = statistics
    pairs: list[tuple[Report, Article]] = [(report_of(found[m.id]), found[m.id].article) for m in compared]
    tracker.weigh(pairs, count=False)
    weighed = Weighed([report for report, _ in pairs], statistics)
    return compared[int(similarities(weighed).sum(1).argmax())]


def _by_id(connection: Connection, ids: Sequence[int]) -> list[ArticleChange]:
    return [*articles_by_id(connection, ids)]
