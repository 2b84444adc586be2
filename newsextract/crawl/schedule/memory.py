"""Gives the memory of finished crawls back, so that a process that crawls a thousand sites needs what fifty need.

A finished crawl is a web of objects that refer to each other; Python looks for such garbage the less often, the more
there is in memory, and what it frees stays with the C library, in pieces in the arenas of many threads.
"""

import ctypes
import gc
import sys
from collections.abc import Callable

#: glibc's parameter of the number of arenas (malloc.h), and how many: threads here wait more than they allocate.
M_ARENA_MAX, ARENAS = -8, 2


def prepare_for_many_crawls() -> None:
    """Call it once all is imported and no thread runs: what is there now is never searched for garbage again."""
    gc.collect()
    gc.freeze()
    _call_libc("mallopt", M_ARENA_MAX, ARENAS)


def free_finished_crawls() -> None:
    """Frees what finished crawls left, some hundredths of a second, and gives it back to the system."""
    gc.collect()
    _call_libc("malloc_trim", 0)


def _call_libc(name: str, *arguments: int) -> None:
    """Calls a function of the GNU C library; nothing where there is another one."""
    if sys.platform == "linux":
        function: Callable[..., int] | None = getattr(ctypes.CDLL(None), name, None)
        if function is not None:
            function(*arguments)
