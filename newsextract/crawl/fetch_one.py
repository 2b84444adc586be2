"""One page, or a few, by their addresses: a crawl of its own under the guard, robots.txt and limits of any.

A process can crawl only once, and a library must not start an event loop in its caller's; so `single` does it in a
child process and writes each page to its standard output: a line of JSON about it, then its bytes.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from newsextract.errors import AddressRefused, NewsextractError, WrongCall
from newsextract.items import FetchedPage

#: Seconds for all: a page's own limit is DOWNLOAD_TIMEOUT, with a robots.txt and retries before it.
PATIENCE = 300
#: What of a page is written as JSON, beside the time of the fetch and the length of the bytes that follow.
FIELDS = ("url", "encoding", "status", "etag", "last_modified")
ERRORS: dict[str, type[NewsextractError]] = {"wrong_call": WrongCall, "address_refused": AddressRefused}


def fetch(*urls: str) -> list[FetchedPage]:
    """The pages at these addresses, in their order; one without scheme is tried as https.

    Raises WrongCall for what is no address, AddressRefused where the guard, and NewsextractError where robots.txt, an
    HTTP status, the network or a limit stands between. NEWSEXTRACT_ALLOW_PRIVATE=1 in the environment lets private
    addresses through, as the setting does for a crawl.
    """
    package = str(Path(__file__).resolve().parents[2])
    search = os.pathsep.join(filter(None, (package, os.environ.get("PYTHONPATH"))))
    command = [sys.executable, "-m", "newsextract.crawl.fetch_one_child", *urls]
    surroundings = {**os.environ, "PYTHONPATH": search}
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, env=surroundings, timeout=PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        raise NewsextractError(f"{' '.join(urls)}: no answer within {PATIENCE} seconds") from None
    pages = list(_read(done.stdout))
    if len(pages) != len(urls):
        raise NewsextractError(f"{' '.join(urls)}: the process that fetches ended with status {done.returncode}")
    return pages


def _read(output: bytes) -> Iterator[FetchedPage]:
    """The pages that the child wrote; raises the first error among them."""
    while output:
        line, _, output = output.partition(b"\n")
        told = json.loads(line)
        if told["error"]:
            raise ERRORS.get(told["reason"], NewsextractError)(told["error"])
        body, output = output[: told["length"]], output[told["length"] :]
        fields = {name: told[name] for name in FIELDS}
        yield FetchedPage(body=body, fetched_at=datetime.fromisoformat(told["fetched_at"]), **fields)
