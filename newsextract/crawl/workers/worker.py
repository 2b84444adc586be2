"""What a worker process does: reads pages (links, template) and extracts articles. Imports no Scrapy."""

import gc
import hashlib
import queue
import signal
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from multiprocessing.connection import Connection
from typing import Any

from newsextract.article import article_of_fetched, join_parts, page_of
from newsextract.crawl.workers.page_cache import Shelf
from newsextract.discovery.links import PageLinks, extract_links
from newsextract.discovery.multipart import first_part, next_part
from newsextract.errors import NewsextractError
from newsextract.extractors import Extractor, make_extractor
from newsextract.items import Article, FetchedPage
from newsextract.near_duplicates import with_signature
from newsextract.page import Page
from newsextract.pairing.templates import template_of
from newsextract.text import letters_and_digits

#: The body of a page that is sent by its key alone.
NOT_SENT: Any = None


@dataclass(slots=True)
class Reading:
    """What the crawl needs to know of a page before it is extracted.

    `next`, `first`: of an article that is cut into pages, the next part, and the first where the page is a later one.
    """

    links: PageLinks = field(default_factory=PageLinks)
    template: frozenset[int] = frozenset()
    page_hash: str | None = None
    next: str | None = None
    first: str | None = None


class Worker:
    """One extractor and the pages it holds parsed. The same code runs in a process and, without any, in a thread."""

    def __init__(self, extractor: Extractor) -> None:
        self.extractor = extractor
        self.shelf: Shelf[Page] = Shelf()

    def read(self, page: FetchedPage, first: str | None = None, number: int = 1) -> Reading:
        """Links, template and hash of a page; it stays on the shelf for its extraction.

        `first`, `number`: of which article, by the address of its first page, the page is which part.
        """
        parsed = self.parsed(page)
        links = extract_links(parsed.tree, page.url)
        parsed.drop(page.drop)
        reading = Reading(links, template_of(parsed), page_hash(parsed.blocks.texts))
        reading.next = next_part(links, first or page.url, number + 1)
        if first is None:
            reading.first = first_part(links, page.url)
            if (reading.next or reading.first) and not self.extract(page, None).is_article:
                reading.next = reading.first = None  # the pages of a list
        return reading

    def extract(self, page: FetchedPage, peer: FetchedPage | None) -> Article:
        """The page's article, with the signature of its text: what costs processor time is done here."""
        parsed = self.parsed(page)
        parsed.drop(page.drop)
        other = self.parsed(peer) if peer is not None else None
        if peer is not None and other is not None:
            other.drop(peer.drop)
        article = article_of_fetched(page, parsed, self.extractor, other)
        if page.parts:
            join_parts(article, [self.parsed(part) for part in page.parts], self.extractor, other)
        return with_signature(article) if article.is_article else article

    def shared_lines(self, page: FetchedPage, peer: FetchedPage) -> frozenset[str]:
        """The letters of the lines that both pages have: the template's."""
        lines = []
        for one in (page, peer):
            parsed = self.parsed(one)
            parsed.drop(one.drop)
            lines.append(frozenset(map(letters_and_digits, parsed.blocks.texts)) - {""})
        return lines[0] & lines[1]

    def ready(self) -> None:
        """Answers when the process has loaded what it needs: what a first page loads is no time of that page's."""
        with suppress(NewsextractError):
            self.extract(FetchedPage("http://localhost/", b"<h1>News</h1><p>Of no day.</p>", datetime.now(UTC)), None)
        self.shelf = Shelf()

    def parsed(self, page: FetchedPage) -> Page:
        key = key_of(page)
        if key not in self.shelf:
            if page.body is NOT_SENT:
                raise NotHeld(page.url)
            self.shelf.put(key, page_of(page), len(page.body))
        return self.shelf.get(key)


def page_hash(texts: list[str]) -> str:
    """What two fetches of a page share while a reader sees the same: 64 hex digits over its visible text."""
    return hashlib.sha256("\n".join(texts).casefold().encode("utf-8", "replace")).hexdigest()


class NotHeld(NewsextractError):
    """The crawl took a page to be held here that is not: it is sent again."""


def key_of(page: FetchedPage) -> str:
    """What tells a fetched page from any other."""
    return page.id


def without_body(page: FetchedPage) -> FetchedPage:
    """The page as it goes to a worker that holds it."""
    return replace(page, body=NOT_SENT)


def serve(connection: Connection, extractor: str, options: Mapping[str, Any]) -> None:
    """A worker process: answers calls until the other end closes. Each answer is (whether it went well, result)."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the crawl decides when a worker ends
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    worker = Worker(make_extractor(extractor, options))
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)  # pages are trees without cycles; fewer collections are 5 to 10 % faster
    jobs: queue.SimpleQueue[tuple[str, tuple[Any, ...]] | None] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(connection, jobs), name="newsextract-receiver", daemon=True).start()
    while (job := jobs.get()) is not None:
        method, arguments = job
        try:
            answer: tuple[bool, Any] = True, getattr(worker, method)(*arguments)
        except NewsextractError as error:
            answer = False, error
        except Exception as error:  # a bug in an extractor costs one page, not the crawl
            answer = False, RuntimeError(f"{type(error).__name__}: {error}")
        with suppress(OSError):  # the crawl has gone: so will this process
            connection.send(answer)


def _receive(connection: Connection, jobs: "queue.SimpleQueue[tuple[str, tuple[Any, ...]] | None]") -> None:
    """Takes what is sent at once: the crawl must be able to send a page while the worker sends an answer."""
    with suppress(EOFError, OSError):
        while True:
            jobs.put(connection.recv())
    jobs.put(None)
