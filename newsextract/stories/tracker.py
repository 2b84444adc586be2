"""StoryTracker: which articles of many sites tell the same event, one article after the other.

J. Allan, V. Lavrenko, H. Jin. First story detection in TDT is hard. CIKM, 2000 (an article joins the nearest story, or
begins one); average linkage and a penalty for the time between two articles as in Y. Yang, T. Pierce, J. Carbonell. A
study on retrospective and on-line event detection. SIGIR, 1998.

Each article has two TF-IDF vectors, of its headline h and of headline and text t, with the 80 heaviest terms (`terms`).
The similarity of two articles d days apart is

    s = (1/3 cos(h, h') + 2/3 cos(t, t')) exp(-sqrt(d / 5)),   0 beyond 20 days.

An article joins the story with the highest mean s to its articles of that time if that is at least .11, else it begins
a story. Two stories are merged if the mean s between them is at least 1.2 times as much. The values were chosen on
public sets with labelled events, one set left out each time (docs/STORIES.md).
"""

import math
import zlib
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from newsextract.items import Article, is_plausible_date
from newsextract.stories.terms import HEADLINE, Term, log_weight, main_language, term_number, terms_of
from newsextract.stories.window import BUCKET_DAYS, Bucket, Segment, Vector

#: Mean similarity to a story's articles from which an article joins it; how many times as much two stories need.
THRESHOLD, MERGING = 0.11, 1.2
#: Days in which the logarithm of the similarity falls by one, for articles that far apart; days beyond which it is 0.
DECAY_DAYS, WINDOW_DAYS = 5.0, 20.0
#: Share of the headline in the similarity.
HEADLINE_SHARE = 1 / 3
#: Terms of a vector, the heaviest ones.
TERMS = 80
#: Share of facts (numbers, names) in the similarity of two articles of one site; with less, they share a template.
MIN_FACT_SHARE = 1 / 3
#: Articles of a story that a merge compares: the newest.
MAX_COMPARED = 40
#: Earlier articles of a site that have the same line: it is boilerplate. Shorter lines aren't counted, in characters.
BOILERPLATE_ARTICLES, MIN_LINE = 3, 20
#: Number of counters of lines; two lines share one seldom enough.
LINE_COUNTERS = 1 << 22
SECONDS_PER_DAY = 86_400.0

Id = Hashable


class Key(NamedTuple):
    """Where the vector of an article is: the number of its bucket and its row there."""

    bucket: int
    row: int


@dataclass(slots=True, eq=False)
class Report:
    """An article of a story. `moment`: in days since 1970; `key`: None for a copy, and once it was forgotten."""

    id: Id
    site: str
    moment: float
    vector: bytes = field(default=b"", repr=False)
    has_headline: bool = True
    copy_of: Id | None = None
    story: "Story | None" = field(default=None, repr=False)
    key: Key | None = None


@dataclass(slots=True, eq=False)
class Story:
    """The articles of one event. `id`: that of the article that began it. `merged_into`: the story that it became part
    of. `is_kept`: a person has decided on it, so it is never merged by itself. `sequence`: older stories have less."""

    id: Id
    sequence: int = 0
    reports: list[Report] = field(default_factory=list)
    merged_into: "Story | None" = None
    is_kept: bool = False

    @property
    def current(self) -> "Story":
        """This story, or the one that it became part of."""
        story = self
        while story.merged_into is not None:
            story = story.merged_into
        return story

    @property
    def first_report(self) -> Report:
        """The earliest article, which may have arrived after the one that began the story."""
        return min(self.reports, key=lambda report: (report.moment, report.copy_of is not None))


class Statistics:
    """In how many articles each term was, by language, and how many articles of a site had a line."""

    def __init__(self) -> None:
        self.articles: Counter[str] = Counter()
        self.terms = np.zeros(2 * HEADLINE, np.uint32)
        self.lines = np.zeros(LINE_COUNTERS, np.uint8)

    def weights(self, terms: NDArray[np.int32], language: str) -> NDArray[np.float64]:
        """The inverse document frequency of each term, log(1 + N / n)."""
        weights: NDArray[np.float64] = np.log1p(self.articles[language] / np.maximum(self.terms[terms], 1))
        return weights

    def without_boilerplate(self, site: str, text: str, count: bool = True) -> str:
        """The text without the lines that other articles of the site had; counts those that are left."""
        kept = []
        seed = zlib.crc32(site.encode("utf-8", "replace"))
        for line in text.splitlines():
            if len(line) >= MIN_LINE and site:
                counter = zlib.crc32(line.encode("utf-8", "replace"), seed) & (LINE_COUNTERS - 1)
                number = self.lines[counter]
                if number >= BOILERPLATE_ARTICLES:
                    continue
                self.lines[counter] = number + count
            kept.append(line)
        return "\n".join(kept)


