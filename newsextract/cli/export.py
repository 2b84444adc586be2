"""`newsextract export`: checks the options and shows progress."""

import signal
import sys
import time
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from newsextract.cli.options import Database, Languages, Sites, TopicsFile, day_option, open_store
from newsextract.errors import WrongCall
from newsextract.settings import NEWSEXTRACT_DATABASE_URL
from newsextract.text import say
from newsextract.urls import named_site

if TYPE_CHECKING:
    from newsextract.store import Store

#: How many sites a message names.
MAX_SITES = 10
#: Seconds before the first progress line, and between progress lines.
PROGRESS_INTERVAL = 2.0
#: The last line on stderr, up to its number.
CURSOR = "cursor:"


def parse_since(text: str) -> int:
    """A change number, also in the form of an export's last line, `cursor: 273`."""
    digits = text.strip().removeprefix(CURSOR).strip()
    if not (digits.isascii() and digits.isdigit()):
        raise typer.BadParameter(f"{text!r} isn't a change number: give 0, or the number in the last line of an export")
    return int(digits)


def export(
    since: Annotated[
        int | None, typer.Option(parser=parse_since, metavar="N", help="Only changes after this number.")
    ] = None,
    database: Database = NEWSEXTRACT_DATABASE_URL,
    cursor_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Continue from the number in this file, and update it.")
    ] = None,
    sites: Sites = None,
    languages: Languages = None,
    published_from: Annotated[datetime | None, day_option("Published on this day or later.", "--from")] = None,
    published_to: Annotated[datetime | None, day_option("Published on this day or earlier.", "--to")] = None,
    no_duplicates: Annotated[
        bool, typer.Option("--no-duplicates", help="Leave out near-duplicates of earlier articles.")
    ] = False,
    topic: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only articles of this topic, with a field `topics`; may be repeated."),
    ] = None,
    topics_file: TopicsFile = None,
    min_confidence: Annotated[
        float, typer.Option(min=0, max=1, metavar="P", help="Leave out articles with a lower confidence.")
    ] = 0.0,
    form: Annotated[
        Literal["jsonl", "csv", "warc-wet", "parquet", "bow"] | None,
        typer.Option(
            "--format",
            metavar="NAME",
            help="One of jsonl, csv, warc-wet, parquet, bow; if not given, csv for a file .csv or .csv.gz, else jsonl.",
        ),
    ] = None,
    fields: Annotated[str, typer.Option(metavar="NAME,…", help="Only these fields, in this order.")] = "",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="A file (.gz: compressed); a folder for parquet and bow."),
    ] = None,
    follow: Annotated[bool, typer.Option("--follow", help="Keep exporting new changes until interrupted.")] = False,
    tokens: Annotated[bool, typer.Option("--tokens", help="Add sentences and their words.")] = False,
    no_stop_words: Annotated[bool, typer.Option("--no-stop-words", help="Leave stop words out of the words.")] = False,
    dictionary: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Your own Chinese words, one a line (jieba's format).")
    ] = None,
) -> None:
    """Export each article once, in its present state and in order of change, as JSON lines or in another format.

    The last line on stderr, "cursor: N", is the number to pass to --since next time.
    """
    from newsextract.export.exporter import Exporter, parse_fields, read_cursor, write_cursor
    from newsextract.export.formats import open_sink
    from newsextract.index import TOPICS_FILE
    from newsextract.index.topics import read_topics
    from newsextract.store import Selection

    if since is not None and cursor_file is not None:
        raise WrongCall("give --since or --cursor-file, not both")
    if cursor_file is not None and not cursor_file.absolute().parent.is_dir():
        raise WrongCall(f"the cursor file {cursor_file} can't be written: there is no folder {cursor_file.parent}")
    if form is None:
        form = "csv" if output is not None and output.name.lower().removesuffix(".gz").endswith(".csv") else "jsonl"
    _check_options(form, fields, output, follow)
    tokens = tokens or no_stop_words or dictionary is not None or form == "bow"
    topics = read_topics(topics_file or TOPICS_FILE, topic) if topic else []
    names = parse_fields(fields, tokens, bool(topics))
    start = since or (read_cursor(cursor_file) if cursor_file else 0)
    selection = Selection(
        sites=tuple(named_site(site) for site in sites or ()),
        languages=tuple(languages or ()),
        published_from=published_from,
        published_before=published_to and published_to + timedelta(days=1),
        copies=not no_duplicates,
        retracted=form not in ("bow", "warc-wet"),  # formats that can't mark an article as deleted
    )
    tokenizer = None
    if tokens:
        from newsextract.export.tokens import Tokenizer

        tokenizer = Tokenizer(dictionary, no_stop_words)
    with open_store(database) as store, open_sink(form, output, names, sys.stdout.buffer) as sink:
        _report_unknown_sites(store, selection.sites)
        exporter = Exporter(store, selection, sink, tokenizer, _progress(), min_confidence, topics)
        save_cursor = partial(write_cursor, cursor_file)
        cursor = exporter.follow(start, save_cursor, _stop_event()) if follow else exporter(start)
    save_cursor(cursor)
    say(f"{CURSOR} {cursor}", err=True)


def _progress() -> Callable[[], None]:
    """Counts articles, and prints count and speed on stderr every PROGRESS_INTERVAL seconds."""
    count, began = 0, time.monotonic()
    printed = began

    def advance() -> None:
        nonlocal count, printed
        count += 1
        now = time.monotonic()
        if now - printed >= PROGRESS_INTERVAL:
            printed = now
            say(f"{count:,} articles, {count / (now - began):,.0f} a second", err=True)

    return advance


def _report_unknown_sites(store: "Store", sites: Sequence[str]) -> None:
    """Names the sites without articles on stderr. Not an error: a site may be crawled for the first time tomorrow."""
    from newsextract.store.lookup import sites_with_articles

    if sites and (unknown := set(sites) - set(known := store.read(sites_with_articles))):
        there_are = ", ".join(known[:MAX_SITES]) + (f" and {len(known) - MAX_SITES} more" * (len(known) > MAX_SITES))
        names = ", ".join(sorted(unknown))
        say(f"newsextract: {store.name} has no article of {names}; it has {there_are or 'none'}", err=True)


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
