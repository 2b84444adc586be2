"""Benchmarks of crawls; what starts `scrapy crawl site` in a process of its own, and the CPU time of such processes."""

import os
import resource
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import HTTPServer
from pathlib import Path
from threading import Thread
from typing import TypeVar

from evaluation import CHECKOUT

Server = TypeVar("Server", bound=HTTPServer)
WITHOUT_PAUSES = {"DOWNLOAD_DELAY": 0, "AUTOTHROTTLE_ENABLED": 0}


def crawl_command(
    settings: Mapping[str, object],
    arguments: Mapping[str, object],
    scrapy: Sequence[str] = (sys.executable, "-m", "scrapy"),
) -> list[str]:
    """`scrapy crawl site` of a server on loopback, with these settings and arguments of the spider."""
    values = {"NEWSEXTRACT_ALLOW_PRIVATE": 1, **settings}
    given = [word for name, value in arguments.items() for word in ("-a", f"{name}={value}")]
    return [*scrapy, "crawl", "site", *given, *(w for name in values for w in ("-s", f"{name}={values[name]}"))]


def crawl_environment(package: Path = CHECKOUT) -> dict[str, str]:
    """Environment variables of a crawl outside the project's folder; `package`: the folder with newsextract."""
    return {**os.environ, "SCRAPY_SETTINGS_MODULE": "newsextract.settings", "PYTHONPATH": str(package)}


@contextmanager
def serving(server: Server) -> Iterator[Server]:
    """Lets a server answer requests in a thread until the block ends, and closes it then."""
    with server:
        thread = Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def children_cpu_seconds() -> float:
    """CPU seconds of the processes that this one has waited for."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
