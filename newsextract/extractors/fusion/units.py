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
    MAX_BEHIND,
    MAX_BOX,
    MAX_DROPPED,
    MAX_LOGIT,
    MAX_SHARE,
    NEAR,
    UNIT_TAGS,
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
from newsextract.extractors.fusion.selection import MADE_OF_LINKS, MIN_REPEATED
from newsextract.page.class_names import BITS, mask_of
from newsextract.page.walk import holders_of
from newsextract.parts.owners import Owner, Owners
from newsextract.parts.roles import Roles
from newsextract.urls import host_and_path

#: Maximum share of links in a box whose class names a part of an article, least mean log odds; tags of boxes.
BOX = (0.25, -5.5)
BOX_TAGS = ("div", "section", "aside", "p", "address", "footer")
#: What a class says that a box is; the first of these counts. What the model of boxes says.
AUTHOR_BOX, FOREIGN_BOX, DOUBTFUL_BOX, OWN_BOX = BITS["boxes"].values()
BOXES = AUTHOR_BOX | FOREIGN_BOX | DOUBTFUL_BOX | OWN_BOX
LIKELY = -1
UNLIKELY = -2
DROPPED_KINDS = (AUTHOR_BOX, FOREIGN_BOX, DOUBTFUL_BOX, UNLIKELY)
POST = BITS["owners"]["quotation"]
#: Foreign boxes are dropped if they have no more characters than this; doubtful ones hold text, if more than a label.
MAX_SIZES = {FOREIGN_BOX: MAX_DROPPED, DOUBTFUL_BOX: 40}
#: Lines of an embedded post that only say where it is and whose: "View this post on Instagram", "... Ann (@ann)".
OF_NETWORK = ("Instagram", "(@")
#: What has a caption.
MEDIA = ("img", "picture", "video", "figure", "iframe")
#: Log odds of a kept unit, and of a dropped one, which no page takes for its text.
KEPT = 1.0
DROPPED = -3.0
#: Log odds by the model of boxes from which on a box is kept, and down from which it is dropped.
BOX_KEPT = 0.1
BOX_DROPPED = -1.5
#: The same for quotations, which are hardly ever another's.
QUOTATION_DROPPED = -3.0
#: Log odds of blocks of other articles are below this.
FOREIGN = -12.0
#: Least log odds of a sentence that is kept with the paragraph before it, and its maximum size.
SENTENCE = -2.5
MAX_SENTENCE = 120
#: Owners of what isn't the article's even among its paragraphs.
THEIRS = frozenset({Owner.COMMENT, Owner.OTHER_PAGES, Owner.OTHER_ARTICLE, Owner.NAVIGATION})
#: So many units are compared with all other lines of the page.
MAX_COMPARED = 100
QUOTES = " \"'“”„‘’«»"


