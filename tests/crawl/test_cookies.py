"""A host can't fill memory, or the headers of requests, with cookies."""

from scrapy import Request
from scrapy.http import Response

from newsextract.crawl.cookies import MAX_COOKIES, MAX_OF_DOMAIN, MAX_SIZE, BoundedCookies


def answer(middleware: BoundedCookies, url: str, cookies: list[str]) -> None:
    middleware.process_response(Request(url), Response(url, headers={"Set-Cookie": cookies}))


def sent(middleware: BoundedCookies, url: str) -> bytes:
    middleware.process_request(request := Request(url))
    return request.headers.get("Cookie") or b""


def test_cookies_of_a_host_have_a_bound():
    middleware, url = BoundedCookies(), "https://news.example.org/"
    for page in range(20):
        answer(middleware, url, [f"page{page}n{number}={number}" for number in range(9)])
    answer(middleware, url, [f"large={'a' * MAX_SIZE}", "last=1"])
    cookies = sent(middleware, url).split(b"; ")
    assert len(cookies) == MAX_OF_DOMAIN
    assert cookies[-1] == b"last=1"


def test_cookies_of_all_hosts_have_a_bound():
    middleware = BoundedCookies()
    for number in range(MAX_COOKIES // MAX_OF_DOMAIN + 5):
        answer(middleware, f"https://host{number}.example{number}.org/", [f"a{n}=1" for n in range(MAX_OF_DOMAIN)])
    assert len(middleware.jars[None]) <= MAX_COOKIES
    assert not sent(middleware, "https://host0.example0.org/")
    assert sent(middleware, f"https://host{number}.example{number}.org/")
