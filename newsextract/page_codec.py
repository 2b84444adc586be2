"""The one serialization of a fetched page: what was fetched, as JSON, and the bytes of its body.

The database, WARC files, the cluster and the process that fetches single pages all use it, so a page that is read again
has all it had when it was fetched. Parts and peers are pages of their own, and are not included.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime

from zstandard import ZstdError

from newsextract.compression import compress, decompress
from newsextract.items import FetchedPage, Listing
from newsextract.urls import site_of

#: Fields whose values are JSON values already.
PLAIN = (
    "url",
    "encoding",
    "anchor_text",
    "discovered_from",
    "status",
    "etag",
    "last_modified",
    "page_hash",
    "amp",
    "is_cut_off",
)


def page_values(page: FetchedPage) -> dict[str, object]:
    """Everything about a page but its body, as JSON values; unknown values are left out."""
    values = {name: getattr(page, name) for name in PLAIN}
    values["fetched_at"] = page.fetched_at.isoformat()
    values["template"] = sorted(page.template)
    return {name: value for name, value in (values | crawl_values(page)).items() if value}


def crawl_values(page: FetchedPage) -> dict[str, object]:
    """What only the crawl knows about a page, because no HTTP message has it."""
    values: dict[str, object] = {"drop": list(page.drop), "selectors": dict(page.selectors), "amp": page.amp}
    values["listing"] = page.listing and page.listing.to_dict()
    values["extra"] = {name: value for name, value in page.extra.items() if _is_json(value)}
    return {name: value for name, value in values.items() if value}


def page_of_values(values: Mapping[str, object], body: bytes) -> FetchedPage:
    """The inverse of `page_values`. Raises ValueError, TypeError, KeyError."""
    url, fetched_at, template = values["url"], values["fetched_at"], values.get("template", ())
    if not isinstance(url, str) or not isinstance(fetched_at, str) or not isinstance(template, list | tuple):
        raise TypeError(url)
    if not site_of(url):
        raise ValueError(url)
    page = FetchedPage(url, body, datetime.fromisoformat(fetched_at), template=frozenset(template))
    plain = {name: values[name] for name in PLAIN if name in values}
    return with_crawl_values(replace(page, **plain), values)  # type: ignore[arg-type]  # as they were written


def with_crawl_values(page: FetchedPage, values: Mapping[str, object]) -> FetchedPage:
    """The page with what `crawl_values` gave; anything else is ignored."""
    selectors, amp, extra = values.get("selectors"), values.get("amp"), values.get("extra")
    return replace(
        page,
        drop=_texts(values.get("drop")),
        selectors={name: _texts(paths) for name, paths in selectors.items()} if isinstance(selectors, dict) else {},
        listing=Listing.from_dict(values.get("listing")),
        amp=amp if isinstance(amp, str) else None,
        extra=extra if isinstance(extra, dict) else {},
    )


def _texts(values: object) -> tuple[str, ...]:
    return tuple(text for text in values if isinstance(text, str)) if isinstance(values, list | tuple) else ()


def _is_json(value: object) -> bool:
    with suppress(TypeError, ValueError, RecursionError):
        return bool(json.dumps(value, allow_nan=False))
    return False


def encode_page(page: FetchedPage) -> tuple[str, bytes]:
    """The values of a page as JSON, and its body compressed."""
    return json.dumps(page_values(page)), compress(page.body)


def decode_page(document: str, body: bytes) -> FetchedPage | None:
    """The page that was passed to `encode_page`; None if it can't be read."""
    try:
        return page_of_values(json.loads(document), decompress(body))
    except (ValueError, TypeError, KeyError, AttributeError, ZstdError):
        return None
