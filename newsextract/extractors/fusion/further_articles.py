"""End of the page's own article if another complete article follows below it (endless scrolling).

Newsrooms put further articles below an article, each built like it: the element with the page's headline and text has a
later sibling with a first-level heading in the same markup, and text in the markup of the article's text. What begins
with that sibling isn't part of the article, however much it reads like one. Sections of an article, comments and
teasers have headings or texts in other markup, or no element each. A page that doesn't declare itself an article may be
a list of many, and is left alone.
"""

from collections.abc import Sequence

import numpy as np

from newsextract.extractors.fusion.declared import read_declared
from newsextract.extractors.fusion.features import TAGS, FeatureTable, Floats
from newsextract.page.blocks import Blocks
from newsextract.text import words_of

#: Log odds of text in further articles, to add to those by the model.
WEIGHT = -16.0
#: Minimum share of a headline's words in a declared title: titles for search engines are worded differently.
MIN_DECLARED = 0.3
#: Maximum headings that are compared, and good blocks of each one's element.
MAX_HEADINGS, MAX_BLOCKS = 8, 50
#: Tag and first class of an element, and those of nested elements.
Form = tuple[str, str]
MarkupPath = tuple[Form, ...]


def further_article_weights(table: FeatureTable) -> Floats | None:
    """(blocks,) weights to add to the log odds; None if the page has no further article."""
    end = find_end(table)
    return None if end is None else np.where(table.rows >= end, np.float32(WEIGHT), np.float32(0))


def find_end(table: FeatureTable) -> int | None:
    """The first block of the first further article, or None."""
    blocks = table.blocks
    headings = (table.tags == TAGS["h1"]).nonzero()[0].tolist()
    if len(headings) < 2 or not table.page.declares_article:
        return None
    if (title := _headline(table, headings[:MAX_HEADINGS])) is None:
        return None
    own = int(blocks.owners[title])
    for row in headings[:MAX_HEADINGS]:
        other = int(blocks.owners[row])
        if row <= title or blocks.texts[row] == blocks.texts[title] or _form(blocks, other) != _form(blocks, own):
            continue
        paths = _paths_apart(blocks, own, other)
        tags = [[blocks.element_tags[element] for element in path] for path in paths]
        if tags[0] == tags[1] and _text_paths(table, paths[0], title) & _text_paths(table, paths[1], row):
            return int(table.first[paths[1][0]])
    return None


def _headline(table: FeatureTable, headings: Sequence[int]) -> int | None:
    """The heading most similar to a declared title; None if there is none or it has no class."""
    declared = {word for title in read_declared(table).titles for word in words_of(title)}
    shares = []
    for row in headings:
        words = set(words_of(table.blocks.texts[row].lower()))
        shares.append(len(words & declared) / max(1, len(words)))
    best = int(np.argmax(shares))
    has_class = bool(_form(table.blocks, int(table.blocks.owners[headings[best]]))[1])
    return headings[best] if has_class and shares[best] >= MIN_DECLARED else None


def _paths_apart(blocks: Blocks, own: int, other: int) -> tuple[list[int], list[int]]:
    """The elements from below the innermost one that contains both down to each of the two."""
    one, two = _ancestors(blocks, own), _ancestors(blocks, other)
    depth = sum(first == second for first, second in zip(one, two, strict=False))
    return one[depth:], two[depth:]


def _ancestors(blocks: Blocks, element: int) -> list[int]:
    """The elements from the outermost one down to the element itself."""
    path = []
    while element >= 0:
        path.append(element)
        element = int(blocks.parents[element])
    return path[::-1]


def _text_paths(table: FeatureTable, path: Sequence[int], heading: int) -> set[MarkupPath]:
    """The markup of the good blocks after a heading, below the first element of `path`, which ends with it."""
    if len(path) < 2:
        return set()
    good = (table.good[heading + 1 : table.last[path[0]]]).nonzero()[0][:MAX_BLOCKS] + heading + 1
    owners = set(table.blocks.owners[good].tolist())
    return {_markup_path(table.blocks, owner, path[0]) for owner in owners} - {()}


def _markup_path(blocks: Blocks, element: int, outermost: int) -> MarkupPath:
    """The markup of an element and those around it, below the outermost one."""
    path = []
    while element > outermost:
        path.append(_form(blocks, element))
        element = int(blocks.parents[element])
    return tuple(path)


def _form(blocks: Blocks, element: int) -> Form:
    return blocks.element_tags[element], ((blocks.element_classes[element] or "").split() or [""])[0]
