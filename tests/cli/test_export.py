"""`newsextract export`: what a corpus reader gets, and how it goes on."""

import json
import subprocess
import sys
from datetime import UTC, datetime

import pytest

from newsextract.items import Article
from newsextract.store import PageOutcome, Store, UrlState
from newsextract.urls import content_hash


def put(store, path, body):
    url = f"https://news.example/{path}"
    article = Article(url=url, site="news.example", headline=path, article_body=body, language="zh")
    article.content_hash = content_hash(path, body)
    when = datetime(2026, 3, 5, tzinfo=UTC)
    article.fetched_at = when
    store.commit([PageOutcome(url, UrlState.stored, article=article, at=when)])


@pytest.fixture
def database(database_url):
    with Store.open(database_url) as store:
        put(store, "bridge", "The bridge is closed for the winter.")
        put(store, "桥", "大桥今天关闭。\u2028第二段\x85")
    return database_url


def lines(result):
    assert result.returncode == 0, result.stderr
    return [json.loads(line) for line in result.stdout.split("\n") if line]


def test_each_article_is_a_line_and_the_last_line_of_stderr_is_the_cursor(command, database):
    result = command("export", "--database", database)
    rows = lines(result)
    assert [row["headline"] for row in rows] == ["bridge", "桥"]
    assert rows[1]["article_body"] == "大桥今天关闭。\u2028第二段\x85"
    assert {row["change_kind"] for row in rows} == {"new"}
    assert rows[0]["fetched_at"] == "2026-03-05T00:00:00+00:00"
    assert len(result.stdout.splitlines()) == 2
    assert result.stderr.splitlines()[-1] == str(rows[-1]["change"])


def test_since_a_cursor_only_what_changed_comes(command, database):
    cursor = command("export", "--database", database).stderr.strip()
    assert lines(command("export", "--database", database, "--since", cursor)) == []
    with Store.open(database) as store:
        put(store, "bridge", "The bridge is open again, earlier than planned.")
    [row] = lines(command("export", "--database", database, "--since", cursor))
    assert (row["headline"], row["change_kind"], row["version"]) == ("bridge", "changed", 2)
    assert [r["headline"] for r in lines(command("export", "--database", database))] == ["桥", "bridge"]


def test_a_cursor_file_carries_on_from_one_call_to_the_next(command, tmp_path, sqlite_url):
    with Store.open(sqlite_url) as store:
        put(store, "one", "The first of three articles.")
    place = tmp_path / "read so far.txt"
    call = ["export", "--database", sqlite_url, "--cursor-file", place]
    assert len(lines(command(*call))) == 1
    assert len(lines(command(*call))) == 0
    with Store.open(sqlite_url) as store:
        put(store, "two", "The second of three articles.")
    assert [row["headline"] for row in lines(command(*call))] == ["two"]
    assert place.read_text() == command(*call).stderr
    assert list(tmp_path.glob(".read*")) == []


def test_a_reader_that_stops_early_does_not_lose_its_place(tmp_path, sqlite_url, variables):
    with Store.open(sqlite_url) as store:
        for number in range(40):
            put(store, f"story-{number}", f"Article number {number}. " + "It is a long one. " * 500)
    place = tmp_path / "cursor"
    command = [sys.executable, "-P", "-m", "newsextract", "export", "--database", sqlite_url, "--cursor-file", place]
    with subprocess.Popen(command, env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr is not None
        said = process.stderr.read()
        assert process.wait(30) == 1
    assert said == ""
    assert not place.exists()


@pytest.mark.parametrize("content", ["", "twelve", "-3", "1 2", "٣"])
def test_a_damaged_cursor_file_is_refused_and_left_as_it_is(command, tmp_path, sqlite_url, content):
    with Store.open(sqlite_url):
        place = tmp_path / "cursor"
    place.write_text(content)
    result = command("export", "--database", sqlite_url, "--cursor-file", place)
    assert result.returncode == 2
    assert str(place) in result.stderr
    assert place.read_text() == content


def test_a_cursor_of_another_database_is_refused(command, database):
    result = command("export", "--database", database, "--since", 1000)
    assert result.returncode == 2
    assert "cursor 1000" in result.stderr


def test_a_missing_database_is_one_sentence_and_no_file_appears(newsextract, tmp_path):
    result = newsextract("export")
    assert (result.returncode, result.stdout) == (1, "")
    assert "newsextract.db" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_articles_are_utf_8_whatever_the_locale_says(tmp_path, sqlite_url, variables):
    with Store.open(sqlite_url) as store:
        put(store, "桥", "大桥今天关闭。")
    variables |= {
        "LC_ALL": "C",
        "PYTHONUTF8": "0",
        "PYTHONIOENCODING": "ascii",
        "PYTHONCOERCECLOCALE": "0",
    }
    command = [sys.executable, "-P", "-m", "newsextract", "export", "--database", sqlite_url]
    run = subprocess.run(command, capture_output=True, env=variables, cwd=tmp_path)
    assert "大桥今天关闭。" in run.stdout.decode("utf-8")
