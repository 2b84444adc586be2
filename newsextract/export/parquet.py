"""Articles as Parquet: the schema, atomically written files, and an export into one folder per publication day.

pandas, polars, DuckDB and Spark read the folders as a table partitioned by day: `day=2026-03-05/*.parquet`.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from newsextract.article.schema import MEANINGS
from newsextract.days import day_of_article
from newsextract.errors import NewsextractError, WrongCall
from newsextract.export.exporter import Sink
from newsextract.files import atomic_write, storing
from newsextract.items import ARTICLE_FIELDS, DATETIME_FIELDS, SCHEMA_VERSION, Article, Image
from newsextract.store import ArticleRow

try:
    import pyarrow as pa
    import pyarrow.parquet as pq
except ImportError as error:
    raise NewsextractError("Parquet needs pyarrow: pip install 'newsextract[corpus]'") from error

TEXT = pa.string()
MOMENT = pa.timestamp("us", "UTC")
TEXTS = pa.list_(TEXT)
IMAGE = pa.struct([("url", TEXT), ("caption", TEXT), ("credit", TEXT)])
#: The column type for the type of a field of `Article`.
ARROW_TYPES: dict[object, pa.DataType] = {
    str: TEXT,
    int: pa.int32(),
    float: pa.float64(),
    bool: pa.bool_(),
    datetime: MOMENT,
    Image: IMAGE,
    list[str]: TEXTS,
    list[Image]: pa.list_(IMAGE),
    dict[str, str]: pa.map_(TEXT, TEXT),
}
#: The type of each column that isn't text; the last ones aren't fields of `Article`.
TYPES = {
    **{spec.name: ARROW_TYPES[spec.type] for spec in ARTICLE_FIELDS},
    "change": pa.int64(),
    "topics": TEXTS,
    "story": pa.int64(),
    "story_first": pa.bool_(),
    "story_rank": pa.int32(),
    "sentences": TEXTS,
    "words": pa.list_(TEXTS),
}


def schema(names: Iterable[str]) -> pa.Schema:
    """The schema with these columns, in this order, each with its `description`."""
    columns = [pa.field(key, TYPES.get(key, TEXT), metadata={"description": MEANINGS.get(key, "")}) for key in names]
    return pa.schema(columns, metadata={"newsextract.schema": str(SCHEMA_VERSION)})


def row(article: Article) -> dict[str, Any]:
    """An article's values for pyarrow and these columns."""
    return {**article.to_dict(), **{name: getattr(article, name) for name in DATETIME_FIELDS}}


def write_row_groups(groups: Iterable[pa.Table], schema: pa.Schema, path: Path) -> None:
    """Writes a file of these row groups atomically, with its folder. Raises StorageError."""
    with storing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as file, pq.ParquetWriter(file, schema, compression="zstd", use_dictionary=False) as writer:
        for group in groups:
            writer.write_table(group)


#: Rows of one file or row group of the export; limits the memory.
ROWS_PER_FILE = 2000
FILE_NAME = re.compile(r"changes-(\d+)-\d+\.parquet")


class ParquetRows(Sink):
    def __init__(self, fields: Sequence[str], write: Callable[[pa.Table], object]) -> None:
        self._schema, self._fields, self._write_part = schema(fields), fields, write
        self._rows: list[dict[str, Any]] = []

    def write(self, exported: ArticleRow, tokens: dict[str, Any]) -> None:
        """Adds the article to the part, and writes the part if it is large enough."""
        if len(self._rows) >= ROWS_PER_FILE:
            self.end()
        values = {**row(exported.article), "change": exported.change, "change_kind": exported.change_kind, **tokens}
        self._rows.append({name: values[name] for name in self._fields})

    def end(self) -> None:
        if self._rows:
            self._write_part(pa.Table.from_pylist(self._rows, self._schema))
            self._rows = []


@contextmanager
def open_parquet_file(path: Path, fields: Sequence[str], *, append: bool = False) -> Iterator[Sink]:
    """A sink for one file; `append`: after the rows that it has. Raises WrongCall if it has other columns."""
    columns = schema(fields)
    with (
        atomic_write(path) as file,
        pq.ParquetWriter(file, columns, compression="zstd", use_dictionary=False) as writer,
    ):
        if append:
            try:
                before = pq.ParquetFile(path)
            except (OSError, pa.ArrowException) as error:
                raise WrongCall(f"{path} isn't a Parquet file: name another one, or --replace it") from error
            if not before.schema_arrow.equals(columns):
                raise WrongCall(f"{path} has other columns than this export: name another file, or --replace it")
            for batch in before.iter_batches(ROWS_PER_FILE):
                writer.write_batch(batch)
        yield ParquetRows(fields, writer.write_table)


class ParquetFolder(ParquetRows):
    """The export into one folder per publication day (`days`).

    Each file's name begins with the cursor from which its export started. An export from N first removes the files of
    exports from N and later, because it writes all their articles again. So a repeated export after a kill writes
    nothing twice, and an export from the last cursor adds to the existing files.
    """

    by_time = True

    def __init__(self, folder: Path, fields: Sequence[str]) -> None:
        super().__init__(fields, self._write_file)
        self._folder = folder
        self._day, self._since, self._files = "", 0, 0

    def rewrites_from(self, since: int) -> int:
        """The beginning of the export that wrote the articles after `since`: its files are written again."""
        return max((number for _, number in self._files_with_starts() if number <= since), default=0)

    def begin(self, since: int) -> None:
        """Removes the files whose articles this export writes again."""
        self._since, self._files = since, 0
        with storing(self._folder):
            for file, number in self._files_with_starts():
                if number >= since:
                    file.unlink()

    def _files_with_starts(self) -> list[tuple[Path, int]]:
        """The files, each with the cursor from which its export started."""
        files = [(file, FILE_NAME.fullmatch(file.name)) for file in self._folder.glob("day=*/changes-*.parquet")]
        return [(file, int(name.group(1))) for file, name in files if name]

    def write(self, exported: ArticleRow, tokens: dict[str, Any]) -> None:
        article = exported.article
        day = f"{day_of_article(article.date_published, article.first_seen_at) or 'unknown'}"
        if day != self._day:
            self.end()
        self._day = day
        super().write(exported, tokens)

    def _write_file(self, rows: pa.Table) -> None:
        path = self._folder / f"day={self._day}" / f"changes-{self._since}-{self._files:06d}.parquet"
        write_row_groups([rows], self._schema, path)
        self._files += 1
