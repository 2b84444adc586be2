"""A crawl that is closed ends, whatever is in its pipelines."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from newsextract.extractors import Extraction
from newsextract.extractors.econ import Econ
from newsextract.page import Page
from tests.crawling import article, crawl, front, web


@dataclass(frozen=True)
class Slow:
    """Looks at peers, so that pages wait for them, and takes its time."""

    name: ClassVar[str] = "slow"
    paper: ClassVar[str] = "none"
    needs_peer: ClassVar[bool] = False
    uses_peer: ClassVar[bool] = True

    def __call__(self, page: Page, peer: Page | None = None) -> Extraction:
        time.sleep(2 if page.url and page.url.endswith("/slow") else 0)
        return Econ()(page)


def test_a_crawl_closes_while_a_page_that_was_put_aside_is_extracted(tmp_path: Path) -> None:
    settings = {"NEWSEXTRACT_EXTRACTOR": f"{__name__}.Slow", "NEWSEXTRACT_WORKERS": "1"}
    settings |= {"CLOSESPIDER_TIMEOUT": "1", "NEWSEXTRACT_PEER_WAIT": "0"}
    with web() as site:
        site["/"] = front("/slow")
        site["/slow"] = article("A slow story", "Vik")
        done = crawl(tmp_path, "site", settings=settings, url=site.url)
        assert done.status == 0, done.stderr
        assert done.stats["finish_reason"] == "closespider_timeout"
        assert done.stats["newsextract/held"] >= 1
        if not done.urls:  # it was not at its turn yet: it is on disk, and goes on with the run
            done = crawl(tmp_path, "site", settings={**settings, "CLOSESPIDER_TIMEOUT": "0"}, url=site.url)
    assert done.urls == {f"{site.url}/slow"}
