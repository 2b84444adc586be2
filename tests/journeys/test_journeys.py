"""What a user does with a site, one step after the other, on the same database: each step has to leave the next intact.

Crawl with kept pages; look at every article; read the pages again; crawl again twice; edit, delete and add a page;
search; export; extract again by another method, forget, and crawl once more; kill each step and repeat it.
"""

import json
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from shutil import copytree, ignore_patterns
from typing import Any

import pytest
from fastwarc.warc import ArchiveIterator, WarcRecordType

from evaluation.crawling.site_folder import open_sites, serve_site
from newsextract.archive.stored_pages import read_stored_pages
from newsextract.change_feed import read_articles
from newsextract.health.status import read_status
from newsextract.report import render_report
from newsextract.store import Store
from tests import preloaded
from tests.conftest import saved_sites
from tests.crawling import Crawled, crawl, environment, json_lines, run_command, sql, web
from tests.journeys.sites import PLACES, JourneySite

KEEP = {"NEWSEXTRACT_KEEP_PAGES": "pages", "NEWSEXTRACT_JSONL": "articles.jsonl"}
#: Requests of a crawl in which nothing is new, for each known article and beside them.
BUDGET = 0.15
BUDGET_BESIDE = 10


@dataclass
class Journey:
    """A site, the folder of its crawls, and what each step left."""

    site: JourneySite
    folder: Path
    crawls: list[Crawled] = field(default_factory=list)
    requests: list[int] = field(default_factory=list)
    changes: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def database(self) -> str:
        return f"sqlite:///{self.folder / 'newsextract.db'}"

    def crawl(self) -> Crawled:
        before = len(self.site.web.asked)
        done = crawl(self.folder, "site", settings=KEEP, url=f"{self.site.web.url}/")
        self.crawls.append(done)
        self.requests.append(len(self.site.web.asked) - before)
        return done

    def run(self, *words: str) -> str:
        """The output of a command, which has to succeed."""
        done = run_command([*preloaded.command("newsextract"), *words], self.folder)
        return done.stdout + done.stderr

    def sql(self, query: str) -> list[Any]:
        return sql(self.folder / "newsextract.db", query)

    def documents(self) -> dict[str, dict[str, Any]]:
        """Every article as stored, by its URL."""
        with Store.open(self.database, must_exist=True) as store:
            return {row.article.url: row.article.to_dict() for row in store.articles()}

    def indexed(self) -> dict[str, str]:
        """URL and text of the articles that a search for a word of all of them finds."""
        found = self.run("search", "council", "--format", "jsonl", "--duplicates", "--limit", "99")
        texts = dict(sql(self.folder / "newsextract-index.db", "SELECT url, article_body FROM articles"))
        return {url: texts[url] for url in (json.loads(line)["url"] for line in found.splitlines())}

    def present(self) -> dict[str, str]:
        """URL and text of the articles that are neither deleted nor retracted."""
        with Store.open(self.database, must_exist=True) as store:
            rows = [row for row in store.articles() if row.change_kind not in ("deleted", "retracted")]
        return {row.article.url: row.article.article_body for row in rows}

    def report(self, url: str) -> str:
        """The evidence report that `newsextract browse` shows of an article."""
        page, peer, site = read_stored_pages(self.database, url)
        return render_report(page, url, peer=peer, peer_name=peer.url if peer else None, site=site)

    def change(self) -> int:
        return int(self.sql("SELECT coalesce(max(change), 0) FROM changes")[0][0])

    def changes_since(self, change: int) -> Counter[tuple[str, str]]:
        query = "SELECT c.kind, a.url FROM changes c JOIN articles a ON a.id = c.article WHERE c.change > "
        return Counter(map(tuple, self.sql(f"{query}{change}")))


@pytest.fixture(scope="module", params=["blog", "newsroom", "app"])
def first(request, tmp_path_factory) -> Iterator[Journey]:
    """After the first crawl."""
    with web() as server:
        journey = Journey(JourneySite(server, request.param), tmp_path_factory.mktemp(request.param))
        journey.crawl()
        yield journey


@pytest.fixture(scope="module")
def quiet(first) -> Journey:
    """After two further crawls of a site in which nothing has changed."""
    first.crawl()
    first.crawl()
    return first


