from pathlib import Path

from tests.crawling import Answer, article, crawl, front, web


def test_feeds_spider_stores_entries_of_any_site_and_follows_no_links(tmp_path: Path) -> None:
    with web() as feeds, web("127.0.0.2") as news:
        items = "".join(
            f"<item><title>t</title><link>{news.url}/{name}</link><pubDate>{day}</pubDate></item>"
            for name, day in (
                ("a", "Tue, 05 May 2026 10:00:00 GMT"),
                ("old", "Tue, 05 May 2015 10:00:00 GMT"),
                ("gone", ""),
            )
        )
        feeds["/rss"] = Answer(f"<rss version='2.0'><channel>{items}</channel></rss>", content_type="text/html")
        feeds["/page"] = front("/x", head="<link rel=alternate type=application/rss+xml href=/rss2>")
        feeds["/rss2"] = Answer(f"<rss><channel><item><link>{news.url}/b</link></item></channel></rss>")
        feeds["/none"] = front("/x")
        for name in "ab":
            news[f"/{name}"] = article(f"Story {name}", f"Place {name}", links="<a href=/c>c</a>")
        urls = ",".join(f"{feeds.url}/{path}" for path in ("rss", "page", "none", "missing"))
        done = crawl(tmp_path, "feeds", url=urls, since="2020-01-01")
    assert done.urls == {f"{news.url}/a", f"{news.url}/b"}
    assert not {"/c", "/old"} & set(news.asked)
    assert done.status == 0
    assert done.dropped["http_404"] == 2
    assert f"not crawled: {feeds.url}/none: it isn't an RSS or Atom feed" in done.stderr
    assert f"not crawled: {feeds.url}/missing: it answers 404" in done.stderr
