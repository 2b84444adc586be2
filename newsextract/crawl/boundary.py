"""Where a crawl ends: at the borders of its site. Every request passes, redirects too."""

from scrapy import Request
from scrapy.crawler import Crawler

from newsextract.crawl.failures import RequestRefused


class Boundary:
    """Downloader middleware; asks the spider's `within(url)`, where it has it."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "Boundary":
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        """Raises RequestRefused beyond the border."""
        within = getattr(self.crawler.spider, "within", None)
        if within is not None and not within(request.url):
            raise RequestRefused("off_site", f"{request.url} is not on the site")
