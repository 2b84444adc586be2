"""TSReC: of two pages of one template, what they do not have in common is the article.

Y. Li, X. Meng, Q. Li, L. Wang. Hybrid Method for Automated News Content Extraction from the Web. WISE 2006.

Both pages are tag sequences with region codes (`common/tag_sequence.py`), TS = <N, RCb, RCe, RCp, RCl, C>.

1. *Sequence matching* finds the common part: an edit script over TSs, equal iff name and text of C are equal.
   M[i,j] = min(M[i-1,j-1] + (0 if equal else 1), M[i-1,j] + 1, M[i,j-1] + 1); the paper's recurrence lacks the + 1.
2. *Grouping*: unmatched TSs within the group's region, or with its parent and level, extend a group; else a new one
   begins. Matched TSs between them are skipped; a TS without text begins no group.
3. *Compact grouping*: equal consecutive patterns become one starred pattern; a single one with a link is starred too.
   A pattern is the tag's name, whether C holds text and links, and the children's patterns.
4. *Tree matching* finds the regular part: for each group of the page in order, the first group of the peer at or
   after the last match whose compacted pattern is equal; such a group is no content. Literally so with `in_order`;
   the default takes any group of the peer, because today's pages order their boxes anew each time, and one
   match far down would exclude all groups above it (measured on fundus-eval: F .906 in order, .926 in any).
5. The unmatched rest is the article. Heuristics (result R2 of the paper): a group with a long text is never regular;
   invisible text is removed first (the tag sequence has none).

Exact up to 5,000 tags a page, by longest runs above (`common/alignment.py`). O(n m / 64) for the sequences, O(n) for
the groups. The length of "a long text" is not in the paper: 100 characters outside links, 40 for Han, Kana and Hangul.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from newsextract.errors import PeerNeeded
from newsextract.extractors.base import Extraction, Method
from newsextract.methods.common.alignment import matched
from newsextract.methods.common.tag_sequence import TagSequence
from newsextract.page import Page
from newsextract.text import EAST_ASIAN_CHARACTER

#: Letters that carry about as much information as one CJK character.
CJK_WEIGHT = 2.5
#: If a peer has this share of the page's long texts, it is the same article, given the same title or all else, too.
SAME_ARTICLE = 0.9


@dataclass(frozen=True)
class TSReC(Method):
    """`long_text`: characters outside links (a CJK one counts 2.5) from which a text is never a regular part;
    `in_order`: a group matches only at or after the group that matched last, as in the paper."""

    name = "tsrec"
    paper = "Li, Meng, Li, Wang. Hybrid Method for Automated News Content Extraction. WISE 2006"
    needs_peer = True

    long_text: float = 100.0
    in_order: bool = False

    def __call__(self, page: Page, peer: Page | None = None) -> Extraction:
        if peer is None:
            raise PeerNeeded("tsrec compares two pages of one template; give another page of the same site as peer")
        sequence, other = page.view(TagSequence), peer.view(TagSequence)
        common, common_in_peer = matched(sequence.keys, other.keys)
        weights = text_weights(sequence)
        long = weights >= self.long_text
        has_its_texts = long.any() and weights[long & common].sum() >= SAME_ARTICLE * weights[long].sum()
        if has_its_texts and (page.meta.title == peer.meta.title or weights[~common].sum() < self.long_text):
            raise PeerNeeded("tsrec needs another article as peer; this is the same article")
        regular = np.zeros(len(sequence), bool)
        positions: dict[Pattern, list[int]] = {}
        for position, group in enumerate(groups(other, common_in_peer)):
            positions.setdefault(compact(other, group), []).append(position)
        following = 0
        for group in groups(sequence, common):
            if not long[group].any():
                matches = positions.get(compact(sequence, group), ())
                match = next((position for position in matches if position >= following), None)
                if match is not None:
                    regular[group] = True
                    following = match + 1 if self.in_order else 0
        rows = rows_of_blocks(page)
        evidence = {"common": common[rows].astype(float), "regular": regular[rows].astype(float)}
        return Extraction.of_blocks(page, ~(common | regular)[rows], evidence=evidence, peer_url=peer.url)


def text_weights(sequence: TagSequence) -> NDArray[np.float64]:
    """(n,) characters of each TS outside links, a CJK character counted as CJK_WEIGHT."""
    lengths = np.fromiter(
        (len(text) + (CJK_WEIGHT - 1) * len(EAST_ASIAN_CHARACTER.findall(text)) for text in sequence.contents),
        float,
        len(sequence),
    )
    return np.maximum(0.0, lengths - sequence.linked)


def groups(sequence: TagSequence, common: NDArray[np.bool_]) -> list[list[int]]:
    """The groups of unmatched TSs, each as rows in order (step 2)."""
    grouped: list[list[int]] = []
    begin, end = sequence.begin.tolist(), sequence.end.tolist()
    parent, level = sequence.parent.tolist(), sequence.level.tolist()
    region = (0, 0)
    kin = (-1, -1)
    for row in np.flatnonzero(~common).tolist():
        inside = region[0] < begin[row] and end[row] < region[1]
        if grouped and (inside or kin == (parent[row], level[row])):
            grouped[-1].append(row)
            region = region if inside else (region[0], end[row])
        elif sequence.contents[row]:
            grouped.append([row])
            region, kin = (begin[row], end[row]), (parent[row], level[row])
    return grouped


#: A pattern by its hash, and whether it holds a link.
Pattern = tuple[int, bool]


def compact(sequence: TagSequence, group: list[int]) -> Pattern:
    """The compacted pattern of a group (step 3); built from the last row to the first, children before parents."""
    rows = {int(sequence.begin[row]): row for row in group}
    below: dict[int, list[Pattern]] = {row: [] for row in group}
    top: list[Pattern] = []
    for row in reversed(group):
        children, has_link = starred(below.pop(row)[::-1])
        text, link = "#" in sequence.inner[row], "<a>" in sequence.inner[row]
        above = rows.get(int(sequence.parent[row]))
        pattern = hash((sequence.names[row], text, link, children)), has_link or link
        (top if above is None else below[above]).append(pattern)
    return starred(top[::-1])


def starred(patterns: list[Pattern]) -> Pattern:
    """One pattern of a sequence: equal consecutive patterns become one starred one; a single one with a link, too."""
    out: list[int] = []
    for pattern, has_link in patterns:
        star = hash(("*", pattern))
        if out and out[-1] in (pattern, star):
            out[-1] = star
        else:
            out.append(star if has_link else pattern)
    return hash(tuple(out)), any(has_link for _, has_link in patterns)


def rows_of_blocks(page: Page) -> NDArray[np.int64]:
    """(blocks,) row of the tag sequence whose C contains each block."""
    rows = {element: row for row, element in enumerate(page.view(TagSequence).elements)}
    of_element = np.zeros(len(page.blocks.nodes), np.int64)
    for index, element in enumerate(page.blocks.nodes):
        above = int(page.blocks.parents[index])
        of_element[index] = rows.get(element, of_element[above] if above >= 0 else 0)
    return of_element[page.blocks.elements]
