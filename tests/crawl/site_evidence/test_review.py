"""What a whole site says, in real crawls: pages read again at the end, articles taken back, nothing lost by a kill."""

import json
import sqlite3
from collections import Counter
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from sqlalchemy import func, select

from evaluation.crawling.kill import KilledCrawl, wait_until
from newsextract.article import page_of, read_fetched
from newsextract.crawl.site_evidence.review import find_revisions
from newsextract.extractors import make_extractor
from newsextract.items import FetchedPage
from newsextract.site_profile import SiteProfile, decide_all
from newsextract.store import Store, UrlState
from newsextract.store.schema import review_pages, site_pages
from newsextract.store.site_pages import StoredSitePage
from tests import preloaded
from tests.crawling import Crawled, Web, crawl, web

TOWNS = [f"{start}{end}" for start in ("Hol", "Mar", "Sten", "Vik", "Lund", "Ask") for end in ("by", "ness", "wick")]
#: Stories on whose page two others stand.
MANY_ON_A_PAGE = 4


def paragraphs(town: str) -> str:
    """The text of an article, different in every line for every town."""
    lines = (
        f"The council of {town} voted on Tuesday to rebuild the bridge of {town}, three winters after the river took "
        f"it, and {town} will pay for half of it, the mayor of {town} said.",
        f"Fishermen in {town} had asked for a longer quay, which {town} refused because of its cost; in {town} nobody "
        f"was surprised, least of all the harbour master of {town}.",
        f"Work in {town} begins in spring, and the ferry to {town} keeps its timetable until then, as the county of "
        f"{town} has promised to everybody in {town}.",
    )
    return "".join(f"<p>{line}</p>" for line in lines)


def page(title: str, body: str) -> str:
    return (
        f"<!doctype html><html lang=en><head><title>{title} | The Gazette</title></head><body>"
        f"<div class=content><h1>{title}</h1>{body}</div></body></html>"
    )


def address(town: str) -> str:
    return f"/news/the-bridge-of-{town.lower()}"


def story(town: str, *others: str) -> str:
    """An article, with whole other ones below it."""
    below = "".join(f"<h2>The bridge of {other}</h2>{paragraphs(other)}" for other in others)
    return page(f"The bridge of {town}", f"<time datetime=2026-05-05>5 May 2026</time>{paragraphs(town)}{below}")


def digest(number: int, towns: list[str], are_linked: bool = True) -> str:
    """A list that looks like an article by itself: headlines and first paragraphs of articles."""
    parts = []
    for town in towns:
        headline = f"The bridge of {town}"
        headline = f"<a href='{address(town)}'>{headline}</a>" if are_linked else headline
        parts.append(f"<h2>{headline}</h2>{paragraphs(town).partition('</p>')[0]}</p>")
    return page(f"Bridges, page {number}", "".join(parts))


def fill(site: Web, has_stories: bool = True, are_linked: bool = True) -> tuple[set[str], set[str]]:
    """Puts a story of each town, the first with others on its page, and lists of them on the site; returns the paths
    of both."""
    stories, digests = {}, {}
    for number, town in enumerate(TOWNS if has_stories else []):
        stories[address(town)] = story(town, *(TOWNS[number + 1 : number + 3] if number < MANY_ON_A_PAGE else ()))
    for number in range(0, len(TOWNS), 4):
        listed = (TOWNS + TOWNS)[number : number + 8]
        digests[f"/bridges/all-of-them-{number}"] = digest(number, listed, are_linked)
    links = "".join(f"<li><a href='{path}'>Read {path}</a></li>" for path in (*digests, *stories))
    site["/"] = f"<html><head><title>The Gazette</title></head><body><ul>{links}</ul></body></html>"
    for path, html in {**stories, **digests}.items():
        site[path] = html
    return {*stories}, {*digests}


def path_of(url: str) -> str:
    return urlsplit(url).path or "/"


def texts(database: str) -> dict[str, str]:
    """The text of each article by its path, without those that were taken back."""
    with Store.open(database) as store:
        return {
            path_of(row.article.url): row.article.article_body for row in store.articles() if row.article.is_article
        }


