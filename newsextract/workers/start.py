"""How a worker process begins: `CONTEXT` starts it, `start_worker` is its main function.

On systems with fork, workers are forks of one process that has imported and loaded what extraction needs
(multiprocessing's forkserver): starting Python and loading the weights and the language model takes 1.5 s of CPU time,
paid once for all workers of a crawl. This module imports nothing itself, so that a worker can report what can't be
imported.
"""

import multiprocessing
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from types import ModuleType
from typing import Any

#: One worker is started at a time.
START_LOCK = threading.Lock()


def worker_context() -> Any:
    """multiprocessing's context for workers; its class differs by system, and Windows has only "spawn"."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["newsextract.workers.preload"])
    return context


def start_ahead() -> None:
    """Starts, without waiting, the process that workers are forked from; failures show when a worker is started."""
    if worker_context().get_start_method() == "forkserver":
        with suppress(OSError), without_main_module():
            forkserver.ensure_running()


@contextmanager
def without_main_module() -> Iterator[None]:
    """Starts a process that doesn't import the program's main module: `scrapy`'s imports all of Scrapy, half a
    second of CPU time per worker, and a user's script may lack `if __name__ == "__main__"`.
    """
    with START_LOCK:
        main, sys.modules["__main__"] = sys.modules["__main__"], ModuleType("__main__")
        try:
            yield
        finally:
            sys.modules["__main__"] = main


def start_worker(connection: Connection, extractor: str, options: Mapping[str, object]) -> None:
    """Serves the calls of a crawl; if that fails at the start, sends the reason as text and exits with status 1."""
    try:
        from newsextract.limits import limit_memory
        from newsextract.workers.worker import make_worker, serve

        limit_memory()
        worker = make_worker(extractor, options)
    except Exception as error:  # any problem with the installation or the machine
        connection.send(f"{type(error).__name__}: {error}")
        sys.exit(1)
    serve(connection, worker)
