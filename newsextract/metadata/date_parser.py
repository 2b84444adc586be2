"""Dates as people write them: found in a line of text, in the page's language.

Month names and relative words ("yesterday", "vor 3 Stunden") are dateparser's tables for the language and English; its
parser takes milliseconds a string and reads dates into any number, so only its tables are used (docs/METADATA.md).
"""

import importlib
import re
import unicodedata
from datetime import UTC, datetime, timedelta, timezone
from functools import lru_cache
from typing import Any, NamedTuple

MONTH_KEYS = "january february march april may june july august september october november december".split()
#: Hours east of UTC of the zone names that news pages write; the ambiguous ones in the sense of their commonest user.
ZONES = {
    "z": 0,
    "utc": 0,
    "gmt": 0,
    "bst": 1,
    "wet": 0,
    "west": 1,
    "cet": 1,
    "cest": 2,
    "mez": 1,
    "mesz": 2,
    "eet": 2,
    "eest": 3,
    "msk": 3,
    "ist": 5.5,
    "sgt": 8,
    "hkt": 8,
    "jst": 9,
    "kst": 9,
    "aest": 10,
    "aedt": 11,
    "nzst": 12,
    "et": -5,
    "est": -5,
    "edt": -4,
    "ct": -6,
    "cst": -6,
    "cdt": -5,
    "mt": -7,
    "mst": -7,
    "mdt": -6,
    "pt": -8,
    "pst": -8,
    "pdt": -7,
    "wib": 7,
    "sast": 2,
    "wat": 1,
    "eat": 3,
}
ISO = re.compile(r"(?<![\d/.-])((?:19|20)\d\d)\s?[-/.]\s?(\d{1,2})\s?[-/.]\s?(\d{1,2})(?!\d)")
HAN = re.compile(r"((?:19|20)\d\d|[〇零一二三四五六七八九]{4})\s*[年년]\s*(\d{1,2})\s*[月월]\s*(\d{1,2})\s*[日号號일]?")
HAN_YEARLESS = re.compile(r"(?<![年\d])(\d{1,2})[月월]\s*(\d{1,2})[日号號일]")
NUMERIC = re.compile(r"(?<![\d./-])(\d{1,2})([./-])\s?(\d{1,2})\2\s?((?:19|20)\d\d|\d\d)(?![\d/-])")
CLOCK = re.compile(
    r"[\s,;T|/·•()–—-]*(?:at|um|à|a las|alle|kl\.?|om|klo|ore|@|o|às|час\.?|周.|星期.)?[\s)]*"
    r"(\d{1,2})\s?[:.h時时시点點]\s?(\d{2})"
    r"(?:[:.分]\s?(\d{2}))?(?:\.\d+)?\s*([ap]\.?\s?m\b\.?)?\s*\(?([A-Za-z]{1,5}\b|[+-]\d\d:?\d\d)?",
    re.I,
)
HAN_DIGITS = str.maketrans("〇零一二三四五六七八九", "00123456789")
AGO = re.compile(r"(\d{1,3}|an?|one)\s*(minute|min|hour|hr|day|week)s?\s+ago", re.I)
HAN_AGO = re.compile(r"(\d{1,3})\s*(分钟|分鐘|分|小时|小時|時間|天|日|周|週間|분|시간|일|주)\s*(?:之?前|전)")
HAN_UNITS = {
    "分钟": 60,
    "分鐘": 60,
    "分": 60,
    "분": 60,
    "小时": 3600,
    "小時": 3600,
    "時間": 3600,
    "시간": 3600,
    "天": 86400,
    "日": 86400,
    "일": 86400,
    "周": 604800,
    "週間": 604800,
    "주": 604800,
}
UNITS = {"minute": 60, "min": 60, "hour": 3600, "hr": 3600, "day": 86400, "week": 604800, "second": 1}
#: Languages whose slashed dates begin with the month, by region; all others begin with the day.
MONTH_FIRST = frozenset({"en", "en-us", "en-ph", "en-ca", "fil", "en_us", "es-us"})


class Written(NamedTuple):
    """A date found in a text: the value (naive where the text names no zone), where it stands, and what was written."""

    when: datetime
    start: int
    end: int
    raw: str
    has_time: bool = False


