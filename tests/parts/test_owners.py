"""Whom the parts of a page belong to."""

import weakref

import pytest

from newsextract.extractors import make_extractor
from newsextract.page import Page
from newsextract.parts.owners import Owner, Owners
from tests.examples import examples

TEXT = "<p>The council of the island met on Tuesday to talk about the old mill and its stones, said the miller.</p>" * 6
HEAD = "<title>The mill at Tarn - Isle Post</title>"
OWN = f"<h1>The mill at Tarn</h1>{TEXT}"
HEADER = (
    "<header class=top><h1 class=a>{}</h1><p>The island's paper has the story of the day for you to read.</p></header>"
)
NOW = f"<div class='post now'>{HEADER.format('The mill at Tarn')}<div>{TEXT}</div></div>"
NEXT = f"<div class=post>{HEADER.format('The baker')}<div><b id={{id}}>By Ann Lee</b>{TEXT}</div></div>"


def owner(html: str) -> Owner:
    page = Page(html if "<title>" in html else f"{HEAD}{html}")
    return page.view(Owners).of(page.tree.xpath("//*[@id='x']")[0].node)


def test_page_is_freed_with_its_owners_and_roles():
    page = Page(f"{HEAD}{OWN}<div class=comment>Ann: what a mill!</div>")
    make_extractor("fusion")(page)
    freed = weakref.ref(page)
    del page
    assert freed() is None, "pages that wait for the garbage collector cost memory and time"


@pytest.mark.parametrize(("html", "wanted"), examples(__file__, "markup"))
def test_a_part_belongs_to_what_its_markup_names(html, wanted):
    assert owner(html.format(own=OWN)) == Owner[wanted]


@pytest.mark.parametrize(("html", "wanted"), examples(__file__, "articles"))
def test_another_article_begins_with_a_headline_below_the_text_of_the_first(html, wanted):
    page = html.format(own=OWN, text=TEXT, now=NOW, x=NEXT.format(id="x"), y=NEXT.format(id="y"))
    assert (owner(page) == Owner.OTHER_ARTICLE) is wanted
