"""When the article was published and changed."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from email.utils import parsedate_to_datetime
from typing import Any
from zoneinfo import ZoneInfo

from newsextract.metadata import written
from newsextract.metadata.evidence import Evidence, Found, Source

FOUR_DIGITS = re.compile(r"(?:19|20)\d\d")
DIGIT = re.compile(r"\d")
STAMP = re.compile(r"(?:19|20)\d\d[-/年.]\d{1,2}[-/月.]\d{1,2}日?\s+\d{1,2}:\d\d")
ISSUE = re.compile(r"((?:19|20)\d\d)年\s*(1[0-2]|0?[1-9])\s*月[号號]")
EARLIEST = datetime(1990, 1, 1, tzinfo=UTC)
PUBLISHED_METAS = (
    "article:published_time article:published og:published_time og:article:published_time datepublished"
    " itemprop:datepublished parsely-pub-date sailthru.date dc.date.issued dcterms.issued dc.date.created"
    " dcterms.created"
    " dc.date dcterms.date dc.terms.date date pubdate publishdate publish-date publish_date publication_date"
    " publicationdate"
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
#: A declaration's name that speaks of publication, and those that speak of something else.
PUBLISHED_NAME = re.compile(
    r"(?:publi[sc]|pub|issue|release|post|creat|article)\w*[._:-]?(?:date|time|on|at)|date[._:-]?(?:publi|issue|creat)"
)
OTHER_NAME = re.compile(r"modif|updat|expir|event|start|end|valid|review|copyright|unpub|birth|revis")
#: Words right before (or behind, in brackets) a date that say it is of another event than publication.
CHANGED = re.compile(
    r"updat|modif|revis|edited|review|aktualis|aktualiz|stand:|mis à jour|actuali[sz]|aggiornat|bijgewerkt"
    r"|opdater|oppdater|uppdater|güncelle|обновлен|изменен|更新|修改|修訂|수정|checked",
    re.I,
)
OTHER_DATE = re.compile(
    r"©|copyright|all rights|版权|版權|event|deadline|expire|valid|today is|今天是|join(?:ed|s)|since|born|register"
    r"|until|through|accessed|retrieved|starts?|ends?",
    re.I,
)
SAID_PUBLISHED = re.compile(
    r"publi|posted|created|written|released|erstellt|veröffentlicht|发布|發布|发表|發表|公開|掲載|时间|時間|日期|\bdate\b|added|gepubliceerd"
    r"|yayın|опубликован|utworzon|opublikowan",
    re.I,
)
URL_DATE = re.compile(r"(?<!\d)((?:19|20)\d\d)([-/._]?)(0[1-9]|1[0-2])\2(0[1-9]|[12]\d|3[01])(?!\d)")
CHINESE_URL_DATE = re.compile(r"/(\d\d)/(\d\d)(\d\d)/\d")


def _published_json(evidence: Evidence) -> Iterator[str]:
    yield from evidence.structured.texts("datePublished", "dateCreated", ranks=(1,))
    yield from evidence.structured.texts("datePublished", "dateCreated", ranks=(2, 3))


def _published_metas(evidence: Evidence) -> Iterator[str]:
    yield from evidence.metas(*PUBLISHED_METAS)
    for name, contents in evidence.meta.contents.items():
        if PUBLISHED_NAME.search(name) and not OTHER_NAME.search(name):
            yield from contents


def _microdata(evidence: Evidence) -> Iterator[str]:
    for mark in evidence.marks.of("datepublished", "datecreated"):
        yield mark.element.get("content") or mark.element.get("datetime") or mark.text


def _times(evidence: Evidence) -> Iterator[str]:
    """`time` elements near the headline, those that are said to be the publication's first."""
    marks = evidence.marks
    near = [(_context(mark.element), mark) for mark in marks.of("time") if mark.distance <= 400]
    near = [(context, mark) for context, mark in near if not CHANGED.search(context)]
    for _, mark in sorted(near[:20], key=lambda one: not SAID_PUBLISHED.search(one[0])):
        yield mark.element.get("datetime") or mark.text


def _stamped(evidence: Evidence) -> Iterator[str]:
    """A block right below the headline that begins with a day and a time: the stamp of many publishing systems."""
    yield from (text for text in _below_headline(evidence) if STAMP.match(text))


