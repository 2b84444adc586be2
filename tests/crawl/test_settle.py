"""What is settled late, in real crawls: candidates, articles that are retracted, nothing lost by a kill."""

import asyncio
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from evaluation.crawling.kill import path_of
from newsextract.article.extract import page_of, read_article
from newsextract.crawl.late_decisions import decide_published
from newsextract.crawl.site_memory import SiteMemory
from newsextract.extractors import make_extractor
from newsextract.items import FetchedPage
from newsextract.site_profile import PageSummary, SiteProfile
from newsextract.site_profile.snapshot import MIN_PAGES
from newsextract.store import Store, UrlState
from newsextract.store.site_pages import load_site_pages, pending_pages, sites_to_settle
from newsextract.workers.pool import WorkerPool
from tests.crawling import Web, crawl, front, json_lines, killed_crawl, web
from tests.store.samples import count_url_states, urls_in

TOWNS = [f"{start}{end}" for start in ("Hol", "Mar", "Sten", "Vik", "Lund", "Ask") for end in ("by", "ness", "wick")]


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
    """Puts a story of each town, and lists of them, on the site; returns the paths of both."""
    stories, digests = {address(town): story(town) for town in TOWNS if has_stories}, {}
    for number in range(0, len(TOWNS), 4):
        listed = (TOWNS + TOWNS)[number : number + 8]
        digests[f"/bridges/all-of-them-{number}"] = digest(number, listed, are_linked)
    links = "".join(f"<li><a href='{path}'>Read {path}</a></li>" for path in (*digests, *stories))
    site["/"] = f"<html><head><title>The Gazette</title></head><body><ul>{links}</ul></body></html>"
    for path, html in {**stories, **digests}.items():
        site[path] = html
    return {*stories}, {*digests}


def texts(database: str) -> dict[str, str]:
    """The text of each article by its path, without those that were taken back."""
    with Store.open(database) as store:
        articles = [row.article for row in store.articles()]
    return {path_of(article.url): article.article_body for article in articles if article.is_article}


@pytest.fixture(scope="module")
def finished(tmp_path_factory) -> SimpleNamespace:
    """A crawl of the site that was left alone, with its feed and JSON lines, and one after it."""
    folder = tmp_path_factory.mktemp("finished")
    database = f"sqlite:///{folder / 'newsextract.db'}"
    with web() as site:
        stories, digests = fill(site)
        crawled = crawl(folder, "site", "-O", "feed.jsonl", settings={"NEWSEXTRACT_JSONL": "a.jsonl"}, url=site.url)
        asked = [*site.asked]
        with Store.open(database) as store:
            last_change = store.cursor()
        feed, lines = json_lines(folder / "feed.jsonl"), json_lines(folder / "a.jsonl")
        crawl(folder, "site", url=site.url)
    with Store.open(database) as store:
        assert store.cursor() == last_change, "the next run changes nothing"
        memory = store.read(load_site_pages, site.url.removeprefix("http://"))
        assert store.read(pending_pages, site.url.removeprefix("http://")) == {}
    return SimpleNamespace(
        crawled=crawled, texts=texts(database), stories=stories, digests=digests, asked=asked, feed=feed, lines=lines,
        memory=memory,
    )  # fmt: skip


def test_articles_of_a_site_are_stored_and_pages_that_repeat_them_are_taken_back(finished):
    assert finished.texts.keys() == finished.stories
    assert all(f"mayor of {town} said" in finished.texts[address(town)] for town in TOWNS)
    last = {path_of(line["url"]): line for line in finished.lines}
    for path in finished.digests & last.keys():
        assert last[path]["change_kind"] == "retracted"
        assert (last[path]["is_article"], last[path]["not_article_because"]) == (False, "listing")
    stats = finished.crawled.stats
    kinds = Counter(line["change_kind"] for line in finished.lines)
    assert stats["newsextract/retracted"] == kinds["retracted"]
    assert {*kinds} == {"new", "retracted"}, "each article is published once"
    fields = ("change", "url", "change_kind")
    feed, told = ({tuple(map(line.get, fields)) for line in lines} for lines in (finished.feed, finished.lines))
    assert feed == told, "a feed of Scrapy names the changes as the JSON lines do"
    assert stats["newsextract/pages"] == len(finished.stories | finished.digests) + 1
    assert f"{kinds['retracted']} retracted" in finished.crawled.stderr


def test_feed_ends_with_the_text_that_is_stored_and_every_page_is_fetched_once_and_settled(finished):
    last = {path_of(item["url"]): item for item in finished.feed}
    assert {path: item["article_body"] for path, item in last.items() if item["is_article"]} == finished.texts
    taken_back = [item for item in last.values() if not item["is_article"]]
    assert taken_back and all(item["not_article_because"] == "listing" for item in taken_back)
    known = finished.stories | finished.digests
    assert set(Counter(path for path in finished.asked if path in known).values()) == {1}
    assert len(finished.memory) == len(known) + 1 and all(page.settled for page in finished.memory)


def test_crawl_by_four_workers_killed_while_it_settles_ends_with_the_same_articles(tmp_path, site, store, finished):
    fill(site)
    killed = killed_crawl(tmp_path, site, NEWSEXTRACT_WORKERS="4")
    assert killed.kill_while_settling()
    assert store.read(sites_to_settle, 1), "it was killed before all was settled"
    killed.finish()
    asked = Counter(path for path in site.asked if path in finished.stories | finished.digests)
    assert texts(killed.url) == finished.texts
    assert set(asked.values()) == {1}
    lines = json_lines(tmp_path / "articles.jsonl")
    assert len({line["change"] for line in lines}) == len(lines)
    assert store.read(sites_to_settle, 1) == []
    assert {path_of(url) for url in store.read(urls_in, UrlState.not_article)} == {*finished.digests, ""}


