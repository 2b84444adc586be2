"""Feeds, sitemaps and robots.txt follow their standards and have the articles that the gold standard says."""

import gzip
from urllib.robotparser import RobotFileParser

import feedparser
import lxml.etree
import pytest

from newsextract.demo import Site

BASE = "http://127.0.0.1:8737"
SITE = Site(extra=30)
NAMES = {"s": "http://www.sitemaps.org/schemas/sitemap/0.9", "n": "http://www.google.com/schemas/sitemap-news/0.9"}


def paths_of_kind(kind: str) -> list[str]:
    return [path for path, its_kind in SITE.non_articles().items() if its_kind == kind]


def sitemap(path: str) -> lxml.etree._Element:
    body = SITE.page(path, base=BASE).body
    return lxml.etree.fromstring(gzip.decompress(body) if path.endswith(".gz") else body)


def canonical(url: str) -> str:
    return SITE.article_paths()[url.removeprefix(BASE)]


@pytest.mark.parametrize("path", paths_of_kind("feed"))
def test_feeds_are_valid_and_link_articles_with_their_dates(path):
    feed = feedparser.parse(SITE.page(path, base=BASE).body)
    assert not feed.bozo and feed.version in ("rss20", "atom10") and feed.entries
    gold = {article.path: article for article in SITE.gold()}
    for entry in feed.entries:
        article = gold[canonical(entry.link)]
        assert entry.title == article.headline
        assert entry.published_parsed[:5] == article.date_published.utctimetuple()[:5]


def test_front_page_links_the_feeds():
    front = SITE.page("/").body.decode()
    assert all(f'href="{path}"' in front for path in paths_of_kind("feed"))


def test_sitemap_index_lists_every_sitemap_and_these_the_articles():
    members = sitemap("/sitemap.xml").xpath("//s:sitemap/s:loc/text()", namespaces=NAMES)
    assert sorted(url.removeprefix(BASE) for url in members) == sorted(set(paths_of_kind("sitemap")) - {"/sitemap.xml"})
    reached = {
        canonical(url)
        for member in members
        for url in sitemap(member.removeprefix(BASE)).xpath("//s:url/s:loc/text()", namespaces=NAMES)
    }
    assert reached == {article.path for article in SITE.gold() if "sitemap" in article.reachable_by}


def test_news_sitemap_has_the_publication_dates():
    tree = sitemap("/sitemap-news.xml")
    dates = tree.xpath("//n:news/n:publication_date/text()", namespaces=NAMES)
    gold = {article.path: article for article in SITE.gold()}
    urls = tree.xpath("//s:url/s:loc/text()", namespaces=NAMES)
    assert dates == [gold[canonical(url)].date_published.isoformat() for url in urls] != []


def test_robots_txt_disallows_the_private_page_that_the_front_page_links():
    robots = RobotFileParser()
    robots.parse(SITE.page("/robots.txt", base=BASE).body.decode().splitlines())
    (private,) = paths_of_kind("private")
    assert not robots.can_fetch("anybody", BASE + private) and robots.can_fetch("anybody", BASE + "/news/harbour/")
    assert robots.site_maps() == [BASE + "/sitemap.xml", BASE + "/sitemap-news.xml"]
    assert private in SITE.page("/").body.decode()
