"""The spiders: their arguments, what they find, in which order, and where they stop."""

import gzip
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from scrapy_spider_metadata import get_spider_metadata

from evaluation.crawling.kill import path_of
from newsextract.errors import WrongCall
from newsextract.runs.config import Site
from newsextract.runs.spider_loader import site_spider
from newsextract.spiders.archive import ArchiveSpider
from newsextract.spiders.feeds import FeedsSpider
from newsextract.spiders.site import SiteSpider
from tests.crawling import (
    STORIES,
    Answer,
    Crawled,
    Web,
    add_stories,
    article,
    crawl,
    feed,
    front,
    sql,
    warc_record,
    web,
)
from tests.examples import examples


def test_site_spider_parses_all_its_arguments():
    text = "https://a.org/x,1,y.html,http://b.org/, https://c.org"  # a comma separates only before a scheme
    urls = ("https://a.org/x,1,y.html", "http://b.org/", "https://c.org")
    assert SiteSpider.parse_arguments({"url": text})["url"] == urls
    given = {"max_pages": "5e3", "max_depth": "0", "allow": "/n/", "subdomains": "yes", "since": "2026-05-01"}
    values = SiteSpider.parse_arguments({"url": "a.org", **given})
    assert values["url"] == ("https://a.org",)
    assert (values["max_pages"], values["max_depth"], values["subdomains"]) == (5_000, 0, True)
    assert values["since"] == datetime(2026, 5, 1, tzinfo=UTC)
    assert values["allow"].search("https://a.org/n/1")
    assert values["deny"] is None
    of_scrapyd = SiteSpider(url="a.org", _job="26a5")
    assert of_scrapyd.run_arguments == {"url": "https://a.org", "subdomains": "False"}


@pytest.mark.parametrize(
    ("spider", "given", "sentence"),
    [*examples(__file__, "wrong"), ("site", {"url": "http://a.org/\udcff"}, "undecodable characters")],
)
def test_wrong_argument_is_reported_in_one_sentence(spider, given, sentence):
    spiders = {"site": SiteSpider, "feeds": FeedsSpider, "archive": ArchiveSpider}
    with pytest.raises(WrongCall) as told:
        spiders[spider].parse_arguments(given)
    assert sentence in str(told.value)
    assert "\n" not in str(told.value)
    assert "secret" not in str(told.value)


@pytest.mark.parametrize("spider", [SiteSpider, FeedsSpider, ArchiveSpider])
def test_spider_metadata_has_every_argument_as_json_schema(spider):
    import jsonschema

    metadata = get_spider_metadata(spider, normalize=True)
    schema = metadata["param_schema"]
    jsonschema.Draft202012Validator.check_schema(schema)
    assert metadata["title"] and metadata["description"]
    assert [*schema["properties"]] == [argument.name for argument in spider.arguments]
    assert schema["required"] == [argument.name for argument in spider.arguments if argument.required]
    assert all(field["description"] and field["title"] for field in schema["properties"].values())


def test_values_that_the_schema_of_arguments_allows_are_those_that_a_spider_takes():
    import jsonschema

    schema = get_spider_metadata(SiteSpider)["param_schema"]
    form = {"url": "https://example.org/", "max_pages": 20, "max_depth": 0, "subdomains": True, "since": "2026-05-01"}
    jsonschema.validate(form, schema)
    values = SiteSpider(**form).values
    assert (values["max_pages"], values["max_depth"], values["subdomains"]) == (20, 0, True)
    for wrong in ({}, {**form, "max_pages": 0}, {**form, "subdomains": "perhaps"}, {**form, "depth": 1}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, schema)
        with pytest.raises(WrongCall):
            SiteSpider(**wrong)


def test_metadata_of_a_site_of_sites_toml_has_its_values_as_defaults():
    site = Site("courier", "site", {"url": "https://courier.example/", "max_pages": "500"})
    metadata = get_spider_metadata(site_spider(site, SiteSpider))
    assert metadata["title"] == "courier"
    assert "required" not in metadata["param_schema"]
    defaults = {name: field.get("default") for name, field in metadata["param_schema"]["properties"].items()}
    assert (defaults["url"], defaults["max_pages"]) == ("https://courier.example/", 500)
    assert get_spider_metadata(SiteSpider)["title"] == "A news site"


XML = "application/xml"
#: When feeds say that a page was published, and the page by whom.
DATED = "<pubDate>Wed, 06 May 2026 09:00:00 GMT</pubDate><author>Ann Lee</author>"


