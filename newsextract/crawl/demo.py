"""`newsextract demo`: serves the demonstration site in a child process and crawls it like any other site."""

import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from newsextract.crawl.run import crawl_urls
from newsextract.errors import NewsextractError

#: The port of the site; where it is taken, one of the ports after it.
PORT = 8765
PORTS_TRIED = 20
#: The site is on this machine: the address check is lifted, for this process only, and nobody needs pauses.
DEMO_SETTINGS: dict[str, object] = {
    "NEWSEXTRACT_ALLOW_PRIVATE": True,
    "DOWNLOAD_DELAY": 0,
    "AUTOTHROTTLE_ENABLED": False,
    "RETRY_TIMES": 1,
}


def crawl_demo(port: int | None = None, **overrides: object) -> int:
    """Crawls the demonstration site into the current folder; 0 or 1. Raises NewsextractError where it can't begin.

    `port`: exactly this one. `overrides`: settings over those of the demonstration.
    """
    with demo_server(port) as url:
        print(f"The demonstration site is at {url}/ until the crawl ends.", file=sys.stderr)
        return crawl_urls([f"{url}/"], overrides=DEMO_SETTINGS | overrides)


@contextmanager
def demo_server(port: int | None = None) -> Iterator[str]:
    """The demonstration site in a child process; gives its URL, without trailing slash."""
    server, url = _start_server(range(PORT, PORT + PORTS_TRIED) if port is None else (port,))
    try:
        yield url
    finally:
        server.terminate()
        server.wait()
        if server.stdout is not None:
            server.stdout.close()


def _start_server(ports: Iterable[int]) -> "tuple[subprocess.Popen[str], str]":
    """The server on the first port that is free, and its URL."""
    message = ""
    for port in ports:
        # -P: a folder named newsextract where the user stands is not taken for this package
        server = subprocess.Popen(
            [sys.executable, "-P", "-m", "newsextract.demo", "--port", str(port)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        if url:
            return server, url
        message = server.communicate()[1].strip()
    raise NewsextractError(message.splitlines()[-1] if message else "The demonstration site could not be served")
