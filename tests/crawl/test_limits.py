"""What a page or site may cost (bytes, seconds, redirects, traps, no answer), and the delays that it asks for."""

import gzip
import re
import threading
import time
from functools import partial
from itertools import pairwise

import brotli
import pytest

from newsextract.crawl.scope import is_first_party
from newsextract.discovery.traps import MAX_BARREN_PAGES
from newsextract.store import UrlState
from tests.crawling import NO_LENGTH, STORIES, Answer, add_stories, article, crawl, front, web
from tests.examples import examples
from tests.store.samples import urls_in

MIB = 1024 * 1024
FILLER = "<html><p>" + "x" * (2 * MIB) + "</p></html>"
NULS = b"<html>" + b"\0" * (16 * MIB)
LIMITS = {"DOWNLOAD_MAXSIZE": str(MIB), "DOWNLOAD_TIMEOUT": "5", "NEWSEXTRACT_EXTRACTOR": "bte"}


def test_limits_cost_hostile_pages_and_no_other(tmp_path, site):
    held = threading.Event()
    page = article("The pier", "Bergen")
    packed = {"gzip": gzip.compress, "br": brotli.compress}
    site["/robots.txt"] = "User-agent: *\nDisallow: /private/\n\nUser-agent: newsextract\nDisallow: /mine/\n"
    site["/long"], site["/stream"] = Answer(FILLER), Answer(FILLER, length=NO_LENGTH)
    site["/cut"] = Answer(page[: len(page) // 2], length=len(page))
    site["/slow"] = Answer("<html>", before=held.wait)
    site["/mine/a"] = article("The ferry", "Stavanger")
    for n in range(30):
        site[f"/hop/{n}"] = Answer(status=302, headers={"Location": f"/hop/{n + 1}"})
    for name, pack in packed.items():
        site[f"/bomb/{name}"] = Answer(pack(NULS), headers={"Content-Encoding": name})
        good = article(f"The pier in {name}", name.title()).encode()
        site[f"/good/{name}"] = Answer(pack(good), headers={"Content-Encoding": name})
    links = ("/long", "/stream", "/cut", "/slow", "/mine/a", "/hop/0", "/bomb/gzip", "/bomb/br")
    site["/"] = front(*links, "/good/gzip", "/good/br")
    done = crawl(tmp_path, "site", settings=LIMITS, url=site.url)
    held.set()
    assert done.paths == {"/good/gzip", "/good/br"}
    assert done.status == 0
    assert {"/long", "/stream", "/bomb/gzip", "/bomb/br"} <= set(site.asked)
    expected = {"too_large": 4, "timeout": 1, "redirects": 1, "cut_off": 1, "robots": 1}
    assert {reason: done.dropped[reason] for reason in expected} == expected
    assert "/hop/5" in site.asked and "/hop/7" not in site.asked
    assert "/mine/a" not in site.asked, "robots.txt has rules for our name"
    assert "4  larger than DOWNLOAD_MAXSIZE" in done.stderr and "1  disallowed by robots.txt" in done.stderr
    [agent] = {headers["User-Agent"] for headers in site.headers}
    assert agent.startswith("newsextract/")


def test_malformed_base_refresh_and_charset_cost_no_page_and_headers_that_never_end_cost_one(tmp_path, site):
    def endless() -> Answer:
        return Answer(article("Story 3", "Place 3"), headers={f"X-{n}": "a" * 8_000 for n in range(4_000)})

    stories = add_stories(site, 4)
    site["/"] = front(*stories, head="<base href='http://[/'>")
    site[stories[0]] = article("Story 0", "Vik", head="<meta http-equiv=refresh content='0;url=http://[x'>")
    site[stories[1]] = Answer(site.answer(stories[1]).body, content_type="text/html; charset=idna")
    site[stories[2]] = article("Story 2", "Voss", head="<meta http-equiv=refresh content='0;url=/moved'>")
    site["/moved"] = article("Story 3", "Bergen")
    site[stories[3]] = endless
    done = crawl(tmp_path, "site", url=site.url)
    assert done.paths == {*stories[:2], "/moved"}
    assert done.stats["downloader/response_bytes"] < MIB


def test_crawl_delay_of_robots_txt_is_kept_and_logged(tmp_path, site):
    at: list[float] = []
    robots = f"User-agent: *\nCrawl-delay: 1.5\nSitemap: {site.url}/sitemap.xml\n"
    site["/robots.txt"] = Answer(robots, content_type="text/plain")
    for path in add_stories(site):
        site[path] = Answer(site.answer(path).body, before=lambda: at.append(time.monotonic()))
    site["/"] = front(*STORIES[:3], head="<link rel=alternate type=application/rss+xml href=/feed>")
    done = crawl(tmp_path, "site", url=site.url, settings={"AUTOTHROTTLE_ENABLED": "1"})
    assert "asks for 1.5 s between requests" in done.stderr
    # A busy machine may note a request late, and by that a shorter pause before the next one.
    assert min(later - before for before, later in pairwise(sorted(at))) > 0.5


def test_throttle_takes_pages_that_are_gone_for_quick_answers(tmp_path, site):
    site["/"] = front(*STORIES)
    settings = {"AUTOTHROTTLE_ENABLED": "1", "AUTOTHROTTLE_DEBUG": "1"}
    done = crawl(tmp_path, "site", url=site.url, settings=settings)
    assert done.dropped["http_404"] == 8
    delays = [int(delay) for delay in re.findall(r"slot: .* delay: *(\d+) ms", done.stderr)]
    assert len(delays) >= 8 and min(delays) < 350, "the front page alone shortens 1 s to .5 s"


def test_retry_after_delays_one_site_and_its_page_is_fetched_later(tmp_path):
    at: list[float] = []

    def busy() -> Answer:
        at.append(time.monotonic())
        if len(at) == 1:
            return Answer("busy", status=503, headers={"Retry-After": "2"})
        return Answer(article("Story 9", "Place 9"))

    with web() as site, web("127.0.0.2") as other:
        add_stories(other)
        site["/"], site[STORIES[0]] = front(STORIES[0]), busy
        done = crawl(tmp_path, "site", url=f"{site.url},{other.url}", settings={"RETRY_TIMES": "1"})
    assert at[1] - at[0] > 1.9
    assert "answers 503 and asks for 2 s" in done.stderr
    assert len(done.articles) == 4


TIMEOUT = {"DOWNLOAD_TIMEOUT": "1", "RETRY_TIMES": "2"}


def test_crawl_of_host_that_never_answers_ends_soon_and_the_next_one_goes_on(tmp_path, site, store):
    ended = threading.Event()
    add_stories(site)
    site["/robots.txt"] = Answer("User-agent: *\nAllow: /\n")
    answer, host = site.answer, site.url.removeprefix("http://")

    def silent(path: str) -> Answer:
        ended.wait(300)
        return answer(path)

    site.answer = silent
    done = crawl(tmp_path, "site", url=site.url, settings=TIMEOUT, status=1)
    assert len(site.asked) == 3
    assert f"The crawl stopped early: {host} does not answer: 3 requests" in done.stderr
    assert done.stats["finish_reason"] == "no_answer"
    assert [*store.read(urls_in, UrlState.queued)] == [site.url]
    site.answer = answer
    assert len(crawl(tmp_path, "site", url=site.url).articles) == 3
    site.answer = silent  # its robots.txt is kept, but not taken for an answer
    done = crawl(tmp_path, "site", url=site.url, settings=TIMEOUT, status=1)
    assert done.stats["finish_reason"] == "no_answer"
    ended.set()


def test_site_that_answers_late_is_crawled_to_its_end(tmp_path, site):
    ended, late = threading.Event(), {"/robots.txt", "/"}

    def answer_late(path: str, page: str) -> Answer:
        """No answer to the first request of a path."""
        if path in late:
            late.remove(path)
            ended.wait(300)
        return Answer(page)

    stories = add_stories(site)
    site["/robots.txt"] = partial(answer_late, "/robots.txt", "")
    site["/"] = partial(answer_late, "/", front(*stories))
    done = crawl(tmp_path, "site", url=site.url, settings={**TIMEOUT, "DOWNLOAD_TIMEOUT": "3"})
    ended.set()
    assert len(done.articles) == 3


def test_trap_of_a_long_calendar_is_left_and_the_other_site_is_read(tmp_path):
    with web() as trap, web("127.0.0.2") as honest:
        for month in range(10 * MAX_BARREN_PAGES):
            trap[f"/calendar/{month}"] = front(*(f"/calendar/{month + later}" for later in range(1, 8)))
        add_stories(honest, len(STORIES))
        trap["/"] = front("/calendar/1", *STORIES)
        for n, path in enumerate(STORIES):
            trap[path] = article(f"Trap {n}", f"Nowhere {n}")
        settings = {"NEWSEXTRACT_EXTRACTOR": "bte"}
        done = crawl(tmp_path, "site", settings=settings, url=f"{trap.url},{honest.url}")
    assert done.urls == {f"{site.url}{path}" for site in (trap, honest) for path in STORIES}
    months = [path for path in trap.asked if path.startswith("/calendar/")]
    assert MAX_BARREN_PAGES <= len(months) < 3 * MAX_BARREN_PAGES
    assert done.dropped["trap"] > 0
    assert "lead nowhere; skipping the rest" in done.stderr
    assert "crawler traps" in done.stderr


@pytest.mark.parametrize(("url", "page", "hosts", "is_first"), examples(__file__, "first_party"))
def test_first_party_is_the_page_s_domain_and_the_hosts_that_are_named(url, page, hosts, is_first):
    assert is_first_party(url, page, hosts) == is_first
