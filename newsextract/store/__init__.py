"""The store: one database of articles and their versions, runs, URL states and the change log.

`Store` is the interface; `Writer` commits groups of outcomes on one thread; `JsonLines` keeps a file of JSON lines in
step with the change log. SQLite and PostgreSQL run the same code. What a call acknowledges is on disk. Nothing here
imports Scrapy or parses pages: pages and articles come in as the dataclasses of `newsextract.items`.
"""

from newsextract.reasons import UrlState
from newsextract.store.frontier import Frontier, LeaseBatch, LeasedUrl
from newsextract.store.jsonl import JsonLines
from newsextract.store.lookup import ArticleRow, Selection, Snapshot
from newsextract.store.outcome import CommitResult, PageOutcome, QueuedLink
from newsextract.store.store import Store, Writer

__all__ = [
    "ArticleRow",
    "CommitResult",
    "Frontier",
    "JsonLines",
    "LeaseBatch",
    "LeasedUrl",
    "PageOutcome",
    "QueuedLink",
    "Selection",
    "Snapshot",
    "Store",
    "UrlState",
    "Writer",
]
