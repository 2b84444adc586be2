"""Scrapy's private API: everything that newsextract uses of it is there, and a Scrapy that changed it is refused."""

import json
import subprocess
import sys
from pathlib import Path

from tests.crawling import crawl, environment, front, web

#: Prints what `find_changed_api` finds in a running crawl of a bare spider.
PROBE = """
import json
from scrapy import Spider
from scrapy.crawler import AsyncCrawlerProcess
from newsextract.crawl.engine import PRIVATE_API, find_changed_api

class Probe(Spider):
    name = "probe"

    async def start(self):
        print(json.dumps([sum(map(len, PRIVATE_API.values())), find_changed_api(self.crawler)]))
        return
        yield

process = AsyncCrawlerProcess({"LOG_ENABLED": False, "TELNETCONSOLE_ENABLED": False})
process.crawl(Probe)
process.start()
"""


def test_private_api_of_this_scrapy_has_all_that_newsextract_uses() -> None:
    command = [sys.executable, "-c", PROBE]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=300, check=True)
    looked_up, changes = json.loads(done.stdout)
    assert looked_up >= 20
    assert changes == [], "\n".join(changes)


def test_crawl_is_refused_by_a_scrapy_that_renamed_a_private_method(tmp_path: Path) -> None:
    with web() as site:
        site["/"] = front()
        done = crawl(tmp_path, "site", settings={"SPIDER_MODULES": "tests.crawl.changed_scrapy"}, url=site.url)
    assert done.status == 1
    assert "Scrapy changed engine.downloader._latercall" in done.stderr
    assert "to hold back a site that answers 429 or 503" in done.stderr
    assert "Traceback" not in done.stderr
    assert not site.asked
