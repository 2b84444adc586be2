"""Helpers of tests that crawl: a small web server on loopback, and `scrapy crawl` in a process of its own."""

import json
import os
import random
import socket
import sqlite3
import ssl
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from scrapy.settings import Settings

from evaluation.crawling import serving
from evaluation.crawling.kill import KilledCrawl, path_of
from tests import preloaded

CHECKOUT = Path(__file__).resolve().parent.parent
#: Settings of most crawls in tests: loopback is allowed, no delays, and extraction in the crawl's own process, because
#: starting worker processes costs more than a small crawl. Tests of workers set NEWSEXTRACT_WORKERS themselves.
QUICK = {
    "NEWSEXTRACT_ALLOW_PRIVATE": "1",
    "NEWSEXTRACT_WORKERS": "0",
    "DOWNLOAD_DELAY": "0",
    "AUTOTHROTTLE_ENABLED": "0",
    "RETRY_TIMES": "0",
}

Finished = subprocess.CompletedProcess[str]
#: As `Answer.length`: no Content-Length header; the body ends with the connection.
NO_LENGTH = -1


def free_port() -> int:
    """A port of 127.0.0.1 that is free and stays so: below those that the kernel gives to other tests' connections."""
    for port in random.SystemRandom().sample(range(20_000, 32_000), 100):
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    raise OSError("no port is free")


@dataclass
class Answer:
    """The response of a `Web` to one path."""

    body: bytes | str = b""
    status: int = 200
    content_type: str = "text/html; charset=utf-8"
    headers: dict[str, str] = field(default_factory=dict)
    length: int | None = None  # a wrong Content-Length, or NO_LENGTH
    before: Callable[[], Any] | None = None  # called between the headers and the body


class Web:
    """A web site at `url`, its pages by path.

    `asked`, `methods` and `headers` have those of each request, `posted` the bodies of POST requests.
    """

    def __init__(self, server: ThreadingHTTPServer, scheme: str = "http") -> None:
        self.port = server.server_address[1]
        self.url = f"{scheme}://{server.server_address[0]!s}:{self.port}"
        self.pages: dict[str, Answer | Callable[[], Answer]] = {}
        self.asked: list[str] = []
        self.methods: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.posted: list[bytes] = []

    def __setitem__(self, path: str, answer: "Answer | str | Callable[[], Answer]") -> None:
        self.pages[path] = Answer(answer) if isinstance(answer, str) else answer

    def answer(self, path: str) -> Answer:
        page = self.pages.get(path) or Answer("nothing here", 404)
        return page() if callable(page) else page


