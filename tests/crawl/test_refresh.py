"""Pages that lead to another URL without a status that says so."""

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse
from scrapy.utils.test import get_crawler

from newsextract.crawl.refresh import LenientMetaRefresh
from tests.examples import examples
from tests.store.samples import text

SITE = "https://courier.example"
TEXTS = {"STORY": f"<h1>Ferry</h1><p>{text(1, 200)}", "LONG": ".pier { color: red }" * 1000}


@pytest.mark.parametrize(("page", "header", "target"), examples(__file__, "leads"))
def test_page_leads_to(page, header, target):
    for name, long in TEXTS.items():
        page = page.replace(name, long)
    request = Request(f"{SITE}/old")
    headers = {"Content-Type": "text/html", **({"Refresh": header} if header else {})}
    response = HtmlResponse(request.url, headers=headers, body=page.encode(), request=request)
    crawler = get_crawler(settings_dict={"METAREFRESH_MAXDELAY": 5, "TELNETCONSOLE_ENABLED": False})
    crawler.spider = None
    result = LenientMetaRefresh.from_crawler(crawler).process_response(request, response)
    assert (result.url if isinstance(result, Request) else "") == (SITE + target if target else "")
