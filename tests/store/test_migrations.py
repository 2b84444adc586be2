"""Migrations: they make the tables of the schema, from those of every earlier revision; the diagram of the tables."""

import subprocess
import sys
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import MetaData, insert, update

from newsextract.errors import DatabaseError
from newsextract.items import Article, FetchedPage
from newsextract.page_codec import encode_page
from newsextract.store import Store, UrlState, schema
from newsextract.store.admin import check_integrity
from newsextract.store.articles import as_document, key_hash
from newsextract.store.engine import Database, parse_database_url
from newsextract.store.frontier import find_url, urls_of_run
from newsextract.store.migrations import FIRST, MIGRATIONS, TYPES, VERSIONS
from newsextract.store.schema import fingerprint
from newsextract.store.site_pages import find_candidate, load_peers, pending_pages
from newsextract.urls import content_hash
from tests.sources import CHECKOUT
from tests.store.samples import NOON, count_url_states, outcome

ON_BOTH_DATABASES = True

STORY = "https://example.org/story"
NEXT = "https://example.org/next"
#: A row for each table that the first schema has too, with its columns.
SAMPLES = {
    "articles": {
        "id": 1, "key_hash": key_hash("example.org/story"), "key": "example.org/story", "url": STORY,
        "site": "example.org", "headline": "Pier", "content_hash": "c", "version": 1, "change": 1, "change_kind": "new",
        "first_seen_at": NOON, "last_seen_at": NOON,
    },
    "article_versions": {
        "article": 1, "version": 1, "content_hash": "c",
        "document": as_document(Article(STORY, headline="Pier", article_body="Text", version=1)),
    },
    "changes": {"change": 1, "article": 1, "version": 1, "kind": "new", "at": NOON},
    "sites": {"site": "example.org", "first_seen": NOON},
    "urls": {
        "fingerprint": fingerprint(NEXT), "url": NEXT, "site": "example.org", "state": "queued", "reason": "",
        "first_seen": NOON,
    },
}  # fmt: skip
#: What each database calls the types of `version_1_0.sql`.
DIALECTS = {
    "sqlite": {"SERIAL": "INTEGER", "NUMBER": "INTEGER"},
    "postgresql": {
        "SERIAL": "BIGSERIAL", "NUMBER": "BIGINT", "DATETIME": "TIMESTAMP WITH TIME ZONE", "BLOB": "BYTEA",
        " WITHOUT ROWID": "",
    },
}  # fmt: skip


@contextmanager
def database_of_version_1_0(url):
    """A writing transaction on a database with the tables of version 1.0.0, and these tables."""
    script = Path(__file__).with_name("version_1_0.sql").read_text()
    with closing(Database(parse_database_url(url), create=True, read_only=False)) as database:
        for ours, theirs in DIALECTS[database.engine.dialect.name].items():
            script = script.replace(ours, theirs)
        with database.writing() as connection:
            for statement in script.split(";\n")[:-1]:
                connection.exec_driver_sql(statement)
            tables = MetaData()
            tables.reflect(connection)
            yield connection, tables.tables


def differences(store):
    """How the tables of a database differ from the schema."""
    with store.database.reading() as connection:
        options = {"version_table": VERSIONS.name, "compare_type": True, "compare_server_default": True}
        return compare_metadata(MigrationContext.configure(connection, opts=options), schema.metadata)


def test_a_new_database_has_the_tables_of_the_schema(store):
    assert differences(store) == []


def test_migrations_upgrade_version_1_0_with_its_rows(database_url):
    with database_of_version_1_0(database_url) as (connection, tables):
        for name, row in SAMPLES.items():
            connection.execute(insert(tables[name]).values(row))
        connection.execute(update(tables["change_counter"]).values(last=1))
    with pytest.raises(DatabaseError, match="older schema 0003; run newsextract db upgrade"):
        Store.open(database_url, read_only=True)
    with Store.open(database_url, must_exist=True) as store:
        assert store.schema_before == FIRST
        assert differences(store) == []
        assert store.read(check_integrity) == []
        assert [row.article.headline for row in store.articles()] == ["Pier"]
        assert store.read(find_url, "https://example.org/next").state == UrlState.queued
        frontier = store.frontier("site", {})
        frontier.start("site", ["example.org"], [], lambda url, depth, kind, date: True)
        assert [row.url for row in frontier.lease(9).leased] == ["https://example.org/next"]


