"""`newsextract export`: selection, fields, formats, tokens and exports that continue from a cursor file."""

import csv
import gzip
import hashlib
import io
import json
import re
import subprocess
import sys
from collections import Counter
from datetime import datetime

import pyarrow.parquet as pq
import pytest
from fastwarc.warc import ArchiveIterator, WarcRecordType

from tests.conftest import on_both_databases
from tests.crawling import environment
from tests.examples import examples
from tests.export.conftest import ARTICLES, HAN, STORY, article, day
from tests.store.samples import later, outcome, text


def rows(stdout):
    return [json.loads(line) for line in stdout.split("\n") if line]


def test_export_prints_a_line_per_article_and_the_cursor_on_stderr(command, news):
    result = command("export", "--database", news)
    bodies = [outcome.article.article_body for outcome in ARTICLES]
    assert [row["article_body"] for row in rows(result.stdout)] == bodies
    assert (len(result.stdout.splitlines()), result.stderr) == (4, "cursor: 4\n")


def test_export_since_a_cursor_or_by_a_cursor_file_prints_only_changes(command, export, store, tmp_path):
    file = ["--cursor-file", tmp_path / "read so far.txt"]
    store.commit(ARTICLES[:2])
    assert len(rows(export(*file))) == 2
    for since in (["--after", "2"], ["--after", "cursor: 2"], file):
        assert export(*since) == ""
    store.commit([article("bell", "The bell is back, earlier than planned.")])
    for since in (["--after", "cursor: 2"], file):
        [row] = rows(export(*since))
        assert (row["headline"], row["change_kind"], row["version"]) == ("bell", "changed", 2)
    assert [row["headline"] for row in rows(export())] == ["桥", "bell"]
    assert command("export", *file).stderr == f"cursor: {file[1].read_text().splitlines()[0]}\n"
    assert [path.name for path in tmp_path.iterdir() if "read" in path.name] == [file[1].name]


@pytest.mark.parametrize("content", ["", "twelve", "-3", "1 2", "٣"])
def test_export_refuses_a_damaged_cursor_file_and_leaves_it_unchanged(complaint, news, tmp_path, content):
    cursor = tmp_path / "cursor"
    cursor.write_text(content)
    assert str(cursor) in complaint(2, "export", "--database", news, "--cursor-file", cursor)
    assert cursor.read_text() == content


#: Moments in several zones: the days of UTC, and those of Tokyo.
MOMENTS = {
    "tokyo": ("2026-03-06T01:00:00+09:00", "2026-03-05", "2026-03-06"),
    "boston": ("2026-03-04T23:30:00-05:00", "2026-03-05", "2026-03-05"),
    "sydney": ("2026-03-05T06:30:00+11:00", "2026-03-04", "2026-03-05"),
    "berlin": ("2026-03-05T20:00:00+01:00", "2026-03-05", "2026-03-06"),
}


@on_both_databases
@pytest.mark.parametrize("zone", ["", "Asia/Tokyo"])
def test_all_commands_agree_on_the_day_of_an_article(monkeypatch, command, database_url, store, tmp_path, zone):
    def run(*words):
        return rows(command(*words, "--database", database_url).stdout)

    days = {name: moment[1 + bool(zone)] for name, moment in MOMENTS.items()}
    times = {name: datetime.fromisoformat(moment[0]) for name, moment in MOMENTS.items()}
    store.commit([article(name, f"{text(name)} pier", date_published=when) for name, when in times.items()])
    monkeypatch.setenv("NEWSEXTRACT_TIMEZONE", zone)
    for each in ("2026-03-04", "2026-03-05", "2026-03-06"):
        here = sorted(name for name, its in days.items() if its == each)
        for words in (["search", "pier", "--format", "jsonl"], ["export"]):
            assert sorted(row["headline"] for row in run(*words, "--since", each, "--until", each)) == here
    counts = run("search", "pier", "--count-by", "day", "--format", "jsonl")
    assert {row["day"]: row["articles"] for row in counts} == Counter(days.values())
    folder = tmp_path / "parquet"
    run("export", "--until", "2026-03-07", "--format", "parquet", "-o", folder)
    files = {file: pq.ParquetFile(file).read(["headline"])["headline"].to_pylist() for file in folder.glob("*/*")}
    found = {name: file.parent.name for file, names in files.items() for name in names}
    assert found == {name: f"day={day}" for name, day in days.items()}


