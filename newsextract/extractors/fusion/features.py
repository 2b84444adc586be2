"""Features of blocks: their text, what surrounds them, the blocks of the same markup, headings above them.

`build_features` makes the table of columns from which all features are computed, in numpy, without a loop over blocks.
Sums over a range of blocks, and so over an element, are differences of running sums. `size` counts a Chinese or
Japanese character as three, because it carries as much information. A block is *good* if it is long, hardly linked and
made of sentences; then `good` is its unlinked size.

Each kind of feature is a table of names with their source (`BLOCK_FEATURES` ...) and a function that prepares what it
needs of the whole page and returns what fills the kind's part of a matrix, (features, blocks), for a range of blocks.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, NamedTuple
from unicodedata import category

import numpy as np
from numpy.typing import NDArray

from newsextract.language.sentences import CLOSING_MARKS, END_MARKS
from newsextract.page import Page
from newsextract.page.blocks import ONLY_LINKS, Blocks, Numbers, ints
from newsextract.text import UNSPACED

Floats = NDArray[np.float32]
Ints = NDArray[np.signedinteger[Any]]
#: Fills the features of one kind for a range of blocks: (features of the kind, blocks of the range).
Fill = Callable[[slice, Floats], None]

#: Kinds of characters.
OTHER, COMMA, END, MARK, DIGIT, UPPER, CJK, SPACE, CLOSING = range(9)
KINDS = 9
SIGNS = ((COMMA, ",，、;；،"), (END, "".join(END_MARKS)), (CLOSING, CLOSING_MARKS), (SPACE, " \n"))
#: A good block has at least this size, and less than this share of links.
LONG = 80
LINKED = 0.35
#: Tags of blocks that are features, by number; layout tags have none.
TAGS = {
    "p": 0, "li": 1, "h1": 2, "h2": 3, "h3": 4, "h4": 4, "h5": 4, "h6": 4, "td": 5, "th": 5, "figcaption": 6,
    "figure": 6, "caption": 6, "pre": 7, "a": 8, "button": 8, "label": 8, "dd": 9, "dt": 9, "blockquote": 9, "span": 9,
}  # fmt: skip
TAG_NAMES = ("p", "li", "h1", "h2", "h3", "td", "caption", "pre", "a")
#: Running sums over blocks, and the row of each.
SUMMED = ("count", "size", "linked", "good", "ended", "log size", "elements")
COUNT_SUM, SIZE_SUM, LINKED_SUM, GOOD_SUM, ENDED_SUM, LOG_SUM, ELEMENTS_SUM = range(len(SUMMED))
#: Levels of elements around a block.
LEVELS = 4


@dataclass(frozen=True)
class FeatureTable:
    """Columns, one value a block (`kinds` ... `rows`) or one a block element (`parents` ... `above`).

    `markup`: (5, blocks) of `Blocks.markup`; `kinds`: (KINDS, blocks) characters by kind, without OTHER, the end of a
    block being one of SPACE; `tags`: the number of a block's tag in TAGS, -1 for any other;
    `parents`: each element's parent, the body its own; `tag_numbers`, `tag_names`: each element's tag as a number, and
    the tags by number; `running`: (SUMMED, blocks + 1); `sums`: (SUMMED, elements); `above`: each element's nearest
    ancestor of more blocks than it (itself for the outermost); `levels`: for each block its innermost element, the
    nearest larger one and so on, (LEVELS, blocks).
    """

    page: Page
    blocks: Blocks
    markup: Floats
    kinds: Floats
    size: Floats
    log_size: Floats
    link_share: Floats
    good: Floats
    ended: NDArray[np.bool_]
    opens: NDArray[np.uint8]
    closes: NDArray[np.uint32]
    tags: Ints
    rows: Floats
    running: Floats
    parents: Ints
    tag_numbers: Ints
    tag_names: list[str]
    first: Ints
    last: Ints
    sums: Floats
    above: Ints
    levels: Ints
    total_good: float
    total_size: float

    def relative_position(self, rows: slice, first: int, last: int, out: Floats) -> None:
        """Position of each block in first..last-1: 0 at its beginning, 1 at its end, clipped to -1 and 2."""
        np.subtract(self.rows[rows], first - 0.5, out=out)
        np.multiply(out, 1 / max(1, last - first), out=out)
        np.minimum(np.maximum(out, -1, out=out), 2, out=out)


def build_features(page: Page) -> FeatureTable:
    """Compute the table of a page with at least one block."""
    blocks = page.blocks
    kinds, opens, closes, ended = _characters(blocks.texts, blocks.lengths)
    markup = np.ascontiguousarray(blocks.markup.T, np.float32)
    lengths = markup[4]
    size = lengths + 2 * kinds[CJK]
    link_share = np.minimum(1, blocks.linked.astype(np.float32) / lengths)
    is_good = (size >= LONG) & (link_share < LINKED) & (ended | (kinds[END] >= 2))
    count = len(blocks)
    exact = np.zeros((len(SUMMED), count + 1))
    columns = exact[:, 1:]
    columns[COUNT_SUM] = 1
    columns[SIZE_SUM] = size
    columns[LINKED_SUM] = size * link_share
    columns[GOOD_SUM] = good = size * (1 - link_share) * is_good
    columns[ENDED_SUM] = ended
    columns[LOG_SUM] = log_size = np.log1p(size)
    columns[ELEMENTS_SUM] = markup[0]
    np.add.accumulate(columns, 1, out=columns)
    columns[ELEMENTS_SUM] += markup[3] - 1  # already counted from the page's beginning
    running = exact.astype(np.float32)
    del exact, columns  # the largest arrays of all, for what follows
    first, last = np.ascontiguousarray(blocks.spans.T)
    sums = running.take(last, 1)
    sums -= running.take(first, 1)
    parents = np.maximum(blocks.parents, 0)
    above, levels = _levels(parents, blocks.elements, number_ranges(first, last, count))
    tag_numbers, tag_names = blocks.numbered_tags
    known = np.array([TAGS.get(tag, -1) for tag in tag_names], np.int8)
    return FeatureTable(
        page, blocks, markup, kinds, size, log_size, link_share, good, ended, opens, closes,
        known.take(tag_numbers.take(blocks.elements)), np.arange(count, dtype=np.float32), running, parents,
        tag_numbers, tag_names, first, last, sums, above, levels, float(running[GOOD_SUM, -1]),
        float(running[SIZE_SUM, -1]),
    )  # fmt: skip


def _characters(
    texts: list[str], lengths: Ints
) -> tuple[Floats, NDArray[np.uint8], NDArray[np.uint32], NDArray[np.bool_]]:
    """For each block: characters by kind, kind of the first character, last character, whether it ends a sentence."""
    points = np.frombuffer(("\n".join(texts) + "\n").encode("utf-32-le", "replace"), np.uint32)
    kinds = _table().take(points, mode="clip")
    count = len(texts)
    counted = (kinds != OTHER).nonzero()[0]
    cells = np.arange(0, count * KINDS, KINDS).repeat(lengths + 1).take(counted)
    cells += kinds.take(counted)
    counts = np.bincount(cells, minlength=count * KINDS).reshape(count, KINDS).T.astype(np.float32)
    ends = np.add.accumulate(lengths + 1) - 2
    final = kinds.take(ends)
    ended = (final == END) | ((final == CLOSING) & (kinds.take(ends - 1) == END))
    return counts, kinds.take(ends - lengths + 1), points.take(ends), ended


def number_ranges(first: Ints, last: Ints, count: int) -> Ints:
    """(elements,) a number for the range of blocks of each element, of a page with so many blocks."""
    numbers: Ints = first.astype(np.int64) * (count + 1) + last
    return numbers


def headlines(table: FeatureTable) -> list[int]:
    """The blocks in `h1`; if there is none, the headings that the page's title begins with."""
    found: list[int] = (table.tags == TAGS["h1"]).nonzero()[0].tolist()
    if not found and (title := table.page.meta.title):
        others = ((table.tags == TAGS["h2"]) | (table.tags == TAGS["h3"])).nonzero()[0].tolist()
        found = [row for row in others if title.startswith(table.blocks.texts[row])]
    return found


def outermost_alike(parents: Ints, ranges: Ints) -> Ints:
    """(elements,) the outermost element around each one (or itself) with its range of blocks, given as a number."""
    outer = [*range(len(parents))]
    alike = (ranges == ranges.take(parents)).nonzero()[0]
    for number, parent in zip(alike.tolist(), parents.take(alike).tolist(), strict=True):  # parents come first
        outer[number] = outer[parent]
    return ints(outer).astype(np.int32)


def _levels(parents: Ints, elements: Ints, ranges: Ints) -> tuple[Ints, Ints]:
    """Columns `above` and `levels`; `ranges`: a number for each element's range of blocks."""
    outer = outermost_alike(parents, ranges)
    above = outer.take(parents.take(outer))
    levels = np.empty((LEVELS, len(elements)), np.int32)
    levels[0] = outer.take(elements)
    for level in range(1, LEVELS):
        levels[level] = above.take(levels[level - 1])
    return above, levels


@cache
def _table() -> NDArray[np.uint8]:
    """The kind of every code point of the basic plane; those beyond count as a letter."""
    table = np.zeros(0x10000, np.uint8)
    for point in range(0xFFFF):
        name = category(chr(point))
        if name == "Lu":
            table[point] = UPPER
        elif name == "Nd":
            table[point] = DIGIT
        elif name[0] in "PS":
            table[point] = MARK
    for low, high in UNSPACED:
        table[low : high + 1] = CJK
    for kind, signs in SIGNS:
        table[[ord(sign) for sign in signs]] = kind
    return table


