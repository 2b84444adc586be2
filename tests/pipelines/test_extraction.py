"""ExtractionPipeline with an extractor that fails: each failure costs one page."""

from pathlib import Path

from tests.crawling import article, crawl, front, web


def test_page_on_which_the_extractor_fails_costs_itself_as_does_one_that_kills_its_worker(tmp_path: Path) -> None:
    with web() as site:
        site["/"] = front("/good", "/bad", "/deadly")
        for name, place in (("good", "Bergen"), ("bad", "raise in me"), ("deadly", "kill me")):
            site[f"/{name}"] = article(f"A {name} story", place)
        settings = {"NEWSEXTRACT_EXTRACTOR": "tests.workers.test_workers.Deadly", "NEWSEXTRACT_WORKERS": "1"}
        done = crawl(tmp_path, "site", settings=settings, url=site.url)
    assert done.paths == {"/good"}, done.stderr
    assert (done.dropped["error"], done.dropped["worker_died"]) == (1, 1)
    assert "as asked" in done.stderr and f"{site.url}/deadly was dropped" in done.stderr
    assert done.status == 0