class _Terms(NamedTuple):
    """Numbers, logarithmic counts, and which terms are facts (n,)."""

    numbers: NDArray[np.int32]
    weights: NDArray[np.float64]
    is_fact: NDArray[np.bool_]


@dataclass(slots=True)
class _Counted:
    """An article whose terms were counted but not weighed yet."""

    report: Report
    language: str
    headline: "_Terms"
    text: "_Terms"


class StoryTracker:
    """Puts articles into stories. Deterministic: the same calls give the same stories.

    `load`: called once for each bucket of BUCKET_DAYS days before it is used; yields the reports that it has, each with
    its story. `threshold`: see the module.
    """

    def __init__(
        self, threshold: float = THRESHOLD, load: Callable[[int], Iterable[Report]] = lambda bucket: ()
    ) -> None:
        self.threshold = threshold
        self.statistics = Statistics()
        self._load = load
        self._buckets: dict[int, tuple[Bucket, list[Report]]] = {}
        self._reports: dict[Id, Report] = {}
        self._sequence = 0
        #: The stories that became part of others, since the list was last cleared.
        self.merged: list[Story] = []
        self._scratch = np.zeros(2 * HEADLINE, np.float32)

    # ---- articles ----------------------------------------------------------------------------------------------------

    def add(self, article: Article, id: Id | None = None) -> Story:
        """The story of an article, which may be new. `id`: by default the article's URL."""
        return self.add_all([article], None if id is None else [id])[0]

    def add_all(self, articles: Sequence[Article], ids: Sequence[Id] | None = None) -> list[Story]:
        """The stories of articles that arrive together: their words are counted first, then they are put into stories
        in order of time, so the order in which they are given makes no difference."""
        names: Sequence[Id] = [article.url for article in articles] if ids is None else ids
        by_url = {article.url: name for article, name in zip(articles, names, strict=True)}
        counted, copies = list[_Counted](), list[Report]()
        for article, name in sorted(
            zip(articles, names, strict=True), key=lambda pair: (moment_of(pair[0]), str(pair[1]))
        ):
            report = Report(name, article.site, moment_of(article))
            original = by_url.get(article.duplicate_of or "", article.duplicate_of)
            if original is not None and original != name:
                report.copy_of = original
                copies.append(report)
            else:
                counted.append(self._count(report, article))
        for each in counted:
            self._weigh(each)
            self.place(each.report)
        for report in copies:
            self.place(report)
        return [story.current for name in names if (story := self._reports[name].story) is not None]

    def weigh(self, articles: Iterable[tuple[Report, Article]], *, count: bool = True) -> None:
        """Gives reports their vectors, after the words of all of them were counted; False: they were before."""
        for counted in [self._count(report, article, count) for report, article in articles]:
            self._weigh(counted)

    def _count(self, report: Report, article: Article, count: bool = True) -> _Counted:
        language = main_language(article.language)
        body = self.statistics.without_boilerplate(article.site, article.article_body, count)
        parts = []
        for text, offset in ((headline := article.headline or "", HEADLINE), (f"{headline}\n{body}", 0)):
            terms: dict[int, Term] = {}
            for term, found in terms_of(text, language).items():
                terms[term_number(term, language) + offset] = found
            numbers = np.fromiter(terms, np.int32, len(terms))
            weights = np.array([log_weight(term.frequency) for term in terms.values()], np.float64)
            parts.append(_Terms(numbers, weights, np.array([term.is_fact for term in terms.values()], np.bool_)))
            self.statistics.terms[numbers] += count
        self.statistics.articles[language] += count
        return _Counted(report, language, *parts)

    def _weigh(self, counted: _Counted) -> None:
        headline = self._heaviest(counted.headline, counted.language, HEADLINE_SHARE)
        text = self._heaviest(counted.text, counted.language, 1 - HEADLINE_SHARE)
        weights = np.concatenate((headline.weights, text.weights)).astype(np.float32)
        vector = Vector(
            np.concatenate((headline.numbers, text.numbers)),
            weights,
            np.concatenate((headline.is_fact, text.is_fact)),
        )
        counted.report.has_headline = bool(len(headline.numbers))
        counted.report.vector = vector.to_bytes()

    def _heaviest(self, terms: _Terms, language: str, share: float) -> _Terms:
        """The heaviest terms, with weights whose squares sum to `share`."""
        weights = terms.weights * self.statistics.weights(terms.numbers, language)
        chosen = np.lexsort((terms.numbers, -weights))[:TERMS]
        weights = weights[chosen]
        length = math.sqrt(float(weights @ weights)) or 1.0
        return _Terms(terms.numbers[chosen], weights * (math.sqrt(share) / length), terms.is_fact[chosen])

    # ---- stories -----------------------------------------------------------------------------------------------------

    def place(self, report: Report) -> Story:
        """Puts a weighed report, or a copy, into a story."""
        before = self._reports.get(report.id)
        if before is not None and before.story is not None:
            return before.story.current
        story = self._story_of_original(report) or self._nearest(report) or self._begin(report)
        self._join(report, story)
        return story.current

    def _story_of_original(self, report: Report) -> Story | None:
        original = self._reports.get(report.copy_of) if report.copy_of is not None else None
        return original.story.current if original is not None and original.story is not None else None

    def _begin(self, report: Report) -> Story:
        self._sequence += 1
        return Story(report.id, report.id if isinstance(report.id, int) else self._sequence)

    def _join(self, report: Report, story: Story) -> None:
        report.story = story
        story.reports.append(report)
        self._reports[report.id] = report
        if report.copy_of is None and report.vector:
            self._index(report)

    def _index(self, report: Report) -> None:
        number = math.floor(report.moment / BUCKET_DAYS)
        bucket, rows = self._bucket(number)
        rows.append(report)
        report.key = Key(number, bucket.add(Vector.from_bytes(report.vector)))

    def _bucket(self, number: int) -> tuple[Bucket, list[Report]]:
        if number not in self._buckets:
            loaded = [*self._load(number)]
            rows = [report for report in loaded if report.copy_of is None and report.vector]
            self._buckets[number] = Bucket.of([Vector.from_bytes(report.vector) for report in rows]), rows
            self._reports.update((report.id, report) for report in loaded)
            for row, report in enumerate(rows):
                report.key = Key(number, row)
        return self._buckets[number]

    def _nearest(self, report: Report) -> Story | None:
        """The story with the highest mean similarity, after those that belong together were merged."""
        means = self.similar_stories(report)
        if not means or (best := max(means, key=lambda story: (means[story], -story.sequence))) is None:
            return None
        if means[best] < self.threshold:
            return None
        return self._merge_into(best, report, sorted(means, key=lambda story: story.sequence))

    def similar_stories(self, report: Report) -> dict[Story, float]:
        """The mean similarity to the articles of each story that has at least one similar article."""
        if not report.vector:
            return {}
        vector = Vector.from_bytes(report.vector)
        first, last = (math.floor((report.moment + days) / BUCKET_DAYS) for days in (-WINDOW_DAYS, WINDOW_DAYS))
        products: dict[int, NDArray[np.float64]] = {}
        found: dict[Story, None] = {}
        for number in range(first, last + 1):
            bucket, rows = self._bucket(number)
            if not rows:
                continue
            products[number] = bucket.similarities(vector, self._scratch)
            for row in np.flatnonzero(products[number] >= self.threshold * (1 - HEADLINE_SHARE)).tolist():
                other = rows[row]
                value = similarity(report, other, float(products[number][row]))
                if other.story is not None and other is not report and value >= self.threshold:
                    found[other.story.current] = None
        means = {}
        for story in found:
            values = [
                similarity(report, other, float(products[other.key.bucket][other.key.row]))
                for other in story.reports
                if other.key is not None and other is not report and abs(other.moment - report.moment) <= WINDOW_DAYS
            ]
            means[story] = sum(values) / len(values)
        return means

    def _merge_into(self, best: Story, report: Report, others: Sequence[Story]) -> Story:
        for other in others:
            if other is best or other.is_kept or best.is_kept or other.merged_into is not None:
                continue
            if self._mean_between(other, best, report) >= MERGING * self.threshold:
                older, newer = sorted((best, other), key=lambda story: story.sequence)
                self.merge(newer, older)
                best = older
        return best

    def merge(self, story: Story, into: Story) -> None:
        """Makes a story part of another one."""
        story.merged_into = into
        self.merged.append(story)
        for report in story.reports:
            report.story = into
        into.reports += story.reports
        story.reports = []

    def _mean_between(self, one: Story, other: Story, report: Report) -> float:
        """The mean similarity between the articles of two stories, `report` among those of the second."""
        few, many = sorted((_compared(one.reports), _compared([*other.reports, report])), key=len)
        segment = Segment.of_vectors([Vector.from_bytes(each.vector) for each in many])
        total = 0.0
        for each in few:
            rows, products = segment.matches(Vector.from_bytes(each.vector))
            sums = np.bincount(rows, products, minlength=len(many))
            total += sum(similarity(each, with_it, float(value)) for value, with_it in zip(sums, many, strict=True))
        return total / (len(few) * len(many))

    def load(self, moment: float) -> None:
        """Makes sure that the articles of a moment are in memory."""
        self._bucket(math.floor(moment / BUCKET_DAYS))

    def known(self, id: Id) -> Report | None:
        """The report with this id, if it is in memory."""
        return self._reports.get(id)

    def remove(self, report: Report) -> None:
        """Takes an article out of its story; its story stays, even if it is empty then."""
        if report.story is not None:
            report.story.current.reports.remove(report)
        report.story = None
        self._reports.pop(report.id, None)

    def compare_again(self, old: Report, new: Report) -> Story:
        """Puts an article with another text into the story that it belongs to now: mostly the one that it was in."""
        story = old.story.current if old.story is not None else self._begin(new)
        self.remove(old)
        means = self.similar_stories(new)
        if story.reports and story.id != new.id and not story.is_kept and means.get(story, 0.0) < self.threshold / 2:
            story = self._nearest(new) or self._begin(new)
        self._join(new, story)
        return story

    def forget_before(self, moment: float) -> None:
        """Drops the articles of earlier days from memory; `load` gets them again if needed."""
        for number in [number for number in self._buckets if (number + 1) * BUCKET_DAYS < moment]:
            for report in self._buckets.pop(number)[1]:
                report.key, report.vector = None, b""
                if report.story is not None:
                    report.story.reports.remove(report)
                self._reports.pop(report.id, None)

    @property
    def stories(self) -> Iterator[Story]:
        """The stories that aren't part of others, those begun first first."""
        current = {story: None for report in self._reports.values() if (story := report.story) is not None}
        return iter(sorted(current, key=lambda story: story.sequence))


