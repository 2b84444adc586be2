"""Limits of memory and time for the work on one page, where the system has them; limits that many modules share."""

import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from newsextract.errors import WorkerDied, WorkersUnusable, WorkerTimeout, WrongCall

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

P = ParamSpec("P")
T = TypeVar("T")

#: Bytes of address space of a worker: a page that needs more fails with a MemoryError. The largest real pages take half
#: a gigabyte, besides the address space that libraries reserve.
MAX_MEMORY = 4 * 1024**3
#: glibc's threshold in bytes from which memory is mapped separately and returned when freed (malloc.h), and its value.
#: By default it grows to 32 MB, and freed large arrays stay in an arena between small objects.
M_MMAP_THRESHOLD = -3
MAPPED_FROM = 2**18
#: Seconds that a worker may take for a page: the slowest real ones take two, and the first in a language may load a
#: dictionary, on a busy machine.
PAGE_TIMEOUT = 30.0
#: Seconds that `newsextract extract` may take for a page.
COMMAND_TIMEOUT = 60.0

#: Threads of a crawl's own process: of its writer, its readers, name resolution and alerts.
THREADS = 24

#: Bytes that are read or decompressed at a time: of a stream; of a large file, where each piece may be a request.
CHUNK_BYTES = 64 * 1024
BLOCK_BYTES = 1024 * 1024
#: Bytes or characters at the beginning of a document that tell what it is.
HEAD = 20_000
#: What is kept in memory of things that a site may make up any number of: its URLs, shapes of them, hosts.
MAX_REMEMBERED = 20_000
#: Values of one field that a page may have: keywords, images, names; elements, objects and links that are read.
MAX_KEPT = 50
MAX_ELEMENTS = 3_000
#: Shares of a whole that are most of it, and nearly all.
MOST = 0.5
NEARLY_ALL = 0.8
#: How many texts that are alike are compared with one.
SIMILAR_TEXTS = 8
#: Articles with their texts that are read or written at a time.
ARTICLES_AT_A_TIME = 200
#: Seconds between two looks at what other processes have done.
POLL_INTERVAL = 1.0


def limit_memory() -> None:
    """Limits the address space of this process, if the system can (not Windows), and returns what it needs no more."""
    return_large_memory()
    if sys.platform != "win32":
        import resource  # not on Windows

        with suppress(OSError, ValueError):  # ValueError: above the limit that the process has already
            resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))


def return_large_memory() -> None:
    """From now on returns large memory to the system when it is freed."""
    call_libc("mallopt", M_MMAP_THRESHOLD, MAPPED_FROM)


def call_libc(name: str, *arguments: int) -> None:
    """Calls a function of the GNU C library; does nothing with another libc."""
    if sys.platform == "linux":
        import ctypes  # here: few programs need it

        function: Callable[..., int] | None = getattr(ctypes.CDLL(None), name, None)
        if function is not None:
            function(*arguments)


def check_threads() -> None:
    """Raises WorkersUnusable if this process may not have the threads of a crawl, which would wait for them."""
    are_done = threading.Event()
    try:
        for _ in range(THREADS):
            threading.Thread(target=are_done.wait, daemon=True).start()
    except RuntimeError as error:
        raise WorkersUnusable(f"a crawl needs {THREADS} threads, and this system allows fewer (ulimit -u)") from error
    finally:
        are_done.set()


def run_within(seconds: float, function: Callable[P, T], *arguments: P.args, **options: P.kwargs) -> T:
    """The result of a function that runs in a process of its own, which is killed after so many seconds.

    Forks if the program has no other threads; otherwise function, arguments and result are pickled. Raises
    WorkerTimeout, WorkerDied, and what the function raises.
    """
    if not seconds > 0:
        raise WrongCall(f"timeout is a number of seconds above 0, not {seconds!r}")
    import multiprocessing  # most commands start no processes

    methods = multiprocessing.get_all_start_methods()
    forks = "fork" in methods and threading.active_count() == 1
    context: Any = multiprocessing.get_context("fork" if forks else "spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_send_result, args=(theirs, function, arguments, options), daemon=True)
    process.start()
    theirs.close()
    try:
        if not ours.poll(seconds):
            raise WorkerTimeout(f"it took longer than {seconds:g} seconds")
        result, error = ours.recv()
    except (EOFError, OSError):
        process.join()
        raise WorkerDied(f"the process died over it (status {process.exitcode})") from None
    finally:
        process.kill()
        process.join()
        ours.close()
    if error is not None:
        raise error
    value: T = result
    return value


def _send_result(
    connection: "Connection", function: Callable[..., object], arguments: tuple[Any, ...], options: dict[str, Any]
) -> None:
    limit_memory()
    try:
        answer: tuple[object, Exception | None] = function(*arguments, **options), None
    except MemoryError:
        answer = None, WorkerDied(f"it needs more than {MAX_MEMORY // 1024**3} GB of memory")
    except Exception as error:
        answer = None, error
    connection.send(answer)