BLOCK_NAMES = (
    "log size", "link share", "links", "commas", "sentence ends", "marks", "digits", "capitals", "ends sentence",
    "ends colon", "opens upper", "opens lower", "opens digit", "good", "log good", "markup", "images",
    "log elements before", "size per element", "short",
)  # fmt: skip
TAG_ROWS = np.arange(len(TAG_NAMES))[:, None]
OPENINGS = np.array([UPPER, OTHER, DIGIT], np.uint8)[:, None]
BLOCK_FEATURES = tuple((f"own {name}", "text") for name in BLOCK_NAMES) + tuple(
    (f"is {tag}", "text") for tag in TAG_NAMES
)


def fill_block_features(table: FeatureTable, rows: slice, out: Floats) -> None:
    """Fills BLOCK_FEATURES: size, links, kinds of characters, tag."""
    size, markup, good, closes = table.size[rows], table.markup[:, rows], table.good[rows], table.closes[rows]
    before = markup[3] - 1
    before[1:] -= markup[3, :-1] - 1
    before[:1] -= table.markup[3, rows.start - 1] - 1 if rows.start else 0
    out[0] = table.log_size[rows]
    out[1] = table.link_share[rows]
    np.minimum(markup[0], 5, out=out[2])
    np.divide(table.kinds[COMMA : UPPER + 1, rows], markup[4], out=out[3:8])
    out[8] = table.ended[rows]
    out[9] = (closes == 58) | (closes == 0xFF1A)
    out[10:13] = table.opens[rows] == OPENINGS
    out[13] = good > 0
    np.log1p(good, out=out[14])
    np.minimum(1, 20 * markup[2] / (size + 20), out=out[15])
    np.minimum(markup[1], 3, out=out[16])
    np.log1p(before, out=out[17])
    np.log1p(size / (1 + before + markup[2]), out=out[18])
    out[19] = size < 25
    out[len(BLOCK_NAMES) :] = table.tags[rows] == TAG_ROWS


