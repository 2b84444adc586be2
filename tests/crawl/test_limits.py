"""What a page may cost: bytes, unpacked bytes, seconds, redirects; malformed addresses in its head cost it nothing."""

import gzip
import threading
from collections.abc import Iterator
from pathlib import Path

import brotli
import pytest

from tests.crawling import NO_LENGTH, Answer, Crawled, Web, add_stories, article, crawl, front, web

MIB = 1024 * 1024
FILLER = "<html><p>" + "x" * (2 * MIB) + "</p></html>"
NULS = b"<html>" + b"\0" * (16 * MIB)
LIMITS = {"DOWNLOAD_MAXSIZE": str(MIB), "DOWNLOAD_TIMEOUT": "5", "NEWSEXTRACT_EXTRACTOR": "bte"}


@pytest.fixture(scope="module")
def greedy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Crawled, Web]]:
    """The site and how its crawl ended."""
    held = threading.Event()
    page = article("The pier", "Bergen")
    packed = {"gzip": gzip.compress, "br": brotli.compress}
    with web() as site:
        site["/robots.txt"] = Answer(
            "User-agent: *\nDisallow: /private/\n\nUser-agent: newsextract\nDisallow: /mine/\n"
        )
        site["/long"], site["/stream"] = Answer(FILLER), Answer(FILLER, length=NO_LENGTH)
        site["/cut"] = Answer(page[: len(page) // 2], length=len(page))
        site["/slow"] = Answer("<html>", before=held.wait)
        site["/mine/a"] = article("The ferry", "Stavanger")
        for n in range(30):
            site[f"/hop/{n}"] = Answer(status=302, headers={"Location": f"/hop/{n + 1}"})
        for name, pack in packed.items():
            site[f"/bomb/{name}"] = Answer(pack(NULS), headers={"Content-Encoding": name})
            good = article(f"The pier in {name}", name.title()).encode()
            site[f"/good/{name}"] = Answer(pack(good), headers={"Content-Encoding": name})
        links = ("/long", "/stream", "/cut", "/slow", "/mine/a", "/hop/0", "/bomb/gzip", "/bomb/br")
        site["/"] = front(*links, "/good/gzip", "/good/br")
        done = crawl(tmp_path_factory.mktemp("greedy"), "site", settings=LIMITS, url=site.url)
        held.set()
        yield done, site


def test_limits_cost_hostile_pages_and_no_other(greedy: tuple[Crawled, Web]) -> None:
    done, site = greedy
    assert done.paths == {"/good/gzip", "/good/br"}
    assert done.status == 0
    assert "Traceback" not in done.stderr
    assert {"/long", "/stream", "/bomb/gzip", "/bomb/br"} <= set(site.asked)
    expected = {"too_large": 4, "timeout": 1, "redirects": 1, "cut_off": 1, "robots": 1}
    assert {reason: done.dropped[reason] for reason in expected} == expected
    assert "/hop/5" in site.asked and "/hop/7" not in site.asked
    assert "/mine/a" not in site.asked, "robots.txt has rules for our name"
    assert "4  larger than DOWNLOAD_MAXSIZE" in done.stderr and "1  disallowed by robots.txt" in done.stderr


def test_user_agent_names_newsextract(greedy: tuple[Crawled, Web]) -> None:
    agents = {headers["User-Agent"] for headers in greedy[1].headers}
    assert len(agents) == 1
    assert agents.pop().startswith("newsextract/")


def test_malformed_base_refresh_and_charset_cost_no_page(tmp_path: Path) -> None:
    with web() as site:
        stories = add_stories(site)
        site["/"] = front(*stories, head="<base href='http://[/'>")
        site[stories[0]] = article("Story 0", "Vik", head="<meta http-equiv=refresh content='0;url=http://[x'>")
        site[stories[1]] = Answer(site.answer(stories[1]).body, content_type="text/html; charset=idna")
        site[stories[2]] = article("Story 2", "Voss", head="<meta http-equiv=refresh content='0;url=/moved'>")
        site["/moved"] = article("Story 3", "Bergen")
        done = crawl(tmp_path, "site", url=site.url)
    assert done.status == 0, done.stderr
    assert done.paths == {*stories[:2], "/moved"}
