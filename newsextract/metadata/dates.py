"""Publication and modification date: a page's sources in order of trust, and the choice among them."""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from itertools import islice, pairwise
from operator import methodcaller
from typing import get_args
from zoneinfo import ZoneInfo

from turbohtml.etree import ElementView

from newsextract.items import SELECTOR, ListingSource, is_plausible_date
from newsextract.language import date_parser, words
from newsextract.language.date_parser import SHOWN_YEAR, parse_machine_date
from newsextract.metadata.bylines import LABEL_BLOCKS, MAX_LABEL, is_byline
from newsextract.metadata.evidence import (
    BY_HINTS,
    HEADINGS,
    WORD,
    PageEvidence,
    Source,
    SourcedValue,
    is_sentence,
)
from newsextract.metadata.markup import MARKUP, any_of
from newsextract.metadata.markup_hints import MarkupHint, is_profile
from newsextract.page.titles import text_of
from newsextract.page.walk import BLOCK, INLINE, KINDS
from newsextract.parts.owners import Owner
from newsextract.text import comparison_key
from newsextract.urls import host_and_path

DIGIT = re.compile(r"\d")
METAS = MARKUP["metas"]
#: Names of declarations of the publication, of a date that may be any, read after those, and of the modification.
PUBLISHED_METAS, GENERAL_METAS, MODIFIED_METAS = METAS["published"], METAS["general"], METAS["modified"]
#: Further names of declarations of a publication date, and names of other dates.
PUBLISHED_NAME, OTHER_NAME = any_of(METAS["published_names"]), any_of(METAS["other_names"])
#: Words before a modification date, a publication date, and the date of another event.
MODIFIED_WORDS = words.pattern("modified")
PUBLISHED_WORDS = words.pattern("published")
#: A date before that of the modification: "17/03/2026 08h10 - Atualizado há 3 horas".
UPDATE_BEHIND = re.compile(
    rf"(?!\D*(?:{words.alternatives('modified')}))\D*\d.*(?:{words.alternatives('modified')}).*\d", re.I
)
#: A sentence after the text that says when it was written: "Dieser Artikel wurde am 14. Dezember 2015 geschrieben".
IMPRINT = words.pattern("imprint")
OTHER_EVENT_WORDS = words.Words(f"©|{words.pattern('event', bounded=True).pattern}")
#: A name with a date glued to it ("Ann LeeMay 3, 2024", "Ann Lee3. Mai 2024"), if elements have no space between them.
GLUED = re.compile(r"(?<=[^\W\d_])(?=\d)|(?<=[a-zà-ÿ])(?=[A-Z])")
#: A date that begins a paragraph, after up to three words, and what separates it from the sentence: "Bonn,
#: (12.11.2021).", "3 May 2024 | ", "May 3, 2024 (NEWSWIRE) --", "01.02.2022 „". The limit of its position; the number
#: of paragraphs.
DATELINE_END = re.compile(
    r"[\s.)\]]*(?:\([^()]{2,40}\)\s*)?(?:[|/–—:„“\"«»-]|(?<=[)\]])|(?<=\d\.\s)(?=[^\W\d_])|,\s*\d)"
)
DATELINE_START, DATELINES = 40, 4
#: Classes of a publication date, wherever it stands.
PUBLISHED_CLASS = re.compile(any_of(MARKUP["elements"]["published"]).pattern, re.I)
#: Sources that are read without the body; if they give the publication date, the body is not searched for updates.
DECLARED = ("json-ld", "meta")
#: Maximum distance of `time` elements from the headline, and their number.
TIME_REACH, MAX_TIMES = 400, 20
#: Maximum offset from UTC, in hours, of a page's zone if only its day is known; a day further off is of another event.
MAX_OFFSET = 9
#: Maximum offset of a zone from UTC; all zones differ by quarters of an hour.
MAX_DIFFERENCE, QUARTER = timedelta(hours=14), timedelta(minutes=15)
#: Maximum time from a publication to an update in the same line; an earlier date is of something else.
MAX_UPDATE, AS_SHOWN = timedelta(days=366), methodcaller("replace", tzinfo=None)
#: Languages that are mostly written in one zone.
ZONES_OF_LANGUAGES = {"zh": "Asia/Shanghai", "ja": "Asia/Tokyo", "ko": "Asia/Seoul"}
#: Maximum characters of a block that shows the publication day. Blocks around the headline, at most down to the text,
#: that belong to the article although their class is that of another part of the page ("teaser-meta").
MAX_DATELINE, BESIDE, MAX_BELOW = 100, 2, 7
#: Blocks after the article that are searched for a date, and words of a line with a date.
BLOCKS_BEHIND, MAX_WORDS_BESIDE_DATE = 9, 5
#: Elements between the headline and hints that surely are its own, and characters of an entry in a live blog.
MAX_BELOW_HEADLINE, MIN_ENTRY = 20, 100
#: Minimum spaces in the text of a link that is another page's headline.
MIN_SPACES = 3


