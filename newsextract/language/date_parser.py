"""Dates as people and machines write them: finds the dates of a text in its language, parses single values.

Everything about how dates are written is here: numeric and Chinese forms, month names, relative phrases ("vor 3
Stunden"), times, zones, dates in URLs. Month names and relative phrases are data: date_words.json, written by
scripts/date_words.py from dateparser's tables and CLDR; those of the page's language and of English are recognised.
`dates` decides which of a page's dates counts.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import cache, cached_property, lru_cache
from itertools import chain
from typing import NamedTuple, NotRequired, TypedDict
from zoneinfo import ZoneInfo

from newsextract.files import package_data
from newsextract.language import calendars, words
from newsextract.text import DIGITS, MAX_LABEL, lower_same_length, plain_word

#: Years of other calendars by language: of the Buddha in Thai, of the Persian solar calendar; see `calendars`.
YEARS_OF_LANGUAGES = {"th": r"(?:19|20|25)\d\d", "fa": r"(?:19|20|1[34])\d\d", "ps": r"(?:19|20|1[34])\d\d"}
YEAR = r"(?:19|20)\d\d"
#: What stands between day and month, or month and year: "3 de mayo", "3 ng Mayo", "3 ta' Mejju", "3 tháng 5 năm 2024".
JOINT = r"(?:(?:of|del?|di|ng|năm)\s|[พค]\.?ศ\.?\s?|ខែ|ឆ្នាំ|(?:ta|d)['’]\s?)"
#: Behind a year that comes first: "2024 m. gegužės 3", "2024ko maiatzaren 3a"; before a day: "2024. gada 3. maijā",
#: "2024 жылғы 3 мамыр".
BEHIND_YEAR = r"(?:(?:m|թ|ж)\.\s*|(?:\(e\))?ko\s|оны\s)"
BEFORE_DAY = r"(?:gada|-?(?:ж\.,?|жыл(?:ғы|дын)|yil|йил))"
#: Year, month and day with the year first: 2024-05-03, 2024/5/3.
ISO = re.compile(
    rf"(?P<year>{YEAR})(?<![\d/.-]\d{{4}})\s?[-/.]\s?(?P<month>\d{{1,2}})\s?[-/.]\s?(?P<day>\d{{1,2}})(?!\d)"
)
#: Chinese, Japanese and Korean: 2024年5月3日, 二〇二四年五月三号, 民國113年5月3日, 令和6年5月3日.
CJK_NUMBER = r"\d{1,2}|[一二三四五六七八九]?十[一二三四五六七八九]?|[一二三四五六七八九]"
CJK = re.compile(
    rf"(?:中華)?(?P<year>(?:19|20)\d\d|[〇零一二三四五六七八九]{{4}}|(?:民國|民国|令和|平成|昭和)\s?(?:{CJK_NUMBER}|1\d\d|元)"
    rf"|(?<!\d)1[01]\d)\s*[年년]\s*(?P<month>{CJK_NUMBER})\s*[月월]\s*(?P<day>{CJK_NUMBER})\s*[日号號일]?"
)
CJK_YEARLESS = re.compile(r"(?<![年\d])(?P<month>\d{1,2})[月월]\s*(?P<day>\d{1,2})[日号號일]")
#: Month, day and time without a year, as Chinese and Japanese portals print them below a headline: 10-08 12:00.
YEARLESS_TIMESTAMP = re.compile(r"(?<![\d./:-])(?P<month>\d{1,2})[-/](?P<day>\d{1,2})(?=\s+\d{1,2}:\d{2})")
#: The same with a year of Taiwan: 113/05/03.
MINGUO = re.compile(r"(?<![\d./-])(?P<year>1[01]\d)[/.-](?P<month>\d{1,2})[/.-](?P<day>\d{1,2})(?![\d./-])")
#: Day and month, or month and day (by language), before the year: 3.5.2024, 5/3/24.
NUMERIC = re.compile(rf"(\d(?<![\d./-]\d)\d?)([./-])\s?(\d{{1,2}})\2\s?({YEAR}|\d\d)(?![\d/-])")
#: A zone by name or offset.
ZONE = r"(?:gmt|utc)\s?[+-]\d{1,2}(?::?\d\d)?(?!\d)|[a-zа-я]{1,5}(?!\w)|[+-]\d\d:?\d\d(?: (?:gmt|utc))?"
#: What may stand between a date and its time of day, and the time, with its half of the day and zone.
BETWEEN = r"(?:[\s,،;t|/·•()–—-]|\.(?=\s*(?:[^\W\d]|\d{{1,2}}:\d\d))|(?:{words})(?!\w)\.?){{0,12}}?"
CLOCK = (
    r"(?:(?P<half>{half})\s?)?(?<!\d)(?P<hour>\d{{1,2}})"
    r"(?:\s?[:.h時时시點点]\s?(?P<minute>\d{{2}}|\d(?=\s?[分분]))(?!\d|\.\d{{4}})"
    r"(?:[:.分]\s?(?P<second>\d{{2}}))?(?:\.\d+)?[分분]?(?:\s*(?P<after>{half})(?!\w)\.?)?|\s?(?:(?P<only>{half})(?!\w)\.?|[h時时시點点](?!\w)|uhr\b))"
    r"(?:\s?(?:uhr|hrs?|h|น)(?!\w)\.?)?(?:\s*\(?(?P<zone>{zone})\)?)?"
)
#: The output of C and JavaScript: "Mon Aug 03 12:45:00 EDT 2015", "Mon Aug 03 2015 12:45:00 GMT-0400 (EDT)".
C_DATE = re.compile(
    r"[A-Z][a-z]{2} (?P<month>[A-Z][a-z]{2}) +(?P<day>\d{1,2}) (?=.*\b(?P<year>(?:19|20)\d\d)\b)(?:\d{4} )?"
    r"(?P<time>\d\d:\d\d:\d\d)(?: (?P<zone>[A-Z]{1,5}))?(?P<offset>[+-]\d\d:?\d\d)?(?: \d{4})?(?: \([^()]*\))?"
)
#: What separates words around a date.
AROUND = re.compile(r"[\s\u200c,،;:|/·•.()\[\]–—-]+")
AROUND_EVERYWHERE = ("at", "h", "uhr", "@")
#: Seconds of the units of relative dates, also in Chinese, Japanese and Korean.
SECONDS = {
    "second": 1,
    "minute min 分钟 分鐘 分 분": 60,
    "hour hr 小时 小時 時間 시간": 3600,
    "day 天 日 일": 86400,
    "week 周 週間 주": 604800,
}
UNITS = {unit: seconds for units, seconds in SECONDS.items() for unit in units.split()}
AGO_WORDS = ("ago", "前", "전")
AGO = re.compile(rf"(\d{{1,3}}|an?|one)\s*({'|'.join(UNITS)})s?\s*之?(?:{'|'.join(AGO_WORDS)})")
#: Languages whose slashed dates begin with the month, by region; all others begin with the day.
MONTH_FIRST = frozenset({"en", "en-us", "en-ph", "en-ca", "fil", "en_us", "es-us"})
#: Languages whose dates of three two-digit numbers begin with the year (CLDR's short dates: zh y/M/d, ja y/MM/dd, ko
#: yy. M. d., hu y. MM. dd.), and regions that write the day first nevertheless.
YEAR_FIRST = frozenset({"zh", "ja", "ko", "hu"})
MINGUO_REGIONS = frozenset({"zh-tw", "zh-hant", "zh-hant-tw"})
DAY_FIRST_REGIONS = frozenset({"zh-hk", "zh-mo", "zh-sg"})
DIGIT_OR_DAY = re.compile(r"\d|yesterday|today|昨|今|[一二三四五六七八九十]月")
#: What stands between the words of a relative pattern: its number, white space and signs of regular expressions.
LITERAL = re.compile(r"\(\\d\+\+\[\.,\]\?\\d\*\+\)|\\.|\W")
#: Relative days: today, one day ago, two.
DAY_WORDS = (("今天", "today"), ("yesterday", "昨天", "昨日"), ("前天",))
#: Digits of other scripts -> ASCII digits: Arabic, Persian, Indian, Thai, Lao, Burmese and Khmer ones, full-width.
NATIVE_DIGITS = {ord(zero) + value: str(value) for zero in "\u0660۰०০੦૦୦௦౦೦൦๐໐༠၀០０" for value in range(10)}
#: Code points that are no characters: one behind the first, by its number, stands for the name of a month.
MONTH = 0xFDD0
LAST_MONTH = MONTH + 24
#: Marks of direction, which Arabic and Hebrew systems print within dates; what stands for months.
UNREAD = dict.fromkeys((0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A), *range(MONTH, 0xFDF0)))
#: A year, or what a calendar with shorter years puts around it. It begins with a set, which makes the search fast.
SHOWN_YEAR = re.compile(
    r"[\d元〇零一二三四五六七八九]"
    r"(?:(?<!\d\d)(?<=\d)\d{3}(?!\d)|(?<=[\d元])\s?[年년]\s?\d|(?<![\d元])[〇零一二三四五六七八九]{3}年)"
)
#: The beginning of a full date, as part of larger patterns.
DATE_START = r"(?:19|20)\d\d(?:-\d|年|/\d)"
#: A date and a time: the timestamp that publishing systems print below a headline.
TIMESTAMP = re.compile(r"(?:19|20)\d\d[-/年.]\d{1,2}[-/月.]\d{1,2}日?\s+\d{1,2}:\d\d")
#: The issue of a Chinese magazine: 1996年6月号.
MAGAZINE_ISSUE = re.compile(r"((?:19|20)\d\d)年\s*(1[0-2]|0?[1-9])\s*月[号號]")
#: Dates of URLs: 2024/05/03, 20240503; the day first: 29-10-2021; folders: /2024/0503/, /2024-05/03/, without zeros
#: /2024/5/3/, with the name of the month /2024/may/03/.
URL_FORMS = (
    re.compile(rf"(?<!\d)(?P<year>{YEAR})([-/._]?)(?P<month>0[1-9]|1[0-2])\2(?P<day>0[1-9]|[12]\d|3[01])(?!\d)"),
    re.compile(rf"(?<![^\W_])(?<!\d-)(?P<day>\d\d?)-(?P<month>\d\d?)-(?P<year>{YEAR})(?=[/.]|$)"),
    re.compile(
        rf"/(?P<year>{YEAR})(?:[/-]|(?=\d\d[/-]|\d{{4}}/))(?P<month>\d\d?|[a-z]{{3,9}})(?:[/-]|(?<=\d\d)(?=\d\d/))"
        r"(?P<day>\d\d?)(?=/)",
        re.I,
    ),
)
#: Year and month of a URL whose day is elsewhere: /2024/05/.
URL_MONTH = re.compile(r"/((?:19|20)\d\d)[/-]?(0?[1-9]|1[0-2])(?=/|$)")
MAX_TEXT = 2_000
#: A zone of the tz database at the end, and "Z" behind another zone, as careless formats append it.
PLACE = re.compile(r"\s?\[?([A-Z][a-z]+(?:/[A-Z][A-Za-z_-]+){1,2})\]?$")
ZONE_TWICE = re.compile(r"(?<=:\d\d)([+-]\d\d:?\d\d)Z$")


class DateMatch(NamedTuple):
    """A date found in a text: the value (naive if the text has no zone), its position, text, and if it has a time."""

    when: datetime
    start: int
    end: int
    raw: str
    timed: bool = False


class LanguageWords(TypedDict):
    """A language of date_words.json: the words of each month (`jalali`: of the Persian calendar), the relative patterns
    of each unit of time, and words around dates."""

    months: list[list[str]]
    ago: dict[str, list[str]]
    jalali: NotRequired[list[list[str]]]
    days: list[str]
    am: list[str]
    pm: list[str]
    fillers: list[str]


class MonthForms(NamedTuple):
    """Dates with the name of a month, for which a mark stands (`MONTH`), and in digits, for one pattern of years."""

    day_month: re.Pattern[str]
    month_day: re.Pattern[str]
    year_month: re.Pattern[str]
    year_day: re.Pattern[str]
    numeric: tuple[re.Pattern[str], ...]


class LanguagePatterns:
    """The dates of a language and English ones: number of each month name, and patterns over lower-cased text.

    Each is compiled when a text needs it, since that takes longer than reading a page.
    """

    def __init__(self, language: str) -> None:
        self._language, self._tables = language, _with_english(language)
        self.months, around = months_and_words(language)
        self.forms = _month_forms(YEARS_OF_LANGUAGES.get(language, YEAR))
        self.afternoon = frozenset(_letters(word) for table in self._tables for word in table["pm"])
        self.around = frozenset(part for known in around for part in known.split())
        halves = {word for table in self._tables for word in (*table["pm"], *table["am"])}
        self._between = BETWEEN.format(words=_any_of(around))
        self._clock = CLOCK.format(half=_any_of(halves, abbreviated=True), zone=ZONE)

    @cached_property
    def month_name(self) -> re.Pattern[str]:
        names = _any_of(self.months)
        firsts = "".join(sorted({re.escape(month[0]) for month in self.months}))
        # Arabic papers write the month twice, with its names in Egypt and in the Levant.
        also = rf"(?:\s?[/(–-]\s?(?:{names}))?" if self._language == "ar" else ""
        return re.compile(rf"(?=[{firsts}])(?<![^\W\d])({names})(?!\w)[.׳॰]?{also}")  # the lookahead is fast

    @cached_property
    def time_after(self) -> re.Pattern[str]:
        return re.compile(self._between + self._clock)

    @cached_property
    def time_before(self) -> re.Pattern[str]:
        return re.compile(self._clock + self._between + r"\Z")

    @cached_property
    def relative(self) -> dict[str, int]:
        """Patterns of relative dates, compiled when a text has one of `marks` ("ago"), as each relative date does."""
        found = (units.items() for units in (table["ago"] for table in self._tables))
        return {pattern: UNITS[unit] for unit, patterns in chain.from_iterable(found) for pattern in patterns}

    @cached_property
    def marks(self) -> tuple[str, ...]:
        return _marks(self.relative)

    def with_marks(self, text: str) -> str:
        """The text with a mark for each month name, as long as the name."""
        return self.month_name.sub(self._mark, text)

    def _mark(self, name: re.Match[str]) -> str:
        return chr(MONTH + self.months[name[1]]).ljust(len(name[0]), chr(MONTH))


def parse_date(text: str | None, language: str | None = None, now: datetime | None = None) -> datetime | None:
    """The date that a whole text is, as machines or people write it, naive if it names no zone.

    None if a part of the text isn't understood (`language`: BCP 47, with the country if known), or if it has two dates.
    Relative dates and those without a year are only read with `now`.
    """
    text = ZONE_TWICE.sub(r"\1", (text or "").strip()[: MAX_TEXT + 1])
    if named := PLACE.search(text):
        when = parse_date(text[: named.start()], language, now)
        with suppress(KeyError, ValueError, OSError):  # not a zone of the tz database
            return when and (when if when.tzinfo else when.replace(tzinfo=ZoneInfo(named[1])))
    if when := parse_machine_date(text):
        return when
    found = find_dates(text, language, now) if len(text) <= MAX_TEXT else ()
    if len(found) != 1:
        return None
    rest = _lowered(f"{text[: found[0].start]} {text[found[0].end :]}")
    tag, around = _tag(language), language_patterns(_tag(language).partition("-")[0]).around
    is_whole = all(word in around or (found[0].timed and parse_zone(word, tag)) for word in AROUND.split(rest) if word)
    return found[0].when if is_whole else None


@lru_cache(maxsize=256)
def find_dates(text: str, language: str | None = None, now: datetime | None = None) -> tuple[DateMatch, ...]:
    """All dates of a text (in a BCP 47 language), in order; relative and yearless ones only with `now`.

    Cached: the line below a headline is read for several fields.
    """
    text = (text if text.isascii() else text.translate(UNREAD))[:MAX_TEXT]
    if now is None and not DIGIT_OR_DAY.search(text):
        return ()
    tag = _tag(language)
    patterns = language_patterns(tag.split("-")[0])
    lowered = _lowered(text)
    matches = [*_numeric(lowered, tag, patterns, now), *_with_month_name(lowered, tag, patterns, now)]
    if now is not None:
        matches += _relative(lowered, patterns, now)
    matches.sort(key=lambda match: (match.start, -match.end))
    separate: list[DateMatch] = []
    for match in matches:
        before = separate[-1].end if separate else 0
        if match.start >= before:
            timed = match if match.timed else _with_time(lowered, before, match, patterns, tag)
            separate.append(timed._replace(raw=text[timed.start : timed.end].strip()))
    return tuple(separate)


def _tag(language: str | None) -> str:
    return (language or "en").lower().replace("_", "-")


def months_and_words(language: str) -> tuple[dict[str, int], set[str]]:
    """The number of each month name of a language and of English, and what stands around dates."""
    months: dict[str, int] = {}
    around = {*AROUND_EVERYWHERE}
    for table in _with_english(language):
        for number, month in enumerate([*table["months"], *table.get("jalali", [])], 1):
            for word in month:
                months.setdefault(word, number)
        around.update(table["am"], table["pm"], table["days"], table["fillers"])
    return months, around


def _with_english(language: str) -> list[LanguageWords]:
    return [date_words(name) for name in dict.fromkeys((language, "en"))]


@cache
def _month_forms(year: str) -> MonthForms:
    name = f"(?P<month>[{chr(MONTH + 1)}-{chr(LAST_MONTH)}]){chr(MONTH)}*"
    return MonthForms(
        re.compile(
            rf"(?<![\d.])(?<!\d:)(?P<day>\d{{1,2}})(?:(?:st|nd|rd|th),?|er|º|ª|°|\.|-го)?[\s/-]*{JOINT}?\s*{name}\)?[,،]?"
            rf"(?:[\s/-]*{JOINT}?\s*(?:'|’)?(?P<year>(?:{year})|\d\d(?![\d:]))(?!\d))?"
        ),
        re.compile(
            rf"{name}\s*(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?![\d:])"
            rf"(?:\s*[,.]?\s*(?:\d\d:\d\d(?::\d\d)?\s(?:[a-z]{{1,4}}\s)?)?(?P<year>{year})(?!\d))?"
        ),
        re.compile(rf"(?<!\d)(?P<year>{year})\s*[.,/-]?\s*{BEHIND_YEAR}?{name}\s*[/-]?\s*(?P<day>\d{{1,2}})(?!\d)"),
        re.compile(rf"(?<!\d)(?P<year>{year})\.?\s*{BEFORE_DAY}\s*(?P<day>\d{{1,2}})[.-]?\s*{name}"),
        (re.compile(ISO.pattern.replace(YEAR, year)), re.compile(NUMERIC.pattern.replace(YEAR, year))),
    )


@lru_cache(maxsize=64)
def language_patterns(language: str) -> LanguagePatterns:
    """The patterns of a language's dates together with the English ones."""
    return LanguagePatterns(language)


