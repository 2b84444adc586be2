"""DuplicatesPipeline in a real crawl: an article that another site has published is marked as a duplicate."""

from pathlib import Path

from newsextract.store import Store
from tests.crawling import article, crawl, front, json_lines, web

STORY = article("The bridge is closed", "Tromsø")


def test_duplicate_of_another_site_is_stored_and_marked_in_database_and_feed(tmp_path: Path) -> None:
    with web() as one, web() as other:
        for site in (one, other):
            site["/"] = front("/story")
            site["/story"] = STORY
        settings = {"NEWSEXTRACT_EXTRACTOR": "econ"}
        done = crawl(tmp_path, "site", "-O", "feed.jsonl", settings=settings, url=f"{one.url},{other.url}")
    assert done.status == 0, done.stderr
    assert "1 of these near-duplicates of other articles" in done.stderr
    with Store.open(f"sqlite:///{tmp_path / 'newsextract.db'}", must_exist=True) as store:
        (first, original), (second, copied) = ((r.article.url, r.article.duplicate_of) for r in store.articles())
    assert {first, second} == {f"{one.url}/story", f"{other.url}/story"}
    assert (original, copied) == (None, first)
    lines = json_lines(tmp_path / "feed.jsonl")
    assert {line["url"]: line["duplicate_of"] for line in lines} == {first: None, second: first}
    assert not any("signature" in line for line in lines)
