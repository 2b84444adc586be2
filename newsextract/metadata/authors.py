"""Who wrote the article."""

import re
from collections.abc import Iterable, Iterator

from newsextract.metadata import bylines, han
from newsextract.metadata.bylines import HAN_NAME, Signed
from newsextract.metadata.evidence import WORD, Evidence, Found
from newsextract.metadata.markup_hints import Mark
from newsextract.metadata.names import MAX_NAMES, names, person, phrase, same_name, tidy
from newsextract.page.json_ld import types

METAS = (
    "author article:author parsely-author sailthru.author byl dcterms.creator dc.contributor"
    " cxenseparse:author article:author_name og:article:author authors article.author shareaholic:article_author_name"
    " itemprop:author articleauthor"
).split()
#: Sources that declare; where they name only the publisher, no stray word of the body is better.
DECLARED = ("json-ld", "meta")


def authors(evidence: Evidence) -> Found[list[str]] | None:
    """The first place that gives a person's full name; else the first that gives any name but the publisher's, which
    is the last resort; None where nobody signs."""
    is_han = (evidence.language or "").startswith("zh")
    spare: Found[list[str]] | None = None
    own: Found[list[str]] | None = None
    for signed in _places(evidence):
        if not signed.raws:
            continue
        if spare is not None and not signed.labelled:
            continue
        found = names(signed.raws, labelled=signed.labelled)
        if len(found) >= MAX_NAMES:
            evidence.note("authors", f"more than {MAX_NAMES} names", found[0])
        if is_han and not signed.labelled:
            found = [name for name in found if han.is_name(name, labelled=True)]
        if signed.source not in DECLARED:
            found = [name for name in found if not phrase(name) and not _is_common(name, evidence)]
        if signed.source in DECLARED and not found and any(same_name(raw, evidence.publisher) for raw in signed.raws):
            found = [tidy(evidence.publisher or "")]
        others = [name for name in found if not _is_publisher(name, evidence)]
        persons = others if signed.sure else [name for name in others if person(name)]
        raw = "; ".join(signed.raws)[:200]
        # In heads of Chinese pages `author` is mostly the portal; it counts only where the text names nobody.
        if persons and (signed.sure or not (signed.source == "meta" and HAN_NAME.search(persons[0]))):
            return _completed(Found(persons, signed.source, raw), evidence)
        if others and spare is None and (own is None or signed.source in DECLARED):
            spare = Found(others, signed.source, raw)
        if found and own is None:
            own = Found(found, signed.source, raw)
    return spare or own


def _completed(found: Found[list[str]], evidence: Evidence) -> Found[list[str]]:
    """The line below the headline that holds all these names and more: systems often declare the first author only."""
    for text in [] if HAN_NAME.search(found.value[0]) else [evidence.texts[i] for i in bylines.below(evidence)]:
        if len(text) < 200 and all(name in text for name in found.value):
            every = names([text])
            if len(every) > len(found.value) and found.value[0] in every[0] and all(map(person, every)):
                return Found(every, "text", text)
    return found


def _places(evidence: Evidence) -> Iterator[Signed]:
    is_han = (evidence.language or "").startswith("zh")
    yield from _json(evidence)
    yield from bylines.signed_han(evidence) if is_han else bylines.plain(evidence)
    yield from _metas(evidence, is_han)
    yield from _marked(evidence, STRONG)
    yield from bylines.near(evidence)
    yield from bylines.behind(evidence)
    yield from bylines.unlabelled_han(evidence) if is_han else bylines.bare(evidence)
    yield from _marked(evidence, WEAK)


