"""The demonstration site over HTTP/1.1 on loopback: in threads of this process, or in a child process."""

import hashlib
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingTCPServer
from typing import Any, NamedTuple

from newsextract.demo.rendering import Response
from newsextract.demo.site import Site
from newsextract.errors import NewsextractError


class DemoServerError(NewsextractError):
    """The demonstration site can't be served on this port."""


class Seen(NamedTuple):
    """One request: path with query, response status, whether it was conditional, Host header, User-Agent."""

    path: str
    status: int
    conditional: bool
    host: str
    user_agent: str


class DemoServer(ThreadingTCPServer):  # HTTPServer looks up the address's name, maybe on the network
    """A running server. `site` may be replaced while it runs; `requests`: all so far, in order of response."""

    allow_reuse_address = daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, site: Site, host: str, port: int) -> None:
        self.site = site
        self.requests: list[Seen] = []
        self._open: set[socket.socket] = set()
        try:
            super().__init__((host, port), _Handler)
        except (OSError, OverflowError) as error:
            raise DemoServerError(f"the demonstration site can't listen on {host}:{port}: {error}") from error
        self.port: int = self.server_address[1]
        self.url = f"http://{host}:{self.port}"

    @property
    def paths(self) -> Counter[str]:
        return Counter(seen.path for seen in self.requests)

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignores closed connections; reports other errors."""
        if not isinstance(sys.exc_info()[1], (ConnectionError, TimeoutError)):
            super().handle_error(request, client_address)

    def stop(self) -> None:
        """Stops at once, even with slow responses in progress and open connections."""
        self.shutdown()
        for connection in list(self._open):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        self.server_close()


@contextmanager
def serve(site: Site | None = None, host: str = "127.0.0.1", port: int = 0) -> Iterator[DemoServer]:
    """Serves a site until the block ends; port 0 uses a free one."""
    server = DemoServer(site or Site(), host, port)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield server
    finally:
        server.stop()


@contextmanager
def serve_in_process(ports: Iterable[int] = (0,), *options: str) -> Iterator[str]:
    """Serves the site in a child process, on the first free port; yields its URL, without trailing slash.

    options: further arguments of `python -m newsextract.demo`. Raises DemoServerError with the child's message if none
    of the ports can be used.
    """
    message = "the demonstration site could not be served"
    for port in ports:
        # -P: ignores a folder named newsextract in the current one
        command = [sys.executable, "-P", "-m", "newsextract.demo", "--port", str(port), *options]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            if url := process.stdout.readline().strip():
                try:
                    yield url
                finally:
                    process.terminate()
                return
            message = process.communicate()[1].strip().rpartition("\n")[2] or message
    raise DemoServerError(message)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = 60
    server: DemoServer

    def log_message(self, format: str, *args: object) -> None:
        """No access log: `DemoServer.requests` has all requests."""

    def do_GET(self) -> None:
        """Sends the page in one write, or in chunks; for HEAD only the header; 304 if the client has it."""
        host = self.headers["Host"] or self.server.url.removeprefix("http://")
        response = self.server.site.page(self.path, base=f"http://{host}")
        time.sleep(response.delay)
        known = self.headers["If-None-Match"]
        lines = [f"Date: {self.date_time_string()}", f"Content-Type: {response.content_type}"]
        status = response.status
        if response.location:
            lines.append(f"Location: {response.location}")
        if response.chunks:
            lines.append("Transfer-Encoding: chunked")
        elif status == 200:
            etag = f'"{hashlib.sha256(response.body).hexdigest()[:20]}"'
            lines.append(f"ETag: {etag}")
            if known and etag in known:
                status, response = 304, Response(b"")
        if status != 304 and not response.chunks:
            lines.append(f"Content-Length: {len(response.body)}")
        agent = self.headers["User-Agent"] or ""
        self.server.requests.append(Seen(self.path, status, known is not None, host, agent))
        head = "\r\n".join([f"HTTP/1.1 {status} {self.responses[status][0]}", *lines, "\r\n"]).encode("latin-1")
        self.wfile.write(head if self.command == "HEAD" or response.chunks else head + response.body)
        if response.chunks and self.command == "GET":
            for chunk in response.chunks():
                self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
            self.wfile.write(b"0\r\n\r\n")

    do_HEAD = do_GET
