"""The demonstration site over HTTP/1.1 on loopback: in threads of this process, or in a child process."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from newsextract.demo.render import other_base
from newsextract.demo.response import Response, conditional
from newsextract.demo.site import Site
from newsextract.errors import NewsextractError


class DemoServerError(NewsextractError):
    """The demonstration site can't be served on this port."""


@dataclass(frozen=True)
class Seen:
    """One request: path with query, response status, whether it was conditional, Host header, method, User-Agent."""

    path: str
    status: int
    conditional: bool
    host: str
    method: str
    user_agent: str


class DemoServer:
    """A running server. `site` may be replaced while it runs; the next request is answered by the new one."""

    def __init__(self, site: Site, listener: _Listener) -> None:
        self.site = site
        self.port: int = listener.server_address[1]
        self.url = f"http://{listener.server_address[0]!s}:{self.port}"
        self._seen: list[Seen] = []

    @property
    def requests(self) -> list[Seen]:
        """All requests so far, in the order of their responses."""
        return list(self._seen)

    @property
    def paths(self) -> Counter[str]:
        """Path -> number of requests."""
        return Counter(seen.path for seen in self._seen)

    def forget(self) -> None:
        """Clears the record of requests."""
        self._seen.clear()

    def record(self, seen: Seen) -> None:
        """Records a request; called from the server's threads."""
        self._seen.append(seen)


@contextmanager
def serve(
    site: Site | None = None, host: str = "127.0.0.1", port: int = 0, other_host: bool = False
) -> Iterator[DemoServer]:
    """Serves a site until the block ends; port 0 takes a free one.

    other_host: also serve the same port of the address that the site's off-site links point to, so that a crawl that
    leaves the site is recorded (with that Host) instead of being refused by the operating system.
    """
    site = site or Site()
    listeners = [_listen(host, port)]
    server = DemoServer(site, listeners[0])
    if other_host:
        listeners.append(_listen(other_base(server.url).split("/")[2].split(":")[0], server.port))
    threads = []
    for listener in listeners:
        listener.demo = server
        threads.append(threading.Thread(target=listener.serve_forever, args=(0.05,), daemon=True))
        threads[-1].start()
    try:
        yield server
    finally:
        for listener in listeners:
            listener.stop()
        for thread in threads:
            thread.join()


@contextmanager
def serve_in_process(ports: Iterable[int] = (0,), *options: str) -> Iterator[str]:
    """Serves the site in a child process, on the first port that is free; yields its URL, without trailing slash.

    options: further arguments of `python -m newsextract.demo`. DemoServerError with the child's message if it can't
    serve on any of the ports.
    """
    message = "the demonstration site could not be served"
    for port in ports:
        # -P: a folder named newsextract in the current directory is not imported instead of this package
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


def _listen(host: str, port: int) -> _Listener:
    try:
        return _Listener((host, port), _Handler)
    except (OSError, OverflowError) as error:
        raise DemoServerError(f"the demonstration site can't listen on {host}:{port}: {error}") from error


class _Listener(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128
    demo: DemoServer

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        self.stopping = threading.Event()
        self._open: set[socket.socket] = set()
        super().__init__(address, handler)

    def server_bind(self) -> None:
        """Binds without the reverse DNS lookup of HTTPServer, which may use the network."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = str(self.server_address[0]), self.server_address[1]

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
        """Stops at once, even with slow responses in progress and connections kept alive."""
        self.stopping.set()
        self.shutdown()
        for connection in list(self._open):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = 60
    server: _Listener

    def do_GET(self) -> None:
        self._answer()

    def do_HEAD(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self.close_connection = True
        self._send(Response(405, (("Allow", "GET, HEAD"), ("Connection", "close"))))

    def log_message(self, format: str, *args: object) -> None:
        """No access log: `DemoServer.requests` has all requests."""

    def _answer(self) -> None:
        host = self.headers.get("Host") or f"{self.server.server_name}:{self.server.server_port}"
        response = self.server.demo.site.page(self.path, base=f"http://{host}")
        if response.delay:
            self.server.stopping.wait(response.delay)
        self._send(conditional(response, dict(self.headers.items())))

    def _send(self, response: Response) -> None:
        """Sends the response in one write, or in chunks; for HEAD the header alone."""
        headers = self.headers
        seen = Seen(
            self.path,
            response.status,
            "If-None-Match" in headers or "If-Modified-Since" in headers,
            headers.get("Host", ""),
            self.command,
            headers.get("User-Agent", ""),
        )
        self.server.demo.record(seen)
        lines = [f"HTTP/1.1 {response.status} {self.responses[response.status][0]}", f"Date: {self.date_time_string()}"]
        lines += [f"{name}: {value}" for name, value in response.headers]
        if response.chunks:
            lines.append("Transfer-Encoding: chunked")
        elif response.status != 304:
            lines.append(f"Content-Length: {len(response.body)}")
        head = "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n"
        is_head = self.command == "HEAD"
        self.wfile.write(head if is_head or response.chunks else head + response.body)
        if response.chunks and not is_head:
            for chunk in response.chunks():
                self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
            self.wfile.write(b"0\r\n\r\n")
