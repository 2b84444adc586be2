"""Sites whose URLs vary: session ids, campaigns, filters, odd spellings of links; each story is fetched once."""

import random
from itertools import count
from urllib.parse import parse_qsl, urlencode

import pytest

from tests.crawling import STORIES, Answer, Web, add_stories, article, crawl, front, web, webs


def visits(site: Web, form: str) -> None:
    """Stories with links to each other and a new session id a response; {0} stands for the id, {path} for the path."""
    numbers = count(random.Random(form).randrange(10**6))

    def answer(path: str) -> Answer:
        session = f"{next(numbers):x}ab{next(numbers):08d}c"
        links = "".join(
            f"<h3><a href='{form.format(session, path=story)}'>Council votes, part {story[-6]}</a></h3>"
            for story in STORIES[:3]
        )
        for n, story in enumerate(STORIES[:3]):
            if story in path:
                return Answer(article(f"Story {n}", f"Place {n}", links=links))
        return Answer(f"<!doctype html><html><body>{links}</body></html>", 200 if path == "/" else 404)

    site.answer = answer


FORMS = (
    "{path};jsessionid={0}", "{path}?PHPSESSID={0}", "{path}?sid={0}", "{path}?CFID=12&CFTOKEN={0}",
    "{path}?ASPSESSIONIDQQ={0}", "/(S({0})){path}", "{path}?visitor={0}", "{path}?x={0}&session_id={0}",
)  # fmt: skip


def test_session_ids_make_no_new_urls_in_this_run_and_the_next(tmp_path):
    with webs(len(FORMS)) as sites:
        for site, form in zip(sites, FORMS, strict=True):
            visits(site, form)
        urls = ",".join(site.url for site in sites)
        done = crawl(tmp_path, "site", url=urls)
        assert done.urls == {site.url + path for site in sites for path in STORIES[:3]}
        for site, form in zip(sites, FORMS, strict=True):
            assert sorted(path for path in site.asked if "2026" in path) == STORIES[:3], form
            site.asked.clear()
        crawl(tmp_path, "site", url=urls)
        assert not [path for site in sites for path in site.asked if "2026" in path], "nothing is due yet"


def filters(query: str) -> str:
    chosen = parse_qsl(query)
    pairs = [(name, str(value)) for name in ("topic", "author[]", "year", "type", "sort") for value in range(6)]
    links = (
        urlencode([*(pair for pair in chosen if pair[0] != name or "[" in name), (name, value)])
        for name, value in pairs
    )
    return "".join(f"<a href='/archive?{link}'>{link[-1]}</a>" for link in links)


def below(path: str) -> str:
    chosen = [part.partition("-")[::2] for part in path.removeprefix("/archive/").strip("/").split("/") if part]
    pairs = [(name, str(value)) for name in ("topic", "author", "year", "type", "sort") for value in range(6)]
    made = (
        "/".join("-".join(pair) for pair in [*(pair for pair in chosen if pair[0] != name), (name, value)])
        for name, value in pairs
    )
    return "".join(f"<a href='/archive/{link}'>{link[-1]}</a>" for link in made)


@pytest.mark.parametrize(
    ("start", "links", "most"), [("/archive?sort=0", filters, 80), ("/archive/sort-0", below, 120)]
)
def test_filters_that_combine_cost_some_dozens_of_requests(tmp_path, start, links, most):
    with web() as site:
        stories = add_stories(site)
        known, others = front(*stories), site.answer

        def answer(path: str) -> Answer:
            if path.startswith("/archive"):
                return Answer(known + links(path.partition("?")[2] or path))
            return others(path)

        site.answer = answer
        site["/"] = front(*stories, start)
        one_by_one = {"CONCURRENT_REQUESTS": "1"}  # each page is read before the next
        done = crawl(tmp_path, "site", url=site.url, settings=one_by_one)
    assert done.paths == {*stories}
    assert len([path for path in site.asked if path.startswith("/archive")]) < most


def test_numbers_in_ref_backslashes_slugs_of_code_and_two_content_types(tmp_path):
    paths = (
        "/story?ref=4711",
        "/story?ref=4712",
        "/news/town/by-backslash",
        "/news/town/the-town-moves-to-node.js",
        "/twice",
    )
    with web() as site:
        for n, path in enumerate(paths):
            site[path] = article(f"Story {n}", f"Place {n}")
        site["/twice"] = Answer(article("Story 9", "Place 9"), headers={"Content-Type": "text/html"})
        links = [
            *paths[:2],
            r"\news\town/by-backslash",
            "/twice?itm_source=a",
            "/twice?ref=home",
            "/assets/the-main-app.js",
        ]
        slug = f"<a href=' {paths[3]} '>The town moves its pages to Node.js</a>"
        site["/"] = front(*links).replace("</ul>", f"<li>{slug}</li></ul>")
        done = crawl(tmp_path, "site", url=site.url)
    assert done.paths == {*paths}
    assert site.asked.count("/twice") == 1 and "/assets/the-main-app.js" not in site.asked


def test_redirect_that_adds_a_session_id_adds_none_to_the_stored_url(tmp_path):
    with web() as site:
        targets = (
            f"{STORIES[0]};jsessionid=1F2E3D",
            f"/(S(lit3py55t21z5v55vlm25s55)){STORIES[1]}",
            f"{STORIES[2]}?itm_source=r",
        )
        site["/"] = front(*STORIES[:3])
        for n, target in enumerate(targets):
            site[STORIES[n]] = Answer(status=302, headers={"Location": target})
            site[target] = article(f"Story {n}", f"Place {n}")
        done = crawl(tmp_path, "site", url=site.url)
    assert done.paths == {*STORIES[:3]}