#: Name -> first and last block of the range, relative to the block.
NEAR = {"before": (-1, -1), "behind": (1, 1), "window 4": (-4, 4), "window 16": (-16, 16)}
RANGE_FEATURES = ("link share", "good share", "ended", "log size", "density")
LEVEL_FEATURES = ("log count", "page good", "page size")
CORES = (0.5, 0.8)
CORE_FEATURES = ("inside", "place", "share", "steps")
SURROUNDING_FEATURES = (
    *((f"{window} {name}", "neighbours") for name in RANGE_FEATURES for window in NEAR),
    *(
        (f"level {level} {name}", "containers")
        for name in (*RANGE_FEATURES, *LEVEL_FEATURES)
        for level in range(LEVELS)
    ),
    *((f"core {core} {name}", "containers") for core in CORES for name in CORE_FEATURES),
)
#: First block and one past the last of each range.
NEAR_ENDS = np.array([*(first for first, _ in NEAR.values()), *(last + 1 for _, last in NEAR.values())])[:, None]
#: Maximum levels from a core up to the block that are distinguished.
MAX_STEPS = 6


def surrounding_features(table: FeatureTable) -> Fill:
    """SURROUNDING_FEATURES. The blocks before and after, windows of blocks and the elements around a block are ranges
    of blocks, each with the same features; *cores* are the smallest elements with a given share of good text.
    """
    of_elements = np.empty((len(RANGE_FEATURES) + len(LEVEL_FEATURES), table.sums.shape[1]), np.float32)
    _range_features(table.sums, of_elements[: len(RANGE_FEATURES)])
    np.log1p(table.sums[COUNT_SUM], out=of_elements[-3])
    np.divide(table.sums[GOOD_SUM], max(1.0, table.total_good), out=of_elements[-2])
    np.divide(table.sums[SIZE_SUM], max(1.0, table.total_size), out=of_elements[-1])
    amounts = table.sums[GOOD_SUM if table.total_good else SIZE_SUM]
    # elements with more than half of the amount contain each other
    cores = [int((amounts >= core * amounts[0]).nonzero()[0][-1]) for core in CORES]
    return partial(_fill_surrounding_features, table, of_elements, cores)


def _fill_surrounding_features(
    table: FeatureTable, of_elements: Floats, cores: list[int], rows: slice, out: Floats
) -> None:
    count, near = out.shape[1], len(NEAR)
    ranges = out[: len(RANGE_FEATURES) * near].reshape(len(RANGE_FEATURES), near, count)
    ends = table.running.take(np.arange(rows.start, rows.stop) + NEAR_ENDS, 1, mode="clip")
    _range_features(ends[:, near:] - ends[:, :near], ranges)
    begin, end = len(RANGE_FEATURES) * near, -len(CORES) * len(CORE_FEATURES)
    out[begin:end] = of_elements.take(table.levels[:, rows], 1).reshape(-1, count)
    for index, element in enumerate(cores):
        begin = end + index * len(CORE_FEATURES)
        _core(table, element, rows, out[begin : begin + len(CORE_FEATURES) or None])


def _range_features(sums: Floats, out: Floats) -> None:
    """RANGE_FEATURES of ranges of blocks from their sums; one row a sum, one row a feature."""
    count, size = np.maximum(1, sums[: SIZE_SUM + 1])
    np.divide(sums[LINKED_SUM : GOOD_SUM + 1], size, out=out[:2])
    np.divide(sums[ENDED_SUM : LOG_SUM + 1], count, out=out[2:4])
    np.log1p(size / (count + sums[ELEMENTS_SUM]), out=out[4])


