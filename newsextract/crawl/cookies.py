"""Cookies of a crawl, as many and as large as browsers keep, so that no host fills memory or the headers of requests.

The limits are those of RFC 6265, section 6.1.
"""

from collections import defaultdict
from http.cookiejar import Cookie

from scrapy import Request
from scrapy.downloadermiddlewares.cookies import CookiesMiddleware
from scrapy.http import Response
from scrapy.http.cookies import CookieJar

#: Bytes of a cookie, its name and value.
MAX_SIZE = 4_096
#: Cookies of a domain, and of all.
MAX_OF_DOMAIN = 50
MAX_COOKIES = 3_000


class BoundedCookies(CookiesMiddleware):
    """Scrapy's CookiesMiddleware, which leaves out what is more than browsers keep: the oldest cookies go first."""

    def process_response(  # type: ignore[override]  # the spider that Scrapy's takes is deprecated
        self, request: Request, response: Response
    ) -> Request | Response:
        answer = super().process_response(request, response)
        if "Set-Cookie" in response.headers and (jar := self.jars.get(request.meta.get("cookiejar"))) is not None:
            drop_surplus(jar)
        return answer


def drop_surplus(jar: CookieJar) -> None:
    """Drops cookies that are too large, and the oldest ones that are too many."""
    by_domain: defaultdict[str, list[Cookie]] = defaultdict(list)
    for cookie in [*jar]:
        if len(cookie.name) + len(cookie.value or "") > MAX_SIZE:
            jar.clear(cookie.domain, cookie.path, cookie.name)
        else:
            by_domain[cookie.domain].append(cookie)
    count = sum(min(len(cookies), MAX_OF_DOMAIN) for cookies in by_domain.values())
    for domain, cookies in by_domain.items():
        if count > MAX_COOKIES:
            jar.clear(domain)
            count -= min(len(cookies), MAX_OF_DOMAIN)
            continue
        for cookie in cookies[:-MAX_OF_DOMAIN]:
            jar.clear(domain, cookie.path, cookie.name)
