"""A Scrapy that changed what newsextract uses of its private API is refused; every other crawl finds it unchanged."""

from pathlib import Path

from tests.crawling import crawl, front, web


def test_crawl_is_refused_by_a_scrapy_that_renamed_a_private_method(tmp_path: Path) -> None:
    with web() as site:
        site["/"] = front()
        done = crawl(tmp_path, "site", settings={"SPIDER_MODULES": "tests.crawl.changed_scrapy"}, url=site.url)
    assert done.status == 1
    assert "Scrapy changed engine.downloader._latercall" in done.stderr
    assert "to hold back a site that answers 429 or 503" in done.stderr
    assert "Traceback" not in done.stderr
    assert not site.asked
