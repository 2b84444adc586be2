"""The subtitle (dek, standfirst): the sentence between headline and text that the page marks as one.

Declared in JSON-LD, or a block below the headline with a suitable class, or one that is the declared description, or a
sentence that is a heading or next to the headline. An opening paragraph in bold letters is text.
"""

import re
from collections.abc import Callable, Iterator
from itertools import islice

from newsextract.language import words
from newsextract.language.names import JOB, normalize_line
from newsextract.language.sentences import FULL_STOPS, ends_sentence
from newsextract.limits import MOST
from newsextract.metadata.bylines import is_byline
from newsextract.metadata.evidence import HEADINGS, NEAR_BLOCKS, PageEvidence, SourcedValue
from newsextract.page.class_names import BITS, mask_of
from newsextract.text import MAX_LABEL, MAX_SUMMARY, SHORT_LINE, comparison_key

#: Classes of a subtitle; those of OPENING also name an opening paragraph: it is a subtitle only apart from the text's
#: paragraphs, and not if a class around it names something else.
SUBTITLE, OPENING, OTHER = BITS["subtitles"].values()
MARKING_ATTRIBUTES = ("class", "itemprop", "data-testid")
#: Headings with this class are within the text.
IN_TEXT = "wp-block-heading"
#: Elements above a block that are examined: a class may be on its container.
ELEMENTS = 3
#: Minimum characters of a subtitle.
SHORTEST = 20
#: Words of notices in the place of a subtitle.
NOTICE = words.pattern("notice")
#: Minimum spaces of a line between headline and byline, and its elements.
MIN_SPACES = 4
STANDFIRST_TAGS = HEADINGS | {"p", "div"}
DATE = re.compile(r"\b\d{1,2}[./:]\d{1,2}\b|\b(?:19|20)\d\d\b")


def subtitle(evidence: PageEvidence, authors: list[str]) -> SourcedValue[str] | None:
    """The subtitle; None if nothing is marked as one, or if it repeats the headline. `authors`: their names."""
    below = _BelowHeadline(evidence, authors)
    for source, raws in (
        ("json-ld", evidence.structured.texts("alternativeHeadline", ranks=(1,))),
        ("class", below.sentences(below.is_marked)),
        ("description", below.descriptions()),
        ("position", below.sentences(below.is_set_apart)),
        ("opening", below.sentences(below.is_marked_opening)),
        ("position", below.sentences(below.is_before_byline)),
    ):
        for raw in raws:
            text = normalize_line(raw)
            if (key := comparison_key(text)) and not _is_title(key, evidence):
                return SourcedValue(text, source)
    return None


def _is_title(key: str, evidence: PageEvidence) -> bool:
    headline = comparison_key(evidence.headline)
    return headline.startswith(key) or key.endswith(headline or "-") or comparison_key(evidence.meta.title) == key


