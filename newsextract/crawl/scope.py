"""Where a crawl ends: at the borders of its site, and before addresses without end. Every request passes, also from
earlier runs, and redirects."""

from scrapy import Request
from scrapy.crawler import Crawler

from newsextract.crawl.failures import RequestRefused


class Boundary:
    """Downloader middleware; asks the spider's `within(url)` and `trapped(url)`, where it has them."""

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
        trapped = getattr(self.crawler.spider, "trapped", None)
        if trapped is not None and trapped(request.url):
            raise RequestRefused("trap", "it is one of very many that lead nowhere")
