"""The output folder of a run: the paths of its results, and what the run was started with.

articles/day=2026-03-05/SLICE.parquet   the result: the articles of a slice by day of fetching, sorted by site
done/SLICE.json                         the statistics of a finished slice, written last
work/survey, peers, profiles, attempts   intermediate results of the earlier steps, and the attempt logs
run.json, summary.json                  the arguments of the run, and its statistics

An attempt log finds pages that kill their worker, so that they are skipped after three deaths. A page can crash the
parser or keep it busy for ever. The number of each page is logged before it is processed; if the log ends with it, the
process died over it. A watchdog, which needs neither the interpreter nor its lock, ends a process that spends too long
on one page.
"""

import faulthandler
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import TracebackType
from typing import Any
from zlib import crc32

from filelock import FileLock, Timeout

from newsextract.cluster.sources import WarcSlice
from newsextract.errors import StorageError, WrongCall
from newsextract.files import atomic_write

#: Sites are distributed over at most this many buckets: so many tasks can choose references at a time.
MAX_BUCKETS = 64


def bucket_count(slices: int) -> int:
    """The number of buckets for so many slices."""
    return max(1, min(MAX_BUCKETS, slices // 4))


def bucket_of(site: str, buckets: int) -> int:
    """The bucket of a site, 0 to `buckets` - 1."""
    return crc32(site.encode()) % buckets


@dataclass(frozen=True, slots=True)
class RunFolder:
    """The folder at `path`, which all workers and the process that starts them must see under this same path."""

    path: Path

    def survey_file(self, warc_slice: WarcSlice) -> Path:
        """The URL shapes of a slice, with sample records of each."""
        return self.path / "work" / "survey" / f"{warc_slice.name}.parquet"

    def peers_file(self, bucket: int) -> Path:
        """The reference pages of the sites of a bucket."""
        return self.path / "work" / "peers" / f"{bucket:04d}.parquet"

    def profiles_file(self, bucket: int) -> Path:
        """The profiles of the sites of a bucket."""
        return self.path / "work" / "profiles" / f"{bucket:04d}.parquet"

    def attempts_file(self, task: str) -> Path:
        """The attempt log of a task."""
        return self.path / "work" / "attempts" / task

    def articles_file(self, warc_slice: WarcSlice, day: str) -> Path:
        """The slice's articles that were fetched on a day."""
        return self.path / "articles" / f"day={day}" / f"{warc_slice.name}.parquet"

    def done_file(self, warc_slice: WarcSlice) -> Path:
        """The slice's statistics; exists once all other files of the slice do."""
        return self.path / "done" / f"{warc_slice.name}.json"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Holds the folder for one process that starts or continues its run. Raises WrongCall where another has it."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            with FileLock(self.path / ".lock", timeout=0):
                yield
        except Timeout as error:
            raise WrongCall(f"{self.path} is the output of another process that is still running") from error
        except OSError as error:
            raise StorageError(f"{self.path} can't be written: {error.strerror or error}") from error

    def begin(self, arguments: dict[str, Any]) -> None:
        """Creates the folder, or continues a run with the same arguments; WrongCall if they are others."""
        file = self.path / "run.json"
        if file.exists():
            before = read_json(file)
            keys = arguments.keys() | before.keys()
            different = sorted(key for key in keys if arguments.get(key) != before.get(key))
            if different:
                raise WrongCall(f"{self.path} was begun with other {', '.join(different)}; give another --output")
            return
        if self.path.is_dir() and any(entry.name != ".lock" for entry in self.path.iterdir()):
            raise WrongCall(f"{self.path} is neither empty nor a run that can be continued")
        write_json(file, arguments)

    def clean_up(self, finished: Iterable[WarcSlice]) -> None:
        """Removes the drafts of killed workers, and the attempt logs of finished slices."""
        for warc_slice in finished:
            self.attempts_file(warc_slice.name).unlink(missing_ok=True)
        for draft in self.path.glob("articles/*/.*"):
            draft.unlink(missing_ok=True)
        for name in ("survey", "peers", "profiles", "attempts"):
            for draft in (self.path / "work" / name).glob(".*"):
                draft.unlink(missing_ok=True)


def write_json(path: Path, values: Any) -> None:
    """Writes the file atomically, with its folder; StorageError if that fails."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(path) as file:
            file.write(json.dumps(values, ensure_ascii=False, indent=1).encode())
    except OSError as error:
        raise StorageError(f"{path} can't be written: {error.strerror or error}") from error


def read_json(path: Path) -> dict[str, Any]:
    """The values of the file; StorageError if it can't be read."""
    try:
        values: dict[str, Any] = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise StorageError(f"{path} can't be read ({error})") from error
    return values


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
