"""Attempt log of a task: finds pages that kill their worker, so that they are skipped after three deaths.

A page can crash the parser or keep it busy for ever. The number of each page is logged before it is processed; if the
log ends with it, the process died over it. A watchdog, which needs neither the interpreter nor its lock, ends a process
that spends too long on one page.
"""

import faulthandler
import os
from collections import Counter
from itertools import pairwise
from pathlib import Path
from types import TracebackType

#: Seconds a page may take; the slowest real ones take two.
PAGE_TIMEOUT = 30.0
#: Deaths over one page until it is skipped: a single one may have any cause, and a slow page is often the current one.
MAX_DEATHS = 3
STARTED, FINISHED = "begun", "over"


class AttemptLog:
    """The log of one task. `suspects`: numbers of the pages to skip."""

    def __init__(self, path: Path, *, watch: bool) -> None:
        """`watch`: end the process over a page that takes too long; only for processes that are started again."""
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = path.read_text("ascii", "replace").split() if path.exists() else []
        deaths = Counter(line for line, following in pairwise([*lines, STARTED]) if following == STARTED)
        self.suspects = {int(line) for line, times in deaths.items() if line.isdigit() and times >= MAX_DEATHS}
        self._path, self._watch = path, watch
        self._file = path.open("ab", buffering=0)
        self._file.write(f"{STARTED}\n".encode())
        self._devnull = os.open(os.devnull, os.O_WRONLY)  # for the traceback that the watchdog writes

    def begin(self, number: int) -> None:
        """Logs that this page is processed next, and restarts the watchdog."""
        self._file.write(f"{number}\n".encode())
        if self._watch:
            faulthandler.dump_traceback_later(PAGE_TIMEOUT, exit=True, file=self._devnull)

    def __enter__(self) -> "AttemptLog":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """The task is finished, or failed with an error that no page is to blame for."""
        if self._watch:
            faulthandler.cancel_dump_traceback_later()
        self._file.write(f"{FINISHED}\n".encode())
        self._file.close()
        os.close(self._devnull)
