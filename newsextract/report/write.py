"""A report into a file, whole or not at all."""

import os
from pathlib import Path

from newsextract.errors import StorageError


def write_report(text: str, path: Path) -> None:
    """The file holds the old content or all of the new; StorageError where it can't be written."""
    content = text.encode("utf-8", "replace")  # a file name may hold what is no character
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(content)  # a pipe or terminal can't be replaced, and of a folder this says so
        else:
            _replace(path.resolve(), content)
    except (OSError, ValueError) as error:
        raise StorageError(f"{path} can't be written: {getattr(error, 'strerror', None) or error}") from error


def _replace(path: Path, content: bytes) -> None:
    draft = path.with_name(f".report.{os.getpid()}")
    try:
        draft.write_bytes(content)
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise
