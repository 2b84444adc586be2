"""Memory of finished crawls: freed soon, and searched for only as often as it may take of the event loop's time."""

import asyncio
import gc
import time
from itertools import pairwise
from weakref import ref

import pytest

from newsextract.schedule import memory


class Crawl:
    """Refers to itself, as a crawl does."""

    def __init__(self) -> None:
        self.itself = self


def test_free_frees_what_refers_to_itself() -> None:
    async def finish() -> bool:
        finished = memory.FinishedCrawls(asyncio.get_running_loop())
        crawl = ref(Crawl())
        finished.free()
        for _ in range(3000):
            if crawl() is None:
                return True
            await asyncio.sleep(0.01)
        return False

    gc.disable()
    try:
        assert asyncio.run(finish())
    finally:
        gc.enable()


def test_free_takes_no_more_than_its_share_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    searches = []

    def collect() -> None:
        searches.append(time.monotonic())
        time.sleep(0.02)

    async def end_many_crawls() -> None:
        finished = memory.FinishedCrawls(asyncio.get_running_loop())
        while len(searches) < 3:
            finished.free()
            await asyncio.sleep(0)

    monkeypatch.setattr(memory.gc, "collect", collect)
    asyncio.run(end_many_crawls())
    assert all(later - earlier >= 0.02 / memory.SHARE for earlier, later in pairwise(searches))
