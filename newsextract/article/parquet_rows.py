"""Articles read from Parquet: the article of a row, and those of a file or a folder that `newsextract export` wrote."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from newsextract.article.last_rows import LastRows
from newsextract.errors import NewsextractError, StorageError
from newsextract.items import ARTICLE_FIELDS, DATETIME_FIELDS, Article
from newsextract.limits import ARTICLES_AT_A_TIME
from newsextract.reasons import GONE_KINDS

if TYPE_CHECKING:
    import pyarrow.parquet as pq

#: The end of the files' names.
SUFFIX = ".parquet"


def article_of_row(values: dict[str, Any]) -> Article:
    """The article of a row from pyarrow; other columns are ignored."""
    known: dict[str, Any] = {
        spec.name: values[spec.name] for spec in ARTICLE_FIELDS if values.get(spec.name) is not None
    }
    known["sources"] = dict(known.get("sources") or ())
    moments = {name: known[name].isoformat() for name in known.keys() & DATETIME_FIELDS}
    return Article.from_dict({**known, **moments})


def read_parquet(path: Path) -> Iterator[Article]:
    """The articles in a file, or in the files of a folder, each once, as it was exported last; without deleted ones.

    Reads them twice: which row of each article is its last, then those rows. Raises StorageError for other files.
    """
    last = LastRows()
    for number, values in enumerate(_rows(path, ("url", "canonical_url", "change", "change_kind"))):
        if not isinstance(values.get("url"), str):
            raise StorageError(f"{path} has no articles: it lacks the column url")
        last.add(values, (int(values.get("change") or 0), number))
    kept = last.numbers()
    for number, values in enumerate(_rows(path)):
        if number in kept and values.get("change_kind") not in GONE_KINDS:
            yield article_of_row(values)


def _rows(path: Path, columns: tuple[str, ...] = ()) -> Iterator[dict[str, Any]]:
    for file in sorted(path.rglob(f"*{SUFFIX}")) if path.is_dir() else [path]:
        with _opened(file) as opened:
            names = [name for name in opened.schema_arrow.names if name in columns] if columns else None
            for batch in opened.iter_batches(ARTICLES_AT_A_TIME, columns=names):
                yield from batch.to_pylist()


def _opened(file: Path) -> "pq.ParquetFile":
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise NewsextractError("Parquet needs pyarrow: pip install 'newsextract[corpus]'") from error
    try:
        return pq.ParquetFile(file)
    except (OSError, pa.ArrowException) as error:
        raise StorageError(f"{file} isn't a Parquet file") from error
