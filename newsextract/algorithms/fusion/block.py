"""Evidence of the block itself: its size, its links, its characters, its tag."""

import numpy as np

from newsextract.algorithms.fusion.sheet import CJK, COMMA, DIGIT, END, MARK, OTHER, SPACE, UPPER, Floats, Sheet

GROUP = "text"
#: A block's own tag, as far as it says something; layout tags are all one.
TAGS = {
    "p": 0, "li": 1, "h1": 2, "h2": 3, "h3": 4, "h4": 4, "h5": 4, "h6": 4, "blockquote": 5, "td": 6, "th": 6,
    "figcaption": 7, "figure": 7, "caption": 7, "pre": 8, "dd": 9, "dt": 9, "a": 10, "button": 10, "label": 10,
    "address": 11, "summary": 11,
}  # fmt: skip
TAG_NAMES = ("p", "li", "h1", "h2", "h3", "blockquote", "td", "caption", "pre", "dd", "a", "address")
NAMES = (
    "log size", "log words", "link share", "links", "commas", "sentence ends", "marks", "digits", "capitals", "cjk",
    "ends sentence", "ends colon", "opens upper", "opens lower", "opens digit", "good", "log good", "word length",
    "markup", "images", "log elements before", "size per element", "short", "very long",
)  # fmt: skip
FEATURES = tuple((f"own {name}", GROUP) for name in NAMES) + tuple((f"is {tag}", "text") for tag in TAG_NAMES)


def evidence(sheet: Sheet) -> Floats:
    """(blocks, FEATURES)."""
    kinds, size, markup = sheet.kinds, sheet.size, sheet.blocks.markup
    words = kinds[:, SPACE] + 1 + kinds[:, CJK] / 1.6
    shares = kinds / np.maximum(1, kinds.sum(1, keepdims=True))
    out = np.zeros((len(size), len(FEATURES)), np.float32)
    before = np.diff(markup[:, 3], prepend=1)
    out[:, 0] = np.log1p(size)
    out[:, 1] = np.log1p(words)
    out[:, 2] = sheet.link_share
    out[:, 3] = np.minimum(markup[:, 0], 5)
    out[:, 4:10] = shares[:, (COMMA, END, MARK, DIGIT, UPPER, CJK)]
    out[:, 10] = sheet.ended
    out[:, 11] = (sheet.closes == 58) | (sheet.closes == 0xFF1A)
    out[:, 12] = sheet.opens == UPPER
    out[:, 13] = sheet.opens == OTHER
    out[:, 14] = sheet.opens == DIGIT
    out[:, 15] = sheet.good > 0
    out[:, 16] = np.log1p(sheet.good)
    out[:, 17] = np.minimum(12, size / words)
    out[:, 18] = np.minimum(1, 20 * markup[:, 2] / (size + 20))
    out[:, 19] = np.minimum(markup[:, 1], 3)
    out[:, 20] = np.log1p(before)
    out[:, 21] = np.log1p(size / (1 + before + markup[:, 0] + markup[:, 2]))
    out[:, 22] = size < 25
    out[:, 23] = size > 600
    codes = np.array([TAGS.get(tag, -1) for tag in sheet.blocks.tags])
    rows = np.flatnonzero(codes >= 0)
    out[rows, len(NAMES) + codes[rows]] = 1
    return out
