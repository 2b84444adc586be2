"""The subtitle (dek, standfirst): the sentence between headline and text that the page marks as one.

Declared in JSON-LD, or a block below the headline whose class says so, or one that is the page's declared description
and no paragraph of the text by its markup. An opening paragraph in bold letters is text.
"""

import re
from collections.abc import Iterator

from newsextract.metadata.bylines import BYLINE
from newsextract.metadata.evidence import PageEvidence, Source, SourcedValue, comparison_key, first_accepted
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
        Source("class", lambda evidence: _marked(evidence, authors)),
        Source("description", _description),
    )
    return first_accepted(sources, evidence, accept)


def _description(evidence: PageEvidence) -> Iterator[str]:
    """The block around the headline that is the declared description, unless its markup is that of the paragraphs."""
    declared = {
        comparison_key(text)
        for text in (
            *evidence.metas("og:description", "description", "twitter:description"),
            *evidence.structured.texts("description", ranks=(1,)),
        )
        if SHORTEST <= len(text) <= LONGEST
    }
    top = evidence.headline_block
    if top is None or not declared:
        return
    paragraphs = [row for row in evidence.body_blocks if row > top and len(evidence.texts[row]) >= PARAGRAPH]
    for row in range(max(0, top - 2), min(top + 1 + BLOCKS, len(evidence.texts))):
        if comparison_key(evidence.texts[row]) in declared:
            others = {_markup(evidence, other) for other in paragraphs if other != row}
            if others and _markup(evidence, row) not in others:
                yield evidence.texts[row]


def _markup(evidence: PageEvidence, row: int) -> tuple[int, str | None]:
    """What paragraphs of one text have in common: the element around them and their class."""
    blocks = evidence.page.blocks
    owner = int(blocks.owners[row])
    return int(blocks.parents[owner]), blocks.element_classes[owner]


def _marked(evidence: PageEvidence, authors: list[str]) -> Iterator[str]:
    """The blocks below the headline whose class is that of a subtitle."""
    top = evidence.headline_block
    if top is None:
        return
    blocks, texts = evidence.page.blocks, evidence.texts
    for row in range(top + 1, min(top + 1 + BLOCKS, len(texts))):
        text = texts[row]
        element, classes = int(blocks.owners[row]), []
        for _ in range(ELEMENTS):
            classes.append(blocks.element_classes[element] or "")
            element = int(blocks.parents[element])
            if element < 0:
                break
        is_byline = BYLINE.search(text) or text.endswith(":") or (DATE.search(text) and len(text) < PARAGRAPH)
        if any(CLASS.search(name) for name in classes) and not any(map(IN_TEXT.search, classes)):
            if SHORTEST <= len(text) <= LONGEST and not is_byline and not any(name in text for name in authors):
                yield text
        elif len(text) >= PARAGRAPH:
            return
