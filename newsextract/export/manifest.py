"""The manifest beside an export: what a paper cites, so that others can tell which articles were used.

`FILE.manifest.json` has the program's version, the query, what extracted the articles, the change numbers that the file
covers, the number of its rows, and its checksum. `newsextract export --verify` checks all of it.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from newsextract.errors import WrongCall
from newsextract.export.exporter import Part
from newsextract.export.query import ExportQuery
from newsextract.files import atomic_write
from newsextract.store.histories import Cursor
from newsextract.version import VERSION

#: What follows the name of an export in that of its manifest.
ENDING = ".manifest.json"


def manifest_path(output: Path) -> Path:
    return output.with_name(f"{output.name}{ENDING}")


def write_manifest(
    output: Path,
    database: str,
    query: ExportQuery,
    makers: list[Any],
    parts: Sequence[Part],
    cursor: Cursor,
    *,
    append: bool,
) -> None:
    """Writes the manifest. `parts`: what was exported now. `append`: the file or folder has earlier exports, too.

    Raises StorageError.
    """
    before = _read(manifest_path(output)) if append else {}
    earlier: list[dict[str, Any]] = before.get("exports", [])
    if output.is_dir():  # its files from after `since` were written again
        earlier = [part for part in earlier if part["since"] < parts[0].since]
    exports = [*earlier, *(asdict(part) for part in parts if part.rows or part is parts[0])]
    known = before.get("made_by", [])
    values = {
        "newsextract": VERSION,
        "query": {"database": database, **query.to_manifest()},
        "made_by": known + [maker for maker in makers if maker not in known],
        "since": min(part["since"] for part in exports),
        "cursor": cursor.change,
        "history": cursor.history,
        "hashes": cursor.hashes,
        "rows": sum(part["rows"] for part in exports),
        "exports": exports,
        "written_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "sha256": checksums(output),
    }
    with atomic_write(manifest_path(output)) as file:
        file.write(json.dumps(values, ensure_ascii=False, indent=1).encode() + b"\n")


def read_manifest(path: Path) -> dict[str, Any]:
    """The values of a manifest. Raises WrongCall if there is none."""
    if not (values := _read(path)):
        raise WrongCall(f"{path} isn't the manifest of an export, such as news.jsonl{ENDING}")
    return values


def _read(path: Path) -> dict[str, Any]:
    try:
        values = json.loads(path.read_bytes())
        if not isinstance(values["rows"], int) or not isinstance(values["query"], dict):
            return {}
        # one export, or several that earlier versions didn't tell apart
        whole = Part(values["since"], values["cursor"], values["rows"])
        parts = [Part(**part) for part in values.get("exports") or [asdict(whole)]]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return {}
    return {**values, "exports": [asdict(part) for part in parts]}


def checksums(output: Path) -> Any:
    """The SHA-256 of a file; of each file of a folder, by its path there."""
    if output.is_dir():
        files = sorted(path for path in output.rglob("*") if path.is_file())
        return {path.relative_to(output).as_posix(): checksums(path) for path in files}
    with output.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
