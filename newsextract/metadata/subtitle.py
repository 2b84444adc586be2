"""The subtitle (dek, standfirst): the sentence between headline and text that the page marks as one.

Declared in JSON-LD, or a block below the headline whose class says so, or one that is the page's declared description,
or a sentence that is a heading or stands beside the headline. An opening paragraph in bold letters is text.
"""

import re
from collections.abc import Iterator

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
        Source("class", lambda evidence: _set_apart(evidence, authors)),
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


def _set_apart(evidence: PageEvidence, authors: list[str]) -> Iterator[str]:
    """The blocks above the first paragraph whose class is that of a subtitle, or sentences that are headings or stand
    beside the headline."""
    blocks, rows, body = evidence.page.blocks, _rows_below(evidence), frozenset(evidence.body_blocks)
    parents = blocks.parents[blocks.owners]
    beside = {row for row in rows if parents[row] == parents[rows.start - 1]}
    beside = beside if len(beside & body) < 2 else set()
    for row in rows:
        text, element = evidence.texts[row], int(blocks.owners[row])
        is_heading = blocks.element_tags[element] in HEADINGS
        classes = []
        for _ in range(ELEMENTS):
            classes.append(blocks.element_classes[element] or "")
            element = int(blocks.parents[element])
            if element < 0:
                break
        is_sentence = SENTENCE_END.search(text) is not None or (row in beside and is_heading)
        is_apart = (is_heading or row in beside) and is_sentence and len(text) >= SENTENCE and not NOTICE.search(text)
        is_apart = is_apart and blocks.link_shares[row] < 0.5
        if (is_apart or any(map(CLASS.search, classes))) and not any(map(IN_TEXT.search, classes)):
            is_byline = BYLINE.search(text) or text.endswith(":") or (DATE.search(text) and len(text) < PARAGRAPH)
            if SHORTEST <= len(text) <= LONGEST and not is_byline and not any(name in text for name in authors):
                yield text
        elif len(text) >= PARAGRAPH and row in body:
            return
