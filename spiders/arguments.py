"""Arguments of spiders (`-a NAME=VALUE`): declared, parsed, as canonical text, and as a JSON Schema for forms."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from newsextract.crawl.checks import whole_number
from newsextract.errors import WrongCall
from newsextract.items import EARLIEST, is_plausible_date
from newsextract.urls import split_url

#: What no host has.
NO_HOST = re.compile(r"^\.|\.\.|[^\w.:\x80-\U0010ffff-]")
#: A URL without scheme that has a port, an IP address or a host of a private network.
OWN_SERVER = re.compile(r"(?:[\w.-]+:\d+|\d{1,3}(?:\.\d{1,3}){3}|[\w-]+)(?:[/?#]|$)|\[")


@dataclass(frozen=True)
class Argument:
    """A spider argument: its parser raises ValueError with what would be right; `help` is a sentence for forms."""

    name: str
    parse: Callable[[str], object]
    required: bool = False
    default: object = None
    help: str = ""


def parse_arguments(spider: str, declared: tuple[Argument, ...], given: Mapping[str, str]) -> dict[str, Any]:
    """The values of all arguments by name; `_job` and the like are scrapyd's. Raises WrongCall for a wrong one."""
    known = {argument.name: argument for argument in declared}
    for name in given:
        if name not in known and not name.startswith("_"):
            raise WrongCall(f"the spider {spider!r} takes no argument {name!r}; it takes {', '.join(known)}")
    values = {argument.name: argument.default for argument in declared}
    for name, argument in known.items():
        text = given.get(name)
        if text is None:
            if argument.required:
                raise WrongCall(f"the spider {spider!r} needs {name}=…; try: scrapy crawl {spider} -a {name}=…")
            continue
        try:
            values[name] = argument.parse(str(text).strip())
        except ValueError as error:
            raise WrongCall(f"{name}={without_credentials(str(text))!r} of the spider {spider!r}: {error}") from error
    return values


def parse_urls(text: str) -> tuple[str, ...]:
    """URLs separated by commas, which count only before http:// or https://. Without a scheme it is https."""
    parts = [part.strip() for part in re.split(r",\s*(?=https?://)", text, flags=re.I)]
    if other := next((part for part in parts if OTHER_SCHEME.match(part)), None):
        raise ValueError(f"{other!r} isn't an http or https URL")
    urls = [with_scheme(part) for part in parts if part]
    if not urls:
        raise ValueError("is empty; use a URL such as https://example.org/")
    for url in urls:
        parsed = split_url(url)
        if parsed is None or NO_HOST.search(parsed.hostname or "") or url.split() != [url]:
            raise ValueError(f"{without_credentials(url)!r} isn't an http or https URL")
        if UNREADABLE.search(url):
            raise ValueError(f"{without_credentials(url)!r} contains control or undecodable characters")
        if "@" in parsed.netloc:
            raise ValueError(
                f"{without_credentials(url)!r} has a user name or password, which crawls don't send; remove it"
            )
    return tuple(urls)


#: How addresses begin that aren't of the web, and may have no slashes.
OTHER_SCHEME = re.compile(r"(?:mailto|javascript|tel|data|about|file):(?!\d)", re.I)
#: Control characters, and lone surrogates: Python uses these for bytes of a command line that aren't UTF-8.
UNREADABLE = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff\ufffd]")


def with_scheme(address: str) -> str:
    """The URL with https:// if it has no scheme. ValueError for a local server, which would nearly always be http."""
    address = re.sub("^feed:(?://)?", "", address, flags=re.I)
    if re.match(r"[a-z][a-z0-9+.-]*://", address, re.I):
        return address
    if OWN_SERVER.match(address):
        raise ValueError(f"{without_credentials(address)!r} has no scheme: write http://… or https://…")
    return f"https://{address}"


def without_credentials(text: str) -> str:
    """The text with `user:password@` in URLs replaced by `…@`, for messages and logs."""
    return re.sub(r"//[^/?#\s]*@", "//…@", text)


def parse_count(text: str) -> int:
    """A whole number from 0, also as 1e6 or 1_000_000."""
    number = whole_number(text)
    if number is None or not 0 <= number < 10**12:
        raise ValueError("must be a whole number, such as 100")
    return number


def parse_positive(text: str) -> int:
    """A whole number from 1."""
    number = parse_count(text)
    if number < 1:
        raise ValueError("must be 1 or more")
    return number


def parse_pattern(text: str) -> re.Pattern[str]:
    """A regular expression, searched in a URL."""
    try:
        return re.compile(text)
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(f"isn't a regular expression: {error}") from error


def parse_flag(text: str) -> bool:
    """Yes or no, in the usual spellings."""
    words = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}
    if text.lower() not in words:
        raise ValueError("must be 1 or 0")
    return words[text.lower()]


def parse_date(text: str) -> datetime:
    """A date or time in ISO 8601 that an article can have, in UTC if it has no time zone."""
    try:
        date = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError("must be a date, such as 2026-05-01") from None
    date = date if date.tzinfo else date.replace(tzinfo=UTC)
    if not is_plausible_date(date):
        raise ValueError(f"must be a date from {EARLIEST:%Y} to today; years are those of the Gregorian calendar")
    return date


MAX_PAGES = Argument("max_pages", parse_positive, help="Stop after this many pages.")
ALLOW = Argument("allow", parse_pattern, help="Only URLs that match this regular expression.")
DENY = Argument("deny", parse_pattern, help="No URLs that match this regular expression.")
SINCE = Argument("since", parse_date, help="Skip older articles.")
#: Arguments of all spiders.
COMMON = (MAX_PAGES, ALLOW, DENY, SINCE)

#: What each parser accepts, as JSON Schema.
JSON_TYPES: dict[Callable[[str], object], dict[str, object]] = {
    parse_urls: {"type": "string", "examples": ["https://example.org/"]},
    parse_count: {"type": "integer", "minimum": 0},
    parse_positive: {"type": "integer", "minimum": 1},
    parse_pattern: {"type": "string", "format": "regex"},
    parse_flag: {"type": "boolean"},
    parse_date: {"type": "string", "anyOf": [{"format": "date"}, {"format": "date-time"}], "examples": ["2026-05-01"]},
}


def argument_schema(declared: tuple[Argument, ...], preset: Mapping[str, str]) -> dict[str, object]:
    """The arguments as JSON Schema of an object, for forms. `preset`: values that need not be given."""
    properties: dict[str, dict[str, object]] = {}
    for argument in declared:
        json_type = JSON_TYPES.get(argument.parse, {"type": "string"})
        default: object = preset.get(argument.name, argument.default)
        if argument.name in preset and json_type["type"] != "string":
            default = argument.parse(preset[argument.name])
        properties[argument.name] = {
            "title": argument.name.replace("_", " ").capitalize(),
            "description": argument.help,
            **json_type,
            **({} if default is None else {"default": default}),
        }
    required = [argument.name for argument in declared if argument.required and argument.name not in preset]
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**schema, "required": required} if required else schema


def arguments_as_text(values: Mapping[str, object]) -> dict[str, str]:
    """The arguments as canonical text; equal texts identify runs of one kind."""
    return {name: canonical_text(value) for name, value in values.items() if value is not None}


def canonical_text(value: object) -> str:
    """A value as text, the same for every spelling of the argument."""
    if isinstance(value, tuple):
        return ",".join(sorted(map(str, value)))
    return value.pattern if isinstance(value, re.Pattern) else str(value)
