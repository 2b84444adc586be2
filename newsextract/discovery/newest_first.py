"""Which of many entries, and which of many sitemaps, are the newest, whatever their order.

An entry's date is that of its list, or the one in its URL; between dated entries, an undated one is as old as the one
before it. Without any date, the numbers in the URLs show whether a list goes up or down. A date in a sitemap's own URL
counts like its `lastmod`, and so does a number: higher is newer.
"""

import re
from calendar import monthrange
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from urllib.parse import unquote, urlsplit

from newsextract.discovery.entries import Entry
from newsextract.discovery.priority import OTHER_SITEMAPS, date_of_url
from newsextract.language.date_parser import months_of_urls
from newsextract.limits import NEARLY_ALL
from newsextract.text import DIGITS, plain_word

#: Sitemaps of an index that probably list articles, best first; the last pattern matches all others.
ARTICLE_SITEMAPS = (r"news", r"article|post|stor(?:y|ies)", r"")
#: What stands between the parts of a date in a list's URL, if anything: 2026-11-28, 2026/11, ?yyyy=2026&mm=11.
APART = r"(?:[-_/.]|&\w{1,8}=)"
YEAR = r"(?P<year>(?:19|20)\d\d)"
MONTH = r"(?P<month>1[0-2]|0?[1-9])"
DAY = r"(?P<day>3[01]|[12]\d|0?[1-9])"
COMPACT_MONTH = r"(?P<month>1[0-2]|0[1-9])"
COMPACT_DAY = r"(?P<day>3[01]|[12]\d|0[1-9])"
NAME = r"(?P<name>(?<![^\W\d_])[^\W\d_]{3,}+)"
#: Forms of a day, week, month and year, from the most exact to the least.
PERIODS = tuple(
    re.compile(rf"(?<!\d){form}(?!\d)", re.I)
    for form in (
        f"{YEAR}{APART}{MONTH}{APART}{DAY}",
        f"{DAY}{APART}{MONTH}{APART}{YEAR}",
        f"{YEAR}{COMPACT_MONTH}{COMPACT_DAY}",
        f"{COMPACT_DAY}{COMPACT_MONTH}{YEAR}",
        rf"{YEAR}[-_/.]?(?:w|week|kw)[-_]?(?P<week>[0-5]?\d)",
        f"{YEAR}{APART}{MONTH}",
        f"{MONTH}{APART}{YEAR}",
        f"{YEAR}{COMPACT_MONTH}",
        f"{YEAR}{APART}?{NAME}",
        f"{NAME}{APART}?{YEAR}",
        YEAR,
    )
)


def period_of_list(url: str) -> datetime | None:
    """The end of the day, week, month or year in a list's URL; None without one."""
    parts = urlsplit(url)
    text = unquote(f"{parts.path}?{parts.query}")
    if "19" not in text and "20" not in text:
        return None
    for pattern in PERIODS:
        for match in pattern.finditer(text):
            named = match.groupdict()
            year, month, day = (int(named.get(part) or 0) for part in ("year", "month", "day"))
            if (name := named.get("name")) and not (month := months_of_urls().get(plain_word(name), 0)):
                continue
            try:
                if named.get("week"):
                    return datetime.fromisocalendar(year, int(named["week"]), 7).replace(tzinfo=UTC) + timedelta(days=1)
                month = month or 12
                return datetime(year, month, day or monthrange(year, month)[1], tzinfo=UTC) + timedelta(days=1)
            except ValueError:  # 2026-02-31, week 60
                continue
    return None


def date_of_list(entry: Entry) -> datetime | None:
    """When a sitemap of an index was changed last, or the end of the period that its URL names."""
    return entry.date or period_of_list(entry.url)


def sort_sitemaps(sitemaps: Iterable[Entry]) -> list[Entry]:
    """The parts of a sitemap index in fetching order: news, articles, others (newest first in each), other lists."""

    def rank(entry: Entry) -> tuple[bool, int, float, list[int]]:
        kind = next(i for i, pattern in enumerate(ARTICLE_SITEMAPS) if re.search(pattern, entry.url, re.I))
        date = date_of_list(entry)
        numbers = [-int(number[:18]) for number in DIGITS.findall(urlsplit(entry.url)._replace(netloc="").geturl())]
        is_other = bool(OTHER_SITEMAPS.search(urlsplit(entry.url).path))
        return is_other, kind, -(date.timestamp() if date else 0.0), numbers

    return sorted(sitemaps, key=rank)


def newest_first(entries: Sequence[Entry]) -> list[Entry]:
    """The entries from new to old; those of one date in the order of the list, or against it if it goes from old to
    new."""
    return [entry for entry, _ in dated_newest_first(entries)]


def dated_newest_first(entries: Sequence[Entry]) -> list[tuple[Entry, datetime | None]]:
    """The entries from new to old, each with the date of the list or of its URL."""
    dates = [entry.date or date_of_url(entry.url) for entry in entries]
    pairs = [*zip(entries, dates, strict=True)]
    known = [date for date in dates if date is not None]
    if not known:
        return _highest_first(pairs)
    times, last = list[float](), known[0].timestamp()
    for date in dates:
        last = last if date is None else date.timestamp()
        times.append(last)
    positions = [*range(len(entries))]
    if _goes_up(times):
        positions.reverse()
    return [pairs[position] for position in sorted(positions, key=times.__getitem__, reverse=True)]  # stable


def _highest_first(pairs: list[tuple[Entry, datetime | None]]) -> list[tuple[Entry, datetime | None]]:
    """Entries without dates: those with the highest numbers first if most have one of their own, or in their order."""
    numbers = [_last_number(entry.url) for entry, _ in pairs]
    if _goes_up(numbers):
        return pairs[::-1]
    if _goes_up(numbers[::-1]) or len({*numbers}) < NEARLY_ALL * len(numbers):
        return pairs
    return [pair for _, pair in sorted(zip(numbers, pairs, strict=True), key=lambda one: -one[0])]


def _last_number(url: str) -> float:
    numbers = DIGITS.findall(urlsplit(url).path)
    return float(numbers[-1][:18]) if numbers else 0.0


def _goes_up(numbers: Sequence[float]) -> bool:
    """Whether most steps between different numbers go up."""
    up = sum(one < other for one, other in pairwise(numbers))
    down = sum(one > other for one, other in pairwise(numbers))
    return up > NEARLY_ALL * (up + down)
