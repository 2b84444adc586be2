"""Programs of this project in child processes that need not import anything: forks of one process that has it all.

Starting Python and importing Scrapy, SQLAlchemy and the models costs two seconds of CPU, most of what a small crawl
needs. `command("scrapy")` is [python, "-m", "scrapy"] without them, for subprocess: the program has its own process, in
the process group of the command, with the command's folder, environment and standard streams. Signals and the exit
status are passed on, and the program is killed when the command is.

As a script with --serve this file is the process that forks, otherwise the command, its client.
"""

import atexit
import contextlib
import functools
import gc
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import FrameType
from typing import Any

CHECKOUT = Path(__file__).resolve().parent.parent
#: Environment variable; with the value "error" every use of what is deprecated, by a module of ours, fails the test.
DEPRECATIONS = "DEPRECATIONS"
#: The filters for that, as pytest and `warnings` take them: category and beginning of the module's name.
DEPRECATION_FILTERS = (
    ("DeprecationWarning", "newsextract"),
    ("PendingDeprecationWarning", "newsextract"),
    ("scrapy.exceptions.ScrapyDeprecationWarning", "newsextract"),
)
#: Packages whose modules crawls and commands import by name.
PACKAGES = (
    "newsextract.crawl",
    "newsextract.crawl.commands",
    "newsextract.spiders",
    "newsextract.pipelines",
    "newsextract.cli",
    "scrapy.commands",
)
#: Modules of others that crawls and commands import when they need them.
LATE_MODULES = ("numpy.ma", "pydantic.type_adapter", "scrapy.cmdline", "xml.sax.expatreader")
#: Of a request without module: the server ends.
STOP = ""
#: Environment variable: socket of the process that forks.
SOCKET = "PRELOADED_SOCKET"
#: Seconds in which it has imported everything, on the slowest machine.
START_TIMEOUT = 300


def command(module: str, *, safe_path: bool = False) -> list[str]:
    """`python -m module` (with -P if `safe_path`) as a fork of this test process's server; append arguments."""
    return [sys.executable, "-I", "-S", __file__, server(), "safe" if safe_path else "folder", module]


@functools.cache
def server() -> str:
    """Socket of the process that forks: the one that pytest's workers share, or one of this process; it is ready."""
    if SOCKET not in os.environ:
        start_server()
    path = os.environ[SOCKET]
    deadline = time.monotonic() + START_TIMEOUT
    while True:
        with socket.socket(socket.AF_UNIX) as connection:
            try:
                connection.connect(path)
                return path
            except OSError:
                if time.monotonic() > deadline:
                    raise
        time.sleep(0.05)


def start_server() -> None:
    """Starts the process that forks and puts its socket into the environment, which pytest's workers inherit.

    It ends with this process.
    """
    import tempfile

    # The name of a socket has room for 107 bytes.
    place = tempfile.gettempdir() if len(tempfile.gettempdir()) < 70 else "/tmp"
    folder = tempfile.TemporaryDirectory(prefix="preloaded-", dir=place)
    os.environ[SOCKET] = path = str(Path(folder.name) / "socket")
    process = subprocess.Popen(
        [sys.executable, "-P", __file__, "--serve", path],
        env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
        stdin=subprocess.DEVNULL,
    )

    def end() -> None:
        try:
            send_request(path, STOP, [], safe_path=True).close()
        except OSError:
            process.kill()  # it is not ready yet
        process.wait(60)
        folder.cleanup()

    atexit.register(end)


def send_request(path: str, module: str, arguments: list[str], *, safe_path: bool) -> socket.socket:
    """Asks the server to run a module with this process's folder, environment, group and standard streams."""
    request = [module, arguments, str(Path.cwd()), dict(os.environ), os.getpgrp(), safe_path]
    message = json.dumps(request).encode()
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(path)
    socket.send_fds(connection, [len(message).to_bytes(4, "big")], [0, 1, 2])
    connection.sendall(message)
    return connection


def call(path: str, safe_path: str, module: str, *arguments: str) -> int:
    """Runs a module and passes SIGINT and SIGTERM on to it; its exit status, or -N if signal N ended it."""
    early: list[int] = []
    pids: list[int] = []

    def forward(number: int, frame: FrameType | None) -> None:
        early.append(number)
        for pid in pids:
            os.kill(pid, number)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, forward)
    answer = send_request(path, module, [*arguments], safe_path=safe_path == "safe").makefile("r")
    pids.append(int(answer.readline()))
    for number in early:
        os.kill(pids[0], number)
    return int(answer.readline())


def refuse_deprecated() -> None:
    """Makes errors of the warnings of DEPRECATION_FILTERS, where the environment asks for it."""
    import warnings
    from pydoc import locate

    if os.environ.get(DEPRECATIONS) == "error":
        for category, module in DEPRECATION_FILTERS:
            warnings.filterwarnings("error", category=locate(category), module=module)  # type: ignore[arg-type]


