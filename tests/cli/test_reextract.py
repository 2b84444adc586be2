"""`newsextract reextract` and `report --database` on the pages that one small crawl kept."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from newsextract.archive.dask_engine import local_cluster
from newsextract.archive.kept_pages import KeptPages
from newsextract.extractors.registry import made_by as maker_of
from newsextract.store import ArticleRow, Store
from newsextract.version import VERSION
from newsextract.warc.writer import WarcWriter
from tests.crawling import Answer, article, crawl, front, sql, web
from tests.examples import examples

PLACES = ("Alnes", "Borg", "Dale", "Eide", "Fana", "Grue")


@pytest.fixture(scope="module")
def crawled(tmp_path_factory) -> Path:
    """A folder with the database and the kept pages of two crawls of a front page and six articles."""
    folder = tmp_path_factory.mktemp("kept")
    with web() as site:
        paths = [f"/news/{n}-a-story-of-{place.lower()}.html" for n, place in enumerate(PLACES, 100)]
        for path, place in zip(paths, PLACES, strict=True):
            share = "<div class=share><p>Share this on all of your networks</p></div><footer>The Gazette</footer>"
            site[path] = article(f"The pier of {place}", place).replace("</article>", f"{share}</article>")
        for known in (paths[:-1], paths):  # the second crawl has the pages of the first as peers
            site["/"] = front(*known)
            done = crawl(folder, "site", settings={"NEWSEXTRACT_KEEP_PAGES": "pages"}, url=site.url)
            assert f"pages kept in {folder / 'pages'}" in done.stderr
    assert len(stored(folder)) == len(PLACES)
    return folder


@pytest.fixture
def folder(crawled, tmp_path) -> Path:
    """A copy for one test: the current folder of its commands."""
    shutil.copytree(crawled, tmp_path, dirs_exist_ok=True)
    return tmp_path


def stored(folder: Path) -> list[ArticleRow]:
    with Store.open(f"sqlite:///{folder}/newsextract.db") as store:
        return [*store.articles()]


def changes(folder: Path) -> list[tuple[str, int, str]]:
    return [(row.change_kind, row.article.version, row.article.extractor) for row in stored(folder)]


def reextract(command, *words):
    return command("reextract", "--pages", "pages", "--workers", "0", *words)


def test_reextract_with_another_extractor_makes_one_version_of_what_differs_here_as_on_dask(command, folder):
    before = {row.article.url: row.article for row in stored(folder)}
    with local_cluster(1, None) as (scheduler, _):
        tried = command("reextract", "--pages", "pages", "--scheduler", scheduler, "-e", "bte", "--dry-run")
    assert {kind for kind, _, _ in changes(folder)} == {"new"}
    result = reextract(command, "-e", "bte")
    lines = [line.split("\t") for line in result.stdout.splitlines()]
    assert len(lines) == len(PLACES)
    assert {tuple(fields.split(", ")) for _, _, fields, _ in lines} == {("article_body", "article_body_html")}
    assert [line.split("\t")[1:] for line in tried.stdout.splitlines()] == [line[1:] for line in lines]
    assert changes(folder) == [("reextracted", 2, "bte")] * len(PLACES)
    for row in stored(folder):
        old = before[row.article.url]
        for name in ("canonical_url", "fetched_at", "first_seen_at", "discovered_from", "headline"):
            assert getattr(row.article, name) == getattr(old, name)
    rows = [json.loads(line) for line in command("export", "--after", len(PLACES)).stdout.splitlines()]
    assert {row["change_kind"] for row in rows} == {"reextracted"}
    assert [str(row["change"]) for row in rows] == [number for number, *_ in lines]
    again = reextract(command, "-e", "bte")
    assert (again.returncode, again.stdout) == (0, "") and f"{len(PLACES)} articles unchanged" in again.stderr
    assert changes(folder) == [("reextracted", 2, "bte")] * len(PLACES)


def test_manifest_and_runs_say_what_extracted_the_articles(command, folder):
    def made_by() -> list[dict[str, Any]]:
        assert command("export", "-o", "all.jsonl").returncode == 0
        return json.loads((folder / "all.jsonl.manifest.json").read_text("utf-8"))["made_by"]

    (crawl_made,) = made_by()
    assert crawl_made == {"newsextract": VERSION, "extractor": "fusion", "weights": crawl_made["weights"]}
    reextract(command, "-e", "bte")
    assert made_by() == [{**crawl_made, "extractor": "bte"}]
    options = {"extractor": "cetr", "options": {"clusters": 4}, "drop": [".ad"]}
    assert json.loads(maker_of("cetr", {"clusters": 4}, drop=(".ad",), selectors={})) == {**crawl_made, **options}
    query = "SELECT kind, spider, made_by FROM changes JOIN runs ON runs.id = run GROUP BY 1, 2, 3 ORDER BY 1"
    made = sql(folder / "newsextract.db", query)
    rows = [(kind, spider, json.loads(maker)["extractor"]) for kind, spider, maker in made]
    assert rows == [("new", "site", "fusion"), ("reextracted", "reextract", "bte")]


def test_reextract_ignores_pages_that_no_present_version_was_made_from(command, folder):
    files = [*(folder / "pages").iterdir()]
    reference = stored(folder)[0].article
    with WarcWriter(folder / "newer") as archive:
        page = KeptPages.open(folder / "pages").find(reference.url)
        page = replace(page, fetched_at=page.fetched_at.replace(year=2001))
        archive.write(page, "GET", (), [("Content-Type", "text/html")])
    for file in files:
        file.unlink()
    result = command("reextract", "--pages", "newer", "--workers", "0", "-e", "bte")
    assert result.stdout == ""
    assert "1 kept page of no article, or of an older version" in result.stderr


def test_report_finds_page_and_peer_of_a_stored_article(command, folder):
    article_with_peer = next(row.article for row in stored(folder) if row.article.peer_url)
    for words in ([], ["--pages", "pages"]):
        command("report", article_with_peer.url, "--database", "newsextract.db", "-e", "tsrec", *words)
        text = (folder / "report.html").read_text("utf-8")
        assert article_with_peer.headline in text
        assert article_with_peer.peer_url in text


@pytest.mark.parametrize(("words", "status", "message"), examples(__file__, "missing"))
def test_missing_pages_or_database_fail_in_one_line(complaint, folder, words, status, message):
    (folder / "empty").mkdir()
    said = complaint(status, *words)
    assert message in said and len(said.splitlines()) == 1


def test_crawl_stops_if_a_page_cannot_be_kept_and_stores_nothing_of_it(tmp_path, site):
    pages = tmp_path / "pages"

    def answer_without_folder() -> Answer:
        shutil.rmtree(pages)
        return Answer(front("/news/100-a-story-of-borg.html"))

    site["/"] = answer_without_folder
    site["/news/100-a-story-of-borg.html"] = article("The pier", "Borg")
    stopped = crawl(tmp_path, "site", settings={"NEWSEXTRACT_KEEP_PAGES": "pages"}, url=site.url, status=1)
    assert stopped.articles == []
    assert f"{pages}: pages can't be kept there" in stopped.stderr