def publication_date(evidence: PageEvidence) -> SourcedValue[datetime] | None:
    """The first plausible date of the sources PUBLISHED.

    A declared date may be that of the last build of a static site, or of an import: then an earlier one below the
    headline or in the URL is preferred. Of several declared dates, the one that readers see is right. A
    declaration or the URL may tell which number of 5/6/2024 is the month.
    """
    published = _first_date(PUBLISHED, evidence)
    if published and published.source == SELECTOR:
        return _in_right_order(published, evidence)
    if published and published.source in DECLARED:
        shown = [*_days_shown(evidence)]
        if published.value.date() in shown:
            return published
        if shown and (seen := _declared_as_shown(shown, evidence)):
            return seen
        earlier = _first_date(EARLIER, evidence) if _may_be_build_date(published.value, evidence) else None
        is_earlier = earlier is not None and earlier.value < published.value - timedelta(days=2)
        if earlier and is_earlier and not _is_month_for_day(earlier.value, published.value):
            return earlier
        return _on_the_day_shown(published, shown, evidence)
    return published and _completed(_in_right_order(published, evidence), evidence)


def _completed(shown: SourcedValue[datetime], evidence: PageEvidence) -> SourcedValue[datetime]:
    """A date that the page shows without time or zone, completed by a list if that can be the same moment.

    If the URL has another day than the text, and a list agrees with it, the page contradicts itself: the list decides.
    """
    if (listed := _first_date(LISTED, evidence)) is None:
        return shown
    of_url = _first_date(ORDER_SOURCES[:1], evidence)
    if of_url and of_url.value.date() == listed.value.date() and abs(of_url.value - shown.value) > 2 * SAME_TIME:
        return listed
    as_read = parse_machine_date(shown.raw or "") or _parse_text(shown.raw or "", evidence)
    if as_read is None or as_read.tzinfo:
        return shown
    late = listed.value - shown.value
    if as_read.time() == time():
        is_same = -MAX_DIFFERENCE <= late <= timedelta(days=1) + MAX_DIFFERENCE
    else:
        is_same = abs(late) <= MAX_DIFFERENCE and not late % QUARTER
    return listed if is_same else shown


def _in_right_order(published: SourcedValue[datetime], evidence: PageEvidence) -> SourcedValue[datetime]:
    """A numeric date (5/6/2024) with month and day in the order that the URL or the modification date confirms."""
    when = published.value
    if when.month == when.day or when.day > 12 or not date_parser.NUMERIC.search(published.raw or ""):
        return published
    swapped = when.replace(month=when.day, day=when.month)
    near = [other.value for source in ORDER_SOURCES if (other := _first_date((source,), evidence))]
    closer = any(abs(other - swapped) <= SAME_TIME < abs(other - when) for other in near)
    if month := date_parser.URL_MONTH.search(host_and_path(evidence.page.url)[1]):
        closer |= (swapped.year, swapped.month) == (int(month[1]), int(month[2]))
    return SourcedValue(swapped, published.source, published.raw) if closer else published


def _is_month_for_day(when: datetime, other: datetime) -> bool:
    """Whether two dates differ only in that month and day are swapped."""
    return when.month != when.day and (when.year, when.day, when.month) == other.timetuple()[:3]


