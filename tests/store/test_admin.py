"""Copies of a database, all or nothing, integrity, sizes, and `prune`."""

from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select, update

from newsextract.errors import DatabaseError
from newsextract.health.alerts import Problem, note_problems
from newsextract.health.run_end import finish_run
from newsextract.items import FetchedPage
from newsextract.store import JsonLines, PageOutcome, QueuedLink, Store, UrlState
from newsextract.store.admin import (
    check_integrity,
    copy_store,
    database_size,
    prune,
    remove_articles,
    shrink_file,
    table_sizes,
)
from newsextract.store.corrections import Correction, correct
from newsextract.store.frontier import find_url
from newsextract.store.lookup import find_versions
from newsextract.store.names import take_name_out
from newsextract.store.outcome import Candidate, SitePage
from newsextract.store.renames import unite
from newsextract.store.schema import histories, metadata, peers, urls
from newsextract.store.site_pages import save_peers
from newsextract.stories.update import update_stories
from tests.conftest import on_both_databases
from tests.store.samples import NOON, later, outcome, signed, text

HOME = "https://example.org/"


def filled(store: Store, folder: Path) -> None:
    """A row in every table, with values that only one of the databases stores unchanged."""
    frontier = store.frontier("site", {"url": HOME}, None)
    frontier.add([QueuedLink(f"{HOME}{name}") for name in ("waits", "leased", "pending")])
    frontier.lease(9)
    hostile = "A body.\nWith a NUL \0 and half of \ud83d a pair."
    story = outcome(f"{HOME}story", hostile, links=[QueuedLink(f"{HOME}next")])
    story.run = frontier.run
    page = FetchedPage(f"{HOME}pending", b"<p>\xff\0", NOON)
    story.site_page = SitePage(NOON, b"summary\0", b"\1decision")
    store.commit([story, PageOutcome(page.url, UrlState.pending, run=frontier.run, candidate=Candidate(page))])
    store.commit([outcome(f"{HOME}story", "Another body.", at=later(3)), signed(outcome(f"{HOME}other"))])
    store.commit([signed(outcome(f"{HOME}renamed", text(3)))])
    store.write(unite, [(2, 3)], NOON, None)
    store.commit([outcome(f"{HOME}removed")])
    store.write(remove_articles, f"{HOME}removed")
    store.write(take_name_out, "Ada Lund")
    store.write(save_peers, [("/*", page)])
    store.write(note_problems, [Problem("example.org", "blocked", "no page came")], None, ["blocked"])
    store.write(correct, [Correction(f"{HOME}story", {"headline": "By hand"}, "misread", "Ada")])
    JsonLines(store, folder / "articles.jsonl").write()
    update_stories(store, "x", folder / "index.db")


def rows(store: Store) -> dict[str, list[dict[str, object]]]:
    """Everything in the database but the leases and the ids of its histories, which each copy adds to."""
    by_table: dict[str, list[dict[str, object]]] = {}
    with store.database.reading() as connection:
        for table in (each for each in metadata.sorted_tables if each is not histories):
            read = connection.execute(select(table).order_by(*table.primary_key.columns)).mappings()
            by_table[table.name] = [{k: v for k, v in row.items() if not k.startswith("lease_")} for row in read]
    return by_table


def test_copy_to_postgresql_and_back_keeps_every_row_but_no_leases(store, sqlite_url, postgresql_url, tmp_path):
    filled(store, tmp_path)
    progress: dict[str, tuple[int, int]] = {}
    copy_store(sqlite_url, postgresql_url, lambda name, done, of: progress.update({name: (done, of)}))
    copy_store(postgresql_url, f"sqlite:///{tmp_path / 'back.db'}")
    expected = rows(store)
    assert all(expected.values()), "no table is empty"
    for row in expected["urls"]:
        row["state"] = UrlState.queued if row["state"] == UrlState.leased else row["state"]
    with Store.open(f"sqlite:///{tmp_path / 'back.db'}") as back, Store.open(postgresql_url) as there:
        assert rows(there) == rows(back) == expected
        assert (there.read(check_integrity), back.read(check_integrity)) == ([], [])
        for copy in (there, back):
            assert {size.table for size in copy.read(table_sizes) if size.rows and size.size} == metadata.tables.keys()
            (saved,) = copy.commit([outcome(f"{HOME}new", at=later(9))])
            assert saved.change == store.cursor() + 1
            copy.write(save_peers, [("/*", FetchedPage(f"{HOME}new", b"<p>", NOON))])
            assert copy.frontier("feeds", {}).run == 2
    assert progress["articles"] == (2, 2)