def unit_weights(table: FeatureTable, logits: Floats) -> Floats | None:
    """(blocks,) weights to add to the log odds; None if no unit stands among kept blocks."""
    changed, kept, done = logits.copy(), bytearray(logits > 0), 0
    inner, doubt = 0, 0.0  # the end of the last kept box, and its log odds
    captions, owners, odds = _Captions(table), table.page.view(Owners), box_odds(table, logits)
    for number, unit in enumerate(_candidates(table, logits, odds).tolist()):
        begin, end = table.first.item(unit), table.last.item(unit)
        if begin < done or 1 not in kept[max(0, begin - 1 - NEAR) : end]:
            continue
        end = table.last.item(_with_figure(table, unit))
        rows, kind = slice(begin, end), _kind(table, logits, kept, unit, odds, doubt if begin < inner else 0.0)
        if kind in DROPPED_KINDS:
            if begin <= kept.find(1) and kept.rfind(1) < end and _has_prose(table, kept):
                continue  # a box of all that is kept is the article's
            changed[rows] = np.minimum(changed[rows], DROPPED)
            kept[rows], done = bytes(end - begin), end
            continue
        if kind is None or 0 not in kept[rows] or (start := _begin_in_text(table, kept, unit)) is None:
            continue
        is_unit = kind == LIKELY and odds[unit][1] in UNIT_TAGS
        if kind == LIKELY and not is_unit and captions.has_caption(unit):
            continue
        if owners.of(table.blocks.nodes[unit]) in THEIRS or logits[rows].min() < FOREIGN:
            continue
        if kind == OWN_BOX and not _is_text(table, logits, unit):
            continue
        if number < MAX_COMPARED and _is_repeated(table, kept, begin, end):
            continue
        rows = slice(start, end)
        changed[rows] = np.maximum(changed[rows], KEPT)
        kept[rows] = b"\1" * (end - start)
        if kind == OWN_BOX or is_unit:
            done = end
        else:  # in another box, a further one may speak against itself
            inner, doubt = end, max(0.0, odds[unit][0])
    for row in _sentences(table, logits):
        if kept[row - 1] and not kept[row]:
            changed[row], kept[row] = KEPT, 1
    weights = changed - logits
    return weights if weights.any() else None


def _kind(
    table: FeatureTable, logits: Floats, kept: bytearray, unit: int, odds: Mapping[int, tuple[float, str]], doubt: float
) -> int | None:
    """What a unit is: by the model of boxes, LIKELY or UNLIKELY the article's, or by its class; None: nobody knows.

    `doubt`: log odds of the kept box around it, which those against it have to outweigh.
    """
    if unit not in odds:
        kind = _box(table.blocks.element_classes[unit])
        is_text = kind == DOUBTFUL_BOX and table.sums[SIZE_SUM, unit] > MAX_SIZES[kind]
        return OWN_BOX if is_text else kind
    (sure, tag), size, linked = odds[unit], table.sums[SIZE_SUM, unit], table.sums[LINKED_SUM, unit]
    is_linked = linked > MADE_OF_LINKS * size
    if table.blocks.element_tags[unit] == "blockquote" and sure >= QUOTATION_DROPPED:
        return LIKELY if _is_quoted(table, unit, is_linked) else UNLIKELY
    if sure < min(BOX_DROPPED, -doubt):
        return UNLIKELY if size - linked <= MAX_DROPPED else None
    if _is_led_to(table, kept, unit, sure) if tag in UNIT_TAGS and is_linked else sure >= BOX_KEPT:
        return LIKELY
    is_beside = tag in UNIT_TAGS and not kept[table.first.item(unit) - 1]
    return UNLIKELY if is_beside and _mean_odds(table, logits, unit) < 0 else None


def _is_quoted(table: FeatureTable, unit: int, is_linked: bool) -> bool:
    """Whether a quotation isn't made of links; a post of a network has to say more than where it is and whose."""
    if mask_of(table.blocks.element_classes[unit]) & POST:
        texts = table.blocks.texts[table.first.item(unit) : table.last.item(unit)]
        return not all(any(map(text.__contains__, OF_NETWORK)) for text in texts)
    return not is_linked


def _is_led_to(table: FeatureTable, kept: bytearray, unit: int, sure: float) -> bool:
    """Whether a unit made of links is the article's: they lead to documents, or the text goes on behind them, and the
    model is sure or they lead to other sites behind a colon.
    """
    begin, end = table.first.item(unit), table.last.item(unit)
    targets = link_targets(host_and_path(table.page.url)[0], table.blocks.nodes[unit])
    is_announced = table.closes[begin - 1] in COLONS and targets <= {"elsewhere", "document"}
    if 1 in kept[end : end + NEAR]:
        return is_announced or sure >= BOX_KEPT
    return is_announced and targets == {"document"}


def _has_prose(table: FeatureTable, kept: bytearray) -> bool:
    """Whether a kept block isn't made of links."""
    return bool((table.link_share[np.frombuffer(kept, bool)] < MADE_OF_LINKS).any())