def _core(table: FeatureTable, element: int, rows: slice, out: Floats) -> None:
    """CORE_FEATURES of a core; steps: from it up to an element with the block."""
    first, last = table.first.item(element), table.last.item(element)
    out[0] = 0
    out[0, _within(first, last, rows)] = 1
    table.relative_position(rows, first, last, out[1])
    out[2] = table.sums[SIZE_SUM, element] / max(1.0, table.total_size)
    chain = [element]
    while (above := table.above.item(element)) != element and len(chain) < MAX_STEPS:
        chain.append(element := above)
    out[3] = MAX_STEPS
    for steps in reversed(range(len(chain))):
        first, last = table.first.item(chain[steps]), table.last.item(chain[steps])
        out[3, _within(first, last, rows)] = steps


def _within(first: int, last: int, rows: slice) -> slice:
    """The part of a range of blocks that is in another one, relative to the other's beginning."""
    return slice(max(0, first - rows.start), max(0, last - rows.start))


GROUPED = ("link share", "good share", "ended", "page size", "page good", "log count")
LEADING = ("member", "place", "share")
ALIKE = ("like next", "like last")
ON_PAGE = ("distance to good", "good before", "good behind", "place on page")
GROUP_FEATURES = (
    *((f"group {name}", "groups") for name in GROUPED),
    *((f"leading {name}", "groups") for name in LEADING),
    *((name, "groups") for name in ALIKE),
    *((name, "title") for name in ON_PAGE),
)
COUNTED = (COUNT_SUM, SIZE_SUM, LINKED_SUM, GOOD_SUM, ENDED_SUM)
FAR = 50


def group_features(table: FeatureTable, markup: Ints) -> Fill:
    """GROUP_FEATURES. A group is the blocks of one tag and class in parents of the same tag and class, like
    the paragraphs of an article; the *leading* one has most good text. `markup`: see `class_words.class_bits`.
    """
    elements = table.blocks.elements
    own, outer = markup.take(elements), markup.take(table.parents.take(elements))
    groups = Numbers().of((own << 32 | outer).tolist())
    running = table.running[: len(COUNTED)]
    columns = running[:, 1:] - running[:, :-1]
    width = int(groups.max()) + 1
    cells = np.arange(0, len(columns) * width, width)[:, None] + groups
    sums = np.bincount(cells.ravel(), columns.ravel(), len(columns) * width).reshape(-1, width)
    values = np.empty((len(GROUPED), width), np.float32)
    np.divide(sums[LINKED_SUM : GOOD_SUM + 1], np.maximum(1, sums[SIZE_SUM]), out=values[:2], casting="same_kind")
    np.divide(sums[ENDED_SUM], sums[COUNT_SUM], out=values[2], casting="same_kind")
    values[3] = sums[SIZE_SUM] / max(1.0, table.total_size)
    values[4] = sums[GOOD_SUM] / max(1.0, table.total_good)
    values[5] = np.log1p(sums[COUNT_SUM])
    leader = int(sums[GOOD_SUM].argmax())
    members = (groups == leader).nonzero()[0] if table.total_good else groups[:0]
    span = (int(members[0]), int(members[-1]) + 1) if len(members) else (0, len(groups))
    leading = Leading(leader if len(members) else -1, *span, sums[GOOD_SUM, leader] / max(1.0, table.total_good))
    return partial(_fill_group_features, table, groups, values, leading)


class Leading(NamedTuple):
    """The group with most good text (-1: none), its first block and the one past its last, its share of good text."""

    group: int
    first: int
    last: int
    share: float


def _fill_group_features(
    table: FeatureTable, groups: Ints, values: Floats, leading: Leading, rows: slice, out: Floats
) -> None:
    own, begin, alike = groups[rows], len(GROUPED), len(GROUPED) + len(LEADING)
    out[:begin] = values.take(own, 1)
    out[begin] = own == leading.group
    table.relative_position(rows, leading.first, leading.last, out[begin + 1])
    out[begin + 2] = leading.share
    out[alike, -1] = out[alike + 1, 0] = 0
    out[alike, :-1] = out[alike + 1, 1:] = own[1:] == own[:-1]
    if rows.start:
        out[alike + 1, 0] = groups[rows.start] == groups[rows.start - 1]
    if rows.stop < len(groups):
        out[alike, -1] = groups[rows.stop] == groups[rows.stop - 1]
    _on_page(table, rows, out[alike + len(ALIKE) :])


