"""A site that asks to be left alone for a while is, and others are not."""

import re
import time
from itertools import pairwise
from pathlib import Path

from tests.crawling import STORIES, Answer, add_stories, article, crawl, front, web


def test_crawl_delay_of_robots_txt_is_kept_and_logged(tmp_path: Path) -> None:
    at: list[float] = []
    with web() as site:
        robots = f"User-agent: *\nCrawl-delay: 1.5\nSitemap: {site.url}/sitemap.xml\n"
        site["/robots.txt"] = Answer(robots, content_type="text/plain")
        for path in add_stories(site):
            site[path] = Answer(site.answer(path).body, before=lambda: at.append(time.monotonic()))
        site["/"] = front(*STORIES[:3], head="<link rel=alternate type=application/rss+xml href=/feed>")
        settings = {"AUTOTHROTTLE_ENABLED": "1", "AUTOTHROTTLE_START_DELAY": "0"}
        done = crawl(tmp_path, "site", url=site.url, settings=settings)
    assert done.status == 0
    assert "asks for 1.5 s between requests" in done.stderr
    # A busy machine may note a request late, and by that a shorter pause before the next one.
    assert min(later - before for before, later in pairwise(sorted(at))) > 0.5


def test_throttle_takes_pages_that_are_gone_for_quick_answers(tmp_path: Path) -> None:
    with web() as site:
        site["/"] = front(*STORIES)
        settings = {"AUTOTHROTTLE_ENABLED": "1", "AUTOTHROTTLE_START_DELAY": "2", "AUTOTHROTTLE_DEBUG": "1"}
        done = crawl(tmp_path, "site", url=site.url, settings=settings)
    assert done.dropped["http_404"] == 8
    delays = [int(delay) for delay in re.findall(r"slot: .* delay: *(\d+) ms", done.stderr)]
    assert len(delays) >= 8 and min(delays) < 700, "the front page alone shortens 2 s to 1 s"


def test_retry_after_delays_one_site_and_its_page_is_fetched_later(tmp_path: Path) -> None:
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