def _metas(evidence: Evidence, is_han: bool) -> Iterator[Signed]:
    """What the head declares; on a Chinese page it is sure if a block near the headline is that name, too."""
    near = {evidence.texts[i] for i in evidence.near_headline} if is_han else set()
    yield Signed([_turned(raw) for raw in evidence.metas("citation_author", "citation_authors", "dc.creator")], "meta")
    for name in METAS:
        if raws := evidence.meta.all(name):
            yield Signed(raws, "meta", sure=raws[0] in near)
    if re.search(r"writ|author|by\b|verfasst|écrit|geschr", evidence.meta.get("twitter:label1") or "", re.I):
        yield Signed(evidence.meta.all("twitter:data1")[:1], "meta")


def _json(evidence: Evidence) -> Iterator[Signed]:
    for rank in (1, 2, 3):
        every: list[str] = []
        persons: list[str] = []
        for value in evidence.structured.values("author", "creator", ranks=(rank,)):
            is_thing = isinstance(value, dict)
            name = value.get("name") if is_thing else value
            for text in name if isinstance(name, list) else [name]:
                if isinstance(text, str) and text:
                    every.append(text)
                    persons += [] if is_thing and "Organization" in " ".join(types(value)) else [text]
        yield Signed(persons if any(map(person, names(persons))) else every, "json-ld")


#: Kinds of marks, how far from the head they count, and whether such a mark says that it holds a name; the second
#: table is read last.
STRONG = ((("rel-author", "author", "creator"), 250, True), (("author-class", "address", "profile"), 330, False))
WEAK = ((("profile",), 250, True), (("author-class", "address"), 120, True))


def _marked(evidence: Evidence, table: Iterable[tuple[tuple[str, ...], int, bool]]) -> Iterator[Signed]:
    """Elements that are marked as author, nearest first; of those beside the nearest all count."""
    marks = evidence.marks
    middle = evidence.element(evidence.chosen[len(evidence.chosen) // 2]) if evidence.chosen else None
    around = set() if middle is None else set(middle.iterancestors())
    for kinds, within, labelled in table:
        near = [mark for mark in marks.of(*kinds) if mark.distance <= within and mark.element not in around][:12]
        best: int | None = None
        together: list[str] = []
        for mark in near:
            line = mark.element.getparent()
            pieces = [] if line is not None and OTHERS_DID.match(line.text or "") else _pieces(mark)
            if not names(pieces, labelled=labelled):
                continue
            best = mark.distance if best is None else best
            if mark.distance - best > 8:
                break
            together += pieces
        yield Signed(together, "byline", labelled)


#: What is said of those who did something else than write.
OTHERS_DID = re.compile(
    r"\s*(?:(?:\w+ )?(?:reviewed|edited|fact.checked|photo\w*|illustrat\w*|researched|translated|updated)\b"
    r"|redaktion\s*:)",
    re.I,
)
#: A piece of more characters is no part of a byline: the mark is on the whole article, or on a biography.
PROSE = 70


def _pieces(mark: Mark) -> list[str]:
    """An element's texts one by one, up to where it speaks of others; of a long one (a biography) the first."""
    texts = [text for text in (tidy(node) for node in mark.strings(16)) if text]
    others = next((i for i, text in enumerate(texts) if OTHERS_DID.match(text)), len(texts))
    texts = texts[:others]
    prose = next((i for i, text in enumerate(texts) if len(text) > PROSE), len(texts))
    return texts[:prose][: 4 if sum(map(len, texts)) > 150 else None]


def _turned(name: str) -> str:
    """ "Smith, Anna B." as Anna B. Smith, as scholarly declarations write names."""
    last, comma, given = name.partition(",")
    return f"{given.strip()} {last.strip()}" if comma and "," not in given and len(given.split()) <= 3 else name


def _is_publisher(name: str, evidence: Evidence) -> bool:
    return same_name(name, evidence.publisher) or same_name(name, evidence.host)


def _is_common(name: str, evidence: Evidence) -> bool:
    """Whether the words of a name are no name's: "Personal Finance" on a page that speaks of personal finance."""
    return not HAN_NAME.search(name) and all(word.lower() in evidence.common_words for word in WORD.findall(name))
