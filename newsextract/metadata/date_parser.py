"""Dates as people and machines write them: finds the dates of a text in its language, parses single values.

Everything about how dates are written is here: numeric and Chinese forms, month names, relative phrases ("vor 3
Stunden"), times, zones, dates in URLs. Month names and relative phrases are data: date_words.json, written by
scripts/date_words.py from dateparser's tables and CLDR; those of the page's language and of English are recognised.
`dates` decides which of a page's dates counts.
"""

import json
import re
from datetime import UTC, datetime, timedelta, timezone
from email.utils import parsedate_to_datetime
from functools import cache, lru_cache
from importlib.resources import files
from typing import NamedTuple, TypedDict

#: Hours east of UTC of the zone names on news pages; ambiguous ones in their commonest meaning.
ZONES_BY_HOURS = (
    (-8, "pt pst"),
    (-7, "mt mst pdt"),
    (-6, "ct cst mdt"),
    (-5, "et est cdt"),
    (-4, "edt"),
    (0, "z utc gmt wet"),
    (1, "bst west cet mez wat"),
    (2, "cest mesz eet sast"),
    (3, "eest msk eat"),
    (5.5, "ist"),
    (7, "wib"),
    (8, "sgt hkt"),
    (9, "jst kst"),
    (10, "aest"),
    (11, "aedt"),
    (12, "nzst"),
)
ZONES = {name: hours for hours, names in ZONES_BY_HOURS for name in names.split()}
#: Year, month and day with the year first: 2024-05-03, 2024/5/3.
ISO = re.compile(r"(?<![\d/.-])((?:19|20)\d\d)\s?[-/.]\s?(\d{1,2})\s?[-/.]\s?(\d{1,2})(?!\d)")
#: Chinese, Japanese and Korean: 2024年5月3日, 二〇二四年5月3号.
CJK = re.compile(r"((?:19|20)\d\d|[〇零一二三四五六七八九]{4})\s*[年년]\s*(\d{1,2})\s*[月월]\s*(\d{1,2})\s*[日号號일]?")
CJK_YEARLESS = re.compile(r"(?<![年\d])(\d{1,2})[月월]\s*(\d{1,2})[日号號일]")
#: Month, day and time without a year, as Chinese and Japanese portals print them below a headline: 10-08 12:00.
YEARLESS_TIMESTAMP = re.compile(r"(?<![\d./:-])(\d{1,2})[-/](\d{1,2})(?=\s+\d{1,2}:\d{2})")
#: Forms whose numbers have fixed places: pattern, groups of year (0: none), month, day.
NUMERIC_FORMS = ((ISO, 1, 2, 3), (CJK, 1, 2, 3), (CJK_YEARLESS, 0, 1, 2))
ASCII_FORMS = NUMERIC_FORMS[:1]
#: Day and month, or month and day (by language), before the year: 3.5.2024, 5/3/24.
NUMERIC = re.compile(r"(?<![\d./-])(\d{1,2})([./-])\s?(\d{1,2})\2\s?((?:19|20)\d\d|\d\d)(?![\d/-])")
#: A time of day right after a date, with AM or PM and a zone.
TIME = re.compile(
    r"[\s,;T|/·•()–—-]*(?:at|um|à|a las|alle|kl\.?|om|klo|ore|@|o|às|час\.?|周.|星期.)?[\s)]*"
    r"(\d{1,2})\s?[:.h時时시点點]\s?(\d{2})"
    r"(?:[:.分]\s?(\d{2}))?(?:\.\d+)?\s*([ap]\.?\s?m\b\.?)?\s*\(?((?:GMT|UTC)[+-]\d\d?\b|[A-Za-z]{1,5}\b|[+-]\d\d:?\d\d)?",
    re.I,
)
#: The output of C and JavaScript: "Mon Aug 03 12:45:00 EDT 2015", "Mon Aug 03 2015 12:45:00 GMT-0400 (EDT)".
C_DATE = re.compile(
    r"[A-Z][a-z]{2} (?P<month>[A-Z][a-z]{2}) +(?P<day>\d{1,2}) (?=.*\b(?P<year>(?:19|20)\d\d)\b)(?:\d{4} )?"
    r"(?P<time>\d\d:\d\d:\d\d)(?: (?P<zone>[A-Z]{1,5}))?(?P<offset>[+-]\d\d:?\d\d)?"
)
SPACE_BEFORE_ZONE = re.compile(r"(?<=\d)\s+(?=[+-]\d\d:?\d\d$)")
CJK_DIGITS = str.maketrans("〇零一二三四五六七八九", "00123456789")
AGO = re.compile(r"(\d{1,3}|an?|one)\s*(minute|min|hour|hr|day|week)s?\s+ago", re.I)
CJK_AGO = re.compile(r"(\d{1,3})\s*(分钟|分鐘|分|小时|小時|時間|天|日|周|週間|분|시간|일|주)\s*(?:之?前|전)")
CJK_UNITS = {
    **dict.fromkeys("分钟 分鐘 分 분".split(), 60),
    **dict.fromkeys("小时 小時 時間 시간".split(), 3600),
    **dict.fromkeys("天 日 일".split(), 86400),
    **dict.fromkeys("周 週間 주".split(), 604800),
}
#: Seconds of the units of `AGO` and date_words.json.
UNITS = {"minute": 60, "min": 60, "hour": 3600, "hr": 3600, "day": 86400, "week": 604800, "second": 1}
#: Languages whose slashed dates begin with the month, by region; all others begin with the day.
MONTH_FIRST = frozenset({"en", "en-us", "en-ph", "en-ca", "fil", "en_us", "es-us"})
#: Languages whose dates of three two-digit numbers begin with the year (CLDR's short dates: zh y/M/d, ja y/MM/dd, ko
#: yy. M. d., hu y. MM. dd.), and regions that write the day first nevertheless.
YEAR_FIRST = frozenset({"zh", "ja", "ko", "hu"})
DAY_FIRST_REGIONS = frozenset({"zh-hk", "zh-mo", "zh-sg"})
DIGIT_OR_DAY = re.compile(r"\d|yesterday|today|昨|今")
#: Relative days -> how many days ago.
DAY_WORDS = (("yesterday", 1), ("昨天", 1), ("昨日", 1), ("今天", 0), ("today", 0), ("前天", 2))
#: Digits of other scripts -> ASCII digits: Arabic, Persian, Devanagari, Bengali.
NATIVE_DIGITS = {
    ord(digit): str(value)
    for row in ("٠١٢٣٤٥٦٧٨٩", "۰۱۲۳۴۵۶۷۸۹", "०१२३४५६७८९", "০১২৩৪৫৬৭৮৯")
    for value, digit in enumerate(row)
}
FOUR_DIGIT_YEAR = re.compile(r"(?:19|20|١٩|٢٠|۱۹|۲۰|१९|२०|১৯|২০)\d\d")
#: The beginning of a full date, as part of larger patterns.
DATE_START = r"(?:19|20)\d\d(?:-\d|年|/\d)"
#: A date and a time: the timestamp that publishing systems print below a headline.
TIMESTAMP = re.compile(r"(?:19|20)\d\d[-/年.]\d{1,2}[-/月.]\d{1,2}日?\s+\d{1,2}:\d\d")
#: The issue of a Chinese magazine: 1996年6月号.
MAGAZINE_ISSUE = re.compile(r"((?:19|20)\d\d)年\s*(1[0-2]|0?[1-9])\s*月[号號]")
#: Dates of URLs, with groups of year, month and day: 2024/05/03, 20240503; the day first: 29-10-2021; folders:
#: /2024/0503/, /2024-05/03/, without zeros /2024/5/3/; month names: /2024/may/03/.
URL_FORMS = (
    (re.compile(r"(?<!\d)((?:19|20)\d\d)([-/._]?)(0[1-9]|1[0-2])\2(0[1-9]|[12]\d|3[01])(?!\d)"), 1, 3, 4),
    (re.compile(r"(?<!\d)(?<!\d-)(0?[1-9]|[12]\d|3[01])-(0?[1-9]|1[0-2])-((?:19|20)\d\d)(?=[/.]|$)"), 3, 2, 1),
    (re.compile(r"/((?:19|20)\d\d)[/-]?(0[1-9]|1[0-2])[/-]?(0[1-9]|[12]\d|3[01])(?=/)"), 1, 2, 3),
    (re.compile(r"/((?:19|20)\d\d)/([1-9]|1[0-2])/([1-9]|[12]\d|3[01])(?=/)"), 1, 2, 3),
    (re.compile(r"/((?:19|20)\d\d)[/-]([a-z]{3,9})[/-](0?[1-9]|[12]\d|3[01])(?=/)", re.I), 1, 2, 3),
)
#: Year and month of a URL whose day is elsewhere: /2024/05/.
URL_MONTH = re.compile(r"/((?:19|20)\d\d)[/-]?(0?[1-9]|1[0-2])(?=/|$)")
MAX_TEXT = 2_000


