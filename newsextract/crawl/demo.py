"""`newsextract demo`: serves the demonstration site in a child process and crawls it as any other site."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from scrapy.crawler import AsyncCrawlerProcess
from scrapy.settings import Settings

from newsextract.crawl.log import silence_routine_log_lines
from newsextract.crawl.run import run_crawl
from newsextract.errors import NewsextractError

#: Where the site is served; where that is taken, one of the ports after it.
PORT = 8765
TRIED = 20
CHECKOUT = Path(__file__).resolve().parents[2]
#: The site is on this machine: the address check is lifted, for this process only, and nobody needs pauses.
SETTINGS: dict[str, Any] = {
    "NEWSEXTRACT_ALLOW_PRIVATE": True,
    "NEWSEXTRACT_JSONL": "articles.jsonl",
    "DOWNLOAD_DELAY": 0,
    "AUTOTHROTTLE_ENABLED": False,
    "RETRY_TIMES": 1,
}


def crawl_demo(port: int | None = None, **settings: Any) -> int:
    """Crawls the demonstration site into the current folder; 0 or 1. Raises NewsextractError where it can't begin.

    `port`: exactly this one. `settings`: over those of the demonstration.
    """
    process = AsyncCrawlerProcess(project_settings(SETTINGS | settings))
    with demo_server(port) as url:
        print(f"The demonstration site is at {url}/ until the crawl ends.", file=sys.stderr)
        return run_crawl(process, "site", {"url": f"{url}/"})


@contextmanager
def demo_server(port: int | None = None) -> Iterator[str]:
    """The demonstration site in a child process; gives its URL, without trailing slash."""
    server, url = _start(range(PORT, PORT + TRIED) if port is None else (port,))
    try:
        yield url
    finally:
        server.terminate()
        server.wait()
        if server.stdout is not None:
            server.stdout.close()


def project_settings(overrides: dict[str, Any] | None = None) -> Settings:
    """The project's settings; raises NewsextractError in an installed library, which has no spiders and pipelines."""
    if not (CHECKOUT / "scrapy.cfg").is_file():
        raise NewsextractError(
            "A crawl needs the project's checkout, with scrapy.cfg, spiders and pipelines; this is the library alone"
        )
    if str(CHECKOUT) not in sys.path:
        sys.path.insert(0, str(CHECKOUT))
    settings = Settings()
    settings.setmodule("newsextract.settings", priority="project")
    settings.setdict(overrides or {}, priority="cmdline")
    silence_routine_log_lines(settings)
    return settings


def _start(ports: Any) -> "tuple[subprocess.Popen[str], str]":
    """The server on the first port that is free, and its URL."""
    said = ""
    for port in ports:
        search = os.pathsep.join(filter(None, (str(CHECKOUT), os.environ.get("PYTHONPATH"))))
        server = subprocess.Popen(
            [sys.executable, "-m", "newsextract.demo", "--port", str(port)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": search},
        )
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        if url:
            return server, url
        said = server.communicate()[1].strip()
    raise NewsextractError(said.splitlines()[-1] if said else "The demonstration site could not be served")
