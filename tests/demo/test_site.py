"""The pages of the site: gold standard, links, charsets, feeds, the corpus."""

import re
from datetime import UTC, datetime
from urllib.parse import urljoin, urlsplit

import feedparser
import lxml.html
import pytest

from newsextract.demo import Response, Site

BASE = "http://127.0.0.1:8737"
OFF_SITE = "http://localhost:8737/"
SITE = Site(extra=120)
GOLD = Site().gold()
#: Kinds of pages without links.
NO_PAGE = {"feed", "sitemap", "robots", "image", "asset"}


def squeezed(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def document(response: Response) -> lxml.html.HtmlElement:
    codec = "gb18030" if b"charset=gb2312" in response.body else "utf-8"
    text = re.sub(r"charset=[\w-]+", "charset=utf-8", response.body.decode(codec))
    return lxml.html.document_fromstring(text.encode(), parser=lxml.html.HTMLParser(encoding="utf-8"))


def paths_of_kind(kind: str) -> list[str]:
    return [path for path, its_kind in SITE.non_articles().items() if its_kind == kind]


def test_each_path_of_a_story_has_its_headline_authors_text_and_canonical_url():
    for story in GOLD:
        for path in story.paths:
            response = SITE.page(path, base=BASE)
            page = document(response)
            text = squeezed(page.text_content())
            names = text + " ".join(page.xpath("//meta[@name='author']/@content"))
            lines = [story.headline, *story.text.split("\n"), *story.optional]
            assert (response.status, [line for line in lines if squeezed(line) not in text]) == (200, []), path
            assert [name for name in story.authors if name not in names] == []
            if story.template in ("broadsheet", "blog"):
                assert page.xpath("//link[@rel='canonical']/@href") == [BASE + story.path]


def test_links_lead_to_pages_and_to_exactly_the_articles_that_need_no_feed_or_sitemap():
    kinds = SITE.non_articles()
    seen, waiting, broken = {"/"}, ["/"], set()
    while waiting:
        path = waiting.pop()
        page = document(SITE.page(path, base=BASE))
        for link in page.xpath("//a/@href | //img/@src | //link/@href | //form/@action"):
            url = urljoin(BASE + path, link)
            target = url.removeprefix(BASE).partition("#")[0]
            kind = kinds.get(target, "article")
            if url.startswith(OFF_SITE) or kind.startswith("bad:") or target in seen:
                continue
            assert urlsplit(url).netloc == urlsplit(BASE).netloc, url
            seen.add(target)
            if SITE.page(target, base=BASE).status != 200:
                broken.add((path, target))
            elif kind not in (*NO_PAGE, "private"):
                waiting.append(target)
    assert broken == set()
    articles = SITE.article_paths()
    reached = {articles[path] for path in seen if path in articles}
    assert reached == {story.path for story in SITE.gold() if story.via not in ("feed", "sitemap")}
    assert any("utm_source" in path for path in seen) and any("fbclid" in path for path in seen)
    assert {path for story in GOLD for path in story.paths if "?" not in path and not story.via} <= seen
    assert {story.via for story in GOLD} == {"", "feed", "sitemap", "related", "section-page"}
    assert set(paths_of_kind("feed")) <= seen and "/load/?page=2" in seen


@pytest.mark.parametrize("path", paths_of_kind("feed"))
def test_feeds_are_valid_and_link_articles_with_their_dates(path):
    feed = feedparser.parse(SITE.page(path, base=BASE).body)
    assert not feed.bozo and feed.version in ("rss20", "atom10") and feed.entries
    gold = {path: story for story in GOLD for path in story.paths}
    for entry in feed.entries:
        story = gold[entry.link.removeprefix(BASE)]
        assert entry.title == story.headline
        assert entry.published_parsed[:5] == story.published.utctimetuple()[:5]


def test_pages_are_deterministic_and_generated_articles_distinct():
    one, two = Site(extra=20), Site(extra=20)
    for path in [*one.article_paths(), *one.non_articles()]:
        assert one.page(path).body == two.page(path).body, path
    load = [story for story in SITE.gold() if story.template == "load"]
    assert len(load) == len({story.path for story in load}) == len({story.text for story in load}) == 120


def test_removed_and_unpublished_stories_are_not_on_the_site():
    first, second = GOLD[:2]
    site, early = Site(removed={second.path}), Site(until=datetime(2026, 3, 1, tzinfo=UTC))
    assert site.page(second.path).status == 404 and second.path.encode() not in site.page("/").body
    assert 0 < len(early.gold()) < len(GOLD) and early.page(first.path).status == 404


def test_search_finds_stories_and_escapes_the_query_and_unknown_paths_get_404():
    page = SITE.page("/search?q=%3Cscript%3Ealert(1)%3C/script%3E")
    assert page.status == 200 and b"<script>alert" not in page.body
    assert b"dredger-finds-bell" in SITE.page("/search?q=toothbrush").body
    paths = ("/nothing", "", "/news/harbour/?page=99", "/%00", "//x/y", "/a?b")
    assert {SITE.page(path).status for path in paths} == {404}
