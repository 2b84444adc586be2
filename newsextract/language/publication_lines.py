"""Lines that say only who published a text, and when: labels, names, dates and the words around them, in any language.

Whatever `authors` and `dates` read from a line by the words of a language, this recognises by the same words.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import UTC, date, datetime
from functools import cache, lru_cache
from itertools import groupby

from newsextract.language import words
from newsextract.language.date_parser import SHOWN_YEAR, DateMatch, find_dates, months_and_words
from newsextract.language.names import (
    AUTHOR_WORDS,
    DATE_LABEL,
    HAN_LABEL,
    TAIL,
    is_job_or_employer,
    is_person,
    parse_names,
    without_addresses,
)
from newsextract.language.sentences import END_MARKS
from newsextract.text import DIGITS, EAST_ASIAN, LETTERS, LONG_LINE, has_number

#: What relative dates and those without a year are read by; only their place in the line matters.
SOME_DAY = datetime(2099, 12, 31, tzinfo=UTC)
#: Labels of authors.
AUTHOR_LABEL = words.pattern("by", "author", "label", "label_only", bounded=True)
#: The same, and what stands beside dates and authors.
LABEL_OR_BESIDE = words.pattern("by", "author", "label", "label_only", "publication_line", bounded=True)
#: A label of authors whose colon says that a name follows.
LABELLED_NAME = re.compile(
    rf"\W*{AUTHOR_WORDS}\s*[:：՝៖]\s*(?P<name>[^\s.!?。！？](?:[^.!?。！？]|(?<=\b\w)\.)+)$", re.I
)
#: The same without a colon, for persons only.
BY = words.pattern("by", bounded=True)
BEGIN = re.compile(r"\W*")
COMMAS = (",", "،", "、")
#: In a line of digits and date words: a year, a date, a time or a word; a range of hours is that of an event.
DATE = re.compile(r"(?:19|20)\d\d|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{1,2}:\d\d|[^\W\d_]")
HOURS = re.compile(r"\d\s*+(?:[ap]\.?m\.?\s*+)?[–—-]\s*\d{1,2}(?::\d\d)?\s*(?:[ap]\.?m\b|uhr|$)", re.I)
#: Parts of names that are no words of them.
GENERATIONS = frozenset(("jr", "sr", "ii", "iii", "iv"))
#: How many words that no language has may stand beside the article's own date, or before its author.
MAX_UNKNOWN = 2
#: Lines in a row beside the article's date, at most; maximum characters of one, and of one of its pieces, in Latin and
#: in East Asian scripts; words of a name.
MAX_LINES = 6
MAX_BESIDE = 80
MAX_PIECE = 32
MAX_EAST_ASIAN_PIECE = 8
MAX_NAME_WORDS = 4
#: What separates the pieces of such a line; what none has.
SEPARATOR = re.compile(r"[,،、:：՝៖፦/／|｜·•()（）;；–—]|\s-\s")
ADDRESS_MARKS = ("@", "://", "www.")


def is_publication_line(
    text: str, authors: Collection[str] = (), language: str | None = None, days: Collection[date] = ()
) -> bool:
    """Whether a line has only labels, dates and the article's authors, maybe with their job, employer or address.

    `language`: of the page; `days`: of its publication and modification. Beside one of these, or before an author's
    full name, words may stand that no file of `words` has.
    """
    if len(text) >= LONG_LINE:
        return False
    text = without_addresses(text)
    has_digit = DIGITS.search(text) is not None
    if any(name in text for name in authors) and not text.rstrip().endswith(END_MARKS):
        text = TAIL.sub("", text)
    is_date = has_digit and DATE.search(text) is not None
    label, names = _label(text), _words_of_names(tuple(authors))
    if not (is_date or label or (names and not names.isdisjoint(map(str.casefold, LETTERS.findall(text))))):
        return False
    dates = find_dates(text, language, SOME_DAY) if has_digit else ()
    if (hours := HOURS.search(text)) and not any(
        found.start <= hours.start() < hours.end() <= found.end for found in dates
    ):
        return False
    if label and _is_labelled_name(text):
        return True
    rest = _blanked(text, dates, language, names, label)
    known = _words_beside_dates(language)
    has_name = joins = False
    unknown: list[re.Match[str]] = []
    for match in LETTERS.finditer(rest):
        word = match.group().casefold()
        if word in names:
            has_name = True
        elif word in _joining():
            joins = True
        elif word not in known and word not in GENERATIONS:
            if has_name and _is_job(text, match.start(), rest != text):
                break
            unknown.append(match)
    if unknown:
        return (
            len(unknown) <= MAX_UNKNOWN
            and not text.rstrip().endswith(END_MARKS)
            and (_is_of_day(text, dates, days, unknown) or _is_before_author(text, authors, unknown))
        )
    return has_name or (label is not None and not rest.strip(" \u3000:：/／|")) or (is_date and not joins)


def lines_beside_dates(
    texts: Sequence[str], places: Iterable[int], language: str | None, days: Collection[date]
) -> Iterator[int]:
    """Those of the places whose line `is_beside_date`: only lines around a short one with a number can be."""
    known_days = frozenset(days)
    for place in places:
        first = max(0, place - MAX_LINES)
        around = texts[first : place + MAX_LINES + 1]
        has_number = any(len(text) <= MAX_BESIDE and DIGITS.search(text) for text in around)
        if has_number and is_beside_date(around, place - first, language, known_days):
            yield place


def is_beside_date(texts: Sequence[str], place: int, language: str | None, days: Collection[date]) -> bool:
    """Whether the line at a place is a name, a job, a source or a reading time beside the article's own date: one of a
    few short lines in a row, of pieces of few words and no sentence, which needs no words of a language.

    A line of one word before a paragraph may be its heading, and a label with nothing behind it introduces one.
    """
    known_days = frozenset(days)
    is_line, has_day = _line_and_day(texts[place][: MAX_BESIDE + 1], language, known_days)
    if not is_line:
        return False
    count = 1
    for lines in (reversed(texts[:place]), texts[place + 1 :]):
        for text in lines:
            is_line, is_dated = _line_and_day(text[: MAX_BESIDE + 1], language, known_days)
            if not is_line:
                break
            has_day, count = has_day or is_dated, count + 1
            if count > MAX_LINES:
                return False
    if not has_day:
        return False
    line, behind = texts[place].strip(), texts[place + 1 : place + 2]
    is_heading = line.endswith((":", "：")) or (len(line.split()) == 1 and not SEPARATOR.search(line))
    return not is_heading or not behind or len(behind[0]) <= MAX_BESIDE


@lru_cache(maxsize=256)
def _line_and_day(text: str, language: str | None, days: frozenset[date]) -> tuple[bool, bool]:
    """Whether a line beside its dates is pieces of a few words, and whether it has one of these days and no other; if
    no day is known, whether it is a date. Cached: each line is asked for by the lines around it.
    """
    if len(text) > MAX_BESIDE or has_address(text):
        return False, False
    dates = find_dates(text, language, SOME_DAY) if DIGITS.search(text) else ()
    starts, ends = [found.start for found in dates], [found.end for found in dates]
    pieces = [text[end:start] for end, start in zip([0, *ends], [*starts, len(text)], strict=True)]
    if (end := pieces[-1].rstrip()).endswith(END_MARKS) and LETTERS.search(end):
        return False, False
    is_line = all(_is_piece(piece) for between in pieces for piece in SEPARATOR.split(between))
    is_date = SHOWN_YEAR.search(text) is not None and not any(map(LETTERS.search, pieces))
    has_day = all(found.when.date() in days for found in dates) if days else is_date
    return is_line, is_line and len(dates) > 0 and has_day


def _is_piece(piece: str) -> bool:
    """Whether a text is a few words, at least half of them with a capital if there are more and no number, but no more
    of these in a row than a name has.
    """
    words = piece.split()
    most = MAX_PIECE if piece.isascii() or not EAST_ASIAN.search(piece) else MAX_EAST_ASIAN_PIECE
    if len(piece) > most or has_number(piece, 3):
        return False
    has_capital = [word[0] != word[0].lower() for word in words]
    longest = max((len([*run]) for is_capital, run in groupby(has_capital) if is_capital), default=0)
    lower = sum(word[0] != word[0].title() for word in words)
    is_name = 2 * lower <= len(words) and longest <= MAX_NAME_WORDS
    return len(words) < 2 or is_name or DIGITS.search(piece) is not None


def has_address(text: str) -> bool:
    """Whether a text has an address of mail or of a page."""
    return any(map(text.__contains__, ADDRESS_MARKS))


def begins_with_author(text: str) -> bool:
    """Whether a line begins with a label of authorship and, behind a colon or with a capital, a name."""
    if ((":" in text or "：" in text) and LABELLED_NAME.match(text)) or (not text.isascii() and HAN_LABEL.match(text)):
        return True
    by = BY.match(text, BEGIN.match(text).end())  # type: ignore[union-attr]
    name = text[by.end() :].lstrip(" \u3000:：") if by else ""
    return name[:1].isalpha() and name[0] == name[0].title()


def _label(text: str) -> re.Match[str] | None:
    """A label of authors at the beginning of a line, behind what is no word."""
    start = 0 if text[:1].isalnum() else BEGIN.match(text).end()  # type: ignore[union-attr]
    return AUTHOR_LABEL.match(text, start) or (None if text.isascii() else HAN_LABEL.match(text))


@lru_cache(maxsize=64)  # each line of a page asks for its authors
def _words_of_names(authors: tuple[str, ...]) -> frozenset[str]:
    return frozenset(word.casefold() for name in authors for word in LETTERS.findall(name))


def _blanked(
    text: str, dates: Iterable[DateMatch], language: str | None, names: Collection[str], label: re.Match[str] | None
) -> str:
    """The line with spaces for its dates and labels, its length unchanged."""
    spans = [(found.start, found.end) for found in dates]
    spans += [label.span()] if label else []
    spans += [found.span() for pattern in (DATE_LABEL, LABEL_OR_BESIDE) for found in pattern.finditer(text)]
    for start, end in spans:
        if text[start:end].casefold() not in names:
            text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"
    return text


def _is_labelled_name(text: str) -> bool:
    """Whether a line is a label and persons behind it; behind a colon also an employer or a job."""
    if labelled := LABELLED_NAME.match(text):
        names = parse_names([labelled["name"]])
        return len(names) > 0 and (all(map(is_person, names)) or is_job_or_employer(labelled["name"]))
    by = BY.match(text, BEGIN.match(text).end())  # type: ignore[union-attr]
    rest = text[by.end() :].strip(" \u3000:：") if by else ""
    return is_person(rest) and rest in parse_names([rest])


def _is_job(text: str, start: int, has_label: bool) -> bool:
    """Whether what begins here, behind a name, is a job or an employer and not the rest of a sentence."""
    before, behind = text[:start].rstrip(), text[start:].rstrip()
    is_apart = behind[0].isupper() or before.endswith((",", "-", "–", "—", "|"))
    return has_label and is_apart and not behind.endswith(END_MARKS) and is_job_or_employer(behind)


def _is_of_day(text: str, dates: Iterable[DateMatch], days: Collection[date], unknown: list[re.Match[str]]) -> bool:
    """Whether a line has the article's own date and before it only a label: no place, which a comma separates."""
    end = unknown[-1].end()
    return text[end:].lstrip()[:1] not in COMMAS and any(end <= day.start and day.when.date() in days for day in dates)


def _is_before_author(text: str, authors: Collection[str], unknown: list[re.Match[str]]) -> bool:
    """Whether words stand before an author's full name, as labels do."""
    places = [text.find(name) for name in authors if " " in name or not name.isascii()]
    return any(place >= unknown[-1].end() for place in places)


@cache
def _joining() -> frozenset[str]:
    """Words between names, of any language."""
    return frozenset(word for language in words.languages() for word in words.read(language).get("and", ()))


@lru_cache(maxsize=64)  # pages name languages as they please
def _words_beside_dates(language: str | None) -> frozenset[str]:
    """Single words of months, days, hours and what stands around dates: in a language and in English; None: in any."""
    base = (language or "").lower().replace("_", "-").partition("-")[0]
    tables = [months_and_words(name) for name in ([base] if base else words.languages())]
    known = (word for months, around in tables for word in (*months, *around))
    return frozenset(word for text in known for word in LETTERS.findall(text))
