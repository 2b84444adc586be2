"""Summary of a page for the profile of its site: what the page shows by itself, in about a kilobyte.

It depends only on the page and its peer, never on a profile, so the order of the pages doesn't matter.
"""

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from newsextract.extractors import Extraction
from newsextract.page.blocks import ONLY_LINKS
from newsextract.settings import URLLENGTH_LIMIT
from newsextract.site_profile.templates import template_of
from newsextract.text import DIGITS, SHORT_LINE, comparison_key, letters_and_digits

if TYPE_CHECKING:  # imported for creating summaries; a crawl only reads them
    from newsextract.metadata.describe import Metadata
    from newsextract.metadata.page_type import PageType

#: Hashed letters of a block: an excerpt of a paragraph has the paragraph's hash.
HASHED_LETTERS = 40
#: Maximum blocks kept per page: the chosen ones first, then those most likely to be article text.
MAX_BLOCKS = 200
#: Size of the template's signature: the smallest hashes of its triples.
TEMPLATE_VALUES = 24
#: Flags of a block; the upper four bits are log2 of its letters. LABEL: a cell, a term, a line that ends with a colon.
CHOSEN, HEADING, LINKED, LABEL = (1 << bit for bit in range(4))
HEADING_TAGS = frozenset({"h1", "h2", "h3", "h4"})
CELL_TAGS = frozenset({"td", "th", "dt", "dd"})
COLONS = (":", "：")
#: Letters of a short line; other letters without which a line is only a number.
MIN_COUNTED = 3
#: Steps per unit of log odds; letters per step of position.
LOGIT_STEPS = 8
POSITION_LETTERS = 4
#: Reasons by the page alone; a reason's index in this tuple is its code.
REASONS = (
    None, "short", "listing", "section", "product", "no_article", "front", "consent", "needs_javascript", "login",
    "paywall_stub", "error_page", "other", "static", "bot_check",
)  # fmt: skip
#: How a page is dated: not at all, by a date somewhere in its text, or by one marked or placed as its date.
UNDATED, DATED_IN_TEXT, DATED = range(3)
VERSION = 2
HEADER = struct.Struct("<BBBHHHffIIII")
ROW = np.dtype([("key", "<u4"), ("logit", "i1"), ("flags", "u1"), ("position", "<u2")])
#: The row of a line that has numbers, and the hash of the line with these made equal.
COUNTED = np.dtype([("row", "u1"), ("key", "<u4")])
Rows = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class PageSummary:
    """What a page shows by itself.

    `margin`: log odds of an article; `reason`: why it was rejected, None for an article; `width`: of its text, in
    letters; `headline`, `lead`: hashes of the headline and of the first letters of the text, 0 without one; `label`:
    hash of the text of the link to the page, 0 if unknown; `dated`: UNDATED, DATED_IN_TEXT or DATED; `template`:
    (values,) sorted signature; `rows`: (blocks,) of ROW in reading order: hash of the first letters, log odds of
    article text in steps, flags, letters before it; `counted`: of COUNTED, the short lines with numbers; `blocks`: the
    numbers of the rows in the extraction, None if the summary was read from bytes.
    """

    url: str
    margin: float
    reason: str | None
    width: float
    headline: int
    lead: int
    label: int
    dated: int
    template: NDArray[np.uint32]
    rows: Rows
    counted: Rows = field(default_factory=lambda: np.zeros(0, COUNTED))
    blocks: NDArray[np.int64] | None = None

    def to_bytes(self) -> bytes:
        """The summary as bytes, the same in every process."""
        url = self.url[:URLLENGTH_LIMIT].encode("utf-8", "replace")
        numbers = REASONS.index(self.reason), self.dated, len(url), len(self.template), len(self.rows)
        keys = self.headline, self.lead, self.label, crc32(url)
        header = HEADER.pack(VERSION, *numbers, self.margin, self.width, *keys)
        parts = self.template.astype("<u4"), self.rows.astype(ROW), self.counted.astype(COUNTED)
        return header + url + b"".join(part.tobytes() for part in parts)

    def __reduce__(self) -> tuple[Callable[[bytes], "PageSummary"], tuple[bytes]]:
        """Pickled as its bytes, without `blocks`: a third of the size."""
        return PageSummary.from_bytes, (self.to_bytes(),)

    @classmethod
    def from_bytes(cls, data: bytes) -> "PageSummary":
        """The summary from `to_bytes`, or 1.0's, without `label` and `dated`; older ones have no `counted`. Raises
        ValueError for anything else.
        """
        if data.startswith(b"\1"):
            data = bytes([VERSION]) + data[1:2] + bytes([UNDATED]) + data[2:24] + bytes(4) + data[24:]
        if len(data) < HEADER.size:
            raise ValueError("no summary of a page: too short")
        version, reason, dated, url_size, values, blocks, *of_page, check = HEADER.unpack_from(data)
        margin, width, headline, lead, label = of_page
        template_at = HEADER.size + url_size
        rows_at = template_at + 4 * values
        counted_at = rows_at + ROW.itemsize * blocks
        url, rest = data[HEADER.size : template_at], len(data) - counted_at
        is_known = version == VERSION and reason < len(REASONS) and dated <= DATED
        is_complete = 0 <= rest <= COUNTED.itemsize * blocks and not rest % COUNTED.itemsize and crc32(url) == check
        is_possible = values <= TEMPLATE_VALUES and blocks <= MAX_BLOCKS and np.isfinite(margin) and 0 <= width < np.inf
        if not (is_known and is_complete and is_possible):
            raise ValueError("no summary of a page, or one of another version")
        counted = np.frombuffer(data, COUNTED, -1, counted_at) if rest else np.zeros(0, COUNTED)
        if (counted["row"] >= blocks).any():
            raise ValueError("no summary of a page: it has keys of lines that it lacks")
        return cls(
            url.decode("utf-8", "replace"), margin, REASONS[reason], width, headline, lead, label, dated,
            np.frombuffer(data, "<u4", values, template_at), np.frombuffer(data, ROW, blocks, rows_at), counted,
        )  # fmt: skip


