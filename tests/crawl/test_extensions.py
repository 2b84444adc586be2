"""The extensions of a crawl: progress in the log, and an end whatever is in the pipelines."""

import json
import re
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from evaluation.crawling.kill import CRAWL_TIMEOUT, wait_until
from newsextract.extractors import Extraction
from newsextract.methods.econ import Econ
from newsextract.page import Page
from newsextract.settings import ITEM_PIPELINES
from newsextract.store import UrlState
from tests.crawling import article, front, killed_crawl, read_database
from tests.store.samples import urls_in

LOG_LINE = r"\d+ pages · articles: 0 new, .* \d+ dropped · \d+ queued · [\d.]+ pages/s · \d+ s$"


@dataclass(frozen=True)
class Slow:
    """An extractor that needs peers, so that pages wait for them; for one page it makes a file and takes 1 s."""

    name: ClassVar[str] = "slow"
    paper: ClassVar[str] = "none"
    needs_peer: ClassVar[bool] = True

    def __call__(self, page: Page, peer: Page | None = None) -> Extraction:
        if page.url and page.url.endswith("/slow"):
            Path("extracting").touch()
            time.sleep(1)
        return Econ()(page)


def test_shutdown_ends_a_crawl_while_a_page_that_was_pending_is_extracted(tmp_path, site):
    site["/"] = front("/slow")
    site["/slow"] = article("A slow story", "Vik")
    killed = killed_crawl(tmp_path, site, NEWSEXTRACT_EXTRACTOR=f"{__name__}.Slow", LOGSTATS_INTERVAL="0.4")
    with killed.crawl() as process:
        is_extracting, line = (tmp_path / "extracting").exists, re.compile(LOG_LINE, re.M).search
        wait_until(lambda: (is_extracting() and line(killed.log())) or process.poll() is not None)
        process.send_signal(signal.SIGTERM)
        assert process.wait(CRAWL_TIMEOUT) == 0, killed.log()
    stats, articles = read_database(tmp_path / "newsextract.db")
    assert stats["finish_reason"] == "shutdown" and stats["newsextract/pending"] >= 1 and line(killed.log())
    if not articles:  # the machine was too slow: it is on disk, and continues with the run
        killed.finish()
        articles = read_database(tmp_path / "newsextract.db")[1]
    assert [stored["url"] for stored in articles] == [f"{site.url}/slow"]


def test_shutdown_leaves_a_pipeline_that_never_ends(tmp_path, site, store):
    site["/"] = front("/forever", "/story")
    site["/forever"], site["/story"] = article("No end", "Oslo"), article("A story", "Vik")
    pipelines = json.dumps({**ITEM_PIPELINES, "tests.crawl.faulty_site.EndlessPipeline": 600})
    killed = killed_crawl(tmp_path, site, NEWSEXTRACT_EXTRACTOR="bte", ITEM_PIPELINES=pipelines)
    jsonl = tmp_path / "articles.jsonl"
    with killed.crawl() as process:
        wait_until(lambda: jsonl.exists() and b"A story" in jsonl.read_bytes())
        process.send_signal(signal.SIGTERM)
        assert process.wait(CRAWL_TIMEOUT) == 0, killed.log()
    assert "The crawl did not close in time" in killed.log()
    assert [*store.read(urls_in, UrlState.queued)] == [f"{site.url}/forever"]
