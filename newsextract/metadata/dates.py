"""Publication and modification date: a linear model chooses among the page's candidates.

Declared dates are mostly right, but some are those of a build or an import, and pages without declarations show the
dates of updates, events and other articles, too. So each candidate is scored by its reader, its place and words
(`date_candidates`), and by how it agrees with the URL, the lines below the headline, declared changes, lists and the
other candidates. The weights (dates.json) were fitted by softmax over a page's candidates and "no date", and start from
the order of trust in dates_prior.toml: what no labelled page has keeps its place there. A date below the threshold
isn't given.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from functools import cached_property

from newsextract.language import date_parser
from newsextract.language.date_parser import NUMERIC
from newsextract.metadata.date_candidates import (
    SOURCES,
    TIME_REACH,
    DateCandidate,
    DateCandidates,
    has_label_of_change,
)
from newsextract.metadata.date_readings import (
    AS_SHOWN,
    MODIFIED_WORDS,
    SWAPPED,
    DateReader,
    json_ld_modified,
    meta_modified,
)
from newsextract.metadata.evidence import PageEvidence, Source, SourcedValue
from newsextract.metadata.linear_model import load_model
from newsextract.text import DIGITS, LONGEST_LINE
from newsextract.urls import host_and_path

#: Sources that are read without the body; if they give the publication date, the body is not searched for updates.
DECLARED = ("json-ld", "meta")
#: Maximum offset of a zone from UTC, and of one that is guessed from the day shown, in hours: a day further off is of
#: another event. All zones differ by quarters of an hour.
MAX_DIFFERENCE = timedelta(hours=14)
MAX_OFFSET = 9
QUARTER = timedelta(minutes=15)
#: Dates within this time are of the same day somewhere; dates that are further apart are of different events.
SAME_TIME = timedelta(days=1.5)
APART = timedelta(days=2)
#: Number of candidates of other readers with the same day that counts.
MAX_SUPPORT = 3


def dates(evidence: PageEvidence) -> tuple[SourcedValue[datetime] | None, SourcedValue[datetime] | None]:
    """The dates of publication and of the last modification."""
    reader = DateReader(evidence)
    published = _published(reader)
    return published, _modified(reader, published)


def _published(reader: DateReader) -> SourcedValue[datetime] | None:
    page, model = DateChoice(reader), load_model("dates")
    if settled := page.settled():
        return page.value(settled)
    for group in page.groups():
        scores = [(model.score(page.features(one, group)), -i) for i, one in enumerate(group)]
        if scores and max(scores)[0] >= model.threshold:
            return page.value(group[-max(scores)[1]])
    return None


class DateChoice:
    """The candidates of a page in groups, and what they are compared with."""

    def __init__(self, reader: DateReader) -> None:
        self.reader, self.evidence = reader, reader.evidence
        self.candidates = DateCandidates(reader)

    def settled(self) -> DateCandidate | None:
        """The first declared date, if the page shows its day: nothing speaks for another one."""
        if next(self.evidence.selected("date", "datetime"), None):
            return None
        first = next(self.candidates.declared(), None)
        return first if first and first.reading.when.date() in self.shown else None

    def groups(self) -> Iterator[list[DateCandidate]]:
        """Candidates by what reading them costs, each group with those before it."""
        if selected := [*self.candidates.selected()]:
            yield selected
        known = [*self.declared]
        if known:
            known += self.candidates.beside_declared(max(one.reading.when for one in known) - APART)
            yield known
        known = [*dict.fromkeys([*known, *self.candidates.near()])]
        yield known
        if further := [*self.candidates.far()]:
            yield known + further

    @cached_property
    def declared(self) -> list[DateCandidate]:
        return [*self.candidates.declared()]

    @cached_property
    def changes(self) -> list[datetime]:
        """The declared modification dates."""
        raws = (*json_ld_modified(self.evidence), *meta_modified(self.evidence))
        return [when for raw in raws if (when := self.reader.parse(raw))]

    @cached_property
    def shown(self) -> set[date]:
        """The days that short lines near the headline show."""
        texts = map(self.evidence.texts.__getitem__, self.candidates.lines_with_year)
        return {when.date() for text in texts if (when := self.reader.parse(text))}

    @cached_property
    def url_month(self) -> tuple[int, int] | None:
        month = date_parser.URL_MONTH.search(host_and_path(self.evidence.page.url)[1])
        return (int(month[1]), int(month[2])) if month else None

    @cached_property
    def folders(self) -> list[str]:
        return host_and_path(self.evidence.page.url)[1].split("/")

    def features(self, one: DateCandidate, group: Sequence[DateCandidate]) -> dict[str, float]:
        """A candidate's features that aren't 0."""
        signs = [f"from:{one.reader}", *one.signs, *one.reading.signs, *self._agreement(one, group)]
        if one.reading.is_zoned:
            signs.append("has a zone")
        if one.reading.when.time() == time():
            signs.append("has no time")
        days = {other.reader for other in group if other.reading.when.date() == one.reading.when.date()}
        support = min(len(days - {one.reader}), MAX_SUPPORT) / MAX_SUPPORT
        return {**dict.fromkeys(signs, 1.0), "distance": one.distance, "support": support}

    def _agreement(self, one: DateCandidate, group: Sequence[DateCandidate]) -> Iterator[str]:
        """How a candidate agrees with the URL, what the page shows, changes and lists."""
        when, day = one.reading.when, one.reading.when.date()
        if one.reader != "url":
            yield from self._agreement_with_url(when)
        is_changed = day in {change.date() for change in self.changes}
        if one.reader not in SEEN and self.shown:
            is_shown = day in self.shown and not is_changed
            yield ("declared day shown" if one.is_declared else "day shown") if is_shown else "another day shown"
        below = self.candidates.days_below if one.reader == "time" and "is the line" not in one.signs else ()
        if below and not any(_is_near(when, other) or _is_swapped(when, other) for other in below):
            yield "another day below the headline"
        if self.changes:
            if is_changed:
                yield "day of a change"
            elif when > max(self.changes) + timedelta(days=1):
                yield "after the change"
        if str(day.year) in self.folders:
            yield "in the URL's year"
        if one.is_declared:
            if self._may_be_of_build(when, group):
                yield "maybe of a build"
        else:
            declared = [other.reading.when for other in group if other.is_declared]
            if declared:
                yield "day declared" if day in {other.date() for other in declared} else "another day declared"
        if SWAPPED in one.reading.signs and self._is_confirmed(one, group):
            yield "swapped and confirmed"
        if one.reader in LISTS:
            yield from self._agreement_of_list(when, group)

    def _agreement_with_url(self, when: datetime) -> Iterator[str]:
        if days := self.candidates.url_days:
            if when.date() in {day.date() for day in days}:
                yield "day of the URL"
            elif all(abs(AS_SHOWN(when) - day) > APART for day in days):
                yield "later than the URL" if AS_SHOWN(when) > days[0] else "earlier than the URL"
        elif self.url_month:
            yield "month of the URL" if (when.year, when.month) == self.url_month else "another month than the URL"

    def _agreement_of_list(self, when: datetime, group: Sequence[DateCandidate]) -> Iterator[str]:
        shown = [other.reading for other in group if other.reader not in LISTS and not other.reading.is_other]
        matching = [reading for reading in shown if _may_be(reading.when, when)]
        if matching and not any(reading.is_zoned for reading in matching):
            yield "completes a date shown"

    def _may_be_of_build(self, when: datetime, group: Sequence[DateCandidate]) -> bool:
        """Whether a declared date may be that of the site's last build.

        The page shows another day, no later change is declared, and there is an earlier date that is no other reading
        of the same numbers.
        """
        is_shown = any(abs(day - when.date()) <= timedelta(days=1) for day in self.shown)
        if is_shown or any(change >= when + timedelta(days=1) for change in self.changes):
            return False
        others = [other.reading.when for other in group if not other.is_declared and not other.reading.is_other]
        return any(other < when - APART and not _is_swapped(other, when) for other in others)

    def _is_confirmed(self, one: DateCandidate, group: Sequence[DateCandidate]) -> bool:
        """Whether the URL, a change or another date confirms a numeric date only with day and month swapped."""
        when = one.reading.when
        other_order = when.replace(month=when.day, day=when.month)
        near = [*(AS_SHOWN(day) for day in self.candidates.url_days), *map(AS_SHOWN, self.changes)]
        near += [AS_SHOWN(other.reading.when) for other in group if not NUMERIC.search(other.reading.raw)]
        if any(_is_near(AS_SHOWN(when), other) and not _is_near(AS_SHOWN(other_order), other) for other in near):
            return True
        return (when.year, when.month) == self.url_month

    def value(self, one: DateCandidate) -> SourcedValue[datetime]:
        """A candidate's date in the zone in which its readers see it."""
        when, source = one.reading.when, SOURCES.get(one.reader, one.reader)
        if one.is_declared:
            when = self._in_zone_shown(when) if one.reading.is_zoned else self._in_zone_declared(when)
        return SourcedValue(when, source, one.reading.raw.strip()[:LONGEST_LINE])

    def _in_zone_shown(self, when: datetime) -> datetime:
        """A date declared in UTC, in the page's zone or the nearest one that gives it the day shown to readers."""
        if when.utcoffset() or when.date() in self.shown:
            return when
        hours = range(1, MAX_OFFSET + 1)
        for day in self.shown:
            apart = (day - when.date()).days
            zones: Iterable[tzinfo] = (timezone(timedelta(hours=apart * each)) for each in hours)
            for local in (self.reader.zone, *zones) if abs(apart) == 1 else ():
                if when.astimezone(local).date() == day:
                    return when.astimezone(local)
        return when

    def _in_zone_declared(self, when: datetime) -> datetime:
        """A date declared without a zone, in the zone in which another declaration gives the same moment."""
        for other in self.declared:
            late = AS_SHOWN(when) - AS_SHOWN(other.reading.when.astimezone(UTC))
            if other.reading.is_zoned and abs(late) <= MAX_DIFFERENCE and not late % QUARTER:
                return when.replace(tzinfo=timezone(late) if late else UTC)
        return when