class Patterns(NamedTuple):
    """What a language writes: its month names, and regular expressions over lower-cased text."""

    months: dict[str, int]
    day_month: re.Pattern[str]
    month_day: re.Pattern[str]
    year_month: re.Pattern[str]
    relative: tuple[tuple[re.Pattern[str], int], ...]


def find(text: str, language: str | None = None, now: datetime | None = None) -> list[Written]:
    """All dates in a text, in its order. Year-less and relative ones only if `now` (the fetch time) is given."""
    text = text[:2000]
    if not re.search(r"\d|yesterday|today|昨|今", text) and now is None:
        return []
    base = (language or "en").lower().replace("_", "-")
    patterns = for_language(base.split("-")[0])
    lowered = _lower(text)
    found = [*_numbers(lowered, base), *_named(lowered, patterns, now)]
    if now is not None:
        found += _relative(lowered, patterns, now)
    found.sort(key=lambda one: (one.start, -one.end))
    kept: list[Written] = []
    for one in found:
        if not kept or one.start >= kept[-1].end:
            kept.append(one._replace(raw=text[one.start : one.end].strip()))
    return kept


@lru_cache(maxsize=64)
def for_language(language: str) -> Patterns:
    """The patterns of a language's month names together with the English ones."""
    months: dict[str, int] = {}
    relative: dict[str, int] = {}
    for name in dict.fromkeys((language, "en")):
        table = _table(name)
        for number, key in enumerate(MONTH_KEYS, 1):
            for word in table.get(key, ()):
                if len(word) > 1 and not word.isdigit():
                    months.setdefault(_lower(word).rstrip("."), number)
        relative |= {
            pattern: UNITS[key.split()[1]]
            for key, forms in table.get("relative-type-regex", {}).items()
            if key.endswith(" ago") and key.split()[1] in UNITS
            for pattern in forms
        }
    names = "|".join(sorted(map(re.escape, months), key=len, reverse=True))
    word = rf"(?<!\w)({names})(?!\w)\.?"
    return Patterns(
        months,
        re.compile(
            rf"(?<![\d.:])(\d{{1,2}})(?:st|nd|rd|th|er|º|ª|°|\.|-го)?[\s/-]*(?:of\s|de\s|di\s)?\s*{word},?"
            rf"(?:[\s/-]*(?:de\s|del\s|of\s)?\s*(?:'|’)?((?:19|20)\d\d|\d\d(?![\d:]))(?!\d))?"
        ),
        re.compile(rf"{word}\s*(\d{{1,2}})(?:st|nd|rd|th)?(?![\d:])(?:\s*[,.]?\s*((?:19|20)\d\d)(?!\d))?"),
        re.compile(rf"(?<!\d)((?:19|20)\d\d)\s*[.,/-]?\s*(?:m\.\s*)?{word}\s*[/-]?\s*(\d{{1,2}})(?!\d)"),
        tuple((re.compile(pattern, re.I), unit) for pattern, unit in relative.items()),
    )


def clock(text: str, end: int) -> tuple[timedelta, timezone | None, int] | None:
    """The time of day right behind a date, with its zone if one is named, and where it ends."""
    match = CLOCK.match(text, end)
    if not match:
        return None
    hour, minute, second = int(match[1]), int(match[2]), int(match[3] or 0)
    if match[4]:
        hour = hour % 12 + (12 if match[4].lower().startswith("p") else 0)
    if hour > 23 or minute > 59 or second > 59:
        return None
    return timedelta(hours=hour, minutes=minute, seconds=second), zone(match[5]), match.end()


def zone(name: str | None) -> timezone | None:
    """A zone from its name or offset; None where it is none."""
    if not name:
        return None
    if name[0] in "+-":
        digits = name[1:].replace(":", "")
        offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:4]))
        return timezone(offset if name[0] == "+" else -offset) if offset < timedelta(hours=15) else None
    hours = ZONES.get(name.lower())
    return None if hours is None else timezone(timedelta(hours=hours))


def parse_w3c_datetime(text: str | None) -> datetime | None:
    """A date in a profile of ISO 8601 as sitemaps use it, YYYY and YYYY-MM included (https://www.w3.org/TR/NOTE-datetime).

    Aware: UTC where no zone is given; None for anything else.
    """
    text = (text or "").strip()
    padded = {4: f"{text}-01-01", 7: f"{text}-01"}.get(len(text), text)
    try:
        date = datetime.fromisoformat(padded)
        return date if date.tzinfo else date.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None


