"""Who wrote the article."""

import re
from collections.abc import Iterator

from newsextract.metadata.evidence import Evidence, Found, Source
from newsextract.metadata.names import names

METAS = (
    "author article:author parsely-author sailthru.author byl dc.creator dcterms.creator dc.contributor citation_author"
    " cxenseparse:author article:author_name og:article:author authors article.author shareaholic:article_author_name"
    " itemprop:author twitter:data1"
).split()
#: A short block that says who wrote it.
BYLINE = re.compile(
    r"^\W*(?:written |posted |published |story |words |text )?(?:by|von|par|por|di|door|av|af|autor(?:in|en)?|author|text)\s*[:：]?\s+\S",
    re.I,
)
HAN_BYLINE = re.compile(
    r"(?:记者|記者|作者|撰文|通讯员|文\s*[/／|｜:：])\s*[:：/／|｜丨]?\s*((?:[\u3400-\u9fff·]{2,4}[、，\s]{0,2}){1,4})"
)


def _json(evidence: Evidence) -> Iterator[list[str]]:
    for ranks in ((1,), (2,), (3,)):
        yield list(evidence.structured.texts("author", "creator", ranks=ranks))


def _metas(evidence: Evidence) -> Iterator[list[str]]:
    for name in METAS:
        label = (evidence.meta.get("twitter:label1") or "").lower()
        if name != "twitter:data1" or "by" in label or "author" in label:
            yield evidence.meta.all(name)


def _marked(*kinds: str, within: int) -> Source:
    def read(evidence: Evidence) -> Iterator[list[str]]:
        marks = evidence.marks
        near = [mark for mark in marks.of(*kinds) if marks.distance(mark) <= within]
        if near:
            best = marks.distance(near[0])
            yield [mark.text for mark in near if marks.distance(mark) - best < 12 and len(mark.text) < 150]
            for mark in near[:6]:
                yield [mark.text] if len(mark.text) < 150 else []

    return Source(f"{kinds[0]}", read)


def _near(evidence: Evidence) -> Iterator[list[str]]:
    for i in evidence.near_headline:
        text = evidence.texts[i]
        if len(text) < 120 and BYLINE.match(text):
            yield [text]
    for i in (*evidence.near_headline, *list(evidence.chosen)[-3:]):
        if match := HAN_BYLINE.search(evidence.texts[i][:400]):
            yield [match[1]]


SOURCES = (
    Source("json-ld", _json),
    Source("meta", _metas),
    _marked("author", "creator", within=300),
    _marked("rel-author", within=200),
    _marked("author-class", "author", within=150),
    Source("text", _near),
)


def authors(evidence: Evidence) -> Found[list[str]] | None:
    """The names of the first source that holds any; an organisation's only if no later source names a person."""
    spare: Found[list[str]] | None = None
    for source in SOURCES:
        for raws in source.read(evidence):
            if found := names(raws, evidence.publisher):
                return Found(found, source.name, "; ".join(raws)[:200])
    return spare
