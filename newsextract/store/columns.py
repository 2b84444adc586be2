"""Column types of the store. Text is cleaned here, once, of what a database or a reader of JSON refuses."""

import math
import re
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import BigInteger, DateTime, Dialect, Integer, Text, TypeDecorator

#: PostgreSQL has no NUL in text; no encoder takes half of a surrogate pair.
UNSTORABLE = re.compile("[\0\ud800-\udfff]")

#: 64 bits everywhere; SQLite numbers rows by itself only in a column called INTEGER.
Number = BigInteger().with_variant(Integer(), "sqlite")


def cleaned(value: Any) -> Any:
    """A value of JSON's types without NUL, lone surrogates, NaN and infinities."""
    if isinstance(value, str):
        return UNSTORABLE.sub("�", value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {cleaned(key): cleaned(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [cleaned(item) for item in value]
    return value


def in_utc(value: datetime) -> datetime:
    """The moment in UTC. A time without zone is taken as UTC; at the calendar's edge the zone's hours are lost."""
    if value.tzinfo is None:
        return value.replace(tzinfo=UTC)
    try:
        return value.astimezone(UTC)
    except OverflowError:
        return value.replace(tzinfo=UTC)


class CleanText(TypeDecorator[str]):
    """Text that every database takes."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else UNSTORABLE.sub("�", value)


class UtcTime(TypeDecorator[datetime]):
    """A moment, with zone on both ways; SQLite holds it as text in UTC, which sorts by time."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return in_utc(value).replace(tzinfo=None) if dialect.name == "sqlite" else in_utc(value)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else in_utc(value)
