"""Sites are added to a file: by URL, from OPML, CSV and lists; the file's contents stay."""

from pathlib import Path

import pytest

from newsextract.errors import WrongCall, WrongSetting
from newsextract.runs.one_crawl import command_settings
from newsextract.runs.sites_file import NewSite, add_sites, read_list
from newsextract.runs.spider_loader import SitesSpiderLoader

FILE = """# Our sites.
alerts = []

[defaults]
max_pages = 500  # enough

[sites.courier]  # the oldest
url = "https://courier.example/"
"""
OPML = Path(__file__).with_name("sites.opml").read_text("utf-8")


def sites_of(path: Path) -> dict[str, tuple[str, str]]:
    """Spider and URL of each site, as a crawl reads the file."""
    file = SitesSpiderLoader(command_settings({"NEWSEXTRACT_SITES": str(path)})).file
    assert file.complaints() == []
    return {site.name: (site.spider, site.arguments["url"]) for site in file.sites.values()}


def test_add_sites_keeps_comments_and_leaves_out_what_is_there(tmp_path):
    path = tmp_path / "sites.toml"
    path.write_text(FILE)
    new = ["https://post.example/", "http://www.courier.example", "post.example/news", "https://a:b@c.example/", "x y"]
    added = add_sites(path, [NewSite(url) for url in new])
    assert (added.names, added.known, len(added.wrong)) == (["post-example", "post-example-2"], 1, 2)
    assert "a:b@" not in " ".join(added.wrong)
    assert path.read_text().startswith(FILE)
    urls = ("https://courier.example/", "https://post.example/", "https://post.example/news")
    assert sites_of(path) == dict(zip(("courier", *added.names), (("site", url) for url in urls), strict=True))


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (OPML, [("https://wire.example/rss", "feeds", "wire"), ("https://www.post.example/", "site", None)]),
        ("name;url\npost;https://post.example\n", [("https://post.example", "site", "post")]),
        ("Title,Feed\nA,https://a.example/rss\n", [("https://a.example/rss", "feeds", "A")]),
        ("# ours\npost.example\nhttps://b/\n", [("post.example", "site", ""), ("https://b/", "site", "")]),
    ],
)
def test_read_list_reads_opml_csv_and_plain_lists(tmp_path, content, expected):
    path = tmp_path / "list"
    path.write_text(content)
    sites = read_list(path)
    assert [(site.url, site.spider) for site in sites] == [row[:2] for row in expected]
    assert all(row[2] in (None, site.name) for site, row in zip(sites, expected, strict=True))
    assert not any("root:" in site.name for site in sites)


def test_opml_that_is_damaged_or_has_many_attributes(tmp_path):
    many = " ".join(f"a{number}='x'" for number in range(200_000))  # a reader that takes quadratic time never ends
    text = f"<opml><body><outline text='A & B' htmlUrl='https://a.example/?x=1&y=2' {many}><outline xmlurl='https://b.example/"
    (tmp_path / "list").write_text(text + "rss'/></body>")
    assert [site.url for site in read_list(tmp_path / "list")] == [
        "https://a.example/?x=1&y=2",
        "https://b.example/rss",
    ]


@pytest.mark.parametrize("content", [b"", b"<opml>", b"<\xff\xfe", b"<html><p>no outline</p></html>"])
def test_list_without_sites_is_refused(tmp_path, content):
    path = tmp_path / "list"
    path.write_bytes(content)
    with pytest.raises(WrongCall, match="has no sites"):
        read_list(path)


@pytest.mark.parametrize("text", ["[sites", "sites = 7", "[[sites]]\nurl = 'x'"])
def test_file_that_is_no_file_of_sites_stays_as_it_is(tmp_path, text):
    path = tmp_path / "sites.toml"
    path.write_text(text)
    with pytest.raises(WrongSetting, match="isn't a file of sites"):
        add_sites(path, [NewSite("https://a.example/")])
    assert path.read_text() == text
