"""Meta refreshes of pages whose addresses or charset are malformed: browsers ignore these, Scrapy fails the page."""

from scrapy import Request
from scrapy.downloadermiddlewares.redirect import MetaRefreshMiddleware
from scrapy.http import Response


class LenientMetaRefresh(MetaRefreshMiddleware):
    """Scrapy's MetaRefreshMiddleware, which takes a page whose refresh or `<base>` can't be read for one without."""

    def process_response(  # type: ignore[override]  # the spider that Scrapy's takes is deprecated
        self, request: Request, response: Response
    ) -> Request | Response:
        """The request that the page asks for, or the page."""
        try:
            return super().process_response(request, response)
        except ValueError:  # no URL (http://[x), or no codec for text (charset=idna)
            return response
