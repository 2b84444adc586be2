"""Atomic file writes, and whether a file is there."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4


@contextmanager
def atomic_write(path: Path) -> Iterator[BinaryIO]:
    """Opens a temporary file beside `path` for writing; it replaces `path` when the block ends without an exception.

    The content is synced to disk first; after an exception the temporary file is removed and `path` is unchanged.
    Raises OSError.
    """
    draft = path.with_name(f".{path.name}.{uuid4().hex}")
    try:
        with draft.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def file_exists(path: Path) -> bool:
    """Whether a file is there; False for a name that no file can have, too."""
    try:
        return path.is_file()
    except OSError:
        return False
