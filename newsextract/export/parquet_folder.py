"""Parquet in folders by day of publication, as pandas, polars, DuckDB and Spark read them: `day=2026-03-05/*.parquet`.

A part is there whole or not at all. Its name begins with the cursor that its export went on from; an export from N
first removes parts of exports from N and later, because it brings all that is in them: so one that was killed and is
done again doubles nothing, and one that goes on adds to what is there.
"""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa

from newsextract.errors import StorageError
from newsextract.export.export import FIELDS
from newsextract.export.parquet import row as columns_of
from newsextract.export.parquet import schema, write_table
from newsextract.store import ArticleRow

#: Articles of a part: what is held in memory.
PART = 2000
NAME = re.compile(r"changes-(\d+)-\d+\.parquet")


class ParquetFolder:
    """The days' folders below `folder`."""

    by_day = True

    def __init__(self, folder: Path, fields: Sequence[str] = FIELDS) -> None:
        self._folder, self._schema, self._fields = folder, schema(fields), fields
        self._rows: list[dict[str, Any]] = []
        self._day, self._since, self._parts = "", 0, 0

    def begin(self, since: int) -> None:
        """Removes what this export brings again."""
        self._since, self._parts = since, 0
        try:
            for part in self._folder.glob("day=*/changes-*.parquet"):
                found = NAME.fullmatch(part.name)
                if found and int(found.group(1)) >= since:
                    part.unlink()
        except OSError as error:
            raise StorageError(f"{self._folder} can't be written: {error.strerror or error}") from error

    def write(self, row: ArticleRow, tokens: dict[str, Any]) -> None:
        """Puts the article to those of its day."""
        day = _day(row)
        if self._rows and (day != self._day or len(self._rows) >= PART):
            self.end()
        self._day = day
        values = {**columns_of(row.article), "change": row.change, "change_kind": row.change_kind, **tokens}
        self._rows.append({name: values[name] for name in self._fields})

    def end(self) -> None:
        """Writes the part that is not written yet."""
        if not self._rows:
            return
        path = self._folder / f"day={self._day}" / f"changes-{self._since}-{self._parts:06d}.parquet"
        write_table(pa.Table.from_pylist(self._rows, self._schema), path)
        self._rows, self._parts = [], self._parts + 1


def _day(row: ArticleRow) -> str:
    when: datetime | None = row.article.date_published or row.article.first_seen_at
    return when.astimezone(UTC).date().isoformat() if when else "unknown"
