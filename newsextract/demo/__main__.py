"""`python -m newsextract.demo --port N`: serves the demonstration site until interrupted; prints its URL first."""

import argparse
import signal
import sys
import threading

from newsextract.demo.server import serve
from newsextract.demo.site import Site
from newsextract.errors import NewsextractError
from newsextract.text import say


def main(arguments: list[str] | None = None) -> int:
    """Serves until SIGINT or SIGTERM. Exit status 0, 1 if the port is taken, 2 for a wrong call."""
    parser = argparse.ArgumentParser(prog="python -m newsextract.demo", description="Serve the demonstration site.")
    parser.add_argument("--port", type=int, default=8737, help="port, 0 for a free one (default: %(default)s)")
    parser.add_argument("--extra", type=int, default=0, help="number of generated articles under /load/")
    parser.add_argument("--rendered", type=int, default=0, help="number of articles under /app/ that scripts render")
    parser.add_argument("--slow-seconds", type=float, default=3.0, help="delay of the slow page")
    parser.add_argument("--warm", action="store_true", help="render every page before printing the URL")
    options = parser.parse_args(arguments)
    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())
    site = Site(extra=options.extra, rendered=options.rendered, slow_seconds=options.slow_seconds)
    try:
        with serve(site, port=options.port) as server:
            if options.warm:
                site.render_all(server.url)
            say(server.url)
            stopped.wait()
    except NewsextractError as error:
        say(str(error), err=True)
        return error.exit_status
    return 0


if __name__ == "__main__":
    sys.exit(main())
