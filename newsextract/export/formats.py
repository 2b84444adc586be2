"""Formats that are one stream of bytes: lines of JSON, a table with commas, WET records."""

import csv
import io
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, BinaryIO
from uuid import NAMESPACE_URL, uuid5

from fastwarc.warc import WarcRecordType

from newsextract.discovery.warc_writer import write_record
from newsextract.export.export import FIELDS
from newsextract.store import ArticleRow
from newsextract.store.export import one_line


def values_of(row: ArticleRow, tokens: dict[str, Any], fields: Sequence[str]) -> dict[str, Any]:
    """What JSON has of a row, in the order of the fields."""
    values = {**row.article.to_dict(), "change": row.change, "change_kind": row.change_kind, **tokens}
    return {name: values[name] for name in fields}


class JsonLines:
    """An object a line."""

    by_day = False

    def __init__(self, stream: BinaryIO, fields: Sequence[str] = FIELDS) -> None:
        self._stream, self._fields = stream, fields

    def begin(self, since: int) -> None:
        """Nothing: every line stands for itself."""

    def write(self, row: ArticleRow, tokens: dict[str, Any]) -> None:
        """One line."""
        line = json.dumps(values_of(row, tokens, self._fields), ensure_ascii=False)
        self._stream.write(f"{one_line(line)}\n".encode())

    def end(self) -> None:
        """All is with the reader."""
        self._stream.flush()


class Csv(JsonLines):
    """A table with commas: lists and objects as JSON in their cells, what is not known as an empty one."""

    def __init__(self, stream: BinaryIO, fields: Sequence[str] = FIELDS) -> None:
        super().__init__(stream, fields)
        self._headed = False

    def begin(self, since: int) -> None:
        """The names of the columns, once."""
        if not self._headed:
            self._put(self._fields)
            self._headed = True

    def write(self, row: ArticleRow, tokens: dict[str, Any]) -> None:
        """One row; a line of text in a cell stays one, as CSV has it."""
        self._put([_cell(value) for value in values_of(row, tokens, self._fields).values()])

    def _put(self, cells: Sequence[object]) -> None:
        text = io.StringIO()
        csv.writer(text, lineterminator="\r\n").writerow(cells)
        self._stream.write(text.getvalue().encode())


def _cell(value: Any) -> Any:
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False) if value else ""
    return value


class Wet(JsonLines):
    """A WARC file of plain texts, as Common Crawl's WET files are: headline and body of an article are one record."""

    def __init__(self, stream: BinaryIO, compressed: bool = False) -> None:
        super().__init__(stream)
        self._compressed = compressed

    def write(self, row: ArticleRow, tokens: dict[str, Any]) -> None:
        """One record of the kind "conversion", in compressed files a gzip member of its own."""
        article = row.article
        when = (article.fetched_at or article.first_seen_at or datetime.now(UTC)).astimezone(UTC)
        headers = [
            ("WARC-Target-URI", _header(article.url)),
            ("WARC-Date", when.strftime("%Y-%m-%dT%H:%M:%SZ")),
            ("Content-Type", "text/plain"),
        ]
        if article.language:
            headers.append(("WARC-Identified-Content-Language", _header(article.language)))
        record_id = uuid5(NAMESPACE_URL, f"{row.change} {article.url}")
        content = "\n".join(filter(None, (article.headline, article.article_body))).encode()
        write_record(self._stream, WarcRecordType.conversion, record_id, headers, content, compressed=self._compressed)


def _header(value: str) -> str:
    """A value that can't end its header line."""
    return "".join(character for character in value if character.isprintable())
