"""Features of the block itself: size, links, kinds of characters, tag."""

import numpy as np

from newsextract.extractors.fusion.features import (
    COMMA,
    DIGIT,
    END,
    MARK,
    OTHER,
    TAG_NAMES,
    UPPER,
    FeatureTable,
    Floats,
)

NAMES = (
    "log size", "link share", "links", "commas", "sentence ends", "marks", "digits", "capitals", "ends sentence",
    "ends colon", "opens upper", "opens lower", "opens digit", "good", "log good", "markup", "images",
    "log elements before", "size per element", "short",
)  # fmt: skip
TAG_NUMBERS = np.arange(len(TAG_NAMES))[:, None]
OPENINGS = np.array([UPPER, OTHER, DIGIT], np.uint8)[:, None]
FEATURES = tuple((f"own {name}", "text") for name in NAMES) + tuple((f"is {tag}", "text") for tag in TAG_NAMES)


def fill_features(table: FeatureTable, out: Floats) -> None:
    """Fill `out`, (FEATURES, blocks)."""
    size, markup = table.size, table.blocks.markup.T
    before = markup[3].copy()
    before[1:] -= markup[3, :-1]
    before[0] -= 1
    out[0] = table.log_size
    out[1] = table.link_share
    np.minimum(markup[0], 5, out=out[2], casting="unsafe")
    np.divide(table.kinds[[COMMA, END, MARK, DIGIT, UPPER]], table.blocks.lengths, out=out[3:8], casting="same_kind")
    out[8] = table.ended
    out[9] = (table.closes == 58) | (table.closes == 0xFF1A)
    out[10:13] = table.opens == OPENINGS
    out[13] = table.good > 0
    np.log1p(table.good, out=out[14])
    out[15] = np.minimum(1, 20 * markup[2] / (size + 20))
    np.minimum(markup[1], 3, out=out[16], casting="unsafe")
    out[17] = np.log1p(before)
    out[18] = np.log1p(size / (1 + before + markup[2]))
    out[19] = size < 25
    out[len(NAMES) :] = table.tags == TAG_NUMBERS