@pytest.fixture(scope="module")
def edited(quiet) -> Journey:
    """After a page was edited, one deleted, one added, and the site crawled again at the time of the two."""
    journey, site = quiet, quiet.site
    before = journey.change()
    site.edit("Borg", "The council added on Friday that the ferry will call at the new pier from the first of June.")
    site.delete("Dale")
    site.add("Jorpeland")
    for place in ("Borg", "Dale"):
        journey.sql(f"UPDATE urls SET next_due = '2026-01-01 00:00:00.000000' WHERE url = '{site.url(place)}'")
    journey.crawl()
    journey.changes = journey.changes_since(before)
    return journey


def test_first_crawl_stores_each_article_with_its_date_report_evidence_why_and_history(first):
    documents = first.documents()
    assert {*documents} == {first.site.url(place) for place in PLACES}
    assert all(document["date_published"] for document in documents.values())
    assert Counter(line["url"] for line in json_lines(first.folder / "articles.jsonl")) == Counter([*documents])
    for url, document in [*documents.items()][:2]:
        assert document["article_body"].split(".")[0] in first.report(url)
    assert "stored" in first.run("why", url)
    assert document["headline"] in first.run("history", url)
    first.run("report", url, "--database", "newsextract.db", "-o", "report.html")
    assert document["headline"] in (first.folder / "report.html").read_text("utf-8")


def test_kept_pages_read_again_change_nothing(first):
    before, change = first.documents(), first.change()
    assert "0 articles changed" in first.run("reextract", "--pages", "pages", "--workers", "0")
    assert first.documents() == before
    assert first.change() == change


def test_quiet_crawls_change_nothing_and_stay_within_their_budget(quiet):
    known = len(quiet.documents())
    assert known == len(PLACES)
    assert quiet.changes_since(0) == Counter(("new", quiet.site.url(place)) for place in PLACES)
    assert max(quiet.requests[1:]) <= BUDGET * known + BUDGET_BESIDE, quiet.site.web.asked[-quiet.requests[-1] :]
    assert max(quiet.requests[1:]) < quiet.requests[0] / 3
    for done in quiet.crawls[1:]:
        assert "not as it was left" not in done.stderr and "unfinished" not in done.stderr


def test_edited_deleted_and_added_pages_are_reported_and_nothing_else_and_search_finds_what_is_present(edited):
    journey, site, url = edited, edited.site, edited.site.url
    assert journey.changes == Counter([("changed", url("Borg")), ("deleted", url("Dale")), ("new", url("Jorpeland"))])
    assert "first of June" in journey.run("history", url("Borg"))
    lines = json_lines(journey.folder / "articles.jsonl")
    assert Counter((line["change_kind"], line["url"]) for line in lines[-3:]) == journey.changes
    assert journey.indexed() == journey.present()
    assert {*journey.present()} == {url(place) for place in site.stories}


def test_exports_of_all_formats_have_the_articles_of_status_and_sql(edited):
    import pandas

    journey = edited
    rows = journey.sql("SELECT url, change_kind FROM articles ORDER BY change")
    for options in ("-o articles.csv", "-o all.jsonl", "--format parquet -o corpus"):
        journey.run("export", *options.split())
    frames = [
        pandas.read_csv(journey.folder / "articles.csv"),
        pandas.read_json(journey.folder / "all.jsonl", lines=True),
        pandas.read_parquet(journey.folder / "corpus").sort_values("change"),
        read_articles(journey.database).to_dataframe(),
    ]
    for frame in frames[:3]:
        assert [*zip(frame["url"], frame["change_kind"], strict=True)] == rows
    present = [url for url, kind in rows if kind not in ("deleted", "retracted")]
    assert {*present} <= {*frames[3]["url"]}
    with Store.open(journey.database, must_exist=True) as store:
        [status], _ = store.read(read_status)
    assert status.articles == len(present)
    kept = [url for url, kind in rows if kind != "retracted"]
    journey.run("export", "--format", "warc-wet", "-o", "texts.warc.wet.gz")
    with (journey.folder / "texts.warc.wet.gz").open("rb") as stream:
        records = ArchiveIterator(stream, record_types=WarcRecordType.conversion)
        assert Counter(one.headers["WARC-Target-URI"] for one in records) == Counter(kept)
    journey.run("export", "--format", "bow", "-o", "bags")
    assert Counter(pandas.read_csv(journey.folder / "bags" / "documents.csv")["url"]) == Counter(kept)
    dates = pandas.to_datetime(frames[0]["date_published"], utc=True, format="ISO8601")
    assert dates.notna().all()