def _days_shown(evidence: PageEvidence) -> Iterator[date]:
    for i in evidence.near_headline:
        text = evidence.texts[i]
        if len(text) < MAX_DATELINE and SHOWN_YEAR.search(text) and (when := _parse(text, evidence)):
            yield when.date()


def _declared_as_shown(shown: Sequence[date], evidence: PageEvidence) -> SourcedValue[datetime] | None:
    """The first declared publication date of a shown day, unless the page was changed on that day."""
    changed = [_parse(raw, evidence) for raw in (*json_ld_modified(evidence), *meta_modified(evidence))]
    days = {*shown} - {when.date() for when in changed if when}
    for name, read in zip(DECLARED, (json_ld_published, meta_published), strict=True):
        for raw in read(evidence):
            if (when := _parse(raw, evidence)) and when.date() in days:
                return SourcedValue(when, name, raw.strip()[:200])
    return None


def _on_the_day_shown(
    published: SourcedValue[datetime], shown: Sequence[date], evidence: PageEvidence
) -> SourcedValue[datetime]:
    """A date declared in UTC, in the page's zone or the nearest one that gives it the day shown to readers."""
    when = published.value
    if when.utcoffset():
        return published
    for day in shown:
        apart = (day - when.date()).days
        if abs(apart) != 1:
            continue
        hours = (timezone(timedelta(hours=apart * hours)) for hours in range(1, MAX_OFFSET + 1))
        for local in (_default_zone(evidence), *hours):
            if when.astimezone(local).date() == day:
                return SourcedValue(when.astimezone(local), published.source, published.raw)
    return published


def _may_be_build_date(declared: datetime, evidence: PageEvidence) -> bool:
    """Whether a declared date may be that of the site's last build: no later modification is declared."""
    modified = _first_date(MODIFIED[:2], evidence)
    return modified is None or modified.value < declared + timedelta(days=1)


def modification_date(
    evidence: PageEvidence, published: SourcedValue[datetime] | None
) -> SourcedValue[datetime] | None:
    """The first plausible date of the sources MODIFIED; None if it is before publication."""
    is_declared = published is not None and published.source in DECLARED
    modified = _first_date(MODIFIED[:2] if is_declared else MODIFIED, evidence)
    return None if modified and published and modified.value < published.value else modified


def _first_date(table: tuple[Source, ...], evidence: PageEvidence) -> SourcedValue[datetime] | None:
    for source in table:
        for raw in source.read(evidence):
            if raw and (when := _parse(raw, evidence)):
                return SourcedValue(when, source.name, raw.strip()[:200])
            if raw and source.name in DECLARED and DIGIT.search(raw):
                evidence.note("date", "declared, but no date that a page can have", raw)
    return None


def _parse(raw: str, evidence: PageEvidence) -> datetime | None:
    """A date in any form that machines or people write, aware; None for anything else and for implausible dates."""
    when = parse_machine_date(raw) or _parse_text(raw, evidence)
    if when is None:
        return None
    when = when if when.tzinfo else when.replace(tzinfo=_default_zone(evidence))
    return when if is_plausible_date(when, evidence.fetched_at) else None


def _find_dates(raw: str, evidence: PageEvidence) -> tuple[date_parser.DateMatch, ...]:
    """The dates of a text in its language; if there are none, in that of the theme, which `html` declares."""
    dates = date_parser.find_dates(raw, evidence.language_and_country)
    theme = evidence.meta.html_lang
    return dates or (date_parser.find_dates(raw, theme) if theme else ())


def _parse_text(raw: str, evidence: PageEvidence) -> datetime | None:
    """The date that a text marks as its publication's, or else the earliest that isn't another event's.

    A relative date counts only where the text has no other.
    """
    dates = _find_dates(raw, evidence)
    if not dates and GLUED.search(raw):
        raw = GLUED.sub(" ", raw)
        dates = _find_dates(raw, evidence)
    if not dates and evidence.fetched_at:
        dates = date_parser.find_dates(raw, evidence.language_and_country, evidence.fetched_at)
    others, doubtful = list[datetime](), list[datetime]()
    for i, found in enumerate(dates):
        before = raw[max(dates[i - 1].end if i else 0, found.start - 30) : found.start]
        is_published = PUBLISHED_WORDS.search(before)
        is_other = MODIFIED_WORDS.search(before) or OTHER_EVENT_WORDS.search(before)
        if is_published and not is_other:
            return found.when
        if is_published or not is_other:
            (doubtful if is_other else others).append(found.when)
    others = others or doubtful
    if len(raw) >= MAX_DATELINE or len(others) < 2:
        return next(iter(others), None)
    return min((when for when in others if AS_SHOWN(others[0]) - AS_SHOWN(when) < MAX_UPDATE), key=AS_SHOWN)


