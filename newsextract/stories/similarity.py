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
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from newsextract.stories.statistics import Statistics
from newsextract.stories.terms import HEADLINE
from newsextract.stories.window import TERM, Floats, Ints, Postings

Matrix = NDArray[np.float64]
Rows = NDArray[np.intp]

#: Days in which the logarithm of the similarity falls by one, for articles that far apart; days beyond which it is 0.
DECAY_DAYS = 6.0
WINDOW_DAYS = 20.0
#: Share of the headline in the similarity.
HEADLINE_SHARE = 1 / 3
SHARES = np.array([1 - HEADLINE_SHARE, HEADLINE_SHARE])
#: Rare words have the weight of the text times this power of the inverse document frequency; common words this one, so
#: they are without it.
RARITY = 3
COMMON = -1
#: Texts with a lower cosine of their common words are of no template; the others need rare words in common for it.
TEMPLATE_COSINE = 0.3
#: Cosine between the facts (numbers, names) of two articles of one site; with less, they share no more than a template.
MIN_FACT_COSINE = 0.18
#: Share of the commonest terms, by the squares of their weights, that aren't looked up in the index.
COMMON_SHARE = 0.1
#: Square of the length of a vector without terms.
SHORTEST = np.float32(1e-9)
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
        self.articles, self.places = articles, statistics.places
        found = np.frombuffer(b"".join([each.vector for each in articles]), TERM)
        self.lengths = np.array([len(each.vector) // TERM.itemsize for each in articles])
        self.rows: NDArray[np.intp] = np.repeat(np.arange(len(articles)), self.lengths)
        self.terms: Ints = found["number"].astype(np.int32)
        counts = found["count"].astype(np.float32)
        known = np.array([statistics.articles[each.language] for each in articles], np.float32)[self.rows]
        self.inverse = np.maximum(statistics.inverse_frequencies(self.terms, known), SHORTEST)
        weights = np.abs(counts) * self.inverse
        parts = 2 * self.rows + (self.terms >= HEADLINE)
        if self.lengths.max(initial=0) > 2 * TERMS or np.bincount(parts).max(initial=0) > TERMS:
            kept = _heaviest(parts, weights, self.terms)
            self.rows, self.terms, self.inverse = self.rows[kept], self.terms[kept], self.inverse[kept]
            counts, weights, parts = counts[kept], weights[kept], parts[kept]
            self.lengths = np.bincount(self.rows, minlength=len(articles))
        self.moments = np.array([each.moment for each in articles])
        self.sites = np.array([hash(each.site) for each in articles])
        squares = np.bincount(parts, weights * weights, minlength=2 * len(articles)).reshape(-1, 2)
        self.has_headline: NDArray[np.bool_] = squares[:, 1] > 0
        scale = np.sqrt(SHARES / np.maximum(squares, SHORTEST)).astype(np.float32).ravel()
        self.weights: Floats = weights * scale[parts]
        # a name that many articles have says little (German writes all nouns with a capital), so rare facts count more
        self.is_fact = np.signbit(counts)
        self.facts: Floats = np.where(self.is_fact, self.weights * self.inverse * self.inverse, np.float32(0))

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

    @cached_property
    def norms(self) -> tuple[Matrix, Matrix, Matrix]:
        """The length of each article's vector of rare words, of common words and of facts; not 0."""
        rare, common = (self.weights * self.inverse**power for power in (RARITY, COMMON))
        lengths = (
            np.sqrt(np.maximum(np.bincount(self.rows, weights * weights, len(self.articles)), SHORTEST))
            for weights in (rare, common, self.facts)
        )
        return next(lengths), next(lengths), next(lengths)


class Products(NamedTuple):
    """Dot products of pairs of articles: of their vectors, of those of rare words, of common words and of facts."""

    plain: NDArray[np.floating]
    rare: NDArray[np.floating]
    common: NDArray[np.floating]
    facts: NDArray[np.floating]


def similarities(weighed: Weighed, *, templates: bool = False) -> Matrix:
    """The similarity of articles with each other (articles, articles).

    `templates`: whether what texts have in common by their template counts in full.
    """
    number, terms = len(weighed.articles), weighed.terms
    places = weighed.places.of(terms)
    is_shared = np.bincount(places, minlength=len(terms)) > 1
    known = np.flatnonzero(is_shared[places])
    if not len(known):
        return np.eye(number)
    column = np.cumsum(is_shared) - 1
    rows, columns = weighed.rows[known], column[places[known]]
    dense, facts = np.zeros((2, number, int(column[-1]) + 1), np.float32)
    dense[rows, columns], facts[rows, columns] = weighed.weights[known], weighed.facts[known]
    inverse = weighed.inverse[is_shared]
    rare, common = ((dense * inverse ** (2 * power)) @ dense.T for power in (RARITY, COMMON))
    products = Products(dense @ dense.T, rare, common, facts @ facts.T)
    every = np.arange(number)
    return _similarity(products, (weighed, every[:, None]), (weighed, every), templates)


def similarities_of_pairs(one: Weighed, rows: Rows, other: Weighed, others: Rows) -> NDArray[np.float64]:
    """The similarity of articles of `one` with articles of `other`: of each of `rows` with that of `others` beside it.

    Many pairs at once take a tenth of the time of `similarities` for each row.
    """
    places = one.places.of(one.terms)
    is_last = places == np.arange(len(places))
    column = np.cumsum(is_last) - 1
    own_places = np.full((len(one.articles), np.count_nonzero(is_last)), -1, np.int32)
    own_places[one.rows, column[places]] = np.arange(len(places))
    places, known = one.places.among(other.terms, one.terms)
    columns = column[places]
    starts = np.searchsorted(other.rows[known], np.arange(len(other.articles) + 1))
    numbers = np.diff(starts)[others]
    pairs = np.repeat(np.arange(len(rows)), numbers)
    theirs = known[np.arange(len(pairs)) + np.repeat(starts[others] - (np.cumsum(numbers) - numbers), numbers)]
    own = own_places[rows[pairs], columns[theirs]]
    shared = np.flatnonzero(own >= 0)
    own, theirs, pairs = own[shared], theirs[shared], pairs[shared]
    plain, inverse = one.weights[own] * other.weights[theirs], other.inverse[theirs]
    rare, common = (plain * inverse ** (2 * power) for power in (RARITY, COMMON))
    facts = one.facts[own] * other.facts[theirs]
    every = (plain, rare, common, facts)
    summed = [np.bincount(pairs, values, len(rows)).astype(np.float64, copy=False) for values in every]
    return _similarity(Products(*summed), (one, rows), (other, others))


def _similarity(
    products: Products, one: tuple[Weighed, Rows], other: tuple[Weighed, Rows], templates: bool = False
) -> NDArray[np.float64]:
    """The similarity of pairs of articles, each with the numbers of its articles."""
    (weighed, at), (others, there) = one, other
    both = weighed.has_headline[at] & others.has_headline[there]
    found: Matrix = np.where(both, products.plain, products.plain / (1 - HEADLINE_SHARE))
    found *= decay(np.abs(weighed.moments[at] - others.moments[there]))
    if templates:
        return np.minimum(found, 1)
    rare, common, shared_facts = (
        product / (own[at] * their[there])
        for product, own, their in zip(products[1:], weighed.norms, others.norms, strict=True)
    )
    same_site = (weighed.sites[at] == others.sites[there]) & (weighed.sites[at] != hash(""))
    share = np.sqrt(np.minimum(rare / np.maximum(common - TEMPLATE_COSINE, SHORTEST), 1))
    share[(shared_facts < MIN_FACT_COSINE) & same_site] = 0
    return np.minimum(found * share, 1)


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
