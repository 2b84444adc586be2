"""What a text says of dates: each date with its zone, the words before it, and the other order of day and month."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cached_property, lru_cache
from operator import methodcaller
from typing import NamedTuple
from zoneinfo import ZoneInfo

from newsextract.items import is_plausible_date
from newsextract.language import date_parser, words
from newsextract.language.date_parser import DateMatch, parse_machine_date
from newsextract.metadata.evidence import PageEvidence
from newsextract.metadata.markup import MARKUP, any_of
from newsextract.text import LONG_LINE

METAS = MARKUP["metas"]
#: Names of declarations of the publication and of the modification.
PUBLISHED_METAS = METAS["published"]
MODIFIED_METAS = METAS["modified"]
#: Further names of declarations of a publication date, and names of other dates.
PUBLISHED_NAME = any_of(METAS["published_names"])
OTHER_NAME = any_of(METAS["other_names"])
#: Words before a modification date, a publication date, and the date of another event.
MODIFIED_WORDS = words.pattern("modified")
PUBLISHED_WORDS = words.pattern("published")
OTHER_EVENT_WORDS = words.Words(f"©|{words.pattern('event', bounded=True).pattern}")
#: A name with a date glued to it ("Ann LeeMay 3, 2024", "Ann Lee3. Mai 2024"), if elements have no space between them.
GLUED = re.compile(r"(?<=[^\W\d_])(?=\d)|(?<=[a-zà-ÿ])(?=[A-Z])")
#: Characters before a date that are searched for a label.
LABEL_REACH = 30
#: Maximum time from a publication to an update in the same line; an earlier date is of something else.
MAX_UPDATE = timedelta(days=366)
AS_SHOWN = methodcaller("replace", tzinfo=None)
#: Languages that are mostly written in one zone.
ZONES_OF_LANGUAGES = {"zh": "Asia/Shanghai", "ja": "Asia/Tokyo", "ko": "Asia/Seoul"}
#: Signs of a date in a text.
PUBLISHED = "says published"
CHANGED = "says changed"
EVENT = "says another event"
BOTH = "says both"
NOT_EARLIEST = "not the earliest of its line"
RELATIVE = "relative"
SWAPPED = "swapped"


class Reading(NamedTuple):
    """A date of a text: aware, the text as written, what speaks for and against it, whether its zone is written."""

    when: datetime
    raw: str
    signs: tuple[str, ...] = ()
    is_zoned: bool = False

    @property
    def is_other(self) -> bool:
        """Whether the words before it say that it is the date of a change or another event."""
        return CHANGED in self.signs or EVENT in self.signs


class DateReader:
    """Reads dates in a page's language and zone."""

    def __init__(self, evidence: PageEvidence) -> None:
        self.evidence = evidence

    def readings(self, raw: str, label: str = "") -> list[Reading]:
        """The plausible dates of a text in any form that machines or people write; `label`: the words before it."""
        raw = raw[: date_parser.MAX_TEXT]
        machine = parse_machine_date(raw)
        found = [Reading(machine, raw, _said(label))] if machine else [*self._in_text(raw, label)]
        if not machine:
            found += [twin for reading in found if (twin := _in_other_order(reading))]
        now = self.evidence.fetched_at
        known = ((one, one.when if one.when.tzinfo else one.when.replace(tzinfo=self.zone)) for one in found)
        return [
            Reading(when, one.raw, one.signs, one.when.tzinfo is not None)
            for one, when in known
            if is_plausible_date(when, now)
        ]

    def parse(self, raw: str) -> datetime | None:
        """The date that a text marks as its publication's, or else the earliest that isn't another event's."""
        own = [one for one in self.readings(raw) if SWAPPED not in one.signs and not one.is_other]
        return min(own, key=_rank).when if own else None

    def find(self, raw: str) -> tuple[DateMatch, ...]:
        """The dates of a text in its language; if there are none, in that of the theme, which `html` declares."""
        dates = date_parser.find_dates(raw, self.evidence.language_and_country)
        theme = self.evidence.meta.html_lang
        return dates or (date_parser.find_dates(raw, theme) if theme else ())

    def _in_text(self, raw: str, label: str) -> Iterator[Reading]:
        """The dates of a text with the words before each. A relative date counts only where there is no other."""
        dates = self.find(raw)
        signs: tuple[str, ...] = ()
        if not dates and GLUED.search(raw):
            raw = GLUED.sub(" ", raw)
            dates = self.find(raw)
        if not dates and (now := self.evidence.fetched_at):
            dates = date_parser.find_dates(raw, self.evidence.language_and_country, now)
            signs = (RELATIVE,)
        labels = [_labels(raw, dates, i, label) for i in range(len(dates))]
        own = [one.when for one, said in zip(dates, labels, strict=True) if not {CHANGED, EVENT, BOTH} & {*said}]
        earliest = _earliest(own) if len(raw) < LONG_LINE else next(iter(own), None)
        for one, said in zip(dates, labels, strict=True):
            late = (NOT_EARLIEST,) if one.when != earliest else ()
            yield Reading(one.when, raw, (*signs, *said, *late))

    @cached_property
    def zone(self) -> tzinfo:
        """The zone of a date without one: that of a one-zone language, of the declared dates, or UTC."""
        if zone := ZONES_OF_LANGUAGES.get((self.evidence.language or "")[:2]):
            return ZoneInfo(zone)
        declared = (meta_published, json_ld_published, json_ld_modified, meta_modified)
        dates = (parse_machine_date(raw) for read in declared for raw in read(self.evidence))
        return next((when.tzinfo for when in dates if when and when.tzinfo and when.utcoffset()), UTC)


