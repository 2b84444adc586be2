"""Corrects stored articles by hand: one by a call, many by a file of JSON lines or CSV."""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from typing import Any

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
YES = ("true", "yes", "1")
NO = ("false", "no", "0")


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


def correct_all(database: str | Path, corrections: Sequence[Correction]) -> list[int | None]:
    """Writes corrections in one transaction, all or none; returns their change numbers, None where nothing differs."""
    with Store.open(str(database), must_exist=True) as store:
        return store.write(write_corrections, corrections)


def correction_of(row: Mapping[str, Any]) -> Correction:
    """The correction in a row with the columns of a file; empty cells are left as they are. Raises WrongCall."""
    given = {name: value for name, value in row.items() if name and value not in (None, "")}
    if unknown := [name for name in given if name not in (*COLUMNS, *ABOUT)]:
        raise WrongCall(f"{unknown[0]!r} can't be corrected; known are {', '.join((*ABOUT, *COLUMNS))}")
    if not isinstance(given.get("url"), str):
        raise WrongCall("a correction needs the url of a stored article")
    values = {COLUMNS[name]: _value(name, given[name]) for name in given if name in COLUMNS}
    undo = "undo" in given and _flag("undo", given["undo"])
    if bool(values) == undo:
        raise WrongCall(f"say what to correct of {given['url']} ({', '.join(COLUMNS)}), or undo, not both")
    return Correction(given["url"], values, str(given.get("note", "")), str(given.get("by", "")), undo)


def read_corrections(path: Path) -> list[Correction]:
    """The corrections in a file: CSV with a header if its name ends so, else JSON lines. Errors name the line."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.DictReader(file) if path.suffix.lower() == ".csv" else _json_rows(file)
            return [*_corrections(path, enumerate(rows, 2 if path.suffix.lower() == ".csv" else 1))]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise StorageError(f"{path} can't be read: {getattr(error, 'strerror', None) or error}") from error


def _json_rows(lines: Iterator[str] | Any) -> Iterator[Any]:
    for line in lines:
        try:
            yield json.loads(line) if line.strip() else {}
        except (ValueError, RecursionError):
            yield None


def _corrections(path: Path, rows: Iterator[tuple[int, Any]]) -> Iterator[Correction]:
    for number, row in rows:
        if not isinstance(row, dict):
            raise WrongCall(f"{path}, line {number}: not a JSON object")
        if not row:
            continue
        if None in row:
            raise WrongCall(f"{path}, line {number}: more cells than the header has; quote a text that has commas")
        try:
            yield replace(correction_of(row), place=f"{path}, line {number}: ")
        except WrongCall as error:
            raise WrongCall(f"{path}, line {number}: {error}") from error


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