def _issue(evidence: Evidence) -> Iterator[str]:
    """The month of the magazine's issue, where the text's end says it: the date is that issue's first day."""
    last = evidence.chosen[-1] if evidence.chosen else 0
    for text in evidence.texts[max(0, last - 1) : last + 3]:
        if match := ISSUE.search(text[-40:]):
            yield f"{match[1]}-{int(match[2]):02}-01"


def _dated(evidence: Evidence) -> Iterator[str]:
    marks = evidence.marks
    for mark in marks.of("date"):
        if mark.distance <= 120 and len(text := mark.text) < 300:
            yield text


def _near(evidence: Evidence) -> Iterator[str]:
    """Short blocks around the headline, then those right behind the article that say "published".

    A paragraph of the text tells of events: its dates are theirs.
    """
    told = frozenset(evidence.chosen[:30])
    for i in evidence.near_headline:
        text = evidence.texts[i]
        if len(text) > 120 and i in told:
            continue
        if len(text) < 300 and DIGIT.search(text) and evidence.marks.elsewhere(evidence.element(i)) < 2:
            before = evidence.texts[i - 1] if i else ""
            yield f"{before}\n{text}" if len(before) < 30 else text
    if evidence.chosen:
        for text in evidence.texts[evidence.chosen[-1] : evidence.chosen[-1] + 6]:
            if len(text) < 120 and DIGIT.search(text) and SAID_PUBLISHED.search(text):
                yield text


def _anywhere(evidence: Evidence) -> Iterator[str]:
    """Short blocks with a date, the nearest to the article's head first: the last resort before the address."""
    head = evidence.headline_block if evidence.headline_block is not None else (evidence.chosen or (0,))[0]
    texts = evidence.texts
    places = range(max(0, head - 40), min(len(texts), head + 60))
    for i in sorted(places, key=lambda place: place - head if place >= head else 2 * (head - place)):
        if len(texts[i]) < 70 and FOUR_DIGITS.search(texts[i]) and not evidence.marks.elsewhere(evidence.element(i)):
            yield texts[i]


def _near_changed(evidence: Evidence) -> Iterator[str]:
    for i in evidence.near_headline:
        text = evidence.texts[i]
        if len(text) < 300 and DIGIT.search(text) and (match := CHANGED.search(text)):
            yield text[match.end() :]


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
        if mark.distance < 400 and CHANGED.search(_context(mark.element)):
            yield mark.element.get("datetime") or mark.text


PUBLISHED = (
    Source("json-ld", _published_json),
    Source("meta", _published_metas),
    Source("microdata", _microdata),
    Source("text", _stamped),
    Source("time", _times),
    Source("byline", _dated),
    Source("text", _near),
    Source("url", _address),
    Source("text", _anywhere),
    Source("text", _issue),
)
MODIFIED = (
    Source("json-ld", _modified_json),
    Source("meta", _modified_metas),
    Source("microdata", _modified_marks),
    Source("text", _near_changed),
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
    found = written.find(raw, evidence.language)
    if not found and evidence.fetched_at:
        found = written.find(raw, evidence.language, evidence.fetched_at)
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
    """The first source of PUBLISHED that gives a plausible date; one below the headline corrects a rebuild's."""
    found = _first(PUBLISHED, evidence)
    if found and found.source in DECLARED and _rebuilt(found.value, evidence):
        seen = _first((Source("text", _below_headline),), evidence)
        if seen and seen.value < found.value - timedelta(days=2):
            return seen
    return found


def _rebuilt(declared: datetime, evidence: Evidence) -> bool:
    """Whether a declared date may be that of the site's last build: no later change is declared."""
    changed = _first(MODIFIED[:2], evidence)
    return changed is None or changed.value < declared + timedelta(days=1)


def _below_headline(evidence: Evidence) -> Iterator[str]:
    top = evidence.headline_block
    if top is not None:
        last = min(top + 8, len(evidence.texts), *([first for first in evidence.chosen[:1] if first > top]))
        yield from (text for text in evidence.texts[top + 1 : last] if len(text) < 60 and FOUR_DIGITS.search(text))


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


def _context(element: Any) -> str:
    """What is said around a `time` element: its classes, the text before it in its own and its parent's element."""
    pieces = [element.get("class") or "", element.get("itemprop") or "", (element.text or "")[:30]]
    for _ in range(2):
        before = element.getprevious()
        if before is not None:
            pieces.append((before.tail or "")[-40:] + " " + "".join(before.itertext())[-30:])
        element = element.getparent()
        if element is None:
            break
        pieces += [element.get("class") or "", (element.text or "")[-40:]]
        if len(element) > 1:
            break
    return " ".join(pieces)