def summarize(
    extraction: Extraction, body_rows: Sequence[int], metadata: "Metadata", page_type: "PageType", *, width: float
) -> PageSummary:
    """The summary of an extracted page.

    `extraction`, `metadata`, `page_type`: by the page and its peer alone; `body_rows`: the blocks of the article's
    body; `width`: of its text (`text.text_width`).
    """
    page = extraction.page
    lines = [*map(_folded, extraction.texts)]
    template = np.array(sorted(template_of(page))[:TEMPLATE_VALUES], np.uint32)
    headline = letters_and_digits(metadata.values.get("headline") or "")
    date_source = metadata.sources.get("date_published")
    rows, blocks = _rows(extraction, lines)
    return PageSummary(
        (page.url or "")[:URLLENGTH_LIMIT],
        page_type.margin,
        page_type.reason if page_type.reason in REASONS else "other",
        width,
        hash_of(headline),
        hash_of("".join([lines[row] for row in body_rows[:20]])),
        hash_of(letters_and_digits(page.anchor_text or "")),
        UNDATED if date_source is None else DATED_IN_TEXT if date_source == "text" else DATED,
        template,
        rows,
        counted_lines(rows, [lines[row] for row in blocks.tolist()]),
        blocks,
    )


def counted_lines(rows: Rows, lines: Sequence[str]) -> Rows:
    """(COUNTED) the short lines that have numbers; `lines`: of the rows, folded.

    "4698 views", "Updated 2 days ago": on a site's pages they differ only by their numbers. Cells are data.
    """
    found = []
    for number, (line, flags) in enumerate(zip(lines, rows["flags"].tolist(), strict=True)):
        if len(line) > SHORT_LINE or flags & LABEL or not DIGITS.search(line):
            continue
        counted = DIGITS.sub("0", line)
        if counted != line and len(counted) - counted.count("0") >= MIN_COUNTED:
            found.append((number, hash_of(counted)))
    return np.array(found, COUNTED)


def has_short_lines(summary: PageSummary) -> bool:
    """Whether the text has lines that any article may have: short ones, neither headings nor labels."""
    flags = summary.rows["flags"]
    is_line = (flags & (CHOSEN | HEADING | LABEL)) == CHOSEN
    return bool((is_line & ((1 << (flags >> 4).astype(int)) <= 2 * SHORT_LINE)).any())


def locate_blocks(summary: PageSummary, extraction: Extraction) -> PageSummary | None:
    """The summary with the numbers of its blocks in the page's extraction; None if that has other blocks or ratings."""
    rows, blocks = _rows(extraction, [*map(_folded, extraction.texts)])
    return replace(summary, blocks=blocks) if np.array_equal(rows, summary.rows) else None


def _folded(line: str) -> str:
    """The letters and digits of a line; short ones are on many pages of a site."""
    return comparison_key(line) if len(line) <= SHORT_LINE else letters_and_digits(line)


def hash_of(letters: str) -> int:
    """32-bit hash of the first letters of a folded text; 0 for none."""
    return crc32(letters[:HASHED_LETTERS].encode("utf-8", "surrogatepass")) if letters else 0


def _rows(extraction: Extraction, lines: Sequence[str]) -> tuple[Rows, NDArray[np.int64]]:
    """The rows of a summary, and their numbers among the extraction's blocks."""
    blocks = extraction.page.blocks
    sizes = np.fromiter(map(len, lines), np.int64, len(lines))
    rows = np.empty(len(lines), ROW)
    probability = np.fmin(np.fmax(extraction.scores, 1e-7), 1 - 1e-7)  # nan becomes the least
    logits = np.log(probability / (1 - probability))
    steps = np.floor(LOGIT_STEPS * logits)  # half a step stands for more, so the sign stays
    rows["logit"] = np.minimum(np.maximum(steps, -127), 126)
    tags, linked = blocks.tags, blocks.link_shares
    if extraction.texts is not blocks.texts:
        tags, linked = [*map(tags.__getitem__, extraction.origins.tolist())], linked[extraction.origins]
    headings, cells = (
        np.fromiter(map(names.__contains__, tags), bool, len(tags)) for names in (HEADING_TAGS, CELL_TAGS)
    )
    labels = cells | np.fromiter((text.endswith(COLONS) for text in extraction.texts), bool, len(tags))
    rows["key"] = np.fromiter(map(hash_of, lines), np.uint32, len(lines))
    widths = np.minimum(15, np.ceil(np.log2(sizes + 1))).astype(np.uint8)
    flags = CHOSEN * extraction.chosen + HEADING * headings + LINKED * (linked >= ONLY_LINKS) + LABEL * labels
    rows["flags"] = flags + (widths << 4)
    rows["position"] = np.minimum(0xFFFF, (np.cumsum(sizes) - sizes) // POSITION_LETTERS)
    kept = sizes.nonzero()[0]
    if len(kept) > MAX_BLOCKS:
        worth = logits[kept] + 100 * extraction.chosen[kept] + 50 * headings[kept]
        kept = np.sort(kept[np.argsort(-worth, kind="stable")[:MAX_BLOCKS]])
    return rows[kept], kept
