"""Records in a row, and teasers whose heading links to their page."""

import pytest

from newsextract.page import Page
from newsextract.parts.frame import ArticleFrame
from newsextract.parts.records import is_record, linked_heading

STORY = "<h1>The mill at Tarn</h1>" + "<p>The council of the island met on Tuesday to talk about the old mill.</p>" * 8
COMMENT = "<div class=c{}><b id=x{}>Ann Lee</b> <i>3 May 2024</i> I have never seen such a fine old mill.</div>"


def page_with(html: str) -> Page:
    return Page(f"<title>The mill at Tarn</title><main>{STORY}</main>{html}", "https://tarn.example/mill")


@pytest.mark.parametrize(("classes", "wanted"), [(("a", "a"), True), (("a", "b"), False), (("a",), False)])
def test_equal_parts_in_a_row_with_dates_are_records(classes, wanted):
    rows = (COMMENT.format(name, number) for number, name in enumerate(classes))
    page = page_with(f"<div>{''.join(rows)}</div>")
    assert is_record(page, page.tree.xpath("//*[@id='x0']")[0].node) is wanted
    assert not is_record(page, page.tree.xpath("//h1")[0].node), "what holds the headline is no record"


@pytest.mark.parametrize(
    ("html", "wanted"),
    [
        ("<div><h3><a href=/baker>The baker</a></h3><i id=x>3 May</i></div>", "/baker"),
        ("<div><a href=/baker><h3>The baker</h3></a><i id=x>3 May</i></div>", "/baker"),
        ("<div><h3>The baker</h3><i id=x>3 May</i></div>", None),
        (f"<div><h3><a href=/baker>The baker</a></h3><p>{'He bakes. ' * 60}</p><i id=x>3 May</i></div>", None),
    ],
)
def test_teaser_has_a_linked_heading_and_little_text(html, wanted):
    page = page_with(html)
    assert linked_heading(page.tree.xpath("//*[@id='x']")[0], page.view(ArticleFrame).holders) == wanted
