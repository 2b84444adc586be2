"""Corrects stored articles by hand: one by a call, many by a file of JSON lines or CSV."""

import csv
import json
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from datetime import date, datetime
from io import TextIOWrapper
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TextIO

from newsextract.days import beginning_of
from newsextract.errors import StorageError, WrongCall
from newsextract.items import EARLIEST, is_plausible_date
from newsextract.store import Store
from newsextract.store.corrections import Correction
from newsextract.store.corrections import correct as write_corrections

#: The columns of a file of corrections, each with its field.
COLUMNS = {
    "headline": "headline",
    "authors": "authors",
    "date": "date_published",
    "section": "section",
    "article": "is_article",
}
#: The other columns.
ABOUT = ("url", "note", "by", "undo")
KNOWN = {*COLUMNS, *ABOUT}
YES = ("true", "yes", "1")
NO = ("false", "no", "0")
#: How the names of tables end, and of files with a JSON object a line; what separates the cells of a table.
TABLES = (".csv", ".tsv")
LINES = (".jsonl", ".json")
DELIMITERS = ",;\t"
#: How a file in UTF-16 begins.
UTF_16 = (b"\xff\xfe", b"\xfe\xff")


def correct(
    database: str | Path,
    url: str,
    *,
    headline: str | None = None,
    authors: Sequence[str] | None = None,
    date: datetime | date | str | None = None,
    section: str | None = None,
    is_article: bool | None = None,
    note: str = "",
    by: str = "",
    undo: bool = False,
) -> int | None:
    """Corrects the stored article at a URL, or with `undo` takes its corrections back; returns the change number.

    None if nothing differs. `database`: a file or a URL. `date`: a time, a day, or either in ISO 8601. No crawl,
    extraction or import overwrites the corrected fields. Raises WrongCall if there is no such article or nothing to
    correct, DatabaseError for an unusable database.
    """
    given = {"headline": headline, "authors": authors, "date": date, "section": section, "article": is_article}
    values = {name: value for name, value in given.items() if value is not None}
    [change] = correct_all(database, [correction_of({"url": url, "note": note, "by": by, "undo": undo, **values})])
    return change


def correct_all(
    database: str | Path, corrections: Iterable[Correction], progress: Callable[[int], None] = lambda done: None
) -> list[int | None]:
    """Writes corrections in one transaction, all or none; returns their change numbers, None where nothing differs.

    `corrections` are read again if the transaction is: a list, or a `CorrectionFile`. `progress`: as in
    `store.corrections.correct`.
    """
    with Store.open(str(database), must_exist=True) as store:
        return store.write(write_corrections, corrections, progress)


def correction_of(row: Mapping[str, Any], note: str = "", by: str = "", place: str = "") -> Correction:
    """The correction in a row with the columns of a file; empty cells are left as they are. Raises WrongCall.

    `note`, `by`: of a row that has none; `place`: of `Correction`.
    """
    given = {name: value for name, value in row.items() if name and value not in (None, "")}
    if unknown := [name for name in given if name not in KNOWN]:
        raise WrongCall(f"{unknown[0]!r} can't be corrected; known are {', '.join((*ABOUT, *COLUMNS))}")
    if not isinstance(given.get("url"), str):
        raise WrongCall("a correction needs the url of a stored article")
    values = {COLUMNS[name]: _value(name, value) for name, value in given.items() if name in COLUMNS}
    undo = "undo" in given and _flag("undo", given["undo"])
    if bool(values) == undo:
        raise WrongCall(f"say what to correct of {given['url']} ({', '.join(COLUMNS)}), or undo, not both")
    return Correction(given["url"], values, str(given.get("note", note)), str(given.get("by", by)), undo, place)


