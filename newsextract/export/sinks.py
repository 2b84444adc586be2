"""Formats by name, and where they are written: a file that is there whole or not at all, a folder, or a stream."""

import gzip
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from newsextract.errors import StorageError
from newsextract.export.export import Sink
from newsextract.export.formats import Csv, JsonLines, Wet
from newsextract.files import atomic_write

#: Formats that are one stream of bytes, and those that are a folder.
STREAMS = ("jsonl", "csv", "warc-wet")
FOLDERS = ("parquet", "bow")


@contextmanager
def open_sink(form: str, to: Path | None, fields: Sequence[str], otherwise: BinaryIO) -> Iterator[Sink]:
    """A sink of that format: at `to`, for streams `otherwise` where it is None. A name with .gz is packed."""
    if form in FOLDERS:
        assert to is not None
        yield _folder(form, to, fields)
    elif to is None:
        yield _stream(form, otherwise, fields, False)
    else:
        packed = to.suffix == ".gz"
        with _file(to, packed and form != "warc-wet") as stream:  # WET packs its records itself
            yield _stream(form, stream, fields, packed)


def _folder(form: str, to: Path, fields: Sequence[str]) -> Sink:
    if form == "bow":
        from newsextract.export.bag_of_words import BagOfWords

        return BagOfWords(to)
    from newsextract.export.parquet_folder import ParquetFolder

    return ParquetFolder(to, fields)


def _stream(form: str, stream: BinaryIO, fields: Sequence[str], packed: bool) -> Sink:
    if form == "warc-wet":
        return Wet(stream, packed)
    return Csv(stream, fields) if form == "csv" else JsonLines(stream, fields)


@contextmanager
def _file(path: Path, packed: bool) -> Iterator[BinaryIO]:
    """The file itself, or what packs into it."""
    try:
        with atomic_write(path) as file:
            if packed:
                with gzip.GzipFile("", "wb", 6, file, 0) as stream:
                    yield cast(BinaryIO, stream)
            else:
                yield file
    except OSError as error:
        raise StorageError(f"{path} can't be written: {error.strerror or error}") from error