def _default_zone(evidence: PageEvidence) -> tzinfo:
    """The zone of a date without one: that of a one-zone language, of the declared dates, or UTC."""
    if zone := ZONES_OF_LANGUAGES.get((evidence.language or "")[:2]):
        return ZoneInfo(zone)
    declared = (meta_published, json_ld_published, json_ld_modified, meta_modified)
    dates = (parse_machine_date(raw) for read in declared for raw in read(evidence))
    return next((when.tzinfo for when in dates if when and when.tzinfo and when.utcoffset()), UTC)


def json_ld_published(evidence: PageEvidence) -> Iterator[str]:
    """Publication dates of JSON-LD, the article's own objects first."""
    yield from evidence.structured.texts("datePublished", "dateCreated", "coverageStartTime")


def meta_published(evidence: PageEvidence) -> Iterator[str]:
    """Publication dates of `meta` elements: known names, then names that look like a publication date's."""
    yield from evidence.metas(*PUBLISHED_METAS)
    names = (name for name in evidence.meta.contents if PUBLISHED_NAME.search(name) and not OTHER_NAME.search(name))
    yield from evidence.metas(*names)


def _listed(source: str, name: str) -> Callable[[PageEvidence], Iterator[str]]:
    """A reader of the date that a feed, a sitemap or an AMP copy gives."""

    def read(evidence: PageEvidence) -> Iterator[str]:
        listing = evidence.page.listing
        if listing is not None and listing.source == source and (when := getattr(listing, name)):
            yield when.isoformat()

    return read


def _time_elements(evidence: PageEvidence) -> Iterator[str]:
    """`time` elements in the head of the article, those with a publication label first; behind the text, only those.

    If a line below the headline shows a date, only elements with that day.
    """
    lines = [*islice(_short_blocks_below_headline(evidence), BESIDE)]
    below = [
        when for text in lines if len(WORD.findall(text)) <= MAX_WORDS_BESIDE_DATE and (when := _parse(text, evidence))
    ]
    ranked: list[tuple[bool, int, str]] = []
    for hint in [hint for hint in evidence.hints("time") if hint.distance <= TIME_REACH][:MAX_TIMES]:
        element = hint.element
        if _is_listed(hint, evidence) or evidence.is_in_teaser(element) or _is_in_sentence(element):
            continue
        if _is_beside_headline_of_another(element, evidence):
            continue
        if below and hint.text not in lines:
            when = _parse(hint.value, evidence)
            if not (when and any(abs(when - day) <= SAME_TIME or _is_month_for_day(when, day) for day in below)):
                continue
        classes, label = _label_of(element)
        is_other = MODIFIED_WORDS.search(label) or OTHER_EVENT_WORDS.search(label)
        is_published = PUBLISHED_WORDS.search(label) is not None
        if not is_published and not is_other:
            is_other = MODIFIED_WORDS.search(classes)
            is_published = (PUBLISHED_CLASS if hint.is_behind else PUBLISHED_WORDS).search(classes) is not None
        if is_published or not (is_other or hint.is_behind):
            ranked.append((not is_published, evidence.owners.of(element.node), hint.value))
    yield from (value for *_, value in sorted(ranked, key=lambda row: row[:2]))


def _is_beside_headline_of_another(element: ElementView, evidence: PageEvidence) -> bool:
    """Whether an element's line is for the most part a link with a headline's words to another page."""
    if (line := _line_of(element)) is None:
        return False
    for link in islice(line.iter("a"), 4):
        text, target = text_of(link), evidence.absolute_url(link.get("href") or "")
        if text.count(" ") < MIN_SPACES or 2 * len(text) < len(text_of(line)) or text_of(element) in text:
            continue
        if target and not is_profile(target) and host_and_path(target)[1] != host_and_path(evidence.page.url)[1]:
            return True
    return False


