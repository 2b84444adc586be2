"""sites.toml: the sites that are crawled regularly, each with its URL, limits and settings (docs/SCHEDULE.md).

Each site is a spider with that name (`spider_loader`), and `newsextract crawl sites.toml` crawls those that are due.
The keys of an entry are the arguments of its spider (url, max_pages, allow …), as `-a` takes them, and those in KEYS.
Settings of the whole process can't be set for a site: an entry must not bypass the address guard, or write into another
database. All errors in a file are reported at once, each with its key and what would be right.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from cssselect import SelectorError
from parsel.csstranslator import HTMLTranslator
from scrapy import Spider
from turbohtml import etree

from newsextract import settings as our_settings
from newsextract.crawl.render.programs import why_not_renderable
from newsextract.errors import NewsextractError, WrongCall, WrongSetting, suggest
from newsextract.extractors import make_extractor
from newsextract.files import NAME, read_toml
from newsextract.items import SELECTED
from newsextract.spiders.arguments import Argument
from newsextract.spiders.base import NewsSpider

#: The key of `SitesFile.wrong` for problems of the whole file; no site can have this name.
WHOLE_FILE = "*"
#: Default time between two runs of a site, and how far it may adapt, as factors.
INTERVAL = timedelta(hours=1)
SHORTEST = 0.25
LONGEST = 8
#: Limit of CSS selectors in one entry.
MAX_SELECTORS = 100
#: Most characters of a selector.
MAX_SELECTOR = 5_000
HOST = re.compile(r"(?i)[a-z0-9]([a-z0-9-]{0,62}\.){1,10}[a-z0-9-]{2,63}|[a-z0-9.-]{1,253}:\d{1,5}")
#: A token of RFC 9110, and a value without line breaks.
HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}")
HEADER_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]{0,4000}")
COOKIE_VALUE = re.compile(r"[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]{0,4000}")
#: Headers that Scrapy or the crawl sets itself.
RESERVED_HEADERS = frozenset(
    "host cookie connection content-length transfer-encoding te upgrade accept-encoding if-none-match "
    "if-modified-since range proxy-authorization".split()
)


@dataclass(frozen=True)
class Site:
    """An entry: a spider with arguments, settings and attributes, interval and retention (`keep`; None: forever)."""

    name: str
    spider: str
    arguments: Mapping[str, str]
    settings: Mapping[str, Any] = field(default_factory=dict)
    attributes: Mapping[str, Any] = field(default_factory=dict)
    interval: timedelta = INTERVAL
    shortest: timedelta = INTERVAL * SHORTEST
    longest: timedelta = INTERVAL * LONGEST
    keep: timedelta | None = None


@dataclass
class SitesFile:
    """A file's sites, its complaints by site (or WHOLE_FILE), and alerts; `browser`: NEWSEXTRACT_RENDER_BROWSER."""

    path: Path
    browser: str | None = None
    alerts: object = ()
    sites: dict[str, Site] = field(default_factory=dict)
    wrong: dict[str, list[str]] = field(default_factory=dict)

    def complain(self, key: str, message: str, site: str = WHOLE_FILE) -> None:
        """Adds a complaint about a key such as `sites.courier.url`."""
        self.wrong.setdefault(site, []).append(f"{self.path}: {key}{': ' if key else ''}{message}")

    def known(self, names: Sequence[str]) -> list[str]:
        """The names without repetitions. Raises WrongCall for a name that isn't a site of the file."""
        for name in names:
            if name in self.wrong:
                raise WrongCall(f"the site {name!r} can't be crawled: its entry is wrong; see above")
            if name not in self.sites:
                raise WrongCall(f"{self.path} has no site {name!r}; it has {', '.join(self.sites) or 'none'}")
        return [*dict.fromkeys(names)]

    def complaints(self) -> list[str]:
        """All complaints, one sentence each."""
        return [sentence for sentences in self.wrong.values() for sentence in sentences]


# ---- values ----------------------------------------------------------------------------------------------------------


def parse_argument(argument: Argument, value: object) -> str:
    """A spider argument as text, checked. Lists of URLs or patterns are joined as the spider expects them."""
    texts = [argument_text(part).strip() for part in (value if isinstance(value, list) else [value])]
    if isinstance(value, list) and (not texts or argument.name not in ("url", "allow", "deny")):
        raise ValueError("must not be an empty list" if not texts else "must not be a list")
    parsed = [argument.parse(text) for text in texts]
    if argument.name == "url":
        return ",".join(url for urls in parsed if isinstance(urls, tuple) for url in urls)
    return texts[0] if len(texts) == 1 else "|".join(f"(?:{text})" for text in texts)


