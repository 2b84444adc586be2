"""Pages with malformed addresses in their head are read as browsers read them."""

from pathlib import Path

from tests.crawling import Answer, article, crawl, front, web

STORIES = [f"/2026/05/0{n}/the-council-votes-on-pier-{n}.html" for n in range(1, 4)]


def test_malformed_base_refresh_and_charset_cost_no_page(tmp_path: Path) -> None:
    with web() as site:
        site["/"] = front(*STORIES, head="<base href='http://[/'>")
        site[STORIES[0]] = article("Story 0", "Vik", head="<meta http-equiv=refresh content='0;url=http://[x'>")
        site[STORIES[1]] = Answer(article("Story 1", "Oslo"), content_type="text/html; charset=idna")
        site[STORIES[2]] = article("Story 2", "Voss", head="<meta http-equiv=refresh content='0;url=/moved'>")
        site["/moved"] = article("Story 3", "Bergen")
        done = crawl(tmp_path, "site", url=site.url)
    assert done.status == 0, done.stderr
    assert done.urls == {site.url.rstrip("/") + path for path in (*STORIES[:2], "/moved")}