def _line_of(element: ElementView | None) -> ElementView | None:
    """The block-level element that an element is in."""
    while element is not None and KINDS.get(element.tag, INLINE) != BLOCK:
        element = element.getparent()
    return element


def _is_in_sentence(element: ElementView | None) -> bool:
    """Whether an element is a word of running text, which tells of an event."""
    line = _line_of(element)
    return line is not None and is_sentence(text_of(line))


def _magazine_issue(evidence: PageEvidence) -> Iterator[str]:
    """The month of the magazine issue that the end of the text names, as its first day."""
    last = evidence.body_blocks[-1] if evidence.body_blocks else 0
    for text in evidence.texts[max(0, last - 1) : last + 3]:
        if match := date_parser.MAGAZINE_ISSUE.search(text[-40:]):
            yield f"{match[1]}-{int(match[2]):02}-01"


def _date_class_elements(evidence: PageEvidence) -> Iterator[str]:
    """Elements near the headline whose class names a date."""
    for hint in evidence.hints("date"):
        is_line = hint.distance <= 120 and len(hint.text) < 300 and not is_sentence(hint.text)
        if is_line and not _is_update(hint.element) and not _is_listed(hint, evidence):
            yield hint.text


def _is_update(element: ElementView) -> bool:
    """Whether an element's class or label says that its date is a modification's."""
    classes, label = _label_of(element)
    is_update = MODIFIED_WORDS.search(f"{label} {classes}") is not None and not UPDATE_BEHIND.match(text_of(element))
    return is_update and not (PUBLISHED_WORDS.search(f"{label} {text_of(element)}") or PUBLISHED_CLASS.search(classes))


def _updates(evidence: PageEvidence) -> frozenset[str]:
    """The texts of the elements whose class, label or property says that they are a modification date."""
    hints = evidence.hints("date", "datemodified")
    return frozenset(hint.text for hint in hints if hint.kind == "datemodified" or _is_update(hint.element))


def _blocks_near_headline(evidence: PageEvidence) -> Iterator[str]:
    """Short blocks around the headline, without paragraphs and headline."""
    paragraphs, headline = frozenset(evidence.body_blocks[:30]), comparison_key(evidence.headline)
    updates = _updates(evidence)
    top, first = evidence.headline_block, next(iter(evidence.body_blocks), 0)
    own = range(0) if top is None else range(top - BESIDE, max(top + 1 + BESIDE, min(first, top + MAX_BELOW)))
    for i in sorted(evidence.near_headline, key=lambda i: top is not None and i < top):
        text = evidence.texts[i]
        if len(text) >= 300 or not DIGIT.search(text) or text in updates or comparison_key(text) == headline:
            continue
        is_paragraph = i in paragraphs and (len(text) > 120 or is_sentence(text))
        is_long_link = evidence.page.blocks.link_shares[i] > 0.5 and len(WORD.findall(text)) > MAX_WORDS_BESIDE_DATE
        if is_paragraph or (is_long_link and not is_byline(text)):  # another page's headline
            continue
        element = evidence.element(i)
        owner = evidence.owners.of(element.node)
        is_own = owner in BY_HINTS or (i in own and owner >= Owner.NAVIGATION)
        behind = (evidence.owners.of(evidence.element(below).node) for below in range(i + 1, top or 0))
        # what stands above the site's menu is the site's
        if is_own and Owner.NAVIGATION not in behind and not evidence.is_in_teaser(element):
            before = evidence.texts[i - 1] if i else ""
            is_label = len(before) < 30 and comparison_key(before) != headline
            yield f"{before}\n{text}" if is_label else text


def _nearest_short_block(evidence: PageEvidence) -> Iterator[str]:
    """Short blocks with a year, nearest to the headline first; read after all sources but the magazine issue."""
    head = evidence.headline_block if evidence.headline_block is not None else (evidence.body_blocks or (0,))[0]
    texts = evidence.texts
    updates = _updates(evidence)
    numbers = range(max(0, head - 40), min(evidence.head_end, head + 60))
    short = (i for i in numbers if len(texts[i]) < 70 and SHOWN_YEAR.search(texts[i]) and texts[i] not in updates)
    for i in sorted(short, key=lambda i: i - head if i >= head else 2 * (head - i)):
        if not evidence.owners.of(evidence.element(i).node) and evidence.is_own(i):
            yield texts[i]


