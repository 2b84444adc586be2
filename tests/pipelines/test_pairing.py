"""Pages in pairs within a crawl: every page that has a sister is extracted with it, and nobody waits in a pipeline."""

import time
from pathlib import Path

import pytest
from sqlalchemy import update

from newsextract.store import PageOutcome, Store, UrlState
from newsextract.store.schema import urls
from tests.crawling import Answer, Web, crawl, front, web

#: Ballast makes a page 60 kB: eight of them fill the bound for what is in the pipelines that the test sets.
BALLAST, BOUND = "<!--" + "x" * 60_000 + "-->", 500_000
PARAGRAPH = (
    "The {name} of {place} was closed on Monday, after engineers had found cracks in it, and nobody can say yet when "
    "it will open again. People in {place} now walk an hour to the next one, which is older, narrower, just as worn."
)


def story(name: str, place: str, template: str = "t") -> str:
    """An article of a template with furniture that its sisters share word by word, punctuation and all."""
    text = "".join(f"<p>{PARAGRAPH.format(name=name, place=f'{place} {part}')}</p>" for part in ("North", "South"))
    furniture = (
        f"<p>Written by the desk of {template}, with care, and read by nobody, or so we fear, in {template}.</p>"
    )
    return (
        f"<html><head><title>The {name} of {place}</title></head><body class={template}><div class={template}-top>"
        f"{furniture}</div><div class={template}-main><h1>The {name} of {place}</h1>{text}</div>"
        f"<div class={template}-foot>{furniture.replace('Written', 'Printed')}</div></body></html>"
    )


@pytest.fixture
def late_partners() -> list[tuple[str, str]]:
    """(path, page): 100 templates; the second page of each comes only after the first of all of them."""
    return [
        (f"/{second}/section-{n}/a-story-of-{n}-{second}", story(f"bridge{n}", f"Town{n}{second}", f"tpl{n}z"))
        for second in ("first", "later")
        for n in range(100)
    ]


def test_two_hundred_large_pages_whose_partners_come_late_are_all_paired(
    tmp_path: Path, late_partners: list[tuple[str, str]]
) -> None:
    with web() as site:
        site["/"] = front(*(path for path, _ in late_partners))
        for path, page in late_partners:
            site[path] = page.replace("</body>", f"{BALLAST}</body>")
        # a page that waited in a pipeline would wait for longer than `crawl` does for its process
        settings = {"NEWSEXTRACT_EXTRACTOR": "paired", "NEWSEXTRACT_PEER_WAIT": "600"}
        settings["SCRAPER_SLOT_MAX_ACTIVE_SIZE"] = str(BOUND)
        crawled = crawl(tmp_path, "site", settings=settings, url=site.url)
    assert crawled.status == 0
    assert crawled.stats["newsextract/paired"] == 200
    assert len([article for article in crawled.articles if article["peer_url"]]) == 200
    assert all("with care" not in article["article_body"] for article in crawled.articles)


def test_single_pages_go_on_alone_when_the_crawl_has_nothing_else_to_do(tmp_path: Path) -> None:
    with web() as site:
        site["/"] = front("/news/one-single-story", "/blog/2026/another-kind-of-page")
        site["/news/one-single-story"] = story("bridge", "Hill")
        site["/blog/2026/another-kind-of-page"] = story("well", "Dale", "blog")
        begun = time.monotonic()
        crawled = crawl(tmp_path, "site", settings={"NEWSEXTRACT_PEER_WAIT": "60"}, url=site.url)
    assert time.monotonic() - begun < 50
    assert len(crawled.articles) == 2
    assert [article["peer_url"] for article in crawled.articles] == [None, None]


def test_a_page_fetched_twice_is_not_emptied_by_itself(tmp_path: Path) -> None:
    with web() as site:
        site["/"] = front("/news/a-story-told-once", "/sport/a-story-told-once")
        for path in ("/news/a-story-told-once", "/sport/a-story-told-once"):
            site[path] = story("bridge", "Hill")
        crawled = crawl(tmp_path, "site", url=site.url)
    assert crawled.articles
    assert all("closed on Monday" in article["article_body"] for article in crawled.articles)