@contextmanager
def web(host: str = "127.0.0.1", port: int = 0, certificate: Path | None = None) -> Iterator[Web]:
    """A web server on a loopback address, in threads of this process, until the block ends.

    `certificate`: a PEM file with key and certificate, by which it answers over TLS.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            site.asked.append(self.path)
            site.methods.append(self.command)
            site.headers.append(dict(self.headers))
            answer = site.answer(self.path)
            body = answer.body.encode() if isinstance(answer.body, str) else answer.body
            self.send_response(answer.status)
            self.send_header("Content-Type", answer.content_type)
            if answer.length != NO_LENGTH:
                self.send_header("Content-Length", str(len(body) if answer.length is None else answer.length))
            for name, value in answer.headers.items():
                self.send_header(name, value)
            try:
                self.end_headers()
                if answer.before:
                    answer.before()
                self.wfile.write(b"" if self.command == "HEAD" else body)
            except OSError:  # the client closed the connection, or `before` says that it is to be reset
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")

        do_HEAD = do_GET

        def do_POST(self) -> None:
            site.posted.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.do_GET()

        def log_message(self, format: str, *args: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 128  # a crawl opens many connections before a busy machine lets this process accept one

        def handle_error(self, request: Any, client_address: Any) -> None:
            if certificate is None:  # else the client doesn't trust it
                super().handle_error(request, client_address)

    server = Server((host, port), Handler)
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    with serving(server):
        site = Web(server, "https" if certificate else "http")
        yield site


@contextmanager
def webs(number: int) -> Iterator[list[Web]]:
    """So many servers, each on an address of its own, for what one crawl can show of many sites."""
    with ExitStack() as stack:
        yield [stack.enter_context(web(f"127.0.0.{n + 1}")) for n in range(number)]


@dataclass
class Crawled:
    """The result of a crawl: exit status, output, and the statistics and articles of its database, if it made one."""

    status: int
    stdout: str
    stderr: str
    stats: dict[str, Any]
    articles: list[dict[str, Any]]

    @property
    def urls(self) -> set[str]:
        return {article["url"] for article in self.articles}

    @property
    def paths(self) -> set[str]:
        """The paths of the articles, with their queries."""
        return {path_of(url) for url in self.urls}

    @property
    def dropped(self) -> dict[str, int]:
        prefix = "newsextract/dropped/"
        return {name.removeprefix(prefix): n for name, n in self.stats.items() if name.startswith(prefix)}


def environment(**more: str) -> dict[str, str]:
    """Environment variables with which the project's commands work in any folder; an empty one is left out."""
    ours = {"PYTHONPATH": str(CHECKOUT), "SCRAPY_SETTINGS_MODULE": "newsextract.settings", **more}
    return {name: value for name, value in {**os.environ, **ours}.items() if value or name not in ours}


def crawl_command(spider: str, *options: str, settings: dict[str, str], **arguments: str) -> list[str]:
    """`scrapy crawl` with these options, settings and arguments."""
    return [*preloaded.command("scrapy"), "crawl", spider, *options, *crawl_options(settings, **arguments)]


def crawl_options(settings: dict[str, str], **arguments: str) -> list[str]:
    pairs = [("-a", *pair) for pair in arguments.items()] + [("-s", *pair) for pair in settings.items()]
    return [word for option, name, value in pairs for word in (option, f"{name}={value}")]


def run_command(command: Sequence[Any], folder: Path, status: int | None = 0, **variables: str) -> Finished:
    """Runs a command in a folder, with these variables of the environment. It has to end with this status, if one is
    given, and prints no traceback."""
    done = subprocess.run(
        command, cwd=folder, env=environment(**variables), stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=300, check=False,
    )  # fmt: skip
    assert status is None or (done.returncode == status and "Traceback" not in done.stderr), done.stdout + done.stderr
    return done


def crawl(
    folder: Path,
    spider: str,
    *options: str,
    settings: dict[str, str] | None = None,
    quick: bool = True,
    env: dict[str, str] | None = None,
    status: int | None = 0,
    **arguments: str,
) -> Crawled:
    """Runs `scrapy crawl` in a folder, where it leaves newsextract.db. `quick`: with the settings QUICK; `status`: as
    of `run_command`."""
    values = {**(QUICK if quick else {}), **(settings or {})}
    done = run_command(crawl_command(spider, *options, settings=values, **arguments), folder, status, **(env or {}))
    database = folder / "newsextract.db"
    stats, articles = read_database(database) if database.exists() else ({}, [])
    return Crawled(done.returncode, done.stdout, done.stderr, stats, articles)


def newsextract(
    folder: Path, *words: str, settings: dict[str, str] | None = None, status: int | None = 0, **variables: str
) -> Finished:
    """Runs `newsextract WORDS` in a folder, with these settings and variables of the environment."""
    command = [*preloaded.command("newsextract", safe_path=True), *words, *crawl_options(settings or {})]
    return run_command(command, folder, status, **variables)


def settings(**changes: object) -> Settings:
    """The project's settings with these changes."""
    made = Settings()
    made.setmodule("newsextract.settings", priority="project")
    made.setdict(changes, priority="cmdline")
    return made


