"""Sites whose URLs vary: session ids, campaigns, filters, odd spellings of links; each story is fetched once."""

import random
from itertools import count
from urllib.parse import parse_qsl, urlencode

import pytest

from tests.crawling import STORIES, Answer, Web, add_stories, article, crawl, front, webs


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
def test_filters_that_combine_cost_some_dozens_of_requests(tmp_path, site, start, links, most):
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


def test_odd_links_slugs_of_code_two_content_types_and_redirects_that_add_a_session_id(tmp_path, site):
    slug = "/news/town/the-town-moves-to-node.js"
    paths = ("/story?ref=4711", "/story?ref=4712", "/news/town/by-backslash", slug, "/twice")
    for n, path in enumerate(paths):
        site[path] = article(f"Story {n}", f"Place {n}")
    site["/twice"] = Answer(article("Story 9", "Place 9"), headers={"Content-Type": "text/html"})
    moved = (";jsessionid=1F2E3D", "/(S(lit3py55t21z5v55vlm25s55))", "?itm_source=r")
    for n, (path, odd) in enumerate(zip(STORIES, moved, strict=False)):
        target = f"{odd}{path}" if odd[0] == "/" else f"{path}{odd}"
        site[path], site[target] = Answer(status=302, headers={"Location": target}), article(f"Note {n}", f"Town {n}")
    links = [*paths[:2], r"\news\town/by-backslash", "/twice?itm_source=a", "/twice?ref=home"]
    slug_link = f"<li><a href=' {slug} '>The town moves its pages to Node.js</a></li></ul>"
    site["/"] = front(*links, "/assets/the-main-app.js", *STORIES[:3]).replace("</ul>", slug_link)
    done = crawl(tmp_path, "site", url=site.url)
    assert done.paths == {*paths, *STORIES[:3]}
    assert site.asked.count("/twice") == 1 and "/assets/the-main-app.js" not in site.asked
