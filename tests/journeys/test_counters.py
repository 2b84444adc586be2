"""One ledger: the summary of a crawl, its stats, `status`, the metrics and the database count the same pages alike."""

import re
import sqlite3
from collections import Counter
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from newsextract.crawl.metrics import FAMILIES, read_metrics
from newsextract.health.status import DUPLICATE, WITHOUT_ARTICLE, read_status, urls_without_article
from newsextract.store import Store
from tests.crawl.test_metrics import names
from tests.crawling import CHECKOUT, Answer, article, crawl, front, web

SITE = ("site",)
PATHS = ("/a", "/b", "/c", "/sport/c", "/gone", "/about", "/town", "/tiny")
#: What each page is: of an article, another URL of one, or the reason why it has none.
OUTCOMES = """
SELECT CASE WHEN a.url = u.url THEN 'article' WHEN u.article IS NOT NULL THEN 'duplicate' ELSE u.reason END, count(*)
FROM urls u LEFT JOIN articles a ON a.id = u.article WHERE u.run = ? AND u.kind IN ('page', 'home') GROUP BY 1"""
CHANGES = "SELECT kind, count(*) FROM changes WHERE run = ? GROUP BY kind"


def check_metrics(file: Path) -> None:
    """The text file after three crawls is one that Prometheus can read, with all that the dashboard shows."""
    values = read_metrics(file)
    assert values["newsextract_crawls_total", ("site", "finished")] == 3
    assert values["newsextract_responses_total", ("site", "200")] >= 4
    assert values["newsextract_crawl_running", SITE] == values["newsextract_yield_warnings", SITE] == 0
    ended = values["newsextract_crawl_ended_timestamp_seconds", SITE]
    assert values["newsextract_crawl_succeeded_timestamp_seconds", SITE] == pytest.approx(ended, abs=1)
    assert 0 < values["newsextract_crawl_started_timestamp_seconds", SITE] <= ended
    assert values["newsextract_database_size_bytes", ()] > 100_000
    assert file.stat().st_mode & 0o044 == 0o044, "the node exporter runs as another user"
    families = {family.name: family for family in text_string_to_metric_families(file.read_text("utf-8"))}
    for name, (_, text) in FAMILIES.items():
        family = families.get(name.removesuffix("_total"))
        kind = "counter" if name.endswith("_total") else "gauge"
        assert family is None or (family.type, family.documentation) == (kind, text)
    dashboard = names((CHECKOUT / "docs" / "grafana.json").read_text("utf-8"))
    assert dashboard - {name for name, _ in values} == set(), "what the dashboard shows is exported by every crawl"


def test_summary_stats_status_metrics_and_sql_agree_in_every_crawl_of_a_site(tmp_path):
    file, database = tmp_path / "m.prom", tmp_path / "newsextract.db"
    total: Counter[tuple[str, str]] = Counter()
    with web() as site, sqlite3.connect(database, isolation_level=None) as sql:
        site["/"], site["/town"] = front(*PATHS), front("/a", "/b", "/c")
        site["/a"], site["/b"] = article("A ferry", "Vik"), article("A bridge", "Oslo")
        site["/c"] = site["/sport/c"] = article("A tunnel", "Bergen")
        site["/about"] = site["/tiny"] = "<!doctype html><title>Tiny</title><h1>Tiny</h1><p>Nothing here.</p>"
        site["/feed"] = Answer("<rss version='2.0'><channel/></rss>", content_type="text/xml")
        for run in (1, 2, 3):
            settings = {"NEWSEXTRACT_METRICS": str(file), "LOGSTATS_INTERVAL": "0.2"}
            done = crawl(tmp_path, "site", settings=settings, url=site.url)
            outcomes, changes = (Counter(dict(sql.execute(query, (run,)))) for query in (OUTCOMES, CHANGES))
            rates = [float(rate) for rate in re.findall(r"([\d.]+) pages/s", done.stderr)]
            assert run > 1 or max(rates) > 0, "a rate is shown from the first line on"
            shown = re.search(r"(\d+) pages.*: (\d+) new, (\d+) changed, (\d+) unchanged$", done.stderr, re.M)
            pages, new, changed, unchanged = map(int, shown.groups())
            assert (new, changed) == (changes["new"], changes["changed"])
            assert new + changed + unchanged == outcomes.pop("article") == 3
            assert done.stats["newsextract/aliases"] == outcomes[DUPLICATE] == 1
            assert Counter(done.dropped) == outcomes - Counter([DUPLICATE])
            assert pages == 3 + outcomes.total() == 9
            reasons = re.findall(r"^    (\d+)  ", done.stderr, re.M)
            assert f"  {sum(map(int, reasons))} not stored:" in done.stderr and sum(map(int, reasons)) == 5
            assert "  1 duplicate URL\n" in done.stderr and "    1  not found (404)\n" in done.stderr
            refetched = re.findall(r"known pages refetched: (.*)", done.stderr)
            assert refetched == (["8 (7 unchanged, 1 changed)"] if run == 2 else [])
            assert "feeds, sitemaps and robots.txt: 1 read" in done.stderr
            assert done.stats.get("newsextract/unchanged", 0) == (0, 7, 8)[run - 1], "beside it"
            total += {("articles", "new"): new, ("articles", "changed"): changed, ("articles", "unchanged"): unchanged}
            total += {("pages", "site"): pages}
            total += {("dropped_pages", name): n for name, n in outcomes.items()}
            values = {(*key[0].split("_", 1), *key[1]): value for key, value in read_metrics(file).items()}
            counted = {(name.removesuffix("_total"), label[-1]): n for (_, name, *label), n in values.items() if label}
            assert {key: counted[key] for key in total} == total
            with Store.open(f"sqlite:///{database}") as store:
                (status,), _ = store.read(read_status)
                refused = Counter(row["reason"] for row in store.read(urls_without_article))
            assert status.articles == status.states["stored"] == 3
            assert status.states[DUPLICATE] == 1
            assert Counter(status.dropped) == refused == outcomes - Counter([DUPLICATE])
            assert sum(status.states[state] for state in WITHOUT_ARTICLE) == refused.total() == 5
            if run == 1:
                site["/a"] = article("A ferry", "Stavanger")
            if run < 3:  # all is due again
                sql.execute("UPDATE urls SET next_due = last_fetched WHERE last_fetched IS NOT NULL")
        done = crawl(tmp_path, "site", url=site.url)
    assert "  1 of these as at the last fetch\n" in done.stderr and "known pages refetched" not in done.stderr
    check_metrics(file)
