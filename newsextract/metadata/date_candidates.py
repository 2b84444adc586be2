"""Candidates for the publication date: every date of the page that could be it, with the signs of its place.

Three groups are read one after the other, each only if those before have no date that is sure enough: declared dates,
dates beside the headline and in the URL, dates elsewhere. What speaks against a candidate is a sign, too, not a reason
to leave it out: the weights decide.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import cached_property
from itertools import islice, pairwise
from typing import NamedTuple

from turbohtml.etree import ElementView

from newsextract.items import SELECTOR
from newsextract.language import date_parser, words
from newsextract.language.date_parser import SHOWN_YEAR
from newsextract.metadata.bylines import is_byline
from newsextract.metadata.date_readings import (
    LABEL_REACH,
    METAS,
    MODIFIED_WORDS,
    OTHER_EVENT_WORDS,
    PUBLISHED_WORDS,
    DateReader,
    Reading,
    json_ld_modified,
    json_ld_published,
    meta_modified,
    meta_published,
)
from newsextract.metadata.evidence import (
    BESIDE,
    BY_HINTS,
    FAR_BLOCKS,
    HEADINGS,
    NEAR_BLOCKS,
    PageEvidence,
    is_sentence,
)
from newsextract.metadata.markup_hints import MarkupHint, is_profile
from newsextract.page.class_names import BITS, mask_of
from newsextract.page.titles import text_of
from newsextract.page.walk import BLOCK, INLINE, KINDS
from newsextract.parts.owners import Owner
from newsextract.parts.records import MAX_WITHIN, is_record
from newsextract.text import DIGITS, LETTERS, LONG_LINE, LONGEST_LINE, MAX_LABEL, SHORT_LINE, comparison_key
from newsextract.urls import host_and_path

#: A date before that of the modification: "17/03/2026 08h10 - Atualizado há 3 horas".
UPDATE_BEHIND = re.compile(
    rf"(?!\D*(?:{words.alternatives('modified')}))\D*\d.*(?:{words.alternatives('modified')}).*\d", re.I
)
#: A sentence after the text that says when it was written: "Dieser Artikel wurde am 14. Dezember 2015 geschrieben".
IMPRINT = words.pattern("imprint")
#: A date that begins a paragraph, after up to three words, and what separates it from the sentence: "Bonn,
#: (12.11.2021).", "3 May 2024 | ", "May 3, 2024 (NEWSWIRE) --", "01.02.2022 „". The limit of its position; the number
#: of paragraphs.
DATELINE_END = re.compile(
    r"[\s.)\]]*(?:\([^()]{2,40}\)\s*)?(?:[|/–—:„“\"«»-]|(?<=[)\]])|(?<=\d\.\s)(?=[^\W\d_])|,\s*\d)"
)
#: Classes of a publication date, wherever it stands.
PUBLISHED_CLASS = BITS["hints"]["published"]
#: Values, elements and lines of one kind that are read, and the maximum distance of elements from the headline.
MAX_READ = 20
TIME_REACH = 400
#: Maximum distance of an element with the class of a date.
CLASS_REACH = 120
#: Words of a line that is little else than a date.
MAX_WORDS_BESIDE_DATE = 5
#: Elements between the headline and hints that surely are its own, and characters of an entry in a live blog.
MAX_BELOW_HEADLINE = 20
MIN_ENTRY = 100

#: Minimum spaces in the text of a link that is another page's headline.
MIN_SPACES = 3


class DateCandidate(NamedTuple):
    """A date, the reader that found it, the signs of its place, and its distance from the headline (0 to 1)."""

    reading: Reading
    reader: str
    signs: tuple[str, ...] = ()
    distance: float = 0.0

    @property
    def is_declared(self) -> bool:
        return self.reader in ("json-ld", "meta")


#: Reader -> name of the source of a date; the others are their own.
SOURCES = {
    "json-ld change": "json-ld",
    "meta change": "meta",
    "meta of any date": "meta",
    "class": "byline",
    **dict.fromkeys(("line", "dateline", "line behind", "label", "far line", "issue"), "text"),
}


class DateCandidates:
    """The candidates of one page."""

    def __init__(self, reader: DateReader) -> None:
        self.reader, self.evidence = reader, reader.evidence

    def selected(self) -> Iterator[DateCandidate]:
        """What the site's selectors find."""
        yield from self._of(SELECTOR, self.evidence.selected("date", "datetime"))

    def declared(self) -> Iterator[DateCandidate]:
        yield from self._of("json-ld", json_ld_published(self.evidence), is_noted=True)
        yield from self._of("meta", meta_published(self.evidence), is_noted=True)

    def beside_declared(self, before: datetime) -> Iterator[DateCandidate]:
        """What may be right instead of a declared date, which may be that of a build or an import.

        Of the lines below the headline, those that show an earlier date.
        """
        yield from self.of_url()
        folders = host_and_path(self.evidence.page.url)[1].split("/")
        for reader, read in (("json-ld change", json_ld_modified), ("meta change", meta_modified)):
            raws = (raw for raw in read(self.evidence) if raw[:4] in folders)
            yield from self._of(reader, raws)
        below = self.below_headline
        for i in self.lines_with_year:
            text = self.evidence.texts[i]
            if i in below and len(text) < SHORT_LINE and any(one.when < before for one in self.reader.readings(text)):
                yield from self._line(i)

    def near(self) -> Iterator[DateCandidate]:
        """Dates of the markup and of lines around the headline, of the URL, of lists, and of general declarations."""
        hints = self.evidence.hints("datepublished", "datecreated")
        yield from self._of("microdata", (hint.value for hint in hints))
        yield from self._times()
        yield from self._classes()
        for i in self.evidence.near_headline:
            text = self.evidence.texts[i]
            if len(text) < LONGEST_LINE and DIGITS.search(text):
                yield from self._line(i)
        yield from self._of("meta of any date", self.evidence.metas(*METAS["general"]))
        yield from self.of_url()
        yield from self.listed()

    def far(self) -> Iterator[DateCandidate]:
        """Dates at the beginning of paragraphs, behind the text, behind labels, and of short lines far away."""
        yield from self._datelines()
        yield from self._behind_the_text()
        yield from self._behind_labels()
        yield from self._far_lines()
        yield from self._issue()

    def of_url(self) -> Iterator[DateCandidate]:
        """The dates in the URL, the canonical URL or `og:url`."""
        for when in self.url_days:
            yield DateCandidate(Reading(when.replace(tzinfo=self.reader.zone), when.date().isoformat()), "url")

    @cached_property
    def url_days(self) -> list[datetime]:
        evidence = self.evidence
        urls = (evidence.page.url, *evidence.meta.links.get("canonical", [])[:1], evidence.meta.get("og:url"))
        return [when for url in dict.fromkeys(filter(None, urls)) for when in date_parser.find_url_dates(url)]

    def listed(self) -> Iterator[DateCandidate]:
        """The date that a feed, a sitemap or an AMP copy gives."""
        listing = self.evidence.page.listing
        if listing is not None and listing.date_published:
            yield from self._of(listing.source, [listing.date_published.isoformat()])

    @cached_property
    def lines_with_year(self) -> list[int]:
        """The short blocks near the headline that show a date."""
        texts = self.evidence.texts
        near = self.evidence.near_headline
        return [i for i in near if len(texts[i]) < LONG_LINE and SHOWN_YEAR.search(texts[i])]

    @cached_property
    def below_headline(self) -> range:
        """The blocks between the headline and the text."""
        top, body = self.evidence.headline_block, self.evidence.body_blocks
        if top is None:
            return range(0)
        first = body[0] if body and body[0] > top else len(self.evidence.texts)
        return range(top + 1, min(top + 1 + NEAR_BLOCKS, first))

    @cached_property
    def days_below(self) -> list[datetime]:
        """The dates of the first short lines below the headline that are little else."""
        lines = islice((i for i in self.lines_with_year if i in self.below_headline), BESIDE)
        texts = [text for text in map(self.evidence.texts.__getitem__, lines) if len(text) < SHORT_LINE]
        short = (text for text in texts if len(LETTERS.findall(text)) <= MAX_WORDS_BESIDE_DATE)
        return [when for text in short if (when := self.reader.parse(text))]

    def _of(
        self, reader: str, raws: Iterable[str], signs: tuple[str, ...] = (), *, is_noted: bool = False
    ) -> Iterator[DateCandidate]:
        """Candidates of declared values: only the first of a reader is without the sign "later"."""
        later: tuple[str, ...] = ()
        known = set[datetime]()
        for raw in islice(filter(None, raws), MAX_READ):
            found = self.reader.readings(raw)
            if is_noted and not found and DIGITS.search(raw):
                self.evidence.note("date", "declared, but no date that a page can have", raw)
            yield from (DateCandidate(one, reader, signs + later) for one in found if one.when not in known)
            later = ("later",) if found else later
            known |= {one.when for one in found}

    def _times(self) -> Iterator[DateCandidate]:
        """`time` elements in the head of the article and behind it."""
        lines = {self.evidence.texts[i] for i in self.lines_with_year}
        for hint in [hint for hint in self.evidence.hints("time") if hint.distance <= TIME_REACH][:MAX_READ]:
            signs = [*self._signs_of_hint(hint), *_signs_of_labels(hint)]
            if hint.is_behind and "marked as published" not in signs:
                signs.append("behind the text")
            if hint.text in lines:
                signs.append("is the line")
            if (line := _line_of(hint.element)) is not None:
                text = text_of(line)
                signs += _signs_of_text(text)
                if _is_beside_headline_of_another(line, text, hint.element, self.evidence):
                    signs.append("beside another page's headline")
            yield from self._of_hint(hint, hint.value, "time", signs, TIME_REACH)

    def _classes(self) -> Iterator[DateCandidate]:
        """Elements near the headline whose class names a date."""
        for hint in self.evidence.hints("date")[:MAX_READ]:
            if hint.distance <= CLASS_REACH and len(hint.text) < LONGEST_LINE:
                signs = self._signs_of_hint(hint)
                if is_update(hint.element):
                    signs.append("marked as a change")
                signs += _signs_of_text(hint.text)
                yield from self._of_hint(hint, hint.text, "class", signs, CLASS_REACH)

    def _of_hint(
        self, hint: MarkupHint, raw: str, reader: str, signs: Sequence[str], reach: int
    ) -> Iterator[DateCandidate]:
        for reading in self.reader.readings(raw):
            yield DateCandidate(reading, reader, tuple(signs), hint.distance / reach)

    def _signs_of_hint(self, hint: MarkupHint) -> list[str]:
        """The place of an element: owner, record, teaser, behind the text."""
        evidence = self.evidence
        owner = evidence.owners.of(hint.element.node)
        signs = [] if owner == Owner.ARTICLE else ["beside the article"]
        is_below = hint.distance <= MAX_BELOW_HEADLINE
        if is_record(evidence.page, hint.element.node, *([MIN_ENTRY] if is_below else [])):
            signs.append("in a record")
        if not (is_below and hint.kind == "date") and evidence.is_in_teaser(hint.element):
            signs.append("in a teaser")
        if hint.is_above:
            signs.append("above the headline")
        return signs

    @cached_property
    def _updates(self) -> frozenset[str]:
        """The texts of the elements whose class, label or property says that they are a modification date."""
        hints = self.evidence.hints("date", "datemodified")
        return frozenset(hint.text for hint in hints if hint.kind == "datemodified" or is_update(hint.element))

    def _line(self, i: int) -> Iterator[DateCandidate]:
        """The dates of a block near the headline, with the label in the block before it."""
        evidence, top = self.evidence, self.evidence.headline_block
        text = evidence.texts[i]
        before, headline = evidence.texts[i - 1] if i else "", comparison_key(evidence.headline)
        is_label = len(before) < LABEL_REACH and comparison_key(before) != headline
        found = self.reader.readings(text, before if is_label else "")
        if not found:
            return
        signs = self._signs_of_line(i, text)
        if comparison_key(text) == headline:
            signs.append("in the headline")
        if i in self.below_headline and len(text) < SHORT_LINE and date_parser.TIMESTAMP.match(text):
            signs.append("a timestamp below the headline")
        if top is not None and i < top:
            signs.append("above the headline")
        distance = min(abs(i - (top or 0)), FAR_BLOCKS) / FAR_BLOCKS
        yield from (DateCandidate(reading, "line", tuple(signs), distance) for reading in found)

    def _signs_of_line(self, i: int, text: str) -> list[str]:
        """Whether a block near the headline is something else than a line of the article's head."""
        evidence, top = self.evidence, self.evidence.headline_block
        element, first = evidence.element(i), next(iter(evidence.body_blocks), 0)
        own = range(0) if top is None else range(top - BESIDE, max(top + 1 + BESIDE, min(first, top + NEAR_BLOCKS)))
        owner = evidence.owners.of(element.node)
        behind = (evidence.owners.of(evidence.element(below).node) for below in range(i + 1, top or 0))
        is_long_link = evidence.page.blocks.link_shares[i] > 0.5 and len(LETTERS.findall(text)) > MAX_WORDS_BESIDE_DATE
        signs = {
            "a paragraph": i in evidence.body_blocks[:30] and (len(text) > LONG_LINE or is_sentence(text)),
            "another page's headline": is_long_link and not is_byline(text),
            "of another part": owner not in BY_HINTS and not (i in own and owner >= Owner.NAVIGATION),
            "above the menu": Owner.NAVIGATION in behind,  # what stands there is the site's
            "in a teaser": evidence.is_in_teaser(element),
            "marked as a change": text in self._updates,
            "beside an author": is_byline(text),
        }
        return [name for name, holds in signs.items() if holds]

    def _datelines(self) -> Iterator[DateCandidate]:
        """The date that begins one of the first paragraphs, separated from its sentence."""
        for i in self.evidence.body_blocks[:NEAR_BLOCKS]:
            text = self.evidence.texts[i][: 2 * MAX_LABEL]
            for found in self.reader.find(text)[:1]:
                is_first = found.start <= MAX_LABEL and text[: found.start].count(" ") <= 3
                if is_first and DATELINE_END.match(text, found.end):
                    yield from self._of("dateline", [found.raw])

    def _behind_the_text(self) -> Iterator[DateCandidate]:
        """A date line at the end of the text, and labelled or marked ones right behind it, before the next heading."""
        evidence = self.evidence
        if (last := evidence.last_block) is None:
            return
        for i in range(max(0, last - 1), min(len(evidence.texts), last + NEAR_BLOCKS)):
            text, element = evidence.texts[i], evidence.element(i)
            if i > last and element.tag in HEADINGS:
                break
            if not SHOWN_YEAR.search(text):
                continue
            is_line = len(text) < SHORT_LINE and len(LETTERS.findall(text)) <= MAX_WORDS_BESIDE_DATE
            is_marked = (
                i == last
                or PUBLISHED_WORDS.search(text)
                or MODIFIED_WORDS.search(text)
                or mask_of(_label_of(element)[0]) & PUBLISHED_CLASS
                or any(map(is_byline, (text, *evidence.texts[i - 1 : i + 2 : 2])))
            )
            is_imprint = i >= last and len(text) < LONGEST_LINE and IMPRINT.search(text)
            if ((is_line and is_marked) or is_imprint) and evidence.is_own(i):
                yield from self._of("line behind", [text])

    def _behind_labels(self) -> Iterator[DateCandidate]:
        """Dates below the head of the article whose label ("Published") is a block of its own."""
        evidence, texts = self.evidence, self.evidence.texts
        shared: set[str] | None = None
        for i in range(evidence.head_end, min(len(texts) - 1, (evidence.last_block or 0) + FAR_BLOCKS)):
            label, text = texts[i : i + 2]
            is_label = len(label) < MAX_LABEL and SHOWN_YEAR.search(text) and PUBLISHED_WORDS.search(label)
            is_line = is_label and len(LETTERS.findall(text)) <= MAX_WORDS_BESIDE_DATE
            is_own = is_line and evidence.is_own(i, labelled=True)
            # a label that stands before other dates, too, is that of the parts of a list
            if is_own:
                shared = _shared_labels(texts) if shared is None else shared
                if label not in shared:
                    yield from self._of("label", [text])

    def _far_lines(self) -> Iterator[DateCandidate]:
        """Short blocks with a year, nearest to the headline first."""
        evidence, texts, top = self.evidence, self.evidence.texts, self.evidence.headline_block
        head = top if top is not None else (evidence.body_blocks or (0,))[0]
        numbers = range(max(0, head - FAR_BLOCKS), min(evidence.head_end, head + FAR_BLOCKS))
        dated = [i for i in numbers if len(texts[i]) < SHORT_LINE and SHOWN_YEAR.search(texts[i])]
        for i in sorted(dated, key=lambda i: abs(i - head))[:MAX_READ]:
            text = texts[i]
            if evidence.is_own(i):
                signs = ["marked as a change"] if text in self._updates else []
                signs += ["of another part"] if evidence.owners.of(evidence.element(i).node) else []
                distance = (i - head if i >= head else 2 * (head - i)) / (2 * FAR_BLOCKS)
                for reading in self.reader.readings(text):
                    yield DateCandidate(reading, "far line", tuple(signs), distance)

    def _issue(self) -> Iterator[DateCandidate]:
        """The month of the magazine issue that the end of the text names, as its first day."""
        texts, body = self.evidence.texts, self.evidence.body_blocks
        last = body[-1] if body else 0
        for text in texts[max(0, last - 1) : last + 3]:
            if match := date_parser.MAGAZINE_ISSUE.search(text[-40:]):
                yield from self._of("issue", [f"{match[1]}-{int(match[2]):02}-01"])


