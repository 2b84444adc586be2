"""Spider arguments (`-a NAME=VALUE`): what each takes, and one sentence for what it does not."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from newsextract.errors import WrongCall
from newsextract.urls import split_url


@dataclass(frozen=True)
class Argument:
    """One argument: its name, what reads its text (ValueError says what would be right), whether it must be given."""

    name: str
    read: Callable[[str], Any]
    required: bool = False
    default: Any = None


def read_arguments(spider: str, takes: tuple[Argument, ...], given: Mapping[str, str]) -> dict[str, Any]:
    """Every argument's value by name. Raises WrongCall for a missing, unknown or wrong one.

    Names that begin with an underscore are a server's own (scrapyd's `_job`) and are left out.
    """
    known = {argument.name: argument for argument in takes}
    for name in given:
        if name not in known and not name.startswith("_"):
            raise WrongCall(f"The spider {spider!r} takes no argument {name!r}; it takes {', '.join(known)}")
    values = {argument.name: argument.default for argument in takes}
    for name, argument in known.items():
        text = given.get(name)
        if text is None:
            if argument.required:
                raise WrongCall(f"The spider {spider!r} needs {name}=…; try: scrapy crawl {spider} -a {name}=…")
            continue
        try:
            values[name] = argument.read(str(text).strip())
        except ValueError as error:
            raise WrongCall(f"{name}={text!r} of the spider {spider!r}: {error}") from error
    return values


def urls(text: str) -> tuple[str, ...]:
    """Addresses separated by commas, which count only before http:// or https://. Without a scheme it is https."""
    found = [part.strip() for part in re.split(r",\s*(?=https?://)", text, flags=re.I)]
    found = [part if re.match(r"[a-z][a-z0-9+.-]*://", part, re.I) else f"https://{part}" for part in found if part]
    if not found:
        raise ValueError("is empty; an address is right, such as https://example.org/")
    for url in found:
        if split_url(url) is None or any(character.isspace() for character in url):
            raise ValueError(f"{url!r} is no http or https address")
    return tuple(found)


def count(text: str) -> int:
    """A whole number from 0."""
    if not re.fullmatch(r"\d{1,12}", text):
        raise ValueError("must be a whole number, such as 100")
    return int(text)


def positive(text: str) -> int:
    """A whole number from 1."""
    number = count(text)
    if number < 1:
        raise ValueError("must be 1 or more")
    return number


def pattern(text: str) -> re.Pattern[str]:
    """A regular expression, searched anywhere in a URL."""
    try:
        return re.compile(text)
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(f"is no regular expression: {error}") from error


def flag(text: str) -> bool:
    """Yes or no, in the usual spellings."""
    words = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}
    if text.lower() not in words:
        raise ValueError("must be 1 or 0")
    return words[text.lower()]


def day(text: str) -> datetime:
    """A date or a time in ISO 8601, in UTC where it has no zone."""
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError("must be a date, such as 2026-05-01") from None
    return when if when.tzinfo else when.replace(tzinfo=UTC)


def plain(value: Any) -> str:
    """A value as text that is the same for every spelling of the argument: what tells one run from another."""
    if isinstance(value, tuple):
        return ",".join(sorted(map(str, value)))
    return value.pattern if isinstance(value, re.Pattern) else str(value)
