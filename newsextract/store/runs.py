"""Runs: which crawl, with what arguments, from when to when, how it ended."""

import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, datetime

from sqlalchemy import Connection, insert, update

from newsextract.store.columns import cleaned
from newsextract.store.schema import runs


def begin(connection: Connection, spider: str, arguments: Mapping[str, str]) -> int:
    """Notes a run that begins now; returns its number."""
    said = json.dumps(cleaned(dict(arguments)), sort_keys=True, ensure_ascii=False, default=str)
    identity = hashlib.sha256(f"{spider}\0{said}".encode("utf-8", "replace")).hexdigest()
    row = {"spider": spider, "arguments": said, "identity": identity, "started_at": datetime.now(UTC)}
    return int(connection.execute(insert(runs).values(row).returning(runs.c.id)).scalar_one())


def finish(connection: Connection, run: int, reason: str, stats: Mapping[str, object]) -> None:
    """Notes how a run ended."""
    said = json.dumps(cleaned(dict(stats)), sort_keys=True, ensure_ascii=False, default=str)
    ending = {"finished_at": datetime.now(UTC), "reason": reason, "stats": said}
    connection.execute(update(runs).where(runs.c.id == run).values(ending))
