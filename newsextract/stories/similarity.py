"""How similar articles are, and which of them belong together by average linkage.

Each article has two TF-IDF vectors, of its headline h and of headline and text t, with the heaviest terms (`terms`).
The similarity of two articles d days apart is

    s = (1/3 cos(h, h') + 2/3 cos(t, t')) exp(-sqrt(d / 6)),   0 beyond 20 days.

Texts of one template (weather, results, police notes) share common words but not rare ones, so s is reduced by how much
more alike the common words are than the rare ones.

The document frequencies are those of now, not of the time when an article arrived, so the order of arrival matters
little.
"""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from newsextract.stories.statistics import Statistics
from newsextract.stories.terms import HEADLINE
from newsextract.stories.window import TERM, Floats, Ints, Postings

Matrix = NDArray[np.float64]

#: Days in which the logarithm of the similarity falls by one, for articles that far apart; days beyond which it is 0.
DECAY_DAYS = 6.0
WINDOW_DAYS = 20.0
#: Share of the headline in the similarity.
HEADLINE_SHARE = 1 / 3
SHARES = np.array([1 - HEADLINE_SHARE, HEADLINE_SHARE])
#: Rare words have the weight of the text times this power of the inverse document frequency; common words are those
#: without it.
RARITY = 3
#: Texts with a lower cosine of their common words are of no template; the others need rare words in common for it.
TEMPLATE_COSINE = 0.3
#: Cosine between the facts (numbers, names) of two articles of one site; with less, they share no more than a template.
MIN_FACT_COSINE = 0.18
#: Share of the commonest terms, by the squares of their weights, that aren't looked up in the index.
COMMON_SHARE = 0.1
#: Square of the length of a vector without terms.
SHORTEST = 1e-9
#: Terms of a text's vector, the heaviest ones.
TERMS = 60


def _heaviest(parts: NDArray[np.intp], weights: Floats, terms: Ints) -> NDArray[np.intp]:
    """The places of the TERMS heaviest terms of each part (a headline, a text), in order."""
    is_long = np.bincount(parts)[parts] > TERMS
    places = np.flatnonzero(is_long)
    order = places[np.lexsort((terms[places], -weights[places], parts[places]))]
    starts = np.searchsorted(parts[order], parts[order])
    is_long[order[np.arange(len(order)) - starts < TERMS]] = False
    return np.flatnonzero(~is_long)


class Comparable(Protocol):
    """What is compared of an article. `moment`: in days; `vector`: its terms (`TERM`)."""

    @property
    def site(self) -> str: ...
    @property
    def language(self) -> str: ...
    @property
    def moment(self) -> float: ...
    @property
    def vector(self) -> bytes: ...


