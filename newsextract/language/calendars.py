"""Days of other calendars as those of the Gregorian one: Thai, Persian, Taiwanese and Japanese years."""

from datetime import datetime

#: Years before the first one of an era. In Thai, 2569 is 2026.
ERAS = {"民國": 1911, "民国": 1911, "令和": 2018, "平成": 1988, "昭和": 1925}
BEFORE_BUDDHA = 543
#: Years of the Persian solar calendar on pages of our time.
JALALI_YEARS = range(1300, 1500)
CHINESE_DIGITS = str.maketrans("〇零一二三四五六七八九", "00123456789")


def year_of(text: str) -> int:
    """A year as on pages in Chinese, Japanese and Korean: 2024, 二〇二四, 令和6, 民國113 (also without the era)."""
    era = text[:2] if text[:2] in ERAS else ""
    digits = text.removeprefix(era).strip()
    year = 1 if digits == "元" else number_of(digits)
    return year + (ERAS[era] if era else ERAS["民國"] if year < 1000 else 0)


def number_of(text: str) -> int:
    """A number in digits or, below 100, as Chinese and Japanese write it: 17, 十七."""
    tens, ten, ones = text.translate(CHINESE_DIGITS).rpartition("十")
    return int(tens or 1) * 10 + int(ones or 0) if ten else int(ones)


def gregorian(year: int, month: int, day: int) -> datetime | None:
    """The day of a Gregorian, Thai or Persian year (Persian months from 13 on); None if there is no such day."""
    try:
        if year in JALALI_YEARS:
            from persiantools.jdatetime import JalaliDate  # only Persian pages pay for the import

            return datetime.combine(JalaliDate(year, (month - 1) % 12 + 1, day).to_gregorian(), datetime.min.time())  # type: ignore[no-untyped-call]
        return datetime(year - BEFORE_BUDDHA if year > 2400 else year, month, day)
    except ValueError:
        return None
