"""Units: elements that are kept or dropped as a whole, such as tables, quotations, lists and boxes.

Their blocks are short, so the model, which judges single blocks, keeps some rows of a table and drops others. A unit
that stands among the paragraphs of the article belongs to it, unless the model is sure of the opposite, or it is made
of links, somebody else's or a repetition. Of boxes whose class says nothing, a model of their own decides
(`box_model`). Lists of links behind a colon belong to the article, those of other pages don't. Short sentences right
behind its paragraphs do as well.
"""

import re
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
    box_odds,
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
from newsextract.page.walk import holders_of
from newsextract.parts.class_names import BITS, mask_of
from newsextract.parts.owners import Owner, owners_of
from newsextract.parts.surroundings import surroundings_of
from newsextract.urls import host_and_path

#: Tag of a unit -> maximum share of links in it, least mean log odds by the model. Lists are often menus.
UNITS = {
    "table": (0.8, -4.0), "dl": (0.5, -4.5), "details": (0.5, -5.0), "blockquote": (0.5, -5.0), "pre": (0.25, -4.5),
    "ul": (0.25, -2.5), "ol": (0.25, -2.5),
}  # fmt: skip
#: The same for boxes whose class names a part of an article, and their tags.
BOX = (0.25, -5.5)
BOX_TAGS = ("div", "section", "aside", "p", "address", "footer")
#: What a class says that a box is; the first of these counts.
AUTHOR_BOX, FOREIGN_BOX, DOUBTFUL_BOX, OWN_BOX = BITS["boxes"].values()
BOXES = AUTHOR_BOX | FOREIGN_BOX | DOUBTFUL_BOX | OWN_BOX
POST = BITS["owners"]["quotation"]
#: Foreign boxes are dropped if they have no more characters than this; doubtful ones hold text, if more than a label.
MAX_SIZES = {FOREIGN_BOX: MAX_DROPPED, DOUBTFUL_BOX: 40}
#: Lines of an embedded post that only say where it is and whose: "View this post on Instagram", "... Ann (@ann)".
OF_NETWORK = re.compile(r"Instagram|\(@\w")
#: Minimum mean log odds of a list that a colon announces and that links to other sites.
INTRODUCED = -4.0
#: What has a caption.
MEDIA = ("img", "picture", "video", "figure", "iframe")
#: Log odds of a kept unit, and of a dropped one, which no page takes for its text.
KEPT = 1.0
DROPPED = -3.0
#: Log odds by the model of boxes from which on a box is kept, and down from which it is dropped.
BOX_KEPT = 1.0
BOX_DROPPED = -2.0
#: Log odds of blocks of other articles are below this.
FOREIGN = -12.0
#: Least log odds of a sentence that is kept with the paragraph before it, and its maximum size.
SENTENCE = -2.5
MAX_SENTENCE = 120
#: Owners of what isn't the article's even among its paragraphs.
THEIRS = frozenset({Owner.COMMENT, Owner.OTHER_PAGES, Owner.OTHER_ARTICLE, Owner.NAVIGATION})
#: Ends of URLs of documents.
DOCUMENTS = (".pdf", ".doc", ".docx", ".xls", ".xlsx", ".csv", ".ppt", ".pptx", ".zip")
#: Minimum characters of a line by which a unit is recognised as a repetition.
MIN_REPEATED = 25
#: So many units are compared with all other lines of the page.
MAX_COMPARED = 100
QUOTES = " \"'“”„‘’«»"


