"""`newsextract browse` as a process, and its pages."""

import signal
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError

from tests import preloaded
from tests.crawling import environment, free_port

#: Seconds that a busy machine may take for something that takes a fraction of a second.
WAIT_SECONDS = 300


@contextmanager
def browsing(folder: Path, *options: str, **variables: str) -> Iterator[str]:
    """`newsextract browse` in a folder, with these variables of its environment: its address, without trailing slash.
    Ctrl-C ends it."""
    port = free_port()
    command = [*preloaded.command("newsextract", safe_path=True), "browse", "--port", str(port), *options]
    env = environment(**variables)
    with subprocess.Popen(command, cwd=folder, env=env, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == f"http://127.0.0.1:{port}/\n"
        try:
            get(f"http://127.0.0.1:{port}/-/versions.json")
            yield f"http://127.0.0.1:{port}"
        finally:
            process.send_signal(signal.SIGINT)
            assert process.wait(WAIT_SECONDS) in (0, -signal.SIGINT)


def get(address: str, text: str = "") -> str:
    """The page, as soon as the server answers and the text is there; an error page with its status before it."""
    until = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < until:
        try:
            with urllib.request.urlopen(address, timeout=WAIT_SECONDS) as answer:
                if text in (page := answer.read().decode()):
                    return str(page)
        except HTTPError as error:
            return f"{error.code} {error.read().decode()}"
        except OSError:
            pass
        time.sleep(0.1)
    raise AssertionError(f"{address} does not answer or is without {text!r}")
