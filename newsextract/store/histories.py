"""Histories of a database: whether a cursor that was written earlier still belongs to it.

A change number says little by itself: after a backup is restored, or in a copy that goes on by itself, the same numbers
stand for other changes. So each database has the id of its history, which a copy and a merge renew, and knows up to
which change it shares the histories that it came from. A backup that is restored as a file keeps its id; therefore a
`Cursor` also has the hashes of its last change and of some before it, by which the last common change is found.
"""

import hashlib
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlalchemy import Connection, func, insert, select, update

from newsextract.errors import WrongCall
from newsextract.store.changes import last_change
from newsextract.store.engine import rows_in
from newsextract.store.schema import article_versions, changes, histories, in_utc, united_changes

#: `histories.last` of a database that was merged into this one: its changes have other numbers here.
OF_MERGED = -1
#: Hexadecimal digits of a hash and of a history's id.
HASH_DIGITS = 16


@dataclass(frozen=True, slots=True)
class Cursor:
    """A reader's place: it has all changes up to `change` of the history with the id `history`.

    `hashes`: those of changes up to it, by number. A number alone, as earlier versions wrote it, has neither.
    """

    change: int = 0
    history: str = ""
    hashes: Mapping[int, str] = field(default_factory=dict)

    @classmethod
    def from_text(cls, text: str) -> "Cursor":
        """The inverse of `to_text`; also of a number alone. Raises ValueError for anything else."""
        number, _, rest = text.strip().partition("\n")
        if not (number.isascii() and number.strip().isdigit()):
            raise ValueError(f"{text[:40]!r} doesn't begin with a number")
        values = json.loads(rest) if rest.strip() else {}
        if not isinstance(values, dict) or not isinstance(hashes := values.get("hashes", {}), dict):
            raise ValueError(f"{rest[:40]!r} isn't that of a cursor")
        return cls(
            int(number), str(values.get("history", "")), {int(one): str(digest) for one, digest in hashes.items()}
        )

    def to_text(self) -> str:
        """The number on a line of its own, then history and hashes as JSON."""
        return f"{self.change}\n{json.dumps({'history': self.history, 'hashes': self.hashes})}\n"


@dataclass(frozen=True, slots=True)
class Start:
    """Where a reader goes on: after `change`; `notice`: a sentence if that is before its cursor."""

    change: int
    notice: str = ""


def read_cursor(connection: Connection, change: int | None = None) -> Cursor:
    """The cursor of a reader who has all changes up to this one; by default, up to the last."""
    last = last_change(connection) if change is None else change
    return Cursor(last, history_id(connection), _hashes(connection, _checkpoints(last)))


def history_id(connection: Connection) -> str:
    """The id of the present history."""
    return str(connection.execute(select(histories.c.id).where(histories.c.last.is_(None))).scalar_one())


def begin_history(connection: Connection) -> None:
    """Gives the database a new id; cursors of the one before stay valid up to the last change."""
    ended = update(histories).where(histories.c.last.is_(None)).values(last=last_change(connection))
    connection.execute(ended)
    connection.execute(insert(histories).values(id=secrets.token_hex(HASH_DIGITS // 2)))


def find_start(connection: Connection, cursor: Cursor, name: str) -> Start:
    """The change after which a reader with this cursor goes on, so that it misses nothing.

    That is the cursor's own, or the last one that both have, if the database went on from an earlier state. Raises
    WrongCall if they have none in common: the cursor belongs to another database. `name`: of the database.
    """
    last = last_change(connection)
    if not cursor.hashes:
        if not cursor.change or cursor.change <= _shared(connection, cursor, last):
            return Start(cursor.change)
        raise WrongCall(
            f"the cursor {cursor.change} belongs to another database: the last change of {name} is {last}; use 0 to "
            "start over"
        )
    present = _hashes(connection, [*cursor.hashes])
    common = max((number for number, digest in present.items() if cursor.hashes[number] == digest), default=0)
    differs = any(number > common for number in present)
    if common == cursor.change or (not differs and cursor.change <= _shared(connection, cursor, last)):
        return Start(cursor.change)
    if common or _shared(connection, cursor, last) >= 0:
        return Start(
            common,
            f"{name} is not as it was when the cursor {cursor.change} was written (a restored backup, or a copy): the "
            f"last change that both have is {common}, and everything after it is exported again",
        )
    of_merged = select(histories.c.id).where(histories.c.id == cursor.history, histories.c.last == OF_MERGED)
    if connection.execute(of_merged).first():
        raise WrongCall(
            f"the cursor {cursor.change} belongs to a database that was merged into {name}, where its changes have "
            "other numbers; use 0 to start over, in a new file"
        )
    raise WrongCall(
        f"the cursor {cursor.change} belongs to another database than {name}, whose changes are others; use 0 to start "
        "over, in a new file"
    )


def change_of(connection: Connection, text: str) -> int | None:
    """The change of a cursor as text (`Cursor.to_text`), if the database still has all changes up to it; else None."""
    try:
        cursor = Cursor.from_text(text)
        return cursor.change if find_start(connection, cursor, "the database").change == cursor.change else None
    except (ValueError, WrongCall):
        return None


def _shared(connection: Connection, cursor: Cursor, last: int) -> int:
    """Up to which change the cursor's history is that of this database; -1 if it isn't at all, or was merged."""
    if not cursor.history:
        return -1 if cursor.hashes else last
    query = select(histories.c.last).where(histories.c.id == cursor.history)
    row = connection.execute(query).first()
    return -1 if row is None else last if row.last is None else min(row.last, last)


def _checkpoints(last: int) -> list[int]:
    """The last change and those 1, 2, 4, 8 … before it, and the first."""
    return sorted({last, 1, *(last - 2**power for power in range(last.bit_length()))} - {0} if last else ())


def _hashes(connection: Connection, numbers: list[int]) -> dict[int, str]:
    """The hashes of these changes, by number, without those that aren't there (any more)."""
    # a merge may give a version another number, so the text stands for it
    is_own = (article_versions.c.article == changes.c.article) & (article_versions.c.version == changes.c.version)
    first = select(united_changes.c.kind).where(united_changes.c.change == changes.c.change)
    kind = func.coalesce(first.order_by(united_changes.c.until).limit(1).scalar_subquery(), changes.c.kind)
    query = select(changes.c.change, kind, changes.c.at, article_versions.c.content_hash)
    rows = rows_in(connection, query.join(article_versions, is_own), changes.c.change, numbers)
    return {number: _digest(number, kind, in_utc(at).isoformat(), text) for number, kind, at, text in sorted(rows)}


def _digest(*values: object) -> str:
    return hashlib.sha256(json.dumps(values).encode()).hexdigest()[:HASH_DIGITS]
