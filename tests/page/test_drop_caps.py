"""Drop caps are read as the beginning of their word."""

import pytest

from newsextract import Page
from tests.examples import examples


@pytest.mark.parametrize(("html", "first"), examples(__file__, "drop_caps"))
def test_blocks_begin_with_their_drop_cap(html, first):
    assert Page(f"<h1>Harbour</h1>{html}").blocks.texts[1:] == [first]


@pytest.mark.parametrize(("html", "texts"), examples(__file__, "letters"))
def test_blocks_keep_single_letters_that_begin_no_word(html, texts):
    assert Page(html).blocks.texts == texts
