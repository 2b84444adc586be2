"""Copy of a database, all or nothing; integrity check; table sizes."""

from pathlib import Path

import pytest
from sqlalchemy import select, update

from newsextract.errors import DatabaseError
from newsextract.items import FetchedPage
from newsextract.store import JsonLines, PageOutcome, QueuedLink, Store, UrlState
from newsextract.store.admin import check_integrity, copy_store, table_sizes
from newsextract.store.alerts import Problem, note_problems
from newsextract.store.outcome import Candidate, SitePage
from newsextract.store.schema import metadata, peers, urls
from newsextract.store.site_pages import save_peers
from tests.store.samples import NOON, later, outcome, signed

HOME = "https://example.org/"


def filled(store: Store, folder: Path) -> None:
    """Something in every table, with what only one of the databases takes as it is."""
    frontier = store.frontier("site", {"url": HOME}, None)
    frontier.add([QueuedLink(f"{HOME}{name}") for name in ("waits", "leased", "pending")])
    frontier.lease(9)
    story = outcome(
        f"{HOME}story", "A body.\nWith a NUL \0 and half of \ud83d a pair.", links=[QueuedLink(f"{HOME}next")]
    )
    story.run = frontier.run
    page = FetchedPage(f"{HOME}pending", b"<p>\xff\0", NOON)
    story.site_page = SitePage(NOON, b"summary\0", b"\1decision")
    store.commit([story, PageOutcome(page.url, UrlState.pending, run=frontier.run, candidate=Candidate(page))])
    store.commit([outcome(f"{HOME}story", "Another body.", at=later(3)), signed(outcome(f"{HOME}other"))])
    store.write(save_peers, [("/*", page)])
    store.write(note_problems, [Problem("example.org", "blocked", "no page came")], None, ["blocked"])
    JsonLines(store, folder / "articles.jsonl").write()


def rows(store: Store) -> dict[str, list[dict[str, object]]]:
    """Everything in the database but the leases."""
    by_table: dict[str, list[dict[str, object]]] = {}
    with store.database.reading() as connection:
        for table in metadata.sorted_tables:
            read = connection.execute(select(table).order_by(*table.primary_key.columns)).mappings()
            by_table[table.name] = [{k: v for k, v in row.items() if not k.startswith("lease_")} for row in read]
    return by_table


def test_copy_to_postgresql_and_back_keeps_every_row_but_no_leases(
    store: Store, sqlite_url: str, postgresql_url: str, tmp_path: Path
) -> None:
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


def test_copy_that_fails_leaves_the_target_empty(
    store: Store, sqlite_url: str, postgresql_url: str, tmp_path: Path
) -> None:
    filled(store, tmp_path)
    with store.database.writing() as connection:  # SQLite takes it, PostgreSQL does not
        connection.execute(update(urls).values(kind="x" * 50))
    with pytest.raises(DatabaseError, match="too long"):
        copy_store(sqlite_url, postgresql_url)
    with Store.open(postgresql_url) as there:
        assert {name: found for name, found in rows(there).items() if found} == {
            "change_counter": [{"id": 1, "last": 0}]
        }

    def stop(name: str, done: int, of: int) -> None:
        if name == peers.name:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        copy_store(sqlite_url, f"sqlite:///{tmp_path / 'copy.db'}", stop)
    assert sorted(path.name for path in tmp_path.glob("copy*")) == []