def killed_crawl(folder: Path, site: Any, database: str = "", **settings: str) -> KilledCrawl:
    """A crawl of the site in a folder, to be killed or stopped, without worker processes if no setting says so."""
    settings = {"NEWSEXTRACT_WORKERS": "0", **settings}
    return KilledCrawl(folder, site, database, settings, scrapy=preloaded.command("scrapy"))


def read_database(database: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The last run's statistics, and all articles in their present version."""
    from newsextract.store import Store

    rows = sql(database, "SELECT stats FROM runs ORDER BY id DESC LIMIT 1")
    with Store.open(f"sqlite:///{database}", must_exist=True) as store:
        articles = [row.article.to_dict() for row in store.articles()]
    return (json.loads(rows[0][0]) if rows and rows[0][0] else {}), articles


def sql(database: Path, statement: str, *values: object) -> list[Any]:
    with closing(sqlite3.connect(database)) as connection, connection:
        return connection.execute(statement, values).fetchall()


def make_due(folder: Path, *paths: str) -> None:
    """Makes the pages at these paths due, so that the next crawl in the folder asks for them again."""
    for path in paths:
        due = "UPDATE urls SET next_due = '2026-01-01 00:00:00.000000' WHERE url LIKE ?"
        sql(folder / "newsextract.db", due, f"%{path}")


def json_lines(path: Path) -> list[dict[str, Any]]:
    """The objects of a file of JSON lines, each of which must be whole."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


#: Paths that look like those of articles, as `add_stories` puts them on a site.
STORIES = [f"/2026/05/0{n}/the-council-votes-on-pier-{n}.html" for n in range(1, 9)]


def add_stories(site: Web, number: int = 3) -> list[str]:
    """Puts a front page and that many stories on a site; returns the paths of the stories."""
    site["/"] = front(*STORIES[:number])
    for n, path in enumerate(STORIES[:number]):
        site[path] = article(f"Story {n}", f"Place {n}")
    return STORIES[:number]


#: Paragraphs of an article; {place} makes each text differ from others.
STORY = Path(__file__).with_name("story.txt").read_text("utf-8").rstrip()


def article(headline: str, place: str, date: str = "2026-05-05T08:00:00+00:00", head: str = "", links: str = "") -> str:
    """An article page that every extractor recognizes; `place` makes its text differ from others."""
    paragraphs = "".join(f"<p>{line}</p>" for line in STORY.format(place=place).splitlines())
    return (
        f"<!doctype html><html lang=en><head><title>{headline}</title><meta property='article:published_time' "
        f"content='{date}'><meta property='og:type' content='article'>{head}</head><body><nav>{links}</nav>"
        f"<article><h1>{headline}</h1>{paragraphs}</article></body></html>"
    )


def front(*links: str, head: str = "") -> str:
    """A front page with a link to each path, each with its own anchor text."""
    items = "".join(f"<li><a href='{link}'>Story at {link}</a></li>" for link in links)
    return f"<!doctype html><html><head><title>The Gazette</title>{head}</head><body><ul>{items}</ul></body></html>"


def feed(*links: str, title: str = "t", item: str = "") -> Answer:
    """An RSS feed with an entry of this title for each link; `item`: what else each says."""
    items = "".join(f"<item><title>{title}</title><link>{link}</link>{item}</item>" for link in links)
    return Answer(f"<rss version='2.0'><channel>{items}</channel></rss>", content_type="application/rss+xml")


def warc_record(
    url: str,
    body: bytes,
    content_type: str = "text/html; charset=utf-8",
    headers: str = "",
    status: str = "200 OK",
    when: str = "2026-01-02T03:04:05Z",
    length: int | None = None,
) -> bytes:
    """A response in a WARC file. `length`: a wrong length of the record."""
    http = f"HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\n{headers}\r\n".encode() + body
    head = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: {when}\r\n"
    head += "WARC-Record-ID: <urn:uuid:1>\r\nContent-Type: application/http; msgtype=response\r\n"
    head += f"Content-Length: {len(http) if length is None else length}\r\n\r\n"
    return head.encode() + http + b"\r\n\r\n"
