"""`NEWSEXTRACT_JSONL`: a file of JSON lines that follows the change log: whole lines, each change once, crash-safe.

The file's row in `jsonl_files` has the offset up to which lines are on disk, and the last change among them. Lines are
written and synced first, then the row is committed. Lines beyond the offset were never acknowledged: whole ones of this
database's change log count, whole ones of another database that has the same file stay, and the rest is truncated
before writing more. A file that doesn't match its row is rewritten from the change log. A file that was moved is known
by its lines.
"""

import json
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedRandom
from mmap import ACCESS_READ, mmap
from pathlib import Path

from filelock import FileLock, Timeout
from sqlalchemy import select

from newsextract.errors import StorageError
from newsextract.limits import ARTICLES_AT_A_TIME
from newsextract.store.engine import LOCK_TIMEOUT, upsert, write_lock
from newsextract.store.schema import CHANGES_REMOVED, jsonl_files
from newsextract.store.store import Store

log = logging.getLogger(__name__)

#: Maximum bytes of a line that is looked at.
MAX_LINE = 64_000_000


class JsonLines:
    """The file at `path`; each call of `write` appends the changes that it lacks."""

    def __init__(self, store: Store, path: str | Path) -> None:
        """Raises StorageError if the file cannot be written."""
        self._store = store
        self.path = Path(path).expanduser().resolve()
        self._write_lock = write_lock(self.path)
        self._lock = FileLock(self.path.with_name(f".{self.path.name}.lock"), timeout=LOCK_TIMEOUT)
        with self._locked() as file:
            self._synchronize(file)

    def write(self) -> int:
        """Appends a line for each change that the file lacks; returns the number of lines."""
        written = 0
        with self._locked() as file:
            offset, change = self._synchronize(file)
            while rows := self._store.changes(change, ARTICLES_AT_A_TIME):
                lines = "".join(f"{row.to_json()}\n" for row in rows).encode()
                try:
                    file.seek(offset)
                    file.write(lines)
                    file.flush()
                    os.fsync(file.fileno())
                except OSError:
                    _truncate(file, offset)
                    raise
                offset, change = offset + len(lines), rows[-1].change
                self._acknowledge(offset, change)
                written += len(rows)
        return written

    @contextmanager
    def _locked(self) -> Iterator[BufferedRandom]:
        """The file, opened for reading and writing under the file lock."""
        try:
            if not self.path.parent.is_dir():  # the lock would create it
                raise StorageError(f"{self.path}: its folder does not exist")
            if self.path.exists() and not self.path.is_file():
                raise StorageError(f"{self.path} isn't a regular file")
            with self._write_lock, self._lock, _opened(self.path) as file:
                yield file
        except Timeout:
            raise StorageError(
                f"{self.path}: another process has been writing it for {self._lock.timeout:g} s"
            ) from None
        except OSError as error:
            raise StorageError(f"{self.path}: can't be written ({error.strerror or error})") from error

    def _synchronize(self, file: BufferedRandom) -> tuple[int, int]:
        """Makes file and row agree; returns the offset to write at and the last change in the file."""
        size = file.seek(0, os.SEEK_END)
        query = select(jsonl_files.c.path, jsonl_files.c.offset, jsonl_files.c.change)
        with self._store.database.reading() as connection:
            known = {path: (offset, change) for path, offset, change in connection.execute(query)}
        row = known.get(str(self.path)) or next((row for row in known.values() if self._ends_with(file, *row)), None)
        if row is None:
            offset, change = _end_of_last_line(file, size), 0
        elif row[0] <= size and row[1] != CHANGES_REMOVED and _line_ends_at(file, row[0]):
            offset, change, _ = self._accept_lines(file, *row)
        elif row[1] != CHANGES_REMOVED and (accepted := self._accept_lines(file, 0, 0))[2]:
            offset, change, _ = accepted
        else:
            if row[1] == CHANGES_REMOVED:
                log.info("%s is being rewritten without the articles that were removed from the database", self.path)
            else:
                log.warning("%s was changed by another program; rewriting it from the database", self.path)
            offset, change = 0, 0
        if offset < size:
            _truncate(file, offset)
        if (offset, change) != known.get(str(self.path)):
            self._acknowledge(offset, change)
        return offset, change

    def _ends_with(self, file: BufferedRandom, offset: int, change: int) -> bool:
        """Whether the line before the offset is that of a change of this database."""
        file.seek(max(0, offset - MAX_LINE))
        *_, line = file.read(min(offset, MAX_LINE)).removesuffix(b"\n").rpartition(b"\n")
        number, url = _change_and_url(line)
        return number == change and self._has(change, url)

    def _accept_lines(self, file: BufferedRandom, offset: int, change: int) -> tuple[int, int, bool]:
        """The offset after the whole lines behind it, and the last change among them; whether some are of others."""
        file.seek(offset)
        has_others = False
        while (line := file.readline()).endswith(b"\n"):
            number, url = _change_and_url(line)
            if url is None:
                break
            if number > change and self._has(number, url):
                change = number
            else:
                has_others = True
            offset += len(line)
        return offset, change, has_others

    def _has(self, change: int, url: str | None) -> bool:
        rows = self._store.changes(change - 1, 1)
        return bool(rows) and (rows[0].change, rows[0].article.url) == (change, url)

    def _acknowledge(self, offset: int, change: int) -> None:
        with self._store.database.writing() as connection:
            upsert(connection, jsonl_files, [{"path": str(self.path), "offset": offset, "change": change}])


def _change_and_url(line: bytes) -> tuple[int, str | None]:
    """The change number and the URL of a line; (0, None) for anything else."""
    try:
        values = json.loads(line)
        change, url = values["change"], values["url"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return 0, None
    return (change, url) if isinstance(change, int) and isinstance(url, str) else (0, None)


@contextmanager
def _opened(path: Path) -> Iterator[BufferedRandom]:
    new = not path.exists()
    path.touch()
    with path.open("r+b") as file:
        if new and hasattr(os, "O_DIRECTORY"):
            folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
            try:
                os.fsync(folder)  # otherwise a power cut may lose the directory entry
            finally:
                os.close(folder)
        yield file


def _truncate(file: BufferedRandom, offset: int) -> None:
    os.ftruncate(file.fileno(), offset)
    os.fsync(file.fileno())


def _end_of_last_line(file: BufferedRandom, size: int) -> int:
    """The offset after the last line break; an incomplete line follows."""
    if size == 0:  # which can't be mapped
        return 0
    with mmap(file.fileno(), 0, access=ACCESS_READ) as content:
        return content.rfind(b"\n") + 1


def _line_ends_at(file: BufferedRandom, offset: int) -> bool:
    file.seek(max(0, offset - 1))
    return offset == 0 or file.read(1) == b"\n"
