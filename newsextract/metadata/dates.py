"""When the article was published and changed."""

import re
from datetime import UTC, datetime, timedelta, tzinfo
from email.utils import parsedate_to_datetime
from zoneinfo import ZoneInfo

from newsextract.metadata import date_parser
from newsextract.metadata.dated import (
    CHANGED,
    DIGIT,
    MODIFIED,
    PUBLISHED,
    SAID_PUBLISHED,
    below_headline,
    modified_json,
    modified_metas,
    published_json,
    published_metas,
)
from newsextract.metadata.evidence import Evidence, Found, Source

EARLIEST = datetime(1990, 1, 1, tzinfo=UTC)
OTHER_DATE = re.compile(
    r"©|copyright|all rights|版权|版權|event|deadline|expire|valid|today is|今天是|join(?:ed|s)|since|born|register"
    r"|until|through|accessed|retrieved|starts?|ends?",
    re.I,
)


#: Sources read without looking at the body; where they give the publication, the body's updates are not sought.
DECLARED = ("json-ld", "meta")


def parse(raw: str, evidence: Evidence) -> datetime | None:
    """A date in any of the forms that machines and people write, aware; None if it is none or cannot be the page's."""
    when = machine(raw) or _written(raw, evidence)
    if when is None:
        return None
    when = when if when.tzinfo else when.replace(tzinfo=zone_of(evidence))
    return when if plausible(when, evidence) else None


def _written(raw: str, evidence: Evidence) -> datetime | None:
    """The first date in a text that is not said to be of another event; relative ones only without any other."""
    found = date_parser.find(raw, evidence.language)
    if not found and evidence.fetched_at:
        found = date_parser.find(raw, evidence.language, evidence.fetched_at)
    for i, one in enumerate(found):
        before = raw[max(found[i - 1].end if i else 0, one.start - 30) : one.start]
        said = SAID_PUBLISHED.search(before)
        if said or not (CHANGED.search(before) or OTHER_DATE.search(before)):
            return one.when
    return None


def machine(raw: str) -> datetime | None:
    """ISO 8601 as it occurs, RFC 2822, seconds or milliseconds since 1970; None for anything else."""
    text = raw.strip()
    if len(text) < 8 or len(text) > 50:
        return None
    try:
        if text.isdigit() and len(text) in (10, 13):
            return datetime.fromtimestamp(int(text[:10]), UTC)
        if text[:4].isdigit():
            text = re.sub(r"(?<=\d)\s+(?=[+-]\d\d:?\d\d$)", "", text.replace("/", "-"))
            return datetime.fromisoformat(text)
        if text[:3].isalpha() and text[3:4] == ",":
            return parsedate_to_datetime(text)
    except (ValueError, OverflowError, IndexError, TypeError):
        pass
    return None


def plausible(when: datetime, evidence: Evidence) -> bool:
    """Whether a page can be of that date: neither before the web nor after it was fetched (a day's leeway)."""
    try:
        latest = evidence.fetched_at or datetime.now(UTC)
        return EARLIEST <= when <= latest + timedelta(days=1)
    except (OverflowError, ValueError):
        return False


def zone_of(evidence: Evidence) -> tzinfo:
    """The zone of a date without one: Asia/Shanghai on Chinese pages, else that of the page's other dates, else UTC."""
    if (evidence.language or "").startswith("zh"):
        return ZoneInfo("Asia/Shanghai")
    for raw in (
        *published_metas(evidence),
        *published_json(evidence),
        *modified_json(evidence),
        *modified_metas(evidence),
    ):
        when = machine(raw)
        if when is not None and when.tzinfo is not None and when.utcoffset():
            return when.tzinfo
    return UTC


def published(evidence: Evidence) -> Found[datetime] | None:
    """The first source of PUBLISHED that gives a plausible date; one below the headline corrects a rebuild's."""
    found = _first(PUBLISHED, evidence)
    if found and found.source in DECLARED and _rebuilt(found.value, evidence):
        seen = _first((Source("text", below_headline),), evidence)
        if seen and seen.value < found.value - timedelta(days=2):
            return seen
    return found


def _rebuilt(declared: datetime, evidence: Evidence) -> bool:
    """Whether a declared date may be that of the site's last build: no later change is declared."""
    changed = _first(MODIFIED[:2], evidence)
    return changed is None or changed.value < declared + timedelta(days=1)


def modified(evidence: Evidence, first: Found[datetime] | None) -> Found[datetime] | None:
    """The first source of MODIFIED that gives a plausible date not before publication."""
    declared = first is not None and first.source in DECLARED
    found = _first(MODIFIED[:2] if declared else MODIFIED, evidence)
    return None if found and first and found.value < first.value else found


def _first(table: tuple[Source, ...], evidence: Evidence) -> Found[datetime] | None:
    for source in table:
        for raw in source.read(evidence):
            if raw and (when := parse(raw, evidence)):
                return Found(when, source.name, raw.strip()[:200])
            if raw and source.name in DECLARED and DIGIT.search(raw):
                evidence.note("date", "declared, but no date that a page can have", raw)
    return None
