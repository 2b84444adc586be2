"""The demonstration site over HTTP: validators, bad pages, the record of requests, ports, the child process."""

import socket
from collections.abc import Iterator
from dataclasses import replace
from http.client import HTTPConnection, HTTPResponse

import pytest

from newsextract.demo import DemoServer, Site, serve, serve_in_process
from newsextract.demo.bad_pages import BAD_PAGES, DEEP_LEVELS, HUGE_BYTES
from newsextract.demo.server import DemoServerError
from tests.crawling import free_port


@pytest.fixture
def server() -> Iterator[DemoServer]:
    with serve(Site(slow_seconds=0.2)) as running:
        yield running


def get(server: DemoServer, path: str, method: str = "GET", **headers: str) -> tuple[HTTPResponse, bytes]:
    connection = HTTPConnection("127.0.0.1", server.port, timeout=300)
    try:
        connection.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
        response = connection.getresponse()
        return response, response.read()
    finally:
        connection.close()


def path_of(kind: str) -> str:
    return next(bad_page.path for bad_page in BAD_PAGES if bad_page.kind == kind)


def test_server_sends_the_pages_of_the_site(server):
    for article in server.site.gold()[::9]:
        response, body = get(server, article.path)
        assert (response.status, body) == (200, server.site.page(article.path, base=server.url).body)


def test_server_keeps_connections_alive(server):
    connection = HTTPConnection("127.0.0.1", server.port, timeout=300)
    sockets = set()
    for article in server.site.gold()[:5]:
        connection.request("GET", article.path)
        assert connection.getresponse().read()
        sockets.add(connection.sock)
    connection.close()
    assert len(sockets) == 1


def test_server_records_requests_with_status_and_condition(server):
    front, _ = get(server, "/")
    get(server, "/", If_None_Match=front.headers["ETag"])
    get(server, "/nothing")
    assert [(seen.path, seen.status, seen.conditional) for seen in server.requests] == [
        ("/", 200, False),
        ("/", 304, True),
        ("/nothing", 404, False),
    ]
    assert server.paths["/"] == 2


@pytest.mark.parametrize(
    "path", ["/", "/feeds/news.xml", "/sitemap-articles.xml.gz", "/blog/2026/03/der-schiefe-tisch/"]
)
def test_conditional_request_of_an_unchanged_page_gets_304(server, path):
    first, _ = get(server, path)
    by_tag, body = get(server, path, If_None_Match=f'"other", W/{first.headers["ETag"]}')
    assert (by_tag.status, body, by_tag.headers["ETag"]) == (304, b"", first.headers["ETag"])
    assert get(server, path, If_Modified_Since=first.headers["Last-Modified"])[0].status == 304
    assert get(server, path, If_Modified_Since="Thu, 01 Jan 1970 00:00:00 GMT")[0].status == 200
    assert get(server, path, If_Modified_Since="yesterday")[0].status == 200


@pytest.mark.parametrize(("validators", "status"), [("honest", 200), ("lying", 304), ("none", 200)])
def test_validators_of_a_changed_page_are_honest_lying_or_absent(server, validators, status):
    server.site = Site(validators=validators)
    path = server.site.gold()[0].path
    first, _ = get(server, path)
    assert ("ETag" in first.headers) == (validators != "none")
    server.site = replace(server.site, amended={path: "One more sentence."})
    assert get(server, path, If_None_Match=first.headers.get("ETag", '"x"'))[0].status == status


def test_bad_pages_have_their_status_size_and_media_type(server):
    def status(kind: str) -> int:
        return get(server, path_of(kind))[0].status

    assert (status("bad:404"), status("bad:500")) == (404, 500)
    assert get(server, path_of("bad:empty"))[1] == b""
    assert get(server, path_of("bad:pdf"))[1].startswith(b"%PDF-")
    assert get(server, path_of("bad:pdf"))[0].headers["Content-Type"].startswith("text/html")
    assert len(get(server, path_of("bad:huge"))[1]) >= HUGE_BYTES
    assert get(server, path_of("bad:deep"))[1].count(b"<div>") == DEEP_LEVELS
    for kind in ("bad:consent", "bad:soft-404", "bad:login", "bad:slow"):
        assert status(kind) == 200


def test_redirects_lead_in_a_loop_or_to_another_host(server):
    first, second = (bad_page.path for bad_page in BAD_PAGES if bad_page.kind == "bad:redirect-loop")
    assert get(server, first)[0].headers["Location"] == second
    assert get(server, second)[0].headers["Location"] == first
    away = get(server, path_of("bad:redirect-host"))[0].headers["Location"]
    assert away == f"http://127.0.0.2:{server.port}/elsewhere/partner-story.html"


def test_bad_pages_are_linked_from_the_front_page_and_a_section(server):
    front = get(server, "/")[1].decode()
    assert all(f'href="{bad_page.path}"' in front for bad_page in BAD_PAGES)
    assert path_of("bad:404") in get(server, "/news/town/")[1].decode()


def test_truncated_page_ends_in_a_tag_and_its_gold_text_with_it(server):
    (article,) = server.site.tolerated()
    response, body = get(server, article.path)
    assert int(response.headers["Content-Length"]) == len(body)
    assert body.endswith(article.text.split("\n")[-1].encode() + b' <a class="inl') and b"</html>" not in body
    assert article.path not in {gold.path for gold in server.site.gold()}


def test_requests_of_the_other_host_are_recorded():
    with serve(Site(), other_host=True) as server:
        connection = HTTPConnection("127.0.0.2", server.port, timeout=300)
        connection.request("GET", "/elsewhere/partner-story.html")
        assert connection.getresponse().status == 200
        connection.close()
        assert [seen.host for seen in server.requests] == [f"127.0.0.2:{server.port}"]


def test_head_gets_no_body_and_post_gets_405(server):
    response, body = get(server, "/", method="HEAD")
    assert (response.status, body) == (200, b"") and int(response.headers["Content-Length"]) > 1000
    assert get(server, "/contact/", method="POST")[0].status == 405


def test_serve_on_a_taken_port_raises_an_error_that_names_it(server):
    with pytest.raises(DemoServerError, match=str(server.port)), serve(port=server.port):
        pass


def test_server_stops_while_a_slow_page_is_sent():
    with serve(Site(slow_seconds=600)) as server:
        connection = HTTPConnection("127.0.0.1", server.port, timeout=300)
        connection.request("GET", path_of("bad:slow"))
        connection.sock.shutdown(1)
    connection.close()


def test_serve_in_process_takes_the_next_port_and_stops_with_its_block(server):
    second = free_port()
    with serve_in_process((server.port, second), "--validators", "none") as url:
        assert url == f"http://127.0.0.1:{second}"
        connection = HTTPConnection("127.0.0.1", second, timeout=300)
        connection.request("GET", "/")
        response = connection.getresponse()
        assert (response.status, "ETag" in response.headers) == (200, False)
        connection.close()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", second), timeout=5)


def test_serve_in_process_without_a_free_port_raises_the_message_of_the_child(server):
    message = f"^the demonstration site can't listen on 127.0.0.1:{server.port}"
    with pytest.raises(DemoServerError, match=message), serve_in_process([server.port]):
        pass
