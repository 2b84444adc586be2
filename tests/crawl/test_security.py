"""The address guard, in real crawls against real servers on loopback."""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from scrapy import Request

from newsextract.addresses import refusal_of
from newsextract.crawl.failures import RequestRefused
from newsextract.crawl.security import AddressGuardMiddleware, setting_around_guard
from newsextract.store.schema import fingerprint
from tests.crawling import QUICK, Answer, article, crawl, feed, front, settings, web

ADDRESSES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
SPELLINGS = ADDRESSES["spellings"]


def stub(names: dict[str, list[list[str]]], **settings: str) -> dict[str, Any]:
    """What makes a crawl resolve names by a table, with these settings: see stub_resolver.py."""
    resolver = {"NEWSEXTRACT_ALLOW_PRIVATE": "0", "TWISTED_DNS_RESOLVER": "tests.crawl.stub_resolver.StubResolver"}
    return {"settings": {**QUICK, **resolver, **settings}, "env": {"STUB_NAMES": json.dumps(names)}}


def test_guard_refuses_every_spelling_of_loopback(tmp_path, site):
    site["/"] = article("Secret", "Oslo")
    urls = ",".join(f"http://{host}:{site.port}/" for host in SPELLINGS)
    done = crawl(tmp_path, "site", settings={"NEWSEXTRACT_ALLOW_PRIVATE": "0"}, url=urls, status=1)
    assert site.asked == []
    refused, unknown = done.dropped["address_refused"], done.dropped.get("no_such_host", 0)
    asked = {fingerprint(f"http://{host}:{site.port}/") for host in SPELLINGS}  # two spellings may be one URL
    assert refused + unknown == len(asked)
    assert unknown <= 1, "only `localhost.` is unknown to some systems"
    assert "its address 127.0.0.1 is not on the public Internet" in done.stderr


def test_guard_refuses_redirects_to_private_addresses_and_a_name_with_one_among_others(tmp_path):
    with web("127.0.0.2") as public, web() as private:
        private["/secret"] = article("Secret", "Oslo")
        public["/news.test"] = feed(*(f"http://news.test:{public.port}/{n}" for n in "abc"))
        for path, target in zip("abc", ("127.0.0.1", "localhost", "inside.test"), strict=True):
            public[f"/{path}"] = Answer(status=302, headers={"Location": f"http://{target}:{private.port}/secret"})
        names = {"news.test": [["127.0.0.2"]], "inside.test": [["127.0.0.1"]]}
        names["mixed.test"] = [["127.0.0.2", "127.0.0.1"]]
        urls = ",".join(f"http://{host}:{public.port}/{host}" for host in ("news.test", "mixed.test"))
        done = crawl(tmp_path, "feeds", url=urls, status=1, **stub(names))
    assert {"/a", "/b", "/c"} <= set(public.asked) and "/mixed.test" not in public.asked
    assert private.asked == []
    assert done.dropped == {"address_refused": 4}


def test_guard_checks_a_name_that_changes_its_address(tmp_path):
    with web("127.0.0.2") as public, web(port=public.port) as private:
        for site in (public, private):
            site["/feed"] = feed(*(f"http://turns.test:{public.port}/{n}" for n in range(6)))
            for n in range(6):
                site[f"/{n}"] = article(f"Story {n}", f"Place {n}")
        names = {"turns.test": [["127.0.0.2"], ["127.0.0.2"], ["127.0.0.1"]]}
        done = crawl(tmp_path, "feeds", url=f"http://turns.test:{public.port}/feed", **stub(names))
    assert "/feed" in public.asked
    assert private.asked == []
    assert done.dropped.get("address_refused", 0) >= 1


