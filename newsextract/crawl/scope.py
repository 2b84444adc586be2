"""Downloader middlewares for a crawl's scope: which URLs belong to it; headers and cookies for its sites only."""

from collections.abc import Iterable
from urllib.parse import urlsplit

from scrapy import Request

from newsextract.crawl.component import Component
from newsextract.crawl.engine import split_domain
from newsextract.crawl.failures import RequestRefused
from newsextract.crawl.politeness import is_robots_request
from newsextract.crawl.spider_options import SpiderOptions
from newsextract.discovery.found import found_in
from newsextract.store.leases import PAGE_KINDS
from newsextract.urls import site_of


class ScopeMiddleware(Component):
    """Refuses URLs off the spider's sites or in its traps: in new requests, redirects and leftovers of earlier runs."""

    def process_request(self, request: Request) -> None:
        """Raises RequestRefused for a URL that doesn't belong to the crawl."""
        spider = self.crawler.spider
        if not isinstance(spider, SpiderOptions) or is_robots_request(request):  # robots.txt may be redirected anywhere
            return
        lease = request.meta.get("lease")
        if lease is not None and lease.row.kind == "home" and not spider.within(request.url):
            given = found_in(request.meta).asked_for or request.url
            spider.move(request.url, site_of(given))  # the user's URL leads here
        if page := request.meta.get("subresource_of"):  # the browser that renders the page loads it
            if not is_first_party(request.url, page, self.crawler.settings.getlist("NEWSEXTRACT_RENDER_HOSTS")):
                raise RequestRefused("third_party", "it belongs to another site than the page that loads it")
        elif not spider.within(request.url) and not _is_list_of_site(request):
            raise RequestRefused("off_site", f"{request.url} is not on the site")
        elif spider.trapped(request.url):
            raise RequestRefused("trap", "it is one of many URLs that lead nowhere")
        if "@" in urlsplit(request.url).netloc:
            raise RequestRefused("credentials", "it has a user name or password, which crawls don't send")


def _is_list_of_site(request: Request) -> bool:
    """Whether a request is for a feed or sitemap on another host that the site declares, or redirects to."""
    lease = request.meta.get("lease")
    is_redirected_list = lease is not None and lease.row.kind not in PAGE_KINDS and lease.url != lease.row.url
    return "declared_on" in request.cb_kwargs or is_redirected_list


class SiteHeadersMiddleware(Component):
    """Sets a site's headers and cookies of sites.toml on each request to it; a redirect elsewhere loses them."""

    def process_request(self, request: Request) -> None:
        spider = self.crawler.spider
        if not isinstance(spider, SpiderOptions) or not (spider.headers or spider.cookies):
            return
        on_site = spider.owns(request.url)
        for name, value in spider.headers.items():
            if on_site:
                request.headers[name] = value
            else:
                request.headers.pop(name, None)
        if spider.cookies:
            request.meta["cookiejar"] = on_site  # cookies know no port
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
    return str(split_domain(host).top_domain_under_public_suffix)