def test_a_wrong_time_zone_is_an_error(monkeypatch, complaint, news):
    monkeypatch.setenv("NEWSEXTRACT_TIMEZONE", "Asia/Kyiw")
    assert "'Asia/Kyiw', which isn't a time zone" in complaint(2, "export", "--database", news, "--since", "2026-03-05")


def test_export_says_what_is_unknown_and_takes_a_site_by_its_url(complaint, export, news, tmp_path):
    for name in ("news.example", "www.news.example", "https://news.example/"):
        assert len(rows(export("--database", news, "--site", name))) == 4
    said = complaint(2, "export", "--database", news, "--site", "nwes.example", "-o", "news.jsonl")
    assert "nwes.example is not in the database, which has news.example" in said
    said = complaint(2, "export", "--database", news, "--language", "english", "-o", "news.jsonl")
    assert "no article has the language 'english'; there are " in said
    assert not (tmp_path / "news.jsonl").exists()


def test_export_is_utf_8_in_any_locale_and_keeps_the_cursor_if_its_reader_stops(tmp_path, store):
    store.commit([article(f"桥-{n}", f"第{n}座大桥今天关闭。" + "It is a long one. " * 500) for n in range(40)])
    words = [sys.executable, "-P", "-m", "newsextract", "export", "--cursor-file", "cursor"]
    variables = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii", "PYTHONCOERCECLOCALE": "0"}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(words, cwd=tmp_path, env=environment(**variables), **pipes) as process:
        line = process.stdout.readline()
        process.stdout.close()
        assert (process.stderr.read(), process.wait(300)) == (b"", 1)
    assert "第0座大桥今天关闭。" in line.decode("utf-8")
    assert not (tmp_path / "cursor").exists()


@pytest.mark.parametrize(("words", "expected"), examples(__file__, "selections"), ids=lambda words: " ".join(words))
def test_export_selects_by_site_language_and_day_in_order_of_change(export, news, words, expected):
    assert [row["headline"] for row in rows(export("--database", news, *words))] == expected


def test_export_fields_are_printed_in_the_order_given(export, news):
    [row] = rows(export("--database", news, "--until", "2026-03-05", "--fields", "change, url,duplicate_of,url"))
    assert list(row.items()) == [("change", 1), ("url", "https://news.example/bell"), ("duplicate_of", None)]


def test_csv_has_one_row_per_article_whatever_its_text(export, news):
    read = list(csv.DictReader(io.StringIO(export("--database", news, "--format", "csv"), newline="")))
    assert [row["article_body"] for row in read] == [outcome.article.article_body for outcome in ARTICLES]
    assert json.loads(read[0]["authors"]) == ["Tom Reyes", "R. Ashdown"]
    assert (read[2]["date_published"], read[2]["is_truncated"]) == ("", "False")
    assert read[3]["duplicate_of"] == "https://news.example/bell"


@pytest.mark.parametrize("name", ["news.wet", "news.wet.gz"])
def test_wet_records_hold_headline_and_body(export, news, tmp_path, name):
    assert export("--database", news, "--format", "warc-wet", "-o", name) == ""
    with (tmp_path / name).open("rb") as file:
        read = ArchiveIterator(file, record_types=WarcRecordType.conversion, verify_digests=True)
        records = [(record.headers, record.reader.read().decode()) for record in read]
    assert [headers["WARC-Target-URI"] for headers, _ in records] == [outcome.url for outcome in ARTICLES]
    assert (records[0][1], records[0][0]["WARC-Date"]) == (f"bell\n{STORY}", "2026-03-09T08:00:00Z")


