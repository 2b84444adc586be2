"""Units: elements that are kept or dropped as a whole, such as tables, quotations, lists and boxes.

Their blocks are short, so the model, which judges single blocks, keeps some rows of a table and drops others. A unit
that stands among the paragraphs of the article belongs to it if its class or a model of boxes says so (`box_model`),
unless it is somebody else's or a repetition. Short sentences right behind its paragraphs do as well.
"""

from collections.abc import Mapping
from functools import cached_property
from itertools import chain, compress, repeat
from operator import contains
from typing import Any

import numpy as np

from newsextract.extractors.fusion.box_model import (
    COLONS,
    CONTROLS,
    MAX_BEHIND,
    MAX_BOX,
    MAX_DROPPED,
    MAX_LOGIT,
    NEAR,
    UNIT_TAGS,
    Judged,
    box_model,
    box_odds,
    link_targets,
)
from newsextract.extractors.fusion.features import (
    ENDED_SUM,
    GOOD_SUM,
    LINKED_SUM,
    SIZE_SUM,
    TAGS,
    FeatureTable,
    Floats,
    Ints,
    number_ranges,
    outermost_alike,
)
from newsextract.extractors.fusion.selection import MIN_REPEATED
from newsextract.limits import MOST
from newsextract.page.class_names import BITS, mask_of
from newsextract.page.walk import holders_of
from newsextract.parts.owners import Owner, Owners
from newsextract.parts.roles import Roles
from newsextract.urls import host_and_path

#: Maximum share of links in a box whose class names a part of an article; tags of boxes.
MAX_LINKED = 0.25
BOX_TAGS = ("div", "section", "aside", "p", "address", "footer")
#: What a class says that a box is; the first of these counts. What the model of boxes says, or where it stands.
AUTHOR_BOX, FOREIGN_BOX, DOUBTFUL_BOX, OWN_BOX = BITS["boxes"].values()
BOXES = AUTHOR_BOX | FOREIGN_BOX | DOUBTFUL_BOX | OWN_BOX
LIKELY = -1
UNLIKELY = -2
BESIDE = -3
DROPPED_KINDS = (AUTHOR_BOX, FOREIGN_BOX, DOUBTFUL_BOX, UNLIKELY, BESIDE)
POST = BITS["owners"]["quotation"]
#: Foreign boxes are dropped if they have no more characters than this; doubtful ones hold text, if more than a label.
MAX_SIZES = {FOREIGN_BOX: MAX_DROPPED, DOUBTFUL_BOX: 40}
#: Lines of an embedded post that only say where it is and whose: "View this post on Instagram", "... Ann (@ann)".
OF_NETWORK = ("Instagram", "(@")
#: What has a caption.
MEDIA = ("img", "picture", "video", "figure", "iframe")
#: Maximum size of a sentence that is kept with the paragraph before it.
MAX_SENTENCE = 120
#: Owners of what isn't the article's even among its paragraphs.
THEIRS = frozenset({Owner.COMMENT, Owner.OTHER_PAGES, Owner.OTHER_ARTICLE, Owner.NAVIGATION})
#: So many units are compared with all other lines of the page.
MAX_COMPARED = 100
QUOTES = " \"'“”„‘’«»"


