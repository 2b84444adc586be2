"""`newsextract browse`: the index follows the store; Datasette shows it and cannot write."""

import json
import os
import re
import shlex
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import closing
from pathlib import Path
from urllib.parse import quote, urlencode

import pytest

from newsextract.browse.figures import update_figures
from newsextract.browse.serve import FACETED_URLS, ServerOptions, metadata
from newsextract.cli import main
from newsextract.index.update import update_index
from newsextract.store import PageOutcome, Store
from tests.crawling import free_port
from tests.sources import CHECKOUT
from tests.store.samples import NOON, later, outcome

PIER, PORT, HOSTILE = (f"https://example.org/{name}" for name in ("pier", "port", "it's-$(rm)"))
SCRIPT = "<script>document.title='OWNED'</script>"


def articles() -> list[PageOutcome]:
    return [
        outcome(
            PIER, "The pier of Ålesund is rebuilt.", language="en", authors=["Marta Lind", "Jo"], date_published=NOON
        ),
        outcome(PORT, "渔港重建工程昨日开工。", language="zh", headline="奥勒松渔港"),
        outcome(HOSTILE, f"{SCRIPT} A body.", headline=f"{SCRIPT} A headline", language="en"),
    ]


@pytest.fixture
def store(tmp_path):
    with Store.open(f"sqlite:///{tmp_path}/news.db") as store:
        store.commit(articles())
        yield store


def rows(path: Path) -> dict[str, dict[str, object]]:
    with sqlite3.connect(path) as file:
        file.row_factory = sqlite3.Row
        return {row["url"]: dict(row) for row in file.execute("SELECT * FROM articles")}


def test_index_has_flat_rows_with_day_and_report_command(store, tmp_path):
    path = tmp_path / "index.db"
    assert update_index(store, "sqlite:///news.db", path) == 3
    row = rows(path)[PIER]
    assert (row["site"], row["day"], row["authors"]) == ("example.org", "2025-03-01", "Marta Lind, Jo")
    for url, row in rows(path).items():
        assert shlex.split(str(row["report"])) == ["newsextract", "report", url, "--database", "sqlite:///news.db"]


