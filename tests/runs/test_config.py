from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from scrapy import Request

from newsextract.crawl.scope import SiteHeadersMiddleware
from newsextract.errors import WrongCall
from newsextract.page import Page
from newsextract.runs.config import SitesFile, read_sites
from newsextract.runs.spider_loader import SitesSpiderLoader, check_spider
from tests.crawling import settings as scrapy_settings
from tests.examples import examples

COURIER = Path(__file__).with_name("courier.toml").read_text("utf-8")


def loader(**settings: object) -> SitesSpiderLoader:
    return SitesSpiderLoader(scrapy_settings(**settings))


@pytest.fixture
def load(tmp_path) -> Callable[[str], SitesSpiderLoader]:
    """The loader over a file with that content."""

    def load(text: str) -> SitesSpiderLoader:
        (tmp_path / "sites.toml").write_text(text, "utf-8")
        return loader(NEWSEXTRACT_SITES=str(tmp_path / "sites.toml"))

    return load


@pytest.fixture
def read(tmp_path) -> Callable[[str], SitesFile]:
    """What a file with that content says, with the project's spiders."""
    spiders = {name: loader(NEWSEXTRACT_SITES=None).load(name) for name in ("site", "feeds", "archive")}

    def read(text: str) -> SitesFile:
        (tmp_path / "sites.toml").write_text(text, "utf-8")
        return read_sites(tmp_path / "sites.toml", spiders, spiders)

    return read


def test_site_of_the_file_is_a_spider_with_its_values(load):
    found = load(COURIER)
    assert sorted(found.list()) == ["archive", "courier", "feeds", "pages", "site", "wire"]
    courier = found.load("courier")(deny="/sport/")
    assert courier.name == "courier"
    assert courier.values["url"] == ("https://courier.example/", "https://b.example")
    assert courier.values["max_pages"] == 50
    assert courier.values["deny"].pattern == "/sport/", "-a goes before the file"
    assert courier.custom_settings["DOWNLOAD_DELAY"] == 2.5
    assert courier.custom_settings["NEWSEXTRACT_EXTRACTOR"] == "cetd"
    assert courier.custom_settings["NEWSEXTRACT_SITE_EVIDENCE"] is False
    wire = found.load("wire")()
    assert (wire.values["max_pages"], wire.drop) == (50, courier.drop)
    paths, courier = ("/tag/x", "/search?q=1", "/news/1"), found.load("courier")()
    assert [courier.left_out(f"https://courier.example{path}") for path in paths] == ["denied", "denied", ""]
    half, hour = timedelta(minutes=30), timedelta(hours=1)
    intervals = [(site.interval, site.shortest, site.longest) for site in found.file.sites.values()]
    assert intervals == [(half, half / 4, 8 * half), (hour, hour / 4, 8 * hour)]


@pytest.mark.browser
def test_site_may_be_drawn_by_a_browser(load):
    spider = load(f'{COURIER}render = "auto"\nrender_hosts = ["Cdn.example.net"]').load("wire")
    settings = {name: value for name, value in (spider.custom_settings or {}).items() if "RENDER" in name}
    assert settings == {"NEWSEXTRACT_RENDER": "auto", "NEWSEXTRACT_RENDER_HOSTS": ["cdn.example.net"]}


def test_site_to_be_drawn_is_refused_where_the_browser_is_missing(tmp_path):
    (tmp_path / "sites.toml").write_text('[sites.a]\nurl = "https://a.example/"\nrender = true')
    file = loader(NEWSEXTRACT_SITES=str(tmp_path / "sites.toml"), NEWSEXTRACT_RENDER_BROWSER="/no/browser").file
    assert "sites.a.render: NEWSEXTRACT_RENDER_BROWSER is '/no/browser', which isn't a program" in file.complaints()[0]


