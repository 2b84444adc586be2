"""Which boxes, lists, tables and quotations are the article's: a small network over what is in them and around them.

A box between the paragraphs may be a recipe or a poll, a list behind the last of them footnotes or comments. The model
of blocks judges their lines one by one, and class names are hashed on many sites. What tells them apart holds for the
box as a whole: sentences, labels with numbers, how alike its lines are, links and where they lead, what readers press,
and where it stands. Boxes whose class says what they are don't need it. `scripts/bench fit boxes` fits the weights.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from newsextract.extractors.fusion.features import (
    CJK,
    COMMA,
    DIGIT,
    ELEMENTS_SUM,
    ENDED_SUM,
    GOOD_SUM,
    LINKED_SUM,
    LOG_SUM,
    MARK,
    SIZE_SUM,
    TAGS,
    UPPER,
    FeatureTable,
    Floats,
    Ints,
    headlines,
)
from newsextract.extractors.fusion.network import Network, read_layers
from newsextract.files import package_data
from newsextract.limits import MOST
from newsextract.page import parse
from newsextract.page.blocks import ONLY_LINKS
from newsextract.page.class_names import BITS, mask_of
from newsextract.page.walk import holders_of
from newsextract.parts.owners import Owner, Owners
from newsextract.urls import host_and_path

#: Log odds of a block count up to this.
MAX_LOGIT = 6.0
#: Tags of boxes.
BOX_TAGS = ("div", "section", "aside", "address", "footer")
#: Maximum size of a box.
MAX_BOX = 3_000
#: How many blocks before a box the text may end: several boxes may follow each other.
MAX_BEHIND = 12
#: Least mean log odds of a box's blocks.
LEAST_ODDS = -5.0
#: Maximum size, without links, of a box that may be dropped.
MAX_DROPPED = 400
#: Tags of lists, which may be all that is kept of a page without a text, and of tables and quotations, whose size and
#: class don't matter.
LISTS = ("ul", "ol")
UNIT_TAGS = ("table", "dl", "details", "blockquote", "pre", *LISTS)
#: What a class says of a box.
TELLING = sum(BITS["boxes"].values())
#: Size of a short line.
SHORT = 40
#: Blocks behind a box that are searched for more of the text.
NEAR = 3
#: How many blocks before the first of the text a box may end.
MAX_AHEAD = 6
#: What readers fill in or press; how many of these, and of the links, are looked at in a box.
CONTROLS = parse.CONTROLS
MAX_INNER = 6
MEDIA = ("img", "picture", "video", "audio", "iframe")
TOLD = (*CONTROLS, *MEDIA)
COLONS = (ord(":"), 0xFF1A)
QUESTIONS = (ord("?"), 0xFF1F, 0x61F)
MARKS = np.array([*COLONS, *QUESTIONS], np.uint32)[:, None]
#: Tags of blocks in lists and tables.
CELLS = np.array([TAGS["li"], TAGS["td"]], np.int8)[:, None]
#: Tags of boxes, owners and targets of links that are features.
TAGGED = ("section", "aside", "footer", *UNIT_TAGS)
OWNERS = (Owner.QUOTATION, Owner.BESIDE, Owner.NAVIGATION, Owner.COMMENT, Owner.OTHER_PAGES, Owner.OTHER_ARTICLE)
TARGETS = ("page", "site", "elsewhere", "document")
#: The size of no block.
NOTHING = np.zeros(1, np.float32)
#: Ends of URLs of documents.
DOCUMENTS = (".pdf", ".doc", ".docx", ".xls", ".xlsx", ".csv", ".ppt", ".pptx", ".zip")

#: Shares of a box's blocks; other figures of a box, of what is around it, and what its element has.
SHARES = (
    "kept", "short", "short with digits", "only links", "questions", "headings", "announcing", "items", "cells",
    "ended", "numbers", "opens digit", "like last", "like second last", "images", "inline", "code",
)  # fmt: skip
OF_BOX = (
    "link share", "good share", "log size", "share of page", "log blocks", "mean log size", "digits", "marks", "commas",
    "ended size", "spread", "elements", "log longest", "log first", "log last", "last linked",
)  # fmt: skip
AROUND = (
    "odds before", "odds behind", "kept before", "kept behind", "none kept behind", "none kept before", "text before",
    "heading before", "colon before", "heading behind", "text in container", "links in container",
)  # fmt: skip
OF_ELEMENT = ("pressed", "opens text", "media", "media around", "named")
FEATURES = (
    "mean odds", *SHARES, *OF_BOX, *AROUND, *OF_ELEMENT, *(f"is {tag}" for tag in TAGGED),
    *(f"owner {owner.name.lower()}" for owner in OWNERS), *(f"links {target}" for target in TARGETS),
)  # fmt: skip


#: Groups of boxes with thresholds of their own: made of links, quotations, and what stands before the text.
GROUPS = ("box", "linked", "quotation", "ahead")

#: Columns that tell the groups apart.
GROUPED = [FEATURES.index(name) for name in ("link share", "is blockquote", "none kept before")]


@dataclass(frozen=True)
class BoxModel:
    """`kept`, `dropped`: group -> log odds from which on its boxes are kept, and down from which they are dropped;
    `odds_kept`, `odds_dropped`: log odds that what is kept or dropped so is the article's.
    """

    network: Network
    kept: Mapping[str, float]
    dropped: Mapping[str, float]
    odds_kept: float
    odds_dropped: float


class Judged(NamedTuple):
    """Log odds that a box is the article's, the tag that says most of it, and those of BoxModel for its group."""

    odds: float
    tag: str
    group: str
    kept: float
    dropped: float


