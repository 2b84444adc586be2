"""The output folder of a run: the paths of its results, the run's arguments, and the log of its attempts.

articles/day=2026-03-05/SLICE.parquet   the result: the articles of a slice by day of fetching, sorted by site
refused/SLICE.jsonl                     the pages of a slice without an article, each with its reason
done/SLICE.json                         the statistics of a finished slice, written last
work/survey/SLICE.json                  the records of a slice that may be samples of their sites
work/profiles/NUMBER.done, NAME.pickle  that the samples of a bucket's sites have been read, and what they show
work/attempts                           the attempt logs
run.json, summary.json                  the arguments of the run, and its statistics
"""

import faulthandler
import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any
from zlib import crc32

from filelock import FileLock, Timeout

from newsextract.archive.page_filter import ALL_PAGES, PageFilter
from newsextract.archive.sources import WarcSlice, split_files
from newsextract.errors import StorageError, WrongCall
from newsextract.files import atomic_write, storing
from newsextract.limits import PAGE_TIMEOUT

#: How an argument of a run is given, where the option has another name.
OPTIONS = {"uses_sites": "--no-site-profile"}


@dataclass(frozen=True, slots=True)
class ExtractionJob:
    """How to extract the pages of a run.

    watch: end the process over a page that takes too long. page_filter: which pages to extract. uses_profiles,
    uses_peers: whether pages are read with their sites' profiles, or with peers. buckets: of sites; a task reads the
    samples of one bucket.
    """

    extractor: str
    options: Mapping[str, object]
    watch: bool = False
    page_filter: PageFilter = ALL_PAGES
    uses_profiles: bool = False
    uses_peers: bool = False
    buckets: int = 1


def bucket_of(site: str, buckets: int) -> int:
    return crc32(site.encode()) % buckets