def _marks(patterns: Iterable[str]) -> tuple[str, ...]:
    """Texts of which each text that has one of these patterns has at least one, the most common first."""
    pieces = [{piece.lower() for piece in LITERAL.split(pattern) if piece} or {""} for pattern in patterns]
    marks: list[str] = []
    while pieces:
        counts = Counter(chain.from_iterable(pieces))
        marks.append(max(counts, key=lambda piece: (counts[piece], len(piece), piece)))
        pieces = [others for others in pieces if marks[-1] not in others]
    return tuple(marks)


def _any_of(words: Iterable[str], abbreviated: bool = False) -> str:
    """A pattern of any of these words, longest first; of two letters (pm) also with points (p. m.)."""
    ordered = sorted(words, key=len, reverse=True)
    return "|".join(
        r"\.?\s?".join(map(re.escape, word)) if abbreviated and len(word) == 2 else re.escape(word) for word in ordered
    )


def _letters(text: str) -> str:
    return "".join(filter(str.isalpha, text))


def _with_time(text: str, start: int, date: DateMatch, patterns: LanguagePatterns, tag: str) -> DateMatch:
    """A date with the time of day that follows it, or stands right before it, not before `start`."""
    first = max(start, date.start - MAX_LABEL)
    if DIGITS.search(text, date.end) and (match := patterns.time_after.match(text, date.end)):
        begin, end = date.start, match.end()
    elif DIGITS.search(text, first, date.start) and (match := patterns.time_before.search(text, first, date.start)):
        begin, end = match.start(), date.end
    else:
        return date
    hour, minute, second = int(match["hour"]), int(match["minute"] or 0), int(match["second"] or 0)
    if half := match["half"] or match["after"] or match["only"]:
        is_afternoon = _letters(half) in patterns.afternoon
        hour = hour % 12 + 12 * is_afternoon if hour <= 12 else hour
    if hour > 23 or minute > 59 or second > 59:
        return date
    zone = parse_zone(match["zone"], tag)
    if match["zone"] and zone is None and end == match.end():
        end = match.start("zone")
    when = date.when + timedelta(hours=hour, minutes=minute, seconds=second)
    return DateMatch(when.replace(tzinfo=zone), begin, end, "", True)


