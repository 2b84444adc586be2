"""`python -m newsextract.demo --port N`: serves the demonstration site until interrupted; prints its URL first."""

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
    """Serves until SIGINT or SIGTERM. Exit status 0, 1 if the port is taken, 2 for a wrong call."""
    parser = argparse.ArgumentParser(prog="python -m newsextract.demo", description="Serve the demonstration site.")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    parser.add_argument("--port", type=int, default=8737, help="port, 0 for a free one (default: %(default)s)")
    parser.add_argument("--design", type=int, default=1, help="1, or 2 for the site after its redesign")
    parser.add_argument("--extra", type=int, default=0, help="articles made for load tests under /load/")
    parser.add_argument("--rendered", type=int, default=0, help="articles under /app/ that scripts render")
    parser.add_argument("--slow-seconds", type=float, default=3.0, help="what the slow page waits")
    parser.add_argument("--warm", action="store_true", help="render every page before the URL is printed")
    parser.add_argument("--validators", default="honest", help=f"one of {', '.join(VALIDATORS)}")
    options = parser.parse_args(arguments)
    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())
    try:
        site = Site(
            design=options.design,
            extra=options.extra,
            rendered=options.rendered,
            slow_seconds=options.slow_seconds,
            validators=options.validators,
        )
        with serve(site, host=options.host, port=options.port) as server:
            if options.warm:
                site.render_all(server.url)
            print(server.url, flush=True)
            stopped.wait()
    except NewsextractError as error:
        print(error, file=sys.stderr)
        return error.exit_status
    return 0


if __name__ == "__main__":
    sys.exit(main())
