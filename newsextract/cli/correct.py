"""`newsextract correct`: corrections of stored articles by hand."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from newsextract.cli.options import Database, flag, option
from newsextract.cli.terminal import progress_bars
from newsextract.errors import WrongCall
from newsextract.settings import NEWSEXTRACT_DATABASE_URL
from newsextract.text import counted, say

if TYPE_CHECKING:
    from newsextract.store.corrections import Correction


def correct(
    url: Annotated[str | None, typer.Argument(metavar="[URL]", help="The article's URL.")] = None,
    headline: Annotated[str | None, option("TEXT", "The right headline.")] = None,
    authors: Annotated[str | None, option("NAME;NAME", "The right authors, separated by semicolons.")] = None,
    date: Annotated[str | None, option("DATE", "The right publication date or time.")] = None,
    section: Annotated[str | None, option("TEXT", "The right section.")] = None,
    article: Annotated[
        bool | None, typer.Option("--article/--not-article", help="Whether it is an article at all.")
    ] = None,
    undo: Annotated[bool, flag("--undo", "Take all corrections of the article back.")] = False,
    note: Annotated[str, option("TEXT", "Why, for the history. With --file: of rows without one.")] = "",
    by: Annotated[str, option("NAME", "Who corrects it, for the history. With --file: of rows without one.")] = "",
    file: Annotated[
        Path | None, option("FILE|-", "Many corrections: a table or JSON lines with url, headline, authors, date …")
    ] = None,
    database: Database = NEWSEXTRACT_DATABASE_URL,
) -> None:
    """Correct a stored article by hand, as a new version. No crawl, extraction or import overwrites what was corrected.

    Prints change number and URL. `newsextract status` shows where a page has come to say something else since.
    """
    from newsextract.corrections import CorrectionFile, correct_all, correction_of

    fields: dict[str, Any] = {"headline": headline, "authors": authors, "date": date, "section": section}
    given = {name: value for name, value in {**fields, "article": article}.items() if value is not None}
    if (url is None) == (file is None) or (file is not None and (given or undo)):
        raise WrongCall("give the URL of an article and what to correct, or --file with many corrections")
    if file is None:
        only = correction_of({"url": url, "note": note, "by": by, "undo": undo, **given})
        _print([only], correct_all(database, [only]))
        return
    with CorrectionFile.open(file, note, by) as corrections, progress_bars() as progress:
        count = sum(1 for _ in corrections)  # so that a wrong line is found before anything is written
        changes = correct_all(database, corrections, lambda done: progress("corrected", done, count))
        _print(corrections, changes)


def _print(corrections: Iterable["Correction"], changes: Sequence[int | None]) -> None:
    for correction, change in zip(corrections, changes, strict=True):
        say(f"{change or '-'}\t{correction.url}")
    corrected = sum(change is not None for change in changes)
    say(f"{counted(corrected, 'correction')} written, {len(changes) - corrected:,} without effect", err=True)