def sitemap(site: Web, *pages: tuple[str, str]) -> Answer:
    urls = "".join(f"<url><loc>{site.url}{path}</loc><lastmod>{day}</lastmod></url>" for path, day in pages)
    return Answer(f"<urlset>{urls}</urlset>", content_type=XML)


@pytest.fixture(scope="module")
def gazette(tmp_path_factory) -> Iterator[tuple[Crawled, Web]]:
    """A site with one article for each way of finding it, crawled with `deny` and `since`."""
    with web() as site, web("127.0.0.2") as other:
        named = "<link rel=alternate type='application/rss+xml' href='/our-feed'>"
        site["/robots.txt"] = Answer(f"Sitemap: {site.url}/index.xml\n", content_type="text/plain")
        site["/index.xml"] = Answer(f"<sitemapindex><sitemap><loc>{site.url}/part.xml</loc></sitemap></sitemapindex>")
        site["/part.xml"] = sitemap(site, ("/by-sitemap-a", "2026-05-05"), ("/old-by-sitemap", "2019-01-01"))
        site["/our-feed"] = feed("/by-feed-a?utm_source=rss", "/linked-a?fbclid=1", "/undated-a", item=DATED)
        names = "linked-a?utm_medium=x undated-a late-a denied-a category/boats moved leaves copied-a"
        site["/"] = front(*(f"/{name}" for name in names.split()), other.url, head=named)
        feeds = named + "<link rel=alternate type='application/rss+xml' href=/boats.xml>"
        site["/category/boats"] = front("/by-section-a", "/linked-a", "http://user@elsewhere.invalid/", head=feeds)
        site["/copied-a"] = article("A story copied", "copied", date="", head="<link rel=amphtml href=/copied-a/amp>")
        site["/copied-a/amp"] = article("A story copied", "copied", date="2026-05-07T08:00:00+00:00")
        site["/boats.xml"] = feed("/late-a", item=DATED)
        site["/late-a"] = article("A story late", "late", date="")
        site["/moved"] = Answer(status=301, headers={"Location": "/moved-here-a"})
        site["/leaves"] = Answer(status=302, headers={"Location": f"{other.url}/"})
        canonical = f"<link rel=canonical href='{site.url}/linked-a'>"
        for name in ("by-sitemap", "by-feed", "denied", "by-section", "moved-here", "by-related"):
            site[f"/{name}-a"] = article(f"A story {name}", name)
        site["/undated-a"] = article("A story undated", "undated", date="")
        related = "<a href=/by-related-a>r</a><a href=/copy-a>c</a><a href=/old-a>o</a><a href=/report.pdf>p</a>"
        site["/linked-a"] = article("A story linked", "linked", head=canonical, links=related)
        site["/copy-a"] = article("A story linked", "linked", head=canonical, links=related)
        site["/old-a"] = article("An old story", "old", date="2019-02-03T04:05:06+00:00")
        folder = tmp_path_factory.mktemp("gazette")
        done = crawl(folder, "site", url=site.url, deny="denied", since="2020-01-01")
        assert other.asked == []
        yield done, site


def test_site_spider_finds_articles_by_feed_sitemap_link_and_redirect_and_stores_each_once(gazette):
    done, site = gazette
    ways = ("by-sitemap", "by-feed", "by-section", "by-related", "moved-here")
    assert {f"/{way}-a" for way in ways} <= done.paths
    assert [found["headline"] for found in done.articles].count("A story linked") == 1
    assert site.asked.count("/linked-a") == 1, "tracking parameters make no other page"
    found_on = {path_of(found["url"]): path_of(found["discovered_from"]) for found in done.articles}
    assert (found_on["/by-feed-a"], found_on["/by-section-a"]) == ("/our-feed", "/category/boats")
    assert not {"/feed", "/rss.xml", "/atom.xml"} & set(site.asked), "no feeds are guessed where the page names some"


def test_site_spider_leaves_out_files_other_sites_and_what_deny_and_since_say(gazette):
    done, site = gazette
    assert not {"/denied-a", "/old-by-sitemap"} & set(site.asked)
    assert "/old-a" in site.asked and "/old-a" not in done.paths
    assert done.dropped["before_since"] == 1
    assert gazette[0].dropped["off_site"] == 1 and "/report.pdf" not in gazette[1].asked


