"""The entries of a large list as links for the frontier, many at a time and without requests."""

from datetime import datetime

from newsextract.discovery.entries import Entry
from newsextract.discovery.list_memory import unpack_batch
from newsextract.discovery.priority import USEFULNESS, UrlKind, date_of_url, page_priority
from newsextract.discovery.url_classifier import COPY, UrlEvidence
from newsextract.spiders.base import NewsSpider
from newsextract.store.outcome import LISTING, QueuedLink
from newsextract.urls import is_of_site

#: Entries whose mean probability to be an article counts for all: a list has pages of few kinds, and what comes near
#: the front of the queue is ranked again by itself.
SAMPLE = 100


class BatchLinks:
    """Makes links of the batches of one list, in any thread. `probability`: of an entry to be an article."""

    def __init__(self, spider: NewsSpider, list_url: str, kind: UrlKind, owner: str, map_date: datetime | None) -> None:
        self.spider, self.list_url, self.kind, self.owner, self.map_date = spider, list_url, kind, owner, map_date
        self.probability: float | None = None

    def __call__(self, batch: bytes) -> list[QueuedLink]:
        """The links of a batch that belong to the crawl."""
        spider, owner = self.spider, self.owner
        entries = [entry for entry in unpack_batch(batch) if spider.within(entry.url)]
        if self.probability is None:
            sample = [self._rate(entry) for entry in entries[:SAMPLE]]
            self.probability = sum(sample) / len(sample) if sample else None
        referrer = self.list_url if is_of_site(self.list_url, owner) else owner
        return [
            self._link(entry if is_of_site(entry.url, owner) else Entry(entry.url), referrer)
            for entry in entries
            if not spider.left_out(entry.url, date=entry.date)
        ]

    def _rate(self, entry: Entry) -> float:
        evidence = UrlEvidence(entry.url, entry.title, str(self.kind), self.list_url)
        return self.spider.article_probability(evidence)

    def _link(self, entry: Entry, referrer: str) -> QueuedLink:
        probability = self._rate(entry) if self.probability is None or COPY.search(entry.url) else self.probability
        meta: dict[str, object] = {"listed_in": str(self.kind)}
        if entry.listing is not None:
            meta[LISTING] = entry.listing.to_dict()
        date = entry.date
        if date is not None:
            meta["date"] = date.isoformat()
        age = date or date_of_url(entry.url) or self.map_date
        priority = page_priority(probability, self.kind, 1, age, USEFULNESS)
        return QueuedLink(entry.url, entry.title, priority=float(priority), depth=1, referrer=referrer, meta=meta)
