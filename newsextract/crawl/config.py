"""sites.toml: the sites that are crawled again and again, each with its address, its limits and what is special to it.

    [defaults]
    max_pages = 500

    [sites.courier]
    url = "https://courier.example/"
    deny = ["/tag/", "/search"]
    drop = [".related", "aside"]
    interval = "30m"

Each is a spider of its own name (`loader`), and `newsextract crawl sites.toml` runs those that are due (`schedule`).
Everything that is wrong with a file is told at once, each with its key and with what would be right.
"""

import difflib
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from newsextract.crawl.sitekeys import ATTRIBUTES, KEYS, argument_text, check_extractor, process_setting
from newsextract.spiders.arguments import Argument

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
LARGEST = 8_000_000
#: Under which a file has what is wrong with no site of it: no name of a site.
WHOLE = "*"
INTERVAL = timedelta(hours=1)
#: How far the interval may move by itself, where the entry does not say.
SHORTEST, LONGEST = 0.25, 8
#: Arguments of which a list means: one of these.
PATTERNS = ("allow", "deny")


@dataclass(frozen=True)
class Site:
    """An entry: a spider with arguments, settings and attributes; and how often it runs."""

    name: str
    spider: str
    arguments: Mapping[str, str]
    settings: Mapping[str, Any] = field(default_factory=dict)
    attributes: Mapping[str, Any] = field(default_factory=dict)
    interval: timedelta = INTERVAL
    shortest: timedelta = INTERVAL * SHORTEST
    longest: timedelta = INTERVAL * LONGEST


@dataclass
class SitesFile:
    """What a file says: its sites, and what is wrong, by the name of the site (WHOLE: by none)."""

    path: Path
    sites: dict[str, Site] = field(default_factory=dict)
    wrong: dict[str, list[str]] = field(default_factory=dict)

    def object_to(self, place: str, what: str, site: str = WHOLE) -> None:
        """Notes something wrong at a place such as `sites.courier.url`."""
        self.wrong.setdefault(site, []).append(f"{self.path}: {place}{': ' if place else ''}{what}")

    def complaints(self) -> list[str]:
        """All that is wrong, a sentence each."""
        return [sentence for sentences in self.wrong.values() for sentence in sentences]


def read_sites(path: Path, spiders: Mapping[str, type[Any]]) -> SitesFile:
    """Reads the file; `spiders`: those that an entry may name, by name. Nothing is raised: see `SitesFile.wrong`."""
    file = SitesFile(path)
    content = _content(file)
    for name in content.keys() - {"sites", "defaults"}:
        file.object_to(name, "is not known here; allowed are [defaults] and [sites.NAME]")
    defaults = content.get("defaults", {})
    entries = content.get("sites", {})
    for name, value in (("defaults", defaults), ("sites", entries)):
        if not isinstance(value, dict):
            file.object_to(name, "must be a table")
            return file
    usable = {spider: cls for spider, cls in spiders.items() if "url" in _arguments(cls)}
    shared = _Entry(file, "defaults", WHOLE, usable).values(defaults)
    taken = {name.lower(): f"it is the name of a spider in {cls.__module__}" for name, cls in spiders.items()}
    for name, entry in entries.items():
        if sentence := _wrong_name(name, taken):
            file.object_to(f"sites.{name}", sentence, name)
        elif not isinstance(entry, dict):
            file.object_to(f"sites.{name}", "must be a table", name)
        elif site := _Entry(file, f"sites.{name}", name, usable).site(entry, shared):
            file.sites[name] = site
        taken.setdefault(name.lower(), f"there is sites.{name} already")
    if WHOLE in file.wrong:  # a limit that all share may be what is wrong
        file.sites.clear()
    return file


def _content(file: SitesFile) -> dict[str, Any]:
    try:
        with file.path.open("rb") as stream:
            text = stream.read(LARGEST + 1)
        if len(text) > LARGEST:
            file.object_to("", f"is larger than {LARGEST} bytes")
            return {}
        return tomllib.loads(text.decode("utf-8-sig"))
    except OSError as error:
        file.object_to("", f"can't be read: {error.strerror or error}")
    except UnicodeDecodeError:
        file.object_to("", "is not UTF-8")
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        file.object_to("", f"is no TOML: {error}")
    return {}


def _wrong_name(name: str, taken: Mapping[str, str]) -> str | None:
    if not NAME.fullmatch(name):
        return f"{name!r} is no name for a spider: letters, digits, '-', '_' and '.' are allowed, 64 at most"
    return f"this name can't be taken: {taken[name.lower()]}" if name.lower() in taken else None


