"""Which boxes whose class says nothing are the article's: a small network over what is in them and around them.

A box between the paragraphs may be a recipe or a poll, one behind the last of them a footnote or an appeal. The model
of blocks judges their lines one by one, and class names are hashed on many sites. What tells them apart holds for the
box as a whole: sentences, labels with numbers, links and where they lead, what readers press, and where it stands.
`scripts/bench fit boxes` fits the weights.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any

import numpy as np

from newsextract.errors import NewsextractError
from newsextract.extractors.fusion.features import (
    COMMA,
    DIGIT,
    GOOD_SUM,
    LINKED_SUM,
    LOG_SUM,
    MARK,
    SIZE_SUM,
    TAGS,
    FeatureTable,
    Floats,
    Ints,
)
from newsextract.files import package_data
from newsextract.page import parse
from newsextract.parts.class_names import BITS, mask_of
from newsextract.parts.owners import Owner, owners_of
from newsextract.urls import host_and_path

#: Log odds of a block count up to this; standardised features up to this.
MAX_LOGIT = 6.0
CLIP = 4.0
#: Tags of boxes and their maximum size; maximum share of the page's good text in one: layout tables and lists of
#: articles have more. How many blocks before it the text may end: several boxes may follow each other. Least mean log
#: odds of its blocks; maximum size of a box that may be dropped.
BOX_TAGS = ("div", "section", "aside", "address", "footer")
MAX_BOX = 3_000
MAX_SHARE = 0.5
MAX_BEHIND = 12
LEAST_ODDS = -5.0
MAX_DROPPED = 400
#: What a class says of a box.
TELLING = sum(BITS["boxes"].values())
#: Share of links from which on a line only leads elsewhere; size of a short line.
LINK = 0.8
SHORT = 40
#: Blocks behind a box that are searched for more of the text.
NEAR = 3
#: What readers fill in or press, and how many of a box are looked at; links of a box that are read.
CONTROLS = parse.CONTROLS
MAX_CONTROLS = 20
MAX_LINKS = 6
MEDIA = ("img", "picture", "video", "audio", "iframe")
COLONS = (ord(":"), 0xFF1A)
QUESTIONS = (ord("?"), 0xFF1F, 0x61F)
#: Tags of boxes, owners and targets of links that are features.
TAGGED = ("section", "aside", "footer")
OWNERS = (Owner.QUOTATION, Owner.BESIDE, Owner.NAVIGATION, Owner.COMMENT, Owner.OTHER_PAGES, Owner.OTHER_ARTICLE)
TARGETS = ("page", "site", "elsewhere")

#: Shares of a box's blocks; other figures of a box, of what is around it, and what its element has.
SHARES = (
    "kept", "short", "short with digits", "only links", "questions", "headings", "announcing", "items", "cells",
    "ended",
)  # fmt: skip
OF_BOX = (
    "link share", "good share", "log size", "share of page", "log blocks", "mean log size", "digits", "marks", "commas",
    "images",
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


@dataclass(frozen=True)
class BoxModel:
    """`means`, `scales`: (features,); `first`: (features, hidden), `bias`: (hidden,); `second`: (hidden,), `offset`."""

    means: Floats
    scales: Floats
    first: Floats
    bias: Floats
    second: Floats
    offset: float

    def logits(self, features: Floats) -> Floats:
        """(boxes,) log odds that a box is the article's, from (boxes, features)."""
        standard = np.minimum(np.maximum((features - self.means) / self.scales, -CLIP), CLIP)
        logits: Floats = np.maximum(0, standard @ self.first + self.bias) @ self.second + self.offset
        return logits


@cache
def box_model() -> BoxModel:
    """The model of the package."""
    values = package_data(__package__, "boxes.json")
    rows = values["features"]
    if [row[0] for row in rows] != list(FEATURES):
        raise NewsextractError("the weights of boxes are for other features than this version has: fit them again")
    columns = np.array([row[1:] for row in rows], np.float32)
    bias, second = (np.array(values[name], np.float32) for name in ("bias", "second"))
    return BoxModel(columns[:, 0], columns[:, 1], np.ascontiguousarray(columns[:, 2:]), bias, second, values["offset"])


def silent_boxes(table: FeatureTable, logits: Floats) -> Ints:
    """The boxes near kept blocks whose class says nothing, outermost first, each range of blocks once."""
    first, last, blocks = table.first, table.last, table.blocks
    found = (last > first) & (first > 0) & blocks.has_tag(BOX_TAGS) & (table.sums[SIZE_SUM] <= MAX_BOX)
    found &= table.sums[GOOD_SUM] <= MAX_SHARE * table.total_good
    last_kept = np.maximum.accumulate(np.where(logits > 0, table.rows, -2.0 * MAX_BEHIND))
    found &= last_kept.take(last - 1, mode="wrap") >= first - MAX_BEHIND
    boxes = found.nonzero()[0]
    running = np.zeros((2, len(logits) + 1), np.float32)
    np.add.accumulate(np.minimum(np.maximum(logits, -MAX_LOGIT), MAX_LOGIT), out=running[0, 1:])
    np.add.accumulate(logits > 0, dtype=np.float32, out=running[1, 1:])
    first, last = first.take(boxes), last.take(boxes)
    odds, kept = running.take(last, 1) - running.take(first, 1)
    is_open = (kept < last - first) | (table.sums[SIZE_SUM].take(boxes) <= MAX_DROPPED)
    is_open &= odds >= LEAST_ODDS * (last - first)
    boxes, ranges = boxes[is_open], (first * (len(logits) + 1) + last)[is_open]
    outermost = dict[int, int]()  # range of blocks -> the outermost box, -1 if a class speaks
    for box, own in zip(boxes.tolist(), ranges.tolist(), strict=True):
        outermost[own] = -1 if mask_of(blocks.element_classes[box]) & TELLING else outermost.get(own, box)
    silent = [box for box in outermost.values() if box >= 0]
    return np.array(silent, np.int64)


