"""What a crawl reports to the store about a URL (`PageOutcome`), and what a commit returns (`CommitResult`)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Literal, NamedTuple

from newsextract.items import Article, FetchedPage, Link
from newsextract.reasons import UrlState

if TYPE_CHECKING:
    from newsextract.near_duplicates import Signature

#: What a commit did with an article; "none" if the outcome had none.
ChangeKind = Literal["new", "changed", "unchanged", "reextracted", "retracted", "deleted", "none"]
#: States from which a URL may be leased; in which it is not queued again; and in which a run is not done.
WAITING = (UrlState.retried, UrlState.queued)
TAKEN = (UrlState.leased, UrlState.pending)
OPEN = (*WAITING, *TAKEN)


#: Key of a request's meta: what a feed or sitemap says about the page.
LISTING = "listing"


@dataclass(slots=True)
class QueuedLink(Link):
    """A link for the frontier.

    `kind`: such as "page" or "feed" (`crawl.lease_requests`). `referrer`: None for the page being committed. `meta`:
    what else the request carries, as JSON values; `date` (ISO 8601): the publication date, as far as known before the
    fetch. `refetch`: fetch it in this run even if it is not due. `left_out`: one of `reasons.LEFT_OUT` if the run's
    arguments leave it out; then it is not queued, but kept for other runs. `is_given`: a URL that the user gave
    redirects to it.
    """

    kind: str = "page"
    priority: float = 0.0
    depth: int = 0
    referrer: str | None = None
    meta: dict[str, object] | None = None
    refetch: bool = False
    left_out: str = ""
    is_given: bool = False


class ListedUrl(NamedTuple):
    """A page of a large list, for the frontier. `meta`: as in `QueuedLink`, but as JSON."""

    url: str
    anchor_text: str
    meta: str | None
    priority: float
    referrer: str


@dataclass(frozen=True, slots=True)
class SitePage:
    """A page in the memory of its site (`store.site_pages`).

    `summary`, `decision`: `PageSummary` and `Decision` of `newsextract.site_profile` as bytes. `peer_url`: the peer it
    was extracted with. The store sets `reason` (of its URL's state), `anchor_text` (of a link), `is_target` (of a
    redirect) and `settled` (decided with all pages of a run).
    """

    fetched_at: datetime
    summary: bytes
    decision: bytes | None = None
    peer_url: str | None = None
    url: str = ""
    fingerprint: str = ""
    run: int | None = None
    settled: bool = False
    reason: str = ""
    anchor_text: str = ""
    is_target: bool = False


@dataclass(frozen=True, slots=True)
class Candidate:
    """A page that is decided later, with article and confidence in its text; no article if not extracted yet."""

    page: FetchedPage
    article: Article | None = None
    text_confidence: float | None = None


@dataclass(frozen=True, slots=True)
class RequestedUrl:
    """What was known of a URL when it was requested.

    `revisit`: a later run may fetch it again when it is due. `fetched_before`: when an earlier run fetched it.
    `published_at`: of the article that it led to. `is_alias`: it led to an article of another URL. `is_main_list`: each
    run requests it (`recrawl_policy`).
    """

    depth: int = 0
    revisit: bool = False
    fetched_before: datetime | None = None
    published_at: datetime | None = None
    is_alias: bool = False
    is_main_list: bool = False


@dataclass(frozen=True, slots=True)
class PageResponse:
    """What the server answered, and what the next fetch compares its answer with.

    `is_cut_off`: the page ended early. `retry_after`: as the site asks.
    """

    status: int | None = None
    etag: str | None = None
    last_modified: str | None = None
    page_hash: str | None = None
    is_cut_off: bool = False
    retry_after: timedelta | None = None


@dataclass(frozen=True, slots=True)
class ListRead:
    """What was taken from a feed, sitemap or page of links.

    `entries`: the memory of a large list (`discovery.list_memory`). `new_links`: those of its links to likely articles
    that are queued already. `is_partial`: the next run reads it again, for what this one left.
    """

    entries: bytes | None = None
    new_links: int = 0
    is_partial: bool = False


@dataclass(slots=True)
class PageOutcome:
    """The result of one fetched or abandoned URL; `Store.commit` writes all of it in one transaction or none.

    How it ends: `reason`, for states that need one; `settles`: the page was committed before, as a candidate or as an
    article, and is decided now; it is not fetched again; `retract`: it isn't an article, and one stored from it must be
    retracted; `captured`: it comes from an archive.

    What was found: `links`; the `article` with the near-duplicate `signature` of its text; `shared`: letters and digits
    of the lines that the page shares with its peer; `former_site`: that has moved to the URL's; `parts`: URLs of the
    further pages of a multi-page article, which end with it; `candidate`, for the state `pending`; `site_page`, for the
    memory of the site; `meta`: as in `QueuedLink`, for the next request for the URL; None keeps the old one.
    """

    url: str
    state: UrlState
    reason: str = ""
    article: Article | None = None
    links: Sequence[QueuedLink] = ()
    run: int | None = None
    at: datetime | None = None
    settles: bool = False
    retract: bool = False
    captured: bool = False
    signature: "Signature | None" = None
    shared: frozenset[str] = frozenset()
    former_site: str = ""
    parts: Sequence[str] = ()
    candidate: Candidate | None = None
    site_page: SitePage | None = None
    meta: dict[str, object] | None = None
    requested: RequestedUrl = RequestedUrl()
    response: PageResponse = PageResponse()
    list_read: ListRead = ListRead()

    @property
    def when(self) -> datetime:
        """The time of the fetch; now if it is not set."""
        return self.at or datetime.now(UTC)

    @property
    def target(self) -> str:
        """The URL to which it redirects; "" if it doesn't."""
        return self.links[0].url if self.state == UrlState.redirected and self.links else ""


@dataclass(slots=True, frozen=True)
class CommitResult:
    """The result of committing an outcome; `article` as stored; `queued`: how many of its links were newly queued."""

    kind: ChangeKind = "none"
    change: int | None = None
    canonical_refused: bool = False
    article: Article | None = None
    queued: int = 0
