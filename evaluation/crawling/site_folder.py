"""Whole sites saved as folders: files, golds, reachable pages, and a server on loopback.

A folder has `public` (the site's files; `http://SITE.invalid` in them is replaced by the server's URL), `gold.jsonl`
(every article: `path`, `title`, `date`, and `text` or null if unknown) and `pages.jsonl` (every other page: `path`,
`kind`: list, page, dup, redirect, other, unknown). NAME.tar.xz contains a folder NAME.
"""

import json
import re
import tarfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from html import unescape
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

from evaluation.crawling import serving
from newsextract.errors import WrongCall
from newsextract.files import file_exists

#: Placeholder for the site's own URL in feeds and sitemaps.
PLACEHOLDER = b"http://SITE.invalid"
#: Replaces it while links are followed in the files.
BASE = "http://x"
#: Where a crawl may begin: the front page, and the usual places of sitemaps and feeds.
STARTS = (
    *("/", "/robots.txt", "/sitemap.xml", "/sitemap_index.xml", "/wp-sitemap.xml"),
    *("/feed/", "/feed", "/rss.xml", "/atom.xml", "/index.xml", "/feed.xml"),
)
HREF = re.compile(r"""href\s*=\s*["']?([^"' >]+)""")
LINK_OF_PAGE = re.compile(r"""<a\b[^>]*?href\s*=\s*["']?([^"' >]+)""", re.I)
LINK_ELEMENT = re.compile(r"<link\b[^>]*>", re.I)
FEED_TYPE = re.compile("rss|atom", re.I)
#: URLs in feeds and sitemaps, and the sitemaps of a robots.txt.
LINKS_OF_LIST = (
    re.compile(r"<(?:loc|link|id)[^>]*>\s*(?:<!\[CDATA\[)?\s*(http://x[^<\]]+)"),
    re.compile(r'<link[^>]*href="([^"]+)"'),
    re.compile(r"(?mi)^sitemap:\s*(\S+)"),
)
#: A second page of an article, which has no gold of its own.
PART_OF_PAGE = "index_s_"


@dataclass(frozen=True)
class SiteFolder:
    """A saved site. `gold`, `kinds`: the reachable articles, and the kinds of the other pages, by `page_key`."""

    name: str
    public: Path
    gold: dict[str, dict[str, Any]]
    kinds: dict[str, str]


def page_key(path: str) -> str:
    """The path that identifies a page: without query, `index.html`, `.html` and slashes at its ends."""
    path = unquote(path.split("?")[0].split("#")[0]).replace("index.html", "")
    return "/" + path.removesuffix(".html").strip("/")


@contextmanager
def open_sites(names: Sequence[Path]) -> Iterator[list[SiteFolder]]:
    """The sites in folders and .tar.xz archives; archives are unpacked until the block ends. Raises WrongCall."""
    with ExitStack() as stack:
        folders = [_unpacked(name, stack) if name.suffix == ".xz" else name for name in names]
        sites = [read_site(folder) for folder in folders]
        if len({site.name for site in sites}) < len(sites):
            raise WrongCall(f"two sites have the same name: {', '.join(site.name for site in sites)}")
        yield sites


def read_site(folder: Path) -> SiteFolder:
    """The site in a folder. Raises WrongCall for any other folder."""
    public = folder / "public"
    if not public.is_dir():
        raise WrongCall(f"{folder}: no saved site, which has the folder `public`, gold.jsonl and pages.jsonl")
    reached = reachable(public)
    articles = {
        page_key(row["path"]): row for row in _rows(folder / "gold.jsonl", ()) if PART_OF_PAGE not in row["path"]
    }
    others = _rows(folder / "pages.jsonl", ("kind",))
    gold = {key: row for key, row in articles.items() if key in reached}
    return SiteFolder(folder.name, public, gold, {page_key(row["path"]): row["kind"] for row in others})


