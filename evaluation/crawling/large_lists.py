"""`scripts/bench lists --urls`: CPU time and memory that large sitemaps cost a crawl, when they are new and as before.

A site on loopback has an index of sitemaps with 50,000 URLs each; a crawl of 20 pages reads it, and another one again,
with one URL more in each, as if a day had passed. Exit status 1 if a URL of the largest costs clearly more than one of
the smallest.
"""

import gzip
import os
import re
import sqlite3
import subprocess
import tempfile
from contextlib import closing
from dataclasses import dataclass
from datetime import date, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from rich.table import Table

from evaluation.crawling import WITHOUT_PAUSES, crawl_command, crawl_environment, serving
from newsextract.cli.terminal import results

#: URLs of one sitemap, by the protocol; those of one day.
MAP_SIZE = 50_000
DAY_SIZE = 900
#: URLs of the list that shows what a crawl costs beside its lists.
FEW = 20
#: Pages that each crawl fetches.
PAGES = 20
DATABASE = "news.db"
#: How much more a URL of the largest list may cost than one of the smallest: B-trees grow by levels.
MOST = 1.4
NUMBER = re.compile(r"-(\d+)\.html$")
WORDS = "ferry council bakery museum orchard choir lighthouse tram harbour bridge school library".split()


@dataclass(frozen=True, slots=True)
class Cost:
    """CPU seconds of a crawl with its workers, and the memory of its largest process in MB."""

    cpu: float
    megabytes: float


class ListSite(ThreadingHTTPServer):
    """A site whose sitemaps list `count` stories, the newest first; `further`: whether there is one more."""

    def __init__(self, count: int) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.further = False
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        starts = range(0, count, MAP_SIZE)
        self.maps = [gzip.compress(self._map(range(start, min(count, start + MAP_SIZE))), 1) for start in starts]

    def _map(self, numbers: range) -> bytes:
        entries = "".join(self._entry(number) for number in numbers)
        return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>'.encode()

    def _entry(self, number: int) -> str:
        day = date(2026, 11, 28) - timedelta(days=number // DAY_SIZE)
        words = "-".join(WORDS[number // len(WORDS) ** place % len(WORDS)] for place in range(5))
        path = f"{day:%Y/%m/%d}/town/the-{words}-{number}.html"
        return f"<url><loc>{self.url}/{path}</loc><lastmod>{day}</lastmod></url>"

    def answer(self, path: str) -> tuple[str, bytes] | None:
        """Content type and body at a path; None if there is nothing."""
        if path == "/":
            return "text/html", b"<title>Town</title><h1>Town</h1>"
        if path == "/robots.txt":
            return "text/plain", f"Sitemap: {self.url}/index.xml".encode()
        if path == "/index.xml":
            maps = "".join(f"<sitemap><loc>{self.url}/map/{n}.xml.gz</loc></sitemap>" for n in range(len(self.maps)))
            return "application/xml", f"<sitemapindex>{maps}</sitemapindex>".encode()
        if path.startswith("/map/"):
            body = self.maps[int(path.split("/")[-1].partition(".")[0])]
            if self.further:
                new = f"{self._entry(-1)}</urlset>".encode()
                body = gzip.compress(gzip.decompress(body).replace(b"</urlset>", new), 1)
            return "application/gzip", body
        return ("text/html", story(int(match[1]))) if (match := NUMBER.search(path)) else None


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        assert isinstance(self.server, ListSite)
        found = self.server.answer(self.path)
        kind, body = found or ("text/plain", b"nothing here")
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Prints nothing."""


def story(number: int) -> bytes:
    """An article of its own."""
    one, other = (WORDS[number // len(WORDS) ** place % len(WORDS)] for place in range(2))
    lines = "".join(
        f"<p>The {one} of district {number} has asked for lamp {number + line}, and the {other} has none to spare.</p>"
        for line in range(6)
    )
    return (
        f"<title>District {number}</title><article><h1>District {number} and the {one}</h1>{lines}</article>".encode()
    )


def crawl_once(site: ListSite, folder: str) -> Cost:
    """A crawl of PAGES pages in a process of its own, in which articles are extracted, too."""
    settings = {**WITHOUT_PAUSES, "NEWSEXTRACT_WORKERS": 0, "LOG_LEVEL": "ERROR"}
    settings["NEWSEXTRACT_DATABASE_URL"] = f"sqlite:///{Path(folder) / DATABASE}"
    command = crawl_command(settings, {"url": f"{site.url}/", "max_pages": PAGES})
    process = subprocess.Popen(command, cwd=folder, env=crawl_environment(), stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"the crawl failed with status {os.waitstatus_to_exitcode(status)}")
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def make_lists_due(folder: str) -> None:
    """Lets the next crawl read all lists again, which are due a day later at the earliest."""
    with closing(sqlite3.connect(Path(folder) / DATABASE)) as database, database:
        database.execute("UPDATE urls SET next_due = first_seen WHERE kind = 'sitemap'")


def crawl_twice(count: int) -> tuple[Cost, Cost]:
    """The costs of the first crawl, and of one that finds the sitemaps as they were but for one URL each."""
    with serving(ListSite(count)) as site, tempfile.TemporaryDirectory() as folder:
        first = crawl_once(site, folder)
        make_lists_due(folder)
        site.further = True
        return first, crawl_once(site, folder)


def measure(counts: list[int]) -> bool:
    """Prints what lists of so many URLs cost, beside a crawl of a short one; whether it is in proportion."""
    few, *costs = (crawl_twice(count) for count in (FEW, *sorted(counts)))
    table = Table("URLs", "CPU s", "of the list", "as it was: CPU s", "of the list", "MB")
    each = []
    for count, (first, again) in zip(sorted(counts), costs, strict=True):
        net, net_again = first.cpu - few[0].cpu, again.cpu - few[1].cpu
        each.append(net / count)
        figures = (first.cpu, net, again.cpu, net_again)
        table.add_row(f"{count:,}", *(f"{one:.1f}" for one in figures), f"{max(first.megabytes, again.megabytes):.0f}")
    results().print(table)
    growth = each[-1] / each[0]
    print(
        f"CPU of a URL: {1e6 * each[-1]:.0f} µs in the largest, {growth:.2f} of that in the smallest (at most {MOST})"
    )
    return growth <= MOST
