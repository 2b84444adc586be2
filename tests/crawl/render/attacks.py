"""A page whose scripts try every way out of a browser to an address, and listeners there that count what arrives."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

#: Tries everything at `hosts` (HTTP and what begins with it) and at the UDP port; ends with an article as its text.
PAGE = """<!doctype html><html lang=en><head><title>Attack</title>
<link rel=dns-prefetch href="//HOST"><link rel=preconnect href="http://HOST"><link rel=prefetch href="http://HOST/prefetch">
<link rel=stylesheet href="http://HOST/sheet.css"><link rel=modulepreload href="http://HOST/module.js">
<link rel=icon href="http://HOST/icon"><link rel=manifest href="http://HOST/manifest">
<script type=speculationrules>{"prefetch":[{"urls":["http://HOST/speculated"]}],
                               "prerender":[{"urls":["http://HOST/prerendered"]}]}</script>
<style>@import "http://HOST/import.css"; @font-face {font-family: f; src: url(http://HOST/font)}
body {font-family: f; background: url(http://HOST/background)}</style></head>
<body><div id=root></div><iframe src="http://HOST/frame"></iframe><img src="http://HOST/image">
<video src="http://HOST/video"></video><object data="http://HOST/object"></object><embed src="http://HOST/embed">
<iframe srcdoc="<script>fetch('http://HOST/srcdoc')</script>"></iframe>
<form id=form action="http://HOST/form" method=post target=frame><input name=a></form><iframe name=frame></iframe>
<script>
const hosts = HOSTS, udp = UDP_PORT;
const attempt = action => { try { Promise.resolve(action()).catch(() => {}); } catch {} };
for (const path of REDIRECTS) { attempt(() => fetch(path)); attempt(() => import(path)); }
for (const host of hosts) {
    const url = `http://${host}`, request = new XMLHttpRequest(), node = document.createElement("script");
    const worker = `fetch("${url}/worker"); importScripts("${url}/worker.js")`;
    attempt(() => fetch(url + "/fetch"));
    attempt(() => fetch(url + "/no-cors", {mode: "no-cors", method: "POST", body: "x"}));
    attempt(() => import(url + "/import.js"));
    attempt(() => { request.open("GET", url + "/xhr"); request.send(); });
    attempt(() => { node.src = url + "/script"; document.body.append(node); });
    attempt(() => navigator.sendBeacon(url + "/beacon", "x"));
    attempt(() => new EventSource(url + "/events"));
    attempt(() => new WebSocket(`ws://${host}/`));
    attempt(() => new WebTransport(`https://${host}/`).ready);
    attempt(() => window.open(url + "/window"));
    attempt(() => new Worker(URL.createObjectURL(new Blob([worker]))));
    attempt(() => new SharedWorker("data:text/javascript,fetch('" + url + "/shared')"));
}
attempt(() => navigator.serviceWorker.register("/worker.js"));
attempt(() => document.getElementById("form").submit());
for (const urls of [`stun:127.0.0.1:${udp}`, `turn:127.0.0.1:${udp}?transport=udp`]) attempt(async () => {
    const peer = new RTCPeerConnection({iceServers: [{urls, username: "a", credential: "b"}]});
    peer.createDataChannel("a");
    await peer.setLocalDescription(await peer.createOffer());
});
setTimeout(() => { document.getElementById("root").innerHTML = ARTICLE; }, 200);
setTimeout(() => { location.href = "http://HOST/location"; }, LEAVES_AFTER);
</script></body></html>"""


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
