"""Which page a worker was at when it died: one that was under way at three deaths is left out from then on.

A page can crash the parser or keep it busy for ever. The offset of each page is noted before it is begun, so that the
next attempt at the slice knows where the last one ended; a watch, which needs neither the interpreter nor its lock,
ends a process that is at one page for too long.
"""

import faulthandler
import os
from collections import Counter
from itertools import pairwise
from pathlib import Path
from types import TracebackType

#: Seconds a page may take; the slowest of real ones takes two.
PATIENCE = 30.0
#: Deaths over one page after which it is left out; one may be anybody's fault, and a slow page is often under way.
DEATHS = 3
BEGUN = "begun"


class Attempts:
    """The notes of one slice. `suspects`: offsets of pages that are to be left out."""

    def __init__(self, path: Path, *, watch: bool) -> None:
        """`watch`: end the process over a page that takes too long; for processes that somebody starts again."""
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = path.read_text("ascii", "replace").split() if path.exists() else []
        deaths = Counter(line for line, after in pairwise([*lines, BEGUN]) if after == BEGUN)
        self.suspects = {int(line) for line, times in deaths.items() if line.isdigit() and times >= DEATHS}
        self._path, self._watch = path, watch
        self._file = path.open("ab", buffering=0)
        self._file.write(f"{BEGUN}\n".encode())
        self._nowhere = os.open(os.devnull, os.O_WRONLY)  # where the watch writes what nobody reads

    def begin(self, offset: int) -> None:
        """A page is begun, and the one before it is over."""
        self._file.write(f"{offset}\n".encode())
        if self._watch:
            faulthandler.dump_traceback_later(PATIENCE, exit=True, file=self._nowhere)

    def __enter__(self) -> "Attempts":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """The slice is over, for good or with an error that no page is to blame for."""
        if self._watch:
            faulthandler.cancel_dump_traceback_later()
        self._file.write(b"over\n")
        self._file.close()
        os.close(self._nowhere)
