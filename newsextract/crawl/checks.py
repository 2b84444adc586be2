"""Checks of settings, database and files before a crawl starts; each error is one sentence."""

import math
import os
import re
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

from scrapy.settings import BaseSettings
from w3lib.url import file_uri_to_path

from newsextract import settings as our_settings
from newsextract.crawl.render.programs import why_not_renderable
from newsextract.crawl.security import setting_around_guard
from newsextract.errors import StorageError, WrongSetting, suggest
from newsextract.extractors import make_extractor
from newsextract.files import package_data
from newsextract.store import JsonLines, Store
from newsextract.store.engine import parse_database_url
from newsextract.warc.writer import WarcWriter

OURS = frozenset(name for name in vars(our_settings) if name.startswith("NEWSEXTRACT_"))
MAX_WORKERS = 256
#: Hosts on which metrics may be served.
LOOPBACK = ("127.0.0.1", "localhost", "::1")
#: Names of settings that are checked before a crawl, by type; and those that no longer exist, with what holds instead.
SETTINGS = package_data("newsextract.crawl", "checks.toml")
OLD_NAMES = package_data("newsextract", "old_names.toml")
OLD_SETTINGS: dict[str, str] = OLD_NAMES["settings"]


def check_settings(settings: BaseSettings) -> None:
    """Raises WrongSetting, UnknownExtractor or WrongOption for the first invalid setting."""
    check_own_settings(settings)
    check_values(settings)
    if settings["JOBDIR"]:
        raise WrongSetting(
            "JOBDIR can't be set: a crawl keeps its URLs in the database, and the same command resumes it; "
            "give each job a NEWSEXTRACT_DATABASE_URL of its own"
        )
    for name in OLD_SETTINGS:
        if str(settings[name]) != str(getattr(our_settings, name, None)):
            raise WrongSetting(f"{name} can't be set any more: {OLD_SETTINGS[name]}")
    if reason := setting_around_guard(settings, settings.getbool("NEWSEXTRACT_ALLOW_PRIVATE")):
        raise WrongSetting(reason)


def check_own_settings(settings: BaseSettings) -> None:
    """Like `check_settings`, for the settings that begin with NEWSEXTRACT_."""
    for name in sorted(name for name in settings if str(name).startswith("NEWSEXTRACT_") and name not in OURS):
        if name in OLD_SETTINGS:
            raise WrongSetting(f"{name} can't be set any more: {OLD_SETTINGS[name]}")
        hint = suggest(str(name), OURS, f"known are {', '.join(sorted(OURS))}")
        raise WrongSetting(f"there is no setting {name}; {hint}")
    for path in OLD_NAMES["pipelines"].keys() & settings.getdict("ITEM_PIPELINES").keys():
        raise WrongSetting(f"ITEM_PIPELINES has {path}, which doesn't exist any more: {OLD_NAMES['pipelines'][path]}")
    check_values(settings, prefix="NEWSEXTRACT_")
    make_extractor(*extractor_of(settings))
    workers_of(settings)
    value = settings["NEWSEXTRACT_RENDER"]
    try:
        reason = why_not_renderable(settings)
    except ValueError as error:
        raise WrongSetting(f"NEWSEXTRACT_RENDER is {value!r}; it {error}") from None
    if reason:
        raise WrongSetting(f"NEWSEXTRACT_RENDER is {value!r}: {reason}")
    metrics_target(settings)


def check_values(settings: BaseSettings, prefix: str = "") -> None:
    """Raises WrongSetting for the first setting with this prefix whose value has the wrong type or is negative."""
    for name in SETTINGS["whole_numbers"]:
        if "e" in str(settings[name]).lower() and (number := whole_number(settings[name])) is not None:
            settings.set(name, number, settings.getpriority(name) or 0)  # Scrapy doesn't accept 1e6
    kinds: tuple[tuple[str, Callable[[str], float], str], ...] = (
        ("booleans", settings.getbool, "True or False"),
        ("numbers", settings.getfloat, "a number"),
        ("whole_numbers", settings.getint, "a whole number"),
    )
    for kind, read, expected in kinds:
        for name in (name for name in SETTINGS[kind] if name.startswith(prefix)):
            try:
                value = read(name)
            except (TypeError, ValueError):
                value = math.nan
            if not math.isfinite(value):
                raise WrongSetting(f"{name} is {settings[name]!r}; it must be {expected}")
            if value < 0:
                raise WrongSetting(f"{name} is {settings[name]!r}; it must not be negative")
            if not value and name in SETTINGS["above_zero"]:
                raise WrongSetting(f"{name} is {settings[name]!r}; it must be above 0")


