"""`newsextract browse`: the index follows the store; Datasette shows it and cannot write."""

import json
import re
import shlex
import socket
import urllib.request
from collections import Counter
from collections.abc import Iterator
from html import unescape
from urllib.error import HTTPError
from urllib.parse import quote, urlencode

import pytest
from sqlalchemy import update

from newsextract.index.update import update_index
from newsextract.store import PageOutcome, Store
from newsextract.store.corrections import Correction, correct
from newsextract.store.schema import changes
from tests.browse.serving import browsing, get
from tests.crawling import sql
from tests.examples import examples
from tests.store.samples import NOON, later, outcome

PIER, PORT, HOSTILE = (f"https://example.org/{name}" for name in ("pier", "port", "it's-$(rm)"))
SCRIPT = "<script>document.title='OWNED'</script>"


def articles() -> list[PageOutcome]:
    about = {"language": "en", "authors": ["Marta Lind", "Jo"], "date_published": NOON}
    return [
        outcome(PIER, "The pier of Ålesund is rebuilt.", **about),
        outcome(PORT, "渔港重建工程昨日开工。", language="zh", headline="奥勒松渔港"),
        outcome(HOSTILE, f"{SCRIPT} A body.", headline=f"{SCRIPT} A headline", language="en"),
    ]


@pytest.fixture
def store(store) -> Store:
    store.commit(articles())
    return store


def test_index_has_flat_rows_with_day_and_report_command(store, tmp_path):
    path = tmp_path / "index.db"
    assert update_index(store, "sqlite:///news.db", path) == 3
    rows = {url: row for url, *row in sql(path, "SELECT url, site, day, authors, report FROM articles")}
    assert rows[PIER][:3] == ["example.org", "2025-03-01", "Marta Lind, Jo"]
    for url, row in rows.items():
        assert shlex.split(row[3]) == ["newsextract", "report", url, "--database", "sqlite:///news.db"]


@pytest.fixture(scope="module")
def base(tmp_path_factory) -> Iterator[str]:
    """The address of the running command on a database with eight articles."""
    folder = tmp_path_factory.mktemp("browse")
    with Store.open(f"sqlite:///{folder}/news.db") as store:
        store.commit(articles())
        store.write(correct, [Correction(PORT, {"headline": SCRIPT, "authors": ["Bo"]}, f"print {SCRIPT}", "Kim")])
        store.write(lambda connection: connection.execute(update(changes).values(at=NOON)))  # all on the first day
        store.commit([outcome(PORT, "渔港重建工程昨日开工。", headline="Renamed", at=later(1))])
        for number, day in enumerate((-9, -9, -9, -9, -5)):
            url = f"https://example.org/{number}"
            store.commit([outcome(url, language="nb", date_published=later(24 * day))])
    with browsing(folder, "--database", "sqlite:///news.db", "--host-name", "News.example.org") as address:
        yield address


def test_datasette_shows_facets_search_and_both_databases(base):
    address = f"{base}/news-index/articles"
    shown = get(address)
    for name in ("site", "day", "language"):
        assert f'id="facet-{name}' in shown
    searched = json.loads(get(f"{address}.json?_shape=array&_q={quote('渔港')}"))
    assert [row["url"] for row in searched] == [PORT]
    assert "wrong query: this parenthesis is not closed" in get(f"{address}?_q=%28{quote(SCRIPT)}")
    by_language = json.loads(get(f"{address}.json?_shape=array&language=en"))
    assert {row["url"] for row in by_language} == {PIER, HOSTILE}
    assert "Every URL that was seen" in get(f"{base}/news/urls")


def test_days_are_in_order_of_time_and_filter(base):
    address = f"{base}/news-index/articles.json"
    counts = Counter(row["day"] for row in json.loads(get(f"{address}?_shape=array")))
    facet = json.loads(get(f"{address}?_facet_day=day"))["facet_results"]["day"]["results"]
    assert [(value["value"], value["count"]) for value in facet] == sorted(counts.items(), reverse=True)
    assert len(counts) > 2 and max(counts.values()) > facet[0]["count"], "not the order of their counts"
    filtered = json.loads(get(facet[0]["toggle_url"].replace("?", "?_shape=array&")))
    assert {row["day"] for row in filtered} == {facet[0]["value"]}


def test_datasette_escapes_a_hostile_article(base):
    for address in (f"{base}/news-index/articles", base, f"{base}/-/article/history?url={quote(HOSTILE, safe='')}"):
        shown = get(address)
        assert SCRIPT not in shown
        assert "&lt;script&gt;document.title" in shown
    inserted = f"{base}/-/dashboards/crawl?{urlencode({'site': f'</script>{SCRIPT}', 'since': SCRIPT})}"
    assert SCRIPT not in get(inserted)


