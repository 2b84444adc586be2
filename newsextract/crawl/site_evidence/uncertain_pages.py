"""Pages put aside because it is uncertain whether they are articles while little is known of their site.

So little that is stored, and exported, has to be taken back later. A page goes on when the site's profile makes it
certain, when enough is known of the site, or when nothing else is left to do.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from newsextract.article import set_page_type
from newsextract.compression import compress, decompress
from newsextract.items import Article, FetchedPage
from newsextract.site_profile import Decision, PageSummary, SiteProfile, decide_all
from newsextract.urls import site_of
from newsextract.workers.worker import LearnedPage, PageResult

#: Pages of a site from which on its profile is sure enough for every page.
ENOUGH_PAGES = 36
#: Log odds of being an article, or of being none, from which on a page is certain.
CERTAIN = 2.0
#: Compressed bytes kept at most; pages beyond that go on.
MAX_BYTES = 64_000_000


@dataclass(slots=True)
class WaitingPage:
    """A page without its body, the body compressed; its article, and what its site learned of it; what it says by
    itself; the last decision on it."""

    page: FetchedPage
    body: bytes
    article: Article
    learned: LearnedPage
    summary: PageSummary
    decision: Decision


class UncertainPages:
    """The pages of a crawl that wait, by site and page id. `release` is called with each page that goes on."""

    def __init__(self, release: Callable[[FetchedPage], None]) -> None:
        self._release = release
        self._sites: dict[str, dict[str, WaitingPage]] = {}
        self._decided: dict[str, PageResult] = {}
        self._size = 0

    def __len__(self) -> int:
        return sum(map(len, self._sites.values()))

    def put(self, page: FetchedPage, article: Article, learned: LearnedPage, summary: PageSummary) -> bool:
        """Puts a page aside; False where MAX_BYTES are full. `article`: as it was read, `summary`: as `learned` has."""
        if self._size >= MAX_BYTES:
            return False
        bare = replace(page, body=b"")
        waiting = WaitingPage(bare, compress(page.body), article, learned, summary, learned.decision)
        self._sites.setdefault(site_of(page.url), {})[page.id] = waiting
        self._size += waiting_size(waiting)
        return True

    def take_result(self, page: FetchedPage) -> PageResult | None:
        """What was read of a page that has waited, as it is decided now; None where it has to be read again."""
        return self._decided.pop(page.id, None)

    def release_certain(self, site: str, profile: SiteProfile) -> None:
        """Releases the pages of a site that this profile makes certain."""
        pages = [*self._sites.get(site, {}).values()]
        decisions = decide_all([waiting.summary for waiting in pages], profile)
        for waiting, decision in zip(pages, decisions, strict=True):
            waiting.decision = decision
            if not is_uncertain(waiting.decision, len(profile)):
                self._release_page(site, waiting)

    def release_all(self) -> None:
        """Releases all pages."""
        for site, pages in [*self._sites.items()]:
            for waiting in [*pages.values()]:
                self._release_page(site, waiting)

    def _release_page(self, site: str, waiting: WaitingPage) -> None:
        del self._sites[site][waiting.page.id]
        self._size -= waiting_size(waiting)
        if (result := decided_result(waiting)) is not None:
            self._decided[waiting.page.id] = result
        self._release(replace(waiting.page, body=decompress(waiting.body), settled=True))


def waiting_size(waiting: WaitingPage) -> int:
    """Bytes that a waiting page takes, about."""
    return len(waiting.body) + len(waiting.article.article_body) + len(waiting.article.article_body_html or "")


def decided_result(waiting: WaitingPage) -> PageResult | None:
    """The article of a waiting page with the last decision on it; None where that chooses another text."""
    article, decision, learned = waiting.article, waiting.decision, waiting.learned
    if decision.is_article and decision.chosen != learned.decision.chosen:
        return None
    if decision is not learned.decision:
        set_page_type(article, decision, learned.text_confidence)
    return PageResult(article, replace(learned, decision=decision))


def is_uncertain(decision: Decision, pages: int) -> bool:
    """Whether more pages of the site may well change the decision; `pages`: of the profile it was made with."""
    return pages < ENOUGH_PAGES and abs(decision.log_odds) < CERTAIN
