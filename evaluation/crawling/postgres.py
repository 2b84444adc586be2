"""Load of a private PostgreSQL server: CPU time, transactions, rows, locks held and waited for."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from uuid import uuid4

import psycopg

#: Seconds between two samples of pg_locks.
SAMPLE_INTERVAL = 0.2
TICKS = os.sysconf("SC_CLK_TCK")
COUNTED = "xact_commit, tup_inserted + tup_updated + tup_deleted, deadlocks"
LOCKS = """SELECT count(*) FILTER (WHERE granted), count(*) FILTER (WHERE NOT granted) FROM pg_locks
           WHERE pid <> pg_backend_pid() AND locktype <> 'virtualxid'"""


@dataclass
class Load:
    """Load between two times; `held` and `waiting`: number of locks in each sample."""

    transactions: int = 0
    rows: int = 0
    deadlocks: int = 0
    cpu: float = 0.0
    held: list[int] = field(default_factory=list)
    waiting: list[int] = field(default_factory=list)

    @property
    def locks_held(self) -> float:
        """Mean number of locks that are held."""
        return fmean(self.held or [0])

    @property
    def locks_waited_for(self) -> float:
        """Mean number of locks that are waited for."""
        return fmean(self.waiting or [0])


@contextmanager
def database(server: str) -> Iterator[str]:
    """URL of an empty database of that server, dropped at the end of the block."""
    name = f"bench_{uuid4().hex}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        yield server.replace("/postgres?", f"/{name}?")
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@contextmanager
def measured_load(url: str, folder: Path) -> Iterator[Load]:
    """Measures the load during the block; complete when it ends. `folder`: the data directory of the server."""
    load, ended = Load(), threading.Event()

    def sample_locks() -> None:
        with psycopg.connect(url, autocommit=True) as connection:
            while not ended.wait(SAMPLE_INTERVAL):
                held, waiting = connection.execute(LOCKS).fetchone() or (0, 0)
                load.held.append(held)
                load.waiting.append(waiting)

    thread = threading.Thread(target=sample_locks, daemon=True)
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
    """CPU seconds of the server and all its processes, including those that have ended."""
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
