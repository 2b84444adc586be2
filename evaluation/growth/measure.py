"""Measures what an input costs: CPU time of two sizes, and the most memory.

The size grows until reading takes LEAST seconds of CPU time, which says more than a fixed size, and doesn't depend on
how fast the machine is. The growth exponent compares its time with that of a PART of it: 1 if time is in proportion, 2
if it grows with the square. Other processes share the machine's cores and caches and can only make a reading slower:
both sizes of a suspicious input are read again, in turn, and the least time of each counts. To reach MAX_EXPONENT, a
busy machine has to make all readings of one size, and only those, two fifths slower. From some size on, a page may be
an article, which costs more a byte, but grows no faster: so what still seems to grow is compared with a larger input,
too, and the smaller exponent counts. Each input is read in a process of its own, which an endless one doesn't survive.
"""

import cProfile
import gc
import pstats
import resource
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from io import StringIO
from math import inf, log
from pathlib import Path
from time import process_time
from typing import NamedTuple

from evaluation.growth.inputs import PROSE, Input, repeated
from evaluation.growth.readers import PAGE, load_for, read, read_page, warm_up
from newsextract.errors import WorkerDied, WorkerTimeout
from newsextract.limits import run_within

#: Size of the first input, in bytes: a plain page of that size takes a sixth of LEAST.
FIRST = 240_000
#: The same for many small articles or pages, since each has a cost of its own.
FIRST_OF_MANY = 7_500
#: How many times as large the next input may be.
MAX_STEP = 8
#: Size of the largest input, in bytes. What takes less than LEAST there is cheaper than any page, and larger ones would
#: measure the processor's caches.
LARGEST = FIRST * MAX_STEP
#: CPU seconds that the next input is to take: less is measured once more.
AIM = 0.36
#: How many times as large as its part an input is: one of a half would show less than noise does.
PART = 4
#: CPU seconds of the larger of two inputs that are compared.
LEAST = 0.3
#: CPU seconds below which a time says nothing.
LEAST_PART = 0.01
#: CPU seconds after which an input is given up.
MAX_TIME = 20.0
#: Seconds after which the process of an input is killed.
MAX_WAIT = 240.0
#: The highest growth exponent.
MAX_EXPONENT = 1.25
#: CPU seconds a byte.
MAX_SECONDS = 2e-6
#: CPU seconds a byte of a plain page on the machine for which these are given.
PLAIN_SECONDS = 0.2e-6
#: CPU seconds a byte of markup with more than ALL_TAGS tags a byte.
MAX_SECONDS_OF_TAGS = 4e-6
#: Tags a byte.
ALL_TAGS = 0.1
#: Bytes of memory a byte.
MAX_MEMORY = 200
#: Bytes from which on memory is judged: what a small input needs is what is loaded on first use.
MEMORY_FROM = 200_000
#: Readings of each size of a suspicious input.
READINGS = 4
#: Readings of a larger one.
LARGER_READINGS = 2
#: How many times as large an input the tests compare, and how many times as long it may take: with the square, 64.
WIDER = 8
MAX_LONGER = 32
#: Functions of a slow input that are named.
SHOWN = 3


class Cost(NamedTuple):
    """What an input of `size` bytes costs: CPU seconds, those of its part, bytes of memory; its tags a byte.

    `larger`: of an input PART times as large, if it was read; `pace`: how many times PLAIN_SECONDS a plain page takes
    now, at least 1: a slow or busy machine; `is_of_bytes`: whether time and memory a byte are judged.
    """

    size: int
    seconds: float
    part: float
    memory: int
    tags: float
    pace: float = 1.0
    larger: float = inf
    is_of_bytes: bool = True

    @property
    def exponent(self) -> float:
        """The growth exponent; 0 where the input is read in no time."""
        if not self.is_long:
            return 0.0
        return log(min(self.seconds / max(self.part, LEAST_PART), self.larger / self.seconds), PART)

    @property
    def is_long(self) -> bool:
        """Whether it takes long enough to be compared with its part."""
        return self.seconds > (LEAST if self.size >= LARGEST else LEAST / 2)

    @property
    def is_dear(self) -> bool:
        """Whether it takes more time a byte than any markup should."""
        most = MAX_SECONDS_OF_TAGS if self.tags > ALL_TAGS else MAX_SECONDS
        return self.is_of_bytes and self.seconds > LEAST / 2 and self.seconds / self.size > most * self.pace

    def problems(self) -> str:
        """What is out of proportion, or ""."""
        found = [f"grows with the power of {self.exponent:.2f}"] if self.exponent > MAX_EXPONENT else []
        if self.is_dear:
            found.append(f"takes {1e6 * self.seconds / self.size:.1f} s a MB")
        if self.is_of_bytes and self.size >= MEMORY_FROM and self.memory > MAX_MEMORY * self.size:
            found.append(f"needs {self.memory / self.size:.0f} bytes a byte")
        return ", ".join(found) and f"{', '.join(found)} ({self.size // 1000} kB: {self.seconds:.2f} s)"