def _dateline(evidence: PageEvidence) -> Iterator[str]:
    """The date that begins one of the first paragraphs, separated from its sentence."""
    for i in evidence.body_blocks[:DATELINES]:
        text = evidence.texts[i][: 2 * DATELINE_START]
        for found in _find_dates(text, evidence)[:1]:
            is_first = found.start <= DATELINE_START and text[: found.start].count(" ") <= 3
            if is_first and DATELINE_END.match(text, found.end):
                yield found.raw


def _behind_the_text(evidence: PageEvidence) -> Iterator[str]:
    """A date line at the end of the text, and labelled or marked ones right behind it, before the next heading."""
    if (last := evidence.last_block) is None:
        return
    for i in range(max(0, last - 1), min(len(evidence.texts), last + BLOCKS_BEHIND)):
        text, element = evidence.texts[i], evidence.element(i)
        if i > last and element.tag in HEADINGS:
            break
        if not SHOWN_YEAR.search(text):
            continue
        is_line = len(text) < 80 and len(WORD.findall(text)) <= MAX_WORDS_BESIDE_DATE
        is_marked = (
            i == last
            or PUBLISHED_WORDS.search(text)
            or MODIFIED_WORDS.search(text)
            or PUBLISHED_CLASS.search(_label_of(element)[0])
            or any(map(is_byline, (text, *evidence.texts[i - 1 : i + 2 : 2])))
        )
        is_imprint = i >= last and len(text) < 200 and IMPRINT.search(text)
        if ((is_line and is_marked) or is_imprint) and evidence.is_own(i):
            yield text


def _behind_a_label(evidence: PageEvidence) -> Iterator[str]:
    """Dates below the head of the article whose label ("Published") is a block of its own."""
    texts, shared = evidence.texts, None
    for i in range(evidence.head_end, min(len(texts) - 1, (evidence.last_block or 0) + LABEL_BLOCKS)):
        label, text = texts[i : i + 2]
        is_label = len(label) < MAX_LABEL and SHOWN_YEAR.search(text) and PUBLISHED_WORDS.search(label)
        is_own = is_label and len(WORD.findall(text)) <= MAX_WORDS_BESIDE_DATE and evidence.is_own(i, labelled=True)
        # a label that stands before other dates, too, is that of the parts of a list
        if is_own:
            shared = _shared_labels(texts) if shared is None else shared
            if label not in shared:
                yield text


def _shared_labels(texts: Sequence[str]) -> set[str]:
    """The texts of blocks that stand before different ones."""
    behind: dict[str, str] = {}
    return {label for label, text in pairwise(texts) if behind.setdefault(label, text) != text}


def _is_listed(hint: MarkupHint, evidence: PageEvidence) -> bool:
    """Whether a hint is in a teaser or a record: right below the headline, only in a record with running text."""
    if hint.distance <= MAX_BELOW_HEADLINE:
        return evidence.owners.is_record(hint.element.node, MIN_ENTRY)
    return evidence.owners.is_record(hint.element.node) or evidence.is_in_teaser(hint.element)


def _updates_near_headline(evidence: PageEvidence) -> Iterator[str]:
    """The first date, or else the text, after a modification word in blocks around the headline."""
    for i in evidence.near_headline:
        text = evidence.texts[i]
        if len(text) < 300 and DIGIT.search(text) and (match := MODIFIED_WORDS.search(text)):
            yield next((found.raw for found in _find_dates(text[match.end() :], evidence)), text[match.end() :])


def _url_date(evidence: PageEvidence) -> Iterator[str]:
    """A date in the URL, the canonical URL or `og:url`."""
    for url in (evidence.page.url, *evidence.meta.links.get("canonical", [])[:1], evidence.meta.get("og:url")):
        yield from (when.date().isoformat() for when in date_parser.find_url_dates(url or ""))


