"""Worker processes: pages are extracted side by side, and one that kills or hangs its worker costs that page alone."""

import asyncio
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, ClassVar

import pytest

from newsextract.errors import PageError, UnknownExtractor, WorkerDied, WorkersUnusable, WorkerTimeout
from newsextract.extractors import Extraction, make_extractor
from newsextract.items import Article, FetchedPage
from newsextract.methods.econ import Econ
from newsextract.page import Page
from newsextract.site_profile import ProfileSnapshot, SiteEvidence, SiteProfile, decide_all
from newsextract.workers.messages import CACHE_BYTES, Call, ExtractionPlan, Worker
from newsextract.workers.pool import CALLERS_PER_WORKER, WorkerPool
from newsextract.workers.worker import PageWorker, answer_all
from tests.crawling import CHECKOUT, run_command

TEXT = "The ferry sailed at dawn, and the harbour was quiet. Nobody saw it leave, or so they said afterwards. "


@dataclass(frozen=True)
class Deadly:
    """An extractor that does what the page says: exits, hangs, or raises."""

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
        if "refuse me" in page.source:
            raise PageError("refused as asked")
        return Econ()(page)


def cannot_start(*_: object) -> None:
    os._exit(1)


def fetched(name: str, text: str = TEXT * 5) -> FetchedPage:
    body = f"<html><body><p>{text}</p><a href='/next'>Next</a></body></html>".encode()
    return FetchedPage(f"https://site.example/{name}", body, datetime(2026, 1, 1, tzinfo=UTC))


@contextmanager
def open_pool(extractor: str = "econ", workers: int = 1, call_timeout: float = 30.0) -> Iterator[WorkerPool]:
    pool = WorkerPool(extractor, {}, workers, call_timeout)
    try:
        yield pool
    finally:
        pool.close()


async def extract_all(pool: WorkerPool, *pages: FetchedPage) -> list[Any]:
    """The articles, or the exceptions, of pages that are submitted at once."""
    results = await asyncio.gather(*(pool.run(Worker.extract, page) for page in pages), return_exceptions=True)
    return [*results]


@pytest.mark.parametrize("workers", [0, 2])
def test_pool_reads_and_extracts_in_processes_and_in_a_thread(workers):
    async def read_and_extract(pool: WorkerPool) -> tuple[Any, Any]:
        page = fetched("a")
        return await pool.run(Worker.read, page), await pool.run(Worker.extract, page)

    with open_pool(workers=workers) as pool:
        reading, article = asyncio.run(read_and_extract(pool))
        future = pool.submit(Worker.extract, fetched("b"), ExtractionPlan((fetched("peer"),)))
        assert future.result(300).url.endswith("/b")
    assert [link.url for link in reading.links.links] == ["https://site.example/next"]
    assert reading.template
    assert article.article_body.startswith("The ferry sailed")
    assert article.fetched_at == datetime(2026, 1, 1, tzinfo=UTC)


def test_one_call_gives_links_and_an_article_compared_with_the_first_page_of_its_template():
    table = b"<html><body><table><tr><td>A list</td></tr></table></body></html>"
    other = replace(fetched("other"), body=table)
    peer = fetched("peer", "Another story, which has nothing to do with the harbour or with any ship in it. " * 5)

    async def read(pool: WorkerPool) -> Any:
        pages = [replace(page, template=(await pool.run(Worker.read, page)).template) for page in (other, peer)]
        plan = ExtractionPlan((*pages,), SiteEvidence(), compares=True)
        first = await pool.run(Worker.read, fetched("a"), plan)
        return first, await pool.run(Worker.read, fetched("a"), replace(plan, known_hash=first.page_hash))

    with open_pool() as pool:
        first, same = asyncio.run(read(pool))
    assert [link.url for link in first.links.links] == ["https://site.example/next"]
    assert first.article.article_body.startswith("The ferry sailed")
    assert first.article.summary is not None
    assert (first.article.compared_with, first.article.shared) == (peer.url, frozenset({"next"}))
    assert same.article is None, "a page that is as it was is not extracted again"
    assert same.links.links


def test_extractor_that_fails_costs_the_article_and_not_the_links():
    async def read(pool: WorkerPool) -> Any:
        return await pool.run(Worker.read, fetched("raise", "raise in me"), ExtractionPlan())

    with open_pool(f"{__name__}.Deadly") as pool:
        reading = asyncio.run(read(pool))
    assert "as asked" in str(reading.failure)
    assert [link.url for link in reading.links.links] == ["https://site.example/next"]


def test_page_that_kills_or_hangs_its_worker_or_fails_in_it_costs_itself_alone():
    """One worker that gets, among good pages, one of each kind that fails, and reads those that wait together."""
    texts = {"kill": "kill me", "raise": "raise in me", "refuse": "refuse me", "hang": "hang me"}
    names = ["first", "kill", "second", "raise", "refuse", "third", "hang", "fourth", "fifth"]
    plan = ExtractionPlan((), SiteEvidence())

    async def read_all(pool: WorkerPool) -> list[Any]:
        pages = [fetched(name, texts[name]) if name in texts else fetched(name) for name in names]
        calls = (pool.run(Worker.read, page, plan) for page in pages)
        return [*await asyncio.gather(*calls, return_exceptions=True)]

    with open_pool(f"{__name__}.Deadly", call_timeout=4.0) as pool:
        results = dict(zip(names, asyncio.run(read_all(pool)), strict=True))
    assert isinstance(results["kill"], WorkerDied) and "status 3" in str(results["kill"])
    assert isinstance(results["hang"], WorkerTimeout)
    assert pool.counts["died"] in (1, 2) and pool.counts["timeout"] in (1, 2), "together with others, and alone"
    assert pool.counts["started"] == 1 + pool.counts["died"] + pool.counts["timeout"]
    for name in names:
        if name not in texts:  # also those that were sent behind a deadly page
            assert results[name].article.url.endswith(name)
            assert results[name].article.article_body.startswith("The ferry sailed")
    assert "refused as asked" in str(results["refuse"].failure)
    assert "ZeroDivisionError: as asked" in str(results["raise"].failure)
    assert all(results[name].links.links for name in ("raise", "refuse"))


