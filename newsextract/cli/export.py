"""`newsextract export`."""

import signal
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Annotated

import typer

from newsextract.errors import WrongCall
from newsextract.settings import NEWSEXTRACT_DATABASE_URL

if TYPE_CHECKING:
    from newsextract.export.tokens import Tokenizer

#: Seconds after which a silent export says how far it is, and between two such lines.
SILENT = 2.0
FORMATS = ("jsonl", "csv", "warc-wet", "parquet", "bow")

Since = Annotated[int | None, typer.Option(min=0, metavar="N", help="Only changes after this number.")]
Database = Annotated[str, typer.Option(metavar="URL", help="Where the articles are.")]
CursorPath = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Go on from the number in this file, then put the new one there.")
]
Sites = Annotated[list[str] | None, typer.Option("--site", metavar="SITE", help="Only this site; may be repeated.")]
Languages = Annotated[
    list[str] | None, typer.Option("--language", metavar="CODE", help="Only this language; may be repeated.")
]
Day = datetime | None
From = Annotated[Day, typer.Option("--from", metavar="DATE", formats=["%Y-%m-%d"], help="Published on it or later.")]
To = Annotated[Day, typer.Option("--to", metavar="DATE", formats=["%Y-%m-%d"], help="Published on it or earlier.")]
Copies = Annotated[bool, typer.Option("--no-duplicates", help="Leave out near-duplicates of articles seen before.")]
Format = Annotated[str, typer.Option("--format", metavar="NAME", help=f"One of {', '.join(FORMATS)}.")]
Fields = Annotated[str, typer.Option(metavar="NAME,…", help="Only these fields, in this order.")]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="A file (.gz: packed), or the folder of parquet and bow."),
]
Follow = Annotated[bool, typer.Option("--follow", help="Go on with what changes, until it is interrupted.")]
Tokens = Annotated[bool, typer.Option("--tokens", help="Add sentences and their words.")]
Stop = Annotated[bool, typer.Option("--no-stop-words", help="Leave out of the words those without meaning.")]
Dictionary = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Words of your own for Chinese, one a line (jieba's format).")
]


def export(
    since: Since = None,
    database: Database = NEWSEXTRACT_DATABASE_URL,
    cursor_file: CursorPath = None,
    sites: Sites = None,
    languages: Languages = None,
    published_from: From = None,
    published_to: To = None,
    no_duplicates: Copies = False,
    form: Format = "jsonl",
    fields: Fields = "",
    to: Output = None,
    follow: Follow = False,
    tokens: Tokens = False,
    no_stop_words: Stop = False,
    dictionary: Dictionary = None,
) -> None:
    """Each article once, in its present state, in order of change: as lines of JSON, or in another format.

    The last line on stderr is the number to give to --since the next time.
    """
    from newsextract.export.cursor import CursorFile
    from newsextract.export.export import Export, chosen_fields
    from newsextract.export.sinks import open_sink
    from newsextract.store import Selection, Store

    if since is not None and cursor_file is not None:
        raise WrongCall("give --since or --cursor-file, not both")
    _check(form, fields, to, follow)
    tokens = tokens or no_stop_words or dictionary is not None or form == "bow"
    names = chosen_fields(fields, tokens)
    place = CursorFile(cursor_file) if cursor_file else None
    start = since or (place.read() if place else 0)
    selection = Selection(
        sites=tuple(sites or ()),
        languages=tuple(languages or ()),
        published_from=published_from and published_from.replace(tzinfo=UTC),
        published_before=published_to and published_to.replace(tzinfo=UTC) + timedelta(days=1),
        copies=not no_duplicates,
    )
    tokenizer = _tokenizer(dictionary, no_stop_words) if tokens else None
    with (
        Store.open(database, must_exist=True, read_only=True) as store,
        open_sink(form, to, names, sys.stdout.buffer) as sink,
    ):
        write = Export(store, selection, sink, tokenizer, Told())
        read = place.replace if place else lambda cursor: None
        cursor = write.follow(start, read, _interrupted()) if follow else write(start)
    read(cursor)
    print(cursor, file=sys.stderr)


class Told:
    """Called for each article, it says on stderr how many there were once that takes a while."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._count = clock, 0
        self._begun = self._said = clock()

    def __call__(self) -> None:
        self._count += 1
        now = self._clock()
        if now - self._said >= SILENT:
            self._said = now
            speed = self._count / (now - self._begun)
            print(f"{self._count:,} articles, {speed:,.0f} a second", file=sys.stderr, flush=True)


def _check(form: str, fields: str, to: Path | None, follow: bool) -> None:
    """What options say together."""
    if form not in FORMATS:
        raise WrongCall(f"--format {form!r} is none of {', '.join(FORMATS)}")
    if form in ("parquet", "bow") and to is None:
        raise WrongCall(f"--format {form} writes into a folder: name it with -o")
    if fields and form in ("bow", "warc-wet"):
        raise WrongCall(f"--fields says nothing for --format {form}")
    if follow and (form == "bow" or (to is not None and form != "parquet")):
        raise WrongCall("--follow writes to stdout, or to a folder of parquet")


def _interrupted() -> Event:
    """Set by the signals that end a program, which then ends its round first."""
    event = Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: event.set())
    return event


def _tokenizer(dictionary: Path | None, without_stop_words: bool) -> "Tokenizer":
    from newsextract.export.tokens import Tokenizer

    return Tokenizer(dictionary, without_stop_words)
