"""The demonstration site over HTTP, and `newsextract demo --days`."""

import socket
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from http.client import HTTPConnection, HTTPResponse
from urllib.request import urlopen

import pytest

from newsextract.demo import DemoServer, Site, serve, serve_in_process
from newsextract.demo.bad_pages import BAD_PAGES
from newsextract.demo.month import SITES
from newsextract.demo.server import DemoServerError
from newsextract.health.status import read_status
from newsextract.store import Store
from newsextract.store.admin import check_integrity
from newsextract.store.engine import database_now
from tests.crawling import free_port


@pytest.fixture
def server() -> Iterator[DemoServer]:
    with serve(Site(slow_seconds=0.2)) as running:
        yield running


def get(server: DemoServer, path: str, method: str = "GET", **headers: str) -> tuple[HTTPResponse, bytes]:
    with closing(HTTPConnection("127.0.0.1", server.port, timeout=300)) as connection:
        connection.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
        response = connection.getresponse()
        return response, response.read()


def path_of(kind: str) -> str:
    return next(bad_page.path for bad_page in BAD_PAGES if bad_page.kind == kind)


def test_server_sends_the_pages_of_the_site_over_one_connection(server):
    with closing(HTTPConnection("127.0.0.1", server.port, timeout=300)) as connection:
        sockets = set()
        for story in server.site.gold()[::9]:
            connection.request("GET", story.path)
            response = connection.getresponse()
            assert (response.status, response.read()) == (200, server.site.page(story.path, base=server.url).body)
            sockets.add(connection.sock)
    assert len(sockets) == 1
    response, body = get(server, "/", method="HEAD")
    assert (response.status, body) == (200, b"") and int(response.headers["Content-Length"]) > 1000


@pytest.mark.parametrize("path", ["/", "/feeds/news.xml", "/sitemap-articles.xml.gz"])
def test_conditional_request_of_an_unchanged_page_gets_304_and_is_recorded(server, path):
    first, _ = get(server, path)
    again, body = get(server, path, If_None_Match=f'"other", W/{first.headers["ETag"]}')
    assert (again.status, body, again.headers["ETag"]) == (304, b"", first.headers["ETag"])
    assert get(server, path, If_None_Match='"other"')[0].status == 200
    get(server, "/nothing")
    seen = [(seen.path, seen.status, seen.conditional) for seen in server.requests]
    assert seen == [(path, 200, False), (path, 304, True), (path, 200, True), ("/nothing", 404, False)]
    assert server.paths[path] == 3


def test_serve_on_a_taken_port_raises_an_error_that_names_it(server):
    with pytest.raises(DemoServerError, match=str(server.port)), serve(port=server.port):
        pass
    message = f"^the demonstration site can't listen on 127.0.0.1:{server.port}"
    with pytest.raises(DemoServerError, match=message), serve_in_process([server.port]):
        pass


def test_server_stops_while_a_slow_page_is_sent():
    with serve(Site(slow_seconds=600)) as server, closing(HTTPConnection("127.0.0.1", server.port)) as connection:
        connection.request("GET", path_of("bad:slow"))
        server.stop()


def test_serve_in_process_takes_the_next_port_and_stops_with_its_block(server):
    second = free_port()
    with serve_in_process((server.port, second), "--rendered", "1") as url:
        assert url == f"http://127.0.0.1:{second}"
        assert urlopen(f"{url}/app/", timeout=300).status == 200
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", second), timeout=5)


def test_demo_days_fill_a_new_database_by_the_store_itself(command, complaint, tmp_path):
    filled = command("demo", "--days", "2")
    assert "articles of 2 simulated days" in filled.stderr
    with Store.open(f"sqlite:///{tmp_path}/newsextract.db", must_exist=True) as store:
        assert store.read(check_integrity) == []
        sites, runs = store.read(read_status, last=100)
        now = store.read(database_now)
        articles = [row.article for row in store.articles()]
    assert {site.site for site in sites} == {site.host for site in SITES}
    assert (len(runs), {run.reason for run in runs}) == (2 * len(SITES), {"finished"})
    assert max(run.started_at for run in runs) < now < max(run.started_at for run in runs) + timedelta(hours=2)
    assert all(len(article.article_body) > 200 and article.headline for article in articles)
    assert "exists: run simulated crawls in a folder without a database" in complaint(2, "demo", "--days", "2")
