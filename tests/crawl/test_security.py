"""The address guard, in real crawls against real servers on loopback."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from scrapy import Request
from scrapy.settings import Settings, default_settings

from newsextract import settings
from newsextract.crawl.failures import RequestRefused
from newsextract.crawl.security import Guard, settings_around_it
from newsextract.store.url_states import fingerprint
from tests.crawling import Answer, article, crawl, environment, front, web

HERE = Path(__file__).resolve().parent
#: All spellings of this machine that reach a server bound to 127.0.0.1 (or to ::1), where there is no guard.
SPELLINGS = (
    "127.0.0.1", "localhost", "LOCALHOST", "localhost.", "2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "127.1",
    "0", "0.0.0.0", "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:7f00:1]",
    "１２７.０.０.１",
)  # fmt: skip


def stub(names: dict[str, list[list[str]]]) -> dict[str, object]:
    """What makes a crawl resolve names by a table: see stub_resolver.py."""
    return {
        "settings": {
            "TWISTED_DNS_RESOLVER": "stub_resolver.StubResolver",
            "DOWNLOAD_DELAY": "0",
            "AUTOTHROTTLE_ENABLED": "0",
            "RETRY_TIMES": "0",
        },
        "quick": False,
        "env": {"STUB_NAMES": json.dumps(names), "PYTHONPATH": f"{environment()['PYTHONPATH']}:{HERE}"},
    }


def feed(*urls: str) -> Answer:
    items = "".join(f"<item><title>t</title><link>{url}</link></item>" for url in urls)
    return Answer(f"<rss version='2.0'><channel>{items}</channel></rss>", content_type="application/rss+xml")


def test_no_spelling_of_this_machine_is_fetched(tmp_path: Path) -> None:
    with web() as site:
        site["/"] = article("Secret", "Oslo")
        urls = ",".join(f"http://{host}:{site.port}/" for host in SPELLINGS)
        done = crawl(tmp_path, "site", quick=False, settings={"RETRY_TIMES": "0", "DOWNLOAD_DELAY": "0"}, url=urls)
    assert site.asked == []
    assert done.status == 1
    refused, unknown = done.dropped["address_refused"], done.dropped.get("no_such_host", 0)
    asked = {fingerprint(f"http://{host}:{site.port}/") for host in SPELLINGS}  # two spellings may be one URL
    assert refused + unknown == len(asked)
    assert unknown <= 1, "only `localhost.` is unknown to some systems"
    assert "its address 127.0.0.1 is not on the public Internet" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_redirect_to_a_private_address_is_not_followed(tmp_path: Path) -> None:
    with web("127.0.0.2") as public, web() as private:
        private["/secret"] = article("Secret", "Oslo")
        public["/feed"] = feed(*(f"http://news.test:{public.port}/{n}" for n in "abc"))
        for path, target in zip("abc", ("127.0.0.1", "localhost", "inside.test"), strict=True):
            public[f"/{path}"] = Answer(status=302, headers={"Location": f"http://{target}:{private.port}/secret"})
        names = {"news.test": [["127.0.0.2"]], "inside.test": [["127.0.0.1"]]}
        done = crawl(tmp_path, "feeds", url=f"http://news.test:{public.port}/feed", **stub(names))  # type: ignore[arg-type]
    assert {"/a", "/b", "/c"} <= set(public.asked)
    assert private.asked == []
    assert done.dropped == {"address_refused": 3}


def test_a_name_that_changes_its_address_is_never_connected_to_unchecked(tmp_path: Path) -> None:
    with web("127.0.0.2") as public, web(port=public.port) as private:
        for site in (public, private):
            site["/feed"] = feed(*(f"http://turns.test:{public.port}/{n}" for n in range(6)))
            for n in range(6):
                site[f"/{n}"] = article(f"Story {n}", f"Place {n}")
        names = {"turns.test": [["127.0.0.2"], ["127.0.0.2"], ["127.0.0.1"]]}
        done = crawl(tmp_path, "feeds", url=f"http://turns.test:{public.port}/feed", **stub(names))  # type: ignore[arg-type]
    assert "/feed" in public.asked
    assert private.asked == []
    assert done.dropped.get("address_refused", 0) >= 1


def test_a_name_with_one_private_address_among_public_ones_is_refused_whole(tmp_path: Path) -> None:
    with web("127.0.0.2") as public, web(port=public.port) as private:
        names = {"mixed.test": [["127.0.0.2", "127.0.0.1"]]}
        done = crawl(tmp_path, "site", url=f"http://mixed.test:{public.port}/", **stub(names))  # type: ignore[arg-type]
    assert public.asked == private.asked == []
    assert done.status == 1
    assert done.dropped == {"address_refused": 1}


def test_robots_sitemaps_and_feeds_take_the_same_way_as_pages(tmp_path: Path) -> None:
    with web("127.0.0.2") as public, web() as private:
        inside = f"http://www.news.test:{private.port}"
        public["/"] = front("/x", head=f"<link rel=alternate type=application/rss+xml href={inside}/feed>")
        public["/robots.txt"] = Answer(f"Sitemap: {inside}/sitemap.xml\n", content_type="text/plain")
        public["/x"] = Answer(status=301, headers={"Location": f"{inside}/x"})
        names = {"news.test": [["127.0.0.2"]], "www.news.test": [["127.0.0.1"]]}
        home = f"http://news.test:{public.port}/,http://news.test:{private.port}/"
        crawl(tmp_path, "site", url=home, **stub(names))  # type: ignore[arg-type]
    assert "/robots.txt" in public.asked
    assert private.asked == []


RUNNER = """
import asyncio, sys
from scrapy.settings import Settings
from scrapy.utils.reactor import install_reactor
install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")
from scrapy.crawler import AsyncCrawlerRunner
from scrapy.utils.log import configure_logging
from twisted.internet import reactor
settings = Settings()
settings.setmodule("newsextract.settings", priority="project")
{change}
configure_logging(settings)
runner = AsyncCrawlerRunner(settings)
crawler = runner.create_crawler("site")
task = runner.crawl(crawler, url=sys.argv[1])
task.add_done_callback(lambda _: reactor.stop())
reactor.run()
print(crawler.stats.get_value("finish_reason"))
"""


def run_by_script(folder: Path, url: str, change: str = "") -> subprocess.CompletedProcess[str]:
    script = RUNNER.format(change=change)
    command = [sys.executable, "-c", script, url]
    return subprocess.run(
        command, cwd=folder, env=environment(), capture_output=True, text=True, timeout=60, check=False
    )


def test_a_crawl_does_not_start_where_the_guard_is_not_on_the_reactor(tmp_path: Path) -> None:
    with web() as site:
        done = run_by_script(tmp_path, site.url)
    assert done.stdout.strip() == "guard", done.stderr
    assert "the guard is not on this process's reactor" in done.stderr
    assert site.asked == []


def test_a_crawl_with_another_resolver_is_refused(tmp_path: Path) -> None:
    with web() as site:
        settings = {"TWISTED_DNS_RESOLVER": "scrapy.resolver.CachingThreadedResolver"}
        done = crawl(tmp_path, "site", settings=settings, url=site.url)
    assert done.status == 1
    assert "this crawl does not start: the guard is not on this process's reactor" in done.stderr
    assert "Traceback" not in done.stderr
    assert site.asked == []


FILES = {"file": "scrapy.core.downloader.handlers.file.FileDownloadHandler"}
HTTPX = {"https": "scrapy.core.downloader.handlers._httpx.HttpxDownloadHandler"}


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("HTTPPROXY_ENABLED", True, "a proxy resolves names where the address guard can't see it"),
        ("TWISTED_REACTOR_ENABLED", False, "the address guard needs that reactor"),
        ("TWISTED_REACTOR", "twisted.internet.selectreactor.SelectReactor", "the address guard needs that reactor"),
        ("DOWNLOAD_HANDLERS", FILES, "must not serve file"),
        ("DOWNLOAD_HANDLERS", HTTPX, "connects by itself"),
    ],
)
def test_settings_that_lead_around_the_guard_are_refused(name: str, value: object, sentence: str) -> None:
    settings = Settings()
    settings.setmodule("newsextract.settings", priority="project")
    assert settings_around_it(settings, allow_private=False) is None
    settings.set(name, value, priority="cmdline")
    assert sentence in (settings_around_it(settings, allow_private=False) or "")


def test_a_proxy_of_the_environment_is_not_used(tmp_path: Path) -> None:
    with web() as site, web() as proxy:
        site["/"] = "<html><body>home</body></html>"
        crawl(tmp_path, "site", url=site.url, env={"http_proxy": proxy.url, "HTTP_PROXY": proxy.url, "no_proxy": ""})
    assert "/" in site.asked
    assert proxy.asked == []


def test_a_request_through_a_proxy_or_of_another_scheme_does_not_leave() -> None:
    with pytest.raises(RequestRefused, match="a proxy resolves names"):
        Guard(None).process_request(Request("http://example.org/", meta={"proxy": "http://10.0.0.1:3128"}))  # type: ignore[arg-type]
    with pytest.raises(RequestRefused, match="only http and https"):
        Guard(None).process_request(Request("file:///etc/hostname"))  # type: ignore[arg-type]


def test_of_scrapys_extensions_only_its_doors_and_its_log_lines_are_missing() -> None:
    missing = {path.rpartition(".")[2] for path in default_settings.EXTENSIONS_BASE.keys() - settings.EXTENSIONS_BASE}
    assert missing == {"TelnetConsole", "RemoteControl", "LogStats"}
