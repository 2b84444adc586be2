"""Summaries of many pages as columns, so that a whole site is computed without a loop over its pages."""

from collections.abc import Sequence
from functools import cached_property, lru_cache
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from newsextract.limits import MAX_REMEMBERED
from newsextract.site_profile.summary import (
    CHOSEN,
    HEADING,
    LABEL,
    LINKED,
    LOGIT_STEPS,
    REASONS,
    ROW,
    TEMPLATE_VALUES,
    PageSummary,
)
from newsextract.urls.shapes import PLACEHOLDERS, url_shape

#: Log odds against a block that the page itself leaves out as a repetition: more than other pages can outweigh.
REPETITION = 8.0

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Keys = NDArray[np.uint32]
Flags = NDArray[np.bool_]
#: Segments before the page number of a list.
PAGE_WORDS = frozenset({"page", "p", "seite", "pagina", "página", "strona"})
#: Kinds of groups, finest first.
GROUPS = ("shape", "folder", "section", "kinds")


class Batch:
    """The pages of some summaries as columns, a row being a block, in order.

    Of each row: `pages`, the number of its page; `keys`, the hash of the block, and `lines`, the same with the numbers
    of a short line made equal, which tells furniture but never one page from another; whether the page alone has it
    `chosen`, whether it is a `heading`, a link (`linked`), or a label of others (`is_label`); `size`, log2 of its
    letters, and these approximately as `letters`; `logit`, log odds of article text by the page alone; `position`,
    letters before it, in steps; `bounds`, the first row of its page, and one past the last.

    `starts`: (pages + 1,) the first row of each page. One value a page: `margin`, `reason` (its number in REASONS),
    `width`, `headline`, `lead`, `label`, `dated`; `groups`: (pages, GROUPS); `signatures`: (pages, TEMPLATE_VALUES).
    """

    def __init__(self, summaries: Sequence[PageSummary]) -> None:
        self.count = len(summaries)
        self.margin = np.array([one.margin for one in summaries], float)
        self.reason = np.array([REASONS.index(one.reason) for one in summaries], np.int64)
        self.width = np.array([one.width for one in summaries], float)
        self.headline = np.array([one.headline for one in summaries], np.uint32)
        self.lead = np.array([one.lead for one in summaries], np.uint32)
        self.label = np.array([one.label for one in summaries], np.uint32)
        self.dated = np.array([one.dated for one in summaries], np.int64)
        self.groups = np.array([group_keys(one.url) for one in summaries], np.uint32).reshape(-1, len(GROUPS))
        self.signatures = np.zeros((self.count, TEMPLATE_VALUES), np.uint32)
        for number, one in enumerate(summaries):
            self.signatures[number, : len(one.template)] = one.template
        sizes = np.array([len(one.rows) for one in summaries], np.int64)
        self.starts = np.concatenate(([0], np.cumsum(sizes)))
        self.pages = np.repeat(np.arange(self.count), sizes)
        self.bounds = self.starts[:-1][self.pages], self.starts[1:][self.pages]
        whole = [one.rows.view(np.uint64) for one in summaries]  # numpy joins numbers faster than records
        rows = np.concatenate([np.zeros(0, np.uint64), *whole]).view(ROW)
        self.keys: Keys = np.ascontiguousarray(rows["key"])
        self.lines: Keys = self.keys.copy()
        for start, one in zip(self.starts.tolist(), summaries, strict=False):
            if len(one.counted):
                self.lines[start + one.counted["row"].astype(np.int64)] = one.counted["key"]
        flags = rows["flags"]
        self.chosen, self.heading, self.linked = ((flags & flag) > 0 for flag in (CHOSEN, HEADING, LINKED))
        self.is_label = (flags & LABEL) > 0
        self.size: Ints = (flags >> 4).astype(np.int64)
        self.letters: Floats = 0.75 * np.exp2(self.size.astype(float))
        self.logit: Floats = (rows["logit"] + 0.5) / LOGIT_STEPS
        self.position: Ints = rows["position"].astype(np.int64)

    @cached_property
    def distinct(self) -> tuple[Keys, Ints]:
        """The distinct keys, sorted, and (rows,) the index of each row's key among them."""
        keys, places = np.unique(self.keys, return_inverse=True)
        return keys, places

    @cached_property
    def decided(self) -> Floats:
        """(rows,) `logit` if it agrees with the page's choice, else log odds that do (-REPETITION if left out)."""
        by_others = self.any(self.chosen & (self.logit < 0))[self.pages]
        against = np.where(by_others, 1.0, np.where(self.logit >= 0, REPETITION, 0.5 / LOGIT_STEPS))
        least = np.where(by_others, 1.0, 0.5 / LOGIT_STEPS)
        return np.where(self.chosen, np.maximum(self.logit, least), np.minimum(self.logit, -against))

    @cached_property
    def first_rows(self) -> Ints:
        """(rows,) the first row with the same key on the same page."""
        return self._first_rows(self.keys)

    @cached_property
    def first_lines(self) -> Ints:
        """(distinct,) the first row of each line of each page."""
        return np.flatnonzero(self._first_rows(self.lines) == np.arange(len(self.lines)))

    def _first_rows(self, keys: Keys) -> Ints:
        pairs = self.pages << 32 | keys
        order = pairs.argsort(kind="stable")
        ordered = pairs[order]
        is_first = np.ones(len(pairs), bool)
        is_first[1:] = ordered[1:] != ordered[:-1]
        firsts = np.empty(len(pairs), np.int64)
        firsts[order] = order[is_first][is_first.cumsum() - 1]
        return firsts

    @cached_property
    def first_of_key(self) -> Flags:
        """(rows,) whether the row is the first of its key on its page."""
        firsts: Flags = self.first_rows == np.arange(len(self.keys))
        return firsts

    @cached_property
    def repetitions(self) -> Ints:
        """(rows,) other rows of the page with the same key."""
        return np.bincount(self.first_rows, minlength=len(self.keys))[self.first_rows] - 1

    @cached_property
    def place(self) -> Floats:
        """(rows,) the row's place in the text that the page chooses by itself: 0 at its beginning, 1 at its end."""
        rows = np.flatnonzero(self.chosen)
        first, last = np.zeros(self.count), np.zeros(self.count)
        first[self.pages[rows][::-1]], last[self.pages[rows]] = self.position[rows][::-1], self.position[rows]
        places: Floats = (self.position - first[self.pages]) / np.maximum(1.0, last - first)[self.pages]
        return np.minimum(np.maximum(places, 0.0), 1.0)

    def total(self, rows: Flags, weights: Floats | None = None) -> Floats:
        """(pages,) number of these rows on each page, or the sum of their weights."""
        totals = np.bincount(self.pages, rows if weights is None else rows * weights, self.count)
        return totals.astype(float, copy=False)

    def any(self, rows: Flags) -> Flags:
        """(pages,) whether the page has such a row."""
        return self.total(rows) > 0


@lru_cache(MAX_REMEMBERED)
def group_keys(url: str) -> tuple[int, ...]:
    """(GROUPS,) 32-bit key of the page's group of each kind.

    `shape`: folders as they are, the last segment by its kind; `folder`: without the last segment, numbers made equal;
    `section`: the first segment and the number of segments; `kinds`: the kinds of all segments. The page number of a
    list ("/page/2", "?page=2") is removed; that there was one is part of each key.
    """
    shape = url_shape(url)
    segments = list(shape.segments)
    paged = len(segments) >= 2 and segments[-1] == "N" and segments[-2] in PAGE_WORDS
    if paged:
        del segments[-2:]
    mark = ("paged" if paged else "") + "?" + "&".join(shape.query) + shape.extension
    kinds = [segment if segment in PLACEHOLDERS else "w" if segment else "" for segment in segments]
    names = (
        "/".join((*segments[:-1], kinds[-1] if kinds else "")),
        "/".join(segments[:-1]) + "/*",
        f"{segments[0] if len(segments) > 1 else kinds[0] if kinds else ''} {len(segments)}",
        "/".join(kinds),
    )
    return tuple(crc32(f"{number} {mark} {name}".encode("utf-8", "replace")) for number, name in enumerate(names))