class DateMatch(NamedTuple):
    """A date found in a text: the value (naive if the text has no zone), its position, and its text."""

    when: datetime
    start: int
    end: int
    raw: str


class LanguageWords(TypedDict):
    """A language of date_words.json: the words of each month, and the relative patterns of each unit of time."""

    months: list[list[str]]
    ago: dict[str, list[str]]


class LanguagePatterns(NamedTuple):
    """The dates of a language: number of each month name, and regular expressions over lower-cased text."""

    months: dict[str, int]
    day_month: re.Pattern[str]
    month_day: re.Pattern[str]
    year_month: re.Pattern[str]
    relative: tuple[tuple[re.Pattern[str], int], ...]


def find_dates(text: str, language: str | None = None, now: datetime | None = None) -> list[DateMatch]:
    """All dates of a text (in a BCP 47 language), in order; relative and yearless ones only with `now`."""
    text = text[:MAX_TEXT]
    if now is None and not DIGIT_OR_DAY.search(text):
        return []
    tag = (language or "en").lower().replace("_", "-")
    patterns = language_patterns(tag.split("-")[0])
    lowered = lower_same_length(text)
    matches = [*_numeric(lowered, tag, now), *_with_month_name(lowered, patterns, now)]
    if now is not None:
        matches += _relative(lowered, patterns, now)
    matches.sort(key=lambda match: (match.start, -match.end))
    separate: list[DateMatch] = []
    for match in matches:
        if not separate or match.start >= separate[-1].end:
            separate.append(match._replace(raw=text[match.start : match.end].strip()))
    return separate