def parse_zone(name: str | None, tag: str = "en") -> tzinfo | None:
    """A zone by its offset, or by its name in a language and country; None for anything else."""
    if not name:
        return None
    if (sign := name.lstrip("GMTUCgmtuc "))[:1] in ("+", "-"):
        digits = sign[1:].partition(":")
        hours, minutes = (digits[0], digits[2]) if digits[1] else (sign[1:3], sign[3:5].strip())
        offset = timedelta(hours=int(hours), minutes=int(minutes or 0))
        return timezone(offset if sign[0] == "+" else -offset) if offset < timedelta(hours=15) else None
    zones = words.read("zones")
    country = tag.partition("-")[2] or zones["countries_of_languages"].get(tag, "")
    hours = zones.get(country[-2:], {}).get(name.lower(), zones["everywhere"].get(name.lower()))
    return ZoneInfo(hours) if isinstance(hours, str) else hours if hours is None else timezone(timedelta(hours=hours))


def parse_machine_date(raw: str) -> datetime | None:
    """ISO 8601 as it occurs, the output of C, (milli)seconds since 1970, naive without a zone; None for other texts."""
    text = raw.strip()
    return _machine_date(text) if 8 <= len(text) <= 70 else None


@lru_cache(maxsize=256)
def _machine_date(text: str) -> datetime | None:
    try:
        if match := C_DATE.fullmatch(text):
            month = language_patterns("en").months.get(match["month"].lower(), 0)
            when = datetime.fromisoformat(f"{match['year']}-{month:02}-{int(match['day']):02}T{match['time']}")
            return when.replace(tzinfo=parse_zone(match["offset"] or match["zone"]))
        if len(text) in (12, 14) and text.isdigit():
            return datetime.fromisoformat(f"{text[:8]}T{text[8:]}")
        if len(text.partition(".")[0]) in (10, 13) and text.replace(".", "", 1).isdigit():
            return datetime.fromtimestamp(int(text[:10]), UTC)
        if text[:4].isdigit() and text[:2] in ("19", "20"):
            text = text.replace("/", "-")
            time, _, zone = text.rpartition(" ")
            return datetime.fromisoformat(time.rstrip() + zone if zone.startswith(("+", "-")) else text)
    except (ValueError, OverflowError):
        pass
    return None


