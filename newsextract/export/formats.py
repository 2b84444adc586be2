"""Export formats by name. JSON lines, CSV and WET are streams and are written here; Parquet and bow are folders."""

import csv
import gzip
import io
import json
import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, cast
from uuid import NAMESPACE_URL, uuid5

from fastwarc.warc import WarcRecordType

from newsextract.errors import WrongCall
from newsextract.export.exporter import FIELDS, Sink
from newsextract.files import atomic_write
from newsextract.store import ArticleRow
from newsextract.store.lookup import one_line
from newsextract.warc.writer import write_record


@contextmanager
def open_sink(
    form: str, path: Path | None, fields: Sequence[str], default: BinaryIO, *, append: bool = False, raw: bool = False
) -> Iterator[Sink]:
    """A sink for the format `form` at `path`; a stream format without a path goes to `default`.

    A file appears under its name only when it is complete; one that ends in .gz is compressed. `append`: after the rows
    that the file has. `raw`: CSV cells that spreadsheets take for formulas stay as they are. Raises StorageError, or
    WrongCall if the file to append to has other columns.
    """
    if form == "bow":
        assert path is not None
        from newsextract.export.bag_of_words import BagOfWords  # needs numpy and scipy

        yield BagOfWords(path)
        return
    if form == "parquet":
        assert path is not None
        from newsextract.export.parquet import ParquetFolder, open_parquet_file

        if format_of(path) != "parquet" or path.is_dir():
            yield ParquetFolder(path, fields)
            return
        with open_parquet_file(path, fields, append=append) as sink:
            yield sink
        return
    compressed = path is not None and path.suffix == ".gz"
    kind = STREAMS[form]
    with ExitStack() as files:
        stream = files.enter_context(atomic_write(path)) if path is not None else default
        if append and path is not None:
            if kind.has_header:
                _check_header(path, fields, compressed=compressed)
            with path.open("rb") as before:
                shutil.copyfileobj(before, stream)
        if compressed and not kind.compresses:
            stream = cast(BinaryIO, files.enter_context(gzip.GzipFile("", "wb", 6, stream, 0)))
        yield kind(stream, fields, append=append, raw=raw, compressed=compressed)


def _check_header(path: Path, fields: Sequence[str], *, compressed: bool) -> None:
    """Raises WrongCall if a CSV file doesn't begin with these columns."""
    try:
        with gzip.open(path, "rt", newline="") if compressed else path.open(newline="") as file:
            columns = next(csv.reader(file), [])
    except (OSError, EOFError, UnicodeDecodeError, csv.Error):
        columns = []
    if columns != [*fields]:
        raise WrongCall(f"{path} has other columns than this export: name another file, or --replace it")


#: How a cell begins that is a formula for a spreadsheet; full-width signs, too.
FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


@dataclass(eq=False)
class JsonLines(Sink):
    """One JSON object per line. The other formats of one file derive from it.

    `append`: after the rows that the file has. `raw`: see `open_sink`. `compressed`: whether the file is.
    """

    #: The end of its files' names; whether they begin with the fields' names; whether it compresses its output itself.
    suffix, has_header, compresses = ".jsonl", False, False

    stream: BinaryIO
    fields: Sequence[str] = FIELDS
    append: bool = False
    raw: bool = False
    compressed: bool = False

    def write(self, row: ArticleRow, tokens: dict[str, Any]) -> None:
        line = json.dumps(self.select_fields(row, tokens), ensure_ascii=False)
        self.stream.write(f"{one_line(line)}\n".encode())

    def select_fields(self, row: ArticleRow, tokens: dict[str, Any]) -> dict[str, Any]:
        """The values of the fields as JSON values, in their order."""
        values = row.to_dict() | tokens
        return {name: values[name] for name in self.fields}

    def end(self) -> None:
        """Flushes, so that a reader of a pipe has every line."""
        self.stream.flush()


class Csv(JsonLines):
    """CSV (RFC 4180): lists and objects are JSON in their cells, unknown values are empty cells."""

    suffix, has_header = ".csv", True

    def begin(self, since: int) -> None:
        if not self.append:
            self._write_row(self.fields)
            self.append = True

    def write(self, row: ArticleRow, tokens: dict[str, Any]) -> None:
        """Writes one row; line breaks in a text stay inside their quoted cell."""
        cells = (_cell(value) for value in self.select_fields(row, tokens).values())
        self._write_row([*cells] if self.raw else [without_formula(cell) for cell in cells])

    def _write_row(self, cells: Sequence[object]) -> None:
        text = io.StringIO()
        csv.writer(text, lineterminator="\r\n").writerow(cells)
        self.stream.write(text.getvalue().encode())


class Wet(JsonLines):
    """WARC file of plain texts like Common Crawl's WET files: one "conversion" record with headline and body each."""

    suffix, compresses, has_removed = ".wet", True, False

    def write(self, row: ArticleRow, tokens: dict[str, Any]) -> None:
        """Writes one record; in a compressed file each is a separate gzip member, as WARC readers expect."""
        article = row.article
        written_at = (article.fetched_at or article.first_seen_at or datetime.now(UTC)).astimezone(UTC)
        headers = [
            ("WARC-Target-URI", _header_value(article.url)),
            ("WARC-Date", written_at.strftime("%Y-%m-%dT%H:%M:%SZ")),
            ("Content-Type", "text/plain"),
        ]
        if article.language:
            headers.append(("WARC-Identified-Content-Language", _header_value(article.language)))
        record_id = uuid5(NAMESPACE_URL, f"{row.change} {article.url}")
        content = "\n".join(filter(None, (article.headline, article.article_body))).encode()
        write_record(self.stream, WarcRecordType.conversion, record_id, headers, content, compressed=self.compressed)


#: The formats that are one file, and all formats.
STREAMS: dict[str, type[JsonLines]] = {"jsonl": JsonLines, "csv": Csv, "warc-wet": Wet}
FORMATS = (*STREAMS, "parquet", "bow")


def format_of(path: Path | None) -> str:
    """The format that a file's name says; JSON lines for any other."""
    name = "" if path is None else path.name.lower().removesuffix(".gz")
    suffixes = {kind.suffix: form for form, kind in STREAMS.items()} | {".parquet": "parquet"}
    return suffixes.get(Path(name).suffix, "jsonl")


def without_formula(cell: Any) -> Any:
    """A CSV cell, with an apostrophe before a text that a spreadsheet would run as a formula (OWASP, CSV injection)."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULAS) else cell


def _cell(value: Any) -> Any:
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False) if value else ""
    return value


def _header_value(value: str) -> str:
    """The value without control characters, which could end its header line."""
    return "".join(character for character in value if character.isprintable())
