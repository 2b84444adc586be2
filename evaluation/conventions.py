"""Gold conventions: what the gold of a corpus has beside the body. An option of the evaluation, never of an extractor.

Some golds begin with the headline, some include readers' comments, most have the body alone. Under a convention every
extracted text, ours or foreign, gets what it lacks of that from the page before it is scored: the line of the headline
in front, the blocks of comments behind. So extractors are compared on the choice of the body alone. Conventions are in
`conventions.toml`, counted by `scripts/bench conventions`: that of a corpus is what its gold does on most pages that
have the part at all.
"""

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files

from evaluation.corpora import Corpus, Gold
from evaluation.scores import NO_LETTER
from newsextract.errors import WrongCall
from newsextract.page import Page

BODY, AUTO = "body", "auto"
#: Number of lines at the top in which a headline, byline or date is looked for.
TOP = 10
#: Pages on which a corpus that is not in the table is counted.
COUNTED = 100
#: Sources of declared titles. The line with a declared title, or at least this share of it, is the headline; a line
#: with the text of an `h1` is preferred by BONUS.
DECLARED = frozenset(("og", "twitter", "title", "json-ld-headline"))
ALIKE, BONUS = 0.29, 0.3
COMMENT = re.compile(r"comment|disqus|(?<![a-z])respond(?![a-z])|repl(?:y|ies)|kommentar|talkback|livefyre", re.I)
#: Blocks of comments with fewer characters are names, dates, links: they do not count.
COMMENT_LENGTH = 40
#: Characters of a byline or date line at most.
SIGNATURE = 60
BYLINE = re.compile(r"\W*(?:(?:by|von|par|por|posted by|written by)\s|(?:作者|记者|来源)\s*[:：])", re.I)
DATE = re.compile(r"(?:19|20)\d\d|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d", re.I)

#: Number of pages whose gold has the part, and of pages that have it.
Share = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts of a corpus. `signature`: pages whose gold has a line of byline or date at the top, of all pages."""

    headline: Share = (0, 0)
    comments: Share = (0, 0)
    signature: Share = (0, 0)

    @property
    def convention(self) -> str:
        """The parts that the gold of most pages that have them has."""
        parts = [part for part in PARTS if 2 * getattr(self, part)[0] > getattr(self, part)[1]]
        return "+".join(parts) or BODY

    def to_toml(self, name: str) -> str:
        """The corpus's table in `conventions.toml`."""
        rows = [f"{field.name} = {list(getattr(self, field.name))}" for field in fields(self)]
        return "\n".join([f'["{name}"]', *rows])


def check_convention(convention: str) -> str:
    """The convention with its parts in order. Raises WrongCall if it is unknown."""
    words = convention.split("+")
    if convention in (BODY, AUTO):
        return convention
    if not set(words) <= set(PARTS):
        raise WrongCall(f"convention is {convention!r}; it is {BODY}, {', '.join(PARTS)}, {'+'.join(PARTS)} or {AUTO}")
    return "+".join(part for part in PARTS if part in words)


def convention_of(corpus: Corpus, asked: str = AUTO) -> str:
    """The convention of a corpus: the one asked for, its own if that is "auto"; "body" without gold texts."""
    asked = check_convention(asked)
    if asked == BODY or not any(gold.scored_by == "text" for gold in corpus.gold):
        return BODY
    if asked != AUTO:
        return asked
    return (known_counts().get(corpus.name) or count(corpus, COUNTED)).convention


def with_convention(text: str, page: Page, convention: str) -> str:
    """A text with the parts of the convention that it lacks, taken from the page; an empty text stays empty."""
    if text.strip() and convention != BODY:
        for part in convention.split("+"):
            text = PARTS[part](text, page)
    return text


def with_headline(text: str, page: Page) -> str:
    """The text with the page's headline in front, unless its first lines have it."""
    line = headline_line(page)
    return text if line is None or letters(line) in letters(top(text)) else f"{line}\n{text}"


def with_comments(text: str, page: Page) -> str:
    """The text with the page's blocks of comments behind, but those that are lines of it."""
    lines = set(text.split("\n"))
    return "\n".join([text, *(block for block in comment_blocks(page) if block not in lines)])


#: Parts of conventions and the functions that add them to a text, in their order.
PARTS: Mapping[str, Callable[[str, Page], str]] = {"headline": with_headline, "comments": with_comments}


def headline_line(page: Page) -> str | None:
    """The block that has the largest part of a declared title; None if no block has enough of one."""
    titles = [(title.source, letters(title.text)) for title in page.titles]
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
    """The blocks within elements whose class or id names readers' comments."""
    blocks = page.blocks
    within: list[bool] = []
    named = zip(blocks.element_tags, blocks.element_classes, blocks.element_ids, strict=True)
    for (tag, classes, id_), parent in zip(named, blocks.parents.tolist(), strict=True):
        inherited = parent >= 0 and within[parent]
        names = "" if tag in ("html", "body") else f"{classes or ''} {id_ or ''}"
        within.append(inherited or COMMENT.search(names) is not None)
    return [text for text, owner in zip(blocks.texts, blocks.owners.tolist(), strict=True) if within[owner]]


def count(corpus: Corpus, sample: int | None = None) -> Counts:
    """Counts what the golds of a corpus have, on at most `sample` pages."""
    rows = [
        _parts_of_gold(gold, Page(corpus.html(gold.id), gold.url))
        for gold in corpus.sample(sample)
        if gold.text is not None and letters(gold.text)
    ]
    return Counts(**{part: _share([row[part] for row in rows]) for part in ("headline", "comments", "signature")})


@cache
def known_counts() -> dict[str, Counts]:
    """Corpus -> committed counts."""
    table = tomllib.loads(files("evaluation").joinpath("conventions.toml").read_text(encoding="utf-8"))
    return {name: Counts(**{part: tuple(share) for part, share in row.items()}) for name, row in table.items()}


def _parts_of_gold(gold: Gold, page: Page) -> dict[str, bool | None]:
    """Whether the gold has each part; None if the page has none."""
    text = gold.text or ""
    line = headline_line(page)
    comments = [letters(block) for block in comment_blocks(page) if len(block) >= COMMENT_LENGTH]
    gold_letters = letters(text)
    short = [line for line in top(text).split("\n") if len(line.strip()) <= SIGNATURE]
    return {
        "headline": None if line is None else letters(line) in letters(top(text)),
        "comments": 2 * sum(block in gold_letters for block in comments) >= len(comments) if comments else None,
        "signature": any(BYLINE.match(line) or DATE.search(line) for line in short),
    }


def _similarity(first: str, second: str) -> float:
    """Length of the shorter text in lengths of the longer, if it is a part of it; else 0."""
    short, long = sorted((first, second), key=len)
    return len(short) / len(long) if short in long else 0.0


def _share(held: list[bool | None]) -> Share:
    known = [value for value in held if value is not None]
    return sum(known), len(known)


def letters(text: str) -> str:
    """The letters and digits of a text, in lower case."""
    return NO_LETTER.sub("", text.lower())


def top(text: str) -> str:
    """The first TOP lines that are not empty."""
    return "\n".join([line for line in text.split("\n") if line.strip()][:TOP])
