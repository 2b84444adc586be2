"""One page by its address, under the same guard, robots.txt and limits as a crawl, from any folder."""

import subprocess
from collections.abc import Iterator

import pytest

from newsextract.errors import AddressRefused, NewsextractError, WrongCall
from newsextract.runs.fetch_one import fetch_pages
from tests import preloaded
from tests.crawling import Answer, Web, article, web
from tests.examples import examples


@pytest.fixture
def site(tmp_path, monkeypatch) -> Iterator[Web]:
    monkeypatch.chdir(tmp_path)
    with web() as served:
        served["/robots.txt"] = Answer("User-agent: *\nDisallow: /private\n", content_type="text/plain")
        latin = "text/html; charset=latin-1"
        served["/a"] = Answer(article("A", "Bergen"), content_type=latin, headers={"ETag": '"1"'})
        served["/moved"] = Answer(status=301, headers={"Location": "/a"})
        served["/pdf"] = Answer(b"%PDF-1.7", content_type="text/html")
        yield served


@pytest.fixture
def preloaded_child(monkeypatch) -> None:
    """Starts the child process of `fetch_pages` as a fork of a process that has imported everything."""
    monkeypatch.setattr(subprocess, "Popen", preloaded.Popen)


def test_fetch_pages_keeps_the_order_and_follows_redirects(site, monkeypatch):
    monkeypatch.setenv("NEWSEXTRACT_ALLOW_PRIVATE", "1")
    moved, plain = fetch_pages(f"{site.url}/moved", f"{site.url}/a")
    assert moved.url == plain.url == f"{site.url}/a"
    assert b"harbour council of Bergen" in plain.body
    assert (plain.encoding, plain.etag, plain.status) == ("latin-1", '"1"', 200)
    assert plain.fetched_at.tzinfo is not None


@pytest.mark.usefixtures("preloaded_child")
@pytest.mark.parametrize(("path", "reason"), examples(__file__, "missing"))
def test_fetch_pages_says_in_one_sentence_why_there_is_no_page(site, monkeypatch, path, reason):
    monkeypatch.setenv("NEWSEXTRACT_ALLOW_PRIVATE", "1")
    with pytest.raises(NewsextractError, match=f"^{site.url}{path}: {reason}$"):
        fetch_pages(f"{site.url}/a", f"{site.url}{path}")


@pytest.mark.usefixtures("preloaded_child")
def test_fetch_pages_refuses_a_private_address(site):
    with pytest.raises(AddressRefused, match="is not on the public Internet") as refused:
        fetch_pages(f"{site.url}/a")
    assert "--set NEWSEXTRACT_ALLOW_PRIVATE=1 allows" in str(refused.value)
    assert "only for your own sites" in str(refused.value)
    assert site.asked == []


@pytest.mark.usefixtures("preloaded_child")
def test_fetch_pages_takes_settings_and_checks_them(site):
    [page] = fetch_pages(f"{site.url}/a", settings={"NEWSEXTRACT_ALLOW_PRIVATE": "1", "DOWNLOAD_MAXSIZE": "1e6"})
    assert b"Bergen" in page.body
    with pytest.raises(NewsextractError, match="larger than DOWNLOAD_MAXSIZE"):
        fetch_pages(f"{site.url}/a", settings={"NEWSEXTRACT_ALLOW_PRIVATE": "1", "DOWNLOAD_MAXSIZE": "1e1"})
    for name, said in (("NEWSEXTRACT_ALOW_PRIVATE", "did you mean"), ("HTTPPROXY_ENABLED", "must be False")):
        with pytest.raises(WrongCall, match=said):
            fetch_pages(f"{site.url}/a", settings={name: "1"})
