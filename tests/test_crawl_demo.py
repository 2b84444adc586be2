"""`scrapy crawl site` end to end on the demonstration site, whose gold is known, and the same crawl a second time."""

import csv
import io
import json
from collections import Counter
from datetime import datetime
from functools import partial
from types import SimpleNamespace
from typing import Any

import pyarrow.parquet as pq
import pytest

from evaluation.corpora import Gold
from evaluation.crawling.kill import path_of
from evaluation.scores import judge
from newsextract.article.schema import json_schema
from newsextract.demo import Site, Story, serve
from tests.article.test_schema import errors_of
from tests.crawling import crawl, json_lines

SITE = Site(slow_seconds=1)


@pytest.fixture(scope="module")
def crawls(tmp_path_factory) -> SimpleNamespace:
    """Both crawls, what the server saw of each, the JSON lines after each, and the folder where everything lies."""
    folder = tmp_path_factory.mktemp("crawls")
    settings = {"NEWSEXTRACT_JSONL": "articles.jsonl"}
    with serve(SITE) as server:
        first = crawl(folder, "site", "-O", "out.json", settings=settings, url=server.url)
        seen, lines = [*server.requests], json_lines(folder / "articles.jsonl")
        server.requests.clear()
        second = crawl(folder, "site", "-O", "again.json", settings=settings, url=server.url)
    again = {"seen_again": server.requests, "lines_again": json_lines(folder / "articles.jsonl")}
    return SimpleNamespace(first=first, second=second, seen=seen, lines=lines, folder=folder, **again)


def gold_by_path() -> dict[str, Story]:
    return {path: gold for gold in SITE.gold() for path in gold.paths}


def test_every_article_is_stored_once_and_nothing_else(crawls):
    gold = gold_by_path()
    stored = Counter(gold[path].path for url in crawls.first.urls if (path := path_of(url)) in gold)
    assert stored == {article.path: 1 for article in SITE.gold()}
    truncated = {path for path, kind in SITE.non_articles().items() if kind == "truncated"}
    assert {path_of(url) for url in crawls.first.urls} <= gold.keys() | truncated


def test_texts_agree_with_gold(crawls):
    gold = gold_by_path()
    texts = {path_of(article["url"]): article["article_body"] for article in crawls.first.articles}
    found = texts.keys() & gold.keys()
    scores = {path: judge(Gold("story", text=gold[path].text), texts[path]).f for path in found}
    assert min(scores.values()) > 0.7, min(scores, key=lambda path: scores[path])
    assert sum(scores.values()) / len(scores) > 0.85
    assert not any(wrong in text for wrong in ("\ufffd", "Ã") for text in texts.values())
    bodies = [SITE.page(path).body for path in gold]
    for charset in (b"charset=gb2312", b'charset="iso-8859-1"'):  # both are other encodings in truth
        assert any(charset in body for body in bodies)


def test_json_lines_and_feed_equal_database(crawls):
    lines = crawls.lines_again
    kinds = Counter(line["change_kind"] for line in lines)
    assert kinds.keys() <= {"new", "reextracted"}, "some are read again when all of the site is known"
    assert Counter(line["url"] for line in lines if line["change_kind"] == "new") == Counter(crawls.first.urls)
    stored = {article["url"]: article["article_body"] for article in crawls.first.articles}
    assert {line["url"]: line["article_body"] for line in lines} == stored
    feed = json.loads((crawls.folder / "out.json").read_text("utf-8"))
    assert {item["url"]: item["article_body"] for item in feed} == stored
    assert all(item["article_body"] for item in feed)


def test_pages_are_fetched_once_and_robots_txt_and_scope_are_obeyed(crawls):
    assert not {path: n for path, n in Counter(seen.path for seen in crawls.seen).items() if n > 1}
    assert not [seen.path for seen in crawls.seen if seen.path.startswith("/private/")]
    assert len({seen.host for seen in crawls.seen}) == 1