class Weighed:
    """The weighed terms of some articles, one article after the other; `rows` has the number of each term's article.

    Of a longer vector, which was stored when few articles were known, the heaviest terms are taken. The squares of the
    weights of a headline sum to a third, those of a text to two thirds.
    """

    def __init__(self, articles: Sequence[Comparable], statistics: Statistics) -> None:
        self.articles = articles
        found = np.frombuffer(b"".join([each.vector for each in articles]), TERM)
        self.lengths = np.array([len(each.vector) // TERM.itemsize for each in articles])
        self.rows: NDArray[np.intp] = np.repeat(np.arange(len(articles)), self.lengths)
        self.terms: Ints = found["number"].astype(np.int32)
        counts = found["count"].astype(np.float32)
        known = np.array([statistics.articles[each.language] for each in articles])[self.rows]
        self.inverse = np.maximum(statistics.inverse_frequencies(self.terms, known), SHORTEST)
        weights = np.abs(counts) * self.inverse
        parts = 2 * self.rows + (self.terms >= HEADLINE)
        if self.lengths.max(initial=0) > 2 * TERMS or np.bincount(parts).max(initial=0) > TERMS:
            kept = _heaviest(parts, weights, self.terms)
            self.rows, self.terms, self.inverse = self.rows[kept], self.terms[kept], self.inverse[kept]
            counts, weights, parts = counts[kept], weights[kept], parts[kept]
            self.lengths = np.bincount(self.rows, minlength=len(articles))
        self.is_fact = np.signbit(counts)
        is_headline = self.terms >= HEADLINE
        squares = np.bincount(parts, weights * weights, minlength=2 * len(articles))
        self.has_headline: NDArray[np.bool_] = squares[1::2] > 0
        scale = np.sqrt(SHARES[is_headline.astype(np.intp)] / np.maximum(squares[parts], SHORTEST))
        self.weights: Floats = (weights * scale).astype(np.float32)
        # a name that many articles have says little (German writes all nouns with a capital), so rare facts count more
        self.facts: Floats = np.where(self.is_fact, self.weights * self.inverse**2, 0)

    def postings(self) -> Postings:
        """The articles for the index: without the inverse document frequencies, which change."""
        weights = self._looked_up() / self.inverse
        return Postings(self.rows.astype(np.int32), self.terms, weights.astype(np.float32))

    def queries(self) -> Postings:
        """The articles as they are looked up in the index: without their commonest terms, which say little. In order
        of terms."""
        commonest = np.lexsort((self.inverse, self.rows))
        squares = np.cumsum(self.weights[commonest] ** 2, dtype=np.float64)
        before = np.append(0, squares)[np.cumsum(self.lengths) - self.lengths]
        looked_up = commonest[squares - before[self.rows[commonest]] > COMMON_SHARE]
        looked_up = looked_up[np.argsort(self.terms[looked_up], kind="stable")]
        weights = (self._looked_up() * self.inverse)[looked_up]
        return Postings(self.rows[looked_up].astype(np.int32), self.terms[looked_up], weights)

    def _looked_up(self) -> Floats:
        """The weights by which articles are looked up: a text without a headline makes up all of its similarity."""
        scale = np.where(self.has_headline, 1, 1 / (1 - HEADLINE_SHARE)).astype(np.float32)
        weights: Floats = self.weights * scale[self.rows]
        return weights

    def matrices(self, terms: Ints) -> tuple[Floats, Floats, Floats]:
        """The weights of these terms, which are in order, and those of facts (articles, terms); their inverse document
        frequencies."""
        at = np.searchsorted(terms, self.terms)
        at[at == len(terms)] = 0
        known = np.flatnonzero(terms[at] == self.terms)
        rows, at = self.rows[known], at[known]
        dense, facts = np.zeros((2, len(self.articles), len(terms)), np.float32)
        dense[rows, at], facts[rows, at] = self.weights[known], self.facts[known]
        inverse = np.ones(len(terms), np.float32)
        inverse[at] = self.inverse[known]
        return dense, facts, inverse

    def lengths_of(self, weights: NDArray[np.floating]) -> NDArray[np.float64]:
        """The length of the vector of each article with these weights of its terms; not 0."""
        return np.sqrt(np.maximum(np.bincount(self.rows, weights * weights, len(self.articles)), SHORTEST))


def similarities(weighed: Weighed, first: int | None = None, *, templates: bool = False) -> Matrix:
    """The similarity of articles with each other (articles, articles), or only of the first ones with all.

    `templates`: whether what texts have in common by their template counts in full.
    """
    number = len(weighed.articles)
    own = slice(first)
    if first is None:
        terms, numbers = np.unique(weighed.terms, return_counts=True)
        terms = terms[numbers > 1]
    else:
        terms = np.unique(weighed.terms[weighed.rows < first])
    if not len(terms):
        return np.eye(number)[own]
    dense, facts, inverse = weighed.matrices(terms)
    both = weighed.has_headline[own, None] & weighed.has_headline
    products = dense[own] @ dense.T
    moments = np.array([each.moment for each in weighed.articles])
    found: Matrix = np.where(both, products, products / (1 - HEADLINE_SHARE))
    found *= decay(np.abs(moments[own, None] - moments))
    if not templates:
        found *= _beyond_template(weighed, dense, facts, inverse, own)
    return np.minimum(found, 1)


def _beyond_template(weighed: Weighed, dense: Floats, facts: Floats, inverse: Floats, own: slice) -> Matrix:
    """How much of the similarity of articles is more than that of a template, 0 to 1."""

    def cosines(products: NDArray[np.floating], weights: NDArray[np.floating]) -> Matrix:
        lengths = weighed.lengths_of(weights)
        found: Matrix = products / (lengths[own, None] * lengths)
        return found

    rare, common = (
        cosines((dense[own] * inverse ** (2 * power)) @ dense.T, weighed.weights * weighed.inverse**power)
        for power in (RARITY, -1)
    )
    shared_facts = cosines(facts[own] @ facts.T, weighed.facts)
    sites = np.array([each.site for each in weighed.articles])
    same_site = (sites[own, None] == sites) & (sites != "")
    enough = np.maximum(common - TEMPLATE_COSINE, SHORTEST)
    share: Matrix = np.sqrt(np.minimum(rare / enough, 1))
    share[(shared_facts < MIN_FACT_COSINE) & same_site] = 0
    return share


def decay(days: Matrix) -> Matrix:
    """The factor of the similarity of articles that are so many days apart."""
    found: Matrix = np.where(days > WINDOW_DAYS, 0, np.exp(-np.sqrt(days / DECAY_DAYS)))
    return found


def average_linkage(similarity: Matrix, threshold: float) -> NDArray[np.int32]:
    """The cluster of each row: two clusters become one, the most similar ones first, while the mean similarity between
    their members is at least the threshold."""
    means = (similarity + similarity.T) / 2
    np.fill_diagonal(means, 1)
    alike = np.count_nonzero(means >= threshold)
    if alike == means.size:
        return np.ones(len(means), np.int32)
    if alike == len(means):
        return np.arange(len(means), dtype=np.int32)
    distances = 1 - means
    links = linkage(squareform(distances, checks=False), "average")
    clusters: NDArray[np.int32] = fcluster(links, 1 - threshold, "distance")
    return clusters