def unit_weights(table: FeatureTable, logits: Floats) -> Floats | None:
    """(blocks,) weights to add to the log odds; None if no unit stands among kept blocks."""
    changed, kept, done, model = logits.copy(), bytearray(logits > 0), 0, box_model()
    inner, around = 0, 0.0  # the end of the last box that isn't dropped, and its log odds
    captions, owners, odds = _Captions(table), table.page.view(Owners), box_odds(table, logits)

    def is_theirs(element: int) -> bool:
        return owners.of(table.blocks.nodes[element]) in THEIRS

    for number, unit in enumerate(_candidates(table, logits, odds).tolist()):
        begin, end = table.first.item(unit), table.last.item(unit)
        if begin < done or (1 not in kept[max(0, begin - 1 - NEAR) : end] and not _is_ahead(odds, unit)):
            continue
        end = table.last.item(_with_figure(table, unit))
        rows, kind = slice(begin, end), _kind(table, logits, kept, unit, odds, around if begin < inner else 0.0)
        is_open = kind is not None and kind not in DROPPED_KINDS and 0 in kept[_with_heading(table, begin) : end]
        start = _begin_in_text(table, kept, unit) if is_open else None
        if kind == LIKELY and is_open and start is None and 1 in kept[max(0, begin - NEAR) : begin]:
            kind = BESIDE if _is_beside(table, logits, kept, unit, odds) else kind
        if kind in DROPPED_KINDS:
            if begin <= kept.find(1) and kept.rfind(1) < end and _is_mostly_prose(table, kept, unit):
                continue  # a box of all that is kept is the article's
            is_doubtful = kind == BESIDE and not _is_made_of_links(table, unit)
            surely = min(model.odds_dropped, odds[unit].odds) if unit in odds else model.odds_dropped
            dropped = _mean_odds(table, logits, unit) if is_doubtful else surely
            changed[rows] = np.minimum(changed[rows], dropped)
            kept[rows], done = bytes(end - begin), end
            continue
        if kind is None and unit in odds:
            around = min(around if begin < inner else 0.0, odds[unit].odds)
            inner = max(inner, end)
        if start is None:
            continue
        is_unit = kind == LIKELY and odds[unit].tag in UNIT_TAGS
        if kind == LIKELY and not is_unit and captions.has_caption(unit):
            continue
        if any(map(is_theirs, dict.fromkeys(table.blocks.element_list[rows]))):
            continue
        if kind == OWN_BOX and table.sums[LINKED_SUM, unit] > MAX_LINKED * table.sums[SIZE_SUM, unit]:
            continue
        if number < MAX_COMPARED and _is_repeated(table, kept, begin, end):
            if table.blocks.element_tags[unit] == "blockquote":
                done = end  # the name below a pull quote says nothing without it
            continue
        text = _without_button(table, start, end)
        changed[text] = np.maximum(changed[text], model.odds_kept)
        kept[start:end] = (changed[start:end] > 0).tobytes()
        if kind == OWN_BOX or is_unit:
            done = end
        else:  # in another box, a further one may speak against itself
            inner, around = end, max(0.0, odds[unit].odds)
    for row in _sentences(table, logits):
        if kept[row - 1] and not kept[row] and not is_theirs(table.blocks.element_list[row]):
            changed[row], kept[row] = model.odds_kept, 1
    weights = changed - logits
    return weights if weights.any() else None


def _kind(
    table: FeatureTable, logits: Floats, kept: bytearray, unit: int, odds: Mapping[int, Judged], around: float
) -> int | None:
    """What a unit is: by the model of boxes, LIKELY or UNLIKELY the article's, or by its class; None: nobody knows.

    `around`: log odds of the box around it, which its own have to outweigh.
    """
    if unit not in odds:
        kind = _box(table.blocks.element_classes[unit])
        is_text = kind == DOUBTFUL_BOX and table.sums[SIZE_SUM, unit] > MAX_SIZES[kind]
        return OWN_BOX if is_text else kind
    box = odds[unit]
    if table.blocks.element_tags[unit] == "blockquote" and mask_of(table.blocks.element_classes[unit]) & POST:
        return UNLIKELY if _is_stub(table, unit) else LIKELY
    if box.group == "quotation" and box.odds >= box.kept:
        return LIKELY
    if box.group == "linked" and box.tag == "blockquote":
        return UNLIKELY
    if box.odds < min(box.dropped, -around):
        if table.sums[SIZE_SUM, unit] - table.sums[LINKED_SUM, unit] <= MAX_DROPPED:
            return UNLIKELY
    elif box.tag in UNIT_TAGS and _is_made_of_links(table, unit):
        if _is_led_to(table, kept, unit, box.odds >= max(box.kept, -around)):
            return LIKELY
        if 1 not in kept[: table.first.item(unit)] and 1 not in kept[table.last.item(unit) :]:
            return UNLIKELY
    elif box.odds >= max(box.kept, -around):
        return LIKELY
    return BESIDE if _is_beside(table, logits, kept, unit, odds) else None


def _is_ahead(odds: Mapping[int, Judged], unit: int) -> bool:
    """Whether no kept block stands before a box of the model."""
    return unit in odds and odds[unit].group == "ahead"