def test_articles_get_what_feeds_and_amp_copies_say_of_them_where_their_pages_do_not(gazette):
    done, site = gazette
    stored = {path_of(found["url"]): found for found in done.articles}
    dates = {path: (found["date_published"], found["sources"].get("date_published")) for path, found in stored.items()}
    assert dates["/late-a"] == ("2026-05-06T09:00:00+00:00", "feed"), "a feed that came after the page"
    assert site.asked.count("/late-a") == 1
    assert dates["/copied-a"] == ("2026-05-07T08:00:00+00:00", "amp") and "/copied-a/amp" not in stored
    assert dates["/undated-a"] == ("2026-05-06T09:00:00+00:00", "feed")
    assert dates["/by-feed-a"] == ("2026-05-05T08:00:00+00:00", "meta")
    assert (stored["/undated-a"]["authors"], stored["/by-section-a"]["authors"]) == (["Ann Lee"], [])


def test_max_pages_limits_the_crawl_and_likely_articles_come_first(tmp_path, site):
    newest = "/2026/05/09/only-the-feed-has-this-one.html"
    stories = add_stories(site, 8)
    site["/"] = front("/about", "/tag/boats", "/contact", *stories, "/login")
    site["/rss.xml"] = feed(newest, title="The feed has this one", item=DATED)
    site[newest] = article("The newest story", "Newham")
    settings = {"CONCURRENT_REQUESTS_PER_DOMAIN": "1", "CONCURRENT_REQUESTS": "1"}
    done = crawl(tmp_path, "site", url=site.url, max_pages="5", max_depth="1", settings=settings)
    pages = [path for path in site.asked if path.endswith(".html") or path in ("/", "/about", "/tag/boats", "/login")]
    assert len(pages) == 5 and pages[:2] == ["/", newest]
    assert all(path.endswith(".html") for path in pages[1:])
    assert len(done.articles) == 4


def test_max_pages_are_not_spent_on_tags_while_lists_lead_to_articles(tmp_path, site):
    tags = [f"/tag/boat-{n}" for n in range(12)]
    site["/"] = front(*tags, "/news/page/2")
    site["/news/page/2"] = front("/", *STORIES[:4], "/news/page/3")
    site["/news/page/3"] = front("/", *STORIES[4:])
    for path in tags:
        site[path] = front("/")
    for n, path in enumerate(STORIES):
        site[path] = article(f"Story {n}", f"Place {n}", links="".join(f"<a href='{tag}'>boat</a>" for tag in tags))
    settings = {"CONCURRENT_REQUESTS_PER_DOMAIN": "1"}
    crawl(tmp_path, "site", url=site.url, max_pages="13", settings=settings)
    asked = [path for path in site.asked if path in {*STORIES, *tags, "/news/page/2", "/news/page/3"}]
    assert {*STORIES} <= {*asked}, "more tags than the pages that are left were known before the articles"


@pytest.mark.parametrize(("url", "subdomains", "inside", "outside"), examples(__file__, "within"))
def test_within_compares_ports_www_and_subdomains(url, subdomains, inside, outside):
    spider = SiteSpider(url=url, subdomains=subdomains)
    assert all(spider.within(one) for one in inside.split())
    assert not any(spider.within(one) for one in outside.split())


@pytest.fixture(scope="module")
def limited(tmp_path_factory) -> tuple[list[Crawled], list[list[str]]]:
    """A site crawled with `since`, `deny` and `max_depth`, the same again, with an earlier date, and without any."""
    with web() as site:
        named = "<link rel=alternate type='application/rss+xml' href='/our-feed'>"
        items = "".join(
            f"<item><title>Told on {day}</title><link>/fed-{day}</link><pubDate>{day}T08:00:00Z</pubDate></item>"
            for day in ("2026-05-05", "2025-03-03", "2023-01-01")
        )
        rss = f"<rss version='2.0'><channel>{items}</channel></rss>"
        site["/our-feed"] = Answer(rss, headers={"ETag": '"1"'}, content_type="text/xml")
        site["/"] = front("/old-one", "/new-one", "/denied-one", "/2023/01/05/dated-in-its-address", head=named)
        for day in ("2026-05-05", "2025-03-03", "2023-01-01"):
            site[f"/fed-{day}"] = article(f"A story told on {day}", f"Place {day}", date=f"{day}T08:00:00+00:00")
        site["/old-one"] = article("An old story", "Oldham", date="2025-02-02T08:00:00+00:00")
        site["/new-one"] = article("A new story", "Newham", links="<a href=/deep-one>The story that goes on</a>")
        site["/deep-one"] = article("A deep story", "Deepham")
        site["/denied-one"] = article("A denied story", "Denham")
        site["/2023/01/05/dated-in-its-address"] = article("A dated story", "Dateham", date="2023-01-05T08:00:00+00:00")
        folder, runs, asked = tmp_path_factory.mktemp("limited"), [], []
        limits = {"since": "2026-01-01", "deny": "denied", "max_depth": "1"}
        for arguments in (limits, limits, {"since": "2025-01-01"}, {}):
            runs.append(crawl(folder, "site", url=site.url, **arguments))
            asked.append([*site.asked])
            site.asked.clear()
    return runs, asked


