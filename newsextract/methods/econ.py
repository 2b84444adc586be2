"""ECON: from the longest punctuated run of text up the tree until no punctuation is gained.

Y. Guo, H. Tang, L. Song, Y. Wang, G. Ding. ECON: An Approach to Extract Content from Web News Page. APWeb 2010.

A *big-node* holds text of its own, or is p, br, h1-h6, strong, em, b, i, tt, font. A *text-node-set* is a run of
adjacent big-nodes under one parent, its text the *text-para*; punc-num counts periods and commas.

1. Every run whose punc-num is 0 is pruned.
2. The longest text-para left gives the *snippet-node* (the paper: any of its nodes; here the one with most marks).
3. node1 = snippet-node; while punc-num(parent) - punc-num(node1) > 0, node1 = parent. node1 is the *summary-node*.
4. The text below the summary-node, less what was pruned, is the news.

O(n) for n blocks. The paper has no parameters and does not specify: inline tags inside a sentence (here part of the
text around them, else pieces-pages lose words); text beside blocks (for length a node counts with its own text, but a
run is pruned only if nothing below it has a mark); pages without any mark (the longest run is taken, nothing is
pruned); marks that end no clause (the dot of 1.5 or www.example.org and the comma of 4,060 do not count, three dots
count once, the Chinese enumeration comma does not: the paper's observation is about sentences; `strict_marks` counts
each of its four characters).

Two kinds of page defeat the paper's stop rule. Where each paragraph or section has a wrapper of its own, nothing is
gained at the first step and one paragraph is returned; where comments or teasers stand in the article's column, marks
are gained up to the whole page. `repaired` climbs by the kind of what is gained: it starts at the parent of the longest
run (by text outside links), passes bare wrappers, and goes up only to an element that has a punctuated paragraph of its
own or a punctuated child of the same tag and class as the one below; without a class that is enough only if below is a
single paragraph. Of the Chinese news pages it is measured on, the paper's rule is right on 7 in 10, the repaired one on
6 in 7.
"""

import re
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from newsextract.extractors.base import Extraction, Method
from newsextract.page import Page
from newsextract.page.blocks import Blocks

Counts = NDArray[np.signedinteger[Any]]
#: The paper's characters; periods and commas that end a clause, also of Arabic and Urdu.
PAPER_MARK = re.compile("[.,。，．]")
MARK = re.compile("[.,](?![A-Za-z0-9.,])|[。，．،۔]")
#: Big-nodes by their tag; other elements need own text outside links (the parent of a link's text is `a`).
BIG_TAGS = frozenset("p h1 h2 h3 h4 h5 h6".split())


@dataclass(frozen=True)
class Econ(Method):
    """`strict_marks`: count the paper's four characters anywhere; `repaired`: the repaired stop rule."""

    name = "econ"
    paper = "Guo et al. ECON: An Approach to Extract Content from Web News Page. APWeb 2010"

    strict_marks: bool = False
    repaired: bool = False

    def __call__(self, page: Page, peer: Page | None = None) -> Extraction:
        blocks = page.blocks
        chosen = np.zeros(len(blocks), bool)
        marks = count_marks(blocks.texts, PAPER_MARK if self.strict_marks else MARK)
        if not len(blocks):
            return Extraction.of_blocks(page, chosen)
        before = np.concatenate(([0], np.cumsum(marks)))  # marks before each block
        inside = before[blocks.spans[:, 1]] - before[np.minimum(blocks.spans[:, 0], blocks.spans[:, 1])]
        lengths = np.maximum(0, blocks.lengths - blocks.linked) if self.repaired else blocks.lengths
        runs = text_node_sets(blocks, lengths)
        punctuated = [run for run in runs if before[run.last] > before[run.first]]
        snippet = max(punctuated or runs, key=lambda run: run.length)  # the first of the longest
        if not punctuated:
            chosen[snippet.first : snippet.last] = True
        else:
            if self.repaired:
                summary = climb_by_gain(snippet.parent, blocks, marks, inside)
            else:
                first, last, element = max(snippet.items, key=lambda item: before[item[1]] - before[item[0]])
                summary = climb(element if element >= 0 else snippet.parent, blocks, inside)
            first, last = blocks.spans[summary]
            chosen[first:last] = True
            for run in runs:
                if before[run.last] == before[run.first]:
                    chosen[run.first : run.last] = False
        return Extraction.of_blocks(
            page, chosen, marks, evidence={"punc_num": marks.astype(float)}, confidence=0.8 if punctuated else 0.1
        )