def _is_beside(table: FeatureTable, logits: Floats, kept: bytearray, unit: int, odds: Mapping[int, Judged]) -> bool:
    """Whether a list, table or quotation doesn't follow a kept block, and its own blocks don't speak for it either."""
    is_unit = unit in odds and odds[unit].tag in UNIT_TAGS
    return is_unit and not kept[table.first.item(unit) - 1] and _mean_odds(table, logits, unit) < 0


def _is_stub(table: FeatureTable, unit: int) -> bool:
    """Whether a post of a network only says where it is and whose."""
    texts = table.blocks.texts[table.first.item(unit) : table.last.item(unit)]
    return all(any(map(text.__contains__, OF_NETWORK)) for text in texts)


def _is_made_of_links(table: FeatureTable, unit: int) -> bool:
    return bool(table.sums[LINKED_SUM, unit] > MOST * table.sums[SIZE_SUM, unit])


def _is_led_to(table: FeatureTable, kept: bytearray, unit: int, is_likely: bool) -> bool:
    """Whether a unit made of links is the article's: they lead to documents, or the text goes on behind them, and the
    model says so or they lead to other sites behind a colon.
    """
    begin, end = table.first.item(unit), table.last.item(unit)
    targets = link_targets(host_and_path(table.page.url)[0], table.blocks.nodes[unit])
    is_announced = table.closes[begin - 1] in COLONS and targets <= {"elsewhere", "document"}
    if is_announced:  # what there is to press shares it
        is_announced = next(table.blocks.nodes[unit].iter_elements(CONTROLS), None) is None
    if 1 in kept[:begin] and 1 in kept[end : end + NEAR]:
        return is_announced or is_likely
    return is_announced and targets == {"document"}


def _is_mostly_prose(table: FeatureTable, kept: bytearray, unit: int) -> bool:
    """Whether most of a unit's text is in kept blocks that aren't made of links."""
    prose = np.frombuffer(kept, bool) & (table.link_share < MOST)
    return bool(2 * table.size @ prose >= table.sums[SIZE_SUM, unit])


def _mean_odds(table: FeatureTable, logits: Floats, unit: int) -> float:
    """The mean log odds of a unit's blocks, by the roots of their sizes."""
    rows = slice(table.first.item(unit), table.last.item(unit))
    shares = np.sqrt(table.size[rows])
    return float(shares @ np.clip(logits[rows], -MAX_LOGIT, MAX_LOGIT) / shares.sum())


class _Captions:
    """Which elements have an image, a video or a caption; counted once for all boxes of a page."""

    def __init__(self, table: FeatureTable) -> None:
        self.table = table

    @cached_property
    def media(self) -> set[Any]:
        """The elements around an image or a video, and itself."""
        return holders_of(self.table.page.tree.node.iter_elements(MEDIA))

    @cached_property
    def tops(self) -> Ints:
        """(elements,) the outermost element around each one with the same blocks."""
        table = self.table
        return outermost_alike(table.parents, number_ranges(table.first, table.last, len(table.size)))

    def has_caption(self, unit: int) -> bool:
        """Whether a box, or what only holds it, has an image or a video, so its text may be a caption."""
        table, nodes, top = self.table, self.table.blocks.nodes, self.tops.item(unit)
        first, last, around = table.first.item(unit), table.last.item(unit), table.parents.item(top)
        if nodes[top] in self.media or table.markup[1, first] > 0 or table.blocks.element_tags[around] == "figure":
            return True
        is_small = table.sums[SIZE_SUM, around] <= MAX_SIZES[FOREIGN_BOX]
        if is_small and nodes[around] in self.media:
            return True
        roles = table.page.view(Roles)
        return any(roles[element].caption is not None for element in table.blocks.element_list[first:last])


def _sentences(table: FeatureTable, logits: Floats) -> list[int]:
    """The paragraphs without links that end as sentences do and stand right behind another in the same element.

    They are too short for the model to tell: "It opens in June.", an answer in an interview.
    """
    parents = table.parents.take(table.blocks.elements)
    is_paragraph = table.tags == TAGS["p"]
    found = table.ended & is_paragraph & (table.link_share == 0) & (table.size < MAX_SENTENCE)
    found &= logits < 0
    found[1:] &= is_paragraph[:-1] & (parents[1:] == parents[:-1])
    found[:1] = False
    rows: list[int] = found.nonzero()[0].tolist()
    return rows


