"""One lease: a URL that this process fetches, and the states in which it may end."""

import json
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from newsextract.discovery.priority import is_main_list
from newsextract.items import Article
from newsextract.reasons import GONE_STATUSES, REASONS, reason_of
from newsextract.store import LeasedUrl, PageOutcome, QueuedLink, UrlState
from newsextract.store.outcome import ListRead, PageResponse, RequestedUrl
from newsextract.store.recrawl_policy import asks_anew

#: What happened to a leased URL -> the state it ends in. Failure reasons in this table have that state.
LEASE_ENDINGS: dict[str, UrlState] = {
    "article": UrlState.stored,
    "not_modified": UrlState.unchanged,
    "same_page": UrlState.unchanged,
    "no_article": UrlState.not_article,
    "pending": UrlState.pending,
    "no_item": UrlState.not_article,
    "item_dropped": UrlState.dropped,
    "redirect": UrlState.redirected,
    "retry": UrlState.retried,
    "item_error": UrlState.failed,
    "callback_error": UrlState.failed,
    "failure": UrlState.failed,
    **{name: reason.state for name, reason in REASONS.items() if reason.state == UrlState.refused},
}
#: States in which the validators and the page hash are kept for the next fetch.
PAGE_STATES = (UrlState.stored, UrlState.unchanged, UrlState.not_article, UrlState.pending)


@dataclass(slots=True, eq=False)
class Lease:
    """A URL that this process fetches, by a request for `url` (after a redirect, not the row's). It ends once.

    Only `LeaseTracker` writes it, except `sent` (it left the scheduler) and `links` (found on its page). `ended`: its
    end is committed, or being committed. `asks_anew`: a list is requested without validators. `response`, `list_read`,
    `parts`: what the response said, as in `PageOutcome`.
    """

    row: LeasedUrl
    requested: RequestedUrl
    url: str = ""
    links: list[QueuedLink] = field(default_factory=list)
    asks_anew: bool = False
    sent: bool = False
    ended: bool = False
    redirect_times: int = 0
    response: PageResponse = field(default_factory=PageResponse)
    list_read: ListRead = field(default_factory=ListRead)
    parts: tuple[str, ...] = ()

    @classmethod
    def of(cls, row: LeasedUrl) -> "Lease":
        """The lease of a URL that is to be requested."""
        requested = RequestedUrl(
            row.depth,
            revisit=True,
            fetched_before=None if row.attempts else row.last_fetched,
            published_at=row.published_at,
            is_alias=row.article is not None and row.published_at is None,
            is_main_list=is_main_list(row.priority),
        )
        times = json.loads(row.meta).get("redirect_times") if row.meta else 0
        is_list = row.kind != "page" or reason_of(row.reason).is_list
        anew = bool(is_list and row.last_fetched and asks_anew(row.url, row.last_fetched, datetime.now(UTC)))
        return cls(row, requested, row.url, redirect_times=int(times or 0), asks_anew=anew)

    def ended_as(self, ending: str, reason: str) -> PageOutcome:
        """Its outcome once it ends in this way."""
        state, response = LEASE_ENDINGS[ending], self.response
        if state not in PAGE_STATES:
            # a page that comes back is read again, although it is as before it was gone
            none = "" if response.status in GONE_STATUSES else None
            response = replace(response, etag=none, last_modified=none, page_hash=none)
        return PageOutcome(
            self.row.url,
            state,
            reason,
            links=self.links,
            parts=self.parts,
            requested=self.requested,
            response=response,
            list_read=self.list_read,
        )

    def has_old_validators(self, response: PageResponse) -> bool:
        """Whether a response has the validators of the one before, to which its server would answer 304."""
        row = self.row
        known, now = (row.etag, response.etag) if row.etag else (row.last_modified, response.last_modified)
        return bool(known) and known == now


def ending_of(article: Article, since: datetime | None) -> tuple[str, str]:
    """How the lease of an article's page ends, and why it isn't stored: "", no article, or older than `since`."""
    if not article.is_article:
        return "no_article", article.not_article_because or "not_article"
    is_older = since is not None and article.date_published is not None and article.date_published < since
    return ("item_dropped", "before_since") if is_older else ("article", "")
