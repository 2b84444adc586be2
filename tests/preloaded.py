"""Starts the programs of this project for tests, without the two seconds of CPU time that their imports take.

pytest's workers (`worker_python`), which import more, are started so, too.

Hundreds of tests start real commands, and a small crawl is mostly imports: Scrapy, SQLAlchemy, the models. So one
process per test run imports and loads everything (`preload`), and forks itself for each program (`serve`). What a test
starts with subprocess, `[*preloaded.command("scrapy"), "crawl", ...]`, is a small client (`preloaded_command`), which
sends its folder, environment and streams to that process and waits for the fork.

- As in `python -m scrapy`: a process of its own in the client's process group, working folder, environment variables,
  standard streams, `sys.path` with its `sitecustomize`, signals, exit status. The fork is killed when the client is.
- Other than there: modules are imported already, so a test of imports must start Python itself (`sys.executable`); the
  interpreter isn't torn down at the end (`run`); and modules of ours that the program starts are forks, too (`Popen`).
- FAKE_TIME in the environment sets the program's clock.

Abstract sockets are Linux's. On other systems a command is plain `python -m`, slower and with the real time.
"""

import atexit
import contextlib
import functools
import gc
import json
import logging
import os
import shlex
import signal
import socket
import subprocess
import sys
import threading
import time
from importlib import import_module
from pathlib import Path
from typing import Any
from uuid import uuid4

import time_machine

CHECKOUT = Path(__file__).resolve().parent.parent
CLIENT = Path(__file__).with_name("preloaded_command.py")
#: Environment variable; with the value "error" every use of what is deprecated, by a module of ours, fails the test.
DEPRECATIONS = "DEPRECATIONS"
#: The filters for that, as pytest and `warnings` take them: category and beginning of the module's name.
DEPRECATION_FILTERS = (
    ("DeprecationWarning", "newsextract"),
    ("PendingDeprecationWarning", "newsextract"),
    ("scrapy.exceptions.ScrapyDeprecationWarning", "newsextract"),
)
#: Packages whose modules crawls, commands and tests import; what else they and pytest's workers import; settings of
#: Scrapy that name some.
PACKAGES = ("newsextract", "scrapy.commands")
LATE = (
    "alembic.autogenerate", "datasette.app", "evaluation.crawling.kill", "evaluation.fuzz", "evaluation.training.train",
    "evaluation.training.site_weights", "feedparser", "fsspec", "hypothesis.strategies", "numpy.ma",
    "prometheus_client.parser", "psycopg", "pyarrow.parquet", "pydantic.type_adapter", "pytest", "scrapy.cmdline",
    "scrapy.utils.test", "typer._adapters", "xdist.remote", "zyte_common_items",
)  # fmt: skip
COMPONENTS = ("DOWNLOADER_MIDDLEWARES_BASE", "EXTENSIONS_BASE", "SPIDER_MIDDLEWARES_BASE")
#: Environment variable: name of the socket of the process that forks, without the NUL before it (unix(7), abstract).
SOCKET = "PRELOADED_SOCKET"
#: Environment variable: the moment in ISO format at which a program believes to start.
FAKE_TIME = "FAKE_TIME"


def command(module: str, *, safe_path: bool = False) -> list[str]:
    """`python -m module` (with -P if `safe_path`) as a fork of this test process's server; append arguments.

    Of the module "-u" `python -u`, to which "-c" and a program are appended.
    """
    if sys.platform != "linux":
        return [sys.executable, *(["-P"] if safe_path else []), *(["-m"] if module != "-u" else []), module]
    return [sys.executable, "-I", "-S", str(CLIENT), server(), "safe" if safe_path else "folder", module]


class Popen(subprocess.Popen[Any]):
    """A process; a module of ours, as the package starts some (`python -P -m newsextract...`), as such a fork."""

    def __init__(self, arguments: Any, *more: Any, **options: Any) -> None:
        if arguments[:3] == [sys.executable, "-P", "-m"] and arguments[3].startswith("newsextract."):
            arguments = [*command(arguments[3], safe_path=True), *arguments[4:]]
        super().__init__(arguments, *more, **options)


def worker_python() -> str:
    """What execnet starts as `PYTHON -u -c PROGRAM` for each of pytest's workers: a fork of this process's server."""
    return shlex.join(command("-u")[:-1])


@functools.cache
def server() -> str:
    """Socket of the process that forks: the one that pytest's workers share, or one of this process."""
    if SOCKET not in os.environ:
        start_server()
    return os.environ[SOCKET]


def start_server() -> None:
    """Starts the process that forks and puts its socket into the environment, which pytest's workers inherit.

    Commands wait until it has imported everything. It ends with this process.
    """
    os.environ[SOCKET] = f"preloaded-{uuid4().hex}"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"\0{os.environ[SOCKET]}")
        listener.listen(64)
        process = subprocess.Popen(
            [sys.executable, "-P", __file__, str(listener.fileno())],
            env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
            stdin=subprocess.PIPE,
            pass_fds=[listener.fileno()],
        )
    atexit.register(process.kill)


