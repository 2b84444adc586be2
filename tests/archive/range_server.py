"""A web server of archives that answers range requests, and misbehaves on demand."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import cycle
from pathlib import Path

from tests.crawling import Answer, Web, web

#: Ways to misbehave, each in turn with good answers: every second answer to a range is a bad one.
TROUBLES = ("none", "reset", "503", "slow", "truncated", "short")


def reset() -> None:
    raise ConnectionResetError


def answer(site: Web, content: bytes, troubles: Iterator[str]) -> Answer:
    """The file, or the range that the request asks for."""
    span, trouble = site.headers[-1].get("Range"), next(troubles)
    if not span or trouble == "no ranges":
        return Answer(content)
    start, last = map(int, span.removeprefix("bytes=").split("-"))
    part = content[start : last + 1]
    if trouble == "503":
        return Answer(status=503, headers={"Retry-After": "0"})
    if trouble == "short":  # an honest answer, of less than was asked for
        part = part[: max(1, len(part) // 2)]
    headers = {"Content-Range": f"bytes {start}-{start + len(part) - 1}/{len(content)}"}
    sent = part[: len(part) // 3] if trouble in ("truncated", "reset") else part
    before = {"slow": partial(time.sleep, 0.1), "reset": reset}.get(trouble)
    return Answer(sent, 206, headers=headers, length=len(part), before=before)


@contextmanager
def serve_ranges(folder: Path, trouble: str = "none", redirect_to: str = "", host: str = "127.0.0.1") -> Iterator[Web]:
    """The archives of a folder, until the end of the block. `redirect_to`: where all requests are sent."""
    with web(host) as site:
        for file in folder.rglob("*.gz"):
            path = f"/{file.relative_to(folder)}"
            troubles = cycle([trouble if trouble == "no ranges" else "none", trouble])
            moved = Answer(status=302, headers={"Location": redirect_to + path})
            site[path] = moved if redirect_to else partial(answer, site, file.read_bytes(), troubles)
        yield site
