"""CoreEx: the element with most text and fewest links, counting only children that are hardly linked.

J. Prasad, A. Paepcke. CoreEx: content extraction from online news articles. CIKM 2008, pp. 1391-1392 (technical report
Stanford ILPUBS 832).

A link counts as one word and one link, whatever its text. Bottom-up, for every other element n:

    textCnt(n) = own words + sum of textCnt(child)            linkCnt(n) = sum of linkCnt(child)
    S(n)       = children with (textCnt - linkCnt) / textCnt > threshold
    setText(n) = own words + sum over S of textCnt            setLink(n) = sum over S of linkCnt
    score(n)   = link_weight (setText - setLink) / setText + (1 - link_weight) setText / textCnt(body)

The element with the highest score is the article: its own text and the members of S. Own words are those of text nodes
whose parent is n. The paper's values: link_weight 0.99, threshold 0.9. O(n) for n elements.

A weakness, measured by ECON's authors as 51 % on pages cut by links: with link_weight 0.99 one link in a hundred words
lowers an element's score by more than all the page's text can raise it, so a paragraph without links wins.

Not specified in the paper: of equal scores the outermost element (a wrapper of one child scores as the child does);
each character of Chinese and Japanese is a word; links deep within a member of S stay; an `a` without text (an image,
an anchor) is no link.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from newsextract.extractors.base import Extraction, Method, option
from newsextract.methods.common.density import read_subtrees
from newsextract.page import Page
from newsextract.page.text_nodes import TextNodes
from newsextract.text import count_tokens


@dataclass(frozen=True)
class CoreEx(Method):
    """`link_weight`: of words outside links against all; `threshold`: least share of a child outside links."""

    name = "coreex"
    paper = "Prasad, Paepcke. CoreEx: Content Extraction from Online News Articles. CIKM 2008"

    link_weight: float = option(0.99, 0, 1)
    threshold: float = option(0.9, 0, 1)

    def __call__(self, page: Page, peer: Page | None = None) -> Extraction:
        nodes = page.view(TextNodes)
        if not len(nodes):
            return Extraction.of_nodes(page, [])
        counts = read_subtrees(page)
        parents, holders = counts.parents, counts.rows_of(nodes)
        own = np.bincount(holders, count_tokens(nodes.raw).total, len(counts)).astype(float)
        characters = zip(counts.elements, counts.characters.tolist(), strict=True)
        is_link = [element.tag == "a" and size > 0 for element, size in characters]
        scores, members = self._score(own, is_link, parents)
        best = int(np.argmax(scores))
        within = members & (parents == best)
        for element, parent in enumerate(parents[best + 1 :].tolist(), best + 1):
            within[element] |= within[parent]
        within[best] = True
        return Extraction.of_nodes(page, within[holders], scores[holders])

    def _score(
        self, own: NDArray[np.float64], is_link: list[bool], parents: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """(elements,) score, and whether the element is in its parent's S; rows in document order."""
        text, set_text = own.tolist(), own.tolist()
        link, set_link = [0.0] * len(text), [0.0] * len(text)
        member = [False] * len(text)
        for element, parent in zip(range(len(text) - 1, -1, -1), reversed(parents.tolist()), strict=True):
            if is_link[element]:
                text[element] = link[element] = 1.0
                set_text[element] = 0.0
            if parent < 0:
                continue
            text[parent] += text[element]
            link[parent] += link[element]
            if text[element] and (text[element] - link[element]) / text[element] > self.threshold:
                member[element] = True
                set_text[parent] += text[element]
                set_link[parent] += link[element]
        chosen_text, chosen_links = np.array(set_text), np.array(set_link)
        shares = (chosen_text - chosen_links) / np.maximum(chosen_text, 1.0)
        scores = self.link_weight * shares + (1 - self.link_weight) * chosen_text / max(text[0], 1.0)
        return np.where(chosen_text > 0, scores, 0.0), np.array(member)
