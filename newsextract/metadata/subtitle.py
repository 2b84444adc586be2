"""The subtitle (dek, standfirst): the sentence between headline and text that the page marks as one.

Declared in JSON-LD, or a block below the headline whose class says so, or one that is the page's declared description,
or a sentence that is a heading or stands beside the headline. An opening paragraph in bold letters is text.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from newsextract.metadata.bylines import BYLINE
from newsextract.metadata.evidence import HEADINGS, PageEvidence, Source, SourcedValue, comparison_key, first_accepted
from newsextract.metadata.names import normalize_line

#: Words of a class that name a subtitle, in the languages of themes.
CLASS = re.compile(
    r"(?:^|[\s_-])(?:sub-?(?:title|titulo|head(?:ing|line|er)?|hed|line)|dek|deck|stand-?first|strap-?line|unterzeile"
    r"|untertitel|sous-?titre|sottotitolo|ondertitel|bajada|copete|underrubrik|alternative?headline"
    r"|(?:article|headline|header|post|story|entry)[_-]{1,2}(?:desc(?:ription)?|summary|excerpt)|chapeau|vorspann"
    r"|ingress)(?:$|[\s_-])"
    r"|(?-i:[a-z](?:Sub[Tt]itle|Sub[Hh]ead(?:line|ing)?|Dek|Standfirst)(?:$|[\s_A-Z-]))",
    re.I,
)
#: Headings of this class are within the text.
IN_TEXT = re.compile(r"(?:^|\s)wp-block-heading(?:$|\s)")
#: Blocks behind the headline that are examined, and elements above each: a class may be on the block's container.
BLOCKS, ELEMENTS = 8, 3
#: Characters of a subtitle, and of a block that is the first paragraph, behind which none is searched for.
SHORTEST, LONGEST, PARAGRAPH = 20, 500, 60
#: Share of a block within links beyond which it is none of the page's own text.
MAX_LINKED = 0.5
#: Characters of a sentence that is set apart, its end, and words of notices that stand in its place.
SENTENCE, SENTENCE_END = 40, re.compile(r"[.。…][\"'”’»」]?$")
NOTICE = re.compile(
    r"\b(?:affiliate|commission|subscri|newsletter|cookie|sign (?:up|in)|log in|click|share|photo|image|copyright"
    r"|posted on|reading time|min(?:ute)?s? read|translat|opinions?|disclosure|more than \d+ (?:year|month))|©",
    re.I,
)
DATE = re.compile(r"\b\d{1,2}[./:]\d{1,2}\b|\b(?:19|20)\d\d\b")


def subtitle(evidence: PageEvidence, authors: list[str]) -> SourcedValue[str] | None:
    """The subtitle; None where nothing is marked as one, or where it is the headline again. `authors`: their names."""

    def accept(raw: str, evidence: PageEvidence) -> SourcedValue[str] | None:
        text = normalize_line(raw)
        key = comparison_key(text)
        is_title = comparison_key(evidence.headline).startswith(key) or comparison_key(evidence.meta.title) == key
        return SourcedValue(text, "", raw) if text and key and not is_title else None

    sources = (
        Source("json-ld", lambda evidence: evidence.structured.texts("alternativeHeadline", ranks=(1,))),
        Source("class", lambda evidence: _blocks_below(evidence, authors, _is_marked)),
        Source("position", lambda evidence: _blocks_below(evidence, authors, _is_set_apart)),
        Source("description", _description),
    )
    return first_accepted(sources, evidence, accept)


def _description(evidence: PageEvidence) -> Iterator[str]:
    """The block around the headline, up to the second of the text, that is the declared description."""
    declared = {
        comparison_key(text)
        for text in (
            *evidence.metas("og:description", "description", "twitter:description"),
            *evidence.structured.texts("description", ranks=(1,)),
        )
        if SHORTEST <= len(text) <= LONGEST
    }
    if evidence.headline_block is not None and declared:
        below = _rows_below(evidence)
        yield from (
            evidence.texts[i]
            for i in range(max(0, below.start - 3), below.stop)
            if comparison_key(evidence.texts[i]) in declared
        )


def _rows_below(evidence: PageEvidence) -> range:
    """The numbers of the blocks from the headline to the second one of the text, at least BLOCKS."""
    top = len(evidence.texts) if evidence.headline_block is None else evidence.headline_block
    body = [row for row in evidence.body_blocks if row > top][:2]
    return range(top + 1, min(max(top + BLOCKS, *body, 0) + 1, len(evidence.texts)))


def _blocks_below(
    evidence: PageEvidence, authors: list[str], accept: Callable[[PageEvidence, int], bool]
) -> Iterator[str]:
    """The accepted blocks between headline and first paragraph that are neither bylines nor dates."""
    body = frozenset(evidence.body_blocks)
    for row in _rows_below(evidence):
        text = evidence.texts[row]
        if accept(evidence, row) and not any(map(IN_TEXT.search, _classes(evidence, row))):
            is_byline = BYLINE.search(text) or text.endswith(":") or (DATE.search(text) and len(text) < PARAGRAPH)
            if SHORTEST <= len(text) <= LONGEST and not is_byline and not any(name in text for name in authors):
                yield text
        elif len(text) >= PARAGRAPH and row in body:
            return


def _is_marked(evidence: PageEvidence, row: int) -> bool:
    """Whether the class of a block, or of an element around it, is that of a subtitle; links are none."""
    return evidence.page.blocks.link_shares[row] <= MAX_LINKED and any(map(_names_subtitle, _classes(evidence, row)))


@lru_cache(maxsize=4_096)
def _names_subtitle(classes: str) -> bool:
    """Cached: the blocks of a page, and the pages of a site, have few classes around them."""
    return CLASS.search(classes) is not None


def _is_set_apart(evidence: PageEvidence, row: int) -> bool:
    """Whether a block is a sentence that is a heading, or stands beside the headline as no paragraph does."""
    blocks, text, top = evidence.page.blocks, evidence.texts[row], evidence.headline_block
    if len(text) < SENTENCE or NOTICE.search(text) or blocks.link_shares[row] > MAX_LINKED or top is None:
        return False
    is_heading = blocks.tags[row] in HEADINGS
    paragraphs = [other for other in evidence.body_blocks[:BLOCKS] if other not in (row, top)]
    own, beside, *others = blocks.parents[blocks.owners[[row, top, *paragraphs]]].tolist()
    is_beside = own == beside and beside not in others
    is_sentence = SENTENCE_END.search(text) is not None
    return (is_heading or is_beside) and (is_sentence or (is_heading and is_beside))


def _classes(evidence: PageEvidence, row: int) -> Iterator[str]:
    """The classes of a block's element and of those around it."""
    blocks = evidence.page.blocks
    element = blocks.owner_list[row]
    for _ in range(ELEMENTS):
        if element >= 0:
            if classes := blocks.element_classes[element]:
                yield classes
            element = blocks.parent_list[element]
