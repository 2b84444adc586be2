"""The manifest beside an export: what a paper cites, so that others can tell which articles were used.

`FILE.manifest.json` has the program's version, the query, what extracted the articles, the change numbers that the file
covers, the number of its rows, and its checksum.
"""

import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from newsextract.files import atomic_write
from newsextract.store.histories import Cursor
from newsextract.version import VERSION


def manifest_path(output: Path) -> Path:
    return output.with_name(f"{output.name}.manifest.json")


def write_manifest(
    output: Path, query: Mapping[str, Any], makers: list[Any], since: int, cursor: Cursor, rows: int, *, append: bool
) -> None:
    """Writes the manifest; `since`, `cursor`, `rows`: of this export, added to those of the file if it is appended to.

    Raises StorageError.
    """
    before = _read(manifest_path(output)) if append else {}
    values = {
        "newsextract": VERSION,
        "query": dict(query),
        "made_by": (earlier := before.get("made_by", [])) + [maker for maker in makers if maker not in earlier],
        "since": before.get("since", since),
        "cursor": cursor.change,
        "history": cursor.history,
        "hashes": cursor.hashes,
        "rows": before.get("rows", 0) + rows,
        "written_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "sha256": _checksums(output),
    }
    with atomic_write(manifest_path(output)) as file:
        file.write(json.dumps(values, ensure_ascii=False, indent=1).encode() + b"\n")


def _read(path: Path) -> dict[str, Any]:
    try:
        values = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return values if isinstance(values, dict) and isinstance(values.get("rows"), int) else {}


def _checksums(output: Path) -> Any:
    """The SHA-256 of a file; of each file of a folder, by its path there."""
    if output.is_dir():
        files = sorted(path for path in output.rglob("*") if path.is_file())
        return {path.relative_to(output).as_posix(): _checksums(path) for path in files}
    with output.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