def preload() -> None:
    """Imports what crawls and commands import, and loads what they load at the first page and for a new database."""
    import pkgutil
    import tempfile
    import warnings
    from pydoc import locate

    if os.environ.get(DEPRECATIONS) == "error":
        for category, module in DEPRECATION_FILTERS:
            warnings.filterwarnings("error", category=locate(category), module=module)

    from scrapy import cmdline
    from scrapy.settings import default_settings
    from scrapy.utils.misc import load_object

    import newsextract
    from newsextract.demo import Site
    from newsextract.extractors import make_extractor
    from newsextract.extractors.registry import FITTED_EXTRACTOR
    from newsextract.near_duplicates import signature_of
    from newsextract.store import Store
    from newsextract.workers.worker import PageWorker

    for package in PACKAGES:
        for module in pkgutil.walk_packages(import_module(package).__path__, f"{package}."):
            if not module.name.endswith(("__main__", "workers.preload")):  # they are programs
                import_module(module.name)
    for name in LATE:
        import_module(name)
    vars(cmdline)["entry_points"] = find = functools.cache(cmdline.entry_points)  # each crawl would read all packages
    for command in find(group="scrapy.commands"):
        command.load()
    for setting in COMPONENTS:
        for name in getattr(default_settings, setting):
            load_object(name)
    with tempfile.TemporaryDirectory() as folder, Store.open(f"sqlite:///{folder}/new.db"):
        pass
    PageWorker(make_extractor(FITTED_EXTRACTOR, {})).warm_up()
    site = Site()
    for gold in {gold.language: gold for gold in site.gold()}.values():
        article = newsextract.extract(site.page(gold.path).body, "https://example.org/story.html")
        signature_of(article.article_body)
    assert "twisted.internet.reactor" not in sys.modules, "each program installs its own reactor"


def share_fork_server() -> None:
    """Starts the process that worker processes are forked from, one for all programs."""
    from multiprocessing import forkserver

    from newsextract.workers.start import worker_context

    worker_context()
    forkserver.ensure_running()
    shared: Any = forkserver._forkserver
    shared.ensure_running = lambda: None  # it would wait for its child, which the programs are not the parents of


def serve(listener: socket.socket) -> tuple[socket.socket, list[int], list[str]]:
    """Forks a program for each command, and returns in it: its connection, its standard streams, and `sys.path`."""
    end_with(0)
    share_fork_server()
    preload()
    base = [entry for entry in sys.path if entry != str(CHECKOUT)]
    gc.collect()
    gc.freeze()
    while True:
        connection, _ = listener.accept()
        _, streams, _, _ = socket.recv_fds(connection, 1, 3)
        pid = os.fork()
        if pid == 0:
            return connection, streams, base
        for stream in streams:
            os.close(stream)
        threading.Thread(target=report, args=(connection, pid), daemon=True).start()


def report(connection: socket.socket, pid: int) -> None:
    """Tells a command the process id of its program and, at the end, its exit status."""
    with connection, contextlib.suppress(OSError):  # it was killed
        connection.sendall(f"{pid}\n".encode())
        _, status = os.waitpid(pid, 0)
        connection.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())


def end_with(descriptor: int) -> None:
    """Kills this process when the other end of a pipe or socket is closed."""

    def wait() -> None:
        os.read(descriptor, 1)
        os.kill(os.getpid(), signal.SIGKILL)

    threading.Thread(target=wait, daemon=True).start()


def become_program(connection: socket.socket, streams: list[int], base: list[str]) -> tuple[str, list[str]]:
    """Gives this fork what the command has, and ends it with the command; the module and arguments to run."""
    if not (request := connection.makefile("r").readline()):
        os._exit(1)  # the command was killed before it asked for anything
    module, arguments, folder, environment, group, safe_path = json.loads(request)
    end_with(connection.fileno())
    with contextlib.suppress(OSError):  # the command is in another session
        os.setpgid(0, group)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    sys.stdin, sys.stdout = os.fdopen(0, encoding="utf-8"), os.fdopen(1, "w", encoding="utf-8")
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1)
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = sys.stdin, sys.stdout, sys.stderr
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    if moment := environment.get(FAKE_TIME):
        time_machine.travel(moment).start()
    entries = [entry for entry in environment.get("PYTHONPATH", "").split(os.pathsep) if entry]
    sys.path[:] = [*entries, *base]
    sys.modules.pop("sitecustomize", None)
    with contextlib.suppress(ModuleNotFoundError):
        import_module("sitecustomize")
    sys.path[:0] = [] if safe_path else [folder]
    return module, arguments


def run(module: str, arguments: list[str]) -> int:
    """Runs the program in this process; its exit status. The rest of what the interpreter does at its end, deleting all
    modules, is in a fork four fifths of the work of a short command, because each of them is copied first."""
    import runpy

    sys.argv[:] = [sys.executable, *arguments]
    status: object = None
    if not hasattr(sys.modules.get(module), "__path__"):
        sys.modules.pop(module, None)  # runpy warns of a module that was imported and is run again
    try:
        if module == "-u":
            exec(arguments[-1], {"__name__": "__main__"})
        else:
            subprocess.Popen = Popen  # type: ignore[misc]  # for programs; tests start what they name
            runpy.run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit as end:
        status = end.code
    except BaseException:
        sys.excepthook(*sys.exc_info())
        status = 1
    if not isinstance(status, int | None):
        print(status, file=sys.stderr)
        status = 1
    threading._shutdown()
    logging.raiseExceptions = False  # what ends last logs to streams that pytest has closed
    atexit._run_exitfuncs()
    with contextlib.suppress(OSError, ValueError):  # a stream is closed, or its disk full
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
    return status or 0


if __name__ == "__main__":
    program = serve(socket.socket(fileno=int(sys.argv[1])))
    os._exit(run(*become_program(*program)))
