"""Answers that end early: recognised, asked for again, and marked if they stay so.

HTTP itself says that an answer is cut where it declares a length or comes in chunks; Scrapy fails those. It can't say
so where the end of the connection is the end of the answer (Scrapy's flag "partial"; RFC 9112, 8), or where a proxy cut
the compressed stream and counted what was left. Then the document has to say it.
"""

import re
from typing import Final

from scrapy import Request
from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from scrapy.downloadermiddlewares.retry import get_retry_request
from scrapy.http import Response

from newsextract.compression import is_whole_stream
from newsextract.crawl.component import Component

#: The flag of responses that end early.
CUT_OFF: Final = "cut_off"
#: Scrapy's flag of an answer that ended with its connection.
PARTIAL: Final = "partial"
#: Bytes at the end of a document in which its root element ends; servers add comments and scripts behind it.
END: Final = 2_048
ROOT_END = re.compile(rb"</\s*(?:html|body|rss|feed|urlset|sitemapindex|rdf:rdf)\s*>", re.IGNORECASE)
#: Elements whose end tags HTML doesn't let an author leave out (HTML, 13.1.2.4).
CONTAINER = re.compile(
    rb"<(/?)(?:div|article|main|section|aside|nav|footer|table|ul|ol|script|style)[\s>]", re.IGNORECASE
)


class FlaggingDecompression(HttpCompressionMiddleware):
    """Scrapy's HttpCompressionMiddleware, which also flags responses that end early with `CUT_OFF`."""

    def process_response(  # type: ignore[override]  # the spider that Scrapy's takes is deprecated
        self, request: Request, response: Response
    ) -> Request | Response:
        encodings = b",".join(response.headers.getlist("Content-Encoding")).decode("latin-1")
        plain = super().process_response(request, response)  # which takes the header away
        if not isinstance(plain, Response) or plain.status != 200 or ends_whole(plain.body):
            return plain
        is_cut = not is_whole_stream(response.body, encodings) if encodings else PARTIAL in plain.flags
        return plain.replace(flags=[*plain.flags, CUT_OFF]) if is_cut else plain


class RetryCutAnswers(Component):
    """Downloader middleware: asks again for what ended early, as often as for other failures (RETRY_TIMES)."""

    def process_response(self, request: Request, response: Response) -> Request | Response:
        if CUT_OFF not in response.flags or request.meta.get("dont_retry") or self.crawler.spider is None:
            return response
        return get_retry_request(request, spider=self.crawler.spider, reason=CUT_OFF) or response


def ends_whole(body: bytes) -> bool:
    """Whether nothing in the body's markup says that it ends early; anything without markup does."""
    if b"<" not in body[:END] or ROOT_END.search(body, max(0, len(body) - END)):
        return True
    ends = [match[1] == b"/" for match in CONTAINER.finditer(body)]
    return ends.count(True) >= ends.count(False)
