"""Programs of this project in child processes that need not import anything: forks of one process that has it all.

Starting Python and importing Scrapy, SQLAlchemy and the models costs two seconds of CPU, most of what a small crawl
needs. `run` is subprocess.run(["python", "-m", module, …]) without them: the program has its own process, folder,
environment, standard streams and exit status. As a script with --serve this is that process, and with a module and
arguments its client: a command in a shell line that keeps the shell's folder, environment and streams.
"""

import atexit
import contextlib
import functools
import gc
import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
#: Variables that Python or the loader reads before the first import: with one of them a fork is no replacement.
READ_AT_START = ("LD_PRELOAD", "PYTHONHASHSEED", "PYTHONHOME", "PYTHONUTF8", "PYTHONIOENCODING", "PYTHONWARNINGS")
#: A request has these standard streams as file descriptors.
STREAMS = 3


def run(
    module: str,
    arguments: Sequence[object] = (),
    *,
    cwd: Path | str,
    env: dict[str, str],
    timeout: float = 100,
    safe_path: bool = False,
) -> subprocess.CompletedProcess[str]:
    """`python -m module arguments…`, with -P if `safe_path`; stdin is empty. Raises subprocess.TimeoutExpired."""
    words = [str(argument) for argument in arguments]
    if any(name in env for name in READ_AT_START):
        command = [sys.executable, *(["-P"] if safe_path else []), "-m", module, *words]
        return subprocess.run(
            command,
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
    with (
        open(os.devnull, "rb") as stdin,
        tempfile.TemporaryFile("w+", encoding="utf-8") as stdout,
        tempfile.TemporaryFile("w+", encoding="utf-8") as stderr,
    ):
        streams = [stdin.fileno(), stdout.fileno(), stderr.fileno()]
        status = request(server(), module, words, str(cwd), env, streams, timeout, safe_path)
        for stream in (stdout, stderr):
            stream.seek(0)
        return subprocess.CompletedProcess([module, *words], status, stdout.read(), stderr.read())


def write_command(path: Path, module: str) -> None:
    """An executable file that runs the module with its arguments, in a fork of this test process's server."""
    path.write_text(f'#!/bin/sh\nexec {sys.executable} -I -S {__file__} {server()} {module} "$@"\n')
    path.chmod(0o755)


@functools.cache
def server() -> str:
    """Socket of the process that forks; started at the first use, and ended with this process."""
    folder = tempfile.TemporaryDirectory(prefix="preloaded-")
    path = os.path.join(folder.name, "socket")
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    command = [sys.executable, "-P", __file__, "--serve", path]
    process = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None and process.stdin is not None
    if process.stdout.readline() != b"ready\n":
        raise RuntimeError(f"no preloaded process: status {process.wait()}")

    def end() -> None:
        with contextlib.suppress(OSError):
            request(path, "", [], "/", {}, [0, 1, 2], 5, True)
        process.wait(10)
        folder.cleanup()

    atexit.register(end)
    return path


def request(
    path: str,
    module: str,
    words: list[str],
    cwd: str,
    env: dict[str, str],
    streams: list[int],
    timeout: float | None,
    safe_path: bool,
) -> int:
    """Asks the server to run a module, and waits; the exit status, or -N of a program ended by signal N."""
    message = json.dumps([module, words, cwd, env, safe_path]).encode()
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(timeout)
        connection.connect(path)
        socket.send_fds(connection, [len(message).to_bytes(4, "big")], streams)
        connection.sendall(message)
        if not module:
            return 0
        with connection.makefile("r") as answer:
            pid = int(answer.readline())
            try:
                return int(answer.readline())
            except TimeoutError:
                os.kill(pid, 9)
                raise subprocess.TimeoutExpired(module, timeout or 0) from None


def preload() -> None:
    """Imports what crawls and commands import, and loads what extraction loads at the first page."""
    import importlib
    import pkgutil

    import scrapy.cmdline
    import scrapy.core.downloader.handlers.http11
    import scrapy.core.scraper
    import scrapy.extensions.feedexport
    import scrapy.utils.defer
    import twisted.internet.asyncioreactor

    import newsextract
    import newsextract.cli
    import newsextract.crawl
    import newsextract.pipelines
    import newsextract.spiders
    from newsextract.demo import Site

    for package in (newsextract.crawl, newsextract.spiders, newsextract.pipelines, newsextract.cli):
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    site = Site()
    gold = next(iter(site.gold()))
    newsextract.extract(site.page(gold.path).body, "https://example.org/story.html")
    assert "twisted.internet.reactor" not in sys.modules, "each program installs its own reactor"


def serve(path: str) -> tuple[str, list[str]] | None:
    """Forks for each request; returns in the fork, with the module and arguments to run, and in the end None."""
    preload()
    base = [entry for entry in sys.path if entry != str(CHECKOUT)]
    gc.collect()
    gc.freeze()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen(64)
        print("ready", flush=True)
        while True:
            connection, _ = listener.accept()
            with contextlib.suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            size, streams, _, _ = socket.recv_fds(connection, 4, STREAMS)
            with connection.makefile("rb") as received:
                module, words, cwd, env, safe_path = json.loads(received.read(int.from_bytes(size, "big")))
            if not module:
                break
            if os.fork() == 0:
                listener.close()
                program = os.fork()
                if program == 0:
                    connection.close()
                    break
                for stream in streams:
                    os.close(stream)
                connection.sendall(f"{program}\n".encode())
                _, status = os.waitpid(program, 0)
                connection.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())
                os._exit(0)
            for stream in streams:
                os.close(stream)
            connection.close()
    if not module:
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, 0):
                pass
        return None
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    path_variable = [entry for entry in env.get("PYTHONPATH", "").split(os.pathsep) if entry]
    sys.path[:] = [*([] if safe_path else [cwd]), *path_variable, *base]
    return module, words


if __name__ == "__main__":
    if sys.argv[1] == "--serve":
        program = serve(sys.argv[2])
        if program is not None:
            import runpy
            import time

            time.tzset()
            sys.argv[:] = [sys.executable, *program[1]]
            runpy.run_module(program[0], run_name="__main__", alter_sys=True)
    else:
        status = request(sys.argv[1], sys.argv[2], sys.argv[3:], os.getcwd(), dict(os.environ), [0, 1, 2], None, True)
        if status < 0:
            os.kill(os.getpid(), -status)
        sys.exit(status)