def box_odds(table: FeatureTable, logits: Floats) -> Mapping[int, float]:
    """Box whose class says nothing -> log odds that it is the article's."""
    if not len(boxes := silent_boxes(table, logits)):
        return {}
    return dict(zip(boxes.tolist(), box_model().logits(box_features(table, logits, boxes)).tolist(), strict=True))


def box_features(table: FeatureTable, logits: Floats, boxes: Ints) -> Floats:
    """(boxes, FEATURES); `logits`: log odds of the blocks."""
    first, last = table.first.take(boxes), table.last.take(boxes)
    out = np.zeros((len(FEATURES), len(boxes)), np.float32)
    roots = np.sqrt(table.size)
    bounded = np.minimum(np.maximum(logits, -MAX_LOGIT), MAX_LOGIT)
    heading = (table.tags >= TAGS["h1"]) & (table.tags <= TAGS["h3"])
    short, colon = table.size <= SHORT, _closes_with(table, COLONS)
    rows = (
        roots, roots * bounded, logits > 0, short, short & (table.kinds[DIGIT] > 0), table.link_share > LINK,
        _closes_with(table, QUESTIONS), heading, colon, table.tags == TAGS["li"], table.tags == TAGS["td"], table.ended,
        table.kinds[DIGIT], table.kinds[MARK], table.kinds[COMMA], table.markup[1],
    )  # fmt: skip
    running = np.zeros((len(rows), len(logits) + 1), np.float32)
    for row, column in zip(running, rows, strict=True):
        np.add.accumulate(column, dtype=np.float32, out=row[1:])
    sums, of_boxes = running.take(last, 1) - running.take(first, 1), table.sums.take(boxes, 1)
    count, size = (last - first).astype(np.float32), np.maximum(1, of_boxes[SIZE_SUM])
    out[0] = sums[1] / np.maximum(1, sums[0])
    out[1 : (place := 1 + len(SHARES))] = sums[2 : 2 + len(SHARES)] / count
    characters = sums[2 + len(SHARES) :]
    out[place : place + len(OF_BOX)] = (
        of_boxes[LINKED_SUM] / size, of_boxes[GOOD_SUM] / size, np.log1p(size), size / max(1.0, table.total_size),
        np.log1p(count), of_boxes[LOG_SUM] / count, *(characters[:3] / size), np.minimum(3, characters[3]),
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
    _fill_by_element(table, boxes, out[place + len(AROUND) :])
    return out.T


def _closes_with(table: FeatureTable, marks: tuple[int, ...]) -> Any:
    """(blocks,) whether each ends with one of these characters."""
    found = table.closes == marks[0]
    for mark in marks[1:]:
        found |= table.closes == mark
    return found


def _fill_by_element(table: FeatureTable, boxes: Ints, out: Floats) -> None:
    """The features that are read from each box's element."""
    page, blocks, owners = table.page, table.blocks, owners_of(table.page)
    has_media: dict[Any, bool] = {}  # by what is around boxes
    tags = {tag: len(OF_ELEMENT) + number for number, tag in enumerate(TAGGED)}
    owned = len(OF_ELEMENT) + len(TAGGED)
    targets, own = owned + len(OWNERS), host_and_path(page.url)[0]
    for row, box in enumerate(boxes.tolist()):
        node = blocks.nodes[box]
        kinds = {bool(control.attr("aria-expanded")) for control in islice(node.iter_elements(CONTROLS), MAX_CONTROLS)}
        ones = [int(opens) for opens in kinds]
        ones += [2] if _has_media(node) else []
        if (around := node.parent) not in has_media:
            has_media[around] = 2 in ones or _has_media(around)
        ones += [3] if has_media[around] else []
        if blocks.element_classes[box] is not None:
            ones.append(4)
        if node.tag in tags:
            ones.append(tags[node.tag])
        if (owner := owners.of(node)) in OWNERS:
            ones.append(owned + OWNERS.index(owner))
        if table.sums[LINKED_SUM, box] > 0:
            ones += [targets + TARGETS.index(target) for target in link_targets(own, node)]
        out[ones, row] = 1


def _has_media(node: Any) -> bool:
    return next(node.iter_elements(MEDIA), None) is not None


def link_targets(own: str, node: Any) -> set[str]:
    """Where the links of a box lead, of TARGETS; `own`: the page's host."""
    found = set()
    for link in islice(node.iter_elements("a"), MAX_LINKS):
        scheme, _, rest = (link.attr("href") or "#").strip().partition("//")
        if scheme[:1] == "#":
            found.add("page")
        else:
            found.add("elsewhere" if rest and own and not rest.removeprefix("www.").startswith(own) else "site")
    return found
