"""`newsextract export`."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from newsextract.errors import WrongCall
from newsextract.settings import NEWSEXTRACT_DATABASE_URL


def export(
    since: Annotated[int | None, typer.Option(min=0, metavar="N", help="Only changes after this number.")] = None,
    database: Annotated[str, typer.Option(metavar="URL", help="Where the articles are.")] = NEWSEXTRACT_DATABASE_URL,
    cursor_file: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Go on from the number in this file, then put the new one there."),
    ] = None,
) -> None:
    """Each article once as a line of JSON, in its present state, in order of change.

    The last line on stderr is the number to give to --since the next time.
    """
    from newsextract.corpus import CursorFile
    from newsextract.corpus import export as export_lines
    from newsextract.store import Store

    if since is not None and cursor_file is not None:
        raise WrongCall("give --since or --cursor-file, not both")
    place = CursorFile(cursor_file) if cursor_file else None
    start = since or (place.read() if place else 0)
    with Store.open(database, must_exist=True, read_only=True) as store:
        cursor = export_lines(store, start, sys.stdout.write)
    sys.stdout.flush()
    if place:
        place.replace(cursor)
    print(cursor, file=sys.stderr)
