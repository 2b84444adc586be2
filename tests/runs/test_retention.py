"""`keep` of sites.toml and `newsextract db prune`: old versions, rows and WARC files go, articles stay."""

import os
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from newsextract.errors import NewsextractError, WrongCall
from newsextract.health.clock import days_ahead
from newsextract.health.counts import CrawlCounts
from newsextract.health.run_end import finish_run
from newsextract.runs.retention import prune_database
from newsextract.store.lookup import count_articles, find_versions
from tests.store.samples import outcome

HOME = "https://courier.example/"
DAYS = timedelta(days=1)


@pytest.fixture
def database(store, sqlite_url) -> str:
    """An article of two versions, the first five hundred days old, and one of another site."""
    for days, text in ((500, "An old text of the story."), (1, "A new text of the story, and more.")):
        at = datetime.now(UTC) - days * DAYS
        store.database.clock = lambda connection, at=at: at
        store.commit([outcome(f"{HOME}story", text, at=at), outcome(f"https://post.example/{days}", at=at)])
    return sqlite_url


def write_sites(folder: Path, keep: str) -> Path:
    path = folder / "sites.toml"
    path.write_text(f'[sites.courier]\nurl = "{HOME}"\n{keep}\n[sites.post]\nurl = "https://post.example/"\n')
    return path


def test_prune_database_by_keep_deletes_old_versions_and_files_and_says_sizes(database, store, tmp_path):
    pages = tmp_path / "pages"
    pages.mkdir()
    old, new, other = (pages / name for name in ("newsextract-1.warc.gz", "newsextract-2.warc.gz", "mine.warc.gz"))
    for path in (old, new, other):
        path.write_bytes(b"x" * 1000)
    for path in (old, other):
        os.utime(path, (time.time(), (datetime.now(UTC) - 500 * DAYS).timestamp()))
    report = prune_database(database, keep="400d", pages=pages)
    assert report.deleted == {"article_versions": 1, "changes": 1, "urls": 1, "pages": 1}
    assert [path.name for path in sorted(pages.iterdir())] == ["mine.warc.gz", "newsextract-2.warc.gz"]
    assert "1 article versions" in report.line and report.line.endswith(" MB after")
    assert report.after <= report.before
    assert store.read(count_articles) == 3
    assert len(store.read(find_versions, f"{HOME}story")) == 1


def test_prune_database_follows_the_file_of_sites(database, tmp_path):
    report = prune_database(database, file=write_sites(tmp_path, 'keep = "400d"'), pages=tmp_path)
    assert report.deleted == {"article_versions": 1, "changes": 1}, "the other site, and all WARC files, are kept"
    assert prune_database(database, file=write_sites(tmp_path, 'keep = "400d"'), sites=["courier"]).deleted == {}


def test_wrong_time_file_without_keep_and_unknown_site_are_refused(database, tmp_path):
    for keep in ("", "400", "-1d"):
        with pytest.raises(WrongCall, match="must be a time such as"):
            prune_database(database, keep=keep)
    file = write_sites(tmp_path, "")
    with pytest.raises(NewsextractError, match=r"no site of .* has keep"):
        prune_database(database, file=file)
    with pytest.raises(WrongCall, match="has no site 'nothing'"):
        prune_database(database, file=file, sites=["nothing"])
    with pytest.raises(WrongCall, match="there is no "):
        prune_database(database, file=tmp_path / "no.toml")


@pytest.mark.parametrize(
    ("ended", "served", "why"),
    [
        (0, -365, "365 days ahead of the sites' clocks"),
        (-365, -365, "the last crawl ended 365 days ago"),
        (-1, -1, ""),
        (365, 0, ""),  # the clock was put back since
        (-300, None, "the last crawl ended 300 days ago"),
    ],
)
def test_prune_by_hand_deletes_nothing_if_the_clock_may_be_wrong(database, store, ended, served, why):
    finish(store, ended, served)
    if why:
        with pytest.raises(NewsextractError, match=why):
            prune_database(database, keep="30d")
        assert prune_database(database, keep="30d", dry_run=True).notes[0].startswith("nothing is deleted: ")
    else:
        assert prune_database(database, keep="30d").deleted["article_versions"] == 1
    day = (datetime.now(UTC) - 30 * DAYS).date()
    assert prune_database(database, keep=f"{day}").deleted.total() == (3 if why else 0)


def test_prune_keeps_what_a_crawl_stored_whose_clock_was_behind(database, store):
    run = finish(store, -500, -1)
    at = datetime.now(UTC) - 500 * DAYS
    page = outcome("https://courier.example/new", at=at)
    page.run = run
    store.commit([page])
    finish(store, -1, -1)
    prune_database(database, keep="400d", with_articles=True)
    urls = {row.article.url for row in store.articles()}
    assert urls == {page.url, f"{HOME}story", "https://post.example/1"}


def finish(store, ended: float, served: float | None) -> int:
    """A run that ended, and whose servers' last date was, so many days from now."""
    now = datetime.now(UTC)
    store.database.clock = lambda connection: now + ended * DAYS
    run = store.frontier("site", {}).run
    stats = {} if served is None else {CrawlCounts.served_at.name: (now + served * DAYS).timestamp()}
    store.write(finish_run, run, "finished", stats)
    return run


@pytest.mark.parametrize(("ahead", "days"), [(365.0, 365), (0.5, 0), (-3.0, 0), (None, 0)])
def test_clock_ahead_of_all_servers_is_known_by_their_dates(store, ahead, days):
    run = store.frontier("site", {}).run
    served = {} if ahead is None else {CrawlCounts.served_at.name: (datetime.now(UTC) - ahead * DAYS).timestamp()}
    store.write(finish_run, run, "finished", served)
    assert store.read(days_ahead) == days
