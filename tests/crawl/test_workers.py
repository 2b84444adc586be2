"""Worker processes: pages are read side by side, and a page that kills or hangs its worker costs that page alone."""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, ClassVar

import pytest

from newsextract.crawl.workers.pool import CALLERS_PER_WORKER, WorkerPool
from newsextract.crawl.workers.worker import PageCache
from newsextract.errors import NewsextractError, UnknownExtractor, WorkerDied, WorkersUnusable, WorkerTimeout
from newsextract.extractors import Extraction
from newsextract.extractors.econ import Econ
from newsextract.items import Article, FetchedPage
from newsextract.page import Page
from tests.crawling import environment

TEXT = "The ferry sailed at dawn, and the harbour was quiet. Nobody saw it leave, or so they said afterwards. "


@dataclass(frozen=True)
class Deadly:
    """Does what the page says: exit, hang, raise, or tell its process."""

    name: ClassVar[str] = "deadly"
    paper: ClassVar[str] = "none"
    needs_peer: ClassVar[bool] = False

    def __call__(self, page: Page, peer: Page | None = None) -> Extraction:
        if "kill me" in page.source:
            os._exit(3)
        if "hang me" in page.source:
            time.sleep(600)
        if "raise in me" in page.source:
            raise ZeroDivisionError("as asked")
        return Econ()(page)


DEADLY = f"{__name__}.Deadly"


def fetched(name: str, text: str = TEXT * 5) -> FetchedPage:
    body = f"<html><body><p>{text}</p><a href='/next'>Next</a></body></html>".encode()
    return FetchedPage(f"https://site.example/{name}", body, datetime(2026, 1, 1, tzinfo=UTC))


@contextmanager
def pool(extractor: str = "econ", workers: int = 1, patience: float = 30.0) -> Iterator[WorkerPool]:
    made = WorkerPool(extractor, {}, workers, patience)
    try:
        yield made
    finally:
        made.close()


async def bodies(made: WorkerPool, *pages: FetchedPage) -> list[Any]:
    return await asyncio.gather(*(made.extract(page) for page in pages), return_exceptions=True)


@pytest.mark.parametrize("workers", [0, 1, 2])
def test_pages_are_read_and_extracted_whatever_the_number_of_workers(workers: int) -> None:
    async def crawl(made: WorkerPool) -> tuple[Any, Any]:
        page = fetched("a")
        return await made.read(page), await made.extract(page)

    with pool(workers=workers) as made:
        reading, article = asyncio.run(crawl(made))
    assert [link.url for link in reading.links.links] == ["https://site.example/next"]
    assert reading.template
    assert article.article_body.startswith("The ferry sailed")
    assert article.fetched_at == datetime(2026, 1, 1, tzinfo=UTC)


def test_a_page_that_kills_its_worker_costs_that_page_alone() -> None:
    pages = [fetched("a"), fetched("b", "kill me"), fetched("c"), fetched("d", "raise in me"), fetched("e")]
    with pool(DEADLY) as made:
        results = asyncio.run(bodies(made, *pages))
        assert isinstance(results[1], WorkerDied)
        assert isinstance(results[3], RuntimeError) and "as asked" in str(results[3])
        assert [result.url[-1] for result in (results[0], results[2], results[4])] == ["a", "c", "e"]
        assert made.counts["died"] == 1 and made.counts["started"] == 2


def test_a_page_that_hangs_is_given_up_in_time() -> None:
    with pool(DEADLY, patience=3.0) as made:
        begun = time.monotonic()
        results = asyncio.run(bodies(made, fetched("a", "hang me"), fetched("b")))
        assert isinstance(results[0], WorkerTimeout)
        assert results[1].url.endswith("/b")
        assert time.monotonic() - begun < 60
        assert made.counts["timeout"] == 1


def test_a_page_that_left_the_shelf_is_sent_again() -> None:
    async def crawl(made: WorkerPool) -> list[Any]:
        first = fetched("first")
        articles = [await made.extract(first)]
        for number in range(4):
            await made.extract(fetched(f"large{number}", TEXT * 50_000))
        return [*articles, await made.extract(first)]

    with pool() as made:
        before, after = asyncio.run(crawl(made))
    assert before.article_body == after.article_body != ""


def test_both_ends_hold_the_same_pages() -> None:
    one, other = PageCache[int](100), PageCache[int](100)
    for number in range(50):
        key = str(number * 7 % 13)
        for shelf in (one, other):
            if key in shelf:
                shelf.get(key)
            else:
                shelf.put(key, number, 10 + number)
    assert [str(n) in one for n in range(13)] == [str(n) in other for n in range(13)]
    assert sum(str(n) in one for n in range(13)) < 13


def test_a_wrong_extractor_is_told_before_any_worker_starts() -> None:
    with pytest.raises(UnknownExtractor):
        WorkerPool("nope", {}, 1)


def test_an_error_of_the_library_comes_back_as_itself() -> None:
    with pool("tsrec") as made:
        (result,) = asyncio.run(bodies(made, fetched("a")))
    assert isinstance(result, NewsextractError) and "peer" in str(result)


def test_jobs_that_were_sent_behind_a_deadly_page_are_done_by_the_next_process() -> None:
    pages = [fetched("a", "kill me"), *(fetched(name) for name in "bcd"), fetched("e", "kill me"), fetched("f")]
    with pool(DEADLY) as made:
        results = asyncio.run(bodies(made, *pages))
        assert [isinstance(result, Article) for result in results] == [False, True, True, True, False, True]
        assert isinstance(results[0], WorkerDied) and isinstance(results[4], WorkerDied)
        assert made.counts["died"] == 2


def test_a_worker_that_cannot_start_costs_no_page_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """As when the machine has no memory for one more process, or the installation is broken."""
    monkeypatch.setattr("newsextract.crawl.workers.process.serve", os.abort)
    with pool() as made:
        (result,) = asyncio.run(bodies(made, fetched("a")))
    assert isinstance(result, WorkersUnusable) and "before it was ready" in str(result)


def test_the_pool_says_when_more_pages_would_only_fill_the_memory() -> None:
    async def crawl(made: WorkerPool) -> tuple[bool, bool]:
        calls = [asyncio.ensure_future(made.extract(fetched(str(number)))) for number in range(CALLERS_PER_WORKER)]
        await asyncio.sleep(0)
        full = made.is_full
        await asyncio.gather(*calls)
        return full, made.is_full

    with pool(workers=0) as made:
        assert asyncio.run(crawl(made)) == (True, False)


def test_a_program_that_forgets_to_close_its_pool_ends_all_the_same() -> None:
    script = (
        "import asyncio\n"
        "from tests.crawl.test_workers import WorkerPool, fetched\n"
        "if __name__ == '__main__':\n"
        "    pool = WorkerPool('econ', {}, 1)\n"
        "    print(asyncio.run(pool.extract(fetched('a'))).url)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], env=environment(), capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "https://site.example/a\n"), done.stderr