def test_export_file_is_written_atomically_and_gzipped_by_its_suffix(complaint, export, news, tmp_path):
    export("--database", news, "-o", "news.jsonl.gz")
    assert len(gzip.decompress((tmp_path / "news.jsonl.gz").read_bytes()).splitlines()) == 4
    (tmp_path / "folder").mkdir()
    for place in ("folder", "nowhere/news.jsonl"):
        assert "can't be written" in complaint(1, "export", "--database", news, "-o", place)
    names = ["folder", "news.jsonl.gz", "news.jsonl.gz.manifest.json"]
    assert sorted(path.name for path in tmp_path.iterdir()) == names


def test_wet_header_cannot_be_injected_by_a_url_with_line_breaks(export, store, tmp_path):
    store.commit([article("x\r\nWARC-Type: request\r\n\r\n", text(3))])
    export("--format", "warc-wet", "-o", "news.wet")
    with (tmp_path / "news.wet").open("rb") as file:
        assert [record.record_type for record in ArchiveIterator(file)] == [WarcRecordType.conversion]


@pytest.mark.parametrize(
    ("words", "message"),
    examples(__file__, "wrong_calls"),
    ids=lambda words: " ".join(words) if isinstance(words, list) else "",
)
def test_export_rejects_contradicting_options_before_writing(complaint, news, tmp_path, words, message):
    assert message in " ".join(complaint(2, "export", "--database", news, *words).replace("│", "").split())
    assert list(tmp_path.iterdir()) == []


def test_tokens_are_sentences_and_their_words_in_english_and_chinese(export, news):
    bell, bridge = rows(export("--database", news, "--tokens", "--until", "2026-03-06", "--no-duplicates"))
    ashore, kilograms = "The bell of the Saint Oda is ashore.", "Dr. Penhale said: “It's 310 kilograms.”"
    assert bell["sentences"][:4] == ["bell", ashore, kilograms, 'It rang = twice, "loudly".']
    words = ["dr penhale said it's 310 kilograms".split(), "it rang twice loudly".split()]
    assert bell["words"][2:4] == words
    assert bridge["sentences"][1] == "大桥今天关闭。"
    assert bridge["words"][1] == ["大桥", "今天", "关闭"]
    letters = "".join(letter for letter in f"桥{HAN}" if letter.isalnum())
    assert "".join(word for words in bridge["words"] for word in words) == letters


def test_tokens_follow_user_dictionary_and_leave_out_stop_words(export, news, tmp_path):
    (tmp_path / "own.txt").write_text("今天关闭 9999 v\n", encoding="utf-8")
    call = ["--database", news, "--no-duplicates", "--fields", "words", "--no-stop-words"]
    bell, bridge = rows(export(*call, "--until", "2026-03-06", "--dictionary", "own.txt"))
    assert bell["words"][1] == ["bell", "saint", "oda", "ashore"]
    assert bridge["words"][1] == ["大桥", "今天关闭"]


