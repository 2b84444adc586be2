"""Refreshes: pages that lead to another URL by a header, a meta element or a script, not by their status."""

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any
from urllib.parse import urljoin

from scrapy import Request
from scrapy.downloadermiddlewares.redirect import MetaRefreshMiddleware
from scrapy.http import HtmlResponse, Response
from scrapy.utils.response import get_base_url
from w3lib.html import get_meta_refresh

from newsextract.limits import HEAD
from newsextract.page.parse import parse
from newsextract.store.schema import fingerprint

#: A page with fewer words has nothing to read: it only says where to go on.
FEW_WORDS = 60
HEADER = re.compile(r"\s*(\d{1,9}(?:\.\d{1,9})?)\s*[;,]\s*(?:url\s*=\s*)?(.+)", re.I | re.S)
#: A script that goes to a literal URL.
LOCATION = re.compile(r"""\blocation(?:\.href)?\s{0,9}(?:=|\.(?:replace|assign)\()\s{0,9}["']([^"'<>\s]{1,2000})["']""")
#: Where text isn't the page's own.
UNSEEN = ("script", "style", "noscript", "title")


class LenientMetaRefresh(MetaRefreshMiddleware):
    """Scrapy's MetaRefreshMiddleware, for headers and scripts, too.

    A refresh or `<base>` that can't be parsed is ignored, as browsers do. METAREFRESH_MAXDELAY doesn't count for a page
    with nothing to read, and a page that is only to be read again stays.
    """

    def process_response(  # type: ignore[override]  # the spider that Scrapy's takes is deprecated
        self, request: Request, response: Response
    ) -> Request | Response:
        if request.meta.get("dont_redirect") or request.method == "HEAD" or not may_lead_on(response):
            return response
        with suppress(ValueError, LookupError):  # not a URL (http://[x), or not a text codec (charset=idna)
            for delay, url in find_refreshes(response, self._maxdelay):
                if not url.startswith(("http://", "https://")):
                    return response
                if fingerprint(url) != fingerprint(request.url) or not delay:
                    redirected = self._redirect_request_using_get(request, response, url)
                    return self._redirect(redirected, request, "meta refresh")
        return response


def may_lead_on(response: Response) -> bool:
    """Whether a page needs a closer look."""
    if "Refresh" in response.headers:
        return True
    if not isinstance(response, HtmlResponse):
        return False
    head = response.body[: 10 * HEAD].lower()
    has_script = len(response.body) <= HEAD and b"location" in head
    return (b"http-equiv" in head and b"refresh" in head) or has_script or b"\0" in head


def find_refreshes(response: Response, max_delay: float) -> Iterator[tuple[float, str]]:
    """Delays in seconds and absolute URLs of the refreshes that count."""
    text = response.text[: 10 * HEAD] if isinstance(response, HtmlResponse) else ""
    base = get_base_url(response) if isinstance(response, HtmlResponse) else response.url
    page = _readable(text)
    is_bare = len(page.text.split()) < FEW_WORDS
    header = HEADER.match((response.headers.get("Refresh") or b"").decode("utf-8", "replace"))
    if header is not None and (is_bare or float(header[1]) < max_delay):
        yield float(header[1]), urljoin(base, header[2].strip(" \t\"'"))
    if text:
        delay, url = get_meta_refresh(text, base, response.encoding, ("script", "noscript"))  # type: ignore[attr-defined]
        if url and delay is not None and (is_bare or delay < max_delay):
            yield delay, url
    if text and is_bare:  # no script is run: a literal URL counts if the page also says it in another way
        scripted = {urljoin(base, found) for found in LOCATION.findall(text)}
        _, without_scripts = get_meta_refresh(text, base, response.encoding, ("script",))  # type: ignore[attr-defined]
        canonical = (link.attr("href") or "" for link in page.select('link[rel~="canonical" i]'))
        said = [without_scripts, *(urljoin(base, found) for found in canonical)]
        yield from ((1.0, url) for url in said if url in scripted)


def _readable(html: str) -> Any:
    """The tree of a page without what nobody reads; searching for each closing tag would take quadratic time."""
    root = parse(html).node
    for element in [*root.iter_elements(UNSEEN)]:
        element.decompose()
    return root
