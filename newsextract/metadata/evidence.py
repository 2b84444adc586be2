"""All that the choices look at, each part computed on first use: views, marks of the body, the article's blocks."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property, lru_cache
from typing import Any, Generic, TypeVar
from urllib.parse import urljoin, urlsplit

import numpy as np

from newsextract.metadata.markup_hints import BEFORE, Marks
from newsextract.metadata.structured import Structured
from newsextract.page.meta import Meta

Value = TypeVar("Value")
WORD = re.compile(r"[^\W\d_]+")
NO_LETTERS = re.compile(r"[\W_]+")
#: An absolute address that need not be taken apart.
PLAIN = re.compile(r"https?://[a-z0-9][a-z0-9.-]*/[!-~]*$")
#: Texts of fewer characters may be kept.
SHORT = 400
#: Blocks before the article's first in which a heading that is not the headline may stand in its place.
ABOVE = 30


@dataclass(frozen=True, slots=True)
class Found(Generic[Value]):
    """A chosen value, the source it came from, and what was written there."""

    value: Value
    source: str
    raw: str | None = None


@dataclass(frozen=True)
class Source:
    """A row of a table of sources: its name, and how to read its candidates out of the evidence."""

    name: str
    read: Callable[["Evidence"], Iterator[Any]]


class Words:
    """The words of a text, looked for one by one: only a few are ever asked for."""

    def __init__(self, text: str) -> None:
        self._text = f" {text} "

    def __contains__(self, word: str) -> bool:
        return f" {word} " in self._text


@dataclass
class Evidence:
    """One page's evidence. `chosen` are the numbers of the blocks that the extractor took for the article."""

    page: Any
    chosen: Sequence[int] = ()
    fetched_at: datetime | None = None
    language: str | None = None
    headline: str | None = None
    publisher: str | None = None
    notes: dict[str, str] = field(default_factory=dict)

    def note(self, field: str, said: str, raw: str) -> None:
        """Remember what of the page could not be used, one a field: `describe` logs them in one line."""
        self.notes.setdefault(field, f"{said}: {raw[:60]!r}")

    @property
    def meta(self) -> Meta:
        meta: Meta = self.page.meta
        return meta

    @cached_property
    def structured(self) -> Structured:
        return Structured(self.page.json_ld, self.page.url)

    @cached_property
    def host(self) -> str:
        """The host's letters without `www.` and its last label: often the publisher's name."""
        try:
            host = (urlsplit(self.page.url or "").hostname or "").removeprefix("www.")
        except ValueError:
            return ""
        return letters(host.rpartition(".")[0])

    @cached_property
    def base(self) -> str:
        """What the page's addresses are relative to."""
        return urljoin(self.page.url or "", self.meta.base or "")

    @cached_property
    def texts(self) -> Sequence[str]:
        """The text of each block of the page."""
        texts: Sequence[str] = self.page.blocks.texts
        return texts

    @cached_property
    def common_words(self) -> "Words":
        """The words that the article writes, as it writes them: what stands there in lower case is no name."""
        return Words(" ".join([self.texts[i] for i in self.chosen[:200]]))

    @cached_property
    def headline_block(self) -> int | None:
        """The number of the block that is the headline, or else a heading that readers see in its place: the one
        nearest before the article's first block."""
        first = self.chosen[0] if len(self.chosen) else 10**9
        same = self._same_as(self.headline)
        if not same and self.headline:
            headings = [title.text for title in self.page.titles if title.source == "h1" and title.text.count(" ") > 1]
            same = sorted(i for text in headings[:3] for i in self._same_as(text) if first - ABOVE <= i < first)
        before = [i for i in same if i <= first + 3]
        return before[-1] if before else same[0] if same else None

    def _same_as(self, wanted: str | None) -> list[int]:
        """The numbers of the blocks with this text, or with its letters."""
        if not (key := letters(wanted)):
            return []
        same = [i for i, text in enumerate(self.texts) if text == wanted]
        alike = [] if same else np.flatnonzero(np.abs(self.page.blocks.lengths - len(wanted or "")) < 20).tolist()
        return same or [i for i in alike if letters(self.texts[i]) == key]

    @cached_property
    def near_headline(self) -> range:
        """The blocks around headline and beginning of the article, where its date and byline stand."""
        first = self.chosen[0] if len(self.chosen) else None
        top = self.headline_block
        if top is None:
            top = first
        if top is None:
            return range(min(40, len(self.texts)))
        last = min(max(first if first is not None else top, top), top + 25) + 4
        return range(max(0, top - 6), min(len(self.texts), last))

    @cached_property
    def marks(self) -> Marks:
        head = self.headline_block if self.headline_block is not None else self.chosen[0] if self.chosen else None
        if head is None:
            return Marks(self.page.body, None, next(iter(self._headings()), None), None)
        blocks = self.page.blocks
        before = blocks.element(max(0, blocks.owners[head] - BEFORE // 2))
        end = self.element(self.chosen[-1]) if self.chosen else None
        return Marks(self.page.body, before, self.element(head), end)

    def element(self, block: int) -> Any:
        """The block element that a block stands in."""
        blocks = self.page.blocks
        return blocks.element(blocks.owners[block])

    def _headings(self) -> list[Any]:
        wanted = letters(self.headline)
        return [
            title.element for title in self.page.titles if title.element is not None and letters(title.text) == wanted
        ]

    def metas(self, *names: str) -> Iterator[str]:
        """The contents of these declarations of the head, in the order of the names."""
        contents = self.meta.contents
        for name in names:
            if name in contents:
                yield from contents[name]

    def absolute(self, address: str) -> str | None:
        """An address made absolute by the page's base or URL; None where it is none."""
        address = address.strip()
        if PLAIN.match(address):
            return address
        try:
            if address.startswith(("http://", "https://")):
                return address if urlsplit(address).hostname else None
            joined = urljoin(self.base, address)
        except ValueError:
            return None
        return joined if joined.startswith(("http://", "https://")) else None


def letters(text: str | None) -> str:
    """Letters and digits only, in lower case."""
    return _letters(text) if text and len(text) < SHORT else NO_LETTERS.sub("", (text or "").casefold())


@lru_cache(maxsize=1024)
def _letters(text: str) -> str:
    """The same of a short text; kept, since a page says its title many times."""
    return NO_LETTERS.sub("", text.casefold())


def first(
    table: Sequence[Source], evidence: Evidence, accept: Callable[[Any, Evidence], Found[Any] | None]
) -> Found[Any] | None:
    """The first candidate of the table, in its order, that is accepted."""
    for source in table:
        for candidate in source.read(evidence):
            if found := accept(candidate, evidence):
                return Found(found.value, source.name, found.raw)
    return None
