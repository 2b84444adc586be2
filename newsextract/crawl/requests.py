"""Scrapy's requests as links queued in the frontier, and leased URLs as requests.

The frontier knows of a URL what kind of thing is there: KIND, for which the spider has the method `parse_KIND`.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from scrapy import Request, Spider
from twisted.python.failure import Failure

from newsextract.discovery.priority import is_main_list
from newsextract.reasons import FRAME
from newsextract.store import LeasedUrl, PageOutcome, QueuedLink, UrlState
from newsextract.store.leases import PAGE_KINDS

#: A callback: yields requests and items, or is a coroutine that does.
Callback = Callable[..., Any]
Errback = Callable[[Failure], Iterable[Any] | None]

#: Keys of a request's meta that have columns in the database, or belong to a single try; all others are kept as JSON.
META_NOT_KEPT = frozenset(
    """
    page anchor_text discovered_from link_depth lease retry_times depth is_start_request dropped_because
    left_out download_slot download_latency download_timeout download_maxsize download_warnsize
    handle_httpstatus_list cookiejar dont_merge_cookies
    """.split()
)
#: What the names of the methods for URLs of a kind begin with.
METHOD = "parse_"
#: The errback of requests that name none.
DEFAULT_ERRBACK = "failed"


@dataclass(slots=True, eq=False)
class Lease:
    """A URL that this process fetches, in a request for `url` (another than the row's after a redirect). It ends once.
    `LeaseTracker` alone writes it.

    `sent`: it left the scheduler; `ended`: its end is being committed, or is; `links`: what was found on its page;
    `outcome`: what the response said, until it is complete.
    """

    row: LeasedUrl
    outcome: PageOutcome
    url: str = ""
    links: list[QueuedLink] = field(default_factory=list)
    sent: bool = False
    ended: bool = False
    redirect_times: int = 0

    @classmethod
    def of(cls, row: LeasedUrl) -> "Lease":
        """The lease of a URL that is to be requested."""
        outcome = PageOutcome(row.url, UrlState.leased, depth=row.depth, revisit=True, published_at=row.published_at)
        outcome.fetched_before = None if row.attempts else row.last_fetched
        outcome.is_main_list = is_main_list(row.priority)
        times = json.loads(row.meta).get("redirect_times") if row.meta else 0
        return cls(row, outcome, row.url, redirect_times=int(times or 0))


def link_of_request(request: Request, spider: Spider | None) -> QueuedLink | None:
    """The request as the frontier queues it; None for one that is more than a URL and a method `parse_KIND`."""
    kind = kind_of(_method_name(request.callback, spider))
    if kind is None or request.method != "GET" or request.body or request.cb_kwargs:
        return None
    errback = _method_name(request.errback, spider)
    if request.errback is not None and errback is None:
        return None
    meta = {name: value for name, value in request.meta.items() if name not in META_NOT_KEPT}
    if errback not in (None, DEFAULT_ERRBACK):
        meta["errback"] = errback
    try:
        json.dumps(meta)
    except (TypeError, ValueError):
        return None
    return QueuedLink(
        request.url,
        request.meta.get("anchor_text") or "",
        kind=kind,
        priority=float(request.priority),
        depth=int(request.meta.get("link_depth") or 0),
        referrer=request.meta.get("discovered_from"),
        meta=meta or None,
        refetch=request.dont_filter,
        left_out=request.meta.get("left_out") or "",
    )


def request_of_lease(lease: Lease, spider: Spider | None, errback: Callback, render: str = "never") -> Request:
    """The request for a leased URL. With validators, where it was fetched before: a 304 costs next to nothing.

    `render`: when a browser renders pages ("never", "auto", "always"). A page that it renders is asked for without: its
    frame may stay as it was while its text changes.
    """
    row = lease.row
    meta: dict[str, Any] = json.loads(row.meta) if row.meta else {}
    meta |= {
        "lease": lease,
        "anchor_text": row.anchor_text or "",
        "discovered_from": row.referrer,
        "link_depth": row.depth,
        "download_slot": row.site,
    }
    if row.attempts:
        meta["retry_times"] = row.attempts
    is_rendered = row.kind in PAGE_KINDS and (render == "always" or (render == "auto" and row.reason == FRAME))
    validators = {} if is_rendered else {"If-None-Match": row.etag, "If-Modified-Since": row.last_modified}
    return Request(
        row.url,
        callback=_spider_callback(spider, row.kind),
        errback=errback,
        headers={name: value for name, value in validators.items() if value},
        priority=round(row.priority),
        dont_filter=True,
        meta=meta,
    )


def spider_errback(request: Request, spider: Spider | None) -> Errback | None:
    """The spider's own method for a request that failed."""
    errback: Errback | None = getattr(spider, str(request.meta.get("errback") or DEFAULT_ERRBACK), None)
    return errback


def kind_of(method: str | None) -> str | None:
    """The kind of URLs that a spider's method is for; Scrapy's default, `parse`, is for pages. None for another."""
    if method in (None, "parse"):
        return method and "page"
    return method.removeprefix(METHOD) if method.startswith(METHOD) else None


def _spider_callback(spider: Spider | None, kind: str) -> Callback | None:
    """The spider's method for a kind of URLs; else its parse_page, or Scrapy's default, parse."""
    names = (f"{METHOD}{kind}", f"{METHOD}page", "parse")
    return next((callback for name in names if (callback := getattr(spider, name, None))), None)


def _method_name(function: Callback | None, spider: Spider | None) -> str | None:
    """The name of a spider's own method; None for anything else."""
    if spider is None or getattr(function, "__self__", None) is not spider:
        return None
    return str(getattr(function, "__name__", "")) or None