def _labels(raw: str, dates: tuple[DateMatch, ...], number: int, label: str) -> tuple[str, ...]:
    """What the words before a date say it is; before the first one, those of the label, too."""
    found = dates[number]
    before = raw[max(dates[number - 1].end if number else 0, found.start - LABEL_REACH) : found.start]
    return _said(before if number or not label else f"{label}\n{before}")


def _said(before: str) -> tuple[str, ...]:
    kinds = ((PUBLISHED, PUBLISHED_WORDS), (CHANGED, MODIFIED_WORDS), (EVENT, OTHER_EVENT_WORDS))
    said = tuple(sign for sign, pattern in kinds if before and pattern.search(before))
    return (BOTH,) if len(said) > 1 and PUBLISHED in said else said


def _rank(reading: Reading) -> tuple[int, bool]:
    """A labelled publication comes first, one whose words say both last."""
    trust = 2 if BOTH in reading.signs else 0 if PUBLISHED in reading.signs else 1
    return trust, NOT_EARLIEST in reading.signs


def _earliest(dates: list[datetime]) -> datetime | None:
    """The earliest of the dates that can be of one article."""
    near = [when for when in dates if AS_SHOWN(dates[0]) - AS_SHOWN(when) < MAX_UPDATE]
    return min(near, key=AS_SHOWN, default=None)


def _in_other_order(reading: Reading) -> Reading | None:
    """A numeric date (5/6/2024) with month and day swapped, if that is a date."""
    when = reading.when
    if when.month == when.day or when.day > 12 or not date_parser.NUMERIC.search(reading.raw):
        return None
    return reading._replace(when=when.replace(month=when.day, day=when.month), signs=(*reading.signs, SWAPPED))


def json_ld_published(evidence: PageEvidence) -> Iterator[str]:
    """Publication dates of JSON-LD, the article's own objects first."""
    yield from evidence.structured.texts("datePublished", "dateCreated", "coverageStartTime")


def meta_published(evidence: PageEvidence) -> Iterator[str]:
    """Publication dates of `meta` elements: known names, then names that look like a publication date's."""
    yield from evidence.metas(*PUBLISHED_METAS)
    yield from evidence.metas(*filter(_names_publication, evidence.meta.contents))


@lru_cache(maxsize=1_024)
def _names_publication(name: str) -> bool:
    """Whether the name of a `meta` element looks like that of a publication date. Cached: pages share most names."""
    return PUBLISHED_NAME.search(name) is not None and OTHER_NAME.search(name) is None


def json_ld_modified(evidence: PageEvidence) -> Iterator[str]:
    yield from evidence.structured.texts("dateModified")


def meta_modified(evidence: PageEvidence) -> Iterator[str]:
    yield from evidence.metas(*MODIFIED_METAS)
