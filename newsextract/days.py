"""The day of a moment, in one time zone for every count, search, export, partition and plot.

That is UTC, or the zone that the environment variable NEWSEXTRACT_TIMEZONE names, which all commands and the library
read.
"""

import os
from datetime import UTC, date, datetime, time, tzinfo
from functools import cache
from zoneinfo import ZoneInfo

from newsextract.errors import WrongSetting
from newsextract.items import is_plausible_date

VARIABLE = "NEWSEXTRACT_TIMEZONE"


def day_zone() -> tzinfo:
    """The time zone of all days. Raises WrongSetting if there is no zone of the name given."""
    return _zone(os.environ.get(VARIABLE) or "UTC")


@cache
def _zone(name: str) -> tzinfo:
    try:
        return UTC if name == "UTC" else ZoneInfo(name)
    except (OSError, ValueError, LookupError):
        raise WrongSetting(f"{VARIABLE} is {name!r}, which isn't a time zone; one is Europe/Berlin") from None


def day_of(moment: datetime) -> date:
    return moment.astimezone(day_zone()).date()


def day_of_article(published: datetime | None, stored: datetime | None) -> date | None:
    """The day of publication; that of storage if the article has no date, or one that it can't have."""
    moment = published if published and is_plausible_date(published, stored) else stored
    return day_of(moment) if moment else None


def today() -> date:
    return datetime.now(day_zone()).date()


def beginning_of(day: date) -> datetime:
    return datetime.combine(day, time(), day_zone())