@dataclass(frozen=True, slots=True)
class RunFolder:
    """The folder at `path`, which all workers and the starting process must see under this path."""

    path: Path

    def survey_file(self, warc_slice: WarcSlice) -> Path:
        return self.path / "work" / "survey" / f"{warc_slice.name}.json"

    def sites_done(self, bucket: int) -> Path:
        return self.path / "work" / "profiles" / f"{bucket:04d}.done"

    def site_file(self, site: str) -> Path:
        name = hashlib.sha256(site.encode()).hexdigest()[:32]
        return self.path / "work" / "profiles" / name[:2] / f"{name}.pickle"

    def attempts_file(self, task: str) -> Path:
        return self.path / "work" / "attempts" / task

    def articles_file(self, warc_slice: WarcSlice, day: str) -> Path:
        return self.path / "articles" / f"day={day}" / f"{warc_slice.name}.parquet"

    def refused_file(self, warc_slice: WarcSlice) -> Path:
        return self.path / "refused" / f"{warc_slice.name}.jsonl"

    def done_file(self, warc_slice: WarcSlice) -> Path:
        return self.path / "done" / f"{warc_slice.name}.json"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Locks the folder for one process that starts or continues its run. Raises WrongCall if another has it."""
        with storing(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
            try:
                with FileLock(self.path / ".lock", timeout=0):
                    yield
            except Timeout as error:
                raise WrongCall(f"{self.path} is the output of another process that is still running") from error

    def begin(self, arguments: dict[str, Any]) -> None:
        """Creates the folder, or continues a run with the same arguments. Raises WrongCall for other arguments."""
        file = self.path / "run.json"
        if file.exists():
            before = read_json(file)
            keys = arguments.keys() | before.keys()
            different = sorted(OPTIONS.get(key, key) for key in keys if arguments.get(key) != before.get(key))
            if different:
                raise WrongCall(f"{self.path} was started with another {', '.join(different)}: choose a new --output")
            return
        if self.path.is_dir() and any(entry.name != ".lock" for entry in self.path.iterdir()):
            raise WrongCall(f"{self.path} is neither empty nor a run that can be continued")
        write_json(file, arguments)

    def slices(self) -> list[WarcSlice]:
        """All slices of the run, as `run.json` has them."""
        arguments = read_json(self.path / "run.json")
        files = ((path, size) for path, size in arguments["files"])
        return [*split_files(files, arguments["slice_bytes"], allow_private=arguments["allow_private"])]

    def clean_up(self, finished: Iterable[WarcSlice]) -> None:
        """Removes drafts of killed workers, and attempt logs of finished slices."""
        for warc_slice in finished:
            self.attempts_file(warc_slice.name).unlink(missing_ok=True)
        for pattern in ("articles/*/.*", "work/**/.*"):
            for draft in self.path.glob(pattern):
                draft.unlink(missing_ok=True)


def write_file(path: Path, content: Iterable[bytes]) -> None:
    """Writes the parts of a file atomically, with its folder. Raises StorageError."""
    with storing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as file:
        file.writelines(content)


def write_json(path: Path, values: Any) -> None:
    """Like `write_file`, for JSON values."""
    write_file(path, [json.dumps(values, ensure_ascii=False, indent=1).encode()])


def read_json(path: Path) -> Any:
    """The values in the file. Raises StorageError."""
    try:
        return json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise StorageError(f"{path} can't be read ({error})") from error


@dataclass
class RunStats:
    """Statistics of a slice or of a run: pages read, articles, non-articles and skipped records by reason.

    left_out: pages excluded by the filter. bytes: compressed bytes of the slices. sites: pages that aren't articles, by
    site and reason. named: the first skipped records of each reason as (reason, file, offset, URL). seconds,
    cpu_seconds: wall clock and CPU time. peak_mib: the largest memory of a worker. stored: articles stored in a
    database, by result.
    """

    pages: int = 0
    left_out: int = 0
    articles: int = 0
    bytes: int = 0
    not_articles: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    sites: dict[str, Counter[str]] = field(default_factory=dict)
    named: list[list[Any]] = field(default_factory=list)
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_mib: int = 0
    stored: Counter[str] = field(default_factory=Counter)

    def add_slice(self, stats: Mapping[str, Any]) -> None:
        """Adds the statistics of a slice, as in its `done/SLICE.json`."""
        for name in ("pages", "left_out", "articles", "bytes", "seconds", "cpu_seconds"):
            setattr(self, name, getattr(self, name) + stats[name])
        for site, reasons in stats["sites"].items():
            self.sites.setdefault(site, Counter()).update(reasons)
        self.not_articles.update(stats["not_articles"])
        self.skipped.update(stats["skipped"])
        self.named += stats["named"]
        self.peak_mib = max(self.peak_mib, stats["peak_mib"])


#: Failures before a task is given up, and deaths of workers over a page before it is skipped: a single one may have any
#: cause, and a slow page often is the current one.
MAX_FAILURES = 3
STARTED = "begun"
FINISHED = "over"


class AttemptLog(AbstractContextManager["AttemptLog"]):
    """The log of one task, which finds pages that kill their worker. `suspects`: numbers of the pages to skip.

    A page can crash the parser or keep it busy forever. The number of each page is logged before it is processed; if
    the log ends with it, the process died over it. A watchdog, which needs neither the interpreter nor its lock, ends a
    process that spends too long on one page.
    """

    def __init__(self, path: Path, *, watch: bool) -> None:
        """`watch`: end the process over a page that takes too long; only for processes that are restarted."""
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = path.read_text("ascii", "replace").split() if path.exists() else []
        deaths = Counter(line for line, following in pairwise([*lines, STARTED]) if following == STARTED)
        self.suspects = {int(line) for line, times in deaths.items() if line.isdigit() and times >= MAX_FAILURES}
        self._path, self._watch = path, watch
        self._file = path.open("ab", buffering=0)
        self._file.write(f"{STARTED}\n".encode())
        self._devnull = os.open(os.devnull, os.O_WRONLY)  # for the watchdog's traceback

    def begin(self, number: int) -> None:
        """Logs that this page is next, and restarts the watchdog."""
        self._file.write(f"{number}\n".encode())
        if self._watch:
            faulthandler.dump_traceback_later(PAGE_TIMEOUT, exit=True, file=self._devnull)

    def __exit__(self, *error: object) -> None:
        """The task is finished, or failed with an error that no page caused."""
        if self._watch:
            faulthandler.cancel_dump_traceback_later()
        self._file.write(f"{FINISHED}\n".encode())
        self._file.close()
        os.close(self._devnull)