#: Sources that lists and the AMP copy give.
LISTS = frozenset({"feed", "sitemap", "amp"})
#: Readers of what the page shows near the headline.
SEEN = frozenset({"line", "far line", "time", "class", "microdata"})


def _is_near(when: datetime, other: datetime) -> bool:
    return abs(when - other) <= SAME_TIME


def _is_swapped(when: datetime, other: datetime) -> bool:
    """Whether two dates differ only in that month and day are swapped."""
    return when.month != when.day and (when.year, when.day, when.month) == other.timetuple()[:3]


def _may_be(shown: datetime, listed: datetime) -> bool:
    """Whether a date shown without a zone, maybe without a time, can be the moment that a list gives."""
    late = listed - shown
    if shown.time() == time():
        return -MAX_DIFFERENCE <= late <= timedelta(days=1) + MAX_DIFFERENCE
    return abs(late) <= MAX_DIFFERENCE and not late % QUARTER


def _modified(reader: DateReader, published: SourcedValue[datetime] | None) -> SourcedValue[datetime] | None:
    """The first plausible date of the sources MODIFIED; None if it is before publication."""
    is_declared = published is not None and published.source in DECLARED
    for source in MODIFIED[:2] if is_declared else MODIFIED:
        for raw in source.read(reader.evidence):
            if raw and (when := reader.parse(raw)):
                is_earlier = published is not None and when < published.value
                return None if is_earlier else SourcedValue(when, source.name, raw.strip()[:LONGEST_LINE])
            if raw and source.name in DECLARED and DIGITS.search(raw):
                reader.evidence.note("date", "declared, but no date that a page can have", raw)
    return None