@cache
def box_model() -> BoxModel:
    """The model of the package."""
    values = package_data(__package__, "boxes.json")
    return BoxModel(Network(**read_layers(values, FEATURES, "boxes")), **values["decisions"])


def groups_of(features: Floats) -> list[str]:
    """The one of GROUPS that each box is of, by (boxes, FEATURES)."""
    box, of_links, quotation, ahead = GROUPS
    return [
        ahead if is_ahead else of_links if linked > MOST else quotation if is_quoted else box
        for linked, is_quoted, is_ahead in features.take(GROUPED, 1).tolist()
    ]


def silent_boxes(table: FeatureTable, logits: Floats) -> dict[int, str]:
    """The boxes, lists, tables and quotations near kept blocks whose class says nothing, outermost first, each range of
    blocks once, with the tag that says most of it.
    """
    first, last, blocks = table.first, table.last, table.blocks
    units = _units(table)
    found = units | (blocks.has_tag(BOX_TAGS) & (table.sums[SIZE_SUM] <= MAX_BOX))
    found &= (last > first) & (first > 0) & (table.sums[GOOD_SUM] <= MOST * table.total_good)
    boxes, is_kept = found.nonzero()[0], logits > 0
    first, last = first.take(boxes), last.take(boxes)
    last_kept = np.maximum.accumulate(np.where(is_kept, table.rows, -2.0 * MAX_BEHIND))
    is_open = last_kept.take(last - 1) >= first - MAX_BEHIND
    begin = int(is_kept.argmax())
    ahead = (last <= begin) & (last >= begin - MAX_AHEAD) & (table.sums[ENDED_SUM].take(boxes) > 0)
    if ahead.any() and (headings := headlines(table)):  # sentences between the headline and the text
        is_open |= ahead & (first > headings[0])
    running = np.zeros((3, len(logits) + 1), np.float32)
    np.minimum(np.maximum(logits, -MAX_LOGIT), MAX_LOGIT, out=running[0, 1:])
    running[1, 1:] = is_kept
    np.multiply(table.size, is_kept, out=running[2, 1:])
    np.add.accumulate(running, 1, out=running)
    odds, kept, kept_size = running.take(last, 1) - running.take(first, 1)
    unlinked = table.sums[SIZE_SUM].take(boxes) - table.sums[LINKED_SUM].take(boxes)
    is_open &= ((kept < last - first) | (unlinked <= MAX_DROPPED)) & (
        (odds >= LEAST_ODDS * (last - first)) | (kept > 0)
    )
    if (is_large := kept_size > MOST * running[2, -1]).any():
        is_open &= ~is_large | blocks.has_tag(LISTS).take(boxes)
    boxes, ranges = boxes[is_open], (first * (len(logits) + 1) + last)[is_open]
    tags, of_unit = blocks.element_tags, units.take(boxes).tolist()
    outermost = dict[int, int]()  # range of blocks -> the outermost box, -1 if a class speaks
    named = dict[int, str]()  # range of blocks -> tag
    for box, own, is_unit in zip(boxes.tolist(), ranges.tolist(), of_unit, strict=True):
        if is_unit:
            named.setdefault(own, tags[box])
            outermost[own] = box if outermost.get(own, -1) < 0 else outermost[own]
        else:
            outermost[own] = -1 if mask_of(blocks.element_classes[box]) & TELLING else outermost.get(own, box)
    return {box: named.get(own, tags[box]) for own, box in outermost.items() if box >= 0}


def _units(table: FeatureTable) -> NDArray[np.bool_]:
    """(elements,) the lists, tables and quotations, but line numbers and tables of code."""
    found, tags, names = table.blocks.has_tag(UNIT_TAGS), table.tag_numbers, table.tag_names
    if "pre" in names and (code := (found & (tags == names.index("pre"))).nonzero()[0]).size:
        if "table" in names:
            begun = np.concatenate(([0], np.bincount(table.first[code], minlength=len(table.size)).cumsum()))
            found &= (tags != names.index("table")) | (begun.take(table.last) == begun.take(table.first))
        letters = np.concatenate(([0], np.cumsum([any(map(str.isalpha, text)) for text in table.blocks.texts])))
        found[code] = letters.take(table.last[code]) > letters.take(table.first[code])
    return found


