"""Which boxes, lists, tables and quotations are the article's: a small network over what is in them and around them.

A box between the paragraphs may be a recipe or a poll, a list behind the last of them footnotes or comments. The model
of blocks judges their lines one by one, and class names are hashed on many sites. What tells them apart holds for the
box as a whole: sentences, labels with numbers, how alike its lines are, links and where they lead, what readers press,
and where it stands. Boxes whose class says what they are don't need it. `scripts/bench fit boxes` fits the weights.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from newsextract.extractors.fusion.features import (
    CLOSING,
    COMMA,
    DIGIT,
    ELEMENTS_SUM,
    END,
    ENDED_SUM,
    GOOD_SUM,
    LINKED_SUM,
    LOG_SUM,
    MARK,
    SIZE_SUM,
    SPACE,
    TAGS,
    FeatureTable,
    Floats,
    headlines,
)
from newsextract.extractors.fusion.network import Network, read_layers
from newsextract.extractors.fusion.selection import MADE_OF_LINKS
from newsextract.files import package_data
from newsextract.page import parse
from newsextract.page.blocks import ONLY_LINKS
from newsextract.page.class_names import BITS, mask_of
from newsextract.page.walk import holders_of
from newsextract.parts.owners import Owner, Owners
from newsextract.urls import host_and_path

#: Log odds of a block count up to this.
MAX_LOGIT = 6.0
#: Tags of boxes and their maximum size; maximum share of the page's good text, and of the kept text, in one: layout
#: tables, lists of articles and what holds a short text have more. How many blocks before it the text may end: several
#: boxes may follow each other. Least mean log odds of its blocks; maximum size, without links, of a box that may be
#: dropped.
BOX_TAGS = ("div", "section", "aside", "address", "footer")
MAX_BOX = 3_000
MAX_SHARE = 0.5
MAX_BEHIND = 12
LEAST_ODDS = -5.0
MAX_DROPPED = 400
#: Tags of lists, which may be all that is kept of a page without a text, and of tables and quotations, whose size and
#: class don't matter.
LISTS = ("ul", "ol")
UNIT_TAGS = ("table", "dl", "details", "blockquote", "pre", *LISTS)
#: What a class says of a box.
TELLING = sum(BITS["boxes"].values())
#: Size of a short line.
SHORT = 40
#: Blocks behind a box that are searched for more of the text; how many blocks before the first of it a box may end.
NEAR = 3
MAX_AHEAD = 6
#: What readers fill in or press, and how many of a box are looked at; links of a box that are read.
CONTROLS = parse.CONTROLS
MAX_CONTROLS = 20
MAX_LINKS = 6
MEDIA = ("img", "picture", "video", "audio", "iframe")
COLONS = (ord(":"), 0xFF1A)
QUESTIONS = (ord("?"), 0xFF1F, 0x61F)
#: Tags of boxes, owners and targets of links that are features.
TAGGED = ("section", "aside", "footer", *UNIT_TAGS)
OWNERS = (Owner.QUOTATION, Owner.BESIDE, Owner.NAVIGATION, Owner.COMMENT, Owner.OTHER_PAGES, Owner.OTHER_ARTICLE)
TARGETS = ("page", "site", "elsewhere", "document")
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


def groups_of(features: Floats) -> NDArray[np.int64]:
    """(boxes,) place in GROUPS of each, by (boxes, FEATURES)."""
    linked, quoted, ahead = features.take(GROUPED, 1).T
    return np.where(ahead > 0, 3, np.where(linked > MADE_OF_LINKS, 1, 2 * (quoted > 0)))


def silent_boxes(table: FeatureTable, logits: Floats) -> dict[int, str]:
    """The boxes, lists, tables and quotations near kept blocks whose class says nothing, outermost first, each range of
    blocks once, with the tag that says most of it.
    """
    first, last, blocks = table.first, table.last, table.blocks
    units = _units(table)
    found = units | (blocks.has_tag(BOX_TAGS) & (table.sums[SIZE_SUM] <= MAX_BOX))
    found &= (last > first) & (first > 0) & (table.sums[GOOD_SUM] <= MAX_SHARE * table.total_good)
    boxes, is_kept = found.nonzero()[0], logits > 0
    first, last = first.take(boxes), last.take(boxes)
    last_kept = np.maximum.accumulate(np.where(is_kept, table.rows, -2.0 * MAX_BEHIND))
    is_open = last_kept.take(last - 1) >= first - MAX_BEHIND
    begin = int(is_kept.argmax())
    ahead = (last <= begin) & (last >= begin - MAX_AHEAD) & (table.sums[ENDED_SUM].take(boxes) > 0)
    if ahead.any() and (headings := headlines(table)):  # sentences between the headline and the text
        is_open |= ahead & (first > headings[0])
    running = np.zeros((3, len(logits) + 1), np.float32)
    np.add.accumulate(np.minimum(np.maximum(logits, -MAX_LOGIT), MAX_LOGIT), out=running[0, 1:])
    np.add.accumulate(is_kept, dtype=np.float32, out=running[1, 1:])
    np.add.accumulate(table.size * is_kept, out=running[2, 1:])
    odds, kept, kept_size = running.take(last, 1) - running.take(first, 1)
    unlinked = table.sums[SIZE_SUM].take(boxes) - table.sums[LINKED_SUM].take(boxes)
    is_open &= ((kept < last - first) | (unlinked <= MAX_DROPPED)) & (
        (odds >= LEAST_ODDS * (last - first)) | (kept > 0)
    )
    if (is_large := kept_size > MAX_SHARE * running[2, -1]).any():
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
    groups = [*map(GROUPS.__getitem__, groups_of(features).tolist())]
    odds, kept, dropped = (
        model.network.logits(features).tolist(),
        map(model.kept.get, groups),
        map(model.dropped.get, groups),
    )
    judged = map(Judged._make, zip(odds, boxes.values(), groups, kept, dropped, strict=True))
    return dict(zip(boxes, judged, strict=True))


def box_features(table: FeatureTable, logits: Floats, tags: Mapping[int, str]) -> Floats:
    """(boxes, FEATURES); `logits`: log odds of the blocks; `tags`: the boxes with their tags."""
    boxes = np.array([*tags], np.int64)
    first, last = table.first.take(boxes), table.last.take(boxes)
    out = np.zeros((len(FEATURES), len(boxes)), np.float32)
    bounded = np.minimum(np.maximum(logits, -MAX_LOGIT), MAX_LOGIT)
    heading = (table.tags >= TAGS["h1"]) & (table.tags <= TAGS["h3"])
    colon = _closes_with(table, COLONS)
    running = _running(table, logits, bounded, heading, colon)
    sums, of_boxes = running.take(last, 1) - running.take(first, 1), table.sums.take(boxes, 1)
    count, size = (last - first).astype(np.float32), np.maximum(1, of_boxes[SIZE_SUM])
    out[0] = sums[1] / np.maximum(1, sums[0])
    shares, mean = sums[2 : 2 + len(SHARES)] / count, of_boxes[LOG_SUM] / count
    out[1 : (place := 1 + len(SHARES))] = np.minimum(3, shares)
    sizes = sums[2 + len(SHARES) :]
    longest = np.maximum.reduceat(np.append(table.log_size, 0), np.stack((first, last), 1).ravel())[::2]
    out[place : place + len(OF_BOX)] = (
        of_boxes[LINKED_SUM] / size, of_boxes[GOOD_SUM] / size, np.log1p(size), size / max(1.0, table.total_size),
        np.log1p(count), mean, *(sizes[:4] / size), np.sqrt(np.maximum(0, sizes[4] / count - mean * mean)),
        np.log1p(np.maximum(0, of_boxes[ELEMENTS_SUM]) / count), longest, table.log_size.take(first),
        table.log_size.take(last - 1), table.link_share.take(last - 1),
    )  # fmt: skip
    place += len(OF_BOX)
    kept, total = running[2], max(1.0, table.total_good)
    before, behind = kept.take(first), kept[-1] - kept.take(last)
    padded = np.concatenate(([-MAX_LOGIT], bounded, [-MAX_LOGIT]))
    outer = table.above.take(boxes)
    of_outer = table.sums.take(outer, 1)
    out[place : place + len(AROUND)] = (
        padded.take(first), padded.take(last + 1), before > kept.take(np.maximum(0, first - NEAR)),
        kept.take(np.minimum(len(logits), last + NEAR)) > kept.take(last), behind == 0, before == 0,
        table.running[GOOD_SUM].take(first) / total, heading.take(first - 1), colon.take(first - 1),
        np.append(heading, False).take(last), (of_outer[GOOD_SUM] - of_boxes[GOOD_SUM]) / total,
        (of_outer[LINKED_SUM] - of_boxes[LINKED_SUM]) / np.maximum(1, of_outer[SIZE_SUM] - size),
    )  # fmt: skip
    _fill_by_element(table, tags, out[place + len(AROUND) :])
    return out.T


def _running(table: FeatureTable, logits: Floats, bounded: Floats, heading: Any, colon: Any) -> Floats:
    """(figures, blocks + 1) running sums: weights, weighted log odds, what SHARES has, then sizes."""
    kinds, size, roots = table.kinds, table.size, np.sqrt(table.size)
    short, digits = size <= SHORT, kinds[DIGIT]
    letters = table.markup[4] - kinds[[COMMA, END, MARK, DIGIT, SPACE, CLOSING]].sum(0)
    tags = table.tag_numbers.take(table.blocks.elements)
    alike = np.zeros((2, len(size)), bool)
    alike[0, 1:] = tags[1:] == tags[:-1]
    alike[1, 2:] = tags[2:] == tags[:-2]
    rows = (
        roots, roots * bounded, logits > 0, short, short & (digits > 0), table.link_share > ONLY_LINKS,
        _closes_with(table, QUESTIONS), heading, colon, table.tags == TAGS["li"], table.tags == TAGS["td"], table.ended,
        letters < digits, table.opens == DIGIT, *alike, table.markup[1], table.markup[2], table.tags == TAGS["pre"],
        digits, kinds[MARK], kinds[COMMA], size * table.ended, table.log_size * table.log_size,
    )  # fmt: skip
    running = np.zeros((len(rows), len(logits) + 1), np.float32)
    for row, column in enumerate(rows):
        running[row, 1:] = column
    return np.add.accumulate(running, 1, out=running)


def _closes_with(table: FeatureTable, marks: tuple[int, ...]) -> Any:
    """(blocks,) whether each ends with one of these characters."""
    found = table.closes == marks[0]
    for mark in marks[1:]:
        found |= table.closes == mark
    return found


def _fill_by_element(table: FeatureTable, boxes: Mapping[int, str], out: Floats) -> None:
    """The features that are read from each box's element."""
    page, blocks, owners = table.page, table.blocks, table.page.view(Owners)
    # once for the page: boxes may be nested in hundreds of others
    controls = holders_of(element for tag, element, _ in page.listed if tag in CONTROLS)
    media = holders_of(blocks.nodes[0].iter_elements(MEDIA))
    tags = {tag: len(OF_ELEMENT) + number for number, tag in enumerate(TAGGED)}
    owned = len(OF_ELEMENT) + len(TAGGED)
    targets, own = owned + len(OWNERS), host_and_path(page.url)[0]
    linked = (table.sums[LINKED_SUM].take([*boxes]) > 0).tolist()
    known: dict[str, str] = {}  # link -> where it leads
    ones: list[int] = []  # places of the features that the boxes have
    for row, (box, tag) in enumerate(boxes.items()):
        node = blocks.nodes[box]
        inner = islice(node.iter_elements(CONTROLS), MAX_CONTROLS) if node in controls else ()
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
    out.put(ones, 1)


def link_targets(own: str, node: Any, known: dict[str, str] | None = None) -> set[str]:
    """Where the links of a box lead, of TARGETS; `own`: the page's host; `known`: targets of links that were read."""
    found, known = set(), {} if known is None else known
    for link in islice(node.iter_elements("a"), MAX_LINKS):
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