@lru_cache(maxsize=64)
def language_patterns(language: str) -> LanguagePatterns:
    """The patterns of a language's month names and relative phrases together with the English ones."""
    months: dict[str, int] = {}
    relative: dict[str, int] = {}
    for name in dict.fromkeys((language, "en")):
        words = date_words(name)
        for number, month in enumerate(words["months"], 1):
            for word in month:
                months.setdefault(word, number)
        relative |= {pattern: UNITS[unit] for unit, patterns in words["ago"].items() for pattern in patterns}
    names = "|".join(sorted(map(re.escape, months), key=len, reverse=True))
    firsts = "".join(sorted({re.escape(month[0]) for month in months}))
    word = rf"(?=[{firsts}])(?<!\w)({names})(?!\w)\.?"  # the lookahead avoids trying every name
    # Arabic papers write the month twice, with its names in Egypt and in the Levant.
    also = rf"(?:\s?[/(–-]\s?(?:{names}))?" if language == "ar" else ""
    return LanguagePatterns(
        months,
        re.compile(
            rf"(?<![\d.])(?<!\d:)(\d{{1,2}})(?:(?:st|nd|rd|th),?|er|º|ª|°|\.|-го)?[\s/-]*(?:of\s|de\s|di\s)?\s*{word}{also}\)?[,،]?"
            rf"(?:[\s/-]*(?:de\s|del\s|of\s)?\s*(?:'|’)?((?:19|20)\d\d|\d\d(?![\d:]))(?!\d))?"
        ),
        re.compile(
            rf"{word}\s*(\d{{1,2}})(?:st|nd|rd|th)?(?![\d:])"
            r"(?:\s*[,.]?\s*(?:\d\d:\d\d(?::\d\d)?\s(?:[a-z]{1,4}\s)?)?((?:19|20)\d\d)(?!\d))?"
        ),
        re.compile(rf"(?<!\d)((?:19|20)\d\d)\s*[.,/-]?\s*(?:m\.\s*)?{word}\s*[/-]?\s*(\d{{1,2}})(?!\d)"),
        tuple((re.compile(pattern, re.I), unit) for pattern, unit in relative.items()),
    )


