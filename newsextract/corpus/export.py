"""Articles changed since a cursor, as lines of JSON; the cursor to go on from is given back when all are written."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from newsextract.errors import NewsextractError, WrongCall
from newsextract.store import Store


def export(store: Store, since: int, write: Callable[[str], object]) -> int:
    """Gives `write` one line an article changed after `since`, in order of change; returns the next cursor.

    The cursor is taken first and bounds what is read, so an article that changes meanwhile comes next time and not
    twice. A `since` that the database has never reached belongs to another one: WrongCall.
    """
    cursor = store.cursor()
    if not 0 <= since <= cursor:
        raise WrongCall(f"the cursor {since} is not of {store.name}, whose last change is {cursor}; 0 begins anew")
    for row in store.articles(since=since, until=cursor):
        write(row.to_json() + "\n")
    return cursor


@dataclass(frozen=True)
class CursorFile:
    """A reader's place, in a file that always holds one whole number; absent before the first export."""

    path: Path

    def read(self) -> int:
        """The number in the file, 0 where there is no file."""
        try:
            text = self.path.read_text("utf-8").strip()
        except FileNotFoundError:
            return 0
        except (OSError, UnicodeDecodeError) as error:
            raise WrongCall(f"the cursor file {self.path} can't be read: {error}") from error
        if not (text.isascii() and text.isdigit()):
            raise WrongCall(f"the cursor file {self.path} holds no number but {text[:40]!r}")
        return int(text)

    def replace(self, cursor: int) -> None:
        """The file holds the old number or the new one, also after a power cut."""
        draft = self.path.with_name(f".{self.path.name}.{os.getpid()}")
        try:
            with draft.open("w", encoding="utf-8") as file:
                file.write(f"{cursor}\n")
                file.flush()
                os.fsync(file.fileno())
            draft.replace(self.path)
        except OSError as error:
            draft.unlink(missing_ok=True)
            raise NewsextractError(f"the cursor file {self.path} can't be written: {error.strerror}") from error