def test_bad_pages_are_counted_by_reason_and_the_summary_names_files_by_absolute_paths(crawls):
    assert crawls.first.status == 0 and "Traceback" not in crawls.first.stderr
    expected = {"http_404", "http_500", "off_site", "robots", "too_large", "empty", "not_html", "redirected_to_known"}
    expected |= {"consent", "error_page", "login", "paywall_stub", "front", "section", "static"}
    assert expected <= crawls.first.dropped.keys()
    for name in ("newsextract.db", "articles.jsonl", "out.json"):
        assert str(crawls.folder / name) in crawls.first.stderr


def test_second_crawl_fetches_and_stores_no_article(crawls):
    assert crawls.second.status == 0
    asked = {seen.path for seen in crawls.seen_again}
    assert asked & gold_by_path().keys() == set()
    assert crawls.second.stats.get("newsextract/articles/new", 0) == 0
    assert crawls.second.stats.get("newsextract/articles/changed", 0) == 0
    assert json.loads((crawls.folder / "again.json").read_text("utf-8")) == []
    assert crawls.lines == crawls.lines_again


def test_second_crawl_gets_304_for_lists(crawls):
    lists = {path for path, kind in SITE.non_articles().items() if kind in ("front", "section", "feed", "sitemap")}
    stored = {path_of(url) for url in crawls.first.urls}
    first = {seen.path for seen in crawls.seen if seen.status == 200} - stored
    again = {seen.path: seen.status for seen in crawls.seen_again if seen.conditional}
    asked = lists & first & again.keys()  # lists that led to nothing new are not due yet
    assert "/" in asked and {path: again[path] for path in asked} == dict.fromkeys(asked, 304)
    size = "downloader/response_bytes"
    assert crawls.second.stats[size] <= 0.15 * crawls.first.stats[size]


def test_every_line_of_jsonl_feeds_and_exports_validates(crawls, command):
    export = partial(command, "export", "--database", crawls.folder / "newsextract.db")
    exports = [[*map(json.loads, export(*words).stdout.splitlines())] for words in ((), ("--tokens",))]
    for lines in (crawls.lines_again, json.loads((crawls.folder / "out.json").read_text("utf-8")), *exports):
        assert len(lines) >= 10 and errors_of(lines) == []
    rows = csv.DictReader(io.StringIO(export("--format", "csv").stdout, newline=""))
    assert errors_of(from_cells(row) for row in rows) == []


def from_cells(row: dict[str, str]) -> dict[str, Any]:
    """A row of CSV as the JSON object of its cells."""
    types: dict[str, Any] = {name: spec.get("type") for name, spec in json_schema()["properties"].items()}
    values: dict[str, Any] = {}
    for name, cell in row.items():
        kinds = types[name] if isinstance(types[name], list) else [types[name]]
        if not cell and ("null" in kinds or name == "main_image"):
            values[name] = None
        elif "boolean" in kinds:
            values[name] = cell == "True"
        elif "string" in kinds:
            values[name] = cell
        else:
            values[name] = json.loads(cell or ("{}" if "object" in kinds else "[]"))
    return values


def test_every_row_of_parquet_validates_and_its_columns_are_described(crawls, command, tmp_path):
    command("export", "--database", crawls.folder / "newsextract.db", "--format", "parquet", "-o", "corpus")
    tables = [pq.read_table(path) for path in tmp_path.glob("corpus/day=*/*.parquet")]
    rows = [row for table in tables for row in table.to_pylist()]
    for row in rows:
        row["sources"] = dict(row["sources"])
        row |= {name: value.isoformat() for name, value in row.items() if isinstance(value, datetime)}
        row.pop("day", None)
    assert len(rows) >= 10 and errors_of(rows) == []
    described = tables[0].schema.field("confidence").metadata[b"description"].decode()
    assert described == json_schema()["properties"]["confidence"]["description"]