def test_run_without_limits_finds_what_those_of_earlier_runs_left_out(limited):
    runs, _ = limited
    assert runs[0].paths == {"/new-one", "/fed-2026-05-05"}
    recent = {"/old-one", "/new-one", "/deep-one", "/denied-one", "/fed-2026-05-05", "/fed-2025-03-03"}
    assert runs[2].paths == recent, "an earlier date, any address, any depth"
    assert runs[3].paths == recent | {"/fed-2023-01-01", "/2023/01/05/dated-in-its-address"}


@pytest.mark.parametrize(("path", "reason", "listed"), examples(__file__, "since"))
def test_list_dates_leave_out_what_is_clearly_older_than_since(path, listed, reason):
    spider = SiteSpider(url="https://a.example/", since="2026-05-01")
    assert spider.left_out(f"https://a.example{path}", date=listed and datetime.fromisoformat(listed)) == reason


def test_known_date_is_decided_by_without_fetching(limited):
    runs, asked = limited
    assert "/old-one" in asked[0], "nothing but the page itself has its date"
    assert "/old-one" not in asked[1]
    assert not {"/fed-2023-01-01", "/2023/01/05/dated-in-its-address"} & {*asked[0], *asked[1], *asked[2]}
    assert "/fed-2025-03-03" not in asked[0]
    assert runs[0].dropped["before_since"] == 1


def test_feeds_of_comments_are_not_asked_for_and_copies_neither(tmp_path, site):
    stories = [f"/the-council-votes-on-pier-{n}" for n in range(3)]
    alternate = "<link rel=alternate type='application/rss+xml' title='{}' href='{}/feed/'>"
    head = alternate.format("The Gazette", "") + alternate.format("Comments of the Gazette", "/comments")
    site["/"] = front(*stories, "/sport", head=head)
    site["/feed/"] = feed(*stories)
    site["/sport"] = front("/only-sport-has-this-one", head=alternate.format("Sport", "/sport"))
    site["/sport/feed/"] = feed("/only-the-feed-of-sport-has-this-one")
    for path in (*stories, "/only-sport-has-this-one", "/only-the-feed-of-sport-has-this-one"):
        head = alternate.format(f"{path} Kommentar-Feed", path) + f"<link rel=amphtml href='{path}/amp/'>"
        copies = ("?replytocom=7", "?share=twitter", "/amp/", "?print=1", "/index.html", "/feed/")
        links = "".join(f"<a href='{path}{copy}'>To the comments</a>" for copy in copies)
        site[path] = article(f"Story {path}", f"Place {path}", head=head, links=links)
    done = crawl(tmp_path, "site", url=site.url)
    assert len(done.articles) == 5
    assert "/sport/feed/" in site.asked
    stray = [path for path in site.asked if path not in ("/feed/", "/sport/feed/", "/robots.txt", "/sitemap.xml")]
    assert sorted(stray) == sorted(["/", "/sport", *done.paths])


