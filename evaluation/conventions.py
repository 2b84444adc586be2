"""Gold conventions: what a corpus's gold has in addition to the body. An option of the evaluation, never of an
extractor.

Some golds begin with the headline, some include readers' comments, most have only the body. Before scoring, each
extracted text, ours or foreign, gets the missing parts of the convention from the page: the line of the headline in
front, the blocks of comments at the end. So extractors are compared only on the choice of the body. The convention of a
corpus is what its gold does on most pages that have the part, as counted in `conventions.toml`.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache

from evaluation.corpora import Corpus
from evaluation.scores import letters
from newsextract.errors import WrongCall
from newsextract.files import package_data
from newsextract.page import Page
from newsextract.page.titles import title_candidates

BODY = "body"
AUTO = "auto"
#: How many lines at the top that are not empty are searched for a headline.
TOP = 10
#: Sources of declared titles. The line with a declared title, or at least this share of it, is the headline; a line
#: with the text of an `h1` gets BONUS.
DECLARED = frozenset(("og", "twitter", "title", "json-ld-headline"))
ALIKE = 0.29
BONUS = 0.3
COMMENT = re.compile(r"comment|disqus|(?<![a-z])respond(?![a-z])|repl(?:y|ies)|kommentar|talkback|livefyre", re.I)


def check_convention(convention: str) -> str:
    """The convention with its parts in order. Raises WrongCall if it is unknown."""
    words = convention.split("+")
    if convention in (BODY, AUTO):
        return convention
    if not set(words) <= set(PARTS):
        raise WrongCall(f"convention is {convention!r}; it is {BODY}, {', '.join(PARTS)}, {'+'.join(PARTS)} or {AUTO}")
    return "+".join(part for part in PARTS if part in words)


def convention_of(corpus: Corpus, asked: str = AUTO) -> str:
    """The convention of a corpus: as requested, or its own for "auto"; "body" without gold texts or counts."""
    asked = check_convention(asked)
    if asked == BODY or not any(gold.scored_by == "text" for gold in corpus.gold):
        return BODY
    if asked != AUTO:
        return asked
    return known_conventions().get(corpus.name, BODY)


def with_convention(text: str, page: Page, convention: str) -> str:
    """A text with the missing parts of the convention, taken from the page; an empty text stays empty."""
    if text.strip() and convention != BODY:
        for part in convention.split("+"):
            text = PARTS[part](text, page)
    return text


def with_headline(text: str, page: Page) -> str:
    """The text with the page's headline in front, unless its first lines have it."""
    line, top = headline_line(page), [each for each in text.split("\n") if each.strip()][:TOP]
    return text if line is None or letters(line) in letters("".join(top)) else f"{line}\n{text}"


def with_comments(text: str, page: Page) -> str:
    """The text followed by the page's blocks of comments, except those that are lines of it."""
    lines = set(text.split("\n"))
    return "\n".join([text, *(block for block in comment_blocks(page) if block not in lines)])


#: Parts of conventions and the functions that add them to a text, in their order.
PARTS: Mapping[str, Callable[[str, Page], str]] = {"headline": with_headline, "comments": with_comments}


def headline_line(page: Page) -> str | None:
    """The block with the largest part of a declared title; None if no block has enough of one."""
    titles = [(title.source, letters(title.text)) for title in title_candidates(page)]
    declared = {title for source, title in titles if source in DECLARED and len(title) >= 4}
    headings = {title for source, title in titles if source == "h1" and title}
    longest = 2 * max(map(len, declared | headings), default=0) + 20
    best, headline = ALIKE, None
    for text in page.blocks.texts:
        line = letters(text) if len(text) <= longest else ""
        if line:
            similarity = max((_similarity(line, title) for title in declared), default=0.0)
            score = similarity + BONUS * (line in headings)
            if score > best:
                best, headline = score, text
    return headline


def comment_blocks(page: Page) -> list[str]:
    """The blocks within elements whose class or id marks readers' comments."""
    blocks = page.blocks
    within: list[bool] = []
    elements = zip(blocks.element_tags, blocks.element_classes, blocks.parents.tolist(), strict=True)
    for number, (tag, classes, parent) in enumerate(elements):
        inherited = parent >= 0 and within[parent]
        names = "" if tag in ("html", "body") else f"{classes or ''} {blocks.element_ids.get(number) or ''}"
        within.append(inherited or COMMENT.search(names) is not None)
    return [text for text, element in zip(blocks.texts, blocks.elements.tolist(), strict=True) if within[element]]


@cache
def known_conventions() -> dict[str, str]:
    """Corpus -> its convention: the parts that the gold of most pages with these parts has."""
    return {
        name: "+".join(part for part in PARTS if 2 * counts[part][0] > counts[part][1]) or BODY
        for name, counts in package_data("evaluation", "conventions.toml").items()
    }


def _similarity(first: str, second: str) -> float:
    """Length of the shorter text as a share of the longer, if it is a part of it; otherwise 0."""
    short, long = sorted((first, second), key=len)
    return len(short) / len(long) if short in long else 0.0