def find_url_dates(url: str) -> list[datetime]:
    """The dates in a URL, each form of URL_FORMS once."""
    if "19" not in url and "20" not in url:
        return []
    months = language_patterns("en").months
    dates: list[datetime] = []
    for match in (found for pattern in URL_FORMS if (found := pattern.search(url))):
        name = match["month"].lower()
        month = int(name) if name.isdigit() else months.get(name, 0)
        dates += [dated.when for dated in _date_match(match, int(match["year"]), month, int(match["day"]))]
    return dates


def _numeric(text: str, language: str, patterns: LanguagePatterns, now: datetime | None) -> list[DateMatch]:
    """Dates in digits; which of 5/6/2024 is the month, and of 19-10-08 the year, depends on language and region."""
    year_first = language.split("-")[0] in YEAR_FIRST and language not in DAY_FIRST_REGIONS
    iso, numeric = patterns.forms.numeric
    matches: list[DateMatch] = []
    dated = [iso, *([] if text.isascii() else [CJK]), *([MINGUO] if language in MINGUO_REGIONS else [])]
    for match in chain.from_iterable(pattern.finditer(text) for pattern in dated):
        month, day = map(calendars.number_of, match.group("month", "day"))
        matches += _date_match(match, calendars.year_of(match["year"]), month, day)
    yearless = [*([] if text.isascii() else [CJK_YEARLESS]), *([YEARLESS_TIMESTAMP] if year_first else [])]
    for match in chain.from_iterable(pattern.finditer(text) for pattern in yearless):
        matches += _yearless(match, int(match["month"]), int(match["day"]), now)
    for match in numeric.finditer(text):
        first, second = int(match[1]), int(match[3])
        two_digits = len(match[1]) == len(match[4]) == 2
        is_past = year_first and two_digits and _year(match[1]) <= (now or datetime.now(UTC)).year
        if is_past and (found := _date_match(match, _year(match[1]), second, int(match[4]))):
            matches += found
            continue
        month_first = match[2] != "." and language in MONTH_FIRST
        if second > 12 or (month_first and first <= 12):
            first, second = second, first
        matches += _date_match(match, _year(match[4], language), second, first)
    return matches


