"""sites.toml: the sites that are crawled again and again, each with its URL, its limits and what is special to it.

    alerts = ["mailto://news:secret@example.org"]

    [defaults]
    max_pages = 500

    [sites.courier]
    url = "https://courier.example/"
    deny = ["/tag/", "/search"]
    drop = [".related", "aside"]
    interval = "30m"

Each site is a spider of its own name (`spider_loader`), and `newsextract crawl sites.toml` crawls those that are due
(`schedule`). The keys of an entry are the arguments of its spider (url, max_pages, allow …), as `-a` takes them, and
those of KEYS. What belongs to the whole process can't be set for a site: an entry must not lead around the address
guard, or write into another database than the command's. All that is wrong with a file is reported at once, each with
its key and with what would be right.
"""

import difflib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from scrapy import Spider

from newsextract import settings as our_settings
from newsextract.crawl.render.programs import why_not_renderable
from newsextract.errors import NewsextractError
from newsextract.extractors import make_extractor
from newsextract.schedule.config_keys import KEYS, parse_argument
from newsextract.spiders.arguments import Argument
from newsextract.spiders.base import NewsSpider

#: Bytes of a file that are read at most.
MAX_BYTES = 8_000_000
#: The key of `SitesFile.wrong` for what concerns the whole file; no site can have that name.
WHOLE_FILE = "*"
#: Time between two runs of a site where its entry names none, and how far it may move by itself, as factors.
INTERVAL = timedelta(hours=1)
SHORTEST, LONGEST = 0.25, 8