def _modified_elements(evidence: PageEvidence) -> Iterator[str]:
    """Elements with `itemprop` dateModified, and `time` elements surrounded by modification words."""
    yield from (hint.value for hint in evidence.hints("datemodified"))
    for hint in evidence.hints("time"):
        if hint.distance < TIME_REACH and has_label_of_change(hint.element):
            yield hint.value


def _updates_near_headline(evidence: PageEvidence) -> Iterator[str]:
    """The first date, or else the text, after a modification word in blocks around the headline."""
    reader = DateReader(evidence)
    for i in evidence.near_headline:
        text = evidence.texts[i]
        if len(text) < LONGEST_LINE and DIGITS.search(text) and (match := MODIFIED_WORDS.search(text)):
            yield next((found.raw for found in reader.find(text[match.end() :])), text[match.end() :])


def _changed_in(source: str) -> Callable[[PageEvidence], Iterator[str]]:
    """A reader of the change that a feed or a sitemap gives."""

    def read(evidence: PageEvidence) -> Iterator[str]:
        listing = evidence.page.listing
        if listing is not None and listing.source == source and listing.date_modified:
            yield listing.date_modified.isoformat()

    return read


#: Sources of the modification date, most trusted first.
MODIFIED = (
    Source("json-ld", json_ld_modified),
    Source("meta", meta_modified),
    Source("microdata", _modified_elements),
    Source("text", _updates_near_headline),
    Source("feed", _changed_in("feed")),
    Source("sitemap", _changed_in("sitemap")),
)
