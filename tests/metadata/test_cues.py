"""What short blocks say of a page's kind."""

import pytest

from newsextract.metadata.cues import CUES, counted


@pytest.mark.parametrize(
    ("block", "kind"),
    [
        ("Add to Cart", "shop"),
        ("SKU 4711", "shop"),
        ("24 results for kettle", "shop"),
        ("加入购物车", "shop"),
        ("Request a quote", "call"),
        ("Contact us today", "call"),
        ("5 min read", "story"),
        ("12 minutes read time", "story"),
        ("By Ann Lee", "story"),
        ("Comments (3)", "story"),
        ("Byron", None),
        ("Addition", None),
        ("24 bridges", None),
        ("", None),
    ],
)
def test_a_short_block_is_known_by_its_phrase_and_not_by_a_word_that_begins_alike(block, kind):
    assert {name for name, count in counted(block.lower()).items() if count} == ({kind} if kind else set())


def test_every_kind_of_cue_is_counted_for_each_block_once():
    found = counted("add to cart\nadd to cart\nlearn more\nshare\nthe river")
    assert dict(found) == {"shop": 2, "call": 1, "story": 1}
    assert set(found) == set(CUES)