def test_methods_forgotten_articles_and_the_next_crawl_leave_index_and_lines_whole(edited):
    journey, site = edited, edited.site
    journey.indexed()
    journey.run("reextract", "--pages", "pages", "--workers", "0", "-e", "bte")
    assert journey.indexed() == journey.present()
    journey.run("db", "remove", site.url("Eide"))
    assert journey.indexed() == journey.present() and site.url("Eide") not in journey.present()
    journey.run("reextract", "--pages", "pages", "--workers", "0")
    assert journey.indexed() == journey.present()
    done = journey.crawl()
    assert "WARNING" not in done.stderr, "nothing is damaged"
    lines = json_lines(journey.folder / "articles.jsonl")
    assert {line["url"] for line in lines} == {url for (url,) in journey.sql("SELECT url FROM articles")}
    assert journey.indexed() == journey.present()


STEPS = {
    "report": ("report", "URL", "--database", "newsextract.db", "-o", "out"),
    "export": ("export", "--format", "csv", "-o", "out"),
    "parquet": ("export", "--format", "parquet", "-o", "out"),
    "search": ("search", "council", "--format", "jsonl"),
    "reextract": ("reextract", "--pages", "pages", "--workers", "0", "-e", "bte"),
}


@pytest.mark.parametrize("first", ["blog"], indirect=True)
@pytest.mark.parametrize("step", STEPS)
def test_step_that_is_killed_at_any_moment_can_be_repeated(step, quiet, tmp_path):
    words = [quiet.site.url("Borg") if word == "URL" else word for word in STEPS[step]]
    whole, killed = (Journey(quiet.site, tmp_path / name) for name in ("whole", "killed"))
    for journey in (whole, killed):
        copytree(quiet.folder, journey.folder, ignore=ignore_patterns("newsextract-index.db*", "corpus", "bags"))
    begin = time.monotonic()
    whole.run(*words)
    duration = time.monotonic() - begin
    for share in (0.3, 0.6, 0.8, 0.95):
        command, quiet = [*preloaded.command("newsextract"), *words], subprocess.DEVNULL
        running = subprocess.Popen(command, cwd=killed.folder, env=environment(), stdout=quiet, stderr=quiet)
        with suppress(subprocess.TimeoutExpired):
            running.wait(share * duration)
            break
        running.send_signal(signal.SIGKILL)
        running.wait()
        assert not (killed.folder / "out").is_file() or contents(killed) == contents(whole), "never half a file"
    killed.run(*words)
    assert killed.present() == whole.present()
    assert contents(killed) == contents(whole)


def contents(journey: Journey) -> list[bytes]:
    """What a step wrote."""
    out = journey.folder / "out"
    files = sorted(out.rglob("*.parquet")) if out.is_dir() else [out] if out.exists() else []
    return [one.read_bytes() for one in files]


@pytest.mark.sites
@pytest.mark.parametrize("name", ["mali-live", "gongboss"])
def test_saved_site_is_read_again_without_a_change_and_crawled_again_within_its_budget(name, tmp_path):
    with open_sites([saved_sites() / f"{name}.tar.xz"]) as [site], serve_site(site.public) as server:
        journey = Journey(None, tmp_path)
        requests, changes = [], []
        for _ in range(3):
            before = server.requests.total()
            crawl(tmp_path, "site", settings=KEEP, url=server.url)
            requests.append(server.requests.total() - before)
            changes.append(journey.change())
        documents = journey.documents()
        assert changes[0] == changes[2], journey.changes_since(changes[0])
        assert max(requests[1:]) <= BUDGET * len(documents) + BUDGET_BESIDE, requests
        assert all(map(journey.report, sorted(documents)[::8]))
        assert "0 articles changed" in journey.run("reextract", "--pages", "pages", "--workers", "0")
        assert (journey.documents(), journey.change()) == (documents, changes[0])
        assert journey.indexed().keys() <= {*documents}
