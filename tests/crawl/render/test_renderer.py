"""Pages rendered by a real chromium in real crawls: what is stored, which addresses are reached, which limits hold."""

import json
import os
import signal
import subprocess
import threading
import tomllib
from contextlib import suppress
from pathlib import Path

import pytest

from evaluation.crawling.kill import wait_until
from newsextract.demo import Site, serve
from tests.crawl.render.attacks import attack_page, listeners
from tests.crawl.test_security import SPELLINGS, stub
from tests.crawling import QUICK, STORY, Answer, Crawled, Web, article, crawl, crawl_command, environment, feed, web

pytestmark = pytest.mark.browser

SCRIPT = "text/javascript"
#: Draws the article that the data at the page's own address with `/data` before it have, as pages that measure do.
DRAW = Path(__file__).with_name("render.js").read_text("utf-8")
FRAME = "<!doctype html><title>Gazette</title><div id=root></div><script src=/render.js></script>"


def story(place: str, headline: str = "Pier to be rebuilt") -> str:
    text = STORY.format(place=place).splitlines()
    return json.dumps({"headline": f"{headline} in {place}", "date": "2026-05-05", "text": text})


def crawl_pages(folder: Path, site: Web, *names: str, render: str = "auto", **limits: str) -> Crawled:
    """Crawls the pages of these names, with NEWSEXTRACT_RENDER and its other settings."""
    site["/feed"] = feed(*(f"{site.url}/{name}" for name in names))
    settings = {"NEWSEXTRACT_RENDER": render, **{f"NEWSEXTRACT_RENDER_{name}": limits[name] for name in limits}}
    return crawl(folder, "feeds", url=f"{site.url}/feed", settings=settings)


def processes_with(variable: bytes) -> list[str]:
    """The processes that were started with an environment variable."""
    found = []
    for environ in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if variable in environ.read_bytes():
                found.append(environ.parent.name)
    return found


def test_section_rendered_by_scripts_is_crawled_as_any_other(tmp_path):
    site = Site(rendered=3, slow_seconds=0)
    gold = {gold.path: gold for gold in site.gold() if gold.template == "app"}
    with serve(site) as server:
        url = f"{server.url}/app/"
        plain = crawl(tmp_path, "site", url=url, allow="/app/")
        assert (plain.articles, plain.dropped) == ([], {"needs_javascript": 1})
        assert "render" in plain.stderr.lower()
        server.requests.clear()
        done = crawl(tmp_path, "site", url=url, allow="/app/", settings={"NEWSEXTRACT_RENDER": "auto"})
        asked = server.paths
    stored = {row["url"].removeprefix(server.url): row for row in done.articles}
    assert stored.keys() == gold.keys(), done.stderr
    for path, row in stored.items():
        assert row["headline"] == gold[path].headline
        assert row["article_body"] == gold[path].text
        assert row["authors"] == list(gold[path].authors)
        assert row["date_published"] == gold[path].published.isoformat()
    assert asked["/app/static/app.js"] == 1, "scripts are loaded once a crawl"
    assert asked["/static/site.css"] == 0
    assert all(seen.user_agent.startswith("newsextract/") for seen in server.requests)
    assert done.stats["newsextract/render/pages"] == 4


def test_addresses_that_the_guard_refuses_are_not_reached_from_a_page(tmp_path):
    names = {"news.test": [["127.0.0.2"]], "inside.test": [["127.0.0.1"]], "mixed.test": [["127.0.0.2", "127.0.0.1"]]}
    names["turns.test"] = [["127.0.0.2"], ["127.0.0.1"]]
    with web("127.0.0.2") as public, listeners() as there:
        hosts = [f"{host}:{there.port}" for host in (*names, *SPELLINGS)]
        redirects = [f"/to/{n}" for n in range(len(hosts))]
        for path, host in zip(redirects, hosts, strict=True):
            public[path] = Answer(status=302, headers={"Location": f"http://{host}/redirected"})
        text = json.dumps("<article><h1>Pier to be rebuilt</h1>" + article("Pier", "Oslo").partition("</h1>")[2])
        public["/feed"] = feed(f"http://news.test:{public.port}/story")
        public["/story"] = attack_page(there, hosts, text, redirects)
        limits = {"MAX_REQUESTS": "1000", "TIMEOUT": "60", "HOSTS": ",".join([*names, *SPELLINGS])}
        render = {f"NEWSEXTRACT_RENDER_{name}": value for name, value in limits.items()}
        options = stub(names, NEWSEXTRACT_RENDER="1", **render)
        done = crawl(tmp_path, "feeds", url=f"http://news.test:{public.port}/feed", **options)
    assert there.arrived == []
    assert set(redirects) <= set(public.asked), "the page's scripts ran"
    assert done.stats["newsextract/render/not_loaded/address_refused"] >= len(hosts)
    assert [row["url"].rpartition("/")[2] for row in done.articles] == ["story"], done.stderr


