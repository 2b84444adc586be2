"""`newsextract cluster` reads archives over HTTP, takes only what is asked for, and puts it into a database."""

import csv
import gzip
import json
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from newsextract.archive import sources
from newsextract.archive.page_filter import PageFilter
from newsextract.archive.run import run, run_locally
from newsextract.archive.run_folder import RunFolder
from newsextract.errors import WrongCall
from newsextract.items import Article
from newsextract.near_duplicates import signature_of
from newsextract.store import PageOutcome, Selection, UrlState
from newsextract.store.lookup import count_articles, find_versions, makers_of
from tests.archive.range_server import serve_ranges
from tests.archive.test_cluster import SITES, record, story, url_of, urls
from tests.crawling import front, warc_record
from tests.examples import examples

NAME = "crawl-data/CC-NEWS/2026/10/CC-NEWS-20261001-00000.warc.gz"
URLS = [url_of(site, number) for number in range(6) for site in SITES]


@pytest.fixture(scope="module")
def month(tmp_path_factory) -> Path:
    """A month of CC-NEWS as a web server has it: a list of paths, and one file."""
    folder = tmp_path_factory.mktemp("month")
    days = [f"2026-10-0{1 + number // 3}T09:12:00Z" for number in range(6) for _ in SITES]
    pages = [story(site, number) for number in range(6) for site in SITES]
    (folder / NAME).parent.mkdir(parents=True)
    records = [record(url, page, when=day) for url, page, day in zip(URLS, pages, days, strict=True)]
    (folder / NAME).write_bytes(b"".join(records))
    (folder / NAME).with_name("warc.paths.gz").write_bytes(gzip.compress(f"{NAME}\n".encode()))
    return folder


def extract(arguments, output: Path, **more):
    options = {"extractor": "fusion", "options": {}, "slice_bytes": 4000, "allow_private": True, **more}
    stats, failed = run(arguments, output, run_locally, **options)
    assert failed == {}
    return stats


def test_cluster_reads_a_month_over_http_once_whatever_the_server_does(month, tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "BLOCK_BYTES", 3000)
    monkeypatch.setattr(sources, "BACKOFF", 0.001)
    with serve_ranges(month, "truncated") as server:
        stats = extract(["cc-news:2026-10"], tmp_path / "out", common_crawl=server.url)
    assert urls(tmp_path / "out") == Counter(URLS)
    assert (stats.pages, stats.skipped, stats.bytes) == (len(URLS), {}, (month / NAME).stat().st_size)


def test_cluster_takes_only_sites_dates_and_addresses_that_are_asked_for(month, tmp_path):
    page_filter = PageFilter.of([SITES[0], f"https://{SITES[1]}/"], match=r"/000[1-4]-")
    stats = extract([month / NAME], tmp_path / "out", page_filter=page_filter)
    assert urls(tmp_path / "out") == Counter(url_of(site, number) for site in SITES[:2] for number in range(1, 5))
    assert (stats.pages, stats.left_out) == (8, len(URLS) - 8)
    with pytest.raises(WrongCall, match="started with another filter"):
        extract([month / NAME], tmp_path / "out")


def test_cluster_leaves_out_pages_of_other_languages_before_they_are_parsed(tmp_path):
    german = b'<html lang="de-AT">' + story("de.example", 1)
    archive = tmp_path / "a.warc.gz"
    archive.write_bytes(record(url_of("de.example", 1), german) + record(url_of(SITES[0], 1), story(SITES[0], 1)))
    stats = extract([archive], tmp_path / "out", page_filter=PageFilter.of(languages=["en"]))
    assert urls(tmp_path / "out") == Counter([url_of(SITES[0], 1)])
    assert (stats.pages, stats.left_out) == (1, 1)


@pytest.mark.parametrize(("options", "status", "message"), examples(__file__, "wrong"))
def test_cluster_refuses_what_it_cannot_do_in_one_sentence(month, complaint, options, status, message):
    assert message in complaint(status, "cluster", month / NAME, "-o", "out", "--workers", 0, *options)


