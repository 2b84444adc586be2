"""The file of JSON lines: whole lines, each change once, whatever happens to the file, the crawl or the disk."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from newsextract.errors import StorageError
from newsextract.limits import ARTICLES_AT_A_TIME
from newsextract.store import JsonLines, Store
from tests.conftest import on_both_databases
from tests.store.samples import outcome

A, B, C = (f"https://example.org/{name}" for name in "abc")


@pytest.fixture
def path(tmp_path) -> Path:
    return tmp_path / "articles.jsonl"


def lines(path: Path) -> list[tuple[int, str]]:
    """Change and text of every line; fails on a torn one."""
    content = path.read_bytes()
    assert content == b"" or content.endswith(b"\n")
    return [(value["change"], value["article_body"]) for value in map(json.loads, content.splitlines())]


@on_both_databases
def test_jsonl_has_a_line_per_change_with_the_article_as_of_then(store, path):
    file = JsonLines(store, path)
    store.commit([outcome(A, "one"), outcome(B, "two")])
    store.commit([outcome(A, "three")])
    assert file.write() == 3
    assert lines(path) == [(1, "one"), (2, "two"), (3, "three")]
    kinds = [json.loads(line)["change_kind"] for line in path.read_text("utf-8").splitlines()]
    assert kinds == ["new", "new", "changed"]
    store.commit([outcome(f"{A}/{number}", str(number)) for number in range(ARTICLES_AT_A_TIME * 2 + 1)])
    assert [JsonLines(store, path).write() for _ in range(2)] == [ARTICLES_AT_A_TIME * 2 + 1, 0]
    assert lines(path)[3:] == [(number + 4, str(number)) for number in range(ARTICLES_AT_A_TIME * 2 + 1)]


@pytest.mark.parametrize(
    "tail", [b'{"url": "https://exam', b'{"whole": "but not acknowledged", "change": 9}\n', b"\xff\xfe"]
)
def test_jsonl_truncates_what_a_killed_writer_left_behind_the_offset(store, path, tail):
    store.commit([outcome(A, "one")])
    JsonLines(store, path).write()
    with path.open("ab") as file:
        file.write(tail)
    store.commit([outcome(B, "two")])
    assert JsonLines(store, path).write() == 1
    assert lines(path) == [(1, "one"), (2, "two")]


@pytest.mark.parametrize("ruin", ["missing", "shorter", "other", "empty"])
def test_jsonl_file_that_does_not_match_its_row_is_written_again(store, path, ruin, caplog):
    store.commit([outcome(A, "one"), outcome(B, "two")])
    JsonLines(store, path).write()
    content = path.read_bytes()
    path.unlink()
    if ruin != "missing":
        path.write_bytes({"shorter": content[:-5], "other": b"x" * len(content) + b"\n", "empty": b""}[ruin])
    store.commit([outcome(C, "three")])
    assert JsonLines(store, path).write() == 3
    assert lines(path) == [(1, "one"), (2, "two"), (3, "three")]
    assert len([record for record in caplog.records if record.levelname == "WARNING"]) == 1


@pytest.mark.parametrize("torn", [b'{"change": 8, "article_bo', b"x" * 300_000])
def test_jsonl_keeps_complete_lines_of_an_earlier_file(store, path, torn):
    path.write_bytes(b'{"change": 7, "article_body": "old"}\n' + torn)
    for _ in range(2):
        assert JsonLines(store, path).write() == 0
        assert lines(path) == [(7, "old")]
    store.commit([outcome(A, "one")])
    assert JsonLines(store, path).write() == 1
    assert lines(path) == [(7, "old"), (1, "one")]


def test_jsonl_files_of_one_database_each_get_every_change(store, path, monkeypatch):
    monkeypatch.chdir(path.parent)
    store.commit([outcome(A, "one")])
    for name in ("first.jsonl", path.with_name("second.jsonl")):
        assert JsonLines(store, name).write() == 1
    assert JsonLines(store, path.with_name("first.jsonl")).write() == 0, "a relative path is the same file"
    store.commit([outcome(B, "two")])
    assert JsonLines(store, "second.jsonl").write() == 1
    assert [len(lines(path.with_name(name))) for name in ("first.jsonl", "second.jsonl")] == [1, 2]


def test_jsonl_of_a_moved_folder_goes_on(store, path):
    store.commit([outcome(A, "one"), outcome(B, "two")])
    JsonLines(store, path).write()
    moved = path.parent / "elsewhere" / path.name
    moved.parent.mkdir()
    path.rename(moved)
    store.commit([outcome(C, "three")])
    assert [JsonLines(store, moved).write() for _ in range(2)] == [1, 0]
    assert lines(moved) == [(1, "one"), (2, "two"), (3, "three")]


def test_jsonl_of_two_databases_keeps_the_lines_of_both(store, path, tmp_path):
    with Store.open(f"sqlite:///{tmp_path}/other.db") as other:
        for number in range(3):
            for each, site in ((store, "one.example"), (other, "two.example")):
                each.commit([outcome(f"https://{site}/{number}", f"{site} {number}")])
                assert JsonLines(each, path).write() == 1
        unacknowledged = lines(path)
        store.commit([outcome(A, "late")])
        [row] = store.changes(3, 1)
        path.write_bytes(path.read_bytes() + f"{row.to_json()}\n".encode() + b'{"url": "torn')
        assert [JsonLines(each, path).write() for each in (other, store, other)] == [0, 0, 0]
    expected = [(n + 1, f"{site} {n}") for n in range(3) for site in ("one.example", "two.example")]
    assert unacknowledged == expected and lines(path) == [*expected, (4, "late")]


def test_jsonl_reports_another_process_that_locks_the_file(store, path, monkeypatch):
    code = "import sys, filelock\nwith filelock.FileLock(sys.argv[1]): print('held', flush=True); sys.stdin.read()"
    lock = str(path.with_name(".articles.jsonl.lock"))
    holder = subprocess.Popen([sys.executable, "-c", code, lock], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with holder:
        assert holder.stdout is not None and holder.stdout.readline() == b"held\n"
        monkeypatch.setattr("newsextract.store.jsonl.LOCK_TIMEOUT", 0.1)
        with pytest.raises(StorageError, match=r"articles\.jsonl: another process"):
            JsonLines(store, path)
        holder.kill()
    monkeypatch.undo()
    assert JsonLines(store, path).write() == 0


@pytest.mark.parametrize("name", ["no/folder/articles.jsonl", "."])
def test_jsonl_reports_a_path_that_cannot_be_written_at_once(store, tmp_path, name):
    with pytest.raises(StorageError) as caught:
        JsonLines(store, tmp_path / name)
    assert str(tmp_path) in str(caught.value) and "\n" not in str(caught.value)
