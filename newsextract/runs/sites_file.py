"""Adds sites to a sites.toml, keeping comments and order: URLs, or those in an OPML file, a CSV file or a list."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, count
from pathlib import Path
from typing import Any

from newsextract.discovery.list_parser import ListParser, text_pieces
from newsextract.errors import StorageError, WrongCall, WrongSetting
from newsextract.files import MAX_TOML, NAME, atomic_write
from newsextract.health.status import PROJECT_SPIDERS
from newsextract.spiders.arguments import parse_urls, without_credentials
from newsextract.urls import article_key, site_of

#: Column names of a CSV file; the first one that exists counts.
URL_COLUMNS = ("url", "homepage", "home", "website", "site", "link", "address", "domain")
FEED_COLUMNS = ("feed", "feed_url", "rss", "xmlurl")
NAME_COLUMNS = ("name", "id", "title")
HEADER = "# Sites that `newsextract crawl sites.toml` crawls; docs/SCHEDULE.md explains the keys.\n"


@dataclass(frozen=True)
class NewSite:
    """A site to add: its URL, its spider, and the name it was given."""

    url: str
    spider: str = "site"
    name: str = ""


@dataclass
class Added:
    """The names of the added entries, how many URLs were already there, and a clause for each invalid one."""

    names: list[str] = field(default_factory=list)
    known: int = 0
    wrong: list[str] = field(default_factory=list)


def read_list(path: Path) -> list[NewSite]:
    """The sites in an OPML file, a CSV file with a header, or a list with one URL a line. Raises WrongCall."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise WrongCall(f"{path} can't be read: {error.strerror or error}") from error
    if len(content) > MAX_TOML:
        raise WrongCall(f"{path} is larger than {MAX_TOML} bytes")
    text = content.decode("utf-8-sig", "replace")
    if text.lstrip().startswith("<"):
        sites = [*_read_opml(content)]
    else:
        lines = [line.strip() for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
        header = (
            [cell.strip().lower() for cell in lines[0].replace(";", ",").replace("\t", ",").split(",")] if lines else []
        )
        is_csv = any(name in header for name in (*URL_COLUMNS, *FEED_COLUMNS))
        sites = [*_read_csv(text)] if is_csv else [NewSite(line) for line in lines]
    if not sites:
        raise WrongCall(f"{path} has no sites; use OPML, CSV with a column url, or a list with one URL a line")
    return sites


def _read_opml(content: bytes) -> Iterator[NewSite]:
    for outline in ListParser("").parse(text_pieces(content, None, "")):
        values = outline.attributes
        name = values.get("title") or values.get("text") or ""
        if url := values.get("xmlurl"):
            yield NewSite(url, "feeds", name)
        elif url := values.get("htmlurl") or values.get("url"):
            yield NewSite(url, "site", name)


def _read_csv(text: str) -> Iterator[NewSite]:
    try:
        dialect: Any = csv.Sniffer().sniff(text[:10_000], ",;\t")
    except csv.Error:
        dialect = csv.excel
    for row in csv.DictReader(io.StringIO(text), dialect=dialect):
        values = {str(name).strip().lower(): value.strip() for name, value in row.items() if isinstance(value, str)}
        name = next((values[column] for column in NAME_COLUMNS if values.get(column)), "")
        if url := next((values[column] for column in URL_COLUMNS if values.get(column)), ""):
            yield NewSite(url, values.get("spider") or "site", name)
        elif url := next((values[column] for column in FEED_COLUMNS if values.get(column)), ""):
            yield NewSite(url, "feeds", name)


def add_sites(path: Path, sites: Iterable[NewSite]) -> Added:
    """Adds entries to a (new) file, skipping URLs that it has. Raises WrongSetting for other files, StorageError."""
    import tomlkit  # imported here, because a crawl doesn't need it
    from tomlkit.exceptions import TOMLKitError

    try:
        text = path.read_text("utf-8-sig") if path.exists() else HEADER
        document = tomlkit.parse(text)
        if "sites" not in document:
            document.append("sites", tomlkit.table(is_super_table=True))
        entries: Any = document["sites"]
        known = {article_key(url) for entry in entries.values() for url in _urls(entry)}
    except (TOMLKitError, AttributeError, UnicodeDecodeError, RecursionError) as error:
        raise WrongSetting(f"{path} isn't a file of sites: {error}") from error
    except OSError as error:
        raise StorageError(f"{path} can't be read: {error.strerror or error}") from error
    taken = {str(name).lower() for name in entries} | set(PROJECT_SPIDERS)
    added = Added()
    for site in sites:
        try:
            [url, *_] = parse_urls(site.url)
            if site.spider not in ("site", "feeds"):
                raise ValueError(f"the spider {site.spider!r} can't be used; allowed are feeds, site")
        except ValueError as error:
            message = str(error)
            shown = without_credentials(site.url[:200])
            added.wrong.append(message if message.startswith("'") else f"{shown!r} {message}")
            continue
        if article_key(url) in known:
            added.known += 1
            continue
        known.add(article_key(url))
        name = _name(site.name, url, taken)
        taken.add(name.lower())
        entries[name] = {"url": url} if site.spider == "site" else {"spider": site.spider, "url": url}
        added.names.append(name)
    if added.names:
        with atomic_write(path) as file:
            file.write(tomlkit.dumps(document).encode())
    return added


def _urls(entry: Any) -> Sequence[str]:
    url = entry.get("url") if isinstance(entry, dict) else None
    return [str(url)] if isinstance(url, str) else [str(each) for each in url or ()]


def _name(given: str, url: str, taken: set[str]) -> str:
    """A name that no other site has: the given one, or one made from the host."""
    name = given if NAME.fullmatch(given) else ""
    name = name or re.sub(r"[^A-Za-z0-9_]+", "-", site_of(url)).strip("-_")[:50] or "site"
    names = chain([name], (f"{name}-{number}" for number in count(2)))
    return next(each for each in names if each.lower() not in taken)