SITE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
#: Other names for settings of the whole process, for a message that names the setting.
PROCESS_SETTINGS = {
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


@dataclass(frozen=True)
class Site:
    """An entry: a spider with arguments, settings and attributes, how often it runs, and how long its pages are kept.

    `keep`: None for ever.
    """

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
    """The content of a file: its sites, and complaints by the name of the site (WHOLE_FILE: by none).

    `browser`: the program that NEWSEXTRACT_RENDER_BROWSER names for all sites. `alerts`: as it stands in the file, for
    `alerts.parse_services`.
    """

    path: Path
    browser: str | None = None
    alerts: object = ()
    sites: dict[str, Site] = field(default_factory=dict)
    wrong: dict[str, list[str]] = field(default_factory=dict)

    def complain(self, key: str, message: str, site: str = WHOLE_FILE) -> None:
        """Adds a complaint about a key such as `sites.courier.url`."""
        self.wrong.setdefault(site, []).append(f"{self.path}: {key}{': ' if key else ''}{message}")

    def complaints(self) -> list[str]:
        """All complaints, a sentence each."""
        return [sentence for sentences in self.wrong.values() for sentence in sentences]


# ---- the file --------------------------------------------------------------------------------------------------------


def read_sites(
    path: Path,
    spiders: Mapping[str, type[NewsSpider]],
    reserved: Mapping[str, type[Spider]] | None = None,
    browser: str | None = None,
) -> SitesFile:
    """Reads the file. Nothing is raised: `SitesFile.wrong` has what is wrong.

    `spiders`: those that an entry may name, by name. `reserved`: those whose names no site may have, `spiders` if None.
    `browser`: see `SitesFile`.
    """
    file = SitesFile(path, browser)
    content = _content(file)
    for name in content.keys() - {"sites", "defaults", "alerts"}:
        file.complain(name, "is not known here; allowed are alerts, [defaults] and [sites.NAME]")
    file.alerts = content.get("alerts", ())
    defaults, entries = content.get("defaults", {}), content.get("sites", {})
    for name, value in (("defaults", defaults), ("sites", entries)):
        if not isinstance(value, dict):
            file.complain(name, "must be a table")
            return file
    usable = {name: spider for name, spider in spiders.items() if "url" in _arguments(spider)}
    shared = EntryReader(file, "defaults", WHOLE_FILE, usable).values(defaults)
    names = spiders if reserved is None else reserved
    taken = {name.lower(): f"it is the name of a spider in {spider.__module__}" for name, spider in names.items()}
    for name, entry in entries.items():
        if not SITE_NAME.fullmatch(name):
            message = f"{name!r} isn't a name for a spider: letters, digits, '-', '_' and '.' are allowed, 64 at most"
            file.complain(f"sites.{name}", message, name)
        elif name.lower() in taken:
            file.complain(f"sites.{name}", f"this name can't be taken: {taken[name.lower()]}", name)
        elif not isinstance(entry, dict):
            file.complain(f"sites.{name}", "must be a table", name)
        elif site := EntryReader(file, f"sites.{name}", name, usable).site(entry, shared):
            file.sites[name] = site
        taken.setdefault(name.lower(), f"there is sites.{name} already")
    if not entries and not file.wrong:
        file.complain("", 'names no site; an entry is a table with a URL: [sites.courier] and url = "https://…"')
    if WHOLE_FILE in file.wrong:  # a limit that all share may be what is wrong
        file.sites.clear()
    return file


def _content(file: SitesFile) -> dict[str, Any]:
    try:
        with file.path.open("rb") as stream:
            text = stream.read(MAX_BYTES + 1)
        if len(text) > MAX_BYTES:
            file.complain("", f"is larger than {MAX_BYTES} bytes")
            return {}
        return tomllib.loads(text.decode("utf-8-sig"))
    except OSError as error:
        file.complain("", f"can't be read: {error.strerror or error}")
    except UnicodeDecodeError:
        file.complain("", "is not UTF-8")
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        file.complain("", f"isn't valid TOML: {error}")
    return {}


def _arguments(spider: type[NewsSpider]) -> dict[str, Argument]:
    return {argument.name: argument for argument in spider.arguments}


class EntryReader:
    """Reads one table of the file, [defaults] or a site; complaints go to the file."""

    def __init__(self, file: SitesFile, key: str, site: str, spiders: Mapping[str, type[NewsSpider]]) -> None:
        self.file, self.key, self.name, self.spiders = file, key, site, spiders
        self.valid = True

    def complain(self, key: str, message: str) -> None:
        self.valid = False
        self.file.complain(f"{self.key}.{key}", message, self.name)

    def site(self, entry: Mapping[str, Any], shared: Mapping[str, Any]) -> Site | None:
        """The site that the entry describes, over the `shared` values of [defaults]; None where something is wrong."""
        values = {**shared, **self.values(entry)}
        spider = values.get("spider", "site")
        if spider not in self.spiders:
            self.complain("spider", f"{spider!r} can't be one; allowed are {', '.join(sorted(self.spiders))}")
            return None
        declared = _arguments(self.spiders[spider])
        for name in entry:
            if name not in declared and name not in KEYS and name in self._all_arguments():
                self.complain(name, f"the spider {spider!r} does not take it; it takes {', '.join(declared)}")
        if not values.get("url") and "url" not in entry:
            self.complain("url", 'is missing; it is the site\'s address, such as "https://example.org/"')
        settings = {key.setting: values[name] for name, key in KEYS.items() if key.setting and name in values}
        if message := check_extractor(settings):
            self.complain("extractor", message)
        if message := why_not_renderable({"NEWSEXTRACT_RENDER_BROWSER": self.file.browser, **settings}):
            self.complain("render", message)
        interval = values.get("interval", INTERVAL)
        shortest = values.get("shortest", min(interval, max(interval * SHORTEST, timedelta(minutes=1))))
        longest = values.get("longest", interval * LONGEST)
        if not shortest <= interval <= longest:
            self.complain("interval", "must lie between shortest and longest")
        if not self.valid:
            return None
        arguments = {name: values[name] for name in declared if name in values}
        attributes = {name: values[name] for name, key in KEYS.items() if key.attribute and name in values}
        keep = values.get("keep")
        return Site(self.name, spider, arguments, settings, attributes, interval, shortest, longest, keep)

    def values(self, entry: Mapping[str, Any]) -> dict[str, Any]:
        """The values by key; those of spider arguments as the text that `-a` takes."""
        declared = self._all_arguments()
        if str(entry.get("spider", "site")) in self.spiders:
            declared |= _arguments(self.spiders[str(entry.get("spider", "site"))])
        if self.name == WHOLE_FILE:
            declared.pop("url", None)
        values = {}
        for name, value in entry.items():
            try:
                if name in declared:
                    values[name] = parse_argument(declared[name], value)
                elif name in KEYS:
                    values[name] = KEYS[name].parse(value)
                else:
                    self.complain(name, _unknown_key(name, {*declared, *KEYS}))
            except ValueError as error:
                message = str(error)
                self.complain(name, message if message.startswith("'") else f"{value!r} {message}")
        return values

    def _all_arguments(self) -> dict[str, Argument]:
        return {name: argument for spider in self.spiders.values() for name, argument in _arguments(spider).items()}


def _unknown_key(name: str, allowed: set[str]) -> str:
    setting = process_setting(name)
    keys = {key.setting: key_name for key_name, key in KEYS.items() if key.setting}
    if setting in keys:
        return f"is not known; here it is called {keys[setting]}"
    if setting is not None:
        return f"belongs to the whole process, not to a site: set {setting} with -s or --set"
    near = difflib.get_close_matches(name, allowed, n=1)
    hint = f"did you mean {near[0]}?" if near else f"allowed are {', '.join(sorted(allowed))}"
    return f"is not known; {hint}"


def process_setting(key: str) -> str | None:
    """The setting of the whole process that a key means; None where it means none."""
    name = key.upper().replace("-", "_")
    for candidate in (name, f"NEWSEXTRACT_{name}", f"NEWSEXTRACT_{name}_URL"):
        if candidate in vars(our_settings):
            return candidate
    return PROCESS_SETTINGS.get(key.lower())


def check_extractor(settings: Mapping[str, Any]) -> str | None:
    """What is wrong with the extractor and its options in these settings; None where it can be made."""
    if not settings.keys() & {"NEWSEXTRACT_EXTRACTOR", "NEWSEXTRACT_EXTRACTOR_OPTIONS"}:
        return None
    try:
        name = settings.get("NEWSEXTRACT_EXTRACTOR", our_settings.NEWSEXTRACT_EXTRACTOR)
        make_extractor(name, settings.get("NEWSEXTRACT_EXTRACTOR_OPTIONS", {}))
    except NewsextractError as error:
        return str(error)
    return None
