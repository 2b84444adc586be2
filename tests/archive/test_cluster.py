"""`newsextract cluster` on small archives: every article once, despite broken records and killed workers."""

import gzip
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from evaluation.crawling.kill import wait_until
from newsextract.archive.run import run, run_locally
from newsextract.archive.run_folder import AttemptLog, RunFolder
from newsextract.archive.sources import resolve_files, split_files
from newsextract.errors import ArchiveError, WrongCall
from tests.crawling import article, environment, run_command, warc_record

SITES = ("alnes.example", "borg.example", "dale.example")


def record(url: str, body: bytes, content_type: str = "text/html", when: str = "2026-03-05T09:12:00Z", **more: str):
    return gzip.compress(warc_record(url, body, content_type, when=when, **more), mtime=0)


def story(site: str, number: int) -> bytes:
    page = article(f"Story {number} of {site}", f"{site.partition('.')[0].title()} {number}")
    return page.replace("</article>", "</article><footer>Share this on all networks</footer>").encode()


def url_of(site: str, number: int) -> str:
    return f"http://{site}/news/{number:04d}-a-story-of-the-pier.html"


@pytest.fixture(scope="module")
def archive(tmp_path_factory) -> Path:
    """A month in the layout of CC-NEWS: a list of paths, and two WARC files with some broken records."""
    folder = tmp_path_factory.mktemp("archive")
    parts: list[list[bytes]] = [[], []]
    for number in range(8):
        for site in SITES:
            day = f"2026-03-0{5 + number // 6}T09:12:00Z"
            parts[number % 2].append(record(url_of(site, number), story(site, number), when=day))
    for place, part in zip(("奥勒松", "博尔格"), parts, strict=True):
        gbk = article(f"{place}渔港", place).encode("gbk")
        part.insert(3, record(f"http://gbk.example/news/{ord(place[0])}.html", gbk, "text/html; charset=utf-8"))
    parts[1].append(record("http://alone.example/news/1-a-story.html", story("alone.example", 1)))
    parts[0].insert(5, record("http://broken.example/pdf", b"%PDF-1.4 no page", "application/pdf"))
    parts[0].insert(6, b"\x1f\x8b\x08" + os.urandom(300))
    parts[1].insert(2, record("http://broken.example/empty", b""))
    parts[1].insert(3, record("http://broken.example/gone", b"gone", status="404 Not Found"))
    parts[1].append(record("http://broken.example/torn", story("torn.example", 1))[:-200])
    names = [f"crawl-data/CC-NEWS/2026/03/CC-NEWS-2026030{n}-0000{n}.warc.gz" for n in range(2)]
    for name, records in zip(names, parts, strict=True):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"".join(records))
    (folder / "warc.paths.gz").write_bytes(gzip.compress("\n".join([*names, ""]).encode()))
    return folder


def extract(archive: Path, output: Path, **more):
    options = {"extractor": "tsrec", "options": {}, "slice_bytes": 4000, **more}
    return run([archive / "warc.paths.gz"], output, run_locally, **options)


@pytest.fixture(scope="module")
def finished(archive, tmp_path_factory) -> Path:
    """The output of an uninterrupted run."""
    output = tmp_path_factory.mktemp("finished") / "out"
    _, failed = extract(archive, output)
    assert failed == {}
    return output


def content(output: Path) -> dict[str, bytes]:
    """The bytes of each file below articles/ by its name."""
    files = (output / "articles").rglob("*")
    return {str(file.relative_to(output)): file.read_bytes() for file in files if file.is_file()}


def urls(output: Path) -> Counter[str]:
    return Counter(pq.read_table(output / "articles")["url"].to_pylist())


EXPECTED = Counter([url_of(site, number) for site in SITES for number in range(8)])
EXPECTED += Counter([f"http://gbk.example/news/{ord(first)}.html" for first in "奥博"])


def test_cluster_writes_every_article_once_by_day_and_site(finished):
    assert urls(finished) == EXPECTED
    table = pq.read_table(finished / "articles", filters=[("day", "=", "2026-03-06"), ("site", "=", SITES[0])])
    assert sorted(table["url"].to_pylist()) == [url_of(SITES[0], 6), url_of(SITES[0], 7)]
    rows = table.to_pylist()
    assert rows[0]["fetched_at"] == datetime(2026, 3, 6, 9, 12, tzinfo=UTC)
    assert rows[0]["headline"] == f"Story 6 of {SITES[0]}"
    assert rows[0]["warc_filename"] == "CC-NEWS-20260300-00000.warc.gz"
    for file in (finished / "articles").rglob("*.parquet"):
        sites = pq.ParquetFile(file).read(columns=["site"])["site"].to_pylist()
        assert sites == sorted(sites)


def test_cluster_finds_peers_of_a_site_in_all_files_of_the_archive(finished):
    rows = pq.read_table(finished / "articles").to_pylist()
    for row in rows:
        if row["site"] in SITES:
            assert row["peer_url"].startswith(f"http://{row['site']}/news/")
            assert row["peer_url"] != row["url"]
            assert "Share this" not in row["article_body"]
    chinese = sorted(row["headline"] for row in rows if row["site"] == "gbk.example")
    assert chinese == ["博尔格渔港", "奥勒松渔港"], "with a wrong charset header"