def box_odds(table: FeatureTable, logits: Floats) -> dict[int, Judged]:
    """What the model says of the boxes whose class says nothing."""
    if not (boxes := silent_boxes(table, logits)):
        return {}
    model, features = box_model(), box_features(table, logits, boxes)
    groups, odds = groups_of(features), model.network.logits(features).tolist()
    return {
        box: Judged(own, tag, group, model.kept[group], model.dropped[group])
        for (box, tag), group, own in zip(boxes.items(), groups, odds, strict=True)
    }


def box_features(table: FeatureTable, logits: Floats, tags: Mapping[int, str]) -> Floats:
    """(boxes, FEATURES); `logits`: log odds of the blocks; `tags`: the boxes with their tags."""
    boxes = np.array([*tags], np.int64)
    first, last = table.first.take(boxes), table.last.take(boxes)
    out = np.empty((len(FEATURES), len(boxes)), np.float32)
    bounded = np.minimum(np.maximum(logits, -MAX_LOGIT), MAX_LOGIT)
    heading = (table.tags >= TAGS["h1"]) & (table.tags <= TAGS["h3"])
    closes = table.closes == MARKS
    colon = closes[0] | closes[1]
    running = _running(table, bounded, heading, colon, closes[2] | closes[3] | closes[4])
    sums, of_boxes = running.take(last, 1), table.sums.take(boxes, 1)
    sums -= running.take(first, 1)
    count = (last - first).astype(np.float32)
    np.divide(sums[1], np.maximum(1, sums[0]), out=out[0])
    np.minimum(3, sums[2 : 2 + len(SHARES)] / count, out=out[1 : 1 + len(SHARES)])
    place = 1 + len(SHARES)
    _fill_of_box(table, first, last, sums[2 + len(SHARES) :], of_boxes, out[place : place + len(OF_BOX)])
    place += len(OF_BOX)
    _fill_around(table, boxes, of_boxes, running[2], bounded, (heading, colon), out[place : place + len(AROUND)])
    _fill_by_element(table, tags, out[place + len(AROUND) :])
    return out.T


def _running(table: FeatureTable, bounded: Floats, heading: Any, colon: Any, question: Any) -> Floats:
    """(figures, blocks + 1) running sums: weights, weighted log odds, what SHARES has, then sizes."""
    kinds, size, markup = table.kinds, table.size, table.markup
    running = np.zeros((len(SHARES) + 7, len(size) + 1), np.float32)
    rows = running[:, 1:]
    tags = table.tag_numbers.take(table.blocks.elements)
    np.sqrt(size, out=rows[0])
    np.multiply(rows[0], bounded, out=rows[1])
    rows[2] = bounded > 0
    rows[3] = short = size <= SHORT
    rows[4] = short & (kinds[DIGIT] > 0)
    rows[5] = table.link_share > ONLY_LINKS
    rows[6], rows[7], rows[8] = question, heading, colon
    rows[9:11] = table.tags == CELLS
    rows[11] = table.ended
    rows[12] = markup[4] - np.add.reduce(kinds, 0) + kinds[UPPER] + kinds[CJK] < kinds[DIGIT]  # letters
    rows[13] = table.opens == DIGIT
    rows[14, 1:] = tags[1:] == tags[:-1]
    rows[15, 2:] = tags[2:] == tags[:-2]
    rows[16:18] = markup[1:3]
    rows[18] = table.tags == TAGS["pre"]
    rows[19:22] = kinds.take((DIGIT, MARK, COMMA), 0)
    np.multiply(size, table.ended, out=rows[22])
    np.multiply(table.log_size, table.log_size, out=rows[23])
    return np.add.accumulate(running, 1, out=running)


def _fill_of_box(table: FeatureTable, first: Ints, last: Ints, sizes: Floats, of_boxes: Floats, out: Floats) -> None:
    """The features OF_BOX; `sizes`: sums of the last rows of `_running`, `of_boxes`: those of the table."""
    count, size, ends = (last - first).astype(np.float32), np.maximum(1, of_boxes[SIZE_SUM]), last - 1
    np.divide(of_boxes[LINKED_SUM], size, out=out[0])
    np.divide(of_boxes[GOOD_SUM], size, out=out[1])
    np.log1p(size, out=out[2])
    np.divide(size, max(1.0, table.total_size), out=out[3])
    np.log1p(count, out=out[4])
    mean = np.divide(of_boxes[LOG_SUM], count, out=out[5])
    np.divide(sizes[:4], size, out=out[6:10])
    np.sqrt(np.maximum(0, sizes[4] / count - mean * mean), out=out[10])
    np.log1p(np.maximum(0, of_boxes[ELEMENTS_SUM]) / count, out=out[11])
    out[12] = np.maximum.reduceat(np.concatenate((table.log_size, NOTHING)), np.array((first, last)).T.ravel())[::2]
    table.log_size.take(first, out=out[13], mode="clip")
    table.log_size.take(ends, out=out[14], mode="clip")
    table.link_share.take(ends, out=out[15], mode="clip")