def _numbers(text: str, language: str) -> list[Written]:
    found = []
    for pattern in (ISO, HAN):
        for match in pattern.finditer(text):
            year = int(match[1].translate(HAN_DIGITS))
            found += _made(text, match, year, int(match[2]), int(match[3]))
    for match in NUMERIC.finditer(text):
        first, second, year = int(match[1]), int(match[3]), _year(match[4])
        month_first = match[2] != "." and language in MONTH_FIRST
        if second > 12 or (month_first and first <= 12):
            first, second = second, first
        found += _made(text, match, year, second, first)
    return found


def _named(text: str, patterns: Patterns, now: datetime | None) -> list[Written]:
    found = []
    shapes = ((patterns.day_month, 1, 2, 3), (patterns.month_day, 2, 1, 3), (patterns.year_month, 3, 2, 1))
    for pattern, day, month, year in shapes:
        for match in pattern.finditer(text):
            number = patterns.months[match[month]]
            if match[year]:
                found += _made(text, match, _year(match[year]), number, int(match[day]))
            elif now is not None:
                found += _yearless(text, match, number, int(match[day]), now)
    if now is not None:
        for match in HAN_YEARLESS.finditer(text):
            found += _yearless(text, match, int(match[1]), int(match[2]), now)
    return found


def _relative(text: str, patterns: Patterns, now: datetime) -> list[Written]:
    found = []
    for match in AGO.finditer(text):
        count = int(match[1]) if match[1].isdigit() else 1
        found.append(_before(match, count * UNITS[match[2].lower()], now))
    found += [_before(match, int(match[1]) * HAN_UNITS[match[2]], now) for match in HAN_AGO.finditer(text)]
    for pattern, unit in patterns.relative:
        found += [_before(match, int(match[1]) * unit, now) for match in pattern.finditer(text) if match[1].isdigit()]
    for word, days in (("yesterday", 1), ("昨天", 1), ("昨日", 1), ("今天", 0), ("today", 0), ("前天", 2)):
        at = text.find(word)
        if at >= 0:
            day = (now - timedelta(days=days)).replace(hour=0, minute=0, second=0, microsecond=0)
            found.append(Written(day, at, at + len(word), ""))
    return found


def _before(match: re.Match[str], seconds: int, now: datetime) -> Written:
    return Written(now - timedelta(seconds=seconds), match.start(), match.end(), "", True)


def _yearless(text: str, match: re.Match[str], month: int, day: int, now: datetime) -> list[Written]:
    """The latest such day that is not after the fetch time (a day's leeway for zones)."""
    for year in (now.year, now.year - 1):
        made = _made(text, match, year, month, day)
        if made and made[0].when.replace(tzinfo=UTC) <= now.astimezone(UTC) + timedelta(days=1):
            return made
    return []


def _made(text: str, match: re.Match[str], year: int, month: int, day: int) -> list[Written]:
    try:
        when = datetime(year, month, day)
    except ValueError:
        return []
    if of_day := clock(text, match.end()):
        return [Written((when + of_day[0]).replace(tzinfo=of_day[1]), match.start(), of_day[2], "", True)]
    return [Written(when, match.start(), match.end(), "")]


def _year(digits: str) -> int:
    year = int(digits)
    return year if year > 99 else 2000 + year if year < 70 else 1900 + year


def _lower(text: str) -> str:
    """Lower case of the same length: letters whose lower case is longer stay."""
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = "".join(low if len(low := char.lower()) == 1 else char for char in text)
    return unicodedata.normalize("NFC", lowered) if lowered.isascii() else lowered


def _table(language: str) -> dict[str, Any]:
    """dateparser's words of a language; {} for one it doesn't know. Norwegian is known to it by its written forms."""
    name = {"no": "nb", "iw": "he", "in": "id"}.get(language, language)
    if not re.fullmatch(r"[a-z]{2,3}", name):
        return {}
    try:
        table: dict[str, Any] = importlib.import_module(f"dateparser.data.date_translation_data.{name}").info
    except ModuleNotFoundError:
        return {}
    return table
