"""Server of many small news sites (front page, feed, articles), each on its own loopback address, in one process."""

import asyncio
import multiprocessing
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from newsextract.demo import Site

#: Seconds until a response: long enough that two workers on one site at a time are noticed.
LATENCY = 0.01
#: Keeps crawls from the links of the articles' frame, which lead nowhere.
ROBOTS = b"User-agent: *\nAllow: /$\nAllow: /feed.xml\nAllow: /load/\nDisallow: /\n"


@dataclass(frozen=True, slots=True)
class Visit:
    """A request. `agent`: the user agent of the worker; `together_with`: another worker with a request at this site."""

    at: float
    site: str
    path: str
    agent: str
    together_with: str | None


class ManySites:
    """Client of the server process: its sites, and the requests that they got."""

    def __init__(self, pipe: Any, sites: list[str], paths: dict[str, set[str]]) -> None:
        self._pipe = pipe
        self.sites, self.paths = sites, paths

    @property
    def articles(self) -> int:
        """Number of articles of all sites."""
        return sum(map(len, self.paths.values()))

    def count(self) -> int:
        """Number of requests for articles so far."""
        self._pipe.send("count")
        return int(self._pipe.recv())

    def visits(self) -> list[Visit]:
        """All requests since the last call."""
        self._pipe.send("visits")
        return [Visit(*row) for row in self._pipe.recv()]


@contextmanager
def serve_sites(sites: int, articles: int) -> Iterator[ManySites]:
    """Serves `sites` sites from 127.0.0.2 on, each with so many articles, until the block ends."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs, sites, articles), daemon=True)
    process.start()
    try:
        yield ManySites(ours, *ours.recv())
    finally:
        ours.send(None)
        process.join(10)
        process.kill()


class _Sites:
    """Rendered pages by host and path, and the requests for them."""

    def __init__(self, sites: int, articles: int) -> None:
        self.source = Site(extra=sites * articles)
        stories = self.source.publications["load"].stories
        hosts = [f"127.0.{(n + 2) // 256}.{(n + 2) % 256}" for n in range(sites)]
        self.paths = {
            host: [story.path for story in stories[n * articles : (n + 1) * articles]] for n, host in enumerate(hosts)
        }
        self.pages: dict[tuple[str, str], tuple[str, bytes]] = {}
        self.visits: list[tuple[float, str, str, str, str | None]] = []
        self.asking: dict[str, Counter[str]] = {host: Counter() for host in hosts}
        self.asked_for_articles = 0

    def render(self, port: int) -> None:
        """Renders every page beforehand, so that rendering is not measured."""
        for host, paths in self.paths.items():
            links = "".join(f"<li><a href='{path}'>The story at {path}</a></li>" for path in paths)
            head = "<title>The Gazette</title><link rel=alternate type=application/rss+xml href=/feed.xml>"
            self.pages[host, "/"] = "text/html", f"<html><head>{head}</head><body><ul>{links}</ul>".encode()
            items = "".join(f"<item><link>http://{host}:{port}{path}</link></item>" for path in paths)
            feed = f"<rss version='2.0'><channel><title>The Gazette</title>{items}</channel></rss>"
            self.pages[host, "/feed.xml"] = "application/rss+xml", feed.encode()
            self.pages[host, "/robots.txt"] = "text/plain", ROBOTS
            for path in paths:
                body = self.source.page(path, base=f"http://{host}:{port}").body
                self.pages[host, path] = "text/html; charset=utf-8", body

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serves one connection, with keep-alive."""
        host = str(writer.get_extra_info("sockname")[0])
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            while head := await reader.readuntil(b"\r\n\r\n"):
                lines = head.decode("latin-1").split("\r\n")
                agent = next((line[12:] for line in lines if line.lower().startswith("user-agent: ")), "")
                writer.write(await self._page(host, lines[0].split(" ")[1], agent))
                await writer.drain()
        writer.close()

    async def _page(self, host: str, path: str, agent: str) -> bytes:
        asking = self.asking[host]
        other = next((name for name, number in asking.items() if number and name != agent), None)
        self.visits.append((time.monotonic(), host, path, agent, other))
        self.asked_for_articles += path.startswith("/load/")
        asking[agent] += 1
        await asyncio.sleep(LATENCY)
        asking[agent] -= 1
        kind, body = self.pages.get((host, path), ("text/plain", b""))
        status = "200 OK" if body else "404 Not Found"
        return f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


def _serve(pipe: Any, sites: int, articles: int) -> None:
    asyncio.run(_serve_until_stopped(pipe, _Sites(sites, articles)))


async def _serve_until_stopped(pipe: Any, served: _Sites) -> None:
    hosts = list(served.paths)
    first = await asyncio.start_server(served.answer, hosts[0], 0)
    port = first.sockets[0].getsockname()[1]
    served.render(port)
    for host in hosts[1:]:
        await asyncio.start_server(served.answer, host, port)
    names = {host: f"{host}:{port}" for host in hosts}
    pipe.send(([f"http://{name}/" for name in names.values()], {names[h]: set(p) for h, p in served.paths.items()}))
    while (command := await asyncio.to_thread(pipe.recv)) is not None:
        if command == "count":
            pipe.send(served.asked_for_articles)
        else:
            visits, served.visits, served.asked_for_articles = served.visits, [], 0
            pipe.send([(at, names[host], path, agent, other) for at, host, path, agent, other in visits])