def _with_month_name(text: str, language: str, patterns: LanguagePatterns, now: datetime | None) -> list[DateMatch]:
    marked, forms = patterns.with_marks(text), patterns.forms
    matches: list[DateMatch] = []
    orders = (forms.day_month, forms.month_day, forms.year_month, forms.year_day)
    for match in chain.from_iterable(pattern.finditer(marked) for pattern in orders if marked != text):
        month, day = ord(match["month"]) - MONTH, int(match["day"])
        if match["year"]:
            matches += _date_match(match, _year(match["year"], language), month, day)
        else:
            matches += _yearless(match, month, day, now)
    return matches


def _relative(text: str, patterns: LanguagePatterns, now: datetime) -> list[DateMatch]:
    matches: list[DateMatch] = []
    for match in AGO.finditer(text) if any(map(text.__contains__, AGO_WORDS)) else ():
        count = int(match[1]) if match[1].isdigit() else 1
        matches.append(_before(match, count * UNITS[match[2]], now))
    for pattern, unit in patterns.relative.items() if any(map(text.__contains__, patterns.marks)) else ():
        found = re.finditer(pattern, text, re.I)
        matches += [_before(match, int(match[1]) * unit, now) for match in found if match[1].isdigit()]
    for days, word in ((days, word) for days, names in enumerate(DAY_WORDS) for word in names):
        start = text.find(word)
        if start >= 0:
            day = (now - timedelta(days=days)).replace(hour=0, minute=0, second=0, microsecond=0)
            matches.append(DateMatch(day, start, start + len(word), "", True))
    return matches


