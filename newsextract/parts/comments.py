"""The parts of a page that are comments of readers, by the line above them, whatever their class is."""

from bisect import bisect_left
from itertools import accumulate
from string import digits

import numpy as np

from newsextract.language.comment_lines import heads_comments
from newsextract.limits import MOST
from newsextract.page import Page
from newsextract.parts.frame import ArticleFrame
from newsextract.text import MAX_LABEL, MIN_TEXT

#: Least short lines, such as names, below a line without a number.
MIN_NAMES = 2
#: What a line with their number begins or ends with.
NUMBER = frozenset(digits)
NUMBER_ENDS = NUMBER | {*")）]件"}


def comment_ranges(page: Page) -> list[tuple[int, int]]:
    """The blocks of comments, each range as first and one past last, in document order. A view.

    A heading, or a line with their number, stands above them, below text of the article. They end with the element
    around them. If that holds the article as well, the line isn't a link, and what is behind it is the smaller part.
    Without a number, a third of the blocks are as short as names: the comment of an editor has paragraphs only.
    """
    blocks, frame = page.blocks, page.view(ArticleFrame)
    texts, spans, (prose, _) = blocks.texts, blocks.spans, frame.before
    begin = bisect_left(prose, MIN_TEXT)
    headed = {spans.item(heading, 0) for heading in frame.headings}
    short_rows = begin + (blocks.lengths[begin:] <= MAX_LABEL).nonzero()[0]
    lines = [
        row
        for row in short_rows.tolist()
        if ((text := texts[row])[0] in NUMBER or text[-1] in NUMBER_ENDS or row in headed) and heads_comments(text)
    ]
    if not lines:
        return []
    short = [0, *accumulate((frame.widths <= MAX_LABEL).tolist())]
    found: list[tuple[int, int]] = []
    for row in lines:
        if found and row + 1 < found[-1][1]:
            continue  # within the comments found last, which are looked at once
        element = blocks.element_list[row]
        while spans.item(element, 1) <= row + 1 and element > 0:
            element = blocks.parent_list[element]
        end = spans.item(element, 1)
        names = short[end] - short[row + 1]
        if not any(map(str.isdigit, texts[row])) and 3 * names < max(3 * MIN_NAMES, end - row - 1):
            continue
        is_apart = blocks.nodes[element] not in frame.holders
        if is_apart or (not blocks.linked[row] and prose[end] - prose[row] <= MOST * prose[row]):
            found.append((row, end))
    return found


def comment_elements(page: Page) -> list[int]:
    """The outermost elements that hold nothing but comments, as numbers of `Blocks.nodes`."""
    blocks, holders, found = page.blocks, page.view(ArticleFrame).holders, list[int]()
    begins, ends = map(np.ascontiguousarray, blocks.spans.T)
    for first, last in page.view(comment_ranges):
        number, end = begins.searchsorted((first, last)).tolist()
        while number < end:
            if first < (behind := ends.item(number)) <= last and blocks.nodes[number] not in holders:
                found.append(number)
                number = max(number + 1, int(begins.searchsorted(behind)))
            else:
                number += 1
    return found