def test_guard_holds_for_robots_txt_sitemaps_and_feeds(tmp_path):
    with web("127.0.0.2") as public, web("127.0.0.2") as moved, web() as private:
        inside = f"http://www.news.test:{private.port}"
        moved["/"] = front("/x")
        moved["/robots.txt"] = Answer(status=302, headers={"Location": f"{inside}/robots.txt"})
        public["/"] = front("/x", head=f"<link rel=alternate type=application/rss+xml href={inside}/feed>")
        public["/robots.txt"] = Answer(f"Sitemap: {inside}/sitemap.xml\n", content_type="text/plain")
        public["/x"] = Answer(status=301, headers={"Location": f"{inside}/x"})
        names = {"news.test": [["127.0.0.2"]], "www.news.test": [["127.0.0.1"]]}
        homes = ",".join(f"http://news.test:{each.port}/" for each in (public, moved, private))
        done = crawl(tmp_path, "site", url=homes, **stub(names))
    assert "/robots.txt" in public.asked and {*moved.asked} == {"/robots.txt"}
    assert private.asked == []
    [told] = re.findall(rf"^  not crawled: http://news.test:{moved.port}/: (.*)", done.stderr, re.M)
    assert "its address 127.0.0.1 is not on the public Internet" in told


def test_crawl_does_not_start_with_another_resolver(tmp_path, site):
    settings = {"TWISTED_DNS_RESOLVER": "scrapy.resolver.CachingThreadedResolver"}
    done = crawl(tmp_path, "site", settings=settings, url=site.url, status=1)
    assert "the crawl does not start: the guard is not on this process's reactor" in done.stderr
    assert site.asked == []


@pytest.mark.parametrize(("name", "value", "sentence"), ADDRESSES["settings"])
def test_settings_that_bypass_the_guard_are_refused(name, value, sentence):
    assert setting_around_guard(settings(), allow_private=False) is None
    assert sentence in (setting_around_guard(settings(**{name: value}), allow_private=False) or "")


def test_proxy_of_the_environment_is_not_used(tmp_path):
    with web() as site, web() as proxy:
        site["/"] = "<html><body>home</body></html>"
        crawl(tmp_path, "site", url=site.url, env={"http_proxy": proxy.url, "HTTP_PROXY": proxy.url, "no_proxy": ""})
    assert "/" in site.asked
    assert proxy.asked == []


def test_proxy_is_used_where_the_address_check_is_given_up(tmp_path):
    with web() as proxy:
        proxy["http://courier.example/"] = front("/story")
        proxy["http://courier.example/story"] = article("Through a proxy", "Bergen")
        settings = {"HTTPPROXY_ENABLED": "1"}
        env = {"http_proxy": proxy.url, "no_proxy": ""}
        done = crawl(tmp_path, "site", settings=settings, url="http://courier.example/", env=env)
    assert [page["headline"] for page in done.articles] == ["Through a proxy"], done.stderr
    assert "http://courier.example/robots.txt" in proxy.asked


#: A download handler as packages have them that speak like a browser.
OWN_HANDLER = """
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler

class OwnHandler(HTTP11DownloadHandler):
    async def download_request(self, request):
        request.headers["X-Handler"] = "own"
        return await super().download_request(request)
"""


def test_download_handler_of_another_package_is_used_where_the_address_check_is_given_up(tmp_path, site):
    (tmp_path / "own_handler.py").write_text(OWN_HANDLER)
    site["/"] = article("By another handler", "Bergen")
    handlers = {"DOWNLOAD_HANDLERS": '{"http": "own_handler.OwnHandler"}'}
    crawl(tmp_path, "site", settings=handlers, url=site.url)
    assert site.headers and all(sent.get("X-Handler") == "own" for sent in site.headers)


def test_guard_refuses_requests_of_another_scheme():
    with pytest.raises(RequestRefused, match="only http and https"):
        AddressGuardMiddleware(None).process_request(Request("file:///etc/hostname"))


@pytest.mark.parametrize(
    ("addresses", "reason"),
    [
        (ADDRESSES["public"], None),
        (ADDRESSES["refused"], "public Internet"),
        ("localhost", "isn't an IP address"),
        ("::ffff:192.168.0.9", "leads to 192.168.0.9, which is not on the public Internet"),
    ],
)
def test_addresses_off_the_public_internet_are_refused(addresses, reason):
    for address in addresses.split():
        refusal = refusal_of(address)
        assert refusal is None if reason is None else reason in (refusal or ""), address