def _before(match: re.Match[str], seconds: int, now: datetime) -> DateMatch:
    return DateMatch(now - timedelta(seconds=seconds), match.start(), match.end(), "", True)


def _yearless(match: re.Match[str], month: int, day: int, now: datetime | None) -> list[DateMatch]:
    """The latest such day that is not after `now`, with a day of tolerance for zones."""
    for year in (now.year, now.year - 1) if now else ():
        dated = _date_match(match, year, month, day)
        if now and dated and dated[0].when.replace(tzinfo=UTC) <= now.astimezone(UTC) + timedelta(days=1):
            return dated
    return []


def _date_match(match: re.Match[str], year: int, month: int, day: int) -> list[DateMatch]:
    """The date of a match; nothing if there is no such day."""
    when = calendars.gregorian(year, month, day)
    return [DateMatch(when, match.start(), match.end(), "")] if when else []


def _year(digits: str, language: str = "") -> int:
    """A year of four digits, or of two: those of Thai count from 2500."""
    year = int(digits)
    return year if year > 99 else 2500 + year if language == "th" else 2000 + year if year < 70 else 1900 + year


def _lowered(text: str) -> str:
    """The text in lower case and with ASCII digits, its length unchanged."""
    lowered = lower_same_length(text)
    return lowered if lowered.isascii() else lowered.translate(NATIVE_DIGITS)


@cache
def months_of_urls() -> dict[str, int]:
    """The names of months as URLs have them, without accents, in the languages of `language.words`, as far as a name
    means one month in all of these."""
    found = defaultdict[str, set[int]](set)
    for table in map(date_words, words.languages()):
        for number, month in enumerate(table["months"], 1):
            for word in month:
                found[plain_word(word)].add(number)
    return {word: numbers.pop() for word, numbers in found.items() if len(numbers) == 1}


def date_words(language: str) -> LanguageWords:
    """The words of a language by its two- or three-letter code; empty for an unknown one."""
    code = {"no": "nb", "iw": "he", "in": "id"}.get(language, language)
    return _date_words().get(code) or {"months": [], "ago": {}, "days": [], "am": [], "pm": [], "fillers": []}


@cache
def _date_words() -> dict[str, LanguageWords]:
    """date_words.json: language -> words."""
    return package_data("newsextract.language", "date_words.json")