def _arguments(spider: type[Any]) -> dict[str, Argument]:
    return {argument.name: argument for argument in getattr(spider, "takes", ())}


class _Entry:
    """One table of the file while it is read; what is wrong goes into the file's list."""

    def __init__(self, file: SitesFile, place: str, site: str, spiders: Mapping[str, type[Any]]) -> None:
        self.file, self.place, self.name, self.spiders = file, place, site, spiders
        self.sound = True

    def object_to(self, key: str, what: str) -> None:
        self.sound = False
        self.file.object_to(f"{self.place}.{key}" if key else self.place, what, self.name)

    def site(self, entry: Mapping[str, Any], shared: Mapping[str, Any]) -> Site | None:
        """The site that the entry describes; None where something is wrong with it."""
        values = {**shared, **self.values(entry)}
        spider = values.get("spider", "site")
        if spider not in self.spiders:
            self.object_to("spider", f"{spider!r} can't be one; allowed are {', '.join(sorted(self.spiders))}")
            return None
        takes = _arguments(self.spiders[spider])
        for name in entry:
            if name not in takes and name not in KEYS and self._is_argument(name):
                self.object_to(name, f"the spider {spider!r} does not take it; it takes {', '.join(takes)}")
        if not values.get("url") and "url" not in entry:
            self.object_to("url", 'is missing; it is the site\'s address, such as "https://example.org/"')
        settings = {key.setting: values[name] for name, key in KEYS.items() if key.setting and name in values}
        if what := check_extractor(settings):
            self.object_to("extractor", what)
        interval = values.get("interval", INTERVAL)
        shortest = values.get("shortest", min(interval, max(interval * SHORTEST, timedelta(minutes=1))))
        longest = values.get("longest", interval * LONGEST)
        if not shortest <= interval <= longest:
            self.object_to("interval", "must lie between shortest and longest")
        if not self.sound:
            return None
        arguments = {name: values[name] for name in takes if name in values}
        attributes = {name: values[name] for name in ATTRIBUTES if name in values}
        return Site(self.name, spider, arguments, settings, attributes, interval, shortest, longest)

    def values(self, entry: Mapping[str, Any]) -> dict[str, Any]:
        """The values by key, those of arguments as text."""
        takes: dict[str, Argument] = {}
        for cls in self.spiders.values():
            takes |= _arguments(cls)
        takes |= _arguments(self.spiders.get(str(entry.get("spider", "site")), type(None)))
        if self.name == WHOLE:
            takes.pop("url", None)
        found = {}
        for name, value in entry.items():
            try:
                if name in takes:
                    found[name] = _argument(takes[name], value)
                elif name in KEYS:
                    found[name] = KEYS[name].read(value)
                else:
                    self.object_to(name, _unknown(name, {*takes, *KEYS}))
            except ValueError as error:
                said = str(error)
                self.object_to(name, said if said.startswith("'") else f"{value!r} {said}")
        return found

    def _is_argument(self, name: str) -> bool:
        return any(name in _arguments(cls) for cls in self.spiders.values())


def _unknown(name: str, allowed: set[str]) -> str:
    setting = process_setting(name)
    ours = {key.setting: own for own, key in KEYS.items() if key.setting}
    if setting in ours:
        return f"is not known; here it is called {ours[setting]}"
    if setting is not None:
        return f"belongs to the whole process, not to a site: set {setting} with -s or --set"
    near = difflib.get_close_matches(name, allowed, n=1)
    return f"is not known; did you mean {near[0]}?" if near else f"is not known; allowed are {_listed(allowed)}"


def _argument(argument: Argument, value: Any) -> str:
    """The argument's text, checked; lists of addresses and of patterns are joined as the spider reads them."""
    parts: Iterator[Any] = iter(value if isinstance(value, list) else [value])
    texts = [argument_text(part).strip() for part in parts]
    if isinstance(value, list) and (not texts or argument.name not in ("url", *PATTERNS)):
        raise ValueError("must not be an empty list" if not texts else "must not be a list")
    for text in texts:
        argument.read(text)
    if argument.name == "url":
        return ",".join(url for text in texts for url in argument.read(text))
    return texts[0] if len(texts) == 1 else "|".join(f"(?:{text})" for text in texts)


def _listed(names: set[str]) -> str:
    return ", ".join(sorted(names))
