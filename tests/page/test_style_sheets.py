"""Parts that style sheets, site builders and editors hide aren't read."""

import pytest

from newsextract import Page
from newsextract.page.style_sheets import hiding_selectors
from tests.examples import examples

TEXT = "".join(f"<p>The council voted for the new bridge, says report {number}.</p>" for number in range(4))


@pytest.mark.parametrize(("sheet", "wanted"), examples(__file__, "sheets"))
def test_hiding_selectors_finds_what_is_hidden_on_any_screen(sheet, wanted):
    assert hiding_selectors([sheet]) == wanted


@pytest.mark.parametrize("html", examples(__file__, "hidden"))
def test_blocks_leave_out_what_is_hidden(html):
    assert len(Page(f"{html}<div>{TEXT}</div>").blocks) == 4


def test_rule_that_hides_most_of_the_page_hides_nothing():
    page = Page(f"<style>.story{{display:none}}</style><p>Loading the page.</p><div class=story>{TEXT}</div>")
    assert len(page.blocks) == 5


def test_what_is_hidden_on_small_screens_only_is_read():
    page = Page(
        f"<style>.hidden{{display:none}}</style><p class='hidden md:block'>On wide screens.</p><div>{TEXT}</div>"
    )
    assert len(page.blocks) == 5


def test_sheet_for_other_screens_hides_nothing():
    page = Page(f"<style media='(max-width: 40em)'>.a{{display:none}}</style><p class=a>On wide screens.</p>{TEXT}")
    assert len(page.blocks) == 5


def test_rules_of_many_parts_are_read_in_part():
    sheet = "".join(f".a{number} ~ .b .c{{display:none}}" for number in range(40))
    assert len(hiding_selectors([sheet])) == 5


def test_part_that_its_own_style_shows_is_read():
    tabs = f"<div class=css-1k style='display:block'>{TEXT}</div><div class=css-1k><p>Another tab.</p></div>"
    page = Page(f"<style>.css-1k{{display:none}}</style><main><p>A first line.</p>{tabs}</main>")
    assert page.blocks.texts == ["A first line.", *Page(TEXT).blocks.texts]
    page = Page(f"<style>.css-1k{{display:none!important}}</style><main><p>A first line.</p>{tabs}</main>")
    assert page.blocks.texts == ["A first line."]
