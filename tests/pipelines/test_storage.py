"""StoragePipeline in real crawls: what is in the database and the JSON lines, during a crawl and after."""

from pathlib import Path

from evaluation.crawling.kill import wait_until
from tests.crawling import Answer, article, crawl, front, json_lines, make_due, web


def test_json_lines_follow_the_commits_and_feeds_get_only_changed_articles(tmp_path: Path) -> None:
    settings = {"NEWSEXTRACT_JSONL": "a.jsonl", "NEWSEXTRACT_EXTRACTOR": "econ", "DOWNLOAD_TIMEOUT": "400"}
    lines_during_crawl: list[int] = []

    def last_page() -> Answer:
        wait_until(lambda: (tmp_path / "a.jsonl").read_text("utf-8").count("\n") == 2)
        lines_during_crawl.append(len(json_lines(tmp_path / "a.jsonl")))
        return Answer(article("The last story", "Tromsø"))

    with web() as site:
        site["/"] = front("/a", "/b", "/last")
        for name in "ab":
            site[f"/{name}"] = article(f"Story {name}", f"Place {name}")
        site["/last"] = last_page
        done = crawl(tmp_path, "site", settings=settings, url=site.url)
        lines = json_lines(tmp_path / "a.jsonl")
        assert lines_during_crawl == [2]
        assert sorted(line["url"] for line in lines) == sorted(done.urls)
        assert done.paths == {"/a", "/b", "/last"}
        site["/a"] = article("Story a, corrected", "Place a")
        make_due(tmp_path, "/a")
        crawl(tmp_path, "site", "-o", "feed.jsonl", settings=settings, url=site.url)
    lines = json_lines(tmp_path / "a.jsonl")
    assert [line["change_kind"] for line in lines] == ["new", "new", "new", "changed"]
    assert (lines[3]["headline"], lines[3]["version"]) == ("Story a, corrected", 2)
    (item,) = json_lines(tmp_path / "feed.jsonl")
    assert item["url"] == f"{site.url}/a"