def test_site_spider_reads_lists_elsewhere_that_the_site_declares_and_says_what_it_could_not_read(tmp_path):
    with web() as site, web("127.0.0.2") as other:
        for name in ("by-feed", "by-map", "by-redirect", "by-part"):
            site[f"/{name}"] = article(f"A story {name}", f"Place {name}", date="")
        other["/robots.txt"] = "User-agent: *\nDisallow: /private"
        other["/rss"] = feed(f"{site.url}/by-feed", f"{other.url}/of-another-site", item=DATED)
        other["/moved"] = feed(f"{site.url}/by-redirect", item=DATED)
        other["/index"] = f"<sitemapindex><sitemap><loc>{other.url}/part</loc></sitemap></sitemapindex>"
        other["/part"] = str(sitemap(site, ("/by-part", "2026-05-05")).body)[:-9]  # without its end
        entries = str(sitemap(site, ("/by-map", "2026-05-06")).body)
        site["/map"] = Answer(entries.replace("</urlset>", " " * 17 * 2**20 + "</urlset>"), content_type=XML)
        site["/map2"] = "<p>Not a list"
        site["/robots.txt"] = f"Sitemap: {other.url}/index\nSitemap: {site.url}/map\nSitemap: {site.url}/map2"
        site["/rss"] = Answer(status=301, headers={"Location": f"{other.url}/moved"})
        hrefs = (f"{other.url}/rss", f"{other.url}/private/rss", "/rss")
        site["/"] = front(head="".join(f"<link rel=feed href='{href}'>" for href in hrefs))
        done = crawl(tmp_path, "site", url=site.url)
    rows = [url for (url,) in sql(tmp_path / "newsextract.db", "SELECT url FROM urls WHERE kind != 'page'")]
    assert rows and not [url for url in rows if other.url in url], "a list elsewhere has no row"
    assert done.paths == {"/by-feed", "/by-map", "/by-part", "/by-redirect"}
    assert {row["sources"].get("date_published") for row in done.articles} == {"feed", None}
    assert sorted(other.asked) == ["/index", "/moved", "/part", "/robots.txt", "/rss"]
    assert f"{other.url}/part: read only in part" in done.stderr
    assert f"{site.url}/map2: neither a feed nor a sitemap" in done.stderr
    assert f"{other.url}/private/rss: the site's robots.txt does not allow it" in done.stderr


def test_feeds_spider_stores_entries_of_any_site_and_follows_no_links(tmp_path):
    with web() as feeds, web("127.0.0.2") as news:
        old = f"<item><link>{news.url}/old</link><pubDate>Tue, 05 May 2015 10:00:00 GMT</pubDate></item>"
        named = feed(f"{news.url}/a", f"{news.url}/gone", item="<pubDate>Tue, 05 May 2026 10:00:00 GMT</pubDate>")
        feeds["/rss"] = Answer(str(named.body).replace("<item>", f"{old}<item>", 1), content_type="text/html")
        feeds["/page"] = front("/x", head="<link rel=alternate type=application/rss+xml href=/rss2>")
        feeds["/rss2"] = feed(f"{news.url}/b")
        feeds["/none"] = front("/x")
        for name in "ab":
            news[f"/{name}"] = article(f"Story {name}", f"Place {name}", links="<a href=/c>c</a>")
        news["/b"] = article("Story b", "Place b", date="", head="<link rel=amphtml href=/b/amp>")
        news["/b/amp"] = article("Story b", "Place b", date="2026-05-07T08:00:00+00:00")
        urls = ",".join(f"{feeds.url}/{path}" for path in ("rss", "page", "none", "missing"))
        done = crawl(tmp_path, "feeds", url=urls, since="2020-01-01")
    assert done.urls == {f"{news.url}/a", f"{news.url}/b"}
    assert "2026-05-07T08:00:00+00:00" in {found["date_published"] for found in done.articles}, "the AMP copy's date"
    assert not {"/c", "/old"} & set(news.asked)
    assert done.dropped["http_404"] == 2
    assert f"not crawled: {feeds.url}/none: it isn't an RSS or Atom feed" in done.stderr
    assert f"not crawled: {feeds.url}/missing: it answers 404" in done.stderr


def test_archive_keeps_the_fetch_time_of_warc_records(tmp_path):
    warc = tmp_path / "pages.warc.gz"
    pages = {f"https://example.org/{n}.html": article(f"Story {n}", f"Place {n}").encode() for n in range(60)}
    records = [gzip.compress(warc_record(url, body)) for url, body in pages.items()]
    records.insert(30, b"\x1f\x8b\x08broken")
    warc.write_bytes(b"".join(records))
    done = crawl(tmp_path, "archive", path=str(warc), quick=False)
    assert done.urls == {*pages}
    assert {found["fetched_at"] for found in done.articles} == {"2026-01-02T03:04:05+00:00"}
    assert done.dropped["broken"] == 1


def test_archive_reads_saved_pages_and_fails_on_an_empty_folder(tmp_path):
    folder = tmp_path / "saved"
    folder.mkdir()
    empty = crawl(tmp_path, "archive", path=str(folder), quick=False, status=1)
    assert "holds no page" in empty.stderr
    for n in range(5):
        head = f"<link rel=canonical href=https://example.org/{n}>"
        (folder / f"{n}.html").write_text(article(f"Story {n}", f"Place {n}", head=head), "utf-8")
    done = crawl(tmp_path, "archive", path=str(folder), max_pages="3", quick=False)
    assert done.urls == {f"https://example.org/{n}" for n in range(3)}