def unit_weights(table: FeatureTable, logits: Floats) -> Floats | None:
    """(blocks,) weights to add to the log odds; None if no unit stands among kept blocks."""
    changed, kept, done = logits.copy(), bytearray(logits > 0), 0
    captions, owners, odds = _Captions(table), owners_of(table.page), box_odds(table, logits)
    for number, unit in enumerate(_units(table, logits, odds).tolist()):
        begin, end = table.first.item(unit), table.last.item(unit)
        if begin < done or 1 not in kept[max(0, begin - 2) : end]:
            continue
        end = table.last.item(_with_figure(table, unit))
        rows, node = slice(begin, end), table.blocks.nodes[unit]
        kind = _box(table.blocks.element_classes[unit]) if node.tag in BOX_TAGS else OWN_BOX
        if kind == DOUBTFUL_BOX and table.sums[SIZE_SUM, unit] > MAX_SIZES[kind]:
            kind = OWN_BOX
        if kind is None:
            is_foreign = odds[unit] < BOX_DROPPED and table.sums[SIZE_SUM, unit] <= MAX_DROPPED and 1 in kept[rows]
            is_own = odds[unit] >= BOX_KEPT and 0 in kept[rows] and not captions.has_caption(unit)
            if not is_foreign and not is_own:
                continue
            kind = FOREIGN_BOX if is_foreign else None
        if kind not in (None, OWN_BOX):
            changed[rows] = np.minimum(changed[rows], DROPPED)
            kept[rows], done = bytes(end - begin), end
            continue
        most, least = UNITS.get(node.tag, BOX)
        least = -MAX_LOGIT if kind is None else least
        is_linked = table.sums[LINKED_SUM, unit] > most * table.sums[SIZE_SUM, unit]
        is_post = mask_of(table.blocks.element_classes[unit]) & POST != 0
        is_linked = is_linked and not (is_post and not all(map(OF_NETWORK.search, table.blocks.texts[begin:end])))
        if is_linked and node.tag != "blockquote":
            introduced = _least_if_introduced(table, kept, unit, least)
            is_linked, least = introduced is None, least if introduced is None else introduced
        before = None if is_linked else _block_before(table, kept, unit)
        if 1 not in kept[rows] if is_linked else before is None or 0 not in kept[rows]:
            continue
        shares = np.sqrt(table.size[rows])
        mean = shares @ np.clip(logits[rows], -MAX_LOGIT, MAX_LOGIT) / shares.sum()
        owner = owners.of(node)
        is_theirs = owner in THEIRS
        if owner == Owner.BESIDE and before is not None and node.tag in UNITS and not is_post:
            is_theirs = owners.of(table.blocks.nodes[table.blocks.owners[before]]) != owner
        is_last = is_linked and node.tag in ("ul", "ol") and 1 not in kept[end:] and _leads_to_site(table, unit)
        if is_linked and (is_theirs or is_last or (mean < 0 and not kept[begin - 1])):
            changed[rows] = np.minimum(changed[rows], DROPPED)
            kept[rows] = bytes(end - begin)
        is_theirs = is_theirs or mean < least or logits[rows].min() < FOREIGN
        if before is None or is_theirs or (number < MAX_COMPARED and _is_repeated(table, kept, begin, end)):
            continue
        rows = slice(before + 1, end)
        changed[rows] = np.maximum(changed[rows], KEPT)
        kept[rows] = b"\1" * (end - before - 1)
        done = end if kind else done  # in a box whose class says nothing, another may speak against itself
    for row in _sentences(table, logits):
        if kept[row - 1] and not kept[row]:
            changed[row], kept[row] = KEPT, 1
    weights = changed - logits
    return weights if weights.any() else None


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
        parts = surroundings_of(table.page)
        return any(parts[owner].caption is not None for owner in table.blocks.owner_list[first:last])


def _sentences(table: FeatureTable, logits: Floats) -> list[int]:
    """The paragraphs without links that end as sentences do and stand right behind another in the same element.

    They are too short for the model to tell: "It opens in June.", an answer in an interview.
    """
    parents = table.parents.take(table.blocks.owners)
    is_paragraph = table.tags == TAGS["p"]
    found = table.ended & is_paragraph & (table.link_share == 0) & (table.size < MAX_SENTENCE)
    found &= (logits > SENTENCE) & (logits < 0)
    found[1:] &= is_paragraph[:-1] & (parents[1:] == parents[:-1])
    found[:1] = False
    rows: list[int] = found.nonzero()[0].tolist()
    return rows


