"""When the article was published and changed."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from email.utils import parsedate_to_datetime
from typing import Any
from zoneinfo import ZoneInfo

from newsextract.metadata import written
from newsextract.metadata.evidence import Evidence, Found, Source

EARLIEST = datetime(1990, 1, 1, tzinfo=UTC)
PUBLISHED_METAS = (
    "article:published_time article:published og:published_time og:article:published_time datepublished"
    " itemprop:datepublished parsely-pub-date sailthru.date dc.date.issued dcterms.issued dc.date.created dcterms.created"
    " dc.date dcterms.date dc.terms.date date pubdate publishdate publish-date publish_date publication_date publicationdate"
    " publication-date published published_time article.published cxenseparse:recs:publishtime cxenseparse:publishtime"
    " citation_publication_date citation_date article_date_original originalpublicationdate ptime displaydate"
    " rnews:datepublished dateposted datecreated itemprop:datecreated analyticsattributes.articledate"
    " article:created created weibo:article:create_at apub:time og:release_date bt:pubdate bi3dpubdate eomportal-uuid"
).split()
MODIFIED_METAS = (
    "article:modified_time og:updated_time og:modified_time itemprop:datemodified datemodified article:modified"
    " dc.date.modified dcterms.modified last-modified lastmod modified revised utime weibo:article:update_at"
    " cxenseparse:recs:modifiedtime"
).split()
#: Words beside a date that say it is not the publication's.
CHANGED = re.compile(r"updat|modif|revis|edited|aktualis|mis à jour|actualiz|aggiornat|bijgewerkt|更新|修改|修訂", re.I)
OTHER_DATE = re.compile(r"©|copyright|all rights|版权|event|deadline|expires?|valid until|today is|今天是", re.I)
URL_DATE = re.compile(r"(?<!\d)((?:19|20)\d\d)([-/._]?)(0[1-9]|1[0-2])\2(0[1-9]|[12]\d|3[01])(?!\d)")
CHINESE_URL_DATE = re.compile(r"/(\d\d)/(\d\d)(\d\d)/\d")


def _published_json(evidence: Evidence) -> Iterator[str]:
    yield from evidence.structured.texts("datePublished", "dateCreated", ranks=(1,))
    yield from evidence.structured.texts("datePublished", "dateCreated", ranks=(2, 3))


def _published_metas(evidence: Evidence) -> Iterator[str]:
    yield from evidence.metas(*PUBLISHED_METAS)


def _microdata(evidence: Evidence) -> Iterator[str]:
    for mark in evidence.marks.of("datepublished", "datecreated"):
        yield mark.element.get("content") or mark.element.get("datetime") or mark.text


def _times(evidence: Evidence) -> Iterator[str]:
    marks = evidence.marks
    for mark in marks.of("time"):
        if marks.distance(mark) > 400 or CHANGED.search(_context(mark.element)):
            continue
        yield mark.element.get("datetime") or mark.text


def _dated(evidence: Evidence) -> Iterator[str]:
    marks = evidence.marks
    for mark in marks.of("date"):
        if marks.distance(mark) < 120 and not CHANGED.search(mark.text[:40]) and len(mark.text) < 300:
            yield mark.text


def _near(evidence: Evidence) -> Iterator[str]:
    for i in evidence.near_headline:
        text = evidence.texts[i]
        if len(text) < 300 and any(char.isdigit() for char in text) and not CHANGED.search(text):
            yield text


def _near_changed(evidence: Evidence) -> Iterator[str]:
    for i in evidence.near_headline:
        text = evidence.texts[i]
        if len(text) < 300 and any(char.isdigit() for char in text) and CHANGED.search(text):
            yield text


def _address(evidence: Evidence) -> Iterator[str]:
    for url in (evidence.page.url, *evidence.meta.links.get("canonical", [])[:1], evidence.meta.get("og:url")):
        if url and (match := URL_DATE.search(url)):
            yield f"{match[1]}-{match[3]}-{match[4]}"


def _modified_json(evidence: Evidence) -> Iterator[str]:
    yield from evidence.structured.texts("dateModified")


def _modified_metas(evidence: Evidence) -> Iterator[str]:
    yield from evidence.metas(*MODIFIED_METAS)


def _modified_marks(evidence: Evidence) -> Iterator[str]:
    for mark in evidence.marks.of("datemodified"):
        yield mark.element.get("content") or mark.element.get("datetime") or mark.text
    for mark in evidence.marks.of("time"):
        if evidence.marks.distance(mark) < 400 and CHANGED.search(_context(mark.element)):
            yield mark.element.get("datetime") or mark.text


PUBLISHED = (
    Source("json-ld", _published_json),
    Source("meta", _published_metas),
    Source("microdata", _microdata),
    Source("time", _times),
    Source("byline", _dated),
    Source("text", _near),
    Source("url", _address),
)
MODIFIED = (
    Source("json-ld", _modified_json),
    Source("meta", _modified_metas),
    Source("microdata", _modified_marks),
    Source("text", _near_changed),
)


def parse(raw: str, evidence: Evidence) -> datetime | None:
    """A date in any of the forms that machines and people write, aware; None if it is none or cannot be the page's."""
    when = machine(raw)
    if when is None:
        now = evidence.fetched_at
        found = written.find(raw, evidence.language) or (written.find(raw, evidence.language, now) if now else [])
        when = found[0].when if found else None
    if when is None:
        return None
    when = when if when.tzinfo else when.replace(tzinfo=zone_of(evidence))
    return when if plausible(when, evidence) else None


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
    """The zone of a date without one: Asia/Shanghai on Chinese pages, else what the page's other dates state, else UTC."""
    if (evidence.language or "").startswith("zh"):
        return ZoneInfo("Asia/Shanghai")
    for raw in (
        *_published_metas(evidence),
        *_published_json(evidence),
        *_modified_json(evidence),
        *_modified_metas(evidence),
    ):
        when = machine(raw)
        if when is not None and when.tzinfo is not None and when.utcoffset():
            return when.tzinfo
    return UTC


def published(evidence: Evidence) -> Found[datetime] | None:
    """The first source of PUBLISHED that gives a plausible date."""
    return _first(PUBLISHED, evidence)


def modified(evidence: Evidence, first: Found[datetime] | None) -> Found[datetime] | None:
    """The first source of MODIFIED that gives a plausible date not before publication."""
    found = _first(MODIFIED, evidence)
    return None if found and first and found.value < first.value else found


def _first(table: tuple[Source, ...], evidence: Evidence) -> Found[datetime] | None:
    for source in table:
        for raw in source.read(evidence):
            if raw and not (len(raw) > 40 and OTHER_DATE.search(raw)) and (when := parse(raw, evidence)):
                return Found(when, source.name, raw.strip()[:200])
    return None


def _context(element: Any) -> str:
    parent = element.getparent()
    classes = f"{element.get('class') or ''} {element.get('itemprop') or ''}"
    if parent is None:
        return classes
    return f"{classes} {parent.get('class') or ''} {(parent.text or '')[-40:]} {(element.text or '')[:20]}"
