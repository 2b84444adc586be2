"""The extensions of a crawl: progress in the log, and an end whatever is in the pipelines."""

import json
import re
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from evaluation.crawling.kill import CRAWL_TIMEOUT, KilledCrawl, wait_until
from newsextract.extractors import Extraction
from newsextract.extractors.econ import Econ
from newsextract.page import Page
from newsextract.settings import ITEM_PIPELINES
from newsextract.store import Store, UrlState
from tests import preloaded
from tests.crawling import article, crawl, front, web


@dataclass(frozen=True)
class Slow:
    """An extractor that uses peers, so that pages wait for them, and takes 2 s for one page."""

    name: ClassVar[str] = "slow"
    paper: ClassVar[str] = "none"
    needs_peer: ClassVar[bool] = False
    uses_peer: ClassVar[bool] = True

    def __call__(self, page: Page, peer: Page | None = None) -> Extraction:
        time.sleep(2 if page.url and page.url.endswith("/slow") else 0)
        return Econ()(page)


def test_shutdown_ends_a_crawl_while_a_page_that_was_put_aside_is_extracted(tmp_path: Path) -> None:
    settings = {"NEWSEXTRACT_EXTRACTOR": f"{__name__}.Slow", "LOGSTATS_INTERVAL": "0.4"}
    settings |= {"CLOSESPIDER_TIMEOUT": "1", "NEWSEXTRACT_PEER_WAIT": "0"}
    with web() as site:
        site["/"] = front("/slow")
        site["/slow"] = article("A slow story", "Vik")
        done = crawl(tmp_path, "site", settings=settings, url=site.url)
        assert done.status == 0, done.stderr
        assert done.stats["finish_reason"] == "closespider_timeout"
        assert done.stats["newsextract/held"] >= 1
        assert re.search(
            r"\d+ pages · articles: 0 new, .* \d+ dropped · \d+ queued · [\d.]+ pages/s · 1 s$", done.stderr, re.M
        )
        if not done.urls:  # it was not at its turn yet: it is on disk, and goes on with the run
            done = crawl(tmp_path, "site", settings={**settings, "CLOSESPIDER_TIMEOUT": "0"}, url=site.url)
    assert done.urls == {f"{site.url}/slow"}


def test_shutdown_leaves_a_pipeline_that_never_ends_within_8_seconds(tmp_path: Path) -> None:
    with web() as site:
        site["/"] = front("/forever", "/story")
        site["/forever"], site["/story"] = article("No end", "Oslo"), article("A story", "Vik")
        settings = {"NEWSEXTRACT_EXTRACTOR": "bte", "NEWSEXTRACT_WORKERS": "0"}
        settings["ITEM_PIPELINES"] = json.dumps({**ITEM_PIPELINES, "tests.crawl.faulty_site.EndlessPipeline": 600})
        killed = KilledCrawl(tmp_path, site, settings=settings, scrapy=preloaded.command("scrapy"))
        jsonl = tmp_path / "articles.jsonl"
        with killed.crawl() as process:
            wait_until(lambda: jsonl.exists() and b"A story" in jsonl.read_bytes())
            begun = time.monotonic()
            process.send_signal(signal.SIGTERM)
            assert process.wait(CRAWL_TIMEOUT) == 0, killed.log()
            assert time.monotonic() - begun < 8
        assert "The crawl did not close in time" in killed.log()
        with Store.open(killed.url) as store:
            assert [*store.urls_in(UrlState.queued)] == [f"{site.url}/forever"]
