"""Measures what an input costs: CPU time of two sizes, and the most memory.

The size is doubled until reading takes LEAST seconds of CPU time, which says more than a fixed size, and doesn't depend
on how fast the machine is. The growth exponent is the binary logarithm of the ratio of the last two times: 1 if time is
in proportion, 2 if it grows with the square. A suspicious input is measured again, because other processes share the
machine's caches. Each input is read in a process of its own, which an endless one doesn't survive.
"""

import cProfile
import gc
import pstats
import resource
import signal
import sys
from io import StringIO
from math import log2
from pathlib import Path
from time import process_time
from typing import NamedTuple

from evaluation.growth.inputs import Input
from evaluation.growth.readers import Reader, read, warm_up
from newsextract.errors import WorkerDied, WorkerTimeout
from newsextract.limits import run_within

#: Size of the first input and of the largest one, in bytes.
FIRST, LARGEST = 30_000, 4_000_000
#: CPU seconds of the larger of two inputs that are compared.
LEAST = 0.5
#: CPU seconds below which a time says nothing.
LEAST_HALF = 0.01
#: CPU seconds after which an input is given up, and seconds after which its process is killed.
MAX_TIME, MAX_WAIT = 20.0, 240.0
#: The highest growth exponent.
MAX_EXPONENT = 1.25
#: CPU seconds a byte, and of markup with more than ALL_TAGS tags a byte.
MAX_SECONDS, MAX_SECONDS_OF_TAGS, ALL_TAGS = 2e-6, 4e-6, 0.1
#: Bytes of memory a byte, and the size from which on they are judged: a small input's are what is loaded on first use.
MAX_MEMORY, MEMORY_FROM = 200, 200_000
#: The exponent above which an input isn't measured again.
SURE = 1.6
#: Times that a suspicious input is measured again.
REPEATS = 3
#: Functions of a slow input that are told.
SHOWN = 3


class Cost(NamedTuple):
    """What an input of `size` bytes costs: CPU seconds, those of its first half, bytes of memory; its tags a byte."""

    size: int
    seconds: float
    half: float
    memory: int
    tags: float

    @property
    def exponent(self) -> float:
        """The growth exponent; 0 where the input is read in no time."""
        return log2(self.seconds / max(self.half, LEAST_HALF)) if self.seconds > LEAST / 2 else 0.0

    @property
    def is_dear(self) -> bool:
        """Whether it takes more time a byte than any markup should."""
        return self.seconds > LEAST / 2 and self.seconds / self.size > (
            MAX_SECONDS_OF_TAGS if self.tags > ALL_TAGS else MAX_SECONDS
        )

    def problems(self) -> str:
        """What is out of proportion, or ""."""
        found = [f"grows with the power of {self.exponent:.2f}"] if self.exponent > MAX_EXPONENT else []
        if self.is_dear:
            found.append(f"takes {1e6 * self.seconds / self.size:.1f} s a MB")
        if self.size >= MEMORY_FROM and self.memory > MAX_MEMORY * self.size:
            found.append(f"needs {self.memory / self.size:.0f} bytes a byte")
        return ", ".join(found) and f"{', '.join(found)} ({self.size // 1000} kB: {self.seconds:.2f} s)"


def problem_of(case: Input) -> str:
    """What is out of proportion in an input, and where most of its time goes, or ""."""
    try:
        cost = _measure(case)
        for _ in range(REPEATS):
            if cost.exponent > SURE or (cost.exponent <= MAX_EXPONENT and not cost.is_dear):
                break
            again = _measure(case)  # in another process: nothing is cached
            cost = min(cost, again, key=lambda one: (one.is_dear, one.exponent))
        problems = cost.problems()
        return f"{problems}; {run_within(MAX_WAIT, _slowest, case, cost.size)}" if problems else ""
    except TimeoutError:
        return f"isn't read in {MAX_TIME:g} s of CPU time"
    except (WorkerTimeout, WorkerDied) as error:
        return str(error)


def _measure(case: Input) -> Cost:
    return run_within(MAX_WAIT, _cost, case)


def _cost(case: Input) -> Cost:
    warm_up()
    memory, size = _peak(), FIRST
    half, seconds = 0.0, _seconds(case.reader, case.make(size))
    if seconds > LEAST:
        half = _seconds(case.reader, case.make(size // 2))
    while seconds < LEAST and 2 * size <= LARGEST:
        size *= 2
        half, seconds = seconds, _seconds(case.reader, case.make(size))
    text = case.make(size)
    return Cost(size, seconds, half, _peak() - memory, text.count("<") / len(text))


def _seconds(reader: Reader, text: str) -> float:
    """CPU seconds of a reading. Raises TimeoutError."""
    gc.collect()
    signal.signal(signal.SIGVTALRM, _stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, MAX_TIME)
    start = process_time()
    try:
        read(reader, text)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
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