def _compared(reports: Sequence[Report]) -> list[Report]:
    return sorted((each for each in reports if each.vector), key=lambda each: (-each.moment, str(each.id)))[
        :MAX_COMPARED
    ]


def similarity(one: Report, other: Report, product: float) -> float:
    """The similarity of two articles, given the product of their vectors. 0 if they are of one site and template."""
    days = abs(one.moment - other.moment)
    if days > WINDOW_DAYS or not product:
        return 0.0
    if one.site == other.site and one.site:
        vectors = Vector.from_bytes(one.vector), Vector.from_bytes(other.vector)
        if vectors[0].fact_share(vectors[1]) < MIN_FACT_SHARE:
            return 0.0
    decay = math.exp(-math.sqrt(days / DECAY_DAYS))
    return product * (decay if one.has_headline and other.has_headline else decay / (1 - HEADLINE_SHARE))


def moment_of(article: Article) -> float:
    """When an article appeared, in days since 1970: published, or first seen if it has no date, or a later one.

    0 without any date.
    """
    seen = article.first_seen_at or article.fetched_at
    published = article.date_published
    if published is not None and published.tzinfo is None:
        published = published.replace(tzinfo=UTC)
    if published is None or not is_plausible_date(published, seen):
        published = seen
    if published is None:
        return 0.0
    if seen is not None:
        published = min(published, seen if seen.tzinfo else seen.replace(tzinfo=UTC))
    return published.timestamp() / SECONDS_PER_DAY
