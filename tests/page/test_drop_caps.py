"""Drop caps are read as the beginning of their word."""

import pytest

from newsextract import Page
from tests.examples import examples

MASTERS = "arbour masters have written to the council."


@pytest.mark.parametrize(("html", "first"), examples(__file__, "drop_caps"))
def test_blocks_begin_with_their_drop_cap(html, first):
    assert Page(f"<h1>Harbour</h1>{html}").blocks.texts[1:] == [first]


@pytest.mark.parametrize(("html", "texts"), examples(__file__, "letters"))
def test_blocks_keep_single_letters_that_begin_no_word(html, texts):
    assert Page(html).blocks.texts == texts


def test_a_letter_among_many_elements_is_no_drop_cap():
    """Each text behind an element would else look at all that is in it."""
    many = "<i></i>" * 200
    assert Page(f"<p><span><img alt=H></span>{MASTERS}").blocks.texts == [f"H{MASTERS}"]
    assert Page(f"<p><span>{many}<img alt=H></span>{MASTERS}").blocks.texts == [MASTERS]