@pytest.mark.parametrize(("interval", "lines"), [(0.0, 4), (60.0, 0)])
def test_export_progress_is_printed_at_its_interval(command, news, monkeypatch, interval, lines):
    monkeypatch.setattr("newsextract.cli.export.PROGRESS_INTERVAL", interval)
    *progress, total, cursor = command("export", "--database", news, "-o", "news.jsonl").stderr.splitlines()
    assert total == "4 articles in news.jsonl"
    counts = [re.fullmatch(r"(\d) articles, [\d,]+ a second", line).group(1) for line in progress]
    assert (counts, cursor) == (["1", "2", "3", "4"][:lines], "cursor: 4")


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_parquet_export_since_cursor_adds_new_articles_and_repeats_none(export, database_url, store, tmp_path):
    import pyarrow.dataset

    def read_days():
        table = pyarrow.dataset.dataset(tmp_path / "corpus", partitioning="hive").to_table()
        return sorted(zip(table["headline"].to_pylist(), table["day"].to_pylist(), strict=True))

    call = ["--database", database_url, "--format", "parquet", "-o", "corpus"]
    store.commit(ARTICLES)
    export(*call, "--cursor-file", "cursor")
    first = read_days()
    store.commit([article("late", text(9), date_published=day(5))])
    assert first == [("bell", "2026-03-05"), ("copy", "2026-03-06"), ("undated", "2026-03-09"), ("桥", "2026-03-06")]
    cursor = (tmp_path / "cursor").read_text()
    export(*call, "--cursor-file", "cursor")
    expected = sorted([*first, ("late", "2026-03-05")])
    assert read_days() == expected
    (tmp_path / "cursor").write_text(cursor)  # as after a kill between the last part and the cursor
    export(*call, "--cursor-file", "cursor")
    assert read_days() == expected
    export(*call)
    assert read_days() == expected


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_export_of_topics_has_their_articles_and_a_column(export, store, tmp_path, form):
    (tmp_path / "topics.toml").write_text('[topics.ferry]\nquery = "ferr*"\n[topics.pier]\nquery = "pier"\n')
    bodies = {"a": "A ferry at the pier", "b": "A pier", "c": "A bus", "d": "Ferries"}
    words = "--topic ferry --topic pier --fields url,topics --cursor-file cursor --format".split()
    store.commit([outcome(f"https://example.org/{name}", body) for name, body in bodies.items()])
    export(*words, form, "-o", "out")
    path = tmp_path / "out"
    found = rows(path.read_text("utf-8")) if form == "jsonl" else pq.read_table(path).to_pylist()
    topics = {row["url"][-1]: row["topics"] for row in found}
    assert topics == {"a": ["ferry", "pier"], "b": ["pier"], "d": ["ferry"]}
    store.commit([outcome("https://example.org/c", "A bus to the ferry", at=later(5))])
    if form == "jsonl":
        assert rows(export(*words, form)) == [{"url": "https://example.org/c", "topics": ["ferry"]}]


def test_export_by_a_cursor_adds_to_its_file_unless_asked_to_replace_it(complaint, command, export, store, tmp_path):
    def read(path):
        if path.suffix == ".parquet":
            return pq.read_table(path)["headline"].to_pylist()
        content = path.read_bytes()
        text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode()
        return [row["headline"] for row in (csv.DictReader(io.StringIO(text)) if "csv" in path.name else rows(text))]

    names = ["news.jsonl", "news.jsonl.gz", "news.csv", "news.csv.gz", "news.parquet"]
    calls = {name: ["--cursor-file", f"{name}.cursor", "-o", name] for name in names}
    store.commit([article("bell", text(1))])
    for call in calls.values():
        export(*call)
    store.commit([article("late", text(9))])
    for name, call in calls.items():
        assert f"1 article added to {name}\n" in command("export", *call).stderr
        assert "0 articles added" in command("export", *call).stderr
        assert read(tmp_path / name) == ["bell", "late"], name
        manifest = json.loads((tmp_path / f"{name}.manifest.json").read_text())
        assert (manifest["since"], manifest["cursor"], manifest["rows"]) == (0, 2, 2)
        assert manifest["sha256"] == hashlib.sha256((tmp_path / name).read_bytes()).hexdigest()
        said = complaint(2, "export", "--after", "1", "-o", name)
        assert f"{name} exists" in said and "--replace" in said
    for name in ("news.csv", "news.parquet"):
        assert "has other columns" in complaint(2, "export", *calls[name], "--fields", "url")
        assert read(tmp_path / name) == ["bell", "late"]
    (tmp_path / "news.jsonl.cursor").unlink()
    assert "there is no cursor in news.jsonl.cursor" in complaint(2, "export", *calls["news.jsonl"])
    export(*calls["news.jsonl"], "--replace")
    assert read(tmp_path / "news.jsonl") == ["bell", "late"]


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "＝"])
def test_csv_has_no_formulas_unless_raw(export, store, start):
    store.commit([article(f"{start}HYPERLINK(A1)", text(1))])
    call = ["--format", "csv", "--fields", "headline,version"]
    for raw, mark in ([], "'"), (["--raw"], ""):
        [_, *cells] = csv.reader(io.StringIO(export(*call, *raw)))
        assert cells == [[f"{mark}{start}HYPERLINK(A1)", "1"]]
