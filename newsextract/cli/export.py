"""`newsextract export`: checks the options and shows progress."""

import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Annotated

import typer

from newsextract.cli.options import (
    Database,
    Duplicates,
    Languages,
    Sites,
    TopicsFile,
    day_option,
    flag,
    open_store,
    option,
    parse_day,
)
from newsextract.days import day_zone
from newsextract.errors import NewsextractError, WrongCall
from newsextract.settings import NEWSEXTRACT_DATABASE_URL
from newsextract.text import counted, say

if TYPE_CHECKING:
    from newsextract.store import Store

#: Seconds before the first progress line, and between progress lines.
PROGRESS_INTERVAL = 2.0
#: The last line on stderr, up to its number.
CURSOR = "cursor:"


def parse_change(text: str) -> int:
    """A change number, also in the form of an export's last line, `cursor: 273`."""
    digits = text.strip().removeprefix(CURSOR).strip()
    if not (digits.isascii() and digits.isdigit()):
        raise typer.BadParameter(f"{text!r} isn't a change number: give 0, or the number in the last line of an export")
    return int(digits)


def parse_moment(text: str) -> datetime:
    """A moment; of a day, its end."""
    try:
        if len(text.strip()) == len("2026-05-01"):
            return parse_day(text) + timedelta(days=1) - timedelta(microseconds=1)
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        raise typer.BadParameter(f"{text!r} must be a day or a time, such as 2026-05-01T08:30") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=day_zone())


def parse_format(name: str) -> str:
    """The name of a format."""
    from newsextract.export.formats import FORMATS

    if name not in FORMATS:
        raise typer.BadParameter(f"{name!r} is not one of {', '.join(FORMATS)}")
    return name


