"""Reads a list of URLs from a file: one a line, or a column of CSV, TSV or JSON lines; also gzip and UTF-16."""

import csv
import hashlib
import io
import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from newsextract.compression import gunzip
from newsextract.errors import WrongCall
from newsextract.spiders.arguments import parse_urls, without_credentials
from newsextract.store.schema import LONGEST_URL, fingerprint

#: Bytes of a list, decompressed.
MAX_BYTES = 1_000_000_000
#: Characters of a line that a message shows.
SHOWN = 80
#: How files begin that are no text, each with a word for what they are.
BINARY = {
    b"PK\x03\x04": "a zip or Excel file: save its table as CSV",
    b"%PDF": "a PDF file",
    b"SQLite format 3": "a database",
    b"PAR1": "a Parquet file",
}
#: What separates the cells of a table.
DELIMITERS = "\t;,"
#: Hexadecimal digits that stand for a list's URLs.
DIGEST = 12


@dataclass(frozen=True)
class UrlList:
    """The URLs of a list, each once, in their order. `wrong`: what its other lines are, a clause for each.

    `duplicates`: how often a URL came again, also with another tracking parameter or fragment.
    """

    name: str
    urls: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    duplicates: int = 0

    def __str__(self) -> str:
        """What identifies the list among the arguments of runs: the file's name, and its URLs in any order."""
        digest = hashlib.sha256("\n".join(sorted(self.urls)).encode()).hexdigest()
        return f"{Path(self.name).name} {digest[:DIGEST]}"


def read_url_list(path: Path, column: str = "", name: str = "") -> UrlList:
    """The URLs in a file. `column`: the name of the one that has them in a table, or its number from 1; a table is
    CSV, TSV or JSON lines. `name`: of the list in messages.

    Raises WrongCall for a file that can't be read, has no such column, or not one URL.
    """
    name = name or str(path)
    text, wrong = _text(path, name), list[str]()
    if not column and (columns := _columns(text)):
        raise WrongCall(f"{name} is a table: name its column of URLs with --column ({columns})")
    rows = _cells(text, column, name) if column else _lines(text)
    urls, seen, duplicates = list[str](), set[str](), 0
    for number, cell in rows:
        try:
            found = [_checked(url) for url in parse_urls(cell)]
        except ValueError as error:
            wrong.append(f"line {number}: {str(error)[: 2 * SHOWN]}")
            continue
        for url in found:
            key = fingerprint(url)
            duplicates += key in seen
            if key not in seen:
                seen.add(key)
                urls.append(url)
    if not urls:
        raise WrongCall(f"{name} has no URL: {wrong[0] if wrong else 'it is empty'}")
    return UrlList(name, urls, wrong, duplicates)


def _columns(text: str) -> str:
    """The columns of a table: of its header, which has several cells and no URL, or the keys of its first object."""
    first = text.lstrip().partition("\n")[0]
    if first.startswith("{"):
        with suppress(ValueError, RecursionError):
            return ", ".join(json.loads(first))[: 4 * SHOWN]
    is_header = "://" not in first and any(mark in first for mark in DELIMITERS)
    return ", ".join(cell.strip() for cell in first.split(_delimiter(first)))[: 4 * SHOWN] if is_header else ""


def _checked(url: str) -> str:
    if len(url) > LONGEST_URL:
        raise ValueError(f"{without_credentials(url)[:SHOWN]!r}… has {len(url)} characters; the limit is {LONGEST_URL}")
    return url


def _text(path: Path, name: str) -> str:
    """The text of a file, which may be compressed. What isn't UTF-8 becomes U+FFFD, which no URL has."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        if content.startswith(b"\x1f\x8b"):
            content = gunzip(content, MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        raise WrongCall(f"{name} can't be read: {getattr(error, 'strerror', None) or error}") from error
    if len(content) > MAX_BYTES:
        raise WrongCall(f"{name} is larger than {MAX_BYTES:,} bytes: split it")
    if kind := next((kind for magic, kind in BINARY.items() if content.startswith(magic)), None):
        raise WrongCall(f"{name} is no list of URLs but {kind}")
    is_utf_16 = content.startswith((b"\xff\xfe", b"\xfe\xff"))
    return content.decode("utf-16" if is_utf_16 else "utf-8-sig", "replace")


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines with a URL, and their numbers; empty ones and comments (#) are left out."""
    for number, line in enumerate(io.StringIO(text), 1):
        cell = line.strip().strip("<>\"'")
        if cell and not cell.startswith("#"):
            yield number, _shortened(cell)


def _shortened(cell: str) -> str:
    """The beginning of a cell that is too long for a URL, by which it is refused."""
    return cell if len(cell) <= 2 * LONGEST_URL else cell[: LONGEST_URL + 1]


def _cells(text: str, column: str, name: str) -> Iterator[tuple[int, str]]:
    """The cells of a column, and the numbers of their lines."""
    if text.lstrip().startswith("{"):
        rows = _values(text, column, name)
    else:
        first = text.partition("\n")[0]
        rows = _table_cells(csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(first)), column, name)
    for number, value in rows:
        if value:
            yield number, _shortened(value)


def _delimiter(line: str) -> str:
    return max(DELIMITERS, key=line.count)


def _table_cells(table: Any, column: str, name: str) -> Iterator[tuple[int, str]]:
    try:
        header = None if column.isdigit() else [cell.strip() for cell in next(table, [])]
        if header is not None and column not in header:
            raise WrongCall(f"{name} has no column {column!r}; there are {', '.join(header)[: 4 * SHOWN]}")
        place = int(column) - 1 if header is None else header.index(column)
        if place < 0:
            raise WrongCall("columns are numbered from 1")
        for row in table:
            if row:
                yield table.line_num, row[place].strip() if place < len(row) else f"(only {len(row)} columns)"
    except csv.Error as error:
        raise WrongCall(f"{name}, line {table.line_num}: {error}") from error


def _values(text: str, column: str, name: str) -> Iterator[tuple[int, str]]:
    has_column = False
    for number, line in enumerate(io.StringIO(text), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        if not isinstance(row, dict):
            yield number, line.strip()
        elif column in row:
            has_column = True
            yield number, row[column].strip() if isinstance(row[column], str) else json.dumps(row[column])
    if not has_column:
        raise WrongCall(f"{name} has no key {column!r}")