def test_pages_read_together_are_as_each_alone_and_one_that_cannot_be_decided_on_costs_itself(monkeypatch):
    worker = PageWorker(make_extractor("fusion", {}))
    pages = [fetched(name, f"{TEXT * 3} The mayor of {name} said so.") for name in ("a", "b", "c")]
    learned = [worker.extract(page, ExtractionPlan((), SiteEvidence())).summary for page in pages]
    known = SiteEvidence(ProfileSnapshot.of(SiteProfile.build(learned)))
    calls = [Call("read", (page, ExtractionPlan((), each)), {}) for page in pages for each in (known, SiteEvidence())]

    def articles() -> list[Any]:
        return [answer.result.article for answers in answer_all(worker, calls) for answer in answers]

    alone = [worker.read(*call.arguments).article for call in calls]
    assert articles() == alone
    assert [article.decision.chosen for article in articles()] == [article.decision.chosen for article in alone]

    def failing(summaries: list[Any], profile: SiteProfile | None) -> list[Any]:
        if any(summary.url.endswith("b") for summary in summaries):
            raise ZeroDivisionError("on b")
        return decide_all(summaries, profile)

    monkeypatch.setattr("newsextract.workers.together.decide_all", failing)
    failures = [str(answer.result.failure or "") for answers in answer_all(worker, calls) for answer in answers]
    assert failures == ["", "", *["ZeroDivisionError: on b"] * 2, "", ""]


def test_page_that_left_the_worker_s_cache_is_sent_again():
    async def extract_evicted(pool: WorkerPool) -> list[Article]:
        evicted, unknown = fetched("evicted"), fetched("unknown")
        articles = [await pool.run(Worker.extract, evicted)]
        large = f"{TEXT * 5}</p><!--{'x' * (CACHE_BYTES // 2)}--><p>"
        for name in ("large1", "large2"):
            await pool.run(Worker.extract, fetched(name, large))
        (process,) = pool._processes
        assert evicted.id not in process._keys.pages
        articles.append(await pool.run(Worker.extract, evicted))
        process._keys.pages.put(unknown.id, None, 1)  # as after a page that the worker could not parse
        return [*articles, await pool.run(Worker.extract, unknown)]

    with open_pool() as pool:
        before, after, unknown = asyncio.run(extract_evicted(pool))
    assert before.article_body == after.article_body == unknown.article_body != ""


def test_unknown_extractor_is_refused_before_any_worker_starts():
    with pytest.raises(UnknownExtractor):
        WorkerPool("nope", {}, 1)


def test_worker_that_cannot_start_is_reported_as_unusable(monkeypatch):
    """As when the machine has no memory for one more process, or the installation is broken."""
    monkeypatch.setattr("newsextract.workers.process.start_worker", cannot_start)
    with open_pool() as pool:
        (result,) = asyncio.run(extract_all(pool, fetched("a")))
    assert isinstance(result, WorkersUnusable) and "before it was ready" in str(result)


def test_pool_is_full_while_more_pages_would_only_fill_the_memory():
    async def fill(pool: WorkerPool) -> tuple[bool, bool]:
        pages = [fetched(str(number)) for number in range(CALLERS_PER_WORKER)]
        calls = [asyncio.ensure_future(pool.run(Worker.extract, page)) for page in pages]
        await asyncio.sleep(0)
        is_full = pool.is_full
        await asyncio.gather(*calls)
        return is_full, pool.is_full

    with open_pool(workers=0) as pool:
        assert asyncio.run(fill(pool)) == (True, False)


def test_program_that_does_not_close_its_pool_exits_all_the_same():
    script = (
        "import asyncio\n"
        "from tests.workers.test_workers import Worker, WorkerPool, fetched\n"
        "if __name__ == '__main__':\n"
        "    pool = WorkerPool('econ', {}, 1)\n"
        "    print(asyncio.run(pool.run(Worker.extract, fetched('a'))).url)\n"
    )
    assert run_command([sys.executable, "-c", script], CHECKOUT).stdout == "https://site.example/a\n"


def test_profile_of_a_site_is_sent_to_a_worker_once_and_decides_with_the_page():
    worker = PageWorker(make_extractor("fusion", {}))
    learned = worker.extract(fetched("other"), ExtractionPlan(evidence=SiteEvidence())).summary
    snapshot = ProfileSnapshot.of(SiteProfile.build([learned]))

    def plan(known: ProfileSnapshot) -> ExtractionPlan:
        return ExtractionPlan(evidence=SiteEvidence(known))

    async def extract_twice(pool: WorkerPool) -> list[Any]:
        first = [await pool.run(Worker.extract, fetched(name), plan(snapshot)) for name in ("a", "b")]
        (process,) = pool._processes
        assert snapshot.id in process._keys.profiles
        lost = replace(snapshot, id="lost")
        process._keys.profiles.put(lost.id, None, 1)  # as after a worker that has died
        return [*first, await pool.run(Worker.extract, fetched("c"), plan(lost))]

    with open_pool("fusion") as pool:
        results = asyncio.run(extract_twice(pool))
    assert [result.url[-1] for result in results] == ["a", "b", "c"]
    assert all(result.summary.url == result.url for result in results)
    assert len({result.decision.is_article for result in results}) == 1
