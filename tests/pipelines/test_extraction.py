"""ExtractionPipeline with an extractor of another package that fails: each failure costs one page."""

import textwrap
from pathlib import Path

from tests.crawling import article, crawl, environment, front, web

PLUGIN = """
    import os

    class Picky:
        name = "picky"
        paper = "none"
        needs_peer = False

        def __call__(self, page, peer=None):
            if "deadly" in (page.url or ""):
                os._exit(9)
            if "bad" in (page.url or ""):
                raise ZeroDivisionError("no such luck")
            from newsextract import EXTRACTORS
            return EXTRACTORS["econ"]()(page, peer)
"""


def test_extraction_failure_of_a_plugin_costs_its_page_and_a_deadly_page_costs_itself(tmp_path: Path) -> None:
    package = tmp_path / "plugin"
    (package / "picky-1.dist-info").mkdir(parents=True)
    (package / "picky_extractor.py").write_text(textwrap.dedent(PLUGIN))
    (package / "picky-1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: picky\nVersion: 1\n")
    entry = "[newsextract.extractors]\npicky = picky_extractor:Picky\n"
    (package / "picky-1.dist-info" / "entry_points.txt").write_text(entry)
    with web() as site:
        site["/"] = front("/good", "/bad", "/deadly")
        for name, place in (("good", "Bergen"), ("bad", "Oslo"), ("deadly", "Vik")):
            site[f"/{name}"] = article(f"A {name} story", place)
        done = crawl(
            tmp_path,
            "site",
            settings={"NEWSEXTRACT_EXTRACTOR": "picky", "NEWSEXTRACT_WORKERS": "1"},
            env={"PYTHONPATH": f"{environment()['PYTHONPATH']}:{package}"},
            url=site.url,
        )
    assert done.urls == {f"{site.url}/good"}, done.stderr
    assert done.dropped["error"] == 1
    assert "no such luck" in done.stderr
    assert done.dropped["worker_died"] == 1
    assert f"{site.url}/deadly was dropped" in done.stderr
    assert done.status == 0