def parse_time(text: str, start: int) -> tuple[timedelta, timezone | None, int] | None:
    """The time of day at `start`, right after a date: time since midnight, zone if named, end."""
    match = TIME.match(text, start)
    if not match:
        return None
    hour, minute, second = int(match[1]), int(match[2]), int(match[3] or 0)
    if match[4]:
        hour = hour % 12 + (12 if match[4].lower().startswith("p") else 0)
    if hour > 23 or minute > 59 or second > 59:
        return None
    return timedelta(hours=hour, minutes=minute, seconds=second), parse_zone(match[5]), match.end()


def parse_zone(name: str | None) -> timezone | None:
    """A zone by its name or offset; None for anything else."""
    if not name:
        return None
    if (sign := name.lstrip("GMTUCgmtuc"))[:1] in ("+", "-"):
        name, digits = sign, sign[1:].replace(":", "").zfill(2).ljust(4, "0")
        offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:4]))
        return timezone(offset if name[0] == "+" else -offset) if offset < timedelta(hours=15) else None
    hours = ZONES.get(name.lower())
    return None if hours is None else timezone(timedelta(hours=hours))


@lru_cache(maxsize=256)
def parse_machine_date(raw: str) -> datetime | None:
    """ISO 8601 as it occurs, RFC 2822, (milli)seconds since 1970; naive without a zone; None for anything else."""
    text = raw.strip()
    if len(text) < 8 or len(text) > 70:
        return None
    try:
        if match := C_DATE.match(text):
            when = parsedate_to_datetime(f"{match['day']} {match['month']} {match['year']} {match['time']}")
            return when.replace(tzinfo=parse_zone(match["offset"] or match["zone"]))
        if len(text) in (12, 14) and text.isdigit():
            return datetime.fromisoformat(f"{text[:8]}T{text[8:]}")
        if text.isdigit() and len(text) in (10, 13):
            return datetime.fromtimestamp(int(text[:10]), UTC)
        if text[:4].isdigit():
            text = text.replace("/", "-")
            return datetime.fromisoformat(SPACE_BEFORE_ZONE.sub("", text) if " " in text else text)
        if text[:3].isalpha() and text[3:4] == ",":
            return parsedate_to_datetime(text)
    except (ValueError, OverflowError, IndexError, TypeError):
        pass
    return None


def parse_w3c_datetime(text: str | None) -> datetime | None:
    """A date as in sitemaps (https://www.w3.org/TR/NOTE-datetime), also YYYY and YYYY-MM; aware, or None."""
    text = (text or "").strip()
    padded = {4: f"{text}-01-01", 7: f"{text}-01"}.get(len(text), text)
    try:
        date = datetime.fromisoformat(padded)
        return date if date.tzinfo else date.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None


def find_url_dates(url: str) -> list[datetime]:
    """The dates in a URL, each form of URL_FORMS once."""
    if "19" not in url and "20" not in url:
        return []
    months = language_patterns("en").months
    dates: list[datetime] = []
    for pattern, year, month, day in URL_FORMS:
        if match := pattern.search(url):
            number = int(match[month]) if match[month].isdigit() else months.get(match[month].lower(), 0)
            dates += [dated.when for dated in _date_match("", match, int(match[year]), number, int(match[day]))]
    return dates


def _numeric(text: str, language: str, now: datetime | None) -> list[DateMatch]:
    """Dates in digits; which of 5/6/2024 is the month, and of 19-10-08 the year, depends on language and region."""
    year_first = language.split("-")[0] in YEAR_FIRST and language not in DAY_FIRST_REGIONS
    matches: list[DateMatch] = []
    forms = ASCII_FORMS if text.isascii() else NUMERIC_FORMS
    for pattern, year, month, day in (*forms, *([(YEARLESS_TIMESTAMP, 0, 1, 2)] if year_first else [])):
        for match in pattern.finditer(text):
            if year:
                number = int(match[year].translate(CJK_DIGITS))
                matches += _date_match(text, match, number, int(match[month]), int(match[day]))
            else:
                matches += _yearless(text, match, int(match[month]), int(match[day]), now)
    for match in NUMERIC.finditer(text):
        first, second = int(match[1]), int(match[3])
        two_digits = len(match[1]) == len(match[4]) == 2
        if year_first and two_digits and _year(match[1]) <= (now or datetime.now(UTC)).year:
            dated = _date_match(text, match, _year(match[1]), second, int(match[4]))
            matches += dated
            if dated:
                continue
        month_first = match[2] != "." and language in MONTH_FIRST
        if second > 12 or (month_first and first <= 12):
            first, second = second, first
        matches += _date_match(text, match, _year(match[4]), second, first)
    return matches


