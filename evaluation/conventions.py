"""What a corpus's gold holds beside the body: an option of the bench, never of an extractor.

Some golds begin with the headline, some keep the readers' comments, most hold the body alone. Under a convention every
contestant's text, ours or foreign, gets what it lacks of that from the page itself before it is judged: the line of the
headline in front, the comments' blocks behind. So extractors are compared on the choice of the body, and a gold's taste
counts for or against none of them. Whose convention is which stands in `conventions.toml`, counted by
`scripts/bench conventions`: a gold's convention is what it does on most pages that have the part at all.
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
#: Lines at the top in which a headline, byline or date counts as being there.
TOP = 10
#: A corpus that is not in the table is counted on so many of its pages.
COUNTED = 100
#: Where a page declares its title. The line that says it, or at least this share of it, is its headline; a line that
#: says what an `h1` says is ahead of others by BONUS.
DECLARED = frozenset(("og", "twitter", "title", "json-ld-headline"))
ALIKE, BONUS = 0.29, 0.3
COMMENT = re.compile(r"comment|disqus|(?<![a-z])respond(?![a-z])|repl(?:y|ies)|kommentar|talkback|livefyre", re.I)
#: Shorter blocks of comments are names, dates, links: whether a gold keeps comments is counted by the others.
SAID = 40
#: A line of so many characters at most is a byline or a date.
SIGNATURE = 60
BYLINE = re.compile(r"\W*(?:(?:by|von|par|por|posted by|written by)\s|(?:作者|记者|来源)\s*[:：])", re.I)
DATE = re.compile(r"(?:19|20)\d\d|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d", re.I)

#: Pages whose gold holds the part, and pages that have it.
Share = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Counts:
    """How a corpus's golds do it. `signature`: a byline or a date of its own in the first lines, of all pages."""

    headline: Share = (0, 0)
    comments: Share = (0, 0)
    signature: Share = (0, 0)

    @property
    def convention(self) -> str:
        """The parts that most pages which have them hold."""
        held = [part for part in PARTS if 2 * getattr(self, part)[0] > getattr(self, part)[1]]
        return "+".join(held) or BODY

    def to_toml(self, name: str) -> str:
        """The corpus's table in `conventions.toml`."""
        rows = [f"{field.name} = {list(getattr(self, field.name))}" for field in fields(self)]
        return "\n".join([f'["{name}"]', *rows])


def check_convention(convention: str) -> str:
    """The same, its parts in order; WrongCall where it is none."""
    words = convention.split("+")
    if convention in (BODY, AUTO):
        return convention
    if not set(words) <= set(PARTS):
        raise WrongCall(f"convention is {convention!r}; it is {BODY}, {', '.join(PARTS)}, {'+'.join(PARTS)} or {AUTO}")
    return "+".join(part for part in PARTS if part in words)


def convention_of(corpus: Corpus, asked: str = AUTO) -> str:
    """What a corpus is judged by: what is asked for or, with "auto", its own; without texts nothing but the body."""
    asked = check_convention(asked)
    if asked == BODY or not any(gold.scored_by == "text" for gold in corpus.gold):
        return BODY
    if asked != AUTO:
        return asked
    return (known_counts().get(corpus.name) or count(corpus, COUNTED)).convention


def with_convention(text: str, page: Page, convention: str) -> str:
    """An output with what gold of this convention holds beside it and the output lacks; nothing stays nothing."""
    if text.strip() and convention != BODY:
        for part in convention.split("+"):
            text = PARTS[part](text, page)
    return text


def with_headline(text: str, page: Page) -> str:
    """The text with the page's line of the headline in front, unless its first lines have it."""
    line = headline_line(page)
    return text if line is None or letters(line) in letters(top(text)) else f"{line}\n{text}"


def with_comments(text: str, page: Page) -> str:
    """The text with the page's blocks of comments that are no line of it behind."""
    there = set(text.split("\n"))
    return "\n".join([text, *(block for block in comment_blocks(page) if block not in there)])


#: What a gold may hold beside the body, and how a text gets it; in the order in which they are added.
PARTS: Mapping[str, Callable[[str, Page], str]] = {"headline": with_headline, "comments": with_comments}


def headline_line(page: Page) -> str | None:
    """The block that says most of a title which the page declares; None where no block says enough of one."""
    titles = [(title.source, letters(title.text)) for title in page.titles]
    declared = {said for source, said in titles if source in DECLARED and len(said) >= 4}
    headings = {said for source, said in titles if source == "h1" and said}
    longest = 2 * max(map(len, declared | headings), default=0) + 20
    best, found = ALIKE, None
    for text in page.blocks.texts:
        said = letters(text) if len(text) <= longest else ""
        if said:
            alike = [_alike(said, one) for one in declared]
            worth = max(alike, default=0.0) + BONUS * (said in headings)
            if worth > best:
                best, found = worth, text
    return found


def comment_blocks(page: Page) -> list[str]:
    """The blocks within elements whose class or id says that they hold readers' comments."""
    blocks = page.blocks
    within: list[bool] = []
    named = zip(blocks.element_tags, blocks.element_classes, blocks.element_ids, strict=True)
    for (tag, classes, id_), parent in zip(named, blocks.parents.tolist(), strict=True):
        inherited = parent >= 0 and within[parent]
        names = "" if tag in ("html", "body") else f"{classes or ''} {id_ or ''}"
        within.append(inherited or COMMENT.search(names) is not None)
    return [text for text, owner in zip(blocks.texts, blocks.owners.tolist(), strict=True) if within[owner]]


def count(corpus: Corpus, sample: int | None = None) -> Counts:
    """What the golds of a corpus hold, on at most so many pages."""
    rows = [
        _held(gold, Page(corpus.html(gold.id), gold.url))
        for gold in corpus.sample(sample)
        if gold.text is not None and letters(gold.text)
    ]
    return Counts(**{part: _share([row[part] for row in rows]) for part in ("headline", "comments", "signature")})


@cache
def known_counts() -> dict[str, Counts]:
    """Corpus -> what its golds hold, as committed."""
    table = tomllib.loads(files("evaluation").joinpath("conventions.toml").read_text(encoding="utf-8"))
    return {name: Counts(**{part: tuple(share) for part, share in row.items()}) for name, row in table.items()}


def _held(gold: Gold, page: Page) -> dict[str, bool | None]:
    """Whether the gold holds each part; None where the page has none."""
    text = gold.text or ""
    line = headline_line(page)
    said = [letters(block) for block in comment_blocks(page) if len(block) >= SAID]
    whole = letters(text)
    short = [line for line in top(text).split("\n") if len(line.strip()) <= SIGNATURE]
    return {
        "headline": None if line is None else letters(line) in letters(top(text)),
        "comments": 2 * sum(block in whole for block in said) >= len(said) if said else None,
        "signature": any(BYLINE.match(line) or DATE.search(line) for line in short),
    }


def _alike(one: str, other: str) -> float:
    """How much of the longer text the shorter is; 0 where it is no part of it."""
    short, long = sorted((one, other), key=len)
    return len(short) / len(long) if short in long else 0.0


def _share(held: list[bool | None]) -> Share:
    known = [one for one in held if one is not None]
    return sum(known), len(known)


def letters(text: str) -> str:
    """Letters and digits alone, in lower case."""
    return NO_LETTER.sub("", text.lower())


def top(text: str) -> str:
    """The first lines that are not empty."""
    return "\n".join([line for line in text.split("\n") if line.strip()][:TOP])
