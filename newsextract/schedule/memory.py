"""Gives the memory of finished crawls back, so that a process that crawls a thousand sites needs what fifty need.

A finished crawl is a web of objects that refer to each other; Python looks for such garbage the less often, the more
there is in memory, and what it frees stays with the C library, in pieces in the arenas of many threads.
"""

import asyncio
import ctypes
import gc
import sys
from collections.abc import Callable
from functools import cache

#: glibc's parameter of the number of arenas (malloc.h), and how many: threads here wait more than they allocate.
M_ARENA_MAX, ARENAS = -8, 2
#: That of the bytes from which on memory is mapped by itself, so that it goes back to the system when it is freed. By
#: default this grows to 32 MB, and what is freed of a large array stays in an arena, between small objects.
M_MMAP_THRESHOLD, MAPPED_FROM = -3, 2**18
#: New objects from which on Python looks for garbage among them.
NEW_OBJECTS = 10_000
#: Share of the event loop's time that the search for garbage may take.
SHARE = 0.05


@cache
def prepare_for_crawls() -> None:
    """Prepares the process, once; call it when all is imported, and before threads are started.

    What is there now is never searched for garbage again, and the search is made less often: it took a tenth of the
    processor time of a crawl's process. What is free in the C library is kept small.
    """
    gc.freeze()
    gc.set_threshold(NEW_OBJECTS, 20, 20)
    _call_libc("mallopt", M_ARENA_MAX, ARENAS)
    _call_libc("mallopt", M_MMAP_THRESHOLD, MAPPED_FROM)


class FinishedCrawls:
    """Frees what finished crawls left, and gives it back to the system; takes at most SHARE of the event loop's time.

    With many crawls under way there is much to search, and a search stops them all.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._is_planned, self._earliest = False, 0.0

    def free(self) -> None:
        """Frees them soon, when nothing on the stack holds the last one any more."""
        if not self._is_planned:
            self._is_planned = True
            self._loop.call_at(max(self._loop.time(), self._earliest), self._collect)

    def _collect(self) -> None:
        self._is_planned, begun = False, self._loop.time()
        gc.collect()
        return_free_memory()
        self._earliest = begun + (self._loop.time() - begun) / SHARE


def return_free_memory() -> None:
    """Gives what is free back to the system, which the C library else keeps for later."""
    _call_libc("malloc_trim", 0)


def _call_libc(name: str, *arguments: int) -> None:
    """Calls a function of the GNU C library; nothing where there is another one."""
    if sys.platform == "linux":
        function: Callable[..., int] | None = getattr(ctypes.CDLL(None), name, None)
        if function is not None:
            function(*arguments)
