from pathlib import Path

from tests.crawling import Answer, article, crawl, feed, front, web


def test_feeds_spider_stores_entries_of_any_site_and_follows_no_links(tmp_path: Path) -> None:
    with web() as feeds, web("127.0.0.2") as news:
        old = f"<item><link>{news.url}/old</link><pubDate>Tue, 05 May 2015 10:00:00 GMT</pubDate></item>"
        named = feed(f"{news.url}/a", f"{news.url}/gone", item="<pubDate>Tue, 05 May 2026 10:00:00 GMT</pubDate>")
        feeds["/rss"] = Answer(str(named.body).replace("<item>", f"{old}<item>", 1), content_type="text/html")
        feeds["/page"] = front("/x", head="<link rel=alternate type=application/rss+xml href=/rss2>")
        feeds["/rss2"] = feed(f"{news.url}/b")
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