@dataclass(frozen=True)
class CorrectionFile:
    """The corrections in a file, read from disk each time they are iterated over. Errors name the line.

    A table (CSV, or separated by tabs or semicolons) has a header; its name ends with .csv or .tsv. Other files have a
    JSON object a line, or are a table if they don't begin with one. `content`: a copy, since a file may change and a
    pipe can be read once only. `note`, `by`: of those that have none.
    """

    path: Path
    content: Path
    note: str = ""
    by: str = ""

    @classmethod
    @contextmanager
    def open(cls, path: Path, note: str = "", by: str = "") -> Iterator["CorrectionFile"]:
        """The file with this name; `-`: standard input."""
        with TemporaryDirectory() as folder:
            content = Path(folder, "corrections")
            with (
                _reading(path),
                nullcontext(sys.stdin.buffer) if str(path) == "-" else path.open("rb") as source,
                content.open("wb") as target,
            ):
                shutil.copyfileobj(source, target)
            yield cls(path, content, note, by)

    def __iter__(self) -> Iterator[Correction]:
        with _reading(self.path), self.content.open("rb") as file:
            encoding = "utf-16" if file.read(2) in UTF_16 else "utf-8-sig"
            file.seek(0)
            yield from self._corrections(TextIOWrapper(file, encoding, newline=""))

    def _corrections(self, text: TextIO) -> Iterator[Correction]:
        path, empty, first, suffix = str(self.path), 0, text.readline(), self.path.suffix.lower()
        while first and not first.strip():
            empty, first = empty + 1, text.readline()
        is_table = suffix in TABLES or not (suffix in LINES or first.lstrip().startswith(("{", "[")))
        rows = _table_rows(first, text) if is_table else _json_rows(chain([first], text))
        for number, row in rows:
            place = f"{path}, line {empty + number}: "
            if not isinstance(row, dict):
                raise WrongCall(f"{place}not a JSON object")
            if None in row:
                raise WrongCall(f"{place}more cells than the header has; quote a text that has a separator")
            if row:
                try:
                    yield correction_of(row, self.note, self.by, place)
                except WrongCall as error:
                    raise WrongCall(f"{place}{error}") from error


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, UnicodeError, csv.Error) as error:
        raise StorageError(f"{path} can't be read: {getattr(error, 'strerror', None) or error}") from error


def _table_rows(header: str, text: TextIO) -> Iterator[tuple[int, Any]]:
    delimiter = max(DELIMITERS, key=header.count)
    rows = csv.DictReader(chain([header], text), delimiter=delimiter)
    rows.fieldnames = [name.strip() for name in rows.fieldnames or ()]
    for row in rows:
        yield rows.line_num, row


def _json_rows(lines: Iterable[str]) -> Iterator[tuple[int, Any]]:
    for number, line in enumerate(lines, 1):
        try:
            yield number, json.loads(line) if line.strip() else {}
        except (ValueError, RecursionError):
            yield number, None


def _value(name: str, value: Any) -> Any:
    """A column's value as that of its field in JSON."""
    if name == "article":
        return _flag(name, value)
    if name == "authors":
        names = value.split(";") if isinstance(value, str) else value
        if not isinstance(names, list | tuple) or not all(isinstance(one, str) for one in names):
            raise WrongCall(f"authors must be names, separated by semicolons, not {value!r}")
        return [one.strip() for one in names if one.strip()]
    if name == "date":
        return _time(value).isoformat()
    if not isinstance(value, str):
        raise WrongCall(f"{name} must be a text, not {value!r}")
    return value.strip()


def _time(value: Any) -> datetime:
    if isinstance(value, date) and not isinstance(value, datetime):
        return beginning_of(value)
    try:
        when = value if isinstance(value, datetime) else datetime.fromisoformat(str(value).strip())
    except ValueError:
        raise WrongCall(
            f"date {value!r} must be a day or a time, such as 2026-05-01 or 2026-05-01T08:30+02:00"
        ) from None
    when = when if when.tzinfo else beginning_of(when.date()).replace(hour=when.hour, minute=when.minute)
    if not is_plausible_date(when):
        raise WrongCall(f"date {value!r} must be from {EARLIEST:%Y} to tomorrow")
    return when


def _flag(name: str, value: Any) -> bool:
    text = str(value).strip().lower()
    if text not in (*YES, *NO):
        raise WrongCall(f"{name} must be true or false, not {value!r}")
    return text in YES
