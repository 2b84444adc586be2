"""What an entry of sites.toml may say: one row a key, with what reads its value and what it is for.

The keys of the spider itself (url, max_pages, allow …) are its arguments, as `-a` takes them; these rows are the rest.
Nothing that belongs to the whole process can be said here: an entry must not lead around the address guard, or write
into another database than the one that is looked at.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from lxml.cssselect import CSSSelector, SelectorError
from turbohtml import etree

from newsextract import settings as our_settings
from newsextract.errors import NewsextractError
from newsextract.extractors import make_extractor

#: Names under which people look for what only a process has -> the setting that it is.
OF_THE_PROCESS = {
    "database": "NEWSEXTRACT_DATABASE_URL",
    "output": "NEWSEXTRACT_JSONL",
    "private": "NEWSEXTRACT_ALLOW_PRIVATE",
    "guard": "NEWSEXTRACT_ALLOW_PRIVATE",
    "processes": "NEWSEXTRACT_WORKERS",
    "proxy": "HTTPPROXY_ENABLED",
    "robots": "ROBOTSTXT_OBEY",
    "resolver": "TWISTED_DNS_RESOLVER",
    "reactor": "TWISTED_REACTOR",
    "log": "LOG_FILE",
}
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
#: A token of RFC 9110, and a value without line ends.
HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}")
HEADER_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]{0,4000}")
COOKIE_VALUE = re.compile(r"[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]{0,4000}")
#: Headers that the crawl makes itself.
OWN_HEADERS = frozenset(
    "host cookie connection content-length transfer-encoding te upgrade accept-encoding if-none-match "
    "if-modified-since range proxy-authorization".split()
)
MOST_SELECTORS = 100


def duration(value: Any) -> timedelta:
    """A time such as "30m": a number and s, m, h or d."""
    found = re.fullmatch(r"(\d{1,6})\s*([smhd])", value.strip()) if isinstance(value, str) else None
    if found is None or int(found[1]) < 1:
        raise ValueError('must be a time such as "30m", "6h" or "1d"')
    return timedelta(seconds=int(found[1]) * UNITS[found[2]])


def seconds(value: Any) -> float:
    """A number from 0."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 3600:
        raise ValueError("must be a number of seconds from 0 to 3600")
    return float(value)


def whole(value: Any) -> int:
    """A whole number from 1."""
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 1000:
        raise ValueError("must be a whole number from 1 to 1000")
    return value


def word(value: Any) -> str:
    """A text of one line."""
    if not isinstance(value, str) or not value.strip() or not HEADER_VALUE.fullmatch(value):
        raise ValueError("must be a text of one line")
    return value.strip()


def table(value: Any) -> dict[str, Any]:
    """A table of anything."""
    if not isinstance(value, dict):
        raise ValueError("must be a table, such as { threshold = 0.5 }")
    return value


def headers(value: Any) -> dict[str, str]:
    """Names and values of headers, without those that the crawl makes itself."""
    found = _texts(value, 'must be a table of texts, such as { Accept-Language = "de" }')
    for name, text in found.items():
        if not HEADER_NAME.fullmatch(name) or not HEADER_VALUE.fullmatch(text):
            raise ValueError(f"{name!r} is no header that can be sent")
        if name.lower() in OWN_HEADERS:
            raise ValueError(f"{name!r} is made by the crawl itself" + ("; use cookies" if name == "Cookie" else ""))
    return found


def cookies(value: Any) -> dict[str, str]:
    """Names and values of cookies."""
    found = _texts(value, 'must be a table of texts, such as { consent = "1" }')
    for name, text in found.items():
        if not HEADER_NAME.fullmatch(name) or not COOKIE_VALUE.fullmatch(text):
            raise ValueError(f"{name!r} is no cookie that can be sent")
    return found


def selectors(value: Any) -> tuple[str, ...]:
    """CSS selectors, or XPath from its first / on; all as XPath of elements."""
    written = [value] if isinstance(value, str) else value
    if not isinstance(written, list) or not all(isinstance(one, str) for one in written):
        raise ValueError('must be a list of CSS selectors, such as [".related"]')
    if len(written) > MOST_SELECTORS:
        raise ValueError(f"has {len(written)} selectors; there may be {MOST_SELECTORS}")
    return tuple(map(_xpath, written))


def _xpath(selector: str) -> str:
    text = selector.strip()
    try:
        path = text if text.startswith(("/", "(", "./")) else str(CSSSelector(text).path)
        found = etree.XPath(path)(etree.Element("html"))
    except (SelectorError, ValueError, RecursionError) as error:
        raise ValueError(f"{selector!r} is no CSS selector and no XPath: {error}") from None
    if not isinstance(found, list) or any(not isinstance(one, etree.ElementView) for one in found):
        raise ValueError(f"{selector!r} selects no elements")
    return path


def _texts(value: Any, right: str) -> dict[str, str]:
    if not isinstance(value, dict) or not all(isinstance(text, str) for text in value.values()):
        raise ValueError(right)
    return value


@dataclass(frozen=True)
class Key:
    """A key: what reads its value (ValueError says what would be right), and the setting it sets, if it is one."""

    read: Callable[[Any], Any]
    setting: str | None = None


KEYS: dict[str, Key] = {
    "spider": Key(word),
    "extractor": Key(word, "NEWSEXTRACT_EXTRACTOR"),
    "extractor_options": Key(table, "NEWSEXTRACT_EXTRACTOR_OPTIONS"),
    "user_agent": Key(word, "USER_AGENT"),
    "delay": Key(seconds, "DOWNLOAD_DELAY"),
    "concurrency": Key(whole, "CONCURRENT_REQUESTS_PER_DOMAIN"),
    "headers": Key(headers),
    "cookies": Key(cookies),
    "drop": Key(selectors),
    "interval": Key(duration),
    "shortest": Key(duration),
    "longest": Key(duration),
}
#: What becomes an attribute of the site's spider.
ATTRIBUTES = ("headers", "cookies", "drop")


def argument_text(value: Any) -> str:
    """A value of TOML as the text that a spider's argument is on a command line; of a list of patterns, one of both."""
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, str | int):
        return str(value)
    if isinstance(value, date | datetime):
        return value.isoformat()
    raise ValueError("must be a text, a number or true or false")


def process_setting(key: str) -> str | None:
    """The setting of the whole process that a key means; None where it means none."""
    name = key.upper().replace("-", "_")
    for candidate in (name, f"NEWSEXTRACT_{name}", f"NEWSEXTRACT_{name}_URL"):
        if hasattr(our_settings, candidate):
            return candidate
    return OF_THE_PROCESS.get(key.lower())


def check_extractor(settings: Mapping[str, Any]) -> str | None:
    """What is wrong with the extractor and the options that these settings name; None where it can be made."""
    if not settings.keys() & {"NEWSEXTRACT_EXTRACTOR", "NEWSEXTRACT_EXTRACTOR_OPTIONS"}:
        return None
    try:
        name = settings.get("NEWSEXTRACT_EXTRACTOR", our_settings.NEWSEXTRACT_EXTRACTOR)
        make_extractor(name, settings.get("NEWSEXTRACT_EXTRACTOR_OPTIONS", {}))
    except NewsextractError as error:
        return str(error)
    return None