class Reading(NamedTuple):
    """CPU seconds and bytes of memory of a reading; tags a byte of what is read."""

    seconds: float
    memory: int
    tags: float


PLAIN = Input("plain", read_page, partial(repeated, f"<p>{PROSE}</p>"))


def problem_of(case: Input) -> str:
    """What is out of proportion in an input, and where most of its time goes, or ""."""
    try:
        cost = cost_of(case)
        problems = cost.problems()
        return f"{problems}; {run_within(MAX_WAIT, _slowest, case, cost.size)}" if problems else ""
    except TimeoutError:
        return f"isn't read in {MAX_TIME:g} s of CPU time"
    except (WorkerTimeout, WorkerDied) as error:
        return str(error)


def cost_of(case: Input) -> Cost:
    """What an input costs. Raises TimeoutError, WorkerTimeout and WorkerDied."""
    warm_up()
    load_for(case.reader)
    size = FIRST if case.is_of_bytes else FIRST_OF_MANY
    while (reading := _read(case, size)).seconds < LEAST and size < LARGEST:
        step = min(MAX_STEP, max(2, AIM / max(reading.seconds, LEAST_PART)))
        size = min(LARGEST, int(size * step))
    cost = Cost(size, reading.seconds, reading.seconds, reading.memory, reading.tags, is_of_bytes=case.is_of_bytes)
    if cost.is_long:
        cost = cost._replace(part=_read(case, size // PART).seconds)
    for _ in range(READINGS - 1):
        if not (cost.exponent > MAX_EXPONENT or cost.is_dear):
            break
        whole = min(cost.seconds, _read(case, size).seconds)
        pace = _read(PLAIN, size).seconds / size / PLAIN_SECONDS
        part = min(cost.part, _read(case, size // PART).seconds)
        cost = cost._replace(seconds=whole, part=part, pace=max(1.0, pace))
    if cost.exponent > MAX_EXPONENT:
        with suppress(TimeoutError):
            cost = cost._replace(larger=min(_read(case, size * PART).seconds for _ in range(LARGER_READINGS)))
    return cost


def grows_with_the_square(case: Input, size: int = FIRST // 16) -> bool:
    """Whether WIDER times as large an input takes more than MAX_LONGER times as long, by the least of some readings.

    Other than by `problem_of`, nothing is said of a small excess, and nothing depends on how busy the machine is.
    """
    least, longest = MAX_TIME, MAX_TIME
    for _ in range(READINGS):
        least = min(least, _read(case, size).seconds)
        with suppress(TimeoutError):
            longest = min(longest, _read(case, WIDER * size).seconds)
        if longest <= MAX_LONGER * max(least, LEAST_PART):
            return False
    return True


def _read(case: Input, size: int) -> Reading:
    """A reading in a process of its own: nothing is cached. Raises TimeoutError, WorkerTimeout and WorkerDied."""
    return run_within(MAX_WAIT, _reading, case, size)


def _reading(case: Input, size: int) -> Reading:
    text = case.make(size)
    gc.freeze()  # the collector would visit all that is loaded, and this fork copy it
    read_page(PAGE)  # a fork maps the libraries anew; that memory is not the input's
    gc.collect()
    before = _peak()
    seconds = cpu_seconds(lambda: read(case.reader, text), MAX_TIME)
    return Reading(seconds, _peak() - before, text.count("<") / len(text))


def cpu_seconds(call: Callable[[], object], most: float) -> float:
    """CPU seconds of a call. Raises TimeoutError after so many."""
    before = signal.signal(signal.SIGVTALRM, _stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, most)
    start = process_time()
    try:
        call()
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    return process_time() - start


def _stop(*_: object) -> None:
    raise TimeoutError


def _peak() -> int:
    """The most memory that this process has had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _slowest(case: Input, size: int) -> str:
    """The functions that take most of an input's time, each with its share."""
    profile = cProfile.Profile()
    profile.runcall(read, case.reader, case.make(size))
    own = {place: row[2] for place, row in pstats.Stats(profile, stream=StringIO()).stats.items()}  # type: ignore[attr-defined]
    names = sorted(own, key=own.__getitem__, reverse=True)[:SHOWN]
    shares = (
        f"{Path(file).name}:{line} {name} {100 * own[file, line, name] / sum(own.values()):.0f} %"
        for file, line, name in names
    )
    return ", ".join(shares)
