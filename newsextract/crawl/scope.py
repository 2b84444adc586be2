"""Downloader middlewares for a crawl's scope: which URLs belong to it; headers and cookies for its sites only."""

from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from scrapy import Request

from newsextract.crawl.component import Component
from newsextract.crawl.failures import RequestRefused
from newsextract.crawl.politeness import is_robots_request
from newsextract.spiders.base import NewsSpider
from newsextract.urls import site_of

if TYPE_CHECKING:
    from tldextract import TLDExtract


class ScopeMiddleware(Component):
    """Refuses URLs off the spider's sites or in its traps: in new requests, redirects and leftovers of earlier runs."""

    def process_request(self, request: Request) -> None:
        """Raises RequestRefused for a URL that doesn't belong to the crawl."""
        spider = self.crawler.spider
        if not isinstance(spider, NewsSpider) or is_robots_request(request):  # robots.txt may be redirected anywhere
            return
        if page := request.meta.get("subresource_of"):  # the browser that renders the page loads it
            if not is_first_party(request.url, page, self.crawler.settings.getlist("NEWSEXTRACT_RENDER_HOSTS")):
                raise RequestRefused("third_party", "it belongs to another site than the page that loads it")
        elif not spider.within(request.url):
            raise RequestRefused("off_site", f"{request.url} is not on the site")
        elif spider.trapped(request.url):
            raise RequestRefused("trap", "it is one of many URLs that lead nowhere")
        if "@" in urlsplit(request.url).netloc:
            raise RequestRefused("credentials", "it has a user name or password, which crawls don't send")


class SiteHeadersMiddleware(Component):
    """Sets a site's headers and cookies of sites.toml on each request to it; a redirect elsewhere loses them."""

    def process_request(self, request: Request) -> None:
        """Sets the headers and cookies, or removes them from a request to another site."""
        spider = self.crawler.spider
        if not isinstance(spider, NewsSpider) or not (spider.headers or spider.cookies):
            return
        on_site = spider.owns(request.url)
        for name, value in spider.headers.items():
            if on_site:
                request.headers[name] = value
            else:
                request.headers.pop(name, None)
        if spider.cookies:
            cookies = spider.cookies if on_site else {}
            request.cookies = [{"name": name, "value": value, "path": "/"} for name, value in cookies.items()]


def is_first_party(url: str, page: str, hosts: Iterable[str] = ()) -> bool:
    """Whether a URL has a page's registrable domain, or its host and port, or is on or below a named host."""
    if site_of(url) == site_of(page):
        return True
    host = (urlsplit(url).hostname or "").lower()
    if any(host == name or host.endswith(f".{name}") or site_of(url) == name for name in map(str.lower, hosts)):
        return True
    domain = _registrable_domain(host)
    return bool(domain) and domain == _registrable_domain((urlsplit(page).hostname or "").lower())


def _registrable_domain(host: str) -> str:
    """The registrable domain: example.co.uk of news.example.co.uk; "" for an IP address."""
    return str(_domains()(host).top_domain_under_public_suffix)


@cache
def _domains() -> "TLDExtract":
    """Uses the public suffix list in the package, including private suffixes (github.io); downloads nothing."""
    import tldextract  # slow to import, and needed only if a browser renders pages

    return tldextract.TLDExtract(cache_dir=None, suffix_list_urls=(), include_psl_private_domains=True)