def test_a_later_run_has_peers_from_its_first_page_on_until_a_redesign_retires_them(tmp_path: Path) -> None:
    def stories(site: Web, *names: str, template: str = "t") -> None:
        site["/"] = front(*(f"/news/the-story-of-{name}" for name in names))
        for name in names:
            site[f"/news/the-story-of-{name}"] = story("bridge", name.title(), template)

    database = f"sqlite:///{tmp_path / 'newsextract.db'}"
    with web() as site:
        stories(site, "hill", "dale")
        settings = {"NEWSEXTRACT_WORKERS": "0", "NEWSEXTRACT_PEER_WAIT": "60"}
        crawl(tmp_path, "site", settings=settings, url=site.url)
        keep_furniture(database, f"{site.url}/news/the-story-of-hill")
        stories(site, "river")
        site.asked.clear()
        again = crawl(tmp_path, "site", settings=settings, url=site.url)
        asked = [*site.asked]
        stories(site, "coast", "island", "marsh", template="redesign")
        redesigned = crawl(tmp_path, "site", settings=settings, url=site.url)
    (river,) = (article for article in again.articles if article["url"].endswith("river"))
    assert river["peer_url"].endswith(("hill", "dale"))
    assert "with care" not in river["article_body"]
    assert [path for path in asked if path.endswith(("hill", "dale"))] == ["/news/the-story-of-hill"]
    assert again.stats["newsextract/articles/unchanged"] == 1
    assert redesigned.stats["newsextract/references/retired"] == 3
    assert "A redesign: pages like 127.0.0.1:" in redesigned.stderr
    with Store.open(database) as store:
        versions = store.versions(f"{site.url}/news/the-story-of-hill")
        assert ["with care" in version.article.article_body for version in versions] == [False, True]
        kept = {page.url.rpartition("-")[2] for page in store.peers(site.url.removeprefix("http://"))}
    assert kept == {"coast", "island", "marsh"}


def keep_furniture(database: str, url: str) -> None:
    """As if the article had been fetched again, its template's lines been kept in its text, and were due once more."""
    with Store.open(database) as store:
        article = store.article(url)
        assert article is not None
        lines = ("Written by the desk of t, with care, and read by nobody, or so we fear, in t.", article.article_body)
        article.article_body, article.content_hash = "\n".join(lines), ""
        store.commit([PageOutcome(url, UrlState.stored, article=article, page_hash="of another page", revisit=True)])
        store.database.write(
            lambda connection: connection.execute(
                update(urls).where(urls.c.url == url).values(next_due=article.fetched_at)
            )
        )


def test_a_page_that_kills_its_worker_is_counted_and_named(tmp_path: Path) -> None:
    (tmp_path / "deadly_one.py").write_text(
        "import os\n"
        "from newsextract.extractors.econ import Econ\n\n\n"
        "class Deadly(Econ):\n"
        "    name = 'deadly'\n\n"
        "    def __call__(self, page, peer=None):\n"
        "        if 'Boom' in page.source:\n"
        "            os._exit(9)\n"
        "        return super().__call__(page, peer)\n"
    )
    with web() as site:
        site["/"] = front("/news/a-good-story", "/news/a-bad-story")
        site["/news/a-good-story"] = story("bridge", "Hill")
        site["/news/a-bad-story"] = Answer(story("bridge", "Boom"))
        settings = {"NEWSEXTRACT_EXTRACTOR": "deadly_one.Deadly", "NEWSEXTRACT_WORKERS": "1"}
        crawled = crawl(tmp_path, "site", settings=settings, url=site.url)
    assert crawled.dropped["worker_died"] == 1
    assert "/news/a-bad-story" in crawled.stderr
    assert [article["url"] for article in crawled.articles] == [f"{site.url}/news/a-good-story"]