def _mean_odds(table: FeatureTable, logits: Floats, unit: int) -> float:
    """The mean log odds of a unit's blocks, by the roots of their sizes."""
    rows = slice(table.first.item(unit), table.last.item(unit))
    shares = np.sqrt(table.size[rows])
    return float(shares @ np.clip(logits[rows], -MAX_LOGIT, MAX_LOGIT) / shares.sum())


def _is_text(table: FeatureTable, logits: Floats, unit: int) -> bool:
    """Whether a box that names itself a part of the article isn't made of links, or surely something else."""
    share, least = BOX
    is_linked = table.sums[LINKED_SUM, unit] > share * table.sums[SIZE_SUM, unit]
    return not is_linked and _mean_odds(table, logits, unit) >= least


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
    found &= (logits > SENTENCE) & (logits < 0)
    found[1:] &= is_paragraph[:-1] & (parents[1:] == parents[:-1])
    found[:1] = False
    rows: list[int] = found.nonzero()[0].tolist()
    return rows


def _candidates(table: FeatureTable, logits: Floats, odds: Mapping[int, tuple[float, str]]) -> Ints:
    """The elements that may be units: those that have odds, and boxes whose class says what they are, behind kept
    blocks, if these are near or further boxes stand between.
    """
    boxes = (table.last > table.first) & (table.first > 0)
    boxes &= table.blocks.has_tag(BOX_TAGS) & (table.sums[SIZE_SUM] <= MAX_BOX)
    last_kept, end = np.maximum.accumulate(table.rows * (logits > 0)), 0
    boxes &= last_kept.take(table.first - 1, mode="wrap") >= table.first - 1 - MAX_BEHIND
    is_near = last_kept.take(table.last - 1, mode="wrap") >= table.first - 2
    found, rows, classes = np.zeros(len(boxes), bool), boxes.nonzero()[0], table.blocks.element_classes
    begins, near = table.first.take(rows).tolist(), is_near.take(rows).tolist()
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
    """The figure that begins with a unit, with its caption or source; the unit itself if there is none."""
    outer = unit
    while table.first[outer] == table.first[unit] and outer > 0:
        if table.blocks.element_tags[outer] == "figure":
            return outer
        outer = int(table.parents[outer])
    return unit


def _begin_in_text(table: FeatureTable, kept: bytearray, unit: int) -> int | None:
    """The first block that is kept with a unit: a heading right before it, or its own; None if it isn't in the text.

    A kept block of the same container is before it, with at most a heading and a credit or two between. Behind the unit
    there is a kept block of the container, or the block before isn't the end of a large part of the text, beside which
    the unit stands.
    """
    parents, good = table.parents, table.running[GOOD_SUM]
    begin = table.first.item(unit)
    if begin > 1 and TAGS["h2"] <= table.tags[begin - 1] <= TAGS["h3"]:
        begin -= 1
    if (before := kept.rfind(1, max(0, begin - NEAR), begin)) < 0:
        return None
    container = unit
    while table.first[container] > before:
        container = int(parents[container])
    end = int(table.last[unit])
    if end < table.last[container] and kept[end]:
        return begin
    beside = int(table.blocks.elements[before])
    while beside != container and parents[beside] != container:
        beside = int(parents[beside])
    part = good[table.last[beside]] - good[table.first[beside]]
    return begin if part < MAX_SHARE * table.total_good else None


def _is_repeated(table: FeatureTable, kept: bytearray, begin: int, end: int) -> bool:
    """Whether the longest line of a unit is in a kept block elsewhere: a pull quote, or a copy for small screens."""
    texts = table.blocks.texts
    line = max(texts[begin:end], key=len).strip(QUOTES)
    others = chain(compress(texts[:begin], kept), compress(texts[end:], kept[end:]))
    return len(line) >= MIN_REPEATED and any(map(contains, others, repeat(line)))
