"""A page that an extractor fails on costs that page, whoever wrote the extractor."""

import textwrap
from pathlib import Path

from tests.crawling import article, crawl, environment, front, web

PLUGIN = """
    class Picky:
        name = "picky"
        paper = "none"
        needs_peer = False

        def __call__(self, page, peer=None):
            if "bad" in (page.url or ""):
                raise ZeroDivisionError("no such luck")
            from newsextract import EXTRACTORS
            return EXTRACTORS["econ"]()(page, peer)
"""


def test_an_extractor_that_fails_on_a_page_does_not_stop_the_crawl(tmp_path: Path) -> None:
    package = tmp_path / "plugin"
    (package / "picky-1.dist-info").mkdir(parents=True)
    (package / "picky_extractor.py").write_text(textwrap.dedent(PLUGIN))
    (package / "picky-1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: picky\nVersion: 1\n")
    entry = "[newsextract.extractors]\npicky = picky_extractor:Picky\n"
    (package / "picky-1.dist-info" / "entry_points.txt").write_text(entry)
    with web() as site:
        site["/"] = front("/good", "/bad")
        site["/good"] = article("A good story", "Bergen")
        site["/bad"] = article("A bad story", "Oslo")
        paths = {"PYTHONPATH": f"{environment()['PYTHONPATH']}:{package}"}
        done = crawl(
            tmp_path,
            "site",
            settings={"NEWSEXTRACT_EXTRACTOR": "picky", "NEWSEXTRACT_WORKERS": "1"},
            env=paths,
            url=site.url,
        )
    assert done.urls == {f"{site.url}/good"}, done.stderr
    assert done.dropped["error"] == 1
    assert "no such luck" in done.stderr
    assert done.status == 0
