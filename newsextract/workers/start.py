"""The main function of a worker process. It imports nothing itself, so that it can tell what can't be imported."""

import sys
from collections.abc import Mapping
from multiprocessing.connection import Connection


def start_worker(connection: Connection, extractor: str, options: Mapping[str, object]) -> None:
    """Serves the calls of a crawl; where that can't begin, sends the reason as text and ends with status 1."""
    try:
        from newsextract.workers.worker import make_worker, serve

        worker = make_worker(extractor, options)
    except Exception as error:  # whatever is wrong with the installation or the machine
        connection.send(f"{type(error).__name__}: {error}")
        sys.exit(1)
    serve(connection, worker)
