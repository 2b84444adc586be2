"""The entries of a large list as rows for the frontier, many at a time and without requests."""

from datetime import datetime
from functools import lru_cache

from newsextract.discovery.found import FoundUrl
from newsextract.discovery.list_memory import unpack_batch
from newsextract.discovery.priority import USEFULNESS, UrlKind, page_priority
from newsextract.spiders.base import NewsSpider
from newsextract.store.outcome import ListedUrl
from newsextract.urls import is_of_site
from newsextract.urls.shapes import COPY

#: Entries whose mean probability to be an article counts for all: a list has pages of few kinds, and what comes near
#: the front of the queue is ranked again by itself.
SAMPLE = 100


class ListedUrls:
    """Makes rows of the batches of one list, in any thread. `probability`: of an entry to be an article."""

    def __init__(self, spider: NewsSpider, list_url: str, kind: UrlKind, owner: str, map_date: datetime | None) -> None:
        self.spider, self.list_url, self.kind, self.map_date = spider, list_url, kind, map_date
        self.referrer = list_url if is_of_site(list_url, owner) else owner
        self.probability: float | None = None
        self._is_within = lru_cache(lambda origin: (spider.within(origin), is_of_site(origin, owner)))
        self._priority = lru_cache(lambda date: page_priority(self.probability or 0.0, kind, 1, date, USEFULNESS))

    def __call__(self, batch: bytes) -> list[ListedUrl]:
        """The URLs of a batch that belong to the crawl."""
        pages = unpack_batch(batch)
        if self.probability is None:
            sample = [*map(self._rate, pages.urls[:SAMPLE], pages.titles)]
            self.probability = sum(sample) / len(sample)
        leaves_out, listed = self.spider.leaves_out, list[ListedUrl]()
        for url, title, meta, date in zip(*pages, strict=True):
            is_within, is_own = self._is_within("/".join(url.split("/", 3)[:3]))
            if not is_within or (leaves_out and self.spider.left_out(url, date=date)):
                continue
            date = date or self.map_date
            if COPY.search(url):
                priority = page_priority(self._rate(url, title), self.kind, 1, date, USEFULNESS)
            else:
                priority = self._priority(date)
            text, row_meta = (title, meta) if is_own else ("", None)
            listed.append(ListedUrl(url, text, row_meta, float(priority), self.referrer))
        return listed

    def _rate(self, url: str, title: str) -> float:
        return self.spider.article_probability(FoundUrl(url, title, str(self.kind), self.list_url))
