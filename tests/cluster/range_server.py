"""A real web server of archives that answers range requests, and misbehaves as it is told."""

import gzip
import re
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

#: Ways to misbehave, each in turn with good answers: every second answer to a range is a bad one.
TROUBLES = ("none", "reset", "503", "slow", "truncated", "short")


class RangeHandler(BaseHTTPRequestHandler):
    """HEAD, and GET with and without Range, below `server.folder`."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else the rest of a body waits 40 ms for the reader to confirm its first part
    server: "RangeServer"

    def log_message(self, *_: object) -> None:
        pass

    def do_HEAD(self) -> None:
        path = self.server.folder / self.path.lstrip("/")
        self.send_response(302 if self.server.redirect_to else 200 if path.is_file() else 404)
        if self.server.redirect_to:
            self.send_header("Location", self.server.redirect_to + self.path)
        elif path.is_file():
            self.send_header("Content-Length", str(path.stat().st_size))
        self.end_headers()

    def do_GET(self) -> None:
        path = self.server.folder / self.path.lstrip("/")
        self.server.requests.append((self.path, self.headers.get("Range"), self.headers.get("User-Agent", "")))
        if self.server.redirect_to:
            self.send_response(302)
            self.send_header("Location", self.server.redirect_to + self.path)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        if not path.is_file():
            self.send_error(404)
            return
        body = path.read_bytes()
        match = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        if match is None or self.server.trouble == "no ranges":
            self.answer(200, body)
            return
        start, end = int(match[1]), min(int(match[2]) + 1, len(body))
        part = body[start:end]
        is_bad = len(self.server.requests) % 2 == 0
        trouble = self.server.trouble if is_bad else "none"
        span = f"bytes {start}-{end - 1}/{len(body)}"
        if trouble == "503":
            self.send_response(503)
            self.send_header("Retry-After", "0")
            self.send_header("Content-Length", "0")
            self.end_headers()
        elif trouble == "short":  # an honest answer, of less than was asked for
            part = part[: max(1, len(part) // 2)]
            self.answer(206, part, f"bytes {start}-{start + len(part) - 1}/{len(body)}")
        else:
            self.answer(206, part, span, trouble)

    def answer(self, status: int, body: bytes, span: str = "", trouble: str = "none") -> None:
        self.send_response(status)
        if span:
            self.send_header("Content-Range", span)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if trouble in ("reset", "truncated"):
            self.wfile.write(body[: len(body) // 3])
            self.close_connection = True
            if trouble == "reset":
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            return
        for begin in range(0, len(body), 1 + len(body) // 5):
            self.wfile.write(body[begin : begin + 1 + len(body) // 5])
            if trouble == "slow":
                self.wfile.flush()
                time.sleep(0.02)


class RangeServer(ThreadingHTTPServer):
    """Serves a folder on a loopback address. `requests` of GET: path, Range and User-Agent of each."""

    daemon_threads = True

    def __init__(self, folder: Path, trouble: str, redirect_to: str, host: str) -> None:
        super().__init__((host, 0), RangeHandler)
        self.folder, self.trouble, self.redirect_to, self.host = folder, trouble, redirect_to, host
        self.requests: list[tuple[str, str | None, str]] = []

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.server_port}"


@contextmanager
def serve_ranges(
    folder: Path, trouble: str = "none", redirect_to: str = "", host: str = "127.0.0.1"
) -> Iterator[RangeServer]:
    """The server, until the end of the block. `redirect_to`: where it sends all requests."""
    server = RangeServer(folder, trouble, redirect_to, host)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def packed_list(names: list[str]) -> bytes:
    """A list of paths as Common Crawl publishes it."""
    return gzip.compress("\n".join([*names, ""]).encode())
