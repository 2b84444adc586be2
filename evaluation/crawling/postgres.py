"""What a private PostgreSQL does while it is used: CPU, transactions, rows, locks held and waited for."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from uuid import uuid4

import psycopg

#: Seconds between two looks at the locks.
LOOK = 0.2
TICKS = os.sysconf("SC_CLK_TCK")
COUNTED = "xact_commit, tup_inserted + tup_updated + tup_deleted, deadlocks"
LOCKS = """SELECT count(*) FILTER (WHERE granted), count(*) FILTER (WHERE NOT granted) FROM pg_locks
           WHERE pid <> pg_backend_pid() AND locktype <> 'virtualxid'"""


@dataclass
class Load:
    """What happened on the server between two moments; `held` and `waiting`: locks at each look."""

    transactions: int = 0
    rows: int = 0
    deadlocks: int = 0
    cpu: float = 0.0
    held: list[int] = field(default_factory=list)
    waiting: list[int] = field(default_factory=list)

    @property
    def locks_held(self) -> float:
        """Locks at a moment, on average."""
        return fmean(self.held or [0])

    @property
    def locks_waited_for(self) -> float:
        """Locks that somebody waits for at a moment, on average."""
        return fmean(self.waiting or [0])


@contextmanager
def database(server: str) -> Iterator[str]:
    """The URL of an empty database of that server, dropped afterwards."""
    name = f"bench_{uuid4().hex}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        yield server.replace("/postgres?", f"/{name}?")
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@contextmanager
def watched(url: str, folder: Path) -> Iterator[Load]:
    """Fills in the load when the block ends. `folder`: where the server keeps its files."""
    load, ended = Load(), threading.Event()

    def look() -> None:
        with psycopg.connect(url, autocommit=True) as connection:
            while not ended.wait(LOOK):
                held, waiting = connection.execute(LOCKS).fetchone() or (0, 0)
                load.held.append(held)
                load.waiting.append(waiting)

    thread = threading.Thread(target=look, daemon=True)
    before, cpu = _counted(url), server_cpu(folder)
    thread.start()
    try:
        yield load
    finally:
        load.cpu = server_cpu(folder) - cpu
        ended.set()
        thread.join()
        after = _counted(url)
        load.transactions, load.rows, load.deadlocks = (b - a for a, b in zip(before, after, strict=True))


def _counted(url: str) -> tuple[int, ...]:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SELECT pg_stat_force_next_flush()")
        query = f"SELECT {COUNTED} FROM pg_stat_database WHERE datname = current_database()"
        return tuple(map(int, connection.execute(query).fetchone() or ()))


def server_cpu(folder: Path) -> float:
    """CPU seconds of the server and all its processes, also of those that have ended."""
    main = int((folder / "postmaster.pid").read_text().split()[0])
    spent = 0.0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = stat.read_text().rpartition(")")
        except OSError:
            continue
        fields = rest.split()
        pid = int(name.split(" ", 1)[0])
        if pid == main:
            spent += sum(map(int, fields[11:15]))
        elif int(fields[1]) == main:
            spent += sum(map(int, fields[11:13]))
    return spent / TICKS
