"""Opening a database: one that cannot be used gives one sentence that names it; nothing is created or changed."""

import os
import socket
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import event, text

from newsextract.errors import DatabaseError, NewsextractError, WrongSetting
from newsextract.store import Store, engine
from newsextract.store.frontier import find_url
from newsextract.store.lookup import count_articles
from tests.conftest import on_both_databases
from tests.examples import examples
from tests.sources import CHECKOUT
from tests.store.samples import outcome

STORY = "https://example.org/story"


def refusal(url: str, **options: object) -> str:
    """The one sentence that opening this database gives."""
    with pytest.raises(DatabaseError) as caught:
        Store.open(url, **options).close()
    sentence = str(caught.value)
    assert "\n" not in sentence and "sqlalche.me" not in sentence and "Traceback" not in sentence
    return sentence


@pytest.mark.parametrize(("url", "hint"), examples(__file__, "urls"))
def test_open_refuses_an_unsupported_url_with_a_hint(url, hint):
    with pytest.raises(WrongSetting) as caught:
        Store.open(url)
    assert hint in str(caught.value) and "secret" not in str(caught.value) and "\n" not in str(caught.value)


def test_open_takes_any_path_of_a_file_for_an_sqlite_database_with_wal_and_full_synchronous(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with Store.open("my news.db") as store:
        assert store.name == str(tmp_path / "my news.db")
    Store.open(f"sqlite:///{tmp_path}/my news.db", must_exist=True).close()
    with Store.open(f"sqlite:///{tmp_path}/für 100%25 & #1%3F.db") as store, store.database.reading() as connection:
        store.commit([outcome(STORY)])
        pragmas = [connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in ("journal_mode", "synchronous")]
    assert pragmas == ["wal", 2]
    assert {file.suffix for file in tmp_path.iterdir()} == {".db"}


def test_open_reports_a_missing_file_or_folder_and_a_folder_in_place_of_a_file_and_creates_nothing(tmp_path):
    for options in ({"must_exist": True}, {"read_only": True}):
        assert str(tmp_path / "no.db") in refusal(f"sqlite:///{tmp_path}/no.db", **options)
    assert "folder" in refusal(f"sqlite:///{tmp_path}/no/news.db")
    assert str(tmp_path) in refusal(f"sqlite:///{tmp_path}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [b"<html>no database</html>" * 100, b"SQLite format 3\0" + b"\xff" * 4000])
def test_open_reports_a_file_that_is_no_database_and_leaves_it_alone(tmp_path, content):
    file = tmp_path / "page.html"
    file.write_bytes(content)
    refusal(f"sqlite:///{file}")
    assert file.read_bytes() == content


def test_open_makes_an_empty_file_a_database_but_not_for_a_reader(tmp_path):
    file = tmp_path / "news.db"
    file.touch()
    assert "no newsextract tables" in refusal(f"sqlite:///{file}", must_exist=True, read_only=True)
    assert file.stat().st_size == 0
    Store.open(f"sqlite:///{file}").close()


def test_open_refuses_another_programs_sqlite_file(tmp_path):
    file = tmp_path / "other.db"
    with closing(sqlite3.connect(file)) as other:
        other.execute("CREATE TABLE bookmarks (url TEXT)")
    before = file.read_bytes()
    assert "bookmarks" in refusal(f"sqlite:///{file}")
    assert file.read_bytes() == before
    assert list(tmp_path.iterdir()) == [file]


def test_open_leaves_a_postgresql_database_without_tables_of_ours_alone(postgresql_url):
    for options in ({"must_exist": True}, {"read_only": True}):
        assert "no newsextract tables" in refusal(postgresql_url, **options)
    with psycopg.connect(postgresql_url) as other:
        other.execute("CREATE TABLE bookmarks (url TEXT)")
    assert "bookmarks" in refusal(postgresql_url)
    with psycopg.connect(postgresql_url) as other:
        assert other.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone() == (1,)


@on_both_databases
def test_open_read_only_refuses_to_write(database_url, store):
    store.commit([outcome(STORY)])
    with Store.open(database_url, must_exist=True, read_only=True) as reader:
        assert reader.read(count_articles) == 1
        with pytest.raises(DatabaseError, match="read-only"):
            reader.commit([outcome("https://example.org/other")])
    assert store.read(count_articles) == 1


def test_writing_waits_for_other_threads_of_the_process_longer_than_for_other_programs(tmp_path, monkeypatch):
    url = f"sqlite:///{tmp_path}/news.db"
    monkeypatch.setattr(engine, "LOCK_TIMEOUT", 0.2)
    with Store.open(url) as store, Store.open(url) as other, ThreadPoolExecutor(1) as pool:
        with other.database.writing():
            committed = pool.submit(store.commit, [outcome(STORY)])
            with pytest.raises(TimeoutError):  # five times as long as another program would be waited for
                committed.result(1)
        assert committed.result(300)[0].kind == "new"


def test_commit_reports_a_lock_that_does_not_end_on_postgresql(postgresql_url, monkeypatch):
    monkeypatch.setattr(engine, "LOCK_TIMEOUT", 0.2)
    with Store.open(postgresql_url) as store, psycopg.connect(postgresql_url) as other:
        other.execute("LOCK TABLE articles")
        with pytest.raises(DatabaseError, match="another program has locked it"):
            store.commit([outcome(STORY)])
        other.rollback()
        assert store.commit([outcome(STORY)])[0].kind == "new"


def test_commit_reports_a_full_database_and_keeps_its_rows(store):
    limit = {"pages": 0}

    @event.listens_for(store.database.engine, "begin")
    def cap(connection) -> None:
        if limit["pages"]:
            connection.exec_driver_sql(f"PRAGMA max_page_count={limit['pages']}")

    store.commit([outcome(STORY)])
    with store.database.reading() as connection:
        limit["pages"] = connection.exec_driver_sql("PRAGMA page_count").scalar() + 1
    with pytest.raises(DatabaseError, match="full"):
        store.commit([outcome("https://example.org/big", "word " * 50_000)])
    limit["pages"] = 100_000
    assert store.read(count_articles) == 1 and store.read(find_url, "https://example.org/big") is None
    assert store.commit([outcome("https://example.org/big", "word " * 50_000)])[0].change == 2


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that any user may enter."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def as_nobody(code: str, folder: Path) -> str:
    """Runs Python as a user without rights on `folder`; root has all rights, so root becomes someone else first."""
    drop = "import os\nfrom newsextract.store import Store\nfrom newsextract.errors import DatabaseError\n"
    drop += "import sqlalchemy.dialects.sqlite\n"
    if os.geteuid() == 0:
        drop += "os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"
    command, environment = [sys.executable, "-c", drop + code], {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    folder.chmod(0o555)
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment)
    finally:
        folder.chmod(0o755)
    assert done.returncode == 0, done.stderr
    return done.stdout


READ_AND_TRY_TO_WRITE = """
print(Store.open("sqlite:///news.db", read_only=True).cursor())
for name in ("news", "new"):
    try:
        Store.open(f"sqlite:///{name}.db").frontier("site", {})
    except DatabaseError as error:
        print(error)
"""


def test_read_only_disk_can_be_read_and_writing_is_refused_in_a_sentence(open_folder):
    with Store.open(f"sqlite:///{open_folder}/news.db") as store:
        store.commit([outcome(STORY)])
    (open_folder / "news.db").chmod(0o444)
    cursor, written, created = as_nobody(READ_AND_TRY_TO_WRITE, open_folder).splitlines()
    assert cursor == "1"
    assert written.startswith(f"{open_folder}/news.db: ") and created.startswith(f"{open_folder}/new.db: ")
    assert "folder" in created


def test_open_reports_a_server_that_does_not_have_it_without_the_password(postgresql_url):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
        sentence = refusal(f"postgresql://crawler:secret@{address}/news")
    assert address in sentence and "no server answers" in sentence and "secret" not in sentence
    absent = postgresql_url.replace(psycopg.conninfo.conninfo_to_dict(postgresql_url)["dbname"], "absent")
    sentence = refusal(f"{absent}&password=secret")
    assert "does not exist" in sentence and "secret" not in sentence


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_commit_reports_a_cut_connection_and_the_next_one_works(database_url, store):
    store.commit([outcome(STORY)])
    cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> "
    with pytest.raises(NewsextractError, match=r"connection|closed"), store.database.writing() as connection:
        connection.execute(text("SELECT 1"))
        with psycopg.connect(database_url) as other:
            other.execute(cut + "pg_backend_pid()")
        connection.execute(text("SELECT 1"))
    assert store.commit([outcome("https://example.org/next")])[0].kind == "new"


def test_open_without_psycopg_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    assert "pip install 'newsextract[postgres]'" in refusal("postgresql://localhost/news")


@on_both_databases
def test_open_of_a_new_database_by_many_at_once_succeeds(database_url):
    def work(number: int) -> str:
        with Store.open(database_url) as store:
            return store.commit([outcome(f"https://example.org/{number}")])[0].kind

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(8))) == ["new"] * 8
    with Store.open(database_url) as store:
        assert store.read(count_articles) == 8