def fill_with_notes(site: Web) -> set[str]:
    """Adds pages to the site that may or may not be articles; returns their paths."""
    notes = {f"/about/bridge-of-{town.lower()}": paragraphs(town).partition("</p>")[0] for town in TOWNS[:4]}
    site["/"] = front(*notes)
    for path, text in notes.items():
        site[path] = page(f"The bridge of {path.rpartition('-')[2]}", f"{text}</p>")
    return {*notes}


def test_uncertain_pages_are_settled_at_the_end_and_reach_feeds_and_json_lines_once(tmp_path, site):
    settings = {"NEWSEXTRACT_JSONL": "a.jsonl"}
    notes = fill_with_notes(site)
    done = crawl(tmp_path, "site", "-O", "feed.jsonl", settings=settings, url=site.url)
    asked = Counter(path for path in site.asked if path in notes)
    assert done.stats["newsextract/pending"] == len(notes) == done.stats["newsextract/articles/new"]
    for name in ("feed.jsonl", "a.jsonl"):
        lines = json_lines(tmp_path / name)
        assert Counter(path_of(line["url"]) for line in lines) == dict.fromkeys(notes, 1)
        assert all("voted on Tuesday" in line["article_body"] and line["first_seen_at"] for line in lines)
    assert set(asked.values()) == {1}


def test_candidates_of_a_killed_crawl_are_settled_by_the_next_without_fetching_them(tmp_path, site, store):
    notes = fill_with_notes(site)
    killed = killed_crawl(tmp_path, site)
    assert killed.kill_while_settling()
    assert store.read(count_url_states)[UrlState.pending]
    killed.finish()
    asked = Counter(path for path in site.asked if path in notes)
    assert texts(killed.url).keys() == notes
    assert set(asked.values()) == {1}
    lines = json_lines(tmp_path / "articles.jsonl")
    assert Counter(path_of(line["url"]) for line in lines) == dict.fromkeys(notes, 1)


def test_later_run_takes_back_a_page_that_is_not_kept_any_more(tmp_path, site):
    database = f"sqlite:///{tmp_path / 'newsextract.db'}"
    stories, digests = fill(site, has_stories=False, are_linked=False)
    crawl(tmp_path, "site", url=site.url)
    assert texts(database).keys() == digests
    stories, digests = fill(site, are_linked=False)
    site.asked.clear()
    crawl(tmp_path, "site", url=site.url)
    assert not digests & {*site.asked}
    assert texts(database).keys() == stories


def test_only_articles_are_retracted_and_what_cannot_be_read_is_left_alone(finished):
    profile = SiteProfile.build([PageSummary.from_bytes(page.summary) for page in finished.memory])
    pages = {path_of(page.url): page for page in finished.memory}
    story = pages[address(TOWNS[0])]
    listing = replace(pages[min(finished.digests)], decision=story.decision, settled=False)
    decided = decide_published([story, pages[max(finished.digests)], listing], profile)
    (row,) = [page for page, now in decided if not now.is_article]
    assert row is listing
    for broken in (replace(row, summary=b"?"), replace(row, decision=b""), replace(row, decision=None)):
        assert decide_published([broken], profile) == []
    assert decide_published([replace(row, settled=True)], profile), "decided by an earlier run"


def test_pages_are_kept_though_no_worker_can_build_the_profile_of_their_site(caplog):
    pool, extractor = WorkerPool("fusion", {}, 0), make_extractor("fusion", {})
    memory = SiteMemory(SimpleNamespace(url="", is_open=False), pool, is_used=True)  # of a crawl without a database
    now, urls = datetime.now(UTC), {f"https://gazette.example{address(town)}": town for town in TOWNS[:MIN_PAGES]}
    pages = [FetchedPage(url, story(town).encode(), now) for url, town in urls.items()]
    summaries = [read_article(page_of(page), extractor).summary.to_bytes() for page in pages]

    async def add_all() -> list[bool]:
        return [await memory.add(*pair) is not None for pair in zip(pages, summaries, strict=True)]

    assert asyncio.run(add_all()).index(True) == MIN_PAGES - 1
    memory.let_go("gazette.example")
    pool.end_now()
    assert not any(asyncio.run(add_all()))
    assert "The profile of gazette.example could not be built: the crawl is stopping" in caplog.text


def test_lines_of_most_articles_leave_those_that_were_stored_before_their_site_showed_it(tmp_path):
    line = "<p>Listen to the bridge!</p>"
    stories = {address(town): story(town).replace("</p><p>", f"</p>{line}<p>", 1) for town in TOWNS}
    with web() as site:
        for towns in (TOWNS[:4], TOWNS):
            site["/"] = front(*map(address, towns))
            for path in map(address, towns):
                site[path] = stories[path]
            crawled = crawl(tmp_path, "site", "-O", "feed.jsonl", url=site.url)
            asked, bodies = [*site.asked], texts(f"sqlite:///{tmp_path / 'newsextract.db'}")
            has_line = {path for path, body in bodies.items() if "Listen to" in body}
            assert has_line == ({*stories} if towns is not TOWNS else set()) & {*bodies}
    assert len(bodies) == len(TOWNS)
    assert Counter(asked)[address(TOWNS[0])] == 1, "nothing is fetched again"
    assert crawled.stats["newsextract/lines_left_out"] == 4
    shorter = [one for one in json_lines(tmp_path / "feed.jsonl") if one["change_kind"] == "reextracted"]
    assert {path_of(one["url"]) for one in shorter} == {*map(address, TOWNS[:4])}
    assert not any("Listen to" in one["article_body"] + one["article_body_html"] for one in shorter)
