"""Crawls of many sites in one command, and of sites with long lists."""

from pathlib import Path

from tests.crawling import Answer, article, crawl, feed, front, webs

XML = "application/xml"


def urlset(*urls: str) -> Answer:
    entries = "".join(f"<url><loc>{url}</loc></url>" for url in urls)
    return Answer(f"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{entries}</urlset>", content_type=XML)


def test_each_of_many_sites_in_one_crawl_gives_what_it_gives_alone(tmp_path: Path):
    with webs(48) as sites:
        for n, site in enumerate(sites):
            paths = [f"/2026/05/0{k + 1}/the-council-of-town-{n}-votes-on-pier-{k}.html" for k in range(2)]
            for path in paths:
                site[path] = article(f"Story {path}", f"Place {path}")
            site["/"] = front(paths[0])
            if n % 4 == 1:
                site["/"] = front(paths[0], head="<link rel=alternate type='application/rss+xml' href=/news.xml>")
                site["/news.xml"] = feed(paths[1])
            elif n % 4 == 2:
                site["/robots.txt"] = f"Sitemap: {site.url}/map.xml"
                site["/map.xml"] = urlset(site.url + paths[1])
            elif n % 4 == 3:
                site["/feed"] = feed(paths[1])
            else:
                site["/"] = front(*paths)
        done = crawl(tmp_path, "site", url=",".join(f"{site.url}/" for site in sites))
    assert len(done.articles) == 2 * len(sites)
