"""Parameters of any name that select nothing, learned from the links of a site."""

import pytest

from newsextract.discovery.parameters import ParameterObserver
from newsextract.items import Link
from newsextract.urls import article_key

SITE = "https://example.org"
HEADLINES = ("The ferry stays in port all winter", "Council buys the old mill", "Harbour lights are mended at last")


def learn(*pages: list[tuple[str, str]], url: str = f"{SITE}/") -> list[str]:
    """What the links of the last page are after all pages were read."""
    observer, links = ParameterObserver(), list[Link]()
    for page in pages:
        links = [Link(SITE + path, text, article_key(SITE + path)) for path, text in page]
        observer.learn(links, url)
    assert all(link.key == article_key(link.url) for link in links)
    return [link.url.removeprefix(SITE) for link in links]


def stories(query: str, *, path: str = "/news/{}") -> list[tuple[str, str]]:
    return [(path.format(n) + query.format(n=n), text) for n, text in enumerate(HEADLINES)]


PLAIN = [f"/news/{n}" for n in range(3)]


@pytest.mark.parametrize("value", ["8f3a01bc", "aGVsbG8-d29ybGQ_1", "12345678901234567890", "0.8261735f11"])
def test_random_value_on_most_links_of_a_page_selects_nothing(value):
    assert learn([("/", "Home"), *stories(f"?vis={value}")]) == ["/", *PLAIN]
    assert learn([("/", "Home"), *stories(f"?a=1&vis={value}&b=2")])[1] == "/news/0?a=1&b=2"
    assert learn(stories(f"?vis={value}"), stories("?vis=ffff0000")) == PLAIN


@pytest.mark.parametrize(
    "page",
    [
        stories("?edition=uk"),  # not random
        stories("?id=8f3a01b{n}", path="/story"),  # a value each
        [("/print?id=8f3a01bc", "Print"), ("/share?id=8f3a01bc", "Share"), *((f"/{n}", "x") for n in range(5))],
        [("/story?id=8f3a01bc", ""), ("/mail?id=8f3a01bc", ""), ("/story?id=77aa01bc", ""), ("/mail?id=77aa01bc", "")],
        [("/story?nr=1", HEADLINES[0]), ("/story?nr=2", HEADLINES[1]), ("/list?page=1", "1"), ("/list?page=2", "2")],
        [("/story?nr=1", "More"), ("/story?nr=2", "More"), ("/film?nr=1", "More"), ("/film?nr=2", "More")],
        [(f"/{kind}?nr={n}", "Continue reading this article") for kind in ("story", "film") for n in range(2)],
        [(f"/{kind}?nr={n}", f"Continue with this {kind} to the end") for kind in ("story", "film") for n in range(5)],
        [("/story", "All stories of the paper"), *stories("?nr={n}", path="/story")],
    ],
)
def test_parameters_that_may_select_pages_stay(page):
    assert learn(page) == [path for path, _ in page]


def test_random_value_that_is_the_own_one_of_the_page_stays():
    page = [("/print?id=8f3a01bc", "Print"), ("/mail?id=8f3a01bc", "Mail")]
    assert learn(page, url=f"{SITE}/story?id=8f3a01bc") == [path for path, _ in page]


@pytest.mark.parametrize(
    "page", [[*stories("?from=top"), *stories("?from=side")], [*stories("?from=top"), *stories("")]]
)
def test_parameter_that_differs_on_links_with_one_headline_selects_nothing(page):
    assert learn(page) == [*PLAIN, *PLAIN]
    longer = [(path, f"{text} Our correspondent reports.") for path, text in stories("?from=side")]
    assert learn([*stories("?from=top"), *longer]) == [*PLAIN, *PLAIN]


def test_page_of_nothing_but_parameters_is_read_in_linear_time():
    query = "&".join(f"p{n}=8f3a01b{n}" for n in range(12))
    assert len(learn([(f"/{n}?{query}&q{n}=1", f"{HEADLINES[0]} {n}") for n in range(3_000)])) == 3_000