class _BelowHeadline:
    """The blocks from the headline to the second one of the text, at least NEAR_BLOCKS; `rows`: their numbers."""

    def __init__(self, evidence: PageEvidence, authors: list[str]) -> None:
        self.authors = authors
        self.evidence, self.texts, self.blocks = evidence, evidence.texts, evidence.page.blocks
        self.top, self.body = evidence.headline_block, frozenset(evidence.body_blocks)
        start = len(self.texts) if self.top is None else self.top
        body = islice((row for row in evidence.body_blocks if row > start), 2)
        self.rows = range(start + 1, min(max(start + NEAR_BLOCKS, *body, 0) + 1, len(self.texts)))
        #: The first blocks of the text without the headline.
        self.paragraphs = [row for row in evidence.body_blocks[:NEAR_BLOCKS] if row != self.top]

    def descriptions(self) -> Iterator[str]:
        """The blocks, and the last ones above them, that are the declared description."""
        if self.top is None:
            return
        metas = self.evidence.metas("og:description", "description", "twitter:description")
        texts = {*metas, *self.evidence.structured.texts("description", ranks=(1,))}
        declared = {comparison_key(text) for text in texts if SHORTEST <= len(text) <= MAX_SUMMARY}
        long = [text for text in declared if len(text) > MAX_LABEL]
        for row in range(max(0, self.rows.start - 3), self.rows.stop) if declared else ():
            key = comparison_key(self.texts[row])
            is_longer = row not in self.body and len(key) > MAX_LABEL
            if key in declared or (is_longer and any(key.startswith(text) or text.startswith(key) for text in long)):
                yield self.texts[row]

    def sentences(self, accept: Callable[[int], bool]) -> Iterator[str]:
        """The accepted blocks up to the first paragraph, without bylines and dates."""
        for row in self.rows:
            text = self.texts[row]
            if len(text) < SHORTEST:
                continue
            if accept(row) and not any(IN_TEXT in names.split() for names in self.classes(row)):
                is_of_byline = is_byline(text) or (len(text) < SHORT_LINE and (DATE.search(text) or JOB.search(text)))
                is_other = is_of_byline or text.endswith(":") or text.startswith("(")
                if len(text) <= MAX_SUMMARY and not is_other and not any(name in text for name in self.authors):
                    yield text
            elif len(text) >= SHORT_LINE and row in self.body:
                return

    def is_marked(self, row: int) -> bool:
        """Whether a block is grouped with the heading, or a class of it or around it is a subtitle's; links aren't."""
        is_grouped = self.blocks.element_tags[self._parent(row)] == "hgroup"
        return self.blocks.link_shares[row] <= MOST and (
            is_grouped or any(mask_of(name) & SUBTITLE for name in self.classes(row))
        )

    def is_set_apart(self, row: int) -> bool:
        """Whether a block is a sentence that is a heading, or is next to the headline, apart from the paragraphs."""
        text, top = self.texts[row], self.top
        if len(text) < MAX_LABEL or top is None:
            return False
        is_heading, own = self.blocks.tags[row] in HEADINGS, self._parent(row)
        is_beside = own == self._parent(top) and not self._is_among_paragraphs(row)
        signs = is_heading + is_beside + ends_sentence(text, FULL_STOPS)
        return signs >= 2 and self.blocks.link_shares[row] <= MOST and not NOTICE.search(text)

    def is_marked_opening(self, row: int) -> bool:
        """Whether the class of a sentence is an opening paragraph's, and it is apart from the paragraphs."""
        text, classes = self.texts[row], self.classes(row)
        if len(text) < MAX_LABEL or not classes or not mask_of(classes[0]) & OPENING or self._is_among_paragraphs(row):
            return False
        return not any(mask_of(name) & OTHER for name in classes) and not NOTICE.search(text)

    def is_before_byline(self, row: int) -> bool:
        """Whether a block is between the headline and a byline or date, and before the text."""
        text, following = self.texts[row], self.texts[row + 1 : row + 2]
        if self.top is None or text.count(" ") < MIN_SPACES:
            return False
        if not all(map(self._is_of_byline, self.texts[self.top + 1 : row])):
            return False
        if self.blocks.link_shares[row] > MOST or self.blocks.tags[row] not in STANDFIRST_TAGS:
            return False
        return any(map(self._is_of_byline, following)) and not (NOTICE.search(text) or DATE.search(text))

    def _is_of_byline(self, text: str) -> bool:
        """Whether a short block is a byline, a date, or an author's name."""
        return len(text) < SHORT_LINE and (is_byline(text) or DATE.search(text) is not None or text in self.authors)

    def _is_among_paragraphs(self, row: int) -> bool:
        """Whether the block's element contains other paragraphs of the text."""
        own = self._parent(row)
        return any(self._parent(other) == own for other in self.paragraphs if other != row)

    def _parent(self, row: int) -> int:
        """The number of the element around that of a block."""
        return self.blocks.parent_list[self.blocks.element_list[row]]

    def classes(self, row: int) -> list[str]:
        """The classes of a block's element and of those around it."""
        names, element = [], self.blocks.element_list[row]
        for _ in range(ELEMENTS):
            if element >= 0:
                if of_element := " ".join(filter(None, map(self.blocks.nodes[element].attr, MARKING_ATTRIBUTES))):
                    names.append(of_element)
                element = self.blocks.parent_list[element]
        return names
