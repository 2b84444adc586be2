"""Stories that answer under many URLs: each is stored once, and the copies cost a bounded number of requests."""

import sqlite3
import threading
from collections import Counter
from contextlib import closing
from datetime import UTC, datetime
from functools import partial

import pytest

from evaluation.crawling.kill import path_of, wait_until
from newsextract.crawl.copies import MAX_VARIANTS, StoryCopies, groups_of
from newsextract.items import Article, FetchedPage
from tests.crawling import Answer, article, crawl, front, killed_crawl, make_due, newsextract, sql, webs

STATE = "SELECT state, article FROM urls WHERE url = ?"
NOW = datetime(2026, 11, 29, tzinfo=UTC)
STORIES = {
    "ferry": "Ferry stops at night",
    "tram": "A new tram for the hills",
    "well": "Who drank from that well?",
    "kiln": "Potters light their kiln again",
    "barn": "Owls return to an old barn",
    "mill": "Mayor buys the mill for a pound",
    "lamp": "Street without lamps complains",
}
#: The URL of a story with the slug of another one, at sites that read only the number.
URLS = {
    "folder": "/noticia/Z{id}-AD0{n}/202611/{slug}-{id}",
    "ending": "/2026/11/28/{slug}-{id}.html",
    "query": "/index.php?id={id}&title={slug}",
    "entry": "/live/story-{id}?entry={slug}",
}


def url_of(kind: str, n: int, slug: str) -> str:
    return URLS[kind].format(id=(n + 3) * 7919, n=n, slug=slug)


@pytest.mark.parametrize("canonical", [False, True], ids=["plain", "canonical"])
def test_story_is_stored_once_under_its_number(tmp_path, canonical):
    with webs(len(URLS)) as sites:
        for kind, site in zip(URLS, sites, strict=True):
            own = [url_of(kind, n, slug) for n, slug in enumerate(STORIES)]
            items = "".join(f"<li><a href='{url}'>{text}</a>" for url, text in zip(own, STORIES.values(), strict=True))
            site["/"] = f"<title>The Gazette</title><ul>{items}</ul>"
            for n, story in enumerate(STORIES):
                head = f"<link rel=canonical href='{own[n]}'>" if canonical else ""
                links = "".join(f"<a href='{url_of(kind, n, slug)}'>{text}</a>" for slug, text in STORIES.items())
                page = article(STORIES[story], story, head=head, links=links)
                for slug in STORIES:  # no paragraph is that of all stories
                    site[url_of(kind, n, slug)] = page.replace("<p>", f"<p>{STORIES[story]}: ")
        done = crawl(tmp_path, "site", url=",".join(site.url for site in sites))
        for kind, site in zip(URLS, sites, strict=True):
            stored = [one["headline"] for one in done.articles if one["url"].startswith(site.url + "/")]
            assert sorted(stored) == sorted(STORIES.values()), kind


def test_renamed_story_is_a_version_under_its_new_url_though_crawls_are_killed_on_the_way(tmp_path, site):
    """One when it has the redirect and can't commit it, one when that is committed and the new page isn't."""
    old, new = "/2026/05/ferry-sinks-off-harbour", "/2026/05/nobody-hurt-as-ferry-runs-aground"
    site["/"] = front(old)
    site[old] = article("Ferry sinks off the harbour", "Ash")
    crawl(tmp_path, "site", url=site.url)
    make_due(tmp_path, old)
    killed, released = killed_crawl(tmp_path, site, LOG_LEVEL="DEBUG"), threading.Event()
    database = sqlite3.connect(tmp_path / "newsextract.db", isolation_level=None, check_same_thread=False)
    locking = partial(database.execute, "BEGIN IMMEDIATE")
    site[old] = Answer(status=308, headers={"Location": "/moved"}, before=locking)
    site["/moved"] = f"<meta http-equiv=refresh content='0; url={new}'>"
    site[new] = Answer(article("Ferry runs aground, nobody hurt", "Ash"), before=released.wait)
    with closing(database), killed.crawl() as process:
        wait_until(lambda: "Redirecting (308)" in killed.log())
        killed.kill(process)
        assert sql(tmp_path / "newsextract.db", STATE, site.url + old) == [("leased", 1)]
    site[old] = Answer(status=308, headers={"Location": "/moved"})
    with killed.crawl() as process:
        wait_until(lambda: new in site.asked)
        killed.kill(process)
        assert sql(tmp_path / "newsextract.db", STATE, site.url + old) == [("redirected", 1)]
    released.set()
    done = crawl(tmp_path, "site", url=site.url)
    assert [(path_of(one["url"]), one["version"]) for one in done.articles] == [(new, 2)]
    history = newsextract(tmp_path, "history", site.url + old).stdout
    assert "sinks" in history and "aground" in history
    assert Counter(site.asked)[old] == 3, "once before, once for each crawl that had no answer on disk"


