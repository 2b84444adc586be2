"""Atomic file writes, tables of records, TOML files, the package's own data, and whether a file exists."""

import csv
import json
import os
import re
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib import resources
from io import TextIOWrapper
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO
from uuid import uuid4

from newsextract.errors import StorageError, WrongSetting

#: What a user may call a site or a topic.
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
#: Maximum bytes of a user's TOML file.
MAX_TOML = 8_000_000
#: Words in a row that dots join, as in a key, and how many: tomllib takes quadratic time for the parts of a key.
DOTTED = re.compile(r"""(?<![\w"'-])[\w"'-]++(?:[ \t]*+\.[ \t]*+[\w"'-]++)++""")
MAX_DOTTED = 200
#: How SQLite's files begin: no output replaces one.
SQLITE = b"SQLite format 3"


@contextmanager
def atomic_write(path: Path) -> Iterator[BinaryIO]:
    """Opens a temporary file beside `path`, which replaces `path` if the block ends without an exception.

    The content is synced to disk first. After an exception, the temporary file is removed and `path` is unchanged.
    Raises StorageError, also for an OSError in the block.
    """
    draft = path.parent / f".{path.name}.{uuid4().hex}"
    with storing(path):
        if path.is_file():
            with path.open("rb") as present:
                if present.read(len(SQLITE)) == SQLITE:
                    raise StorageError(f"{path} is a database: name another file")
        try:
            with draft.open("wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)


@contextmanager
def storing(path: Path) -> Iterator[None]:
    """Turns an OSError while writing `path` into a StorageError."""
    try:
        yield
    except OSError as error:
        raise StorageError(f"{path} can't be written: {error.strerror or error}") from error


def read_toml(path: Path) -> dict[str, Any]:
    """The values of a TOML file. Raises WrongSetting, in one sentence."""
    try:
        content = path.read_bytes()
        if len(content) > MAX_TOML:
            raise WrongSetting(f"{path}: is larger than {MAX_TOML} bytes")
        text = content.decode("utf-8-sig")
        if any(words[0].count(".") > MAX_DOTTED for words in DOTTED.finditer(text)):
            raise WrongSetting(f"{path}: has more than {MAX_DOTTED} words in a row that are joined by dots")
        return tomllib.loads(text)
    except OSError as error:
        raise WrongSetting(f"{path}: can't be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise WrongSetting(f"{path}: is not UTF-8") from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise WrongSetting(f"{path}: isn't valid TOML: {error}") from error


def package_data(package: str, name: str) -> dict[str, Any]:
    """The values of a file of the package, TOML or JSON."""
    text = resources.files(package).joinpath(name).read_text(encoding="utf-8")
    values: dict[str, Any] = tomllib.loads(text) if name.endswith(".toml") else json.loads(text)
    return values


def file_exists(path: Path) -> bool:
    """Whether a file exists; False for impossible names, too."""
    try:
        return path.is_file()
    except OSError:
        return False


def write_records(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    """Writes rows as JSON lines, or as CSV if the file's name ends so. Raises StorageError."""
    with atomic_write(path) as file:
        text = TextIOWrapper(file, "utf-8", "replace", newline="")
        if path.suffix == ".csv":
            rows = iter(rows)
            first = [*islice(rows, 1)]
            table = csv.DictWriter(text, first[0] if first else ["url"])
            table.writeheader()
            table.writerows(chain(first, rows))
        else:
            text.writelines(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
        text.detach()
