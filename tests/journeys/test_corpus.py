"""Journeys of a corpus in its owner's hands, on both databases: correct, back up and restore, merge, cite."""

import json
import shutil
import threading

import pytest

from newsextract.store import Store
from newsextract.store.admin import copy_store
from newsextract.store.schema import urls
from tests.conftest import DATABASES, new_database
from tests.crawling import QUICK, Answer, add_stories, article, json_lines, newsextract, web, webs

ON_BOTH = pytest.mark.parametrize("kind", DATABASES)


@pytest.fixture
def databases(kind, request, tmp_path):
    """Makes URLs of new databases."""
    made = []

    def make(name):
        if kind == "sqlite":
            return f"sqlite:///{tmp_path / name}.db"
        context = new_database(request.getfixturevalue("postgresql_server"))
        made.append(context)
        return context.__enter__()

    yield make
    for context in made:
        context.__exit__(None, None, None)


def crawled(folder, database, *sites, **settings):
    """Crawls sites into a database."""
    options = {**QUICK, "NEWSEXTRACT_DATABASE_URL": database, "NEWSEXTRACT_JSONL": "", **settings}
    return newsextract(folder, "crawl", *(f"{site.url}/" for site in sites), settings=options)


def make_due(database):
    with Store.open(database) as store:
        store.write(lambda connection: connection.execute(urls.update().values(next_due=urls.c.first_seen)))


def export(folder, database, *words):
    return newsextract(folder, "export", "--database", database, *words).stdout


@ON_BOTH
def test_correction_survives_crawl_and_reextraction_and_is_exported(databases, tmp_path):
    database = databases("news")
    with web() as site:
        path, *_ = add_stories(site, 2)
        crawled(tmp_path, database, site, NEWSEXTRACT_KEEP_PAGES="pages")
        given = ("--headline", "The right headline", "--authors", "Ada Roth", "--by", "Kim")
        newsextract(tmp_path, "correct", site.url + path, *given, "--database", database)
        site[path] = article("Story", "the new pier", head="<meta name=author content='Bo Lind'>")
        make_due(database)
        crawled(tmp_path, database, site, NEWSEXTRACT_KEEP_PAGES="pages")
        newsextract(tmp_path, "reextract", "--pages", "pages", "--database", database, "--extractor", "cetd")
        rows = {row["url"]: row for row in map(json.loads, export(tmp_path, database).splitlines())}
        row = rows[site.url + path]
        assert (row["headline"], row["authors"]) == ("The right headline", ["Ada Roth"])
        assert "the new pier" in row["article_body"] and row["sources"]["headline"] == "manual"
        told = newsextract(tmp_path, "status", "--database", database).stdout
        assert "the page says otherwise: authors ['Bo Lind'], corrected to ['Ada Roth']" in told
        newsextract(tmp_path, "correct", site.url + path, "--undo", "--database", database)
        assert '"authors": ["Bo Lind"]' in export(tmp_path, database)


@ON_BOTH
def test_backup_made_in_a_crawl_is_restored_and_the_old_cursor_loses_nothing(databases, kind, tmp_path):
    database, backup = databases("news"), databases("backup")
    with web() as site:
        *_, last = add_stories(site, 5)
        copied = threading.Event()

        def copy():
            if not copied.is_set():
                copy_store(database, backup)
                copied.set()

        slow = site.pages[last]
        site[last] = Answer(slow.body, before=copy)
        crawled(tmp_path, database, site)
        assert copied.is_set()
        words = ("--cursor-file", "cursor", "-o", "news.jsonl")
        export(tmp_path, database, *words)
        before = json_lines(tmp_path / "news.jsonl")
        assert len(before) == 5
        if kind == "sqlite":  # the file comes back under its name
            for ending in ("", "-wal", "-shm"):
                (tmp_path / f"news.db{ending}").unlink(missing_ok=True)
            shutil.copy(tmp_path / "backup.db", tmp_path / "news.db")
        else:
            database = databases("restored")
            copy_store(backup, database)
        add_stories(site, 8)
        for _ in range(2):  # the first one resumes that of the backup
            crawled(tmp_path, database, site)
        export(tmp_path, database, *words)
        stored = {row["url"] for row in map(json.loads, export(tmp_path, database).splitlines())}
        assert {row["url"] for row in json_lines(tmp_path / "news.jsonl")} == stored and len(stored) == 8


@ON_BOTH
def test_two_corpora_that_share_a_site_are_merged_and_the_one_of_then_can_still_be_cited(databases, tmp_path):
    first, second = databases("first"), databases("second")
    with webs(3) as sites:
        for number, site in enumerate(sites):
            for path in add_stories(site, 2):
                site[path] = article(f"Story {number} {path[-6]}", f"Place {number} {path}")
        crawled(tmp_path, first, *sites[:2])
        sites[1]["/2026/05/01/the-council-votes-on-pier-1.html"] = article("Story", "another place, later on")
        crawled(tmp_path, second, *sites[1:])
    export(tmp_path, first, "-o", "then.jsonl", "--cursor-file", "cursor")
    done = newsextract(tmp_path, "db", "merge", second, "--database", first)
    assert "articles: 2 new, 1 changed, 1 known" in done.stderr
    newsextract(tmp_path, "db", "check", "--database", first)
    rows = [json.loads(line) for line in export(tmp_path, first).splitlines()]
    assert len(rows) == 6 and sum("another place, later on" in row["article_body"] for row in rows) == 1
    then = (tmp_path / "then.jsonl").read_text("utf-8")
    assert export(tmp_path, first, "--as-of-change", "4") == then
    newsextract(tmp_path, "export", "--database", first, "--verify", "then.jsonl.manifest.json")
    export(tmp_path, first, "-o", "then.jsonl", "--cursor-file", "cursor")
    assert len(json_lines(tmp_path / "then.jsonl")) == 4 + 3
    again = newsextract(tmp_path, "db", "merge", second, "--database", first)
    assert "articles: 0 new, 0 changed, 4 known; 0 new URLs" in again.stderr
