"""Returns free memory to the system, so that crawling a thousand sites needs as much as crawling fifty.

A finished crawl is a web of objects that refer to each other. Python searches for such garbage less often the more
objects there are, and the C library keeps freed memory in pieces, in the arenas of many threads.
"""

import gc
import sys
from functools import cache

from newsextract.limits import call_libc, return_large_memory

#: glibc's parameter for the number of arenas (malloc.h), and how many: threads here wait more than they allocate.
M_ARENA_MAX = -8
ARENAS = 2
#: Number of new objects after which Python searches them for garbage.
NEW_OBJECTS = 10_000


@cache
def prepare_for_crawls() -> None:
    """Prepares the process; call it after all imports and before threads start.

    Searches for garbage become rare and skip what exists now: they took a tenth of the CPU time of a crawl's process.
    """
    gc.freeze()
    gc.set_threshold(NEW_OBJECTS, 20, 20)
    call_libc("mallopt", M_ARENA_MAX, ARENAS)
    return_large_memory()


def return_free_memory() -> None:
    """Returns free memory to the system, which the C library would otherwise keep."""
    call_libc("malloc_trim", 0)


def peak_mib() -> int:
    """The most memory that this process has had, in MiB; 0 on Windows, which doesn't tell."""
    if sys.platform == "win32":
        return 0
    import resource  # not on Windows

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1024**2 if sys.platform == "darwin" else 1024)
