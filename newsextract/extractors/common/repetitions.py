"""Repetitions among the blocks of a text: another view of a paragraph, a pull quote."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

#: Fewest characters of a block that counts as a repetition: short ones come back in any text.
MIN_CHARACTERS = 25


def drop_repetitions(
    texts: Sequence[str], chosen: NDArray[np.bool_], is_kept: Callable[[int, int], bool] = lambda first, row: False
) -> NDArray[np.bool_]:
    """(blocks,) the chosen blocks, less those that repeat an earlier chosen one.

    `texts`: of all blocks; `is_kept`: whether a block `row` that repeats the block `first` is kept all the same.
    """
    kept = chosen.copy()
    firsts: dict[str, int] = {}
    for row in np.flatnonzero(chosen).tolist():
        if len(texts[row]) >= MIN_CHARACTERS:
            first = firsts.setdefault(texts[row], row)
            kept[row] = first == row or is_kept(first, row)
    return kept
