"""`newsextract demo`: serves the demonstration site in a child process and crawls it like any other site."""

import sys

from newsextract.crawl.run import crawl_urls
from newsextract.demo import serve_in_process

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
    ports = range(PORT, PORT + PORTS_TRIED) if port is None else (port,)
    with serve_in_process(ports) as url:
        print(f"The demonstration site is at {url}/ until the crawl ends.", file=sys.stderr)
        return crawl_urls([f"{url}/"], overrides=DEMO_SETTINGS | overrides)
