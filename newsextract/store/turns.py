"""Turns: the threads of this process that write one file, such as the crawls of a schedule, do so one after the other.

Between processes a file is locked by SQLite or filelock, which try again after pauses: of forty threads that did so,
some got no lock for half a minute. A turn is waited for as long as it takes, since its holder is at work.
"""

import threading
from pathlib import Path

_turns: dict[Path, threading.RLock] = {}


def turn_to_write(path: Path) -> threading.RLock:
    """The lock of this process for a file; taken before that between processes."""
    return _turns.setdefault(path.resolve(), threading.RLock())