def test_cluster_summary_counts_and_lists_skipped_records(finished):
    summary = json.loads((finished / "summary.json").read_text("utf-8"))
    assert summary["skipped"] == {"not_html": 1, "broken": 2, "empty": 1, "http_404": 1, "no_peer": 1}
    named = {(reason, url) for reason, _, _, url in summary["named"]}
    assert {("not_html", "http://broken.example/pdf"), ("http_404", "http://broken.example/gone")} <= named
    files = {Path(file).name for _, file, _, _ in summary["named"]}
    assert files == {"CC-NEWS-20260300-00000.warc.gz", "CC-NEWS-20260301-00001.warc.gz"}
    assert summary["articles"] + sum(summary["not_articles"].values()) + 1 == summary["pages"]
    assert summary["done"] == summary["slices"] > 5
    refused = [json.loads(line) for file in finished.glob("refused/*.jsonl") for line in file.read_text().splitlines()]
    assert ("http_404", "http://broken.example/gone") in {(row["reason"], row["url"]) for row in refused}
    assert len(refused) == sum(summary["not_articles"].values()) + len(summary["named"])


def test_cluster_run_resumes_with_missing_slices_and_the_same_result(archive, finished, tmp_path):
    output = tmp_path / "out"
    extract(archive, output)
    folder = RunFolder(output)
    first, *others = folder.slices()
    untouched = folder.done_file(first).stat().st_mtime_ns
    for warc_slice in others[:3]:
        folder.done_file(warc_slice).unlink()
    draft = next((output / "articles").iterdir()) / ".left-by-a-killed-worker"
    draft.write_bytes(b"half")
    extract(archive, output)
    assert content(output) == content(finished)
    assert folder.done_file(first).stat().st_mtime_ns == untouched


def test_cluster_refuses_the_folder_of_another_run(archive, finished, tmp_path):
    with pytest.raises(WrongCall, match="started with another extractor"):
        extract(archive, finished, extractor="econ")
    (tmp_path / "letter.txt").write_text("mine")
    with pytest.raises(WrongCall, match="neither empty nor a run"):
        extract(archive, tmp_path)


def test_cluster_skips_a_page_after_three_deaths_and_lists_it(archive, tmp_path):
    output = tmp_path / "out"
    extract(archive, output, extractor="econ")
    folder = RunFolder(output)
    warc_slice = folder.slices()[0]
    row = next(row for row in pq.read_table(output / "articles").to_pylist() if row["warc_record_offset"] == 0)
    folder.done_file(warc_slice).unlink()
    for _ in range(3):
        log = AttemptLog(folder.attempts_file(warc_slice.name), watch=False)
        assert log.suspects == set(), "before the third death"
        log.begin(0)  # and no end: the process died
    stats, _ = extract(archive, output, extractor="econ")
    assert stats.skipped["killed_its_worker"] == 1
    named = [(file, offset, url) for reason, file, offset, url in stats.named if reason == "killed_its_worker"]
    assert named == [(warc_slice.path, 0, row["url"])]
    assert urls(output)[row["url"]] == 0


def test_attempt_log_watchdog_ends_the_process_over_a_slow_page(tmp_path):
    code = (
        "import sys, time; from pathlib import Path; from newsextract.archive import run_folder\n"
        "run_folder.PAGE_TIMEOUT = 0.3\n"
        "run_folder.AttemptLog(Path(sys.argv[1]), watch=True).begin(5)\n"
        "sum(range(10**11))"
    )
    done = run_command([sys.executable, "-c", code, tmp_path / "slice"], tmp_path, status=1)
    assert done.stdout + done.stderr == ""
    assert (tmp_path / "slice").read_text().split() == ["begun", "5"]


@pytest.mark.parametrize("size", [1, 50, 10**6])
def test_split_files_covers_a_file_without_gap_or_overlap(size):
    slices = list(split_files([("a.warc.gz", 120)], size))
    assert slices[0].start == 0
    assert slices[-1].end == 120
    assert all(one.end == other.start for one, other in pairwise(slices))
    assert len({each.name for each in slices}) == len(slices)
    assert len(list(split_files([("b.warc", 120)], size))) == 1


def test_resolve_files_takes_files_folders_and_lists(archive, tmp_path):
    folder = archive / "crawl-data"
    files = resolve_files([archive / "warc.paths.gz"])
    assert resolve_files([folder]) == files == resolve_files([*files, folder])
    (tmp_path / "march.paths").write_text("CC-NEWS/2026/03/CC-NEWS-20260300-00000.warc.gz\n")
    assert resolve_files([tmp_path / "march.paths"], prefix=folder) == files[:1]
    with pytest.raises(ArchiveError, match="there is no such file"):
        resolve_files([tmp_path / "march.paths"])
    with pytest.raises(ArchiveError, match="no file in it"):
        resolve_files([tmp_path])
    for path in ("a" * 5000, tmp_path / "march.paths"):  # names that no file can have
        (tmp_path / "march.paths").write_text("a" * 5000)
        with pytest.raises(ArchiveError):
            resolve_files([path])