def preload() -> None:
    """Imports what crawls and commands import, and loads what they load at the first page and for a new database."""
    import importlib
    import importlib.metadata
    import pkgutil
    import tempfile

    refuse_deprecated()

    from scrapy.settings import default_settings
    from scrapy.utils.misc import load_object

    import newsextract
    from newsextract.article import FITTED_EXTRACTOR
    from newsextract.demo import Site
    from newsextract.extractors import make_extractor
    from newsextract.near_duplicates import signature_of
    from newsextract.store import Store
    from newsextract.workers.worker import Worker

    for name in ("twisted.internet.asyncioreactor", *LATE_MODULES):
        importlib.import_module(name)
    for name in PACKAGES:
        package = importlib.import_module(name)
        for module in pkgutil.iter_modules(package.__path__, f"{name}."):
            importlib.import_module(module.name)
    for setting in ("DOWNLOADER_MIDDLEWARES_BASE", "EXTENSIONS_BASE", "SPIDER_MIDDLEWARES_BASE"):
        for name in getattr(default_settings, setting):
            load_object(name)
    for command in importlib.metadata.entry_points(group="scrapy.commands"):
        command.load()
    with tempfile.TemporaryDirectory() as folder, Store.open(f"sqlite:///{folder}/new.db"):
        pass
    Worker(make_extractor(FITTED_EXTRACTOR, {})).warm_up()
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
    shared: Any = forkserver._forkserver  # type: ignore[attr-defined]
    shared.ensure_running = lambda: None  # it would wait for its child, which the programs are not the parents of


def receive_request(connection: socket.socket) -> tuple[list[Any] | None, list[int]]:
    """The request of a client and its standard streams; no request of one that only asks whether this process is ready,
    or that was killed meanwhile."""
    streams: list[int] = []
    try:
        size, streams, _, _ = socket.recv_fds(connection, 4, 3)
        with connection.makefile("rb") as received:
            request: list[Any] = json.loads(received.read(int.from_bytes(size, "big")))
    except (OSError, ValueError):
        for stream in streams:
            os.close(stream)
        return None, []
    return request, streams


def serve(path: str) -> tuple[str, list[str]] | None:
    """Forks for each request; returns in the fork, with the module and arguments to run, and in the end None."""
    parent = os.getppid()
    share_fork_server()
    preload()
    base = [entry for entry in sys.path if entry != str(CHECKOUT)]
    gc.collect()
    gc.freeze()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen(64)
        listener.settimeout(5)
        while True:
            try:
                connection, _ = listener.accept()
            except TimeoutError:
                if os.getppid() != parent:  # the test process was killed
                    return None
                continue
            with contextlib.suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            request, streams = receive_request(connection)
            if request is None:
                connection.close()
                continue
            if request[0] == STOP:
                return None
            if os.fork() == 0:
                listener.close()
                program = os.fork()
                if program == 0:
                    connection.close()
                    break
                for stream in streams:
                    os.close(stream)
                watch(connection, program)
            for stream in streams:
                os.close(stream)
            connection.close()
    module, arguments, folder, environment, group, safe_path = request
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
    entries = [entry for entry in environment.get("PYTHONPATH", "").split(os.pathsep) if entry]
    sys.path[:] = [*([] if safe_path else [folder]), *entries, *base]
    return module, arguments


def watch(connection: socket.socket, program: int) -> None:
    """Tells the command its program's process id and exit status, kills the program when the command ends; exits."""
    with contextlib.suppress(OSError):  # the command was killed already; so will be its program
        connection.sendall(f"{program}\n".encode())

    def kill_when_command_ends() -> None:
        connection.recv(1)
        with contextlib.suppress(ProcessLookupError):
            os.kill(program, signal.SIGKILL)

    threading.Thread(target=kill_when_command_ends, daemon=True).start()
    _, status = os.waitpid(program, 0)
    with contextlib.suppress(OSError):
        connection.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())
    os._exit(0)


def exit_without_teardown(status: int) -> None:
    """Ends the program as the interpreter does, but for deleting all modules: in a fork that is four fifths of the
    work of a short command, because each of them is copied first. Returns where the streams can't be flushed."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    with contextlib.suppress(OSError, ValueError):
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(status)


if __name__ == "__main__":
    if sys.argv[1] == "--serve":
        program = serve(sys.argv[2])
        if program is not None:
            import runpy

            time.tzset()
            sys.argv[:] = [sys.executable, *program[1]]
            ended: object = None
            try:
                runpy.run_module(program[0], run_name="__main__", alter_sys=True)
            except SystemExit as end:
                ended = end.code
            if isinstance(ended, int | None):
                exit_without_teardown(ended or 0)
            sys.exit(ended)  # type: ignore[arg-type]
        else:
            from multiprocessing import forkserver, resource_tracker

            os.close(forkserver._forkserver._forkserver_alive_fd)  # type: ignore[attr-defined]  # both end, and
            os.close(resource_tracker._resource_tracker._fd)  # type: ignore[attr-defined]  # are waited for
            with contextlib.suppress(ChildProcessError):
                while os.waitpid(-1, 0):
                    pass
    else:
        status = call(*sys.argv[1:])
        if status < 0:
            signal.signal(-status, signal.SIG_DFL) if -status != signal.SIGKILL else None
            os.kill(os.getpid(), -status)
        sys.exit(status)
