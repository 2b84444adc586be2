"""Requests as links for the frontier, and leased rows of it as requests.

For each URL, the frontier stores a KIND, for which the spider has the method `parse_KIND`. `link_of_request` turns a
request into a link to queue, `request_of_lease` turns a leased row back into a request.
"""

import json
from collections.abc import Callable
from typing import Any

from scrapy import Request, Spider

from newsextract.crawl.lease import Lease
from newsextract.discovery.found import FOUND, META_NAMES, FoundUrl, found_in
from newsextract.discovery.list_parser import MAX_BYTES as MAX_LIST_BYTES
from newsextract.reasons import FRAME
from newsextract.store import QueuedLink
from newsextract.store.leases import PAGE_KINDS

#: A callback: yields requests and items, or is a coroutine.
Callback = Callable[..., Any]
#: Keys of a request's meta that are stored otherwise, or belong to one attempt; all others are stored as JSON.
META_NOT_KEPT = frozenset(
    """
    found_url lease retry_times depth is_start_request dropped_because
    download_slot download_latency download_timeout download_maxsize download_warnsize
    handle_httpstatus_list cookiejar dont_merge_cookies autothrottle_dont_adjust_delay
    """.split()
)
#: Prefix of the method names for URLs of a kind.
METHOD = "parse_"
#: Scrapy's default callback, which handles pages; and our errback for these.
DEFAULT_CALLBACK = "parse"
DEFAULT_ERRBACK = "failed"


def link_of_request(request: Request, spider: Spider | None) -> QueuedLink | None:
    """The request as a link for the frontier; None if it is more than a URL and a method `parse_KIND`."""
    callback, errback = _method_name(request.callback, spider), _method_name(request.errback, spider)
    if request.method != "GET" or request.body or request.cb_kwargs or (request.errback and errback is None):
        return None
    if callback is None or not (callback == DEFAULT_CALLBACK or callback.startswith(METHOD)):
        return None
    found = found_in(request.meta)
    meta = found.row_meta() | {name: value for name, value in request.meta.items() if name not in META_NOT_KEPT}
    if errback not in (None, DEFAULT_ERRBACK):
        meta["errback"] = errback
    try:
        json.dumps(meta)
    except (TypeError, ValueError):
        return None
    return QueuedLink(
        request.url,
        found.anchor_text,
        kind="page" if callback == DEFAULT_CALLBACK else callback.removeprefix(METHOD),
        priority=float(request.priority),
        depth=found.depth,
        referrer=found.found_on,
        meta=meta or None,
        refetch=request.dont_filter,
        left_out=found.left_out,
    )


def request_of_lease(lease: Lease, spider: Spider | None, errback: Callback, render: str = "never") -> Request:
    """The request for a leased URL, with validators if it was fetched before, because a 304 costs next to nothing.

    `render`: when a browser renders pages ("never", "auto", "always"). Pages that it renders are requested without
    validators: the frame may be unchanged while the text is not.
    """
    row = lease.row
    kept = json.loads(row.meta) if row.meta else {}
    meta: dict[str, Any] = {name: value for name, value in kept.items() if name not in META_NAMES}
    meta |= {"lease": lease, FOUND: FoundUrl.of_row(row), "download_slot": row.site}
    if row.attempts:
        meta["retry_times"] = row.attempts
    if row.kind not in PAGE_KINDS:
        meta["download_maxsize"] = MAX_LIST_BYTES
    is_rendered = row.kind in PAGE_KINDS and (render == "always" or (render == "auto" and row.reason == FRAME))
    names = (f"{METHOD}{row.kind}", f"{METHOD}page", DEFAULT_CALLBACK)
    validators = (
        {} if is_rendered or lease.asks_anew else {"If-None-Match": row.etag, "If-Modified-Since": row.last_modified}
    )
    return Request(
        row.url,
        callback=next((callback for name in names if (callback := getattr(spider, name, None))), None),
        errback=errback,
        headers={name: value for name, value in validators.items() if value},
        priority=round(row.priority),
        dont_filter=True,
        meta=meta,
    )


def _method_name(function: Callback | None, spider: Spider | None) -> str | None:
    if spider is None or getattr(function, "__self__", None) is not spider:
        return None
    return str(getattr(function, "__name__", "")) or None
