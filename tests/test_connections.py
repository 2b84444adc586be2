"""No connection and no name look-up but to the crawled sites, in any process of any command."""

import gzip
import re
import sys

from tests import preloaded
from tests.browse.serving import browsing, get
from tests.crawling import (
    CHECKOUT,
    QUICK,
    Answer,
    add_stories,
    article,
    crawl,
    crawl_options,
    feed,
    front,
    run_command,
    web,
)

#: Imported by each Python process at its start: notes every connection and name look-up.
WATCH = """
import os, sys

def watch(event, arguments):
    if event == "socket.connect" and isinstance(arguments[1], tuple) or event == "socket.sendto":
        host, port = arguments[1][:2]
    elif event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"):
        host, port = arguments[0], ""
    else:
        return
    with open({path!r}, "a") as notes:
        notes.write(f"{{event}} {{host}} {{port}}\\n")

sys.addaudithook(watch)
"""
COOKIES = ("a=1; Domain={host}", "b=2; Domain=.co.uk; Path=/", "c=3; Domain=news.example", "d=4; Max-Age=99")
ELSEWHERE = "<script src=https://cdn.example/a.js></script><img src=//img.example/a.jpg><link href=//x.example>"


def test_crawl_export_report_and_dashboard_connect_to_the_site_only(tmp_path):
    notes = tmp_path / "connections.txt"
    (tmp_path / "sitecustomize.py").write_text(WATCH.format(path=str(notes)), "utf-8")
    path = f"{tmp_path}:{CHECKOUT}"

    def run(*words: str, workers: str = "0") -> str:
        """With worker processes the command starts as installed: preloaded ones have workers that import no WATCH."""
        program = [sys.executable, "-P", "-m", "newsextract"] if workers != "0" else preloaded.command("newsextract")
        settings = {**QUICK, "NEWSEXTRACT_WORKERS": workers, "NEWSEXTRACT_KEEP_PAGES": "pages"}
        command = [*program, *words, *(crawl_options(settings) if words[0] == "crawl" else [])]
        return run_command(command, tmp_path, PYTHONPATH=path, NEWSEXTRACT_ALLOW_PRIVATE="1").stdout

    with web() as site, web("127.0.0.2") as other:
        stories = add_stories(site)
        for number, line in enumerate(COOKIES):
            cookie, story = {"Set-Cookie": line.format(host="127.0.0.1")}, article(f"Cookie {number}", f"Bay {number}")
            site[f"/2026/05/cookie-{number}.html"] = Answer(story, headers=cookie)
        links = [*stories, *(f"/2026/05/cookie-{number}.html" for number in range(len(COOKIES))), "/away", "/moved"]
        head = f"{ELSEWHERE}<link rel=alternate type=application/rss+xml href=/rss>"
        site["/"] = Answer(front(*links, other.url, head=head), headers={"Set-Cookie": "a=1; Domain=127.0.0.1"})
        site["/rss"] = feed(f"{site.url}/fed.html", "https://elsewhere.example/story")
        site["/fed.html"] = article("A story fed", "Fed", head=ELSEWHERE)
        site["/robots.txt"] = Answer(f"Sitemap: {site.url}/map.xml\n", content_type="text/plain")
        site["/map.xml"] = Answer(f"<urlset><url><loc>{site.url}/mapped.html</loc></url></urlset>")
        site["/mapped.html"] = article("A story mapped", "Mapped")
        site["/away"] = Answer(status=302, headers={"Location": "https://elsewhere.example/"})
        site["/moved"] = Answer(status=301, headers={"Location": stories[0]})
        run("crawl", site.url, workers="1")
        run("crawl", site.url)
        run("extract", f"{site.url}{stories[0]}")
        run("report", f"{site.url}{stories[0]}")
        assert len(run("export").splitlines()) == 9
        assert any(headers.get("Cookie") for headers in site.headers)
    run("status")
    run("search", "harbour")
    run("reextract", "--pages", "pages", "--workers", "1", workers="1")
    with browsing(tmp_path, PYTHONPATH=path) as address:
        pages = [get(f"{address}{page}") for page in ("/", "/newsextract", "/newsextract/articles")]
    loaded = re.compile(r"<(?:script|link|img|iframe)[^>]+(?:src|href)=.(?:https?:)?//(?!127.0.0.1)[^>]+")
    assert not loaded.findall("".join(pages)), "pages that open in a browser load nothing from elsewhere"
    assert other.asked == []
    allowed = {f"socket.connect 127.0.0.1 {site.port}", "socket.getaddrinfo 127.0.0.1 "}
    assert {*notes.read_text("utf-8").splitlines()} <= allowed


def test_credentials_of_sites_toml_reach_the_site_only_and_no_file(tmp_path):
    with web() as site, web() as other:
        add_stories(site)
        site["/robots.txt"] = Answer(status=302, headers={"Location": f"{other.url}/rules"})
        other["/rules"] = Answer("User-agent: *\nAllow: /\n", content_type="text/plain")
        secrets = (
            'headers = { Authorization = "Bearer hidden-a", X-Key = "hidden-b" }\ncookies = { login = "hidden-c" }\n'
        )
        (tmp_path / "sites.toml").write_text(f'[sites.gazette]\nurl = "{site.url}"\n{secrets}', "utf-8")
        done = crawl(tmp_path, "gazette", settings={"NEWSEXTRACT_KEEP_PAGES": "pages"})
    assert len(done.articles) == 3
    assert all({"hidden-b", "login=hidden-c"} <= {*headers.values()} for headers in site.headers)
    assert other.asked == ["/rules"] and "hidden" not in str(other.headers)
    assert b"hidden" not in b"".join(gzip.decompress(path.read_bytes()) for path in (tmp_path / "pages").rglob("*.gz"))
