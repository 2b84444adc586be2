"""What a page may cost: bytes, unpacked bytes, seconds, redirects. One crawl of a site that wants more of each."""

import gzip
import threading
from collections.abc import Iterator

import brotli
import pytest

from tests.crawling import NO_LENGTH, Answer, Crawled, Web, article, crawl, front, web

MIB = 1024 * 1024
FILLER = "<html><p>" + "x" * (2 * MIB) + "</p></html>"
NULS = b"<html>" + b"\0" * (16 * MIB)
LIMITS = {"DOWNLOAD_MAXSIZE": str(MIB), "DOWNLOAD_TIMEOUT": "12", "NEWSEXTRACT_EXTRACTOR": "bte"}


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
    assert done.urls == {f"{site.url}/good/gzip", f"{site.url}/good/br"}
    assert done.status == 0
    assert "Traceback" not in done.stderr


def test_download_maxsize_holds_for_bodies_as_sent_and_as_unpacked(greedy: tuple[Crawled, Web]) -> None:
    done, site = greedy
    assert {"/long", "/stream", "/bomb/gzip", "/bomb/br"} <= set(site.asked)
    assert done.dropped["too_large"] == 4


def test_download_timeout_ends_a_response_that_never_ends(greedy: tuple[Crawled, Web]) -> None:
    assert greedy[0].dropped["timeout"] == 1


def test_redirect_max_times_ends_a_redirect_loop(greedy: tuple[Crawled, Web]) -> None:
    done, site = greedy
    assert done.dropped["redirects"] == 1
    assert "/hop/5" in site.asked
    assert "/hop/7" not in site.asked


def test_connection_cut_in_the_middle_of_a_page_gives_no_half_article(greedy: tuple[Crawled, Web]) -> None:
    assert greedy[0].dropped["cut_off"] == 1


def test_robots_txt_rules_for_our_name_are_obeyed(greedy: tuple[Crawled, Web]) -> None:
    done, site = greedy
    assert "/mine/a" not in site.asked
    assert done.dropped["robots"] == 1


def test_user_agent_names_newsextract(greedy: tuple[Crawled, Web]) -> None:
    agents = {headers["User-Agent"] for headers in greedy[1].headers}
    assert len(agents) == 1
    assert agents.pop().startswith("newsextract/")


def test_summary_lists_the_reasons_of_dropped_pages(greedy: tuple[Crawled, Web]) -> None:
    summary = greedy[0].stderr
    assert "4  larger than DOWNLOAD_MAXSIZE" in summary
    assert "1  disallowed by robots.txt" in summary
