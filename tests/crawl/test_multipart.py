"""Articles that are cut into pages are stored once and whole, and their parts are nobody's articles."""

from newsextract.store import UrlState
from newsextract.store.frontier import find_url
from tests.crawling import STORY, Answer, article, crawl, front

PAGER = "<a href='/long?page=1'>1</a> <a href='/long?page=2'>2</a> <a href='/long?page=3'>3</a>"


def part(number: int, links: str) -> str:
    """A part with text of its own, below the lead that every part repeats."""
    lead = STORY.format(place="Vik").splitlines()[0]
    page = article("A long story in three parts", f"Town {number}", links=links)
    return page.replace("</h1>", f"</h1><p>{lead}</p>")


def test_multipart_article_is_stored_once_as_far_as_it_is_there_and_no_paged_list_is(tmp_path, site, store):
    site["/"] = front("/section", "/long?page=2", "/cut", "/feed-story")
    site["/section"] = front("/long", "/section?page=2", head="<link rel=next href='/section?page=2'>")
    site["/section?page=2"] = front("/older", "/section", "/section?page=1")
    for number, address in ((1, "/long"), (1, "/long?page=1"), (2, "/long?page=2"), (3, "/long?page=3")):
        site[address] = part(number, PAGER.replace("?page=1", "") + "<a href=/only-on-parts>x</a>")
    site["/cut"] = article("A story whose second part is gone", "Cut", links="<a href='/cut/2'>2</a>")
    site["/cut/2"] = Answer("gone", 500)
    for name in ("older", "feed-story", "only-on-parts"):
        site[f"/{name}"] = article(f"The story {name}", name)
    done = crawl(tmp_path, "site", url=site.url)
    (stored,) = [found for found in done.articles if found["headline"] == "A long story in three parts"]
    assert stored["url"] == f"{site.url}/long"
    for number in (1, 2, 3):
        assert f"council of Town {number} voted" in stored["article_body"]
        assert f"council of Town {number} voted" in stored["article_body_html"]
    assert stored["article_body"].count("council of Vik") == 1, "what every part repeats stands there once"
    assert stored["sources"]["article_body"] == "3 pages"
    rows = [store.read(find_url, f"{site.url}/long?page={number}") for number in (2, 3)]
    assert rows[1] and rows[1].state == UrlState.stored
    assert [row and row.reason for row in rows] == ["part", "part"], "the second was asked for by itself, too"
    assert site.asked.count("/long?page=3") == 1
    assert done.stats["newsextract/parts"] == 2
    assert {"/cut", "/older", "/only-on-parts"} <= done.paths and "/section" not in done.paths
    assert done.stats["newsextract/parts/missing"] == 1
    assert f"{site.url}/cut/2, a part of {site.url}/cut, could not be fetched" in done.stderr
