"""The few things that are asked of Scrapy's engine beside its public interface, each in one place."""

from typing import Any

from scrapy.crawler import Crawler

from newsextract.crawl.failures import NotAsked


def wake(crawler: Crawler) -> None:
    """Lets the engine look for requests now; by itself it looks again after its next response, or 5 s."""
    slot = _slot(crawler)
    if slot is not None and slot.closing is None:
        slot.nextcall.schedule()


def is_closing(crawler: Crawler) -> bool:
    """Whether the crawl is ending."""
    slot = _slot(crawler)
    return slot is None or slot.closing is not None


def let_go_of_downloads(crawler: Crawler) -> None:
    """Ends the closing engine's wait for what is still being downloaded."""
    slot = _slot(crawler)
    if slot is not None and slot.closing is not None and not slot.closing.called:
        slot.inprogress.clear()
        slot._maybe_fire_closing()
        slot.inprogress = _Forgotten()


def see_whether_items_are_done(crawler: Crawler) -> None:
    """Lets a closing crawl see that its pipelines are empty. Scrapy looks when a response is done, which items that no
    response brought (a page that was put aside, a page of an archive) have not: it would wait for ever for the last."""
    scraper: Any = crawler.engine.scraper if crawler.engine else None
    closing = getattr(getattr(scraper, "slot", None), "closing", None)
    if closing is not None and not closing.called:
        scraper._check_if_closing()


def drop_waiting(crawler: Crawler) -> None:
    """Fails, by NotAsked, what waits for its turn in the downloader of a closing crawl: that may be minutes off."""
    if not is_closing(crawler) or crawler.engine is None:
        return
    for slot in [*crawler.engine.downloader.slots.values()]:
        waiting = [*slot.queue]
        slot.queue.clear()
        for _, deferred in waiting:
            deferred.errback(NotAsked("the crawl was told to stop"))


def active_downloads(crawler: Crawler, slot: str) -> tuple[int, int]:
    """Requests of a download slot that are under way or wait there, and how many may be under way at a time."""
    downloader: Any = crawler.engine.downloader if crawler.engine else None
    found = downloader.slots.get(slot) if downloader else None
    if found is None:
        return 0, max(1, downloader.domain_concurrency if downloader else 1)
    return len(found.active), max(1, found.concurrency)


class _Forgotten(set[Any]):
    """Requests that nobody waits for: when they end after all, the crawl is not told again that it may close."""

    def __bool__(self) -> bool:
        return True

    def remove(self, request: Any) -> None:
        self.discard(request)


def _slot(crawler: Crawler) -> Any:
    return getattr(crawler.engine, "_slot", None) if crawler.engine else None
