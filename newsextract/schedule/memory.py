"""Gives the memory of finished crawls back, so that a process that crawls a thousand sites needs what fifty need.

A finished crawl is a web of objects that refer to each other; Python looks for such garbage the less often, the more
there is in memory, and what it frees stays with the C library, in pieces in the arenas of many threads.
"""

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


def return_free_memory() -> None:
    """Gives what is free back to the system, which the C library else keeps for later."""
    _call_libc("malloc_trim", 0)


def _call_libc(name: str, *arguments: int) -> None:
    """Calls a function of the GNU C library; nothing where there is another one."""
    if sys.platform == "linux":
        function: Callable[..., int] | None = getattr(ctypes.CDLL(None), name, None)
        if function is not None:
            function(*arguments)
