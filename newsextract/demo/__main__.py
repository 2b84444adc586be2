"""`python -m newsextract.demo --port N`: the demonstration site until interrupted; the first line is its URL."""

from __future__ import annotations

import argparse
import signal
import sys
import threading

from newsextract.demo.response import VALIDATORS
from newsextract.demo.server import serve
from newsextract.demo.site import Site
from newsextract.errors import NewsextractError


def main(arguments: list[str] | None = None) -> int:
    """Serve until SIGINT or SIGTERM; 0 then, 1 if the port can't be had, 2 for a wrong call."""
    parser = argparse.ArgumentParser(prog="python -m newsextract.demo", description="Serve the demonstration site.")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    parser.add_argument("--port", type=int, default=8737, help="port, 0 for a free one (default: %(default)s)")
    parser.add_argument("--design", type=int, default=1, help="1, or 2 for the site after its redesign")
    parser.add_argument("--extra", type=int, default=0, help="articles made for load tests under /load/")
    parser.add_argument("--slow-seconds", type=float, default=3.0, help="what the slow page waits")
    parser.add_argument("--warm", action="store_true", help="render every page before the URL is printed")
    parser.add_argument("--validators", default="honest", help=f"one of {', '.join(VALIDATORS)}")
    asked = parser.parse_args(arguments)
    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())
    try:
        site = Site(
            design=asked.design, extra=asked.extra, slow_seconds=asked.slow_seconds, validators=asked.validators
        )
        with serve(site, host=asked.host, port=asked.port) as server:
            if asked.warm:
                site.render_all(server.url)
            print(server.url, flush=True)
            stopped.wait()
    except NewsextractError as error:
        print(error, file=sys.stderr)
        return error.exit_status
    return 0


if __name__ == "__main__":
    sys.exit(main())