def whole_number(text: object) -> int | None:
    """The whole number in a text, also written as 1e6 or 1_000_000, or None."""
    match = re.fullmatch(r"(-?\d{1,15}(?:_\d{1,15}){0,5})(?:e\+?(\d{1,2}))?", str(text).strip(), re.I)
    return int(match[1]) * 10 ** int(match[2] or 0) if match else None


def metrics_target(settings: BaseSettings) -> Path | tuple[str, int] | None:
    """Where metrics go: a file, host and port, or None. Raises WrongSetting, or StorageError for a missing folder."""
    text = str(settings["NEWSEXTRACT_METRICS"] or "").strip()
    if not text or text == "None":
        return None
    if find_spec("prometheus_client") is None:
        raise WrongSetting(
            "NEWSEXTRACT_METRICS needs prometheus-client, which is not installed: pip install 'newsextract[metrics]'"
        )
    if text.endswith(".prom"):
        path = Path(text).expanduser().absolute()
        if not os.access(path.parent, os.W_OK) or path.is_dir():
            raise StorageError(
                f"NEWSEXTRACT_METRICS is {text}, which can't be written: the folder is missing, or permission is denied"
            )
        return path
    host, _, port = text.rpartition(":")
    host = host.strip("[]") or LOOPBACK[0]
    if not port.isascii() or not port.isdigit() or not 1 <= int(port) <= 65535:
        raise WrongSetting(
            f"NEWSEXTRACT_METRICS is {text!r}; it must be a file that ends in .prom, or a "
            "port of this machine, such as 9464"
        )
    if host not in LOOPBACK:
        raise WrongSetting(
            f"NEWSEXTRACT_METRICS is {text!r}; metrics are served on loopback only: {LOOPBACK[0]}:{port}"
        )
    return host, int(port)


def extractor_of(settings: BaseSettings) -> tuple[str, dict[str, object]]:
    """The extractor's name and options. Raises WrongSetting if the options aren't a dictionary."""
    written = settings["NEWSEXTRACT_EXTRACTOR_OPTIONS"]
    try:
        options = settings.getdict("NEWSEXTRACT_EXTRACTOR_OPTIONS")
    except (TypeError, ValueError):
        raise WrongSetting(
            f"NEWSEXTRACT_EXTRACTOR_OPTIONS is {written!r}; it must be a JSON object, such as '{{\"threshold\": 0.5}}'"
        ) from None
    return str(settings["NEWSEXTRACT_EXTRACTOR"]), {str(name): value for name, value in options.items()}


def workers_of(settings: BaseSettings) -> int | None:
    """The number of worker processes; None for one a core."""
    written = settings["NEWSEXTRACT_WORKERS"]
    try:
        workers = None if written in (None, "", "None") else int(written)
    except (TypeError, ValueError):
        workers = -1
    if workers is not None and not 0 <= workers <= MAX_WORKERS:
        raise WrongSetting(f"NEWSEXTRACT_WORKERS is {written!r}; it must be a whole number from 0 to {MAX_WORKERS}")
    return workers


def check_storage(settings: BaseSettings) -> None:
    """Opens the database, JSON lines and folder of pages once. Raises DatabaseError, StorageError or WrongSetting."""
    written_files(settings)
    jsonl = settings["NEWSEXTRACT_JSONL"]
    if settings["NEWSEXTRACT_KEEP_PAGES"]:
        WarcWriter(settings["NEWSEXTRACT_KEEP_PAGES"])
    with Store.open(str(settings["NEWSEXTRACT_DATABASE_URL"])) as store:
        if jsonl:
            JsonLines(store, jsonl)


def written_files(settings: BaseSettings) -> dict[Path, str]:
    """What names each local file that a crawl writes; of feed exports those without a % pattern.

    Raises WrongSetting if a file would be two kinds of output, or the database and an output.
    """
    database = parse_database_url(str(settings["NEWSEXTRACT_DATABASE_URL"])).path
    named = [("the database", database), *((name, settings[name]) for name in ("NEWSEXTRACT_JSONL", "LOG_FILE"))]
    named += [
        ("an output of -o, -O or FEEDS", file_uri_to_path(str(uri)))
        for uri in settings.getdict("FEEDS")
        if "%(" not in str(uri) and urlsplit(str(uri)).scheme in ("", "file") and str(uri) != "-"
    ]
    files: dict[Path, str] = {}
    for name, file in named:
        if file and (other := files.setdefault(path := Path(file).expanduser().resolve(), name)) != name:
            raise WrongSetting(f"{path} can't be both {other} and {name}")
    return files
