"""`newsextract export`: lines, cursors, cursor files, readers that stop early."""

import json
import subprocess
import sys

import pytest

from newsextract.store import Store
from tests.crawling import environment
from tests.export.conftest import article


@pytest.fixture
def database(sqlite_url):
    with Store.open(sqlite_url) as store:
        store.commit([article("bridge", "The bridge is closed for the winter.")])
        store.commit([article("桥", "大桥今天关闭。\u2028第二段\x85")])
    return sqlite_url


def lines(result):
    assert result.returncode == 0, result.stderr
    return [json.loads(line) for line in result.stdout.split("\n") if line]


def test_export_prints_one_line_per_article_and_the_cursor_on_stderr(command, database):
    result = command("export", "--database", database)
    rows = lines(result)
    assert [row["headline"] for row in rows] == ["bridge", "桥"]
    assert rows[1]["article_body"] == "大桥今天关闭。\u2028第二段\x85"
    assert {row["change_kind"] for row in rows} == {"new"}
    assert rows[0]["fetched_at"] == "2026-03-09T08:00:00+00:00"
    assert len(result.stdout.splitlines()) == 2
    assert result.stderr.splitlines()[-1] == f"cursor: {rows[-1]['change']}"


def test_export_since_cursor_prints_only_changes(command, database):
    cursor = command("export", "--database", database).stderr.strip()
    for number in (cursor, cursor.removeprefix("cursor: ")):
        assert lines(command("export", "--database", database, "--since", number)) == []
    with Store.open(database) as store:
        store.commit([article("bridge", "The bridge is open again, earlier than planned.")])
    [row] = lines(command("export", "--database", database, "--since", cursor))
    assert (row["headline"], row["change_kind"], row["version"]) == ("bridge", "changed", 2)
    assert [r["headline"] for r in lines(command("export", "--database", database))] == ["桥", "bridge"]


def test_export_cursor_file_continues_where_the_last_call_ended(command, tmp_path, sqlite_url):
    with Store.open(sqlite_url) as store:
        store.commit([article("one", "The first of three articles.")])
    cursor = tmp_path / "read so far.txt"
    call = ["export", "--database", sqlite_url, "--cursor-file", cursor]
    assert len(lines(command(*call))) == 1
    assert len(lines(command(*call))) == 0
    with Store.open(sqlite_url) as store:
        store.commit([article("two", "The second of three articles.")])
    assert [row["headline"] for row in lines(command(*call))] == ["two"]
    assert f"cursor: {cursor.read_text()}" == command(*call).stderr
    assert {path.name for path in tmp_path.iterdir() if "read" in path.name} == {cursor.name}


def test_export_says_which_sites_are_unknown_and_takes_a_site_by_its_url(command, sqlite_url):
    with Store.open(sqlite_url) as store:
        store.commit([article("one", "The first of three articles.")])
    call = ["export", "--database", sqlite_url, "--site"]
    for name in ("news.example", "www.news.example", "https://news.example/"):
        assert len(lines(command(*call, name))) == 1
    result = command(*call, "nwes.example")
    assert lines(result) == []
    assert "has no article of nwes.example; it has news.example" in result.stderr
    assert result.stderr.splitlines()[-1] == "cursor: 1"


def test_export_is_utf_8_in_any_locale_and_keeps_the_cursor_if_its_reader_stops(tmp_path, sqlite_url):
    with Store.open(sqlite_url) as store:
        for number in range(40):
            store.commit([article(f"桥-{number}", f"第{number}座大桥今天关闭。" + "It is a long one. " * 500)])
    cursor = tmp_path / "cursor"
    command = [sys.executable, "-P", "-m", "newsextract", "export", "--database", sqlite_url, "--cursor-file", cursor]
    variables = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii", "PYTHONCOERCECLOCALE": "0"}
    with subprocess.Popen(
        command, env=environment(**variables), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        process.stdout.close()
        assert process.stderr is not None
        messages = process.stderr.read()
        assert process.wait(300) == 1
    assert "第0座大桥今天关闭。" in line.decode("utf-8")
    assert messages == b""
    assert not cursor.exists()


@pytest.mark.parametrize("content", ["", "twelve", "-3", "1 2", "٣"])
def test_export_refuses_a_damaged_cursor_file_and_leaves_it_unchanged(command, tmp_path, sqlite_url, content):
    with Store.open(sqlite_url):
        cursor = tmp_path / "cursor"
    cursor.write_text(content)
    result = command("export", "--database", sqlite_url, "--cursor-file", cursor)
    assert result.returncode == 2 and str(cursor) in result.stderr
    assert cursor.read_text() == content