def _with_month_name(text: str, patterns: LanguagePatterns, now: datetime | None) -> list[DateMatch]:
    matches: list[DateMatch] = []
    orders = ((patterns.day_month, 1, 2, 3), (patterns.month_day, 2, 1, 3), (patterns.year_month, 3, 2, 1))
    for pattern, day, month, year in orders:
        for match in pattern.finditer(text):
            number = patterns.months[match[month]]
            if match[year]:
                matches += _date_match(text, match, _year(match[year]), number, int(match[day]))
            else:
                matches += _yearless(text, match, number, int(match[day]), now)
    return matches


def _relative(text: str, patterns: LanguagePatterns, now: datetime) -> list[DateMatch]:
    matches: list[DateMatch] = []
    for match in AGO.finditer(text):
        count = int(match[1]) if match[1].isdigit() else 1
        matches.append(_before(match, count * UNITS[match[2].lower()], now))
    matches += [_before(match, int(match[1]) * CJK_UNITS[match[2]], now) for match in CJK_AGO.finditer(text)]
    for pattern, unit in patterns.relative:
        matches += [_before(match, int(match[1]) * unit, now) for match in pattern.finditer(text) if match[1].isdigit()]
    for word, days in DAY_WORDS:
        start = text.find(word)
        if start >= 0:
            day = (now - timedelta(days=days)).replace(hour=0, minute=0, second=0, microsecond=0)
            matches.append(DateMatch(day, start, start + len(word), ""))
    return matches


def _before(match: re.Match[str], seconds: int, now: datetime) -> DateMatch:
    return DateMatch(now - timedelta(seconds=seconds), match.start(), match.end(), "")


def _yearless(text: str, match: re.Match[str], month: int, day: int, now: datetime | None) -> list[DateMatch]:
    """The latest such day that is not after `now`, with a day of tolerance for zones."""
    for year in (now.year, now.year - 1) if now else ():
        dated = _date_match(text, match, year, month, day)
        if now and dated and dated[0].when.replace(tzinfo=UTC) <= now.astimezone(UTC) + timedelta(days=1):
            return dated
    return []


def _date_match(text: str, match: re.Match[str], year: int, month: int, day: int) -> list[DateMatch]:
    """The date of a match with the time of day after it; nothing if there is no such day."""
    try:
        when = datetime(year, month, day)
    except ValueError:
        return []
    if time := parse_time(text, match.end()):
        since_midnight, zone, end = time
        return [DateMatch((when + since_midnight).replace(tzinfo=zone), match.start(), end, "")]
    return [DateMatch(when, match.start(), match.end(), "")]


def _year(digits: str) -> int:
    year = int(digits)
    return year if year > 99 else 2000 + year if year < 70 else 1900 + year


def lower_same_length(text: str) -> str:
    """The text in lower case with its length unchanged: letters whose lower case is longer stay."""
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = "".join(low if len(low := char.lower()) == 1 else char for char in text)
    return lowered if lowered.isascii() else lowered.translate(NATIVE_DIGITS)


def date_words(language: str) -> LanguageWords:
    """The words of a language by its two- or three-letter code; empty for an unknown one."""
    code = {"no": "nb", "iw": "he", "in": "id"}.get(language, language)
    return _date_words().get(code) or {"months": [], "ago": {}}


@cache
def _date_words() -> dict[str, LanguageWords]:
    """date_words.json: language -> words."""
    table = json.loads(files("newsextract.metadata").joinpath("date_words.json").read_text(encoding="utf-8"))
    del table["source"]
    languages: dict[str, LanguageWords] = table
    return languages
