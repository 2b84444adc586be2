"""StoryTracker: which articles of many sites tell the same event, one article after the other.

An article is compared with the articles of the last weeks (`similarity`). The stories of those that are similar are
clustered again with it, by average linkage as in Y. Yang, T. Pierce, J. Carbonell. A study on retrospective and on-line
event detection. SIGIR, 1998. So an article that was put into a story when little was known can leave it, and stories
become one or two: the result is nearly that of clustering all articles at once, whatever their order.

The values were chosen on public sets with labelled events, one set left out each time (docs/STORIES.md).
"""

import heapq
import math
import sys
from array import array
from bisect import bisect_left, bisect_right, insort
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import islice, pairwise
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from newsextract.items import Article, is_plausible_date
from newsextract.stories.similarity import (
    TERMS,
    WINDOW_DAYS,
    Matrix,
    Weighed,
    average_linkage,
    decay,
    similarities,
    similarities_of_pairs,
)
from newsextract.stories.statistics import Statistics
from newsextract.stories.terms import HEADLINE, main_language, terms_of
from newsextract.stories.window import BUCKET_DAYS, TERM, Bucket, Postings

#: Mean similarity of two stories, or of an article and a story, from which they are one.
THRESHOLD = 0.095
#: Articles of a story from which the one that began it stays in it, whatever it is similar to.
SETTLED = 3
#: Share of the threshold that the mean similarity to a story must have so that it is clustered again.
CONSIDERED = 0.5
#: Articles of a story that are compared: the newest. Articles that are clustered again, in all.
MAX_COMPARED = 40
MAX_CLUSTERED = 200
#: Similar articles that are looked at, the most similar ones.
MAX_SIMILAR = 50
#: The index is made with older statistics, so a bit less similarity than the threshold is looked up in it.
INDEX_SLACK = 0.4
#: Articles that are looked up together, and that are weighed together for an index; products of their terms with those
#: of other articles that are held at once.
PREPARED = 250
INDEXED = 2_000
MAX_CELLS = 1 << 22
#: Articles that stay in memory, of two or three kilobytes each, where those of years arrive in no order.
MAX_KEPT = 1_000_000
#: How many times as many articles must be counted before the index is made anew.
INDEX_GROWTH = 2
#: While a language has no more articles than this, their vectors keep all terms, and all are clustered again each time
#: they are so many times as many.
LEARNING = 1_000
LEARNING_STEP = 1.25

Id = Hashable


@dataclass(slots=True, eq=False)
class Report:
    """An article of a story. `moment`: in days since 1970; `is_compared`: not if it is a copy, or was forgotten;
    `sequence`: articles that arrived earlier have less.
    """

    id: Id
    site: str
    moment: float
    language: str = ""
    vector: bytes = field(default=b"", repr=False)
    copy_of: Id | None = None
    story: "Story | None" = field(default=None, repr=False)
    is_compared: bool = False
    sequence: int = 0

    def __post_init__(self) -> None:
        self.site = sys.intern(str(self.site))  # held once, not once an article


@dataclass(slots=True, eq=False)
class Story:
    """The articles of one event. `id`: that of the article that began it. `merged_into`: the story that it became part
    of. `is_kept`: a person has decided on it, so it only gets articles. `sequence`: older stories have less. `by_time`:
    the articles in order of time, of one moment in order of arrival."""

    id: Id
    sequence: int = 0
    reports: list[Report] = field(default_factory=list)
    merged_into: "Story | None" = None
    is_kept: bool = False
    by_time: list[Report] = field(default_factory=list, repr=False)

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

    def add(self, report: Report) -> None:
        """Adds an article of no other story."""
        self.reports.append(report)
        insort(self.by_time, report, key=_place)

    def remove(self, report: Report) -> None:
        """Takes an article out."""
        self.reports.remove(report)
        self.by_time.remove(report)

    def newest(self, report: Report) -> Iterator[Report]:
        """The other articles in the window around one that are compared, the newest first."""
        of_time = attrgetter("moment")
        begin = bisect_left(self.by_time, report.moment - WINDOW_DAYS, key=of_time)
        end = bisect_right(self.by_time, report.moment + WINDOW_DAYS, key=of_time)
        while begin < end:
            first = bisect_left(self.by_time, self.by_time[end - 1].moment, begin, end, key=of_time)
            for place in range(first, end):  # of one moment
                if (each := self.by_time[place]).is_compared and each is not report:
                    yield each
            end = first