ARC = b"filedesc://a.arc 0.0.0.0 20260305091200 text/plain 77\n1 0 Org\n"
WHOLE = gzip.compress(2 * warc_record(url_of(SITES[0], 1), story(SITES[0], 1)), mtime=0)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (ARC, "is an ARC file"),
        (gzip.compress(ARC, mtime=0), "is an ARC file"),
        (WHOLE, "compressed as a whole"),
        (b"<html>", "isn't a WARC file"),
    ],
    ids=["arc", "packed arc", "packed whole", "html"],
)
def test_cluster_refuses_files_that_it_cannot_cut_before_it_reads_any(archive, tmp_path, content, message):
    (tmp_path / "bad.warc.gz").write_bytes(content)
    files = [archive / "warc.paths.gz", tmp_path / "bad.warc.gz"]
    for extractor in ("tsrec", "bte"):  # with and without a survey
        with pytest.raises(ArchiveError, match=f"bad.warc.gz.* {message}"):
            run(files, tmp_path / "out", run_locally, extractor=extractor, options={})
    assert not (tmp_path / "out" / "done").exists()


def test_cluster_loses_and_repeats_nothing_when_a_worker_is_killed(archive, finished, tmp_path):
    command = [sys.executable, "-P", "-m", "newsextract", "cluster", archive / "warc.paths.gz", "-o", "out"]
    command += ["--workers", "1", "-e", "tsrec", "--slice", "1"]
    folder = RunFolder(tmp_path / "out")
    with subprocess.Popen(command, cwd=tmp_path, env=environment()) as process:
        wait_until(lambda: [*(folder.path / "work" / "attempts").glob("*")] and workers_of(process.pid))
        os.kill(workers_of(process.pid)[0], signal.SIGKILL)
        assert process.wait(300) == 0
    assert urls(folder.path) == urls(finished)
    assert not [name for name in content(folder.path) if "/." in name]


@pytest.mark.parametrize(
    ("address", "status", "message"),
    [
        ("tcp://127.0.0.1:9", 1, "no Dask scheduler answers at tcp://127.0.0.1:9"),
        ("tcp://nowhere:x", 2, "isn't the address"),
    ],
)
def test_cluster_without_scheduler_fails_with_one_sentence(archive, complaint, monkeypatch, address, status, message):
    monkeypatch.setattr("newsextract.archive.dask_engine.CONNECT_TIMEOUT", 0.5)
    monkeypatch.setattr("newsextract.archive.dask_engine.FIRST_WAIT_SECONDS", 0.1)
    said = complaint(status, "cluster", archive / "warc.paths.gz", "-o", "out", "--scheduler", address)
    assert message in said.splitlines()[-1]


def workers_of(pid: int) -> list[int]:
    """Worker processes of a local cluster: those that its nannies have spawned."""
    children = Path(f"/proc/{pid}/task").glob("*/children")
    pids = [int(child) for file in children for child in file.read_text().split()]
    return [child for child in pids if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()]


#: Prints what the tasks of a run brought into their process that costs memory and is of no use to them.
USELESS = """
import sys
from pathlib import Path
from newsextract.archive.run import run, run_locally
import pyarrow

_, failed = run([Path(sys.argv[1])], Path(sys.argv[2]), run_locally, extractor="tsrec", options={}, slice_bytes=4000)
print(failed, [name for name in ("pandas", "bokeh", "scrapy", "sklearn") if name in sys.modules],
      pyarrow.default_memory_pool().backend_name)
"""


def test_cluster_tasks_import_nothing_useless_and_leave_no_memory_to_arrow(archive, finished, tmp_path):
    done = run_command([sys.executable, "-c", USELESS, archive / "warc.paths.gz", tmp_path / "out"], tmp_path)
    assert done.stdout.split() == ["{}", "[]", "system"], done.stderr
    assert content(tmp_path / "out") == content(finished)


def test_copies_in_different_slices_name_their_original(tmp_path):
    pages = {f"http://{name}.example/news/the-pier-is-closed.html": story("ash.example", 1) for name in ("ash", "elm")}
    pages["http://fir.example/news/another-story.html"] = story("fir.example", 2)
    for number, (url, page) in enumerate(pages.items()):
        (tmp_path / f"{number}.warc.gz").write_bytes(record(url, page, when=f"2026-03-0{5 + number}T09:12:00Z"))
    files = sorted(tmp_path.glob("*.warc.gz"))
    for _ in range(2):
        run(files, tmp_path / "out", run_locally, extractor="fusion", options={})
        rows = pq.read_table(tmp_path / "out" / "articles").to_pylist()
        first, second, third = pages
        assert {row["url"]: row["duplicate_of"] for row in rows} == {first: None, second: first, third: None}