def test_third_parties_and_what_no_text_needs_are_not_loaded(tmp_path):
    with web() as site, web("127.0.0.3") as third, web("127.0.0.4") as named:
        named["/render.js"] = Answer(DRAW, content_type=SCRIPT)
        site["/robots.txt"] = Answer("User-agent: *\nDisallow: /data/secret", content_type="text/plain")
        site["/story"] = (
            "<link rel=stylesheet href=/sheet.css><img src=/image.png><div id=root></div><iframe src=/frame></iframe>"
            f"<script>fetch('/data/secret'); fetch('{third.url}/track')</script><script src={third.url}/ad.js></script>"
            f"<video src=/video></video><script src={named.url}/render.js></script>"
        )
        site["/data/story"] = Answer(story("Oslo"), content_type="application/json")
        done = crawl_pages(tmp_path, site, "story", render="1", HOSTS=f"127.0.0.4:{named.port}")
    assert [row["headline"] for row in done.articles] == ["Pier to be rebuilt in Oslo"], done.stderr
    assert set(site.asked) == {"/robots.txt", "/feed", "/story", "/data/story"}
    assert third.asked == []
    assert "/render.js" in named.asked
    assert done.stats["newsextract/render/not_loaded/robots"] == 1
    assert done.stats["newsextract/render/not_loaded/third_party"] == 2


def test_pages_that_never_end_or_are_larger_cost_no_more_than_the_limits(tmp_path, site):
    pages = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    for name, script in pages.items():
        site[f"/{name}"] = f"<!doctype html><title>x</title><body><div id=root></div>{script}"
    held = threading.Event()
    site["/held"], site["/large"] = Answer("late", before=held.wait), "x" * 3_000_000
    site["/render.js"] = Answer(DRAW, content_type=SCRIPT)
    site["/story"] = FRAME
    site["/data/story"] = Answer(story("Oslo"), content_type="application/json")
    # seconds in which the story is rendered beside the others
    limits = {"TIMEOUT": "6", "MAX_REQUESTS": "20", "MAXSIZE": "2000000"}
    done = crawl_pages(tmp_path, site, *pages, "story", **limits)
    held.set()
    assert done.status == 0
    assert [row["headline"] for row in done.articles] == ["Pier to be rebuilt in Oslo"], done.stderr
    assert done.stats["newsextract/render/over_limit"] >= 1
    assert done.stats["newsextract/render/failed/too_large"] == 1
    assert done.stats["newsextract/render/not_loaded/too_large"] == 1
    assert sum(path.startswith("/data/0.") for path in site.asked) <= 20


def test_page_is_rendered_again_though_its_frame_is_as_it_was(tmp_path, site):
    site["/render.js"] = Answer(DRAW, content_type=SCRIPT)
    site["/"] = Answer(FRAME, headers={"ETag": '"1"'})
    site["/story"] = Answer(FRAME, headers={"ETag": '"1"'})
    found = []
    for render, place in (("0", "Oslo"), ("auto", "Oslo"), ("auto", "Bergen")):
        site["/data/story"] = Answer(story(place), content_type="application/json")
        done = crawl_pages(tmp_path, site, "story", render=render)
        found.append([row["headline"] for row in done.articles])
    conditional = [headers for headers in site.headers if "If-None-Match" in headers]
    assert found[:2] == [[], ["Pier to be rebuilt in Oslo"]]
    assert conditional == []


def test_crawl_that_is_told_to_stop_ends_its_browser(tmp_path, site):
    for n in range(100):
        site[f"/{n}"] = "<!doctype html><title>x</title><div id=root></div><script>while (true) {}</script>"
    site["/feed"] = feed(*(f"{site.url}/{n}" for n in range(100)))
    settings = {**QUICK, "NEWSEXTRACT_RENDER": "auto"}
    command = crawl_command("feeds", settings=settings, url=f"{site.url}/feed")
    marked = environment(MARK=str(tmp_path))
    options = {"cwd": tmp_path, "env": marked, "text": True, "start_new_session": True}
    process = subprocess.Popen(command, stderr=subprocess.PIPE, **options)
    wait_until(lambda: sum(path[1:].isdigit() for path in site.asked) >= 5 or process.poll() is not None)
    wait_until(lambda: len(processes_with(f"MARK={tmp_path}".encode())) > 2)  # the browser among them
    os.killpg(process.pid, signal.SIGINT)
    stderr = process.communicate(timeout=300)[1]
    assert sum(path[1:].isdigit() for path in site.asked) < 100
    assert "Traceback" not in stderr, stderr
    wait_until(lambda: not processes_with(f"MARK={tmp_path}".encode()))


def test_browser_that_does_not_start_is_one_sentence(tmp_path, site):
    site["/"] = FRAME
    settings = {"NEWSEXTRACT_RENDER": "auto", "NEWSEXTRACT_RENDER_BROWSER": "/bin/false"}
    done = crawl(tmp_path, "site", url=site.url, settings=settings, status=1)
    assert "The crawl stopped early: the browser could not be started" in done.stderr