def _candidates(table: FeatureTable, logits: Floats, odds: Mapping[int, Judged]) -> Ints:
    """The elements that may be units: those that have odds, and boxes whose class says what they are, behind kept
    blocks, if these are near or further boxes stand between.
    """
    boxes = (table.last > table.first) & (table.first > 0)
    boxes &= table.blocks.has_tag(BOX_TAGS) & (table.sums[SIZE_SUM] <= MAX_BOX)
    last_kept, end = np.maximum.accumulate(table.rows * (logits > 0)), 0
    found, rows, classes = np.zeros(len(boxes), bool), boxes.nonzero()[0], table.blocks.element_classes
    first = table.first.take(rows)
    is_behind = last_kept.take(first - 1) >= first - 1 - MAX_BEHIND
    rows, first = rows[is_behind], first[is_behind]
    begins, near = first.tolist(), (last_kept.take(table.last.take(rows) - 1) >= first - 2).tolist()
    for box, begin, is_behind in zip(rows.tolist(), begins, near, strict=True):
        if (is_behind or begin <= end) and (name := classes[box]) and (kind := _box(name)):
            is_prose = kind == DOUBTFUL_BOX and table.sums[ENDED_SUM, box] > 0
            found[box] = is_prose or table.sums[SIZE_SUM, box] <= MAX_SIZES.get(kind, MAX_BOX)
            end = table.last.item(box)
    found[[*odds]] = True
    return found.nonzero()[0]


def _box(name: str | None) -> int | None:
    """What a class names: a box about the author, a foreign or doubtful one, or a part of the article."""
    bits = mask_of(name) & BOXES
    return bits & -bits or None


def _with_figure(table: FeatureTable, unit: int) -> int:
    """The figure that begins with a list, table or quotation, with its caption or source; else the unit itself."""
    outer, tags = unit, table.blocks.element_tags
    while tags[unit] in UNIT_TAGS and table.first[outer] == table.first[unit] and outer > 0:
        if tags[outer] == "figure":
            return outer
        outer = int(table.parents[outer])
    return unit


def _with_heading(table: FeatureTable, begin: int) -> int:
    """The heading right before a block, or the block."""
    return begin - (begin > 1 and TAGS["h2"] <= table.tags.item(begin - 1) <= TAGS["h3"])


def _begin_in_text(table: FeatureTable, kept: bytearray, unit: int) -> int | None:
    """The first block that is kept with a unit: a heading right before it, or its own; None if it isn't in the text.

    A kept block of the same container is before it, with at most a heading and a credit or two between. Behind the unit
    there is a kept block of the container, or the block before isn't the end of a large part of the text, beside which
    the unit stands.
    """
    parents, good = table.parents, table.running[GOOD_SUM]
    begin = _with_heading(table, table.first.item(unit))
    if (before := kept.rfind(1, max(0, begin - NEAR), begin)) < 0:
        return begin if 1 not in kept[: table.last.item(unit)] else None
    container = unit
    while table.first[container] > before:
        container = int(parents[container])
    end = int(table.last[unit])
    if end < table.last[container] and kept[end]:
        return begin
    beside = int(table.blocks.elements[before])
    if table.tags[before] == TAGS["p"] and parents[beside] == container:
        return begin
    while beside != container and parents[beside] != container:
        beside = int(parents[beside])
    part = good[table.last[beside]] - good[table.first[beside]]
    return begin if part <= MOST * table.total_good else None


def _without_button(table: FeatureTable, begin: int, end: int) -> Ints:
    """The blocks of a unit, without what copies its code."""
    rows = np.arange(begin, end, dtype=np.int32)
    is_code = (table.tags[begin:end] == TAGS["pre"]).any()
    return rows[table.link_share[begin:end] < 1] if is_code else rows


def _is_repeated(table: FeatureTable, kept: bytearray, begin: int, end: int) -> bool:
    """Whether the longest line of a unit is in a kept block elsewhere: a pull quote, or a copy for small screens."""
    texts = table.blocks.texts
    row = max(range(begin, end), key=lambda row: len(texts[row]))
    others = chain(compress(texts[:begin], kept), compress(texts[end:], kept[end:]))
    return table.size[row] >= MIN_REPEATED and any(map(contains, others, repeat(texts[row].strip(QUOTES))))
