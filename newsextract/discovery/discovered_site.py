"""What a crawl has found out about one site. A crawl of many sites has one of these for each, each with its own bounds,
so that no site uses up what another one needs."""

from collections import Counter, OrderedDict
from dataclasses import dataclass, field
from typing import TypeVar

from newsextract.discovery.found import FoundUrl
from newsextract.discovery.parameters import ParameterObserver
from newsextract.discovery.traps import TrapDetector
from newsextract.items import Listing
from newsextract.limits import MAX_REMEMBERED

V = TypeVar("V")

#: A URL that is known, and not how it was found.
KNOWN = FoundUrl("")
#: Feeds and sitemaps of a site requested in one crawl, on the site and on other hosts, besides those that the crawl
#: looks for at the usual places. Those elsewhere are asked in each crawl.
MAX_LISTS = {"feeds": 50, "sitemaps": 200, "feeds elsewhere": 5, "sitemaps elsewhere": 20}


class RecentlyUsed(OrderedDict[str, V]):
    """A dictionary that forgets what was used the longest ago once it has more than `limit` keys."""

    def __init__(self, limit: int) -> None:
        super().__init__()
        self.limit = limit

    def find(self, key: str) -> V | None:
        """The value of a key, which counts as used now; None if it is unknown or forgotten."""
        if key not in self:
            return None
        self.move_to_end(key)
        return self[key]

    def __setitem__(self, key: str, value: V) -> None:
        super().__setitem__(key, value)
        if len(self) > self.limit:
            self.popitem(last=False)


@dataclass(slots=True)
class DiscoveredSite:
    """One site as the crawl knows it.

    `known`: found URLs by key; `listings`: what a feed or sitemap said about a page after it was requested, by the same
    keys; `lists`: feeds and sitemaps new to the frontier, by kind; `numbered`: all, by kind; `language`: as its front
    page declares it.
    """

    known: RecentlyUsed[FoundUrl] = field(default_factory=lambda: RecentlyUsed(MAX_REMEMBERED))
    listings: RecentlyUsed[Listing] = field(default_factory=lambda: RecentlyUsed(MAX_REMEMBERED))
    traps: TrapDetector = field(default_factory=TrapDetector)
    parameters: ParameterObserver = field(default_factory=ParameterObserver)
    lists: Counter[str] = field(default_factory=Counter)
    numbered: Counter[str] = field(default_factory=Counter)
    language: str = ""