def export(
    after: Annotated[int | None, option("N", "Only changes after this number.", parser=parse_change)] = None,
    database: Database = NEWSEXTRACT_DATABASE_URL,
    cursor_file: Annotated[Path | None, option("FILE", "Continue from the number in this file, and update it.")] = None,
    sites: Sites = None,
    languages: Languages = None,
    published_from: Annotated[datetime | None, day_option("Published on this day or later.", "--since")] = None,
    published_to: Annotated[datetime | None, day_option("Published on this day or earlier.", "--until")] = None,
    duplicates: Duplicates = True,
    topic: Annotated[
        list[str] | None, option("NAME", "Only articles of this topic, with a field `topics`; may be repeated.")
    ] = None,
    topics_file: TopicsFile = None,
    story: Annotated[
        list[int] | None, option("ID", "Only articles of this story, with fields as for --stories; may be repeated.")
    ] = None,
    with_stories: Annotated[
        bool, flag("--stories", "Add the fields `story`, `story_first` and `story_rank`, brought up to date first.")
    ] = False,
    min_confidence: Annotated[float, option("P", "Leave out articles with a lower confidence.", min=0, max=1)] = 0.0,
    form: Annotated[
        str | None, option("NAME", "jsonl, csv, parquet, … [default: as -o says]", "--format", parser=parse_format)
    ] = None,
    fields: Annotated[str, option("NAME,…", "Only these fields, in this order.")] = "",
    output: Annotated[
        Path | None, option("FILE", "A file (.gz: compressed); a folder for parquet and bow.", "--output", "-o")
    ] = None,
    replace_file: Annotated[
        bool, flag("--replace", "Replace the file; with --cursor-file, it is appended to otherwise.")
    ] = False,
    raw: Annotated[bool, flag("--raw", "In CSV, leave texts that begin like a formula as they are.")] = False,
    follow: Annotated[bool, flag("--follow", "Keep exporting new changes until interrupted.")] = False,
    tokens: Annotated[bool, flag("--tokens", "Add sentences and their words.")] = False,
    no_stop_words: Annotated[bool, flag("--no-stop-words", "Leave stop words out of the words.")] = False,
    dictionary: Annotated[Path | None, option("FILE", "Your own Chinese words, one a line (jieba's format).")] = None,
    as_of: Annotated[
        datetime | None, option("TIME", "What an export of this day (its end) or time gave.", parser=parse_moment)
    ] = None,
    as_of_change: Annotated[
        int | None, option("N", "What an export gave that ended with this change.", parser=parse_change)
    ] = None,
    manifest: Annotated[
        Path | None, option("MANIFEST", "Export nothing; check an export by its manifest.", "--verify")
    ] = None,
) -> None:
    """Export each article once, in its present state and in order of change, as JSON lines or in another format.

    A file gets a manifest beside it: query, change numbers, rows, checksum. The last line on stderr, "cursor: N", is
    the number to pass to --after next time.
    """
    if manifest is not None:
        _verify(manifest, database, topics_file, {"-o": output, "--cursor-file": cursor_file, "--after": after})
        return
    from newsextract.export.exporter import parse_fields, read_cursor_file, write_cursor_file
    from newsextract.export.formats import format_of, open_sink
    from newsextract.export.manifest import write_manifest
    from newsextract.export.query import ExportQuery, keeps_retracted
    from newsextract.health.chosen_sites import sites_named
    from newsextract.store import Selection
    from newsextract.store.histories import Cursor
    from newsextract.store.lookup import check_languages, makers_of

    _check_cursors(after, cursor_file, follow=follow, as_of=as_of, as_of_change=as_of_change)
    form_name = form or format_of(output)
    _check_options(form_name, fields, output, follow)
    tokens = tokens or no_stop_words or dictionary is not None or form_name == "bow"
    if (with_stories or story) and (as_of is not None or as_of_change is not None):
        raise WrongCall("stories are known only as they are now; they can't be combined with --as-of")
    stories = _stories(database, story or ()) if with_stories or story else None
    cursor = read_cursor_file(cursor_file) if cursor_file else Cursor(after or 0)
    by_cursor = cursor_file is not None or cursor.change > 0
    append = by_cursor and not replace_file and _appends(output, form_name, cursor_file, cursor.change)
    progress, warn = Progress(), partial(say, err=True)
    with open_store(database) as store:
        selection = Selection(
            sites=store.read(sites_named, sites or ()),
            languages=tuple(languages or ()),
            published_from=published_from,
            published_before=published_to and published_to + timedelta(days=1),
            copies=duplicates,
            retracted=keeps_retracted(form_name),
        )
        store.read(check_languages, selection.languages)
        names = parse_fields(fields, tokens, bool(topic), stories is not None)
        chosen = (min_confidence, tuple(topic or ()), tokens, no_stop_words, dictionary, raw, stories)
        query = ExportQuery(selection, form_name, names, *chosen)
        moment = as_of_change if as_of is None else _change_at(store, as_of)
        with open_sink(form_name, output, names, sys.stdout.buffer, append=append, raw=raw) as sink:
            exporter = query.exporter(store, sink, topics_file, progress.advance, warn, moment)
            save_cursor = partial(write_cursor_file, cursor_file)
            start, cursor = exporter.follow(cursor, save_cursor, _stop_event()) if follow else exporter(cursor)
            made = replace(selection, since=start, until=None if moment else cursor.change, as_of=moment)
            makers = store.read(makers_of, made) if output is not None else []
    if output is not None:
        is_added = append or (form_name == "parquet" and output.is_dir())
        write_manifest(output, store.name, query, makers, exporter.parts, cursor, append=is_added)
        say(f"{counted(progress.count, 'article')} {'added to' if append else 'in'} {output}", err=True)
    save_cursor(cursor)
    say(f"{CURSOR} {cursor.change}", err=True)


def _stories(database: str, names: Sequence[int]) -> tuple[int, ...]:
    """Brings the stories up to date. Raises NewsextractError for an id that no story has."""
    from newsextract.cli.story_updates import bring_up_to_date
    from newsextract.stories.by_hand import find_story

    bring_up_to_date(database)
    with open_store(database) as store:
        return tuple(store.read(find_story, f"{name}") for name in names)