def _on_page(table: FeatureTable, rows: slice, out: Floats) -> None:
    """ON_PAGE: log(1 + blocks to the nearest good one), at most FAR; good text before and after; position by size."""
    numbers, good, total = np.arange(rows.start, rows.stop), table.running[GOOD_SUM], max(1.0, table.total_good)
    good_rows = table.good.nonzero()[0]
    if len(good_rows):
        behind = np.searchsorted(good_rows, numbers)
        to_next = good_rows.take(behind, mode="clip") - numbers
        to_last = good_rows.take(behind - 1, mode="clip") - numbers
        out[0] = np.log1p(np.minimum(FAR, np.minimum(np.abs(to_next), np.abs(to_last))))
    else:
        out[0] = np.log1p(FAR)
    np.divide(good[:-1][rows], total, out=out[1])
    np.divide(total - good[1:][rows], total, out=out[2])
    np.divide(table.running[SIZE_SUM, :-1][rows], max(1.0, table.total_size), out=out[3])


#: First and last number of headings in TAGS.
HEADINGS = (TAGS["h1"], TAGS["h3"])
HEADING_FEATURES = tuple(
    (name, "title")
    for name in (
        "headings like headline", "other h1", "linked headings", "under linked heading", "lines below heading",
        "good before next headline",
    )
)  # fmt: skip
#: Headings and lines are counted up to these.
MAX_HEADINGS = 4
MAX_LINES = 50


def heading_features(table: FeatureTable, forms: Ints, title: int) -> Fill:
    """HEADING_FEATURES: headings in the headline's markup begin further articles, linked ones head list teasers.

    `forms`: a number for each element's tag and class; `title`: the headline's block, -1 if unknown.
    """
    tags = table.tags
    is_first = tags == TAGS["h1"]
    heading = (tags >= HEADINGS[0]) & (tags <= HEADINGS[1])
    linked = heading & (table.link_share > ONLY_LINKS)
    if title < 0 and is_first.any():
        title = int(is_first.argmax())
    counted, share = np.zeros((3, len(tags)), bool), 0.0
    if title >= 0 and heading[title]:
        own = forms[table.blocks.elements]
        alike = counted[0, title + 1 :] = (heading & (own == own[title]))[title + 1 :]
        if alike.any():
            end = title + 1 + int(alike.argmax())
            share = (table.running[GOOD_SUM, end] - table.running[GOOD_SUM, title]) / max(1.0, table.total_good)
    counted[1, title + 1 :] = is_first[title + 1 :]
    counted[2, title + 1 :] = linked[title + 1 :]
    headings = np.minimum(MAX_HEADINGS, np.add.accumulate(counted, 1, np.int32)).astype(np.uint8)
    last = np.maximum.accumulate(np.where(heading, np.arange(len(tags), dtype=np.int32), -1))
    return partial(_fill_heading_features, table, headings, last, linked, share)


def _fill_heading_features(
    table: FeatureTable, headings: NDArray[np.uint8], last: Ints, linked: NDArray[np.bool_], share: float, rows: slice,
    out: Floats,
) -> None:  # fmt: skip
    """`headings`: (3, blocks) of each kind so far; `last`: (blocks,) the heading before each block, -1 if none."""
    heads = last[rows]
    known = heads >= 0
    np.log1p(headings[:, rows], out=out[:3], dtype=np.float32)
    out[3] = linked[heads] & known
    out[4] = np.log1p(np.where(known, np.minimum(MAX_LINES, table.rows[rows] - heads), MAX_LINES))
    out[5] = share