def _highest(values: Matrix, most: int) -> NDArray[np.intp]:
    """The places of the highest values, at most so many, the highest first and equal ones in order."""
    places = np.arange(len(values))
    if len(values) > most:
        least = np.partition(values, -most)[-most]
        above = np.flatnonzero(values > least)
        places = np.concatenate((above, np.flatnonzero(values == least)[: most - len(above)]))
    return places[np.argsort(-values[places], kind="stable")]


def _place(report: Report) -> tuple[float, int]:
    return report.moment, report.sequence


@dataclass(slots=True)
class _Counted:
    """An article whose terms were counted, but not chosen yet: those of its headline, those of both."""

    report: Report
    headline: NDArray[np.void]
    text: NDArray[np.void]


@dataclass(slots=True)
class _Days:
    """The articles of a bucket, and how many articles had been counted when its index was made."""

    bucket: Bucket
    reports: list[Report]
    counted: int
    moments: "array[float]" = field(init=False)

    def __post_init__(self) -> None:
        self.moments = array("d", [report.moment for report in self.reports])

    def append(self, report: Report) -> None:
        self.reports.append(report)
        self.moments.append(report.moment)


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
        self._days: dict[int, _Days] = {}
        self._reports: dict[Id, Report] = {}
        self._copies: defaultdict[Id, list[Report]] = defaultdict(list)
        self._sequence = 0
        #: The stories that became part of others, and the articles that came into another story, since these were
        #: last cleared.
        self.merged: list[Story] = []
        self.moved: dict[Id, Report] = {}
        #: The reports that are similar to those that are to be placed, by id.
        self._prepared: dict[Id, list[Report]] = {}

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
            self._choose(each)
        self.place_all([each.report for each in counted])
        for report in copies:
            self.place(report)
        self.settle([each.report for each in counted])
        return [story.current for name in names if (story := self._reports[name].story) is not None]

    def weigh(self, articles: Iterable[tuple[Report, Article]], *, count: bool = True) -> None:
        """Gives reports their vectors, after the words of all of them were counted; False: they were before."""
        for counted in [self._count(report, article, count) for report, article in articles]:
            self._choose(counted)

    def _count(self, report: Report, article: Article, count: bool = True) -> _Counted:
        language = report.language = sys.intern(main_language(article.language))
        body = self.statistics.without_boilerplate(article.site, article.article_body, count)
        parts = []
        for text, offset in ((headline := article.headline or "", HEADLINE), (f"{headline}\n{body}", 0)):
            numbers, frequencies = terms_of(text, language)
            numbers += offset
            parts.append(_stored_terms(numbers, frequencies))
            if count:
                self.statistics.terms[numbers] += 1
        self.statistics.articles[language] += count
        return _Counted(report, *parts)

    def _choose(self, counted: _Counted) -> None:
        """The vector of an article: its heaviest terms, or all while too little is known to tell which these are."""
        chosen = (self._heaviest(part, counted.report.language) for part in (counted.headline, counted.text))
        counted.report.vector = b"".join(part.tobytes() for part in chosen)

    def _heaviest(self, terms: NDArray[np.void], language: str) -> NDArray[np.void]:
        if len(terms) <= TERMS or self.statistics.articles[language] <= LEARNING:
            return terms
        numbers = terms["number"]
        rarity = self.statistics.inverse_frequencies(numbers, self.statistics.articles[language])
        return terms[np.lexsort((numbers, -np.abs(terms["count"].astype(np.float32)) * rarity))[:TERMS]]

    # ---- stories -----------------------------------------------------------------------------------------------------

    def place_all(self, reports: Sequence[Report]) -> None:
        """Puts weighed reports into stories, in this order."""
        for at in range(0, len(reports), PREPARED):
            given = reports[at : at + PREPARED]
            new = {report.id: report for report in reversed(given) if report.vector and report.id not in self._reports}
            self.prepare([*reversed(new.values())])
            for report in given:
                self.place(report)

    def place(self, report: Report) -> Story:
        """Puts a weighed report, or a copy, into a story."""
        before = self._reports.get(report.id)
        if before is not None and before.story is not None:
            return before.story.current
        self._number(report)
        if report.copy_of is not None or not report.vector:
            self._join(report, self._story_of_original(report) or self._begin(report))
        else:
            if report.id not in self._prepared:
                self.prepare([report])
            self._arrange(report)
        return self._registered(report)

    def _registered(self, report: Report) -> Story:
        self._reports[report.id] = report
        assert report.story is not None
        return report.story

    def settle(self, added: Sequence[Report]) -> None:
        """Call it after articles were counted and placed: while few of a language are known, all those of their weeks
        are clustered again each time that there are so many more that their words count otherwise."""
        counted = Counter(report.language for report in added)
        learning = {language for language, number in counted.items() if self._has_learned(language, number)}
        if not learning:
            return
        moments = [report.moment for report in added]
        first, last = min(moments) - WINDOW_DAYS, max(moments) + WINDOW_DAYS
        for number in range(math.floor(first / BUCKET_DAYS), math.floor(last / BUCKET_DAYS) + 1):
            own = sorted(self._bucket(number).reports, key=lambda each: (each.moment, each.sequence))
            own = [each for each in own if each.language in learning and self._reports.get(each.id) is each]
            for at in range(0, len(own), PREPARED):
                self._look_up(own[at : at + PREPARED], Weighed(own[at : at + PREPARED], self.statistics))
            for report in own:
                self._arrange(report)

    def _has_learned(self, language: str, added: int) -> bool:
        known = self.statistics.articles[language]
        return known <= LEARNING and known > added and _step(known) != _step(known - added)

    def _number(self, report: Report) -> None:
        self._sequence += 1
        report.sequence = report.id if isinstance(report.id, int) else self._sequence

    def _story_of_original(self, report: Report) -> Story | None:
        if report.copy_of is None:
            return None
        self._copies[report.copy_of].append(report)
        original = self._reports.get(report.copy_of)
        return original.story.current if original is not None and original.story is not None else None

    def _begin(self, report: Report) -> Story:
        return Story(report.id, report.sequence)

    def _join(self, report: Report, story: Story) -> None:
        """Puts a report, and its copies, into a story."""
        for each in (report, *self._copies.get(report.id, ())):
            if each.story is story:
                continue
            if each.story is not None:
                each.story.remove(each)
            each.story = story
            story.add(each)
            self.moved[each.id] = each

    # ---- clustering --------------------------------------------------------------------------------------------------

    def _arrange(self, report: Report, own: Story | None = None) -> None:
        """Finds the story of a report, and clusters the stories again that are similar to it. `own`: that it was in."""
        own = own or report.story
        candidates = self._prepared.pop(report.id, [])
        if own is not None and own.is_kept:
            self._join(report, own)
            return
        found: dict[Story, None] = {} if own is None else {own: None}
        for other in candidates:
            if other.story is not None and other.id != report.id:
                found[other.story.current] = None
        members: dict[Story, list[Report]] = {}
        for story in found:
            if sum(map(len, members.values())) < MAX_CLUSTERED:
                members[story] = self._compared(story, report)
        given = [report, *(each for compared in members.values() for each in compared)]
        if len(given) == 1:
            self._settle([report], np.ones(1, np.int32), members)
            return
        compared = Weighed(given, self.statistics)
        matrix = similarities(compared)
        means, at = dict[Story, float](), 1
        for story, reports in members.items():
            means[story] = float(matrix[0, at : at + len(reports)].mean()) if reports else 0.0
            at += len(reports)
        kept = [story for story in means if story.is_kept]
        if kept and means[best := max(kept, key=means.__getitem__)] >= max(self.threshold, *means.values()):
            self._join(report, best)
            return
        least = CONSIDERED * self.threshold
        considered = {
            story: reports
            for story, reports in members.items()
            if not story.is_kept and (means[story] >= least or story is own)
        }
        self._settle(*self._clustered(given, matrix, considered), considered)

    def _clustered(
        self, given: list[Report], matrix: Matrix, stories: dict[Story, list[Report]]
    ) -> tuple[list[Report], NDArray[np.int32]]:
        """The first report and those of the stories, and the cluster of each."""
        chosen = {given[0], *(each for reports in stories.values() for each in reports)}
        places = [place for place, each in enumerate(given) if each in chosen]
        return [given[place] for place in places], average_linkage(matrix[np.ix_(places, places)], self.threshold)

    def _compared(self, story: Story, report: Report) -> list[Report]:
        """The newest articles of a story in the window around a report."""
        return [*islice(story.newest(report), MAX_COMPARED)]

    def _settle(self, reports: list[Report], clusters: NDArray[np.int32], stories: dict[Story, list[Report]]) -> None:
        """Gives each cluster its story: the oldest of those that it has the beginning of, or else most articles of."""
        placed = dict(zip(reports, clusters.tolist(), strict=True))
        heirs: defaultdict[int, list[Story]] = defaultdict(list)
        for story, own in sorted(stories.items(), key=lambda pair: pair[0].sequence):
            members = [each for each in reports[:1] if each.id == story.id or each.story is story] + own
            sizes = Counter(placed[each] for each in members)
            founder = next((each for each in members if each.id == story.id), None)
            [(heir, size)] = sizes.most_common(1) or [(placed[reports[0]], 1)]
            if founder is not None and (size < SETTLED or sizes[placed[founder]] == size):
                heir = placed[founder]
            elif founder is not None:
                placed[founder] = heir  # the article that began a story stays in it
            heirs[heir].append(story)
        for begun in heirs.values():
            for story in begun[1:]:
                self.merge(story, begun[0])
        for cluster in dict.fromkeys(placed.values()):
            own = [each for each in reports if placed[each] == cluster]
            story = heirs[cluster][0] if cluster in heirs else self._begin(min(own, key=lambda each: each.sequence))
            for each in own:
                self._join(each, story)

    def merge(self, story: Story, into: Story) -> None:
        """Makes a story part of another one."""
        story.merged_into = into
        self.merged.append(story)
        for report in story.reports:
            report.story = into
            self.moved[report.id] = report
        into.reports += story.reports
        into.by_time = [*heapq.merge(into.by_time, story.by_time, key=_place)]
        story.reports, story.by_time = [], []

    # ---- index -------------------------------------------------------------------------------------------------------

    def prepare(self, reports: Sequence[Report]) -> None:
        """Indexes weighed reports and looks up what is similar to each: all at once takes a tenth of the time."""
        if not reports:
            return
        weighed = Weighed(reports, self.statistics)
        self._index(reports, weighed.postings())
        self._look_up(reports, weighed)

    def _index(self, reports: Sequence[Report], postings: Postings) -> None:
        of_bucket = np.array([math.floor(report.moment / BUCKET_DAYS) for report in reports])
        for number in np.unique(of_bucket).tolist():
            days = self._bucket(number)
            own = np.flatnonzero(of_bucket == number)
            days.bucket.add(_chosen(postings, own, len(reports)), len(own))
            for row in own.tolist():
                reports[row].is_compared = True
                days.append(reports[row])

    def _bucket(self, number: int) -> _Days:
        days = self._days.get(number)
        counted = self.statistics.articles.total()
        if days is None:
            loaded = [*self._load(number)]
            for report in loaded:
                self._number(report)
                self._reports[report.id] = report
            rows = [report for report in loaded if report.copy_of is None and report.vector]
            for report in rows:
                report.is_compared = True
            days = self._days[number] = _Days(self._indexed(rows), rows, counted)
        elif counted > INDEX_GROWTH * days.counted:
            days.bucket, days.counted = self._indexed(days.reports), counted
        self._days[number] = self._days.pop(number)  # the last one used
        return days

    def _indexed(self, reports: list[Report]) -> Bucket:
        bucket, parts = Bucket(), list[Postings]()
        for at in range(0, len(reports), INDEXED):
            rows, terms, weights = Weighed(reports[at : at + INDEXED], self.statistics).postings()
            parts.append(Postings(rows + np.int32(at), terms, weights))
        if parts:
            bucket.add(Postings(*(np.concatenate(part) for part in zip(*parts, strict=True))), len(reports))
        return bucket

    def _look_up(self, reports: Sequence[Report], weighed: Weighed) -> None:
        """Keeps for each report those that are as similar to it as the threshold, the most similar ones first."""
        for report in reports:
            self._prepared[report.id] = []
        candidates = self._candidates(reports, weighed)
        others = [*dict.fromkeys(other for found in candidates for other in found)]
        place = {other: number for number, other in enumerate(others)}
        rows = np.repeat(np.arange(len(reports)), [len(found) for found in candidates])
        there = np.array([place[other] for found in candidates for other in found], np.intp)
        if not others:
            return
        exact = similarities_of_pairs(weighed, rows, Weighed(others, self.statistics), there)
        order = np.lexsort((-exact, rows))
        order = order[exact[order] >= self.threshold]
        for row, other in zip(rows[order].tolist(), there[order].tolist(), strict=True):
            self._prepared[reports[row].id].append(others[other])

    def _candidates(self, reports: Sequence[Report], weighed: Weighed) -> list[list[Report]]:
        """For each report those that the index finds about as similar to it as the threshold, at most MAX_SIMILAR."""
        moments, queries = weighed.moments, weighed.queries()
        window = (moments.min() - WINDOW_DAYS, moments.max() + WINDOW_DAYS)
        first, last = (math.floor(day / BUCKET_DAYS) for day in window)
        least = INDEX_SLACK * self.threshold
        reports_of: list[list[Report]] = []
        parts: list[tuple[NDArray[np.intp], Matrix, NDArray[np.intp], NDArray[np.int32]]] = []
        for number in range(first, last + 1):
            days = self._bucket(number)
            begin = BUCKET_DAYS * number
            near = np.flatnonzero((moments >= begin - WINDOW_DAYS) & (moments <= begin + BUCKET_DAYS + WINDOW_DAYS))
            if not days.reports or not len(near):
                continue
            for own in np.array_split(near, math.ceil(len(near) * days.bucket.size / MAX_CELLS)):
                at, rows, products = days.bucket.matches(_chosen(queries, own, len(reports)), len(own), least)
                values = products * decay(np.abs(moments[own[at]] - np.frombuffer(days.moments)[rows]))
                enough = np.flatnonzero(values >= least)
                parts.append((own[at[enough]], values[enough], np.full(len(enough), len(reports_of)), rows[enough]))
            reports_of.append(days.reports)
        at, values, buckets, rows = (np.concatenate(each) for each in zip(*parts, strict=True))
        order = np.argsort(at, kind="stable")
        bounds = np.searchsorted(at[order], np.arange(len(reports) + 1)).tolist()
        found: list[list[Report]] = []
        for report, (begin, end) in zip(reports, pairwise(bounds), strict=True):
            best = order[begin:end][_highest(values[order[begin:end]], MAX_SIMILAR + 1)]
            others = zip(buckets[best].tolist(), rows[best].tolist(), strict=True)
            found.append([other for at, row in others if (other := reports_of[at][row]) is not report])
        return found

    # ---- memory ------------------------------------------------------------------------------------------------------

    def load(self, moment: float) -> None:
        """Makes sure that the articles of a moment are in memory."""
        self._bucket(math.floor(moment / BUCKET_DAYS))

    def known(self, id: Id) -> Report | None:
        """The report with this id, if it is in memory."""
        return self._reports.get(id)

    def remove(self, report: Report) -> None:
        """Takes an article out of its story; its story stays, even if it is empty then."""
        if report.story is not None:
            report.story.remove(report)
        report.story = None
        self._reports.pop(report.id, None)
        self.moved.pop(report.id, None)

    def compare_again(self, report: Report, story: Story) -> Story:
        """Puts an article with another text or date, which was in a story and was removed, into the one that it belongs
        to now: mostly the same."""
        self._number(report)
        self.prepare([report])
        self._arrange(report, story)
        return self._registered(report)

    def forget_before(self, moment: float) -> None:
        """Drops the articles of earlier days from memory, and beyond MAX_KEPT those of the days that were used the
        longest ago; `load` gets them again if needed.
        """
        kept = 0
        for number, days in [*reversed(self._days.items())]:
            kept += len(days.reports)
            if (number + 1) * BUCKET_DAYS >= moment and kept <= MAX_KEPT:
                continue
            del self._days[number]
            for report in days.reports:
                report.is_compared, report.vector = False, b""
                if report.story is not None:
                    report.story.remove(report)
                self._reports.pop(report.id, None)

    @property
    def stories(self) -> Iterator[Story]:
        """The stories that aren't part of others, those begun first first."""
        current = {story: None for report in self._reports.values() if (story := report.story) is not None}
        return iter(sorted(current, key=lambda story: story.sequence))


def _chosen(postings: Postings, rows: NDArray[np.intp], number: int) -> Postings:
    """The terms of some of so many articles, which are numbered anew."""
    if len(rows) == number:
        return postings
    places = np.full(number, -1, np.int32)
    places[rows] = np.arange(len(rows))
    new = places[postings.rows]
    kept = np.flatnonzero(new >= 0)
    return Postings(new[kept], postings.terms[kept], postings.weights[kept])


def _stored_terms(numbers: NDArray[np.int32], frequencies: NDArray[np.float64]) -> NDArray[np.void]:
    """Terms as they are stored (`TERM`), with logarithmic counts."""
    terms = np.empty(len(numbers), TERM)
    terms["number"] = numbers
    terms["count"] = np.copysign(1 + np.log(np.abs(frequencies)), frequencies)
    return terms


def _step(known: int) -> int:
    return math.floor(math.log(known, LEARNING_STEP))


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
    return days_since_1970(published)


def days_since_1970(at: datetime) -> float:
    return at.timestamp() / timedelta(days=1).total_seconds()