def get(address: str) -> str:
    until = time.monotonic() + 300
    while time.monotonic() < until:
        try:
            with urllib.request.urlopen(address, timeout=300) as answer:
                return str(answer.read().decode())
        except urllib.error.HTTPError as error:
            return f"{error.code} {error.read().decode()}"
        except OSError:
            time.sleep(0.1)
    raise AssertionError(f"{address} does not answer")


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """The running command on a database with three articles: its URL and folder."""
    folder = tmp_path_factory.mktemp("browse")
    with Store.open(f"sqlite:///{folder}/news.db") as store:
        store.commit(articles())
        for number, day in enumerate((-9, -9, -9, -9, -5)):
            url = f"https://example.org/{number}"
            store.commit([outcome(url, language="nb", date_published=later(24 * day))])
    port = free_port()
    command = [
        sys.executable,
        "-P",
        "-m",
        "newsextract",
        "browse",
        "--database",
        "sqlite:///news.db",
        "--port",
        str(port),
    ]
    variables = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    with subprocess.Popen(command, cwd=folder, env=variables, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert address == f"http://127.0.0.1:{port}/"
        address += "news-index/articles"
        get(address)
        yield address, folder
        process.send_signal(signal.SIGINT)
        assert process.wait(300) in (0, -signal.SIGINT)
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(address, timeout=5)


def test_datasette_shows_facets_search_and_both_databases(served):
    address, _ = served
    shown = get(address)
    for name in ("site", "day", "language"):
        assert f'id="facet-{name}' in shown
    searched = json.loads(get(f"{address}.json?_shape=array&_q={quote('渔港')}"))
    assert [row["url"] for row in searched] == [PORT]
    assert "wrong query: this parenthesis is not closed" in get(f"{address}?_q=%28{quote(SCRIPT)}")
    by_language = json.loads(get(f"{address}.json?_shape=array&language=en"))
    assert {row["url"] for row in by_language} == {PIER, HOSTILE}
    assert "Every address that was seen" in get(address.replace("news-index/articles", "news/urls"))


@pytest.mark.parametrize(("number", "facets"), [(FACETED_URLS, ["site", "state", "reason"]), (FACETED_URLS + 1, [])])
def test_table_of_very_many_urls_has_no_facets(store, tmp_path, number, facets):
    path = tmp_path / "index.db"
    update_index(store, "newsextract.db", path)
    update_figures(store, path)
    with closing(sqlite3.connect(path)) as index, index:
        index.execute("DELETE FROM outcomes")
        index.execute("INSERT INTO outcomes VALUES ('example.org', 'stored', ?)", (number,))
    described = metadata(ServerOptions("sqlite:///newsextract.db", str(path), "index", "newsextract"))
    assert described["databases"]["newsextract"]["tables"]["urls"]["facets"] == facets


def test_days_are_in_order_of_time_and_filter(served):
    address, folder = served
    with sqlite3.connect(folder / "news-index.db") as file:
        expected = [day for (day,) in file.execute("SELECT DISTINCT day FROM articles ORDER BY day DESC")]
        counts = dict(file.execute("SELECT day, count(*) FROM articles GROUP BY day"))
    facet = json.loads(get(f"{address}.json?_facet_day=day"))["facet_results"]["day"]["results"]
    assert [value["value"] for value in facet] == expected
    assert len(expected) > 2 and max(counts.values()) > counts[expected[0]], "not the order of their counts"
    assert {value["value"]: value["count"] for value in facet} == counts
    filtered = json.loads(get(facet[0]["toggle_url"].replace("?", "?_shape=array&")))
    assert {row["day"] for row in filtered} == {expected[0]}


def test_datasette_escapes_a_hostile_article(served):
    base = served[0].rpartition("/news-index/")[0]
    for address in (served[0], base, f"{base}/-/article/history?url={quote(HOSTILE, safe='')}"):
        shown = get(address)
        assert SCRIPT not in shown
        assert "&lt;script&gt;document.title" in shown
    inserted = f"{base}/-/dashboards/crawl?{urlencode({'site': f'</script>{SCRIPT}', 'since': SCRIPT})}"
    assert SCRIPT not in get(inserted)


def test_search_page_marks_matches_and_escapes_what_is_hostile(served):
    base = served[0].rpartition("/news-index/")[0]
    page = f"{base}/-/search"
    shown = get(f"{page}?{urlencode({'q': 'body OR title', 'measure': 'count'})}")
    assert SCRIPT not in shown and "&lt;script&gt;" in shown and "<mark>body</mark>" in shown
    for query in (SCRIPT, f"pier {SCRIPT}", f'"{SCRIPT}', f"</script>{SCRIPT}", "%00 a", "x" * 2000):
        answer = get(f"{page}?{urlencode({'q': query, 'topic': query, 'since': query})}")
        assert SCRIPT not in answer and "<h1>Search</h1>" in answer
    assert "this parenthesis is not closed\n  (pier\n  ^" in get(f"{page}?q=(pier")
    link = re.search(r'href="(/news-index/articles\?_q=pier[^"]+)">', get(f"{page}?q=pier"))[1].replace("&amp;", "&")
    assert "1 row" in get(f"{base}{link}")


def test_dashboard_explains_the_first_day_and_draws_no_empty_plot(served):
    shown = get(served[0].rpartition("/news-index/")[0])
    assert "This is the first day" in shown
    assert (
        'id="chart-languages"' in shown and 'id="chart-new_by_site"' not in shown and 'id="chart-copies"' not in shown
    )


def test_pages_load_nothing_from_elsewhere_by_their_policy(served):
    with urllib.request.urlopen(served[0].rpartition("/news-index/")[0], timeout=300) as answer:
        policy = answer.headers["Content-Security-Policy"]
        assert answer.url.endswith("/-/dashboards/crawl")
    assert policy.startswith("default-src 'self';")
    assert "http" not in policy


def test_datasette_refuses_writes_and_downloads(served):
    address, folder = served
    base = address.rpartition("/news-index/")[0]
    before = (folder / "news.db").read_bytes()
    for statement in ("DELETE FROM articles", "INSERT INTO sites (site) VALUES ('x')"):
        response = get(f"{base}/news.json?sql={quote(statement)}")
        assert "Statement must be a SELECT" in response
    assert (folder / "news.db").read_bytes() == before
    assert get(f"{base}/news.db").startswith("403")


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["--database", "sqlite:///no.db"], 1, "there is no such database"),
        (["--index", "news.db"], 2, "the crawl's own database"),
        (["--port", "PORT"], 1, "is taken"),
    ],
    ids=["no database", "own database", "port"],
)
def test_browse_error_is_one_line(store, tmp_path, monkeypatch, capsys, words, status, message):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        options = ["--database", "sqlite:///news.db", *(port if word == "PORT" else word for word in words)]
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", ["newsextract", "browse", *options])
        with pytest.raises(SystemExit) as end:
            main()
    printed = capsys.readouterr()
    assert (end.value.code, printed.out) == (status, "")
    assert message in printed.err.splitlines()[-1]


@pytest.mark.browser
def test_page_renders_in_a_browser_without_running_scripts(served, tmp_path):
    chromium = shutil.which("chromium")
    assert chromium
    command = [chromium, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}", "--dump-dom"]
    done = subprocess.run([*command, served[0]], capture_output=True, text=True, timeout=300)
    assert "OWNED" not in re.findall("<title>(.*?)</title>", done.stdout)[0]
    assert "8 rows" in done.stdout
    query = quote(f"example OR pier OR body OR {SCRIPT}")
    address = (
        f"{served[0].rpartition('/news-index/')[0]}/-/search?since=2020-01-01&q={quote('pier OR body OR headline')}"
    )
    for page in (address, f"{address}{query}"):
        done = subprocess.run(
            [*command, "--virtual-time-budget=20000", page], capture_output=True, text=True, timeout=300
        )
        assert "<title>OWNED" not in done.stdout
    assert "<mark>" in done.stdout and "aria-label" in done.stdout, "matches are marked, and attention is drawn"