@pytest.mark.parametrize(("line", "said"), examples(__file__, "entries"))
def test_wrong_entry_is_reported_with_file_key_and_allowed_values(read, line, said):
    address = "" if line.startswith("url") else 'url = "https://a.example/"\n'
    file = read(f'[sites.a]\n{address}{line}\n[sites.b]\nurl = "https://b.example/"\n[sites.c]\ndrop = 1')
    [sentence, drop, url] = file.complaints()
    assert "sites.c.drop: 1 must be a list" in drop and "sites.c.url: is missing" in url, "all is reported at once"
    assert f"{file.path}: sites.a.{said}" in sentence
    assert [*file.sites] == ["b"], "the others are as they were"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        *examples(__file__, "files"),
        ("a = " + "[" * 5000, "isn't valid TOML"),
        ("a." * 300 + "b = 1", "has more than 200 words"),
    ],
)
def test_wrong_file_gives_no_sites(read, text, said):
    file = read(text)
    assert any(f"{file.path}: {said}" in sentence for sentence in file.complaints())
    assert file.sites == {}


def test_unreadable_file_is_reported(read, tmp_path):
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe\x00")
    assert "is not UTF-8" in read_sites(tmp_path / "bytes.toml", {}, {}).complaints()[0]
    assert "can't be read: No such file" in read_sites(tmp_path / "none.toml", {}, {}).complaints()[0]
    assert "can't be read: Is a directory" in read_sites(tmp_path, {}, {}).complaints()[0]


@pytest.mark.parametrize(("name", "said"), examples(__file__, "names"))
def test_site_name_is_refused_if_taken_or_malformed(read, name, said):
    file = read(f"[sites.b]\nurl = 'https://b.example/'\n[sites.{name}]\nurl = 'https://a.example/'")
    [sentence] = file.complaints()
    assert said in sentence
    assert [*file.sites] == ["b"]


def test_broken_file_leaves_the_project_spiders_usable(load, capsys):
    broken = load("[sites.courier")
    assert sorted(broken.list()) == ["archive", "feeds", "pages", "site"]
    assert capsys.readouterr().err.startswith("newsextract: ")
    half = load("[sites.a]\nurl = 'https://a.example/'\nmax_pages = 0\n[sites.b]\nurl = 'https://b.example/'")
    assert sorted(half.list()) == ["archive", "b", "feeds", "pages", "site"]
    with pytest.raises(WrongCall, match=r"there is no spider 'a': its entry is wrong in .*sites.toml"):
        check_spider(half, "a", {})
    assert capsys.readouterr().err.count("sites.a.max_pages") == 1
    load("[sites.a]\nurl = 'https://a.example/'\nmax_pages = 0\n[sites.b]\nurl = 'https://b.example/'")
    assert capsys.readouterr().err == "", "said once a process"


def test_missing_file_is_reported_only_if_it_was_named(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scrapy.cfg").touch()
    assert sorted(loader().list()) == ["archive", "feeds", "pages", "site"]
    assert capsys.readouterr().err == ""
    (tmp_path / "sites.toml").write_text("[sites.here]\nurl = 'https://a.example/'")
    assert "here" in loader().list(), "beside scrapy.cfg"
    loader(NEWSEXTRACT_SITES=str(tmp_path / "other.toml"))
    assert "other.toml: can't be read" in capsys.readouterr().err


def test_site_headers_and_cookies_are_sent_to_that_site_alone(load):
    middleware = SiteHeadersMiddleware(SimpleNamespace(spider=load(COURIER).load("courier")()))
    for url, sent in (
        ("https://courier.example/a", True),
        ("https://www.courier.example/a", True),
        ("https://shop.courier.example/a", True),
        ("https://courier.example.evil.example/a", False),
        ("https://elsewhere.example/a", False),
    ):
        request = Request(url, headers={"Accept-Language": "de"}, cookies={"consent": "1"})
        middleware.process_request(request)
        assert (b"Accept-Language" in request.headers, bool(request.cookies)) == (sent, sent), url


def test_drop_removes_elements_and_keeps_the_text_behind_them(load):
    page = Page("<body><p>one <b class=related>two</b> three</p><aside>four</aside>five<p>six</p></body>")
    page.drop(load(COURIER).load("courier").drop)
    assert page.blocks.texts == ["one three", "five", "six"]
    whole = Page("<body><p>one</p></body>")
    whole.drop(("//body", "/html", "//@x", "//text()"))
    assert whole.blocks.texts == ["one"]
