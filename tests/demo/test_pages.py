"""The pages of the site: they hold the gold standard, links resolve, charsets, redesign, deterministic bytes."""

import re
from datetime import UTC, datetime
from urllib.parse import urljoin, urlsplit

import lxml.html
import pytest

from newsextract.demo import Response, Site
from newsextract.errors import WrongCall

BASE = "http://127.0.0.1:8737"
CODECS = {"portal": "gb18030"}
OFF_SITE = "http://127.0.0.2:8737/"
NO_PAGE = {"feed", "sitemap", "robots", "image", "asset"}


def squeezed(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def document(response: Response, codec: str = "utf-8") -> lxml.html.HtmlElement:
    text = re.sub(r"charset=[\w-]+", "charset=utf-8", response.body.decode(codec))
    return lxml.html.document_fromstring(text.encode(), parser=lxml.html.HTMLParser(encoding="utf-8"))


def visible_text(response: Response, codec: str) -> str:
    return squeezed(document(response, codec).text_content())


@pytest.fixture(scope="module", params=[1, 2], ids=["design 1", "design 2"])
def site(request: pytest.FixtureRequest) -> Site:
    return Site(design=request.param)


def test_page_has_every_line_of_gold_text_under_each_of_its_paths(site):
    for article in site.gold():
        for path in article.paths:
            response = site.page(path, base=BASE)
            text = visible_text(response, CODECS.get(article.template, "utf-8"))
            missing = [line for line in article.text.split("\n") if squeezed(line) not in text]
            assert (response.status, missing) == (200, []), path


def test_page_has_headline_authors_and_optional_lines(site):
    for article in site.gold():
        text = visible_text(site.page(article.path), CODECS.get(article.template, "utf-8"))
        head = document(site.page(article.path), CODECS.get(article.template, "utf-8"))
        names = text + " ".join(head.xpath("//meta[@name='author']/@content"))
        assert article.headline in text
        assert [name for name in article.authors if name not in names] == []
        assert [line for line in article.optional if squeezed(line) not in text] == []


def test_newspaper_and_blog_declare_one_canonical_url_for_all_paths(site):
    for article in site.gold():
        if article.template in ("broadsheet", "blog"):
            for path in article.paths:
                head = document(site.page(path, base=BASE))
                assert head.xpath("//link[@rel='canonical']/@href") == [BASE + article.path]


def test_every_link_and_picture_resolves(site):
    known_to_fail = {path for path, kind in site.non_articles().items() if kind.startswith("bad:")}
    paths = set(site.article_paths()) | set(site.non_articles())
    broken = set()
    for path in sorted(paths):
        response = site.page(path, base=BASE)
        kind = site.non_articles().get(path, "article")
        if kind in NO_PAGE or kind.startswith("bad:") or response.status != 200:
            continue
        codec = "gb18030" if path.startswith("/zh/") else "utf-8"
        for link in document(response, codec).xpath("//a/@href | //img/@src | //link/@href | //form/@action"):
            url = urljoin(BASE + path, link)
            if url.startswith(OFF_SITE):
                continue
            assert urlsplit(url).netloc == urlsplit(BASE).netloc, url
            target = url.removeprefix(BASE).partition("#")[0]
            if target not in known_to_fail and site.page(target, base=BASE).status != 200:
                broken.add((path, target))
    assert broken == set()


def test_chinese_portal_is_gb18030_declared_as_gb2312():
    site = Site()
    pages = [site.page(article.path) for article in site.gold() if article.template == "portal"]
    assert all(page.header("Content-Type") == "text/html" and b"charset=gb2312" in page.body for page in pages)
    assert all(page.body.decode("gb18030") for page in pages)
    strict = []
    for page in pages:
        try:
            page.body.decode("gb2312")
        except UnicodeDecodeError as error:
            strict.append(error)
    assert strict, "no page has a character that is beyond gb2312"


def test_one_article_is_utf8_declared_as_latin_1():
    wrong = [page for page in map(Site().page, Site().article_paths()) if b'charset="iso-8859-1"' in page.body]
    assert wrong
    assert all(page.header("Content-Type") == "text/html; charset=iso-8859-1" for page in wrong)
    assert all("Zoë Kovačević" in page.body.decode() for page in wrong)


def test_redesign_changes_only_newspaper_and_blog():
    old, new = Site(), Site(design=2)
    for article in old.gold():
        changed = old.page(article.path).body != new.page(article.path).body
        assert changed == (article.template in ("broadsheet", "blog")), article.path
    assert [a.text for a in old.gold()] == [a.text for a in new.gold()]


def test_pages_are_deterministic():
    one, two = Site(extra=20), Site(extra=20)
    for path in [*one.article_paths(), *one.non_articles()]:
        assert one.page(path).body == two.page(path).body, path


def test_generated_articles_are_distinct_and_listed():
    site = Site(extra=250)
    load = [article for article in site.gold() if article.template == "load"]
    assert len(load) == len({article.path for article in load}) == len({article.text for article in load}) == 250
    assert all(site.page(article.path).status == 200 for article in load)
    assert {article.reachable_by for article in load} <= {
        ("related", "section", "sitemap"),
        ("related", "section-page", "sitemap"),
        ("section", "sitemap"),
    }
    assert "/load/?page=3" in site.non_articles()


def test_amended_removed_and_unpublished_stories_change_the_site():
    first, second = Site().gold()[:2]
    site = Site(amended={first.path: "It was rung at noon."}, removed={second.path})
    amended = next(article for article in site.gold() if article.path == first.path)
    assert amended.text.endswith("\nIt was rung at noon.") and b"It was rung at noon." in site.page(first.path).body
    assert site.page(second.path).status == 410
    assert second.path.encode() not in site.page("/").body
    early = Site(until=datetime(2026, 3, 1, tzinfo=UTC))
    assert 0 < len(early.gold()) < len(Site().gold())
    assert early.page(first.path).status == 404


def test_search_finds_stories_and_escapes_the_query():
    page = Site().page("/search?q=%3Cscript%3Ealert(1)%3C/script%3E")
    assert page.status == 200 and b"<script>alert" not in page.body
    assert b"dredger-finds-bell" in Site().page("/search?q=toothbrush").body


@pytest.mark.parametrize(
    "path", ["/nothing", "", "/news/harbour/?page=99", "/news/harbour/?page=-1", "/%00", "//x/y", "/a?b"]
)
def test_unknown_path_gets_404(path):
    assert Site().page(path).status == 404


@pytest.mark.parametrize("wrong", [{"design": 3}, {"validators": "maybe"}, {"extra": -1}])
def test_site_rejects_wrong_arguments_by_name(wrong):
    with pytest.raises(WrongCall, match=next(iter(wrong))):
        Site(**wrong)