def _modification_in_year_of_url(evidence: PageEvidence) -> Iterator[str]:
    """A declared modification in the year of the URL's folder, for a publication declared later than that."""
    folders = host_and_path(evidence.page.url)[1].split("/")
    if not any(raw[:4] in folders for raw in (*json_ld_published(evidence), *meta_published(evidence))):
        yield from (raw for raw in (*json_ld_modified(evidence), *meta_modified(evidence)) if raw[:4] in folders)


def json_ld_modified(evidence: PageEvidence) -> Iterator[str]:
    yield from evidence.structured.texts("dateModified")


def meta_modified(evidence: PageEvidence) -> Iterator[str]:
    yield from evidence.metas(*MODIFIED_METAS)


def _modified_elements(evidence: PageEvidence) -> Iterator[str]:
    """Elements with `itemprop` dateModified, and `time` elements surrounded by modification words."""
    yield from (hint.value for hint in evidence.hints("datemodified"))
    for hint in evidence.hints("time"):
        if hint.distance < 400 and MODIFIED_WORDS.search(" ".join(_label_of(hint.element))):
            yield hint.value


#: What lists and the AMP copy say of a page; it fills gaps of the page.
LISTED = tuple(Source(name, _listed(name, "date_published")) for name in get_args(ListingSource))
#: Sources of the publication date, most trusted first.
PUBLISHED = (
    Source(SELECTOR, lambda evidence: evidence.selected("date", "datetime")),
    Source("json-ld", json_ld_published),
    Source("meta", meta_published),
    Source("microdata", lambda evidence: (hint.value for hint in evidence.hints("datepublished", "datecreated"))),
    Source("text", lambda evidence: filter(date_parser.TIMESTAMP.match, _short_blocks_below_headline(evidence))),
    Source("time", _time_elements),
    Source("byline", _date_class_elements),
    Source("text", _blocks_near_headline),
    Source("meta", lambda evidence: evidence.metas(*GENERAL_METAS)),
    Source("url", _url_date),
    Source("text", _dateline),
    Source("text", _behind_the_text),
    Source("text", _behind_a_label),
    *LISTED,
    Source("text", _nearest_short_block),
    Source("text", _magazine_issue),
)
#: Sources of the modification date, most trusted first.
MODIFIED = (
    Source("json-ld", json_ld_modified),
    Source("meta", meta_modified),
    Source("microdata", _modified_elements),
    Source("text", _updates_near_headline),
    Source("feed", _listed("feed", "date_modified")),
    Source("sitemap", _listed("sitemap", "date_modified")),
)


def _short_blocks_below_headline(evidence: PageEvidence) -> Iterator[str]:
    """Short blocks with a year between the headline and the text."""
    top = evidence.headline_block
    if top is not None:
        last = min(top + 8, len(evidence.texts), *([first for first in evidence.body_blocks[:1] if first > top]))
        yield from (text for text in evidence.texts[top + 1 : last] if len(text) < 60 and SHOWN_YEAR.search(text))


#: Sources that tell which number of 5/6/2024 is the month: a date within SAME_TIME of only one of the two readings.
ORDER_SOURCES, SAME_TIME = (Source("url", _url_date), *MODIFIED[:2], *LISTED), timedelta(days=1.5)
#: Sources of dates that are preferred to a later declared one, which may be that of a build or an import.
EARLIER = (
    Source("text", _short_blocks_below_headline),
    Source("url", _url_date),
    Source("meta", _modification_in_year_of_url),
)


def _label_of(element: ElementView) -> tuple[str, str]:
    """The class names of a `time` element and its parents; the nearest words before it and its own first ones."""
    classes, label = [element.get("class") or "", element.get("itemprop") or ""], ""
    own = (element.text or "").strip()[:30]
    for _ in range(2):
        before, above = element.getprevious(), element.getparent()
        if not label and before is not None:
            label = (before.tail or "").strip()[-40:] or "".join(before.itertext()).strip()[-30:]
        if above is None:
            break
        classes.append(above.get("class") or "")
        label = label or (above.text or "").strip()[-40:]
        if len(above) > 1:
            break
        element = above
    return " ".join(classes), f"{label} {own}"