def test_copy_that_fails_leaves_the_target_empty(store, sqlite_url, postgresql_url, tmp_path):
    filled(store, tmp_path)
    with store.database.writing() as connection:  # SQLite takes it, PostgreSQL does not
        connection.execute(update(urls).values(kind="x" * 50))
    with pytest.raises(DatabaseError, match="too long"):
        copy_store(sqlite_url, postgresql_url)
    with Store.open(postgresql_url) as there:
        found = {name: found for name, found in rows(there).items() if found}
    assert found == {"change_counter": [{"id": 1, "last": 0}]}

    def stop(name: str, done: int, of: int) -> None:
        if name == peers.name:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        copy_store(sqlite_url, f"sqlite:///{tmp_path / 'copy.db'}", stop)
    assert sorted(path.name for path in tmp_path.glob("copy*")) == []


DAY = timedelta(days=1)


@pytest.fixture
def old_and_new(store) -> Store:
    """An article of three versions, one of a hundred days ago, pages of that day, and the same of another site."""
    for day in (0, 60, 99):
        now = NOON + day * DAY
        store.database.clock = lambda connection, now=now: now
        run = store.frontier("courier", {"url": HOME}).run
        ends = [outcome(f"{HOME}story", f"A text of day {day}, and some more words.", at=now)]
        ends += [PageOutcome(f"{HOME}section-{day}", UrlState.not_article, "section", at=now, run=run)]
        if day == 0:
            ends += [outcome(f"{HOME}old", at=now), outcome("https://other.example/old", at=now)]
            ends += [PageOutcome("https://other.example/page", UrlState.not_article, "short", at=now)]
            ends += [PageOutcome(f"{HOME}waits", UrlState.retried, "retried", at=now)]
        for end in ends:
            end.run = run
        store.commit(ends)
        store.write(finish_run, run, "finished", {})
    return store


@on_both_databases
def test_prune_deletes_old_versions_rows_and_runs_and_keeps_every_article(old_and_new):
    before = NOON + 70 * DAY
    prune_plan = prune(old_and_new.database, before, dry_run=True)
    counts = prune(old_and_new.database, before)
    assert counts == prune_plan == {"article_versions": 2, "changes": 2, "urls": 5, "runs": 1}
    assert [version.version for version in old_and_new.read(find_versions, f"{HOME}story")] == [3]
    kept = {f"{HOME}story", f"{HOME}old", "https://other.example/old"}
    assert {row.article.url for row in old_and_new.articles()} == kept
    assert old_and_new.read(find_url, f"{HOME}section-0") is None
    assert old_and_new.read(find_url, f"{HOME}section-99") is not None
    assert prune(old_and_new.database, before) == {}, "nothing is left to delete"
    assert old_and_new.read(check_integrity) == []


@on_both_databases
def test_prune_with_articles_deletes_those_not_seen_since_for_good(old_and_new):
    counts = prune(old_and_new.database, NOON + 70 * DAY, with_articles=True)
    assert counts["articles"] == 2
    assert [row.article.url for row in old_and_new.articles()] == [f"{HOME}story"]
    row = old_and_new.read(find_url, f"{HOME}old")
    assert row and (row.state, row.reason) == (UrlState.refused, "forgotten"), "it is not fetched again"
    assert old_and_new.read(check_integrity) == []


def test_shrink_gives_space_back_unless_another_program_writes(store, sqlite_url, monkeypatch):
    for n in range(20):
        store.commit([outcome(f"{HOME}{n}-{k}", at=NOON) for k in range(20)])
    size = store.read(database_size)
    assert prune(store.database, NOON + DAY, with_articles=True)["articles"] == 400
    monkeypatch.setattr("newsextract.store.engine.LOCK_TIMEOUT", 0.1)
    in_use = pytest.raises(DatabaseError, match="another program has locked it")
    with Store.open(sqlite_url) as other, store.database.writing(), in_use:
        other.read(shrink_file)
    store.read(shrink_file)
    assert store.read(database_size) < size
