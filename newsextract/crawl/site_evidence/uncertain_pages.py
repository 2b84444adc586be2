"""Pages put aside because it is uncertain whether they are articles while little is known of their site.

So little that is stored, and exported, has to be taken back later. A page goes on when the site's profile makes it
certain, when enough is known of the site, or when nothing else is left to do.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from newsextract.items import FetchedPage
from newsextract.packing import pack, unpack
from newsextract.site_profile import Decision, PageSummary, SiteProfile, decide
from newsextract.urls import site_of

#: Pages of a site from which on its profile is sure enough for every page.
ENOUGH_PAGES = 36
#: Log odds of being an article, or of being none, from which on a page is certain.
CERTAIN = 2.0
#: Compressed bytes kept at most; pages beyond that go on.
MAX_BYTES = 64_000_000


@dataclass(slots=True)
class WaitingPage:
    """A page without its body, the body compressed, and what the page says by itself."""

    page: FetchedPage
    body: bytes
    summary: PageSummary


class UncertainPages:
    """The pages of a crawl that wait, by site and page id. `release` is called with each page that goes on."""

    def __init__(self, release: Callable[[FetchedPage], None]) -> None:
        self._release = release
        self._sites: dict[str, dict[str, WaitingPage]] = {}
        self._size = 0

    def __len__(self) -> int:
        return sum(map(len, self._sites.values()))

    def put(self, page: FetchedPage, summary: bytes) -> bool:
        """Puts a page aside; False where MAX_BYTES are full."""
        if self._size >= MAX_BYTES:
            return False
        body = pack(page.body)
        waiting = WaitingPage(replace(page, body=b""), body, PageSummary.from_bytes(summary))
        self._sites.setdefault(site_of(page.url), {})[page.id] = waiting
        self._size += len(body)
        return True

    def release_certain(self, site: str, profile: SiteProfile) -> None:
        """Releases the pages of a site that this profile makes certain."""
        for waiting in [*self._sites.get(site, {}).values()]:
            if not is_uncertain(decide(waiting.summary, profile), len(profile)):
                self._release_page(site, waiting)

    def release_all(self) -> None:
        """Releases all pages."""
        for site, pages in [*self._sites.items()]:
            for waiting in [*pages.values()]:
                self._release_page(site, waiting)

    def _release_page(self, site: str, waiting: WaitingPage) -> None:
        del self._sites[site][waiting.page.id]
        self._size -= len(waiting.body)
        self._release(replace(waiting.page, body=unpack(waiting.body), settled=True))


def is_uncertain(decision: Decision, pages: int) -> bool:
    """Whether more pages of the site may well change the decision; `pages`: of the profile it was made with."""
    return pages < ENOUGH_PAGES and abs(decision.log_odds) < CERTAIN
