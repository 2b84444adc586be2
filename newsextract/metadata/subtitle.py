"""The subtitle (dek, standfirst): the sentence between headline and text that the page marks as one.

Declared in JSON-LD, or a block below the headline whose class says so, or one that is the page's declared description,
or a sentence that is a heading or stands beside the headline. An opening paragraph in bold letters is text.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache, partial

from newsextract.metadata.bylines import BYLINE
from newsextract.metadata.evidence import HEADINGS, PageEvidence, SourcedValue, comparison_key
from newsextract.metadata.names import JOB, normalize_line

#: Words of a class that name a subtitle, in the languages of themes. Those of OPENING name an opening paragraph, too:
#: it is a subtitle only apart from the text's paragraphs, and not where a class around it names something else.
CLASS = re.compile(
    r"(?:^|[\s_-])(?:sub[-_]?(?:title|titulo|head(?:ing|line|er)?|hed|line)|dek|deck|stand-?first|strap-?line|unterzeile"
    r"|untertitel|sous-?titre|sottotitolo|ondertitel|bajada|copete|underrubrik|alternative?headline|(?:headline|title)-?sub"
    r"|second(?:ary)?-?(?:headline|title)|linha-?fina|entradilla|sommario|occhiello|zajawka|manchet|perex|chap[oô]|chapeau"
    r"|(?:article|headline|header|post|story|entry|news)[_-]{1,2}(?:desc(?:ription)?|summary|excerpt|lead|lede|intro|teaser)"
    r"|vorspann|ingress)(?:$|[\s_-])"
    r"|(?-i:[a-z](?:Sub[Tt]itle|Sub[Hh]ead(?:line|ing)?|Dek|Standfirst)(?:$|[\s_A-Z-]))",
    re.I,
)
OPENING = re.compile(
    r"(?:^|[\s_-])(?:lead|lede|leadtext|intro|introduction|teaser|description|tagline|olho|summary)(?:$|[\s_-])", re.I
)
OTHER_CLASS = re.compile(
    r"image|img|photo|picture|caption|video|author|related|recommend|newsletter|site|card|list|menu|nav|field|form|tool",
    re.I,
)
MARKING_ATTRIBUTES = ("class", "itemprop", "data-testid")
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
    r"|posted on|reading time|word count|min(?:ute)?s? read|translat|opinions?|disclosure"
    r"|more than \d+ (?:year|month))|©",
    re.I,
)
#: Spaces of a line between headline and byline, and its elements.
MIN_SPACES, STANDFIRST_TAGS = 4, HEADINGS | {"p", "div"}
#: The end of a description that was cut.
END = re.compile(r"\s*(?:\.\.\.|…|\[…\])$")
DATE = re.compile(r"\b\d{1,2}[./:]\d{1,2}\b|\b(?:19|20)\d\d\b")


def subtitle(evidence: PageEvidence, authors: list[str]) -> SourcedValue[str] | None:
    """The subtitle; None where nothing is marked as one, or where it is the headline again. `authors`: their names."""
    for source, read in SOURCES:
        for raw in read(evidence, authors):
            text = normalize_line(raw)
            if (key := comparison_key(text)) and not _is_title(key, evidence):
                return SourcedValue(text, source)
    return None


def _is_title(key: str, evidence: PageEvidence) -> bool:
    headline = comparison_key(evidence.headline)
    return headline.startswith(key) or key.endswith(headline or "-") or comparison_key(evidence.meta.title) == key


def _alternative_headline(evidence: PageEvidence, _: list[str]) -> Iterator[str]:
    return evidence.structured.texts("alternativeHeadline", ranks=(1,))


def _description(evidence: PageEvidence, _: list[str]) -> Iterator[str]:
    """The block around the headline, up to the second of the text, that is the declared description."""
    declared = [
        comparison_key(END.sub("", text))
        for text in (
            *evidence.metas("og:description", "description", "twitter:description"),
            *evidence.structured.texts("description", ranks=(1,)),
        )
        if SHORTEST <= len(text) <= LONGEST
    ]
    if evidence.headline_block is not None and declared:
        below = _rows_below(evidence)
        paragraphs = frozenset(evidence.body_blocks)
        for i in range(max(0, below.start - 3), below.stop):
            key = comparison_key(evidence.texts[i])
            if key in declared or (
                i not in paragraphs
                and len(key) > SENTENCE
                and any(key.startswith(text) or text.startswith(key) for text in declared if len(text) > SENTENCE)
            ):
                yield evidence.texts[i]


def _rows_below(evidence: PageEvidence) -> range:
    """The numbers of the blocks from the headline to the second one of the text, at least BLOCKS."""
    top = len(evidence.texts) if evidence.headline_block is None else evidence.headline_block
    body = [row for row in evidence.body_blocks if row > top][:2]
    return range(top + 1, min(max(top + BLOCKS, *body, 0) + 1, len(evidence.texts)))


def _blocks_below(
    accept: Callable[[PageEvidence, int], bool], evidence: PageEvidence, authors: list[str]
) -> Iterator[str]:
    """The accepted blocks between headline and first paragraph that are neither bylines nor dates."""
    body = frozenset(evidence.body_blocks)
    for row in _rows_below(evidence):
        text = evidence.texts[row]
        if accept(evidence, row) and not any(map(IN_TEXT.search, _classes(evidence, row))):
            is_byline = BYLINE.search(text) or (len(text) < PARAGRAPH and (DATE.search(text) or JOB.search(text)))
            is_other = is_byline or text.endswith(":") or text.startswith("(")
            if SHORTEST <= len(text) <= LONGEST and not is_other and not any(name in text for name in authors):
                yield text
        elif len(text) >= PARAGRAPH and row in body:
            return


def _is_marked(evidence: PageEvidence, row: int) -> bool:
    """Whether the class of a block, or of an element around it, is that of a subtitle; links are none."""
    return evidence.page.blocks.link_shares[row] <= MAX_LINKED and any(map(_names_subtitle, _classes(evidence, row)))


def _is_marked_opening(evidence: PageEvidence, row: int) -> bool:
    """Whether the class of a sentence is that of an opening paragraph, and it stands apart from the paragraphs."""
    text, classes = evidence.texts[row], list(_classes(evidence, row))
    own, *paragraphs = _parents(evidence, [row, *_paragraphs(evidence, row)])
    if own in paragraphs or len(text) < SENTENCE or NOTICE.search(text) or not classes:
        return False
    return OPENING.search(classes[0]) is not None and not any(map(OTHER_CLASS.search, classes))


def _is_before_byline(evidence: PageEvidence, row: int) -> bool:
    """Whether a block stands between the headline and a byline or date, and before the text."""
    text, top, following = evidence.texts[row], evidence.headline_block, evidence.texts[row + 1 : row + 2]
    if top is None or row > top + 1 or text.count(" ") < MIN_SPACES or NOTICE.search(text) or DATE.search(text):
        return False
    if evidence.page.blocks.link_shares[row] > MAX_LINKED or evidence.page.blocks.tags[row] not in STANDFIRST_TAGS:
        return False
    return any(len(other) < PARAGRAPH and (BYLINE.search(other) or DATE.search(other)) for other in following)


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
    own, beside, *others = _parents(evidence, [row, top, *_paragraphs(evidence, row)])
    is_beside = own == beside and beside not in others
    is_sentence = SENTENCE_END.search(text) is not None
    return (is_heading or is_beside) and (is_sentence or (is_heading and is_beside))


def _paragraphs(evidence: PageEvidence, row: int) -> list[int]:
    """The first blocks of the text without the headline and this one."""
    return [other for other in evidence.body_blocks[:BLOCKS] if other not in (row, evidence.headline_block)]


def _parents(evidence: PageEvidence, rows: list[int]) -> list[int]:
    """The numbers of the elements around those of the blocks."""
    blocks = evidence.page.blocks
    return [blocks.parent_list[blocks.owner_list[row]] for row in rows]


def _classes(evidence: PageEvidence, row: int) -> Iterator[str]:
    """The classes of a block's element and of those around it."""
    blocks = evidence.page.blocks
    element = blocks.owner_list[row]
    for _ in range(ELEMENTS):
        if element >= 0:
            node = blocks.nodes[element]
            if names := " ".join(filter(None, map(node.attr, MARKING_ATTRIBUTES))):
                yield names
            element = blocks.parent_list[element]


#: The sources in the order of trust: the name of each, and what yields its candidates.
SOURCES: tuple[tuple[str, Callable[[PageEvidence, list[str]], Iterator[str]]], ...] = (
    ("json-ld", _alternative_headline),
    ("class", partial(_blocks_below, _is_marked)),
    ("description", _description),
    ("position", partial(_blocks_below, _is_set_apart)),
    ("opening", partial(_blocks_below, _is_marked_opening)),
    ("position", partial(_blocks_below, _is_before_byline)),
)
