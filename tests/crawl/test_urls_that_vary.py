"""Sites whose URLs vary: session ids, campaigns, filters, odd spellings of links; each story is fetched once."""

import random
from collections.abc import Callable
from itertools import count
from urllib.parse import parse_qsl, urlencode

import pytest

from tests.crawling import STORIES, Answer, Web, add_stories, article, crawl, front, web


def visits(site: Web, form: str) -> None:
    """Stories with links to each other and a new session id a response; {} stands for the id, {path} for the path."""
    numbers = count(random.Random(form).randrange(10**6))

    def page(make: Callable[[str], str]) -> Callable[[], Answer]:
        def answer() -> Answer:
            session = f"{next(numbers):x}ab{next(numbers):08d}c"
            return Answer(
                make(
                    "".join(
                        f"<h3><a href='{form.format(session, path=path)}'>Council votes, part {path[-6]}</a></h3>"
                        for path in STORIES[:3]
                    )
                )
            )

        return answer

    class Pages(dict[str, object]):
        def get(self, path: str, default: object = None) -> object:
            plain = path.partition("?")[0].partition(";")[0]
            return super().get("/" + plain.partition(")/")[2] if ")/" in plain else plain, default)

    site.pages = Pages()  # type: ignore[assignment]
    site["/"] = page(lambda links: f"<!doctype html><html><body>{links}</body></html>")
    for n, path in enumerate(STORIES[:3]):
        site[path] = page(lambda links, n=n: article(f"Story {n}", f"Place {n}", links=links))


@pytest.mark.parametrize(
    "form",
    [
        "{path};jsessionid={}", "{path}?PHPSESSID={}", "{path}?sid={}", "{path}?CFID=12&CFTOKEN={}",
        "{path}?ASPSESSIONIDQQ={}", "/(S({})){path}", "{path}?visitor={}", "{path}?x={}&session_id={}",
    ],
)  # fmt: skip
def test_session_ids_make_no_new_urls_in_this_run_and_the_next(tmp_path, form):
    with web() as site:
        visits(site, form.replace("x={}&session_id={}", "x={0}&session_id={0}"))
        done = crawl(tmp_path, "site", url=site.url)
        assert done.paths == {*STORIES[:3]}
        assert sorted(path for path in site.asked if "2026" in path) == STORIES[:3]
        site.asked.clear()
        crawl(tmp_path, "site", url=site.url)
        assert not [path for path in site.asked if "2026" in path], "nothing is due yet"


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
        known = front(*stories)

        class Pages(dict[str, object]):
            def get(self, path: str, default: object = None) -> object:
                if path.startswith("/archive"):
                    return Answer(known + links(path.partition("?")[2] if "?" in path else path))
                return super().get(path, default)

        site.pages = Pages(site.pages)  # type: ignore[assignment]
        site["/"] = front(*stories, start)
        done = crawl(
            tmp_path, "site", url=site.url, settings={"CONCURRENT_REQUESTS": "1"}
        )  # each page is read before the next
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
