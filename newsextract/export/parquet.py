"""Articles as Parquet: one schema of typed columns, and files that are there whole or not at all."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from newsextract.errors import NewsextractError, StorageError
from newsextract.files import atomic_write
from newsextract.items import Article

try:
    import pyarrow as pa
    import pyarrow.parquet as pq
except ImportError as error:
    raise NewsextractError("Parquet needs pyarrow: pip install 'newsextract[corpus]'") from error

TEXT, MOMENT = pa.string(), pa.timestamp("us", "UTC")
TEXTS, IMAGE = pa.list_(TEXT), pa.struct([("url", TEXT), ("caption", TEXT), ("credit", TEXT)])
#: Columns that are no text; a field of `Article` that is not here is one.
TYPES = {
    "authors": TEXTS,
    "keywords": TEXTS,
    "date_published": MOMENT,
    "date_modified": MOMENT,
    "fetched_at": MOMENT,
    "first_seen_at": MOMENT,
    "main_image": IMAGE,
    "images": pa.list_(IMAGE),
    "is_accessible_for_free": pa.bool_(),
    "is_truncated": pa.bool_(),
    "is_article": pa.bool_(),
    "confidence": pa.float64(),
    "sources": pa.map_(TEXT, TEXT),
    "version": pa.int32(),
    "change": pa.int64(),
    "sentences": TEXTS,
    "words": pa.list_(TEXTS),
}


def schema(names: Iterable[str]) -> pa.Schema:
    """Columns of these names, in their order."""
    return pa.schema([(name, TYPES.get(name, TEXT)) for name in names])


def row(article: Article) -> dict[str, Any]:
    """An article's values as its columns take them."""
    values = {name: getattr(article, name) for name in Article.__dataclass_fields__}
    values["main_image"] = _image(article.main_image)
    values["images"] = [_image(image) for image in article.images]
    values["sources"] = list(article.sources.items())
    return values


def write_table(table: pa.Table, path: Path, *, row_group_size: int | None = None) -> None:
    """Writes the file; whoever looks finds the old one, the new one or none, also after a power cut."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(path) as file:
            pq.write_table(table, file, compression="zstd", row_group_size=row_group_size)
    except OSError as error:
        raise StorageError(f"{path} can't be written: {error.strerror or error}") from error


def _image(image: Any) -> dict[str, Any] | None:
    return None if image is None else {"url": image.url, "caption": image.caption, "credit": image.credit}
