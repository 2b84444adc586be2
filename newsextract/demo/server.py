"""The demonstration site over HTTP/1.1 on loopback."""

from __future__ import annotations

import socket
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from newsextract.demo.hazards import other_base
from newsextract.demo.response import Response, conditional
from newsextract.demo.site import Site
from newsextract.errors import NewsextractError


class DemoServerError(NewsextractError):
    """The demonstration site can't be served there."""


@dataclass(frozen=True)
class Seen:
    """One request: path with query, status answered, whether it was conditional, the Host header, the method."""

    path: str
    status: int
    conditional: bool
    host: str
    method: str
    user_agent: str


class DemoServer:
    """A running server. `site` may be replaced while it runs: the next request gets the new one."""

    def __init__(self, site: Site, listener: _Listener) -> None:
        self.site = site
        self.port: int = listener.server_address[1]
        self.url = f"http://{listener.server_address[0]!s}:{self.port}"
        self._seen: list[Seen] = []

    @property
    def requests(self) -> list[Seen]:
        """All requests so far, in the order of their answers."""
        return list(self._seen)

    @property
    def paths(self) -> Counter[str]:
        """How often each path was asked for."""
        return Counter(seen.path for seen in self._seen)

    def forget(self) -> None:
        """Start the record of requests anew."""
        self._seen.clear()

    def record(self, seen: Seen) -> None:
        """Note a request; called from the server's threads."""
        self._seen.append(seen)


@contextmanager
def serve(
    site: Site | None = None, host: str = "127.0.0.1", port: int = 0, other_host: bool = False
) -> Iterator[DemoServer]:
    """Serve a site until the block ends; port 0 takes a free one.

    With `other_host` the same port of the address that the site's off-site links point to is served too, so that a
    crawl that leaves the site is seen in the requests (by their Host) rather than refused by the system.
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
        """Bind without the look-up of the host's name, which may ask the network."""
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
        """A client that goes away is no news; anything else is."""
        if not isinstance(sys.exc_info()[1], (ConnectionError, TimeoutError)):
            super().handle_error(request, client_address)

    def stop(self) -> None:
        """End at once, also for slow pages under way and for connections that are kept alive."""
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
        """Quiet: whoever wants to know reads `DemoServer.requests`."""

    def _answer(self) -> None:
        host = self.headers.get("Host") or f"{self.server.server_name}:{self.server.server_port}"
        response = self.server.demo.site.page(self.path, base=f"http://{host}")
        if response.delay:
            self.server.stopping.wait(response.delay)
        self._send(conditional(response, dict(self.headers.items())))

    def _send(self, response: Response) -> None:
        """The whole response in one write, or in chunks; HEAD gets the header alone."""
        asked = {"If-None-Match", "If-Modified-Since"}
        headers = self.headers
        seen = Seen(
            self.path,
            response.status,
            any(name in headers for name in asked),
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
        bodiless = self.command == "HEAD"
        self.wfile.write(head if bodiless or response.chunks else head + response.body)
        if response.chunks and not bodiless:
            for chunk in response.chunks():
                self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
            self.wfile.write(b"0\r\n\r\n")