def argument_text(value: object) -> str:
    """A TOML value as the text of a spider argument on the command line."""
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, str | int):
        return str(value)
    if isinstance(value, date | datetime):
        return value.isoformat()
    raise ValueError("must be a text, a number or true or false")


#: Seconds of the units of a duration.
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604_800}


def parse_duration(value: object) -> timedelta:
    """A time such as "30m": a whole number followed by s, m (minutes), h, d or w."""
    text = value.strip() if isinstance(value, str) else ""
    number, unit = text[:-1].strip(), UNITS.get(text[-1:])
    if unit is None or not number.isdecimal() or len(number) > 6 or int(number) < 1:
        raise ValueError('must be a time such as "30m", "6h" or "1d"')
    return timedelta(seconds=int(number) * unit)


def parse_keep(value: object) -> timedelta:
    """How long to keep something, such as "400d", in hours, days or weeks: some mean months by `m`."""
    if isinstance(value, str) and value.strip()[-1:] in ("s", "m"):
        raise ValueError('must be in h, d or w, such as "400d"')
    return parse_duration(value)


def checked(
    is_right: Callable[[Any], object], message: str, convert: Callable[[Any], Any] = lambda value: value
) -> Callable[[object], Any]:
    """A parser that accepts valid values; ValueError with the message for any other."""

    def parse(value: object) -> Any:
        if not is_right(value):
            raise ValueError(message)
        return convert(value)

    return parse


def is_texts(values: Collection[object]) -> bool:
    """Whether all values are strings."""
    return all(isinstance(text, str) for text in values)


parse_line = checked(
    lambda value: isinstance(value, str) and value.strip() and HEADER_VALUE.fullmatch(value),
    "must be a text of one line",
    str.strip,
)
parse_switch = checked(lambda value: isinstance(value, bool), "must be true or false")
parse_seconds = checked(
    lambda value: type(value) in (int, float) and 0 <= value <= 3600,
    "must be a number of seconds from 0 to 3600",
    float,
)
parse_number = checked(lambda value: type(value) is int and 1 <= value <= 1000, "must be a whole number from 1 to 1000")
parse_table = checked(lambda value: isinstance(value, dict), "must be a table, such as { threshold = 0.5 }")
parse_render = checked(lambda value: isinstance(value, bool) or value == "auto", 'must be true, false or "auto"')
parse_hosts = checked(
    lambda value: isinstance(value, list) and is_texts(value) and all(map(HOST.fullmatch, value)),
    'must be a list of hosts, such as ["assets.example.net"]',
    lambda names: [name.lower() for name in names],
)


def _pairs(kind: str, example: str, text_pattern: re.Pattern[str]) -> Callable[[object], dict[str, str]]:
    """A parser of names and values that are sent with a request."""
    table = checked(
        lambda value: isinstance(value, dict) and is_texts(value.values()),
        f"must be a table of texts, such as {{ {example} }}",
    )

    def parse(value: object) -> dict[str, str]:
        texts: dict[str, str] = table(value)
        for name, text in texts.items():
            if not HEADER_NAME.fullmatch(name) or not text_pattern.fullmatch(text):
                raise ValueError(f"{name!r} isn't a {kind} that can be sent")
            if kind == "header" and name.lower() in RESERVED_HEADERS:
                hint = "; use cookies" if name == "Cookie" else ""
                raise ValueError(f"{name!r} is set by the crawl itself{hint}")
        return texts

    return parse


parse_headers = _pairs("header", 'Accept-Language = "de"', HEADER_VALUE)
parse_cookies = _pairs("cookie", 'consent = "1"', COOKIE_VALUE)


def parse_selectors(value: object) -> tuple[str, ...]:
    """CSS selectors, or XPaths (recognised by their first character), all as XPaths of elements."""
    selectors = [value] if isinstance(value, str) else value
    if not isinstance(selectors, list) or not is_texts(selectors):
        raise ValueError('must be a list of CSS selectors, such as [".related"]')
    if len(selectors) > MAX_SELECTORS:
        raise ValueError(f"has {len(selectors)} selectors; the limit is {MAX_SELECTORS}")
    return tuple(map(_xpath, selectors))