def reachable(public: Path) -> set[str]:
    """Keys of the files reachable by links of pages, feeds and sitemaps from the front page and the usual places."""
    seen: set[str] = set()
    todo = list(STARTS)
    while todo:
        path = todo.pop()
        if page_key(path) in seen or (file := _file_at(public, path)) is None:
            continue
        seen.add(page_key(path))
        base = BASE + (path if file.name == "index.html" and path.endswith("/") else f"/{file.relative_to(public)}")
        for link in _links(file):
            try:
                parts = urlsplit(urljoin(base, unescape(link)))
            except ValueError:
                continue
            if parts.netloc == BASE.removeprefix("http://") and page_key(parts.path) not in seen:
                todo.append(parts.path)
    return seen


def _file_at(public: Path, path: str) -> Path | None:
    asked = public / unquote(path).lstrip("/")
    candidates = [asked, asked / "index.html", asked / "index.xml"]
    if asked.name:
        candidates.append(asked.with_name(f"{asked.name}.html"))
    return next((file for file in candidates if file_exists(file)), None)


def _links(file: Path) -> Iterator[str]:
    """URLs that a page, feed, sitemap or robots.txt leads to: its links, and the feeds that a page names."""
    text = file.read_bytes().decode("utf-8", "replace").replace(PLACEHOLDER.decode(), BASE)
    yield from LINK_OF_PAGE.findall(text)
    for element in LINK_ELEMENT.findall(text):
        if FEED_TYPE.search(element):
            yield from HREF.findall(element)
    if not file.name.endswith("html"):
        for pattern in LINKS_OF_LIST:
            yield from pattern.findall(text)


def _unpacked(archive: Path, stack: ExitStack) -> Path:
    folder = Path(stack.enter_context(TemporaryDirectory()))
    try:
        with tarfile.open(archive) as tar:
            tar.extractall(folder, filter="data")
    except (OSError, tarfile.TarError, EOFError) as error:
        raise WrongCall(f"{archive}: no archive of a saved site ({error})") from error
    return folder / archive.name.removesuffix(".tar.xz")


def _rows(path: Path, keys: Sequence[str]) -> list[dict[str, Any]]:
    try:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, ValueError, RecursionError) as error:
        raise WrongCall(f"{path}: can't be read ({error})") from error
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict) or not all(isinstance(row.get(key), str) for key in ("path", *keys)):
            raise WrongCall(f"{path}, line {number}: no object with the texts {', '.join(('path', *keys))}")
    return rows


class SiteServer(ThreadingHTTPServer):
    """Serves the files of a site at the root of a loopback address.

    `requests`: path without query -> HTML pages sent for it, in order of first request.
    """

    def __init__(self, public: Path) -> None:
        super().__init__(("127.0.0.1", 0), partial(_Handler, directory=str(public)))
        self.url = f"http://127.0.0.1:{self.server_port}/"
        self.requests: Counter[str] = Counter()


def serve_site(public: Path) -> AbstractContextManager[SiteServer]:
    """A server of the files of a site, which runs until the block ends."""
    return serving(SiteServer(public))


class _Handler(SimpleHTTPRequestHandler):
    """Sends files with the site's URL filled in; a folder gets its index.html or index.xml."""

    server: SiteServer

    def log_message(self, format: str, *arguments: Any) -> None:
        """Requests are counted, not logged."""

    def do_GET(self) -> None:
        """Answers a request; the URL of a folder without a slash at its end is redirected."""
        asked = Path(self.translate_path(self.path))
        path = self.path.split("?")[0]
        file = next((one for one in (asked, asked / "index.html", asked / "index.xml") if one.is_file()), None)
        if asked.is_dir() and not path.endswith("/"):
            super().do_GET()
        elif file is None:
            self.send_error(404)
        else:
            body = file.read_bytes().replace(PLACEHOLDER, self.server.url.rstrip("/").encode())
            kind = self.guess_type(str(file))
            self.server.requests[path] += kind == "text/html"
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
