"""Every row of LEASE_ENDINGS: what happens to a URL, and the state in which the database has it afterwards."""

import json
import tomllib
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urljoin

import pytest

from newsextract.crawl.lease import LEASE_ENDINGS
from newsextract.settings import DOWNLOADER_MIDDLEWARES, ITEM_PIPELINES
from newsextract.store import Store
from newsextract.store.frontier import find_url
from newsextract.store.lookup import find_versions
from tests.crawl.faulty_site import TEXT
from tests.crawl.test_security import stub
from tests.crawling import Answer, article, crawl, feed, front, make_due, web, webs
from tests.store.samples import count_url_states

#: Ending -> a path at which it happens in the first run, and the reason stored with it, if that is certain.
FIRST = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
#: Ending -> a path at which it happens in the second run.
SECOND = {"not_modified": "/section", "same_page": "/"}
SETTINGS = {
    "RETRY_TIMES": "1",
    "RETRY_HTTP_CODES": "502",
    "LOG_LEVEL": "DEBUG",
    "NEWSEXTRACT_EXTRACTOR": "bte",
    "SPIDER_MODULES": "tests.crawl.faulty_site",
    "DOWNLOADER_MIDDLEWARES": json.dumps({**DOWNLOADER_MIDDLEWARES, "tests.crawl.faulty_site.FaultyMiddleware": 900}),
    "ITEM_PIPELINES": json.dumps({**ITEM_PIPELINES, "tests.crawl.faulty_site.FaultyPipeline": 100}),
}


@pytest.fixture(scope="module")
def ended(tmp_path_factory) -> Iterator[SimpleNamespace]:
    """Two runs over a site where each of those things happens, and the rows of its URLs after each."""
    folder = tmp_path_factory.mktemp("ends")
    with web("127.0.0.2") as site:
        home = f"http://news.test:{site.port}"
        busy = iter([502])
        page = article(f"The pier of {TEXT}", TEXT)

        def section() -> Answer:
            known = any(headers.get("If-None-Match") == '"s"' for headers in site.headers)
            return Answer("" if known else front("/story"), 304 if known else 200, headers={"ETag": '"s"'})

        links = [path.format(port=site.port) for path, *_ in FIRST.values() if not path.startswith("http://other")]
        site["/"] = front("/section", "/busy", "/unasked", "/leaves", "/circle", *links)
        site["/section"] = section
        site["/busy"] = lambda: Answer(page, next(busy, 200))
        site["/robots.txt"] = Answer("User-agent: *\nDisallow: /private/\n", content_type="text/plain")
        for path in ("/story", "/item-error", "/callback-error"):
            site[path] = article(f"A story at {path}", f"{TEXT} {path}")
        stamps = count()
        site["/story"] = lambda: Answer(article("A story", TEXT), headers={"ETag": f'"{next(stamps)}"'})  # a lie
        site["/old"] = article("An old story", "old", date="2019-02-03T04:05:06+00:00")
        site["/short"] = f"<html><body><p>{TEXT}.</p></body></html>"
        site["/file"] = Answer("%PDF-1.7", content_type="application/pdf")
        site["/moved"] = Answer(status=301, headers={"Location": "/story"})
        site["/circle"] = Answer(status=302, headers={"Location": "/a/b/a/b/a/b/a/b"})
        site["/leaves"] = Answer(status=302, headers={"Location": "http://other.test/"})
        site["/broken"], site["/unasked"] = Answer(TEXT, status=500), Answer(status=304)
        names = {"news.test": [["127.0.0.2"]], "inside.news.test": [["127.0.0.1"]], "other.test": [["127.0.0.2"]]}
        arguments = {"url": f"{home}/", "subdomains": "1", "since": "2020-01-01", **stub(names, **SETTINGS)}
        runs, rows = [], []
        for _ in range(2):
            runs.append(crawl(folder, "faulty", status=None, **arguments))
            with Store.open(f"sqlite:///{folder / 'newsextract.db'}") as store:
                asked = {"/busy", "/unasked", *SECOND.values(), *(path for path, *_ in FIRST.values())}
                urls = {path: urljoin(home, path.format(port=site.port)) for path in asked}
                rows.append({path: store.read(find_url, url) for path, url in urls.items()})
                states, versions = store.read(count_url_states), store.read(find_versions, f"{home}/story")
            make_due(folder, "/story", "/section")
        first, second = rows
        yield SimpleNamespace(first=first, second=second, runs=runs, states=states, versions=versions, asked=site.asked)


def test_lease_endings_are_all_tested():
    assert {*FIRST, *SECOND, "retry", "pending"} == {*LEASE_ENDINGS}  # pending: tests/crawl/test_settle.py


@pytest.mark.parametrize("end", FIRST)
def test_lease_ends_in_the_state_of_what_happened_to_its_url(ended, end):
    path, *reasons = FIRST[end]
    row = ended.first[path]
    assert row.state == LEASE_ENDINGS[end]
    assert [row.reason][: len(reasons)] == reasons


@pytest.mark.parametrize("end", SECOND)
def test_lease_of_a_page_that_is_as_it_was_ends_unchanged_with_its_old_reason(ended, end):
    before, row = ended.first[SECOND[end]], ended.second[SECOND[end]]
    assert row.state == LEASE_ENDINGS[end]
    assert row.reason == before.reason != ""
    assert ended.first["/unasked"].reason == "http_304", "it failed: nothing was known that it could be like"
    stat = {"not_modified": "newsextract/not_modified", "same_page": "newsextract/same_page"}[end]
    assert ended.runs[1].stats[stat] >= 1


def test_article_whose_validators_changed_but_not_its_text_is_not_extracted_again(ended):
    assert ended.asked.count("/story") == 2
    assert ended.second["/story"].state == LEASE_ENDINGS["same_page"]
    assert len(ended.versions) == 1
    assert ended.runs[0].stats["newsextract/pages"] > 0
    assert not ended.runs[1].stats.get("newsextract/pages")


def test_runs_retry_a_failed_request_leave_no_url_open_and_log_no_text_of_a_page(ended):
    assert ended.first["/busy"].attempts == 2
    assert ended.first["/busy"].state == LEASE_ENDINGS["article"]
    assert [run.status for run in ended.runs] == [0, 0]
    assert not {"queued", "leased", "pending", "retried"} & {*ended.states}
    for run in ended.runs:
        assert "DEBUG" in run.stderr
        assert TEXT not in run.stderr


def test_no_article_stays_in_memory_once_its_lease_has_ended(ended):
    assert [run.stats["articles_in_memory"] for run in ended.runs] == [0, 0]


def test_main_feeds_that_redirect_are_read_in_each_run(tmp_path):
    *old, new = stories = [f"/2026/05/0{n}/the-pier-of-{n}.html" for n in range(1, 4)]
    with webs(3) as sites:
        for site, status in zip(sites, (301, 302, 307), strict=True):
            for path in stories:
                site[path] = article(f"The pier of {path}", path)
            site["/"] = front(*old, head="<link rel=alternate type=application/rss+xml href=/feed>")
            site["/feed"] = Answer(status=status, headers={"Location": "/feed.xml"})
        for listed in (old, stories):
            for site in sites:
                site["/feed.xml"] = feed(*(site.url + path for path in listed))
                site.asked.clear()
            done = crawl(tmp_path, "site", url=",".join(site.url for site in sites))
            assert [site.asked.count("/feed.xml") for site in sites] == [1, 1, 1]
    assert {site.url + new for site in sites} <= done.urls
