"""Checks an export against its manifest and the database: whether it is what was written, and what they gave then."""

import gzip
import hashlib
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from newsextract.errors import NewsextractError, WrongCall
from newsextract.export.exporter import Part
from newsextract.export.formats import open_sink
from newsextract.export.manifest import ENDING, checksums, read_manifest
from newsextract.export.query import ExportQuery
from newsextract.store import Store
from newsextract.store.histories import Cursor, read_cursor
from newsextract.text import counted, some_of
from newsextract.version import VERSION


def verify(manifest: Path, store: Store, topics_file: Path | None = None) -> list[str]:
    """A sentence for each difference between an export, its manifest, and what the database gives as of then.

    Raises WrongCall if there is no such manifest, or its query can't be run.
    """
    values = read_manifest(manifest)
    if not manifest.name.endswith(ENDING):
        raise WrongCall(f"{manifest} must be called as its export, with {ENDING} at the end")
    output = manifest.with_name(manifest.name.removesuffix(ENDING))
    if not output.exists():
        return [f"{output} doesn't exist; only its manifest does"]
    found = checksums(output)
    differences = _differing_files(str(output), values["sha256"], found, "the manifest")
    query, parts = ExportQuery.from_manifest(values["query"]), [Part(**part) for part in values["exports"]]
    if (last := store.cursor()) < parts[-1].change:
        return [*differences, f"{store.name} has only {last} changes, the export covers {parts[-1].change}"]
    differences += _other_changes(store, parts, values)
    notices: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        again = Path(folder, output.name)
        for number, part in enumerate(parts):
            _export_again(store, query, part, again, topics_file, notices, append=number > 0)
        if checksums(again) == found:
            return differences
        differences += _differing_content(output, again, store.name, found)
    versions = f"; it was written by newsextract {values['newsextract']}, this is {VERSION}"
    differences[-1] += versions if values["newsextract"] != VERSION else ""
    return [*differences, *dict.fromkeys(notices)]


def _export_again(
    store: Store,
    query: ExportQuery,
    part: Part,
    output: Path,
    topics_file: Path | None,
    notices: list[str],
    *,
    append: bool,
) -> None:
    append = append and output.is_file()
    with open_sink(query.form, output, query.fields, sys.stdout.buffer, append=append, raw=query.raw) as sink:
        exporter = query.exporter(store, sink, topics_file, on_notice=notices.append, as_of=part.change)
        exporter(Cursor(part.since))


def _other_changes(store: Store, parts: list[Part], manifest: dict[str, Any]) -> list[str]:
    """A sentence for each part whose last change isn't the one that the database has under its number."""
    differences = []
    for part in parts:
        is_last = part.change == manifest["cursor"]
        known = part.hash or (manifest.get("hashes", {}).get(str(part.change), "") if is_last else "")
        present = store.read(read_cursor, part.change).hashes.get(part.change, "")
        if known and present and known != present:
            differences.append(
                f"change {part.change} of {store.name} isn't the one that the export ended with: it is another "
                "database, or one that went on from a restored backup"
            )
    return differences


def _differing_files(name: str, expected: Any, found: Any, by: str) -> list[str]:
    """A sentence if the checksum of a file isn't the expected one, or those of a folder's files."""
    if not isinstance(expected, dict) or not isinstance(found, dict):
        if expected == found:
            return []
        return [f"{name} isn't the file that {by} describes: its SHA-256 is {found}, not {expected}"]
    kinds = {
        "is missing": sorted(expected.keys() - found.keys()),
        "isn't in it": sorted(found.keys() - expected.keys()),
        "differs": sorted(one for one in expected.keys() & found.keys() if expected[one] != found[one]),
    }
    sentences = []
    for what, files in kinds.items():
        if files:
            sentences.append(f"{name}: by {by}, {what}: {some_of(files)}")
    return sentences


def _differing_content(output: Path, again: Path, database: str, found: Any) -> list[str]:
    """A sentence on how a file or folder differs from what the database gives."""
    if output.is_dir():
        return _differing_files(str(output), checksums(again), found, f"what {database} gives") or [
            f"{output} isn't a folder that {database} gives"
        ]
    try:
        own, given = Counter(_lines(output)), Counter(_lines(again))
    except (OSError, EOFError) as error:
        raise NewsextractError(f"{output} can't be read: {error}") from error
    more, fewer = (own - given).total(), (given - own).total()
    if not more and not fewer:
        return [f"{output} has the rows that {database} gives as of then, in another order or compression"]
    example = _example(output, {*(own - given)}) or _example(again, {*(given - own)})
    return [
        f"{output} differs from what {database} gives as of then: {counted(more, 'line')} only in the file, "
        f"{counted(fewer, 'line')} only in the database{example}"
    ]


def _lines(path: Path) -> list[bytes]:
    return [hashlib.blake2b(line, digest_size=8).digest() for line in _open(path)]


def _open(path: Path) -> Any:
    return gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")


def _example(path: Path, wanted: set[bytes]) -> str:
    """The URL of the first of these lines that has one."""
    for line in _open(path):
        if hashlib.blake2b(line, digest_size=8).digest() in wanted and line.startswith(b"{"):
            try:
                return f", such as {json.loads(line)['url']}"
            except (ValueError, KeyError):
                continue
    return ""
