"""Units: elements that are kept or dropped as a whole, such as tables, quotations and lists.

Their blocks are short, so the model, which judges single blocks, keeps some rows of a table and drops others. A unit
that stands among the paragraphs of the article belongs to it, unless the model is sure of the opposite, or it is made
of links, somebody else's or a repetition. Lists of links behind a colon belong to it, those of other pages don't.
"""

import numpy as np
from numpy.typing import NDArray

from newsextract.extractors.fusion.features import GOOD_SUM, LINKED_SUM, SIZE_SUM, TAGS, FeatureTable, Floats, Ints
from newsextract.page.owners import Owner

#: Tag of a unit -> maximum share of links in it, least mean log odds by the model. Lists are often menus.
UNITS = {
    "table": (0.5, -4.0), "dl": (0.5, -4.5), "details": (0.5, -5.0), "blockquote": (0.5, -5.0), "pre": (0.25, -4.5),
    "ul": (0.25, -2.5), "ol": (0.25, -2.5),
}  # fmt: skip
#: Maximum share of the page's good text in a unit: layout tables and lists of articles have more.
MAX_SHARE = 0.5
#: Log odds of a block count up to this; log odds of a kept unit.
MAX_LOGIT, KEPT = 6.0, 1.0
COLONS = (ord(":"), 0xFF1A)
#: Owners of what isn't the article's even among its paragraphs.
THEIRS = frozenset({Owner.COMMENT, Owner.OTHER_PAGES, Owner.OTHER_ARTICLE, Owner.NAVIGATION})
#: Minimum characters of a line by which a unit is recognised as a repetition.
MIN_REPEATED = 25
QUOTES = " \"'“”„‘’«»"


def unit_weights(table: FeatureTable, logits: Floats) -> Floats | None:
    """(blocks,) weights to add to the log odds; None if no unit stands among kept blocks."""
    weights = np.zeros(len(logits), np.float32)
    kept, shares = logits > 0, np.sqrt(table.size)
    bounded = shares * np.minimum(np.maximum(logits, -MAX_LOGIT), MAX_LOGIT)
    done = 0
    for unit in _units(table).tolist():
        begin, end = table.blocks.spans[_with_figure(table, unit)].tolist()
        most, least = UNITS[table.blocks.element_tags[unit]]
        linked, size = table.sums[[LINKED_SUM, SIZE_SUM], unit].tolist()
        is_linked = linked > most * size and table.closes[begin - 1] not in COLONS
        before = begin if is_linked else _block_before(table, kept, unit)
        if begin < done or before is None or (is_linked and not kept[begin:end].any()):
            continue
        is_theirs = table.page.owners.of(table.blocks.nodes[unit]) in THEIRS
        if is_linked and is_theirs:
            weights[begin:end] = np.minimum(0, -KEPT - logits[begin:end])
            kept[begin:end] = False
        mean = bounded[begin:end].sum() / shares[begin:end].sum()
        if is_linked or is_theirs or mean < least or _is_repeated(table, kept, begin, end):
            continue
        rows = slice(before + 1, end)
        weights[rows] = np.maximum(0, KEPT - logits[rows])
        kept[rows] = True
        done = end
    return weights if weights.any() else None


def _units(table: FeatureTable) -> Ints:
    """The elements that may be units; line numbers and tables of code are none."""
    is_named = np.array([name in UNITS for name in table.tag_names]).take(table.tag_numbers)
    found = is_named & (table.last > table.first) & (table.first > 0)
    found &= table.sums[GOOD_SUM] <= MAX_SHARE * table.total_good
    if "pre" in table.tag_names:
        number = table.tag_names.index("pre")
        is_table = np.array([name == "table" for name in table.tag_names]).take(table.tag_numbers)
        for code in (found & (table.tag_numbers == number)).nonzero()[0].tolist():
            first, last = table.blocks.spans[code].tolist()
            found &= ~is_table | (table.first > first) | (table.last < last)
            found[code] = any(character.isalpha() for text in table.blocks.texts[first:last] for character in text)
    return found.nonzero()[0]


def _with_figure(table: FeatureTable, unit: int) -> int:
    """The figure that begins with a unit, with its caption or source; the unit itself if there is none."""
    outer = unit
    while table.first[outer] == table.first[unit] and outer > 0:
        if table.blocks.element_tags[outer] == "figure":
            return outer
        outer = int(table.parents[outer])
    return unit


def _block_before(table: FeatureTable, kept: NDArray[np.bool_], unit: int) -> int | None:
    """The kept block that a unit stands behind, with at most a heading between; None if the unit isn't in the text.

    Both are in one container. Behind the unit there is a kept block of the container, or the block before isn't the end
    of a large part of the text, beside which the unit stands.
    """
    parents, good = table.parents, table.running[GOOD_SUM]
    before = int(table.first[unit]) - 1
    if before and TAGS["h2"] <= table.tags[before] <= TAGS["h3"]:
        before -= 1
    if not kept[before]:
        return None
    container = unit
    while table.first[container] > before:
        container = int(parents[container])
    end = int(table.last[unit])
    if end < table.last[container] and kept[end]:
        return before
    beside = int(table.blocks.owners[before])
    while beside != container and parents[beside] != container:
        beside = int(parents[beside])
    part = good[table.last[beside]] - good[table.first[beside]]
    return before if part < MAX_SHARE * table.total_good else None


def _is_repeated(table: FeatureTable, kept: NDArray[np.bool_], begin: int, end: int) -> bool:
    """Whether the longest line of a unit is in a kept block elsewhere: a pull quote, or a copy for small screens."""
    texts = table.blocks.texts
    line = max(texts[begin:end], key=len).strip(QUOTES)
    if len(line) < MIN_REPEATED:
        return False
    return any(line in texts[row] for row in kept.nonzero()[0].tolist() if not begin <= row < end)