def _fill_around(
    table: FeatureTable, boxes: Ints, of_boxes: Floats, kept: Floats, bounded: Floats, marked: Any, out: Floats
) -> None:
    """The features AROUND; `kept`: running sum of kept blocks, `marked`: which are headings, which end in a colon."""
    first, last, (heading, colon) = table.first.take(boxes), table.last.take(boxes), marked
    padded = np.full(len(bounded) + 2, -MAX_LOGIT, np.float32)
    padded[1:-1] = bounded
    padded.take(first, out=out[0], mode="clip")
    padded.take(last + 1, out=out[1], mode="clip")
    until, before = kept.take(last), kept.take(first)
    out[2] = before > kept.take(np.maximum(0, first - NEAR))
    out[3] = kept.take(last + NEAR, mode="clip") > until
    out[4] = until == kept[-1]
    out[5] = before == 0
    total, of_outer = max(1.0, table.total_good), table.sums.take(table.above.take(boxes), 1)
    np.divide(table.running[GOOD_SUM].take(first), total, out=out[6])
    out[7] = heading.take(first - 1)
    out[8] = colon.take(first - 1)
    out[9] = heading.take(last, mode="clip") & (last < len(heading))
    of_outer -= of_boxes
    np.divide(of_outer[GOOD_SUM], total, out=out[10])
    np.divide(of_outer[LINKED_SUM], np.maximum(1, of_outer[SIZE_SUM]), out=out[11])


def _around(table: FeatureTable, boxes: Sequence[int]) -> int:
    """The smallest element with more blocks than some boxes have together, or the outermost."""
    first, last = table.first.take(boxes).min(), table.last.take(boxes).max()
    return table.above.item(table.blocks.common_element(int(first), int(last) - 1))


def _fill_by_element(table: FeatureTable, boxes: Mapping[int, str], out: Floats) -> None:
    """The features that are read from each box's element."""
    page, blocks, owners = table.page, table.blocks, table.page.view(Owners)
    # once for all boxes, which may be nested in hundreds of others, from the element around them
    told = [*blocks.nodes[_around(table, [*boxes])].iter_elements(TOLD)]
    controls = holders_of(element for element in told if element.tag in CONTROLS)
    media = holders_of(element for element in told if element.tag in MEDIA)
    tags = {tag: len(OF_ELEMENT) + number for number, tag in enumerate(TAGGED)}
    owned = len(OF_ELEMENT) + len(TAGGED)
    targets, own = owned + len(OWNERS), host_and_path(page.url)[0]
    linked = (table.sums[LINKED_SUM].take([*boxes]) > 0).tolist()
    known: dict[str, str] = {}  # link -> where it leads
    ones: list[int] = []  # places of the features that the boxes have
    for row, (box, tag) in enumerate(boxes.items()):
        node = blocks.nodes[box]
        inner = islice(node.iter_elements(CONTROLS), MAX_INNER) if node in controls else ()
        found = [int(opens) for opens in {bool(control.attr("aria-expanded")) for control in inner}]
        found += [2] if node in media else []
        found += [3] if node.parent in media else []
        if blocks.element_classes[box] is not None:
            found.append(4)
        if tag in tags:
            found.append(tags[tag])
        if (owner := owners.of(node)) in OWNERS:
            found.append(owned + OWNERS.index(owner))
        if linked[row]:
            found += [targets + TARGETS.index(target) for target in link_targets(own, node, known)]
        ones += [feature * len(boxes) + row for feature in found]
    out.fill(0)
    out.put(ones, 1)


def link_targets(own: str, node: Any, known: dict[str, str] | None = None) -> set[str]:
    """Where the links of a box lead, of TARGETS; `own`: the page's host; `known`: targets of links that were read."""
    found, known = set(), {} if known is None else known
    for link in islice(node.iter_elements("a"), MAX_INNER):
        href = link.attr("href") or "#"
        if (target := known.get(href)) is None:
            target = known[href] = _target_of(own, href.strip())
        found.add(target)
    return found


def _target_of(own: str, href: str) -> str:
    """Where a link leads, of TARGETS."""
    scheme, _, rest = href.partition("//")
    if scheme[:1] == "#":
        return "page"
    if href.lower().endswith(DOCUMENTS):
        return "document"
    return "site" if not rest or (own and rest.removeprefix("www.").startswith(own)) else "elsewhere"
