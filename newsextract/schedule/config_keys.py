"""The keys of an entry of sites.toml: what each value may be, and what it sets in the crawl of the site."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from cssselect import SelectorError
from parsel.csstranslator import HTMLTranslator
from turbohtml import etree

from newsextract.spiders.arguments import Argument

MAX_SELECTORS = 100
HOST = re.compile(r"(?i)[a-z0-9]([a-z0-9-]{0,62}\.){1,10}[a-z0-9-]{2,63}|[a-z0-9.-]{1,253}:\d{1,5}")
#: A token of RFC 9110, and a value without line ends.
HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}")
HEADER_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]{0,4000}")
COOKIE_VALUE = re.compile(r"[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]{0,4000}")
#: Headers that Scrapy or the crawl makes itself.
RESERVED_HEADERS = frozenset(
    "host cookie connection content-length transfer-encoding te upgrade accept-encoding if-none-match "
    "if-modified-since range proxy-authorization".split()
)


def parse_argument(argument: Argument, value: object) -> str:
    """A spider argument as text, checked. A list of URLs or of patterns is joined as the spider reads it."""
    texts = [argument_text(part).strip() for part in (value if isinstance(value, list) else [value])]
    if isinstance(value, list) and (not texts or argument.name not in ("url", "allow", "deny")):
        raise ValueError("must not be an empty list" if not texts else "must not be a list")
    parsed = [argument.parse(text) for text in texts]
    if argument.name == "url":
        return ",".join(url for urls in parsed if isinstance(urls, tuple) for url in urls)
    return texts[0] if len(texts) == 1 else "|".join(f"(?:{text})" for text in texts)


def argument_text(value: object) -> str:
    """A value of TOML as the text that a spider argument is on a command line."""
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, str | int):
        return str(value)
    if isinstance(value, date | datetime):
        return value.isoformat()
    raise ValueError("must be a text, a number or true or false")


def parse_duration(value: object) -> timedelta:
    """A time such as "30m": a whole number and s, m, h or d."""
    match = re.fullmatch(r"(\d{1,6})\s*([smhd])", value.strip()) if isinstance(value, str) else None
    if match is None or int(match[1]) < 1:
        raise ValueError('must be a time such as "30m", "6h" or "1d"')
    return timedelta(seconds=int(match[1]) * {"s": 1, "m": 60, "h": 3600, "d": 86400}[match[2]])


def parse_seconds(value: object) -> float:
    """A number of seconds, from 0 to an hour."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 3600:
        raise ValueError("must be a number of seconds from 0 to 3600")
    return float(value)


def parse_number(value: object) -> int:
    """A whole number from 1 to 1000."""
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 1000:
        raise ValueError("must be a whole number from 1 to 1000")
    return value


def parse_switch(value: object) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise ValueError("must be true or false")
    return value


def parse_line(value: object) -> str:
    """A text of one line."""
    if not isinstance(value, str) or not value.strip() or not HEADER_VALUE.fullmatch(value):
        raise ValueError("must be a text of one line")
    return value.strip()


def parse_table(value: object) -> dict[str, Any]:
    """A table of anything."""
    if not isinstance(value, dict):
        raise ValueError("must be a table, such as { threshold = 0.5 }")
    return value


def parse_render(value: object) -> bool | str:
    """Whether a browser draws the pages: true, false or "auto"."""
    if not isinstance(value, bool) and value != "auto":
        raise ValueError('must be true, false or "auto"')
    return value if isinstance(value, bool) else "auto"


def parse_hosts(value: object) -> list[str]:
    """Names of hosts."""
    if not isinstance(value, list) or not all(isinstance(name, str) and HOST.fullmatch(name) for name in value):
        raise ValueError('must be a list of hosts, such as ["assets.example.net"]')
    return [name.lower() for name in value]


def parse_headers(value: object) -> dict[str, str]:
    """Names and values of request headers, without those of RESERVED_HEADERS."""
    headers = _table_of_texts(value, 'must be a table of texts, such as { Accept-Language = "de" }')
    for name, text in headers.items():
        if not HEADER_NAME.fullmatch(name) or not HEADER_VALUE.fullmatch(text):
            raise ValueError(f"{name!r} isn't a header that can be sent")
        if name.lower() in RESERVED_HEADERS:
            raise ValueError(f"{name!r} is made by the crawl itself" + ("; use cookies" if name == "Cookie" else ""))
    return headers


def parse_cookies(value: object) -> dict[str, str]:
    """Names and values of cookies."""
    cookies = _table_of_texts(value, 'must be a table of texts, such as { consent = "1" }')
    for name, text in cookies.items():
        if not HEADER_NAME.fullmatch(name) or not COOKIE_VALUE.fullmatch(text):
            raise ValueError(f"{name!r} isn't a cookie that can be sent")
    return cookies


def _table_of_texts(value: object, message: str) -> dict[str, str]:
    if not isinstance(value, dict) or not all(isinstance(text, str) for text in value.values()):
        raise ValueError(message)
    return value


def parse_selectors(value: object) -> tuple[str, ...]:
    """CSS selectors, or XPaths (from their first character), all as XPaths of elements."""
    selectors = [value] if isinstance(value, str) else value
    if not isinstance(selectors, list) or not all(isinstance(selector, str) for selector in selectors):
        raise ValueError('must be a list of CSS selectors, such as [".related"]')
    if len(selectors) > MAX_SELECTORS:
        raise ValueError(f"has {len(selectors)} selectors; there may be {MAX_SELECTORS}")
    return tuple(map(_xpath, selectors))


def _xpath(selector: str) -> str:
    text = selector.strip()
    try:
        path = text if text.startswith(("/", "(", "./")) else HTMLTranslator().css_to_xpath(text)
        nodes = etree.XPath(path)(etree.Element("html"))
    except (SelectorError, ValueError, RecursionError) as error:
        raise ValueError(f"{selector!r} is neither a CSS selector nor an XPath: {error}") from None
    if not isinstance(nodes, list) or any(not isinstance(node, etree.ElementView) for node in nodes):
        raise ValueError(f"{selector!r} selects no elements")
    return path


@dataclass(frozen=True)
class Key:
    """A key of an entry: the parser of its value (ValueError says what would be right), and what it sets.

    `setting`: that setting of the crawl; `attribute`: the attribute of that name of the site's spider.
    """

    parse: Callable[[object], Any]
    setting: str | None = None
    attribute: bool = False


KEYS: dict[str, Key] = {
    "spider": Key(parse_line),
    "extractor": Key(parse_line, setting="NEWSEXTRACT_EXTRACTOR"),
    "extractor_options": Key(parse_table, setting="NEWSEXTRACT_EXTRACTOR_OPTIONS"),
    "site_evidence": Key(parse_switch, setting="NEWSEXTRACT_SITE_EVIDENCE"),
    "user_agent": Key(parse_line, setting="USER_AGENT"),
    "delay": Key(parse_seconds, setting="DOWNLOAD_DELAY"),
    "concurrency": Key(parse_number, setting="CONCURRENT_REQUESTS_PER_DOMAIN"),
    "headers": Key(parse_headers, attribute=True),
    "cookies": Key(parse_cookies, attribute=True),
    "render": Key(parse_render, setting="NEWSEXTRACT_RENDER"),
    "render_hosts": Key(parse_hosts, setting="NEWSEXTRACT_RENDER_HOSTS"),
    "drop": Key(parse_selectors, attribute=True),
    "interval": Key(parse_duration),
    "shortest": Key(parse_duration),
    "longest": Key(parse_duration),
    "keep": Key(parse_duration),
}
