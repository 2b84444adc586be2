"""Crawls of many sites in one command, and of sites with long lists."""

import gzip
import re
from collections import Counter
from collections.abc import Iterable
from datetime import date, timedelta
from pathlib import Path

from evaluation.crawling.kill import wait_until
from newsextract.discovery.discovered_site import MAX_LISTS
from newsextract.discovery.list_memory import LARGE
from tests.crawling import (
    STORIES,
    Answer,
    Web,
    add_stories,
    article,
    crawl,
    feed,
    front,
    killed_crawl,
    make_due,
    newsextract,
    sql,
    webs,
)  # fmt: skip

XML = "application/xml"


#: The beginning of the crawls of many sites; entries of long lists that are older are left out.
SINCE = "2026-05-01"
BEFORE = "2020-05-05"


def urlset(*urls: str, old: Iterable[str] = ()) -> Answer:
    entries = "".join(f"<url><loc>{url}</loc><lastmod>{BEFORE}</lastmod></url>" for url in old)
    entries += "".join(f"<url><loc>{url}</loc></url>" for url in urls)
    return Answer(f"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{entries}</urlset>", content_type=XML)


def add_list(site: Web, kind: str, paths: list[str]) -> None:
    """Lets the site's front page link to the first of these stories, and a list of some size to the second."""
    old = [f"/2020/05/the-council-votes-on-lamp-{k}.html" for k in range(LARGE + 100)]
    site["/"] = front(paths[0])
    if kind == "front page":
        site["/"] = front(*paths)
    elif kind == "declared feed":
        site["/"] = front(paths[0], head="<link rel=alternate type='application/rss+xml' href=/news.xml>")
        site["/news.xml"] = feed(paths[1])
    elif kind == "feed at a usual place":
        site["/feed"] = feed(paths[1])
    elif kind == "long feed, oldest first":
        site["/feed"] = feed(*old, paths[1])
    elif kind == "sitemap":
        site["/robots.txt"] = f"Sitemap: {site.url}/map.xml"
        site["/map.xml"] = urlset(site.url + paths[1])
    elif kind == "large sitemap, oldest first":
        site["/sitemap.xml"] = urlset(site.url + paths[1], old=[site.url + path for path in old])
    elif kind == "packed text":
        site["/robots.txt"] = f"Sitemap: {site.url}/map.txt.gz"
        site["/map.txt.gz"] = Answer(gzip.compress(f"{site.url}{paths[1]}\n".encode()), content_type="application/gzip")
    else:
        maps = "".join(f"<sitemap><loc>{site.url}/map-{number}.xml</loc></sitemap>" for number in range(20))
        site["/sitemap.xml"] = Answer(f"<sitemapindex>{maps}</sitemapindex>", content_type=XML)
        site["/map-19.xml"] = urlset(site.url + paths[1])


KINDS = ("front page", "declared feed", "feed at a usual place", "sitemap", "packed text")
LARGE_KINDS = ("long feed, oldest first", "large sitemap, oldest first", "index")


