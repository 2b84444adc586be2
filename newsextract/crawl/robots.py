"""robots.txt, by Scrapy's own middleware, with the reason told and no file so long that its reading stops the crawl."""

import logging

from scrapy import Request
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK
from scrapy.robotstxt import RobotParser

from newsextract.crawl.failures import RequestRefused, describe_failure

logger = logging.getLogger(__name__)

#: Crawlers must read 500 KiB (RFC 9309); what follows is not.
MAX_BYTES = 500 * 1024


class Robots(RobotsTxtMiddleware):
    """Downloader middleware that refuses what a site's robots.txt does not allow."""

    def process_request_2(self, rp: RobotParser | None, request: Request) -> None:
        try:
            super().process_request_2(rp, request)
        except IgnoreRequest as error:
            raise RequestRefused("robots", "the site's robots.txt does not allow it") from error

    def process_response(self, request: Request, response: Response) -> Response:
        """Cuts a robots.txt to the length that is read."""
        if _is_robots(request) and len(response.body) > MAX_BYTES:
            return response.replace(body=response.body[:MAX_BYTES])
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        """A robots.txt that can't be had is one line in the log, no traceback; its site is crawled without."""
        if _is_robots(request) and not isinstance(exception, IgnoreRequest):
            reason, clause = describe_failure(exception, request)
            logger.info("%s could not be read: %s", request.url, clause)
            raise RequestRefused(reason, clause) from exception


def _is_robots(request: Request) -> bool:
    return request.callback is NO_CALLBACK and request.url.endswith("/robots.txt")