def _xpath(selector: str) -> str:
    text = selector.strip()
    if len(text) > MAX_SELECTOR:
        raise ValueError(f"has a selector of {len(text)} characters; the limit is {MAX_SELECTOR}")
    try:
        path = text if text.startswith(("/", "(", "./")) else HTMLTranslator().css_to_xpath(text)
        nodes = etree.XPath(path)(etree.Element("html"))
    except (SelectorError, ValueError, RecursionError) as error:
        raise ValueError(f"{selector!r} is neither a CSS selector nor an XPath: {error}") from None
    if not isinstance(nodes, list) or any(not isinstance(node, etree.ElementView) for node in nodes):
        raise ValueError(f"{selector!r} selects no elements")
    return path


def parse_field_selectors(value: object) -> dict[str, tuple[str, ...]]:
    """Selectors by keys of SELECTED, as XPaths."""
    table = value if isinstance(value, dict) else {}
    if not table:
        raise ValueError('must be a table, such as { headline = "h1.title", date = "//time/@datetime" }')
    if unknown := table.keys() - SELECTED.keys():
        raise ValueError(f"{min(unknown)!r} can't be selected; allowed are {', '.join(sorted(SELECTED))}")
    return {key: parse_selectors(selectors) for key, selectors in table.items()}


@dataclass(frozen=True)
class Key:
    """A key of an entry: the parser of its value, and the crawl `setting` or spider `attribute` that it sets."""

    parse: Callable[[object], Any]
    setting: str | None = None
    attribute: bool = False


KEYS: dict[str, Key] = {
    "spider": Key(parse_line),
    "extractor": Key(parse_line, setting="NEWSEXTRACT_EXTRACTOR"),
    "extractor_options": Key(parse_table, setting="NEWSEXTRACT_EXTRACTOR_OPTIONS"),
    "site_evidence": Key(parse_switch, setting="NEWSEXTRACT_SITE_EVIDENCE"),
    "user_agent": Key(parse_line, setting="USER_AGENT"),
    "verify_certificates": Key(parse_switch, setting="DOWNLOAD_VERIFY_CERTIFICATES"),
    "delay": Key(parse_seconds, setting="DOWNLOAD_DELAY"),
    "concurrency": Key(parse_number, setting="CONCURRENT_REQUESTS_PER_DOMAIN"),
    "headers": Key(parse_headers, attribute=True),
    "cookies": Key(parse_cookies, attribute=True),
    "render": Key(parse_render, setting="NEWSEXTRACT_RENDER"),
    "render_hosts": Key(parse_hosts, setting="NEWSEXTRACT_RENDER_HOSTS"),
    "drop": Key(parse_selectors, attribute=True),
    "selectors": Key(parse_field_selectors, attribute=True),
    "interval": Key(parse_duration),
    "shortest": Key(parse_duration),
    "longest": Key(parse_duration),
    "keep": Key(parse_keep),
}


# ---- the file --------------------------------------------------------------------------------------------------------


def read_sites(
    path: Path,
    spiders: Mapping[str, type[NewsSpider]],
    reserved: Mapping[str, type[Spider]],
    browser: str | None = None,
) -> SitesFile:
    """Reads the file. Raises nothing; errors are in `SitesFile.wrong`.

    `spiders`: those that an entry may use; `reserved`: names that no site may have; `browser`: see `SitesFile`.
    """
    file = SitesFile(path, browser)
    try:
        content = read_toml(path)
    except WrongSetting as error:
        file.wrong[WHOLE_FILE] = [str(error)]
        return file
    for name in content.keys() - {"sites", "defaults", "alerts", "project"}:
        file.complain(name, "is unknown; allowed are alerts, [project], [defaults] and [sites.NAME]")
    file.alerts = content.get("alerts", ())
    defaults, entries = content.get("defaults", {}), content.get("sites", {})
    for name, value in (("defaults", defaults), ("sites", entries)):
        if not isinstance(value, dict):
            file.complain(name, "must be a table")
            return file
    declared = {name: {argument.name: argument for argument in spider.arguments} for name, spider in spiders.items()}
    usable = {name: arguments for name, arguments in declared.items() if "url" in arguments}
    shared = _values(file, "defaults", WHOLE_FILE, defaults, usable)
    taken = {name.lower(): f"that is a spider in {spider.__module__}" for name, spider in reserved.items()}
    for name, entry in entries.items():
        if not NAME.fullmatch(name):
            message = f"{name!r} isn't a name for a spider: letters, digits, '-', '_' and '.' are allowed, 64 at most"
            file.complain(f"sites.{name}", message, name)
        elif name.lower() in taken:
            file.complain(f"sites.{name}", f"this name can't be used: {taken[name.lower()]}", name)
        elif not isinstance(entry, dict):
            file.complain(f"sites.{name}", "must be a table", name)
        elif site := _site(file, name, entry, shared, usable):
            file.sites[name] = site
        taken.setdefault(name.lower(), f"there is already sites.{name}")
    if not entries and not file.wrong:
        file.complain("", 'has no sites; an entry is a table with a URL: [sites.courier] and url = "https://…"')
    if WHOLE_FILE in file.wrong:  # the problem may be in the shared limit
        file.sites.clear()
    return file


