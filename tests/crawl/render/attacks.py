"""A page whose scripts try every way out of a browser to an address, and listeners there that count what arrives."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

#: Tries everything at `hosts` (HTTP and what begins with it) and at the UDP port; ends with an article as its text.
PAGE = Path(__file__).with_suffix(".html").read_text("utf-8")
ANSWER = b"HTTP/1.1 200 OK\r\nAccess-Control-Allow-Origin: *\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


@dataclass
class Listeners:
    """A TCP and a UDP socket on 127.0.0.1; `arrived` has what each connection or datagram began with."""

    tcp: socket.socket
    udp: socket.socket
    arrived: list[bytes] = field(default_factory=list)

    @property
    def port(self) -> int:
        return int(self.tcp.getsockname()[1])

    @property
    def udp_port(self) -> int:
        return int(self.udp.getsockname()[1])

    def serve(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            connection.settimeout(5)
            self.arrived.append(b"TCP")
            self.arrived.append(b"TCP " + connection.recv(2000))
            connection.sendall(ANSWER)

    def accept(self) -> None:
        with suppress(OSError):
            while True:
                threading.Thread(target=self.serve, args=(self.tcp.accept()[0],), daemon=True).start()

    def receive(self) -> None:
        """Takes the datagrams that wait."""
        with suppress(BlockingIOError):
            while True:
                self.arrived.append(b"UDP " + self.udp.recv(20))


@contextmanager
def listeners() -> Iterator[Listeners]:
    """Listens until the block ends."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as tcp, socket.socket(type=socket.SOCK_DGRAM) as udp:
        udp.bind(("127.0.0.1", 0))
        udp.setblocking(False)
        here = Listeners(tcp, udp)
        thread = threading.Thread(target=here.accept, daemon=True)
        thread.start()
        yield here
        here.receive()
        tcp.shutdown(socket.SHUT_RDWR)
        thread.join(5)


def attack_page(
    there: Listeners,
    hosts: list[str],
    article: str = "''",
    redirects: list[str] | None = None,
    leaves_after: int = 1_000,
) -> str:
    """The page with its targets. `article`: a JavaScript expression of its HTML; `redirects`: paths that
    lead there; `leaves_after`: milliseconds until it goes there itself."""
    page = PAGE.replace("HOSTS", json.dumps(hosts)).replace("HOST", hosts[0]).replace("UDP_PORT", str(there.udp_port))
    page = page.replace("LEAVES_AFTER", str(leaves_after))
    return page.replace("ARTICLE", article).replace("REDIRECTS", json.dumps(redirects or []))
