"""Cursors belong to a database and its history: restored backups, copies, other databases, numbers alone."""

import json
import shutil
from contextlib import closing
from datetime import timedelta
from threading import Event

import psycopg
import pyarrow.parquet as pq
import pytest

from newsextract.errors import WrongCall
from newsextract.export import exporter
from newsextract.export.exporter import Exporter
from newsextract.export.formats import JsonLines
from newsextract.store import Selection, Store
from newsextract.store.admin import copy_store, prune, remove_articles
from newsextract.store.histories import Cursor, find_start, read_cursor
from tests.conftest import new_database, on_both_databases
from tests.export.conftest import article
from tests.store.samples import NOON, later, outcome, text


def commit(store, names, at=NOON):
    """Stores an article of each letter."""
    store.commit([outcome(f"https://news.example/{name}", text(name), at=at) for name in names])


def exported(file):
    """The letters of the articles in a file, in its order."""
    return "".join(json.loads(line)["url"][-1] for line in file.read_text().splitlines())


def restore(backup, target):
    """Puts a backup, or nothing, in the place of an SQLite file."""
    for ending in ("", "-wal", "-shm"):
        target.with_name(target.name + ending).unlink(missing_ok=True)
    if backup is not None:
        shutil.copy(backup, target)


@pytest.mark.parametrize("as_file", [False, True])
def test_after_a_restore_the_export_goes_on_after_the_last_common_change(command, sqlite_url, tmp_path, as_file):
    database, backup, file = (tmp_path / name for name in ("newsextract.db", "backup.db", "news.jsonl"))
    call = ["export", "--cursor-file", "cursor", "-o", "news.jsonl"]
    with Store.open(sqlite_url) as store:
        commit(store, "abcd")
        if as_file:
            store.close()  # the file is complete then
            shutil.copy(database, backup)
        else:
            copy_store(sqlite_url, f"sqlite:///{backup}")
        commit(store, "efgh", later(24))
    command(*call)
    restore(backup, database)
    with Store.open(sqlite_url) as store:
        commit(store, "ghijklm", later(48))  # more than were lost: the numbers alone would agree
    notice = command(*call).stderr
    assert "the last change that both have is 4" in notice and "cursor: 11" in notice
    assert exported(file) == "abcdefghghijklm"
    manifest = json.loads((tmp_path / "news.jsonl.manifest.json").read_text())
    assert manifest["rows"] == 15 and manifest["history"] and manifest["hashes"]["11"]
    assert command(*call).stderr.splitlines() == ["0 articles added to news.jsonl", "cursor: 11"]


@on_both_databases
def test_cursor_of_a_copy_and_of_its_source_are_valid_as_far_as_both_agree(store, database_url, tmp_path):
    commit(store, "abc")
    before = store.read(read_cursor)
    url = f"sqlite:///{tmp_path / 'copy.db'}"
    copy_store(database_url, url)
    commit(store, "d")
    with Store.open(url) as copy:
        assert copy.read(find_start, before, "copy").change == 3
        assert copy.read(read_cursor).history != before.history
        commit(copy, "xyz")
        start = copy.read(find_start, store.read(read_cursor), "copy")
        assert start.change == 3 and "restored backup, or a copy" in start.notice
        start = store.read(find_start, copy.read(read_cursor), "source")
        assert start.change == 2 and start.notice, "not the last, but the next that the cursor has a hash of"
    for plain, allowed in ((4, True), (5, False)):
        if allowed:
            assert store.read(find_start, Cursor(plain), "source").change == plain
        else:
            with pytest.raises(WrongCall, match="the cursor 5 belongs to another database"):
                store.read(find_start, Cursor(plain), "source")


def test_cursor_of_another_database_is_refused_and_its_files_stay(command, complaint, sqlite_url, tmp_path):
    with Store.open(f"sqlite:///{tmp_path / 'other.db'}") as other, Store.open(sqlite_url) as store:
        commit(other, "ab")
        commit(store, "cdef")
    command("export", "--database", "other.db", "--cursor-file", "cursor", "-o", "news.jsonl")
    kept = (tmp_path / "cursor").read_text(), (tmp_path / "news.jsonl").read_text()
    message = complaint(2, "export", "--cursor-file", "cursor", "-o", "news.jsonl")
    assert "the cursor 2 belongs to another database" in message
    assert kept == ((tmp_path / "cursor").read_text(), (tmp_path / "news.jsonl").read_text())


def test_cursor_stays_valid_when_changes_before_it_are_deleted(store):
    commit(store, "abcd")
    store.commit([article("a", text("new"))])
    cursor = store.read(read_cursor)
    store.write(remove_articles, "https://news.example/a")
    prune(store.database, NOON + timedelta(days=900), with_articles=False)
    assert store.read(find_start, cursor, "it").change == 5
    commit(store, "e")
    start = store.read(find_start, cursor, "it")
    assert (start.change, start.notice) == (5, "")


def test_parquet_folder_after_a_restore_has_each_article_once(export, sqlite_url, tmp_path):
    database, backup = tmp_path / "newsextract.db", tmp_path / "backup.db"
    call = ["--cursor-file", "cursor", "--format", "parquet", "-o", "corpus"]
    with Store.open(sqlite_url) as store:
        commit(store, "ab")
        export(*call)
        commit(store, "cd")
        copy_store(sqlite_url, f"sqlite:///{backup}")
        commit(store, "ef", later(1))
    export(*call)
    restore(backup, database)
    with Store.open(sqlite_url) as store:
        commit(store, "fgh", later(2))
    export(*call)
    urls = pq.ParquetDataset(tmp_path / "corpus").read(["url"])["url"].to_pylist()
    assert sorted(url[-1] for url in urls) == [*"abcdfgh"]


def test_follow_notices_a_restored_file(sqlite_url, tmp_path, monkeypatch):
    """Export by export: two changes, then the backup in the file's place, then other changes."""
    monkeypatch.setattr(exporter, "POLL_INTERVAL", 0.01)
    database, backup, stop, notices, seen = tmp_path / "newsextract.db", tmp_path / "backup.db", Event(), [], []
    with Store.open(sqlite_url) as first:
        commit(first, "a")
        copy_store(sqlite_url, f"sqlite:///{backup}")
        commit(first, "bc")

    def replace_file(cursor):
        seen.append(cursor.change)
        if len(seen) == 1:
            restore(backup, database)
            with Store.open(sqlite_url) as store:
                commit(store, "xy", later(5))
        else:
            stop.set()

    with (
        (tmp_path / "out.jsonl").open("wb") as file,
        closing(Store.open(sqlite_url, read_only=True)) as store,
    ):
        Exporter(store, Selection(), JsonLines(file), on_notice=notices.append).follow(Cursor(), replace_file, stop)
    assert exported(tmp_path / "out.jsonl") == "abcxy"
    assert seen == [3, 3] and len(notices) == 1


def test_restored_dump_of_postgresql_is_noticed_though_it_keeps_its_id(postgresql_server, postgresql_tables):
    with new_database(postgresql_server, postgresql_tables) as url:
        with Store.open(url) as store:
            commit(store, "ab")
        name = psycopg.conninfo.conninfo_to_dict(url)["dbname"]
        with new_database(postgresql_server, name) as restored:
            with Store.open(url) as store:
                commit(store, "cd")
                cursor = store.read(read_cursor)
            with Store.open(restored) as store:
                commit(store, "de", later(3))
                assert store.read(read_cursor).history == cursor.history
                start = store.read(find_start, cursor, "it")
                assert start.change == 2 and start.notice
