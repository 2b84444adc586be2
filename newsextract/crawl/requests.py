"""Requests as rows of the frontier, and rows as requests."""

import json
from dataclasses import dataclass, field
from typing import Any

from scrapy import Request, Spider

from newsextract.store import LeasedUrl, QueuedLink
from newsextract.store.leases import PAGE_CALLBACKS

#: What the ledger has columns for, and what Scrapy notes of a single try; the rest of a request's meta is a row's.
NOT_KEPT = frozenset(
    """
    page anchor_text discovered_from link_depth lease retry_times depth is_start_request dropped_because
    download_slot download_latency download_timeout download_maxsize download_warnsize
    handle_httpstatus_list cookiejar dont_merge_cookies
    """.split()
)


@dataclass(slots=True, eq=False)
class Lease:
    """A URL that this worker fetches, asked for as `url`; it ends once.

    `ended`: its end is on the way to the disk; `held`: its page waits for a peer, and is on disk; `parts`: the
    addresses of the further pages of its article.
    """

    row: LeasedUrl
    url: str = ""
    links: list[QueuedLink] = field(default_factory=list)
    ended: bool = False
    held: bool = False
    status: int | None = None
    etag: str | None = None
    last_modified: str | None = None
    page_hash: str | None = None
    shared: frozenset[str] = frozenset()
    redirect_times: int = 0
    parts: tuple[str, ...] = ()


def lead_of(request: Request, spider: Spider | None) -> QueuedLink | None:
    """The request as the frontier queues it; None for one that is more than a URL and a method of the spider."""
    callback = _method(request.callback, spider)
    if callback is None or request.method != "GET" or request.body or request.cb_kwargs:
        return None
    errback = _method(request.errback, spider)
    if request.errback is not None and errback is None:
        return None
    meta = {name: value for name, value in request.meta.items() if name not in NOT_KEPT}
    if errback not in (None, "failed"):
        meta["errback"] = errback
    try:
        json.dumps(meta)
    except (TypeError, ValueError):
        return None
    return QueuedLink(
        request.url,
        request.meta.get("anchor_text") or "",
        callback=callback,
        priority=float(request.priority),
        depth=int(request.meta.get("link_depth") or 0),
        referrer=request.meta.get("discovered_from"),
        meta=meta or None,
        refetch=request.dont_filter,
    )


def request_of(lease: Lease, spider: Spider | None, errback: Any) -> Request:
    """The request for a leased URL. With validators, where it was fetched before: a 304 costs next to nothing."""
    row = lease.row
    meta: dict[str, Any] = json.loads(row.meta) if row.meta else {}
    meta |= {
        "lease": lease,
        "anchor_text": row.anchor_text or "",
        "discovered_from": row.referrer,
        "link_depth": row.depth,
        "download_slot": row.site,
    }
    if row.callback in PAGE_CALLBACKS:
        meta["page"] = True
    if row.attempts:
        meta["retry_times"] = row.attempts
    lease.redirect_times = int(meta.get("redirect_times") or 0)
    headers = {"If-None-Match": row.etag, "If-Modified-Since": row.last_modified}
    request = Request(
        row.url,
        callback=_named(spider, row.callback),
        errback=errback,
        headers={name: value for name, value in headers.items() if value},
        priority=round(row.priority),
        dont_filter=True,
        meta=meta,
    )
    lease.url = request.url
    return request


def errback_of(request: Request, spider: Spider | None) -> Any:
    """The spider's own method for a request that failed."""
    name = str(request.meta.get("errback") or "failed")
    return getattr(spider, name, None)


def _named(spider: Spider | None, callback: str) -> Any:
    found = getattr(spider, callback, None) if callback.startswith("parse") else None
    return found or getattr(spider, "parse_page", None) or getattr(spider, "parse", None)


def _method(function: Any, spider: Spider | None) -> str | None:
    """The name of a spider's own method; None for anything else."""
    if spider is None or getattr(function, "__self__", None) is not spider:
        return None
    name: str = function.__func__.__name__
    return name