def test_correction_by_hand_is_shown_with_who_why_and_what_the_page_says(base):
    [row] = json.loads(get(f"{base}/news-index/articles.json?_shape=array&url={quote(PORT)}"))
    assert row["corrected"] == "headline, authors"
    assert ">headline, authors</a>" in get(f"{base}/news-index/articles")
    shown = get(f"{base}/-/article/history?url={quote(PORT, safe='')}")
    assert "Renamed; it said 奥勒松渔港 when it was corrected" in shown
    for text in ("Corrected by hand", "<td>Kim</td>", "corrected by hand by Kim"):
        assert text in shown
    assert SCRIPT not in shown and shown.count("print &lt;script&gt;") == 4


def test_search_page_marks_matches_and_escapes_what_is_hostile(base):
    page = f"{base}/-/search"
    shown = get(f"{page}?{urlencode({'q': 'body OR title', 'measure': 'count'})}")
    assert SCRIPT not in shown and "&lt;script&gt;" in shown and "<mark>body</mark>" in shown
    for query in (SCRIPT, f"pier {SCRIPT}", f'"{SCRIPT}', f"</script>{SCRIPT}", "%00 a", "x" * 2000):
        answer = get(f"{page}?{urlencode({'q': query, 'topic': query, 'since': query})}")
        assert SCRIPT not in answer and "<h1>Search</h1>" in answer
    assert "this parenthesis is not closed\n  (pier\n  ^" in get(f"{page}?q=(pier")
    [link] = re.findall(r'href="(/news-index/articles\?_q=pier[^"]+)">1 articles', get(f"{page}?q=pier"))
    assert "1 row" in get(f"{base}{unescape(link)}")


def test_dashboard_explains_the_first_day_and_draws_no_empty_plot(base):
    shown = get(base)
    drawn = set(re.findall(r'id="chart-(\w+)"', shown))
    assert "This is the first day" in shown
    assert "languages" in drawn and not {"new_by_site", "copies"} & drawn


def test_pages_load_nothing_from_elsewhere_by_their_policy(base):
    with urllib.request.urlopen(base, timeout=300) as answer:
        policy = answer.headers["Content-Security-Policy"]
        assert answer.url.endswith("/-/dashboards/crawl")
    assert policy.startswith("default-src 'self';") and "http" not in policy


def test_datasette_refuses_writes_and_downloads(base):
    for path in ("news.json?sql=select+1", "news?sql=select+1", "news/articles.json?_where=1"):
        assert get(f"{base}/{path}") == "403 SQL is off: start newsextract browse with --sql."
    assert json.loads(get(f"{base}/news/articles.json"))["filtered_table_rows_count"] == 8
    assert get(f"{base}/news.db").startswith("403")


@pytest.mark.parametrize(("headers", "status"), examples(__file__, "requests"))
def test_dashboard_answers_this_machine_only(base, headers, status):
    request = urllib.request.Request(f"{base}/-/versions.json", headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=300) as answer:
            assert answer.status == status
    except HTTPError as error:
        assert (error.code, error.headers["Content-Type"]) == (status, "text/plain; charset=utf-8")


@pytest.mark.usefixtures("store")
def test_sql_is_allowed_on_request_without_writes_or_huge_values(tmp_path):
    with browsing(tmp_path, "--sql") as address:
        counted = get(f"{address}/newsextract.json?sql=select+count(*)+n+from+articles&_shape=array")
        assert json.loads(counted) == [{"n": 3}]
        for statement in ("DELETE FROM articles", "INSERT INTO sites (site) VALUES ('x')"):
            assert "Statement must be a SELECT" in get(f"{address}/newsextract.json?sql={quote(statement)}")
        assert "too big" in get(f"{address}/newsextract.json?sql=select+length(randomblob(900000000))")


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["--database", "sqlite:///no.db"], 1, "there is no such database"),
        (["--index", "newsextract.db"], 2, "the crawl's own database"),
        (["--port", "PORT"], 1, "is in use"),
    ],
    ids=["no database", "own database", "port"],
)
@pytest.mark.usefixtures("store")
def test_browse_error_is_one_line(complaint, words, status, message):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        words = [word.replace("PORT", str(taken.getsockname()[1])) for word in words]
        assert message in complaint(status, "browse", *words).splitlines()[-1]