#: The arguments of each spider that an entry may use.
Declared = Mapping[str, Mapping[str, Argument]]


def _site(
    file: SitesFile, name: str, entry: Mapping[str, Any], shared: Mapping[str, Any], spiders: Declared
) -> Site | None:
    """The site of an entry, with the `shared` values of [defaults]; None if the entry is wrong."""

    def complain(key: str, message: str) -> None:
        file.complain(f"sites.{name}.{key}", message, name)

    values = {**shared, **_values(file, f"sites.{name}", name, entry, spiders)}
    spider = values.get("spider", "site")
    if spider not in spiders:
        complain("spider", f"{spider!r} can't be used; allowed are {', '.join(sorted(spiders))}")
        return None
    declared = spiders[spider]
    for key in entry:
        if key not in declared and key not in KEYS and any(key in arguments for arguments in spiders.values()):
            complain(key, f"the spider {spider!r} doesn't take this; it takes {', '.join(declared)}")
    if not values.get("url") and "url" not in entry:
        complain("url", 'is missing; give the site\'s URL, such as "https://example.org/"')
    settings = {key.setting: values[name] for name, key in KEYS.items() if key.setting and name in values}
    if settings.keys() & {"NEWSEXTRACT_EXTRACTOR", "NEWSEXTRACT_EXTRACTOR_OPTIONS"}:
        extractor = settings.get("NEWSEXTRACT_EXTRACTOR", our_settings.NEWSEXTRACT_EXTRACTOR)
        try:
            make_extractor(extractor, settings.get("NEWSEXTRACT_EXTRACTOR_OPTIONS", {}))
        except NewsextractError as error:
            complain("extractor", str(error))
    if message := why_not_renderable({"NEWSEXTRACT_RENDER_BROWSER": file.browser, **settings}):
        complain("render", message)
    interval = values.get("interval", INTERVAL)
    shortest = values.get("shortest", min(interval, max(interval * SHORTEST, timedelta(minutes=1))))
    longest = values.get("longest", interval * LONGEST)
    if not shortest <= interval <= longest:
        complain("interval", "must be between shortest and longest")
    if name in file.wrong:
        return None
    arguments = {key: values[key] for key in declared if key in values}
    attributes = {name: values[name] for name, key in KEYS.items() if key.attribute and name in values}
    return Site(name, spider, arguments, settings, attributes, interval, shortest, longest, values.get("keep"))


def _values(file: SitesFile, where: str, site: str, entry: Mapping[str, Any], spiders: Declared) -> dict[str, Any]:
    """The values of a table by key; spider arguments as the text that `-a` takes."""
    declared = {name: argument for arguments in spiders.values() for name, argument in arguments.items()}
    declared |= spiders.get(str(entry.get("spider", "site")), {})
    if site == WHOLE_FILE:
        declared.pop("url", None)
    values = {}
    for name, value in entry.items():
        try:
            if name in declared:
                values[name] = parse_argument(declared[name], value)
            elif name in KEYS:
                values[name] = KEYS[name].parse(value)
            else:
                file.complain(f"{where}.{name}", _unknown_key(name, {*declared, *KEYS}), site)
        except ValueError as error:
            message = str(error)
            file.complain(f"{where}.{name}", message if message.startswith("'") else f"{value!r} {message}", site)
    return values


def _unknown_key(name: str, allowed: set[str]) -> str:
    upper = name.upper().replace("-", "_")
    named = (upper, f"NEWSEXTRACT_{upper}", f"NEWSEXTRACT_{upper}_URL")
    if setting := next((setting for setting in named if setting in vars(our_settings)), None):
        key = next((name for name, key in KEYS.items() if key.setting == setting), None)
        if key is not None:
            return f"is unknown; use {key}"
        return f"applies to the whole process, not to one site: set {setting} with -s or --set"
    hint = suggest(name, allowed, f"allowed are {', '.join(sorted(allowed))}")
    return f"is unknown; {hint}"