class TextNodeSet(NamedTuple):
    """`items`: first, one past last block and element (-1: direct text of `parent`) of each; `length`: characters."""

    parent: int
    items: list[tuple[int, int, int]]
    length: int

    @property
    def first(self) -> int:
        return self.items[0][0]

    @property
    def last(self) -> int:
        return self.items[-1][1]


def text_node_sets(blocks: Blocks, lengths: Counts) -> list[TextNodeSet]:
    """All text-node-sets of the page, parents in document order; `lengths`: characters of each block."""
    own = np.bincount(blocks.elements, lengths, len(blocks.nodes)).astype(int).tolist()
    unlinked = np.bincount(blocks.elements, blocks.link_shares < 1, len(blocks.nodes)).tolist()
    big = [unlinked[e] > 0 or tag in BIG_TAGS for e, tag in enumerate(blocks.element_tags)]
    members: list[list[tuple[int, int, int]]] = [[] for _ in blocks.nodes]
    for block, element in enumerate(blocks.elements.tolist()):
        members[element].append((block, block + 1, -1))
    for element, (parent, (first, last)) in enumerate(zip(blocks.parents.tolist(), blocks.spans.tolist(), strict=True)):
        if parent >= 0 and first < last:
            members[parent].append((first, last, element))
    runs = []
    for parent, items in enumerate(members):
        if parent and big[parent] and all(element < 0 for _, _, element in items):
            continue  # only direct text: a member of its parent's run, not a set
        for is_big, group in groupby(sorted(items), lambda item: item[2] < 0 or big[item[2]]):
            if is_big:
                run = list(group)
                size = sum(int(lengths[first]) if element < 0 else own[element] for first, _, element in run)
                runs.append(TextNodeSet(parent, run, size))
    return runs


def count_marks(texts: list[str], mark: re.Pattern[str]) -> Counts:
    """(texts,) punc-num."""
    return np.fromiter((len(mark.findall(text)) for text in texts), np.int64, len(texts))


def climb(snippet: int, blocks: Blocks, inside: Counts) -> int:
    """The summary-node by the paper's rule: up as long as punc-num grows."""
    node = snippet
    while (parent := int(blocks.parents[node])) >= 0 and inside[parent] > inside[node]:
        node = parent
    return node


def climb_by_gain(snippet: int, blocks: Blocks, marks: Counts, inside: Counts) -> int:
    """The summary-node by the repaired rule: up as long as what is gained resembles what is below."""
    own = np.bincount(blocks.elements, marks, len(blocks.nodes))
    by_parent = np.argsort(blocks.parents, kind="stable")
    bounds = np.searchsorted(blocks.parents[by_parent], np.arange(len(blocks.nodes) + 1))
    summary = node = snippet
    while (parent := int(blocks.parents[node])) >= 0:
        if inside[parent] > inside[summary]:
            children = by_parent[bounds[parent] : bounds[parent + 1]].tolist()
            others = [_kind(blocks, child) for child in children if child != node and inside[child]]
            paragraphs = own[parent] > 0 or any(tag == "p" for tag, _ in others)
            first, last = blocks.spans[summary]
            single = np.count_nonzero(marks[first:last]) <= 1
            alike = _kind(blocks, node) in others and (single or bool(blocks.element_classes[node]))
            if not (paragraphs or alike):
                return summary
            summary = parent
        node = parent
    return summary


def _kind(blocks: Blocks, element: int) -> tuple[str, str]:
    return blocks.element_tags[element], blocks.element_classes[element] or ""
