"""Saved sites: reachable pages, how they are served, and folders that aren't saved sites."""

import tarfile
import urllib.error
import urllib.request

import pytest

from evaluation.crawling.site_folder import open_sites, page_key, read_site, serve_site
from newsextract.errors import WrongCall


def test_page_key_is_the_same_for_every_address_of_a_page():
    keys = {page_key(path) for path in ("2026/a/index.html", "/2026/a/", "/2026/a", "/2026/a.html", "/2026/%61/?x=1#y")}
    assert keys == {"/2026/a"}


def test_read_site_has_the_articles_that_links_and_feeds_lead_to(folder):
    site = read_site(folder)
    assert set(site.gold) == {"/2026/pier", "/2026/ferry", "/2026/only-in-feed"}
    assert site.kinds == {"/": "list", "/archive": "list", "/about": "page"}


def test_serve_site_answers_as_a_web_server_does_and_counts_pages(folder):
    with serve_site(folder / "public") as server:
        for path in ("", "archive", "2026/ferry.html", "2026/pier/"):
            with urllib.request.urlopen(server.url + path) as response:
                assert response.headers["Content-Type"] == "text/html"
        with urllib.request.urlopen(server.url + "feed.xml") as response:
            assert f"<link>{server.url}2026/only-in-feed/</link>" in response.read().decode()
        for path in ("nothing", "../gold.jsonl", "%2e%2e/gold.jsonl"):
            with pytest.raises(urllib.error.HTTPError, match="404"):
                urllib.request.urlopen(server.url + path)
    assert server.requests == {"/": 1, "/archive/": 1, "/2026/ferry.html": 1, "/2026/pier/": 1, "/feed.xml": 0}


def test_open_sites_reads_archives_and_folders(folder, tmp_path):
    with tarfile.open(tmp_path / "other.tar.xz", "w:xz") as tar:
        tar.add(folder, "other")
    with open_sites([folder, tmp_path / "other.tar.xz"]) as sites:
        assert [site.name for site in sites] == ["gazette", "other"]
        assert sites[0].gold == sites[1].gold
        unpacked = sites[1].public
        assert unpacked.is_dir()
    assert not unpacked.exists()


@pytest.mark.parametrize(
    ("file", "content"),
    [("gold.jsonl", b"\xff{"), ("pages.jsonl", b'{"path": 3}\n'), ("../gazette.tar.xz", b"no archive")],
)
def test_open_sites_names_what_is_wrong_with_a_folder_or_archive(folder, file, content):
    (folder / file).write_bytes(content)
    with pytest.raises(WrongCall, match="gazette"), open_sites([folder if ".." not in file else folder / file]):
        pass


def test_open_sites_refuses_a_site_named_twice_and_a_folder_without_pages(folder):
    (folder.parent / "empty" / "gazette").mkdir(parents=True)
    for folders in ([folder, folder], [folder.parent / "empty" / "gazette"]):
        with pytest.raises(WrongCall, match="gazette"), open_sites(folders):
            pass