def _verify(manifest: Path, database: str, topics_file: Path | None, given: dict[str, object]) -> None:
    """Checks an export by its manifest. Raises NewsextractError if anything differs."""
    from newsextract.export.verify import verify

    if names := [name for name, value in given.items() if value is not None]:
        raise WrongCall(f"{names[0]} can't be combined with --verify, which exports nothing")
    with open_store(database) as store:
        differences = verify(manifest, store, topics_file)
        name = store.name
    for sentence in differences:
        say(sentence)
    if differences:
        raise NewsextractError(f"{manifest} doesn't hold")
    say(f"{manifest} holds: the file is what was written, and what {name} gives as of then", err=True)


def _change_at(store: "Store", moment: datetime) -> int:
    """The last change up to a moment. Raises WrongCall if there is none."""
    from newsextract.store.past import change_at

    if not (change := store.read(change_at, moment)):
        raise WrongCall(f"{store.name} had no article yet at {moment:%Y-%m-%d %H:%M %Z}")
    return change


class Progress:
    """Counts articles, and prints count and speed on stderr every PROGRESS_INTERVAL seconds."""

    def __init__(self) -> None:
        self.count = 0
        self._began = self._printed = time.monotonic()

    def advance(self) -> None:
        """Counts one."""
        self.count += 1
        now = time.monotonic()
        if now - self._printed >= PROGRESS_INTERVAL:
            self._printed = now
            say(f"{self.count:,} articles, {self.count / (now - self._began):,.0f} a second", err=True)


def _check_cursors(
    after: int | None,
    cursor_file: Path | None,
    *,
    follow: bool,
    as_of: datetime | None,
    as_of_change: int | None,
) -> None:
    """Raises WrongCall for contradictory options on where to begin and end."""
    if after is not None and cursor_file is not None:
        raise WrongCall("give --after or --cursor-file, not both")
    if cursor_file is not None and not cursor_file.absolute().parent.is_dir():
        raise WrongCall(f"the cursor file {cursor_file} can't be written: there is no folder {cursor_file.parent}")
    if as_of is not None and as_of_change is not None:
        raise WrongCall("give --as-of or --as-of-change, not both")
    if (as_of is not None or as_of_change is not None) and (follow or cursor_file):
        raise WrongCall("--cursor-file and --follow go on from the last export; they can't be combined with --as-of")


def _appends(output: Path | None, form: str, cursor_file: Path | None, start: int) -> bool:
    """Whether an export from a cursor is added to an existing file. WrongCall where it would replace the file."""
    if output is None or not output.exists() or (form == "parquet" and output.is_dir()):
        return False  # a folder of Parquet keeps the files of earlier exports
    if form == "bow":
        raise WrongCall(f"{output} exists, and a bag of words can't be added to: name another folder, or --replace it")
    if cursor_file is None or not start:
        why = f"there is no cursor in {cursor_file}" if cursor_file else "--after doesn't say what it has"
        raise WrongCall(f"{output} exists, and {why}: name another file, or --replace it")
    return True


def _check_options(form: str, fields: str, output: Path | None, follow: bool) -> None:
    """Raises WrongCall for contradictory options."""
    if form in ("parquet", "bow") and output is None:
        raise WrongCall(f"--format {form} writes into a folder: name it with -o")
    if fields and form in ("bow", "warc-wet"):
        raise WrongCall(f"--fields has no effect with --format {form}")
    if follow and (form == "bow" or (output is not None and form != "parquet")):
        raise WrongCall("--follow writes to stdout, or to a folder of parquet")


def _stop_event() -> Event:
    """An event that SIGINT and SIGTERM set, so that the current export is finished first."""
    event = Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: event.set())
    return event