def test_what_was_removed_before_texts_were_kept_stays_away(database_url):
    page = outcome(STORY)
    with Store.open(database_url) as store, store.database.writing() as connection:
        for table in ("removed_texts", "removed_bands", "removals"):
            connection.exec_driver_sql(f"DROP TABLE {table}")
        types = {name: kind.compile(dialect=connection.dialect) for name, kind in TYPES.items()}
        for statement in MIGRATIONS["0016"]:
            connection.exec_driver_sql(statement.format(**types))
        tables = MetaData()
        tables.reflect(connection, only=["removals"])
        key = content_hash(page.article.headline, page.article.article_body)
        of_url = {"key_hash": key_hash("example.org/story"), "url": STORY, "site": "example.org"}
        values = {**of_url, "content_hash": key, "change": 1, "at": NOON}
        connection.execute(insert(tables.tables["removals"]).values(values))
        connection.execute(update(VERSIONS).values(version_num="0022"))
    with Store.open(database_url) as store:
        assert differences(store) == []
        store.commit([page, outcome(NEXT, page.article.article_body), outcome("https://example.org/other")])
        assert [row.article.url for row in store.articles()] == ["https://example.org/other"]


@pytest.mark.parametrize(("number", "age"), [("0002", "an older"), ("9999", "a newer")])
def test_a_schema_without_a_way_to_ours_is_refused_by_its_age(database_url, number, age):
    with Store.open(database_url) as store, store.database.writing() as connection:
        connection.execute(update(VERSIONS).values(version_num=number))
    for read_only in (False, True):
        with pytest.raises(DatabaseError, match=f"schema {number} of {age} newsextract"):
            Store.open(database_url, read_only=read_only)


def test_pages_that_a_crawl_of_version_1_0_held_become_candidates(database_url):
    document, body = encode_page(FetchedPage(NEXT, b"<p>the page", NOON))
    peer = {"site": "example.org", "pattern": "", "page": document, "body": body, "fetched_at": NOON}
    url = {**SAMPLES["urls"], "state": "held", "lease_owner": "elsewhere|1|1|a", "lease_until": NOON}
    lost = {**url, "fingerprint": fingerprint(STORY), "url": STORY, "callback": "parse_home"}
    reference = {**peer, "url": "https://example.org/reference", "held": False}
    with database_of_version_1_0(database_url) as (connection, tables):
        connection.execute(insert(tables["urls"]), [{**url, "callback": "parse_page"}, lost])
        connection.execute(insert(tables["sites"]).values(SAMPLES["sites"]))
        connection.execute(insert(tables["peers"]), [{**peer, "url": NEXT, "held": True}, reference])
    with Store.open(database_url, must_exist=True) as store:
        candidate = store.read(find_candidate, NEXT)
        assert candidate is not None and candidate.article is None and candidate.page.body == b"<p>the page"
        assert [*store.read(pending_pages, "example.org")] == [NEXT]
        assert store.read(count_url_states) == {UrlState.pending: 1, UrlState.queued: 1}
        assert {row.url: row.kind for row in store.read(urls_of_run, None)} == {NEXT: "page", STORY: "home"}
        assert len(store.read(load_peers, "example.org")) == 1
        assert store.read(check_integrity) == []


def test_diagram_of_the_tables_is_that_of_the_schema():
    command = [sys.executable, CHECKOUT / "scripts" / "table_diagram.py"]
    diagram = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "urls {" in diagram and "articles |o--o{ changes : article" in diagram
    page = (CHECKOUT / "docs" / "ARCHITECTURE.md").read_text("utf-8")
    assert diagram in page, "python scripts/table_diagram.py --write"
