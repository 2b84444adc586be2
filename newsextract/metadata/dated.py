"""Where the dates of a page stand: what is written there, place by place, most trusted first. `dates` reads them."""

import re
from collections.abc import Iterator
from typing import Any

from newsextract.metadata.evidence import Evidence, Source

FOUR_DIGITS = re.compile(r"(?:19|20)\d\d")
DIGIT = re.compile(r"\d")
STAMP = re.compile(r"(?:19|20)\d\d[-/年.]\d{1,2}[-/月.]\d{1,2}日?\s+\d{1,2}:\d\d")
ISSUE = re.compile(r"((?:19|20)\d\d)年\s*(1[0-2]|0?[1-9])\s*月[号號]")
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
SAID_PUBLISHED = re.compile(
    r"publi|posted|created|written|released|erstellt|veröffentlicht|发布|發布|发表|發表|公開|掲載|时间|時間|日期|\bdate\b|added|gepubliceerd"
    r"|yayın|опубликован|utworzon|opublikowan",
    re.I,
)
URL_DATE = re.compile(r"(?<!\d)((?:19|20)\d\d)([-/._]?)(0[1-9]|1[0-2])\2(0[1-9]|[12]\d|3[01])(?!\d)")


def published_json(evidence: Evidence) -> Iterator[str]:
    """What JSON-LD says of publication, the article's own objects first."""
    yield from evidence.structured.texts("datePublished", "dateCreated", ranks=(1,))
    yield from evidence.structured.texts("datePublished", "dateCreated", ranks=(2, 3))


def published_metas(evidence: Evidence) -> Iterator[str]:
    """What the head says of publication, also under names that only look like it."""
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
    yield from (text for text in below_headline(evidence) if STAMP.match(text))


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


def modified_json(evidence: Evidence) -> Iterator[str]:
    """What JSON-LD says of changes."""
    yield from evidence.structured.texts("dateModified")


def modified_metas(evidence: Evidence) -> Iterator[str]:
    """What the head says of changes."""
    yield from evidence.metas(*MODIFIED_METAS)


def _modified_marks(evidence: Evidence) -> Iterator[str]:
    for mark in evidence.marks.of("datemodified"):
        yield mark.element.get("content") or mark.element.get("datetime") or mark.text
    for mark in evidence.marks.of("time"):
        if mark.distance < 400 and CHANGED.search(_context(mark.element)):
            yield mark.element.get("datetime") or mark.text


PUBLISHED = (
    Source("json-ld", published_json),
    Source("meta", published_metas),
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
    Source("json-ld", modified_json),
    Source("meta", modified_metas),
    Source("microdata", _modified_marks),
    Source("text", _near_changed),
)


def below_headline(evidence: Evidence) -> Iterator[str]:
    """Short blocks with a year between the headline and the text."""
    top = evidence.headline_block
    if top is not None:
        last = min(top + 8, len(evidence.texts), *([first for first in evidence.chosen[:1] if first > top]))
        yield from (text for text in evidence.texts[top + 1 : last] if len(text) < 60 and FOUR_DIGITS.search(text))


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
