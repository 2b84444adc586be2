"""A real web server of archives that answers range requests, and misbehaves on demand."""

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
        self.respond()

    def do_GET(self) -> None:
        self.server.requests.append((self.path, self.headers.get("Range"), self.headers.get("User-Agent", "")))
        self.respond()

    def respond(self) -> None:
        path, span = self.server.folder / self.path.lstrip("/"), self.headers.get("Range", "")
        trouble = self.server.trouble if len(self.server.requests) % 2 == 0 else "none"
        if self.server.redirect_to:
            self.begin(302, 0, Location=self.server.redirect_to + self.path)
        elif not path.is_file():
            self.begin(404, 0)
        elif self.command == "HEAD":
            self.begin(200, path.stat().st_size)
        elif not span or self.server.trouble == "no ranges":
            self.begin(200, path.stat().st_size)
            self.wfile.write(path.read_bytes())
        elif trouble == "503":
            self.begin(503, 0, Retry_After="0")
        else:
            start, last = map(int, span.removeprefix("bytes=").split("-"))
            body = path.read_bytes()
            part = body[start : last + 1]
            if trouble == "short":  # an honest answer, of less than was asked for
                part = part[: max(1, len(part) // 2)]
            self.begin(206, len(part), Content_Range=f"bytes {start}-{start + len(part) - 1}/{len(body)}")
            self.send_part(part, trouble)

    def begin(self, status: int, length: int, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(length), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def send_part(self, part: bytes, trouble: str) -> None:
        if trouble in ("reset", "truncated"):
            self.wfile.write(part[: len(part) // 3])
            self.close_connection = True
            if trouble == "reset":
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            return
        for begin in range(0, len(part), 1 + len(part) // 5):
            self.wfile.write(part[begin : begin + 1 + len(part) // 5])
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
