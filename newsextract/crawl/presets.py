"""The headers and cookies that sites.toml gives a site: sent to that site, and never to another."""

from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler

from newsextract.urls import site_of


class SiteHeaders:
    """Downloader middleware; every hop of a redirect passes it, so what is for one site stays there."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "SiteHeaders":
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        """Puts them on, or takes them off a request that leads elsewhere."""
        spider: Any = self.crawler.spider
        headers, cookies = getattr(spider, "headers", {}), getattr(spider, "cookies", {})
        if not headers and not cookies:
            return
        ours = belongs(request.url, spider.values)
        for name, value in headers.items():
            if ours:
                request.headers[name] = value
            else:
                request.headers.pop(name, None)
        if cookies:
            request.cookies = [{"name": name, "value": value, "path": "/"} for name, value in cookies.items() if ours]


def belongs(url: str, values: dict[str, Any]) -> bool:
    """Whether a URL is on one of the sites that a spider was given, or below one where subdomains are wanted too."""
    site = site_of(url)
    parents = [site_of(given) for given in values.get("url") or ()]
    return site in parents or (bool(values.get("subdomains")) and any(site.endswith(f".{one}") for one in parents))
