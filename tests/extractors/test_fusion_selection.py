import numpy as np

from newsextract.extractors.fusion.selection import drop_repetitions

LONG = "The bridge opens in the spring, the mayor says."


def kept(texts, chosen=None, **options):
    mask = np.ones(len(texts), bool) if chosen is None else np.array(chosen)
    return drop_repetitions(texts, mask, **options).tolist()


def test_drop_repetitions_keeps_the_first_of_equal_blocks_and_short_ones():
    assert kept([LONG, "Yes.", LONG, "Yes.", LONG]) == [True, True, False, True, False]


def test_drop_repetitions_looks_at_chosen_blocks_only():
    assert kept([LONG, LONG, LONG], [False, True, True]) == [False, True, False]


def test_drop_repetitions_keeps_what_the_caller_keeps():
    assert kept([LONG, LONG, LONG], is_kept=lambda first, row: (first, row) == (0, 2)) == [True, False, True]


def test_drop_repetitions_leaves_the_callers_mask_as_it_is():
    mask = np.ones(2, bool)
    drop_repetitions([LONG, LONG], mask)
    assert mask.all()
