"""Meta refreshes of pages whose addresses or charset are malformed: browsers ignore these, Scrapy fails the page."""

from scrapy import Request
from scrapy.downloadermiddlewares.redirect import MetaRefreshMiddleware
from scrapy.http import Response

#: Bytes in which a refresh may stand: Scrapy looks at 4,096 characters, for which it would decode each page.
LOOKED_AT = 4 * 4096


class LenientMetaRefresh(MetaRefreshMiddleware):
    """Scrapy's MetaRefreshMiddleware, which takes a page whose refresh or `<base>` can't be read for one without."""

    def process_response(  # type: ignore[override]  # the spider that Scrapy's takes is deprecated
        self, request: Request, response: Response
    ) -> Request | Response:
        """The request that the page asks for, or the page."""
        head = response.body[:LOOKED_AT]
        if b"http-equiv" not in head.lower() and b"\0" not in head:
            return response
        try:
            return super().process_response(request, response)
        except ValueError:  # no URL (http://[x), or no codec for text (charset=idna)
            return response