@dataclass
class Finished:
    """A crawl of the site that was left alone, with its feed and JSON lines, and one after it."""

    site: str
    crawled: Crawled
    texts: dict[str, str]
    stories: set[str]
    digests: set[str]
    asked: list[str]
    feed: list[dict[str, Any]]
    lines: list[dict[str, Any]]
    changes: list[int]
    memory: dict[str, tuple[int, int]]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Finished:
    folder = tmp_path_factory.mktemp("finished")
    database = f"sqlite:///{folder / 'newsextract.db'}"
    with web() as site:
        stories, digests = fill(site)
        crawled = crawl(folder, "site", "-O", "feed.jsonl", settings={"NEWSEXTRACT_JSONL": "a.jsonl"}, url=site.url)
        asked = [*site.asked]
        with Store.open(database) as store:
            changes = [store.cursor()]
        feed, lines = (
            [json.loads(line) for line in (folder / name).read_text("utf-8").splitlines()]
            for name in ("feed.jsonl", "a.jsonl")
        )
        again = crawl(folder, "site", url=site.url)
        assert (crawled.status, again.status) == (0, 0), crawled.stderr
    with Store.open(database) as store, store.database.reading() as connection:
        changes.append(store.cursor())
        memory = {
            "pages": (
                connection.execute(select(func.count()).select_from(site_pages)).scalar_one(),
                connection.execute(select(func.count()).where(site_pages.c.reviewed)).scalar_one(),
            ),
            "kept": (connection.execute(select(func.count()).select_from(review_pages)).scalar_one(), 0),
        }
    return Finished(site.url, crawled, texts(database), stories, digests, asked, feed, lines, changes, memory)


def test_articles_of_a_site_are_stored_and_pages_that_repeat_them_are_taken_back(finished: Finished) -> None:
    assert finished.texts.keys() == finished.stories
    told = {
        town: {other for other in TOWNS if f"mayor of {other} said" in finished.texts[address(town)]} for town in TOWNS
    }
    assert all(town in towns for town, towns in told.items())
    assert sum(map(len, told.values())) <= len(TOWNS) + 1, "of the eight that stand on other articles' pages"
    last = {path_of(line["url"]): line for line in finished.lines}
    for path in finished.digests & last.keys():
        assert last[path]["change_kind"] == "retracted"
        assert (last[path]["is_article"], last[path]["not_article_because"]) == (False, "listing")
    stats = finished.crawled.stats
    kinds = Counter(line["change_kind"] for line in finished.lines)
    assert (stats["newsextract/retracted"], stats["newsextract/revised"]) == (kinds["retracted"], kinds["reextracted"])
    assert kinds["retracted"] and kinds["reextracted"]
    assert stats["newsextract/pages"] == len(finished.stories | finished.digests) + 1
    assert f"{kinds['retracted']} taken back" in finished.crawled.stderr


def test_feed_ends_with_the_text_that_is_stored(finished: Finished) -> None:
    last = {path_of(item["url"]): item for item in finished.feed}
    assert {path: item["article_body"] for path, item in last.items() if item["is_article"]} == finished.texts
    taken_back = [item for item in last.values() if not item["is_article"]]
    assert taken_back and all(item["not_article_because"] == "listing" for item in taken_back)


def test_review_fetches_nothing_and_keeps_no_page(finished: Finished) -> None:
    pages = [path for path in finished.asked if path in finished.stories | finished.digests]
    assert len(pages) == len(set(pages))
    count = len(finished.stories | finished.digests) + 1
    assert finished.memory == {"pages": (count, count), "kept": (0, 0)}


def test_next_run_changes_nothing(finished: Finished) -> None:
    assert finished.changes[0] == finished.changes[1]


def test_crawl_by_four_workers_killed_while_it_reviews_ends_with_the_same_articles(
    tmp_path: Path, finished: Finished
) -> None:
    with web() as site:
        fill(site)
        settings = {"NEWSEXTRACT_WORKERS": "4"}
        killed = KilledCrawl(tmp_path, site, settings=settings, scrapy=preloaded.command("scrapy"))  # type: ignore[arg-type]
        with killed.crawl() as process:
            wait_until(lambda: "are read again" in killed.log() or process.poll() is not None)
            killed.kill(process)
        with Store.open(killed.url) as store:
            assert store.sites_to_review(1), "it was killed before the review was done"
        killed.finish()
        asked = Counter(path for path in site.asked if path in finished.stories | finished.digests)
    assert texts(killed.url) == finished.texts
    assert set(asked.values()) == {1}
    lines = [json.loads(line) for line in (tmp_path / "articles.jsonl").read_text("utf-8").splitlines()]
    assert len({line["change"] for line in lines}) == len(lines)
    with Store.open(killed.url) as store:
        assert store.sites_to_review(1) == []
        assert {path_of(url) for url in store.urls_in(UrlState.not_article)} == {*finished.digests, "/"}


