"""The evidence from which fields are chosen: a page's declarations, text blocks and markup hints; tables of sources."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property, lru_cache
from itertools import islice
from operator import attrgetter
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from turbohtml.etree import ElementView

from newsextract.language import words
from newsextract.language.sentences import ends_sentence
from newsextract.metadata.markup_hints import BEFORE, MarkupHint, find_hints, is_profile
from newsextract.metadata.scopes import Scopes
from newsextract.metadata.structured_data import StructuredData
from newsextract.page import Page
from newsextract.page.meta import Meta
from newsextract.page.titles import text_of, title_candidates
from newsextract.parts.owners import Owner, Owners
from newsextract.parts.records import is_record, linked_heading
from newsextract.text import LONG_LINE, SHORT_LINE, comparison_key, is_placeholder
from newsextract.urls import absolute_url, host_and_path

Value = TypeVar("Value")
HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
WITHOUT_HOST = re.compile(r"https?://(?![^/?#])")
#: Blocks that belong to the headline, above and below it; to the head of the article, or to its end; that may do so.
BESIDE = 2
NEAR_BLOCKS = 9
FAR_BLOCKS = 40
#: Owners of parts in which the article's date and authors may stand.
BY_HINTS = (Owner.ARTICLE, Owner.ADDRESS, Owner.BESIDE)
COPYRIGHT = words.Words(rf"©|\(c\) ?(?:19|20)|{words.pattern('rights').pattern}")


class SourcedValue(NamedTuple, Generic[Value]):
    """A chosen value, the name of its source, and the text that a date was parsed from."""

    value: Value
    source: str
    raw: str | None = None


class Source(NamedTuple):
    """A row of a table of sources: its name, and the function that yields its candidates."""

    name: str
    read: Callable[["PageEvidence"], Iterable[Any]]


@dataclass
class PageEvidence:
    """The evidence of one page.

    `body_blocks`: the numbers of the blocks that the extractor chose as text; `texts`: the texts of all blocks.
    `describe` sets `language`, `headline` and `publisher` as soon as they are known, because later fields need them.
    """

    page: Page
    body_blocks: Sequence[int] = ()
    fetched_at: datetime | None = None
    language: str | None = None
    headline: str | None = None
    publisher: str | None = None
    notes: dict[str, str] = field(default_factory=dict)
    meta: Meta = field(init=False, repr=False)
    structured: StructuredData = field(init=False, repr=False)
    texts: Sequence[str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.meta, self.texts = self.page.meta, self.page.blocks.texts
        self.structured = StructuredData(self.page)

    def note(self, field: str, problem: str, raw: str) -> None:
        """Records a declaration that can't be used, one per field; `describe` logs all of a page in one line."""
        self.notes.setdefault(field, f"{problem}: {raw[:60]!r}")

    @cached_property
    def host(self) -> str:
        """The host without `www.`, last label and punctuation: often the publisher's name."""
        return comparison_key(host_and_path(self.page.url)[0].rpartition(".")[0])

    @cached_property
    def language_and_country(self) -> str | None:
        """The page's language, with the country of its host if that has names of time zones of its own."""
        country = host_and_path(self.page.url)[0].rpartition(".")[2]
        is_known = len(country) == 2 and country in words.read("zones")
        return f"{self.language or 'en'}-{country}" if is_known and "-" not in (self.language or "") else self.language

    @cached_property
    def spaced_text(self) -> str:
        """The article between spaces, as written: a word in lower case there isn't a name."""
        return f" {' '.join([self.texts[i] for i in self.body_blocks[:200]])} "

    @cached_property
    def headline_block(self) -> int | None:
        """The number of the headline's block, or of the last `h1` before the article's first block."""
        first = self.body_blocks[0] if len(self.body_blocks) else 10**9
        same = self._blocks_with_text(self.headline)
        if not same and self.headline:
            headings = [text_of(title.element) for title in title_candidates(self.page) if title.source == "h1"]
            headings = [text for text in headings if text.count(" ") > 1]
            same = sorted(
                i for text in headings[:3] for i in self._blocks_with_text(text) if first - FAR_BLOCKS <= i < first
            )
        before = [i for i in same if i <= first + 3]
        before = [i for i in before if self.page.blocks.tags[i] == "h1"] or before
        return before[-1] if before else same[0] if same else None

    def _blocks_with_text(self, wanted: str | None) -> list[int]:
        """The numbers of the blocks with this text; if there are none, of those with the same letters and digits."""
        if not wanted or not (key := comparison_key(wanted)):
            return []
        alike = (np.abs(self.page.blocks.lengths - len(wanted)) < 20).nonzero()[0].tolist()
        equal = [i for i in alike if self.texts[i] == wanted]
        return equal or [i for i in alike if comparison_key(self.texts[i]) == key]

    @cached_property
    def around_headline(self) -> range:
        """The blocks around the headline and the beginning of the article, where labelled bylines usually are."""
        first = self.body_blocks[0] if self.body_blocks else self.headline_block
        top = first if self.headline_block is None else self.headline_block
        if first is None or top is None:
            return range(min(40, len(self.texts)))
        return range(max(0, top - 6), min(len(self.texts), min(max(first, top), top + 25) + 4))

    @cached_property
    def near_headline(self) -> range:
        """Those of them that belong to the head of the article."""
        around, top = self.around_headline, self.headline_block or 0
        return range(around.start, max(around.start, min(around.stop, max(self.head_end, top + 1))))

    def hints(self, *kinds: str) -> list[MarkupHint]:
        """The hints of these kinds that belong to the article, nearest to its head first."""
        return [hint for hint in self._own_hints if hint.kind in kinds]

    @cached_property
    def _own_hints(self) -> list[MarkupHint]:
        own = (
            hint
            for hint in self._hints
            if hint.belongs_to_article(self.owners) and self.scopes.are_about_page(hint.element.node)
        )
        return sorted(own, key=attrgetter("distance"))

    @cached_property
    def _hints(self) -> list[MarkupHint]:
        """The elements near headline and end of the article whose markup hints at a date or an author."""
        blocks, head = self.page.blocks, self.headline_block
        if head is None and self.body_blocks:
            head = self.body_blocks[0]
        if head is None:
            return find_hints(self.page.body.node, None, None, None)
        until = None
        if self.head_end < len(self.texts):
            number = blocks.element_list[self.head_end]
            while (above := blocks.parent_list[number]) > 0 and blocks.spans[above, 0] == self.head_end:
                number = above  # what begins with this block
            until = blocks.nodes[number]
        own = blocks.element_list[head]
        end = None if self.last_block is None else blocks.nodes[blocks.element_list[self.last_block]]
        return find_hints(blocks.nodes[max(0, own - BEFORE // 2)], blocks.nodes[own], until, end)

    @cached_property
    def owners(self) -> Owners:
        """What each part of the page belongs to, now that headline and text are known."""
        own = [self.headline_block, *self.body_blocks[:1], self.last_block]
        blocks = self.page.blocks
        return Owners(self.page, (blocks.element_list[block] for block in own if block is not None))

    @cached_property
    def scopes(self) -> Scopes:
        """Whose the properties of microdata and RDFa are, now that headline and text are known."""
        own = {self.headline_block, *self.body_blocks[:1]} - {None}
        return Scopes([self.element(block).node for block in own if block is not None], self._is_headline)

    def _is_headline(self, text: str) -> bool:
        """Whether a text is the headline, or one begins with the other."""
        key, headline = comparison_key(text), comparison_key(self.headline)
        return bool(key and headline) and (key.startswith(headline) or headline.startswith(key))

    @cached_property
    def last_block(self) -> int | None:
        """The number of the text's last block that isn't in a part of somebody else."""
        owners, blocks = self.page.view(Owners), self.page.blocks
        own = (
            i for i in reversed(self.body_blocks) if owners.of(blocks.nodes[blocks.element_list[i]]) <= Owner.ADDRESS
        )
        return next(own, next(reversed(self.body_blocks), None))

    @cached_property
    def head_end(self) -> int:
        """The number of the block that ends the head of the article: the second paragraph (the first may be a lead)."""
        top = -1 if self.headline_block is None else self.headline_block
        tags = self.page.blocks.tags
        opening = [(i, self.texts[i]) for i in self.body_blocks[:FAR_BLOCKS] if i > top and tags[i] not in HEADINGS]
        paragraphs = islice((i for i, text in opening if len(text) > LONG_LINE or is_sentence(text)), 1, 2)
        lines = [i for i, text in opening if len(text) >= SHORT_LINE][2:3]  # where sentences have no full stop
        return min((*paragraphs, *lines), default=self.body_blocks[-1] + 1 if self.body_blocks else len(self.texts))

    def is_own(self, block: int, *, labelled: bool = False) -> bool:
        """Whether a block isn't a teaser, a record of a list, a copyright line or another part about other pages.

        Behind the text, what stands beside it is only the article's if it is `labelled` in a block of its own.
        """
        element, is_beside = self.element(block), labelled or block <= (self.last_block or 0)
        owners = BY_HINTS if is_beside else BY_HINTS[:1]
        is_other = self.owners.of(element.node) not in owners or is_record(self.page, element.node)
        is_other = is_other or not self.scopes.are_about_page(element.node)
        return not (is_other or COPYRIGHT.search(self.texts[block]) or self.is_in_teaser(element))

    def is_in_article(self, block: int) -> bool:
        """Whether a block isn't a quotation, the caption of a figure or said about something else than the page."""
        node = self.element(block).node
        return self.owners.of(node) not in (Owner.FIGURE, Owner.QUOTATION) and self.scopes.are_about_page(node)

    def is_in_teaser(self, element: ElementView) -> bool:
        """Whether an element is next to a heading that links to another page, which isn't a profile."""
        link, url = linked_heading(element, self.owners.holders), self.page.url
        is_other = link and url and not is_profile(link)
        return bool(is_other) and host_and_path(self.absolute_url(link or ""))[1] != host_and_path(url)[1]

    def element(self, block: int) -> ElementView:
        blocks = self.page.blocks
        return blocks.element(blocks.element_list[block])

    def selected(self, key: str, *attributes: str) -> Iterator[str]:
        """What the site's selectors of a key find: the values of these attributes and `content`, then the text."""
        for found in self.page.selected(key):
            texts = [found] if isinstance(found, str) else [*map(found.get, (*attributes, "content")), text_of(found)]
            yield from filter(None, texts)

    def metas(self, *names: str) -> Iterator[str]:
        """What the `meta` elements of these names declare about the page, in the order of the names.

        A colon in a name is as good as a point, as in `dc:date` and `DC.date`.
        """
        contents, elements, spellings = self.meta.contents, self.meta.elements, self._spellings
        for name in filter(spellings.__contains__, _with_points(names)):
            for spelling in spellings[name]:
                for content, element in zip(contents[spelling], elements[spelling], strict=True):
                    if self.scopes.are_about_page(element):
                        yield content

    @cached_property
    def _spellings(self) -> dict[str, list[str]]:
        """The names of the `meta` elements by their spelling with points."""
        spellings: dict[str, list[str]] = {}
        for name in self.meta.contents:
            spellings.setdefault(name.replace(":", "."), []).append(name)
        return spellings

    def absolute_url(self, href: str) -> str | None:
        """A URL resolved against the page's base; None if it isn't an http(s) URL."""
        href = href.strip()
        return None if is_placeholder(href) or WITHOUT_HOST.match(href) else absolute_url(href, self.page.base)


@lru_cache(maxsize=256)
def _with_points(names: tuple[str, ...]) -> tuple[str, ...]:
    """The names of `meta` elements with points for their colons. Cached: each page is asked for the same ones."""
    return tuple(name.replace(":", ".") for name in names)


def is_sentence(text: str) -> bool:
    """Whether a block is running text: it ends like a sentence, and isn't short (or is in a script without spaces)."""
    return len(text) >= (60 if text.count(" ") * 12 > len(text) else 25) and ends_sentence(text[-20:])


def first_accepted(
    table: Sequence[Source], evidence: PageEvidence, accept: Callable[[Any, PageEvidence], Any]
) -> SourcedValue[Any] | None:
    """The first candidate, in the order of the table, that `accept` turns into a value."""
    for source in table:
        for candidate in source.read(evidence):
            if (value := accept(candidate, evidence)) is not None:
                return SourcedValue(value, source.name)
    return None