def test_each_of_two_hundred_sites_in_one_crawl_gives_what_it_gives_alone(tmp_path: Path):
    with webs(200) as sites:
        for n, site in enumerate(sites):
            paths = [f"/2026/05/0{k + 1}/the-council-of-town-{n}-votes-on-pier-{k}.html" for k in range(2)]
            for path in paths:
                site[path] = article(f"Story {path}", f"Place {path}")
            add_list(site, LARGE_KINDS[n // 20 % 3] if n % 20 == 7 else KINDS[n % len(KINDS)], paths)
        done = crawl(tmp_path, "site", url=",".join(f"{site.url}/" for site in sites), since=SINCE)
    by_site = Counter(one["url"].rpartition("/20")[0] for one in done.articles)
    assert by_site == {site.url: 2 for site in sites}


def test_crawl_reads_the_newest_of_many_maps_first_and_later_ones_take_up_the_rest(tmp_path: Path, site: Web):
    number = MAX_LISTS["sitemaps"] + 29  # and the index
    days = [date(2026, 1, 1) + timedelta(n) for n in range(number)]
    maps = "".join(f"<sitemap><loc>{site.url}/map-{day}.xml</loc></sitemap>" for day in days)
    site["/robots.txt"] = f"Sitemap: {site.url}/index.xml"
    site["/index.xml"] = Answer(f"<sitemapindex>{maps}</sitemapindex>", content_type=XML, headers={"ETag": "one"})
    site["/"] = front()
    for n, day in enumerate(days):
        site[f"/map-{day}.xml"] = urlset(f"{site.url}/story-of-the-harbour-{n}")
        site[f"/story-of-the-harbour-{n}"] = article(f"Story {n}", f"Place {n}", date=f"{day}T08:00:00Z")
    first = crawl(tmp_path, "site", url=site.url, max_pages="12")
    stored = sorted(int(path.rpartition("-")[2]) for path in first.paths)
    assert stored[-1] == number - 1 and stored[0] >= number - 12, "the newest"
    assert "left for later crawls: 30 sitemaps" in first.stderr
    second = crawl(tmp_path, "site", url=site.url, max_pages="12")
    assert "left for later crawls" not in second.stderr
    assert sql(tmp_path / "newsextract.db", "SELECT count(*) FROM urls WHERE url LIKE '%/map-%'") == [(number,)]


def test_index_that_a_kill_interrupts_is_read_wholly_by_the_next_crawl(tmp_path: Path, site: Web):
    number = 30
    maps = "".join(f"<sitemap><loc>{site.url}/map-{n}.xml</loc></sitemap>" for n in range(number))
    site["/sitemap.xml"] = Answer(f"<sitemapindex>{maps}</sitemapindex>", content_type=XML)
    site["/"] = front()
    for n in range(number):
        site[f"/map-{n}.xml"] = urlset(f"{site.url}/2026/05/story-of-the-harbour-{n}")
        site[f"/2026/05/story-of-the-harbour-{n}"] = article(f"Story {n}", f"Place {n}")
    with killed_crawl(tmp_path, site).crawl() as process:
        wait_until(lambda: sum("/map-" in path for path in site.asked) >= number // 2 or process.poll() is not None)
    done = crawl(tmp_path, "site", url=site.url)
    assert {int(path.rpartition("-")[2]) for path in done.paths} == {*range(number)}


def test_large_list_that_a_kill_interrupts_is_queued_wholly_and_costs_nothing_when_it_is_as_before(tmp_path, site):
    urls = [f"{site.url}/2026/05/story-of-the-harbour-{n}" for n in range(6_000)]
    site["/robots.txt"] = f"Sitemap: {site.url}/map.xml"
    site["/map.xml"] = urlset(*urls)
    site["/"] = front()
    database = tmp_path / "newsextract.db"

    def queued() -> int:
        if not database.exists() or not sql(database, "SELECT 1 FROM sqlite_master WHERE name = 'urls'"):
            return 0
        return int(sql(database, "SELECT count(*) FROM urls WHERE kind = 'page'")[0][0])

    with killed_crawl(tmp_path, site).crawl() as process:
        wait_until(lambda: queued() >= 500 or process.poll() is not None)
    done = crawl(tmp_path, "site", url=site.url, max_pages="2")
    assert queued() == len(urls) and done.stats["newsextract/lists/read"] >= 1
    site["/map.xml"] = urlset(*urls, f"{site.url}/2026/05/a-new-story")
    make_due(tmp_path, "/map.xml")
    crawl(tmp_path, "site", url=site.url, max_pages="2")
    assert queued() == len(urls) + 1
    assert re.findall("unchanged", str(sql(database, "SELECT state FROM urls WHERE url LIKE '%/map.xml'")))


def test_list_that_is_never_modified_is_asked_for_anew_each_week(tmp_path: Path, site: Web):
    stories = add_stories(site, 2)

    def never_modified() -> Answer:
        status = 304 if "If-None-Match" in site.headers[-1] else 200
        return Answer(front(*stories), status, headers={"ETag": '"one"'})

    stories = stories[:1]
    site["/"] = never_modified
    crawl(tmp_path, "site", url=site.url)
    stories = STORIES[:2]
    assert crawl(tmp_path, "site", url=site.url).paths == {STORIES[0]}
    sql(tmp_path / "newsextract.db", "UPDATE urls SET last_fetched = '2026-01-01 00:00:00.000000' WHERE kind = 'home'")
    assert crawl(tmp_path, "site", url=site.url).paths == {*STORIES[:2]}
    assert "answers 304 although it changed" in newsextract(tmp_path, "status").stdout