def test_later_run_takes_back_a_page_that_is_not_kept_any_more(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 'newsextract.db'}"
    with web() as site:
        stories, digests = fill(site, has_stories=False, are_linked=False)
        crawl(tmp_path, "site", url=site.url)
        assert texts(database).keys() == digests
        stories, digests = fill(site, are_linked=False)
        site.asked.clear()
        crawl(tmp_path, "site", url=site.url)
        assert not digests & {*site.asked}
    assert texts(database).keys() == stories


def rows(flips: int = 0, reviewed: bool = True) -> tuple[list[StoredSitePage], SiteProfile]:
    """The memory of the site, with the opposite of what its profile says, and that profile."""
    summaries = []
    for number, html in enumerate([*map(story, TOWNS), digest(0, TOWNS[:8])]):
        fetched = FetchedPage(f"https://gazette.example/page-{number}", html.encode(), datetime.now(UTC))
        summaries.append(read_fetched(fetched, page_of(fetched), make_extractor("fusion", {})).summary)
    profile = SiteProfile.build(summaries)
    opposite = [replace(now, is_article=not now.is_article) for now in decide_all(summaries, profile)]
    return [
        StoredSitePage(
            str(number), one.url, datetime.now(UTC), 1, None, one.to_bytes(), 20, before.to_bytes(), reviewed, flips,
            "listing", True,
        )
        for number, (one, before) in enumerate(zip(summaries, opposite, strict=True))
    ], profile  # fmt: skip


def test_decision_that_was_changed_twice_from_run_to_run_stands() -> None:
    for flips, found in ((0, True), (1, True), (2, True), (3, False)):
        assert bool(find_revisions(*rows(flips))) == found


def test_decision_of_this_run_is_changed_however_small_the_evidence() -> None:
    listed, profile = rows(reviewed=False)
    assert len(find_revisions(listed, profile)) == len(listed)


def test_page_that_cannot_be_read_is_left_alone() -> None:
    listed, profile = rows()
    broken = [replace(listed[0], summary=b"?"), replace(listed[1], decision=b""), replace(listed[2], decision=None)]
    assert find_revisions(broken, profile) == []


def flip(site: Web, run: int, addresses: list[str]) -> None:
    """Serves lists of stories at these addresses in every second run, articles of their own in the others."""
    for number, path in enumerate(addresses):
        if run % 2:
            site[path] = digest(number, (TOWNS + TOWNS)[4 * number : 4 * number + 8], are_linked=False)
        else:
            site[path] = story(f"Old{TOWNS[number]}").replace("bridge", f"mill {run}")


def test_pages_that_flip_between_list_and_article_do_not_come_and_go_with_each_run(tmp_path: Path) -> None:
    told: list[list[str]] = []
    with web() as site:
        _, digests = fill(site)
        for run in range(1, 7):
            flip(site, run, sorted(digests))
            with sqlite3.connect(tmp_path / "newsextract.db") as database:
                if run > 1:
                    database.execute("UPDATE urls SET next_due = '2020-01-01 00:00:00' WHERE url LIKE '%all-of-them%'")
            done = crawl(tmp_path, "site", settings={"NEWSEXTRACT_JSONL": "a.jsonl"}, url=site.url)
            assert done.status == 0, done.stderr
            told.append((tmp_path / "a.jsonl").read_text("utf-8").splitlines())
        asked = Counter(path for path in site.asked if path in digests)
    assert set(asked.values()) == {6}
    for path in digests:
        lines = [line for line in map(json.loads, told[-1]) if path_of(line["url"]) == path]
        assert [line["change_kind"] for line in lines].count("retracted") <= 2
        assert not lines[-1]["is_article"]
    assert len(told[2]) == len(told[-1]), "the last three runs change nothing"