def test_cluster_plan_reads_nothing_but_sizes(month, tmp_path, command):
    with serve_ranges(month) as server:
        options = ["--common-crawl", server.url, "--allow-private", "--plan", "--workers", "0"]
        done = command("cluster", "cc-news:2026-10", "-o", "out", *options)
        read = [path for path, method in zip(server.asked, server.methods, strict=True) if method == "GET"]
        assert not [path for path in read if path.endswith(".warc.gz")]
    assert not (tmp_path / "out").exists()
    assert done.stdout.startswith("1 file, ") and "hours" in done.stdout and "Parquet" in done.stdout


def test_cluster_refuses_a_folder_in_which_another_process_runs(month, tmp_path):
    folder = RunFolder(tmp_path / "out")
    with folder.locked(), pytest.raises(WrongCall, match="another process"):
        extract([month / NAME], folder.path)


def test_cluster_into_database_is_a_backfill_of_what_a_crawl_has(month, store, sqlite_url, tmp_path):
    """Articles that are there stay, texts of earlier fetches become older versions, repetition changes nothing."""
    plain = extract([month / NAME], tmp_path / "plain")
    rows = {row["url"]: row for row in pq.read_table(tmp_path / "plain" / "articles").to_pylist()}
    same, other = url_of(SITES[0], 0), url_of(SITES[0], 1)
    for url, body in ((same, rows[same]["article_body"]), (other, "A text that was written later. " * 20)):
        article = Article(url, site=SITES[0], headline=rows[url]["headline"], article_body=body, extractor="fusion")
        store.commit([PageOutcome(url, UrlState.stored, article=article, signature=signature_of(body))])
    crawled = {url: store.article(url) for url in (same, other)}
    for attempt in range(2):
        stats = extract([month / NAME], tmp_path / f"out{attempt}", into=sqlite_url)
        assert stats.stored == Counter({"new": 16, "unchanged": 2} if not attempt else {"unchanged": 18})
    again = extract([month / NAME], tmp_path / "out0", into=sqlite_url)
    assert again.stored == {}
    assert store.read(count_articles) == len(URLS) == plain.articles
    for url, article in crawled.items():
        assert store.article(url) == article
    versions = store.read(find_versions, other)
    assert [version.version for version in versions] == [2, 1]
    assert versions[0].article_body == rows[other]["article_body"]
    assert len(store.read(find_versions, same)) == 1
    stored = store.article(url_of(SITES[2], 3))
    assert stored.date_published == rows[stored.url]["date_published"]
    assert stored.sources == dict(rows[stored.url]["sources"])
    assert [maker["extractor"] for maker in store.read(makers_of, Selection())] == ["fusion"]
    record = rows[stored.url]
    assert stored.discovered_from == f"{record['warc_filename']}:{record['warc_record_offset']}"
    summary = json.loads((tmp_path / "out0" / "summary.json").read_text("utf-8"))
    assert summary["articles"] == len(URLS)


@pytest.mark.parametrize("name", ["refused.csv", "refused.jsonl"])
def test_cluster_lists_every_page_without_an_article(tmp_path, command, name):
    pages = {f"https://site-{n}.example/town": front("/a", "/b") for n in range(2)}
    records = [warc_record(url, page.encode()) for url, page in pages.items()]
    (tmp_path / "pages.warc").write_bytes(b"".join(records))
    done = command("cluster", "pages.warc", "-o", "out", "--workers", 0, "--refused", name)
    assert done.returncode == 0, done.stderr
    with (tmp_path / name).open(encoding="utf-8", newline="") as file:
        rows = [*csv.DictReader(file)] if name.endswith(".csv") else [json.loads(line) for line in file]
    assert [row["url"] for row in rows] == [*pages] and all(row["reason"] for row in rows)