def _signs_of_labels(hint: MarkupHint) -> Iterator[str]:
    """What words and classes around an element say of its date."""
    classes, label = _label_of(hint.element)
    is_other = MODIFIED_WORDS.search(label) or OTHER_EVENT_WORDS.search(label)
    is_published = PUBLISHED_WORDS.search(label) is not None
    if not is_published and not is_other:
        is_other = MODIFIED_WORDS.search(classes)
        is_published = bool(mask_of(classes) & PUBLISHED_CLASS if hint.is_behind else PUBLISHED_WORDS.search(classes))
    if is_published:
        yield "marked as published"
    elif is_other:
        yield "marked as a change"


def is_update(element: ElementView) -> bool:
    """Whether an element's class or label says that its date is a modification's."""
    classes, label = _label_of(element)
    is_changed = MODIFIED_WORDS.search(f"{label} {classes}") is not None and not UPDATE_BEHIND.match(text_of(element))
    is_published = PUBLISHED_WORDS.search(f"{label} {text_of(element)}") or mask_of(classes) & PUBLISHED_CLASS
    return is_changed and not is_published


def _signs_of_text(text: str) -> Iterator[str]:
    """Whether the text around a date is a sentence, which tells of an event, or names an author."""
    if is_sentence(text):
        yield "in a sentence"
    if is_byline(text):
        yield "beside an author"


def _is_beside_headline_of_another(
    line: ElementView, line_text: str, element: ElementView, evidence: PageEvidence
) -> bool:
    """Whether an element's line is for the most part a link with a headline's words to another page."""
    for link in islice(line.iter("a"), MAX_WITHIN):
        text, target = text_of(link), evidence.absolute_url(link.get("href") or "")
        if text.count(" ") < MIN_SPACES or 2 * len(text) < len(line_text) or text_of(element) in text:
            continue
        if target and not is_profile(target) and host_and_path(target)[1] != host_and_path(evidence.page.url)[1]:
            return True
    return False


def _line_of(element: ElementView | None) -> ElementView | None:
    """The block-level element that an element is in."""
    while element is not None and KINDS.get(element.tag, INLINE) != BLOCK:
        element = element.getparent()
    return element


def _shared_labels(texts: Sequence[str]) -> set[str]:
    """The texts of blocks that stand before different ones."""
    behind: dict[str, str] = {}
    return {label for label, text in pairwise(texts) if behind.setdefault(label, text) != text}


def has_label_of_change(element: ElementView) -> bool:
    return MODIFIED_WORDS.search(" ".join(_label_of(element))) is not None


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