def _units(table: FeatureTable, logits: Floats, odds: Mapping[int, float]) -> Ints:
    """The elements that may be units. Neither line numbers nor tables of code count; boxes do that have odds, and those
    whose class says what they are, behind kept blocks, if these are near or further boxes stand between.
    """
    tags, number = table.tag_numbers, {name: number for number, name in enumerate(table.tag_names)}.get
    found = (table.last > table.first) & (table.first > 0)
    boxes = found & table.blocks.has_tag(BOX_TAGS) & (table.sums[SIZE_SUM] <= MAX_BOX)
    found &= table.blocks.has_tag(UNITS)
    small = table.sums[GOOD_SUM] <= MAX_SHARE * table.total_good
    found &= small
    if "dl" in table.tag_names:  # one without a term at its beginning is an image with its caption
        found &= (tags != number("dl")) | ~np.isin(table.first, table.first[tags == number("dd", -1)])
    if (code := (found & (tags == number("pre", -1))).nonzero()[0]).size:
        begun = np.concatenate(([0], np.bincount(table.first[code], minlength=len(table.size)).cumsum()))
        found &= (tags != number("table", -1)) | (begun.take(table.last) == begun.take(table.first))
        letters = np.concatenate(([0], np.cumsum([any(map(str.isalpha, text)) for text in table.blocks.texts])))
        found[code] = letters.take(table.last[code]) > letters.take(table.first[code])
    last_kept, end = np.maximum.accumulate(table.rows * (logits > 0)), 0
    boxes &= last_kept.take(table.first - 1, mode="wrap") >= table.first - 1 - MAX_BEHIND
    is_near = last_kept.take(table.last - 1, mode="wrap") >= table.first - 2
    for box in boxes.nonzero()[0].tolist():
        name = table.blocks.element_classes[box] if is_near[box] or table.first[box] <= end else None
        if name and (kind := _box(name)):
            is_prose = kind == DOUBTFUL_BOX and table.sums[ENDED_SUM, box] > 0
            found[box] = is_prose or table.sums[SIZE_SUM, box] <= MAX_SIZES.get(kind, MAX_BOX)
            end = table.last[box]
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


def _least_if_introduced(table: FeatureTable, kept: bytearray, unit: int, least: float) -> float | None:
    """The least mean log odds of a list of links that is the article's, None if it isn't: it stands behind a colon or
    between paragraphs, or has documents at the article's end.
    """
    before, end = table.first.item(unit) - 1, table.last.item(unit)
    is_announced = table.closes[before] in COLONS
    goes_on = 1 in kept[end : end + (NEAR if is_announced else 1)]
    if not is_announced and not (kept[before] and table.ended[before] and goes_on):
        return None
    own = host_and_path(table.page.url)[0]
    hrefs = [(link.attr("href") or "").lower() for link in table.blocks.nodes[unit].iter_elements("a")]
    others = [href for href in hrefs if not href.endswith(DOCUMENTS)]
    is_elsewhere = all(host_and_path(href)[0] not in ("", own) for href in others)
    if others and not (goes_on and (is_announced or is_elsewhere)):
        return None
    return min(least, INTRODUCED) if is_announced and is_elsewhere else least


def _leads_to_site(table: FeatureTable, unit: int) -> bool:
    """Whether all links of a unit lead to other pages of the site."""
    own = host_and_path(table.page.url)[0]
    hrefs = [link.attr("href") or "#" for link in table.blocks.nodes[unit].iter_elements("a")]
    return all(host_and_path(href)[0] in ("", own) and not href.startswith("#") for href in hrefs)


def _block_before(table: FeatureTable, kept: bytearray, unit: int) -> int | None:
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


def _is_repeated(table: FeatureTable, kept: bytearray, begin: int, end: int) -> bool:
    """Whether the longest line of a unit is in a kept block elsewhere: a pull quote, or a copy for small screens."""
    texts = table.blocks.texts
    line = max(texts[begin:end], key=len).strip(QUOTES)
    others = chain(compress(texts[:begin], kept), compress(texts[end:], kept[end:]))
    return len(line) >= MIN_REPEATED and any(map(contains, others, repeat(line)))