def test_dated_page_that_stories_redirect_to_is_a_wall(tmp_path, site):
    paths = [f"/news/bridge-of-{slug}" for slug in STORIES]
    site["/"] = front(*paths, "/subscribe")
    site["/subscribe"] = article("Story at /subscribe", "all readers", head="<link rel=canonical href='/subscribe'>")
    for path in paths:
        site[path] = Answer(status=302, headers={"Location": "/subscribe"})
    assert crawl(tmp_path, "site", url=site.url, status=None).paths == set()


@pytest.mark.parametrize(
    ("urls", "refused"),
    [
        ([f"/story/17/slug-{n}" for n in "abcde"], {"/story/17/other", "/story/17/other?x=1"}),
        ([f"/2026/11/slug-{n}-4711" for n in "abcde"], {"/2026/11/other-4711"}),
        (["/live/vote", *(f"/live/vote?entry={n}" for n in "abcd")], {"/live/vote?entry=f"}),
        ([f"/page.asp?id=8&s={n}" for n in "abcde"], {"/page.asp?id=8&s=other"}),
        ([f"/2026/11/slug-{n}" for n in "abcde"], set()),
        ([f"/page.asp?id=8&s={n}" for n in range(MAX_VARIANTS + 9)], {"/page.asp?id=8&s=other"}),
        (["/live/covid-19", *(f"/live/covid-19?entry={n}" for n in "abcd")], {"/live/covid-19?entry=f"}),
        ([f"/news/what-{n}-19" for n in "abcde"], set()),
        ([f"/story/17/slug-{n}" for n in "abcd"], set()),
    ],
)
def test_groups_of_copies(urls, refused):
    copies = StoryCopies()
    story = Article("", headline="The ferry stops", article_body="It stops.", is_article=True)
    story.sources = {"date_published": "meta"}
    for url in urls:
        copies.record(FetchedPage(f"https://a.example{url}", b"", NOW, anchor_text="The ferry stops"), story)
    asked = {
        "/story/17/other", "/story/17/other?x=1", "/story/18/slug-a", "/2026/11/other-4711", "/2026/11/other-4712",
        "/2026/11/other", "/live/vote", "/live/vote?entry=f", "/live/covid-19?entry=f", "/live/the-end-of-covid-19",
        "/page.asp?id=8&s=other", "/page.asp?id=9&s=a", "/news/other-19",
    }  # fmt: skip
    assert {url for url in asked if copies.is_copy(f"https://a.example{url}")} == refused
    assert not any(copies.is_copy(f"https://a.example{url}") for url in urls[:MAX_VARIANTS]), (
        "what was fetched may be fetched again"
    )


def test_walls_are_no_story_with_copies():
    copies = StoryCopies()
    wall = Article("", headline="Subscribe", article_body="To go on.", is_article=True)
    for n in range(9):
        copies.record(FetchedPage(f"https://a.example/v2/story-{n}", b"", NOW, anchor_text=f"Story {n}"), wall)
    assert not copies.is_copy("https://a.example/v2/story-10")


def test_groups_of_other_addresses():
    assert [*groups_of("mailto:a@b.example")] == []


def test_groups_of_one_site_leave_those_of_another_their_bound(monkeypatch):
    monkeypatch.setattr("newsextract.crawl.copies.MAX_REMEMBERED", 9)
    copies = StoryCopies()
    story = Article("", headline="The ferry stops", article_body="It stops.", is_article=True)
    story.sources = {"date_published": "meta"}
    for url in [f"https://a.example/story/{n}/slug" for n in range(99)] + [
        f"https://b.example/story/1/{n}" for n in "abcde"
    ]:
        copies.record(FetchedPage(url, b"", NOW, anchor_text="The ferry stops"), story)
    assert copies.is_copy("https://b.example/story/1/other")
