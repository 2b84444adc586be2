"""`newsextract cluster` on small archives: every page once, whatever is broken in them and whoever dies over them."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from newsextract.cli import main
from newsextract.cluster import dask_engine
from newsextract.cluster.attempts import Attempts
from newsextract.cluster.run import here, run
from newsextract.cluster.run_folder import Place
from newsextract.cluster.slices import files_of, slices_of
from newsextract.cluster.tasks import pieces_of
from newsextract.errors import ArchiveError, WrongCall
from tests.crawling import article
from tests.sources import CHECKOUT

SITES = ("alnes.example", "borg.example", "dale.example")
BROKEN = {
    "not_html": ("application/pdf", b"%PDF-1.4 no page"),
    "empty": ("text/html", b""),
}


def record(url: str, body: bytes, content_type: str = "text/html", when: str = "2026-03-05T09:12:00Z", status="200 OK"):
    http = f"HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\n\r\n".encode() + body
    head = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: {when}\r\n"
    head += f"WARC-Record-ID: <urn:uuid:1>\r\nContent-Type: application/http\r\nContent-Length: {len(http)}\r\n\r\n"
    return gzip.compress(head.encode() + http + b"\r\n\r\n", mtime=0)


def story(site: str, number: int) -> bytes:
    page = article(f"Story {number} of {site}", f"{site.partition('.')[0].title()} {number}")
    return page.replace("</article>", "</article><footer>Share this on all networks</footer>").encode()


def url_of(site: str, number: int) -> str:
    return f"http://{site}/news/{number:04d}-a-story-of-the-pier.html"


@pytest.fixture(scope="module")
def archive(tmp_path_factory) -> Path:
    """A month in the layout of CC-NEWS: a list of paths, and two files of records among which some are broken."""
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
    parts[0].insert(5, record("http://broken.example/pdf", *reversed(BROKEN["not_html"])))
    parts[0].insert(6, b"\x1f\x8b\x08" + os.urandom(300))
    parts[1].insert(2, record("http://broken.example/empty", *reversed(BROKEN["empty"])))
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
    return run([archive / "warc.paths.gz"], output, here, **options)


@pytest.fixture(scope="module")
def whole(archive, tmp_path_factory) -> Path:
    """The result of a run that nothing disturbed."""
    output = tmp_path_factory.mktemp("whole") / "out"
    _, failed = extract(archive, output)
    assert failed == {}
    return output


def content(output: Path) -> dict[str, bytes]:
    """All that a reader of the results finds: files below articles/ by their names."""
    files = (output / "articles").rglob("*")
    return {str(file.relative_to(output)): file.read_bytes() for file in files if file.is_file()}


def urls(output: Path) -> Counter[str]:
    return Counter(pq.read_table(output / "articles")["url"].to_pylist())


EXPECTED = Counter([url_of(site, number) for site in SITES for number in range(8)])
EXPECTED += Counter([f"http://gbk.example/news/{ord(first)}.html" for first in "奥博"])


def test_every_article_of_an_archive_is_there_once_by_day_and_site(whole):
    assert urls(whole) == EXPECTED
    table = pq.read_table(whole / "articles", filters=[("day", "=", "2026-03-06"), ("site", "=", SITES[0])])
    assert sorted(table["url"].to_pylist()) == [url_of(SITES[0], 6), url_of(SITES[0], 7)]
    rows = table.to_pylist()
    assert rows[0]["fetched_at"] == datetime(2026, 3, 6, 9, 12, tzinfo=UTC)
    assert rows[0]["headline"] == f"Story 6 of {SITES[0]}"
    assert rows[0]["warc_filename"] == "CC-NEWS-20260300-00000.warc.gz"
    for file in (whole / "articles").rglob("*.parquet"):
        sites = pq.ParquetFile(file).read(columns=["site"])["site"].to_pylist()
        assert sites == sorted(sites)


def test_pages_are_compared_with_others_of_their_site_wherever_in_the_archive_these_stand(whole):
    rows = pq.read_table(whole / "articles").to_pylist()
    for row in rows:
        if row["site"] in SITES:
            assert row["peer_url"].startswith(f"http://{row['site']}/news/")
            assert row["peer_url"] != row["url"]
            assert "Share this" not in row["article_body"]


def test_wrong_charsets_are_seen_through(whole):
    table = pq.read_table(whole / "articles", filters=[("site", "=", "gbk.example")])
    assert sorted(table["headline"].to_pylist()) == ["博尔格渔港", "奥勒松渔港"]


def test_what_is_no_page_is_counted_and_named_in_the_summary(whole):
    summary = json.loads((whole / "summary.json").read_text("utf-8"))
    assert summary["skipped"] == {"not_html": 1, "broken": 2, "empty": 1, "http_404": 1, "no_peer": 1}
    named = {(reason, url) for reason, _, _, url in summary["named"]}
    assert {("not_html", "http://broken.example/pdf"), ("http_404", "http://broken.example/gone")} <= named
    assert {Path(file).name for _, file, _, _ in summary["named"]} == {
        "CC-NEWS-20260300-00000.warc.gz",
        "CC-NEWS-20260301-00001.warc.gz",
    }
    assert summary["articles"] + sum(summary["not_articles"].values()) + 1 == summary["pages"]
    assert summary["done"] == summary["slices"] > 5


def test_a_run_that_is_begun_again_does_what_is_missing_and_changes_nothing(archive, whole, tmp_path):
    output = tmp_path / "out"
    extract(archive, output)
    pieces = pieces_of(Place(output))
    untouched = Place(output).done(pieces[0]).stat().st_mtime_ns
    for piece in pieces[1:4]:
        Place(output).done(piece).unlink()
    draft = next((output / "articles").iterdir()) / ".left-by-a-killed-worker"
    draft.write_bytes(b"half")
    extract(archive, output)
    assert content(output) == content(whole)
    assert Place(output).done(pieces[0]).stat().st_mtime_ns == untouched


def test_results_of_different_runs_are_never_mixed(archive, whole, tmp_path):
    with pytest.raises(WrongCall, match="begun with other extractor"):
        extract(archive, whole, extractor="econ")
    (tmp_path / "letter.txt").write_text("mine")
    with pytest.raises(WrongCall, match="neither empty nor a run"):
        extract(archive, tmp_path)


def test_a_page_that_was_under_way_at_three_deaths_is_left_out_and_named(archive, tmp_path):
    output = tmp_path / "out"
    extract(archive, output, extractor="econ")
    place = Place(output)
    piece = pieces_of(place)[0]
    row = next(row for row in pq.read_table(output / "articles").to_pylist() if row["warc_record_offset"] == 0)
    for _ in range(3):
        place.done(piece).unlink(missing_ok=True)
        died = Attempts(place.attempts(piece), watch=False)
        died.begin(0)
    figures, _ = extract(archive, output, extractor="econ")
    assert figures.skipped["killed_its_worker"] == 1
    assert [(file, offset, url) for reason, file, offset, url in figures.named if reason == "killed_its_worker"] == [
        (piece.path, 0, row["url"])
    ]
    assert urls(output)[row["url"]] == 0


def test_two_deaths_are_nobodys_fault(tmp_path):
    for _ in range(2):
        Attempts(tmp_path / "slice", watch=False).begin(17)
    with Attempts(tmp_path / "slice", watch=False) as second:
        second.begin(17)
        second.begin(18)
    assert Attempts(tmp_path / "slice", watch=False).suspects == set()


def test_a_page_that_takes_for_ever_ends_its_process(tmp_path):
    code = (
        "import sys, time; from pathlib import Path; from newsextract.cluster import attempts\n"
        "attempts.PATIENCE = 0.3\n"
        "attempts.Attempts(Path(sys.argv[1]), watch=True).begin(5)\n"
        "sum(range(10**11))"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "slice")]
    done = subprocess.run(command, cwd=CHECKOUT, capture_output=True, timeout=60)
    assert (done.returncode, done.stdout + done.stderr) == (1, b"")
    assert (tmp_path / "slice").read_text().split() == ["begun", "5"]


@pytest.mark.parametrize("size", [1, 50, 10**6])
def test_slices_cover_a_file_without_gap_or_overlap(tmp_path, size):
    (tmp_path / "a.warc.gz").write_bytes(bytes(120))
    (tmp_path / "b.warc").write_bytes(bytes(120))
    pieces = list(slices_of([tmp_path / "a.warc.gz"], size))
    assert pieces[0].start == 0
    assert pieces[-1].end is None
    assert all(one.end == other.start for one, other in pairwise(pieces))
    assert len({piece.name for piece in pieces}) == len(pieces)
    assert len(list(slices_of([tmp_path / "b.warc"], size))) == 1


def test_files_are_named_themselves_by_folder_or_by_list(archive, tmp_path):
    folder = archive / "crawl-data"
    listed = files_of([archive / "warc.paths.gz"])
    assert files_of([folder]) == listed == files_of([*listed, folder])
    (tmp_path / "march.paths").write_text("CC-NEWS/2026/03/CC-NEWS-20260300-00000.warc.gz\n")
    assert files_of([tmp_path / "march.paths"], prefix=folder) == listed[:1]
    with pytest.raises(ArchiveError, match="there is no such file"):
        files_of([tmp_path / "march.paths"])
    with pytest.raises(ArchiveError, match="no file there"):
        files_of([tmp_path])


def test_a_worker_that_is_killed_loses_nothing_and_doubles_nothing(archive, whole, tmp_path):
    command = [sys.executable, "-P", "-m", "newsextract", "cluster", str(archive / "warc.paths.gz"), "-o", "out"]
    variables = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    place = Place(tmp_path / "out")
    with subprocess.Popen(
        [*command, "--workers", "1", "-e", "tsrec", "--slice", "1"], cwd=tmp_path, env=variables
    ) as process:
        killed: set[int] = set()
        deadline = time.monotonic() + 90
        while process.poll() is None and time.monotonic() < deadline:
            begun = list((place.folder / "work" / "attempts").glob("*"))
            if begun and not killed:
                workers = [pid for pid in workers_of(process.pid) if pid not in killed]
                if workers:
                    os.kill(workers[0], signal.SIGKILL)
                    killed.add(workers[0])
            time.sleep(0.02)
        assert process.wait(90) == 0
    assert len(killed) == 1
    assert urls(place.folder) == urls(whole)
    assert not [name for name in content(place.folder) if "/." in name]


@pytest.mark.parametrize(
    ("address", "status", "said"),
    [
        ("tcp://127.0.0.1:9", 1, "no Dask scheduler answers at tcp://127.0.0.1:9"),
        ("tcp://nowhere:x", 2, "is no address"),
    ],
)
def test_a_scheduler_that_is_not_there_is_a_sentence(archive, tmp_path, monkeypatch, capsys, address, status, said):
    monkeypatch.setattr(dask_engine, "ANSWER", 0.5)
    monkeypatch.setattr(dask_engine, "NEVER", 0.1)
    words = ["cluster", str(archive / "warc.paths.gz"), "-o", str(tmp_path / "out"), "--scheduler", address]
    monkeypatch.setattr(sys, "argv", ["newsextract", *words])
    with pytest.raises(SystemExit) as end:
        main()
    told = capsys.readouterr()
    assert (end.value.code, told.out) == (status, "")
    assert said in told.err.splitlines()[-1]


def workers_of(pid: int) -> list[int]:
    """Worker processes of a local cluster: what its nannies have spawned."""
    children = Path(f"/proc/{pid}/task").glob("*/children")
    found = [int(child) for file in children for child in file.read_text().split()]
    return [child for child in found if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()]
