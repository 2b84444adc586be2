"""Who wrote the article."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from newsextract.metadata.evidence import Evidence, Found
from newsextract.metadata.marks import Mark
from newsextract.metadata.names import names, person, same_name, tidy
from newsextract.page.jsonld import types

METAS = (
    "author article:author parsely-author sailthru.author byl dcterms.creator dc.contributor"
    " cxenseparse:author article:author_name og:article:author authors article.author shareaholic:article_author_name"
    " itemprop:author"
).split()
#: A short block that names who wrote it, and one that only says that the next block does.
BYLINE = re.compile(
    r"^\W*(?:(?:written|posted|published|story|words|text|article|created|authored) )?(?:by|von|par|por|di|door|av"
    r"|af)\s*[:：]?\s+\S"
    r"|^\W*(?:autor(?:in|en)?|authors?|auteurs?|autore|text|tekst|автор)\s*[:：]\s*\S|\d\s+by\s+[A-Z]|^(?:published"
    r"|posted)\b.{5,40}\bby\s+[A-Z]",
    re.I,
)
LABEL_ONLY = re.compile(
    r"^\W*(?:(?:written|article|posted|story|words|text|published|authored) by|by|authors?(?:\(s\))?|von|par"
    r"|autor(?:in)?|auteur)\s*[:：]?\s*$",
    re.I,
)
HAN_BYLINE = re.compile(
    r"(?:记者|記者|作者|撰文|通讯员|特约评论员)\s*[:：/／|｜丨]?\s*((?:[\u3400-\u9fff]{2,3}(?![\u3400-\u9fff])[、，,\s]{0,2}){1,4}"
    r"|[A-Za-z][\w .]{2,20})"
    r"|(?:记者|作者)\s*([\u3400-\u9fff]{2,3})\s*(?:/?文|报道|发自|摄|整合|综合)|文\s*[/／|｜丨]\s*([\u3400-\u9fff]{2,4})"
)
#: In heads of Chinese pages `author` is mostly the portal; it counts only where the text names nobody.
HAN_NAME = re.compile(r"[\u3400-\u9fff]")
HAN_EDITOR = re.compile(r"(?:责任编辑|責任編輯|责编|编辑|編輯)\s*[:：]\s*((?:[\u3400-\u9fff]{2,4}[、，,\s]{0,2}){1,3})")
#: "Name 2019-09-04 22:18", the line below the headline on many Chinese portals.
HAN_SIGNED = re.compile(r"(?:原创\s+)?([\u3400-\u9fff\w]{2,12})\s+(?:19|20)\d\d(?:-\d|年|/\d)")


class Signed(NamedTuple):
    """Strings that one place of the page gives as authors; `labelled` if the page says that they are."""

    raws: list[str]
    source: str
    labelled: bool = True


def authors(evidence: Evidence) -> Found[list[str]] | None:
    """The first place that gives a person's full name; else the first that gives any name; None where nobody signs."""
    spare: Found[list[str]] | None = None
    for signed in _places(evidence):
        if spare is not None and not signed.labelled and not _is_publisher(spare.value[0], evidence):
            continue
        found = names(signed.raws, labelled=signed.labelled)
        persons = [name for name in found if person(name) and not _is_publisher(name, evidence)]
        raw = "; ".join(signed.raws)[:200]
        if persons and not (signed.source == "meta" and HAN_NAME.search(persons[0])):
            return Found(persons, signed.source, raw)
        if found and spare is None:
            spare = Found(found, signed.source, raw)
    return spare


def _places(evidence: Evidence) -> Iterator[Signed]:
    yield from _json(evidence)
    yield Signed([_turned(raw) for raw in evidence.metas("citation_author", "dc.creator")], "meta")
    for name in METAS:
        yield Signed(evidence.meta.all(name), "meta")
    if re.search(r"writ|author|by\b|verfasst|écrit|geschr", evidence.meta.get("twitter:label1") or "", re.I):
        yield Signed(evidence.meta.all("twitter:data1")[:1], "meta")
    yield from _marked(evidence)
    yield from _near(evidence)
    yield from _behind(evidence)


def _json(evidence: Evidence) -> Iterator[Signed]:
    for ranks in ((1,), (2,), (3,)):
        persons: list[str] = []
        others: list[str] = []
        for value in evidence.structured.values("author", "creator", ranks=ranks):
            name = value.get("name") if isinstance(value, dict) else value
            for text in name if isinstance(name, list) else [name]:
                if isinstance(text, str) and text:
                    is_organisation = isinstance(value, dict) and "Organization" in " ".join(types(value))
                    (others if is_organisation else persons).append(text)
        yield Signed(persons, "json-ld")
        yield Signed(others, "json-ld")


def _marked(evidence: Evidence) -> Iterator[Signed]:
    """Elements that are marked as author, nearest first; of those beside the nearest all count."""
    marks = evidence.marks
    for kinds, within, labelled in (
        (("rel-author", "author", "creator"), 250, True),
        (("author-class", "address", "profile"), 330, False),
        (("profile",), 250, True),
        (("author-class", "address"), 120, True),
    ):
        near = [mark for mark in marks.of(*kinds) if mark.distance <= within][:12]
        best: int | None = None
        together: list[str] = []
        for mark in near:
            pieces = _pieces(mark)
            if not names(pieces, labelled=labelled):
                continue
            best = mark.distance if best is None else best
            if mark.distance - best > 8:
                break
            together += pieces
        yield Signed(together, "byline", labelled)


def _pieces(mark: Mark) -> list[str]:
    """An element's texts one by one, up to where it speaks of others; of a long one (a biography) the first."""
    texts = [text for text in (tidy(node) for node in mark.strings(16)) if text]
    for i, text in enumerate(texts):
        if re.match(
            r"(?:\w+ )?(?:reviewed|edited|fact.checked|photo\w*|illustrat\w*|researched|translated|updated)\b",
            text,
            re.I,
        ):
            texts = texts[:i]
            break
    return texts[:4] if sum(map(len, texts)) > 150 else texts


def _near(evidence: Evidence) -> Iterator[Signed]:
    """Blocks around the headline: with a byline, behind a label, then a bare name beside a date."""
    texts, near = evidence.texts, evidence.near_headline
    for i in near:
        text = texts[i]
        if len(text) < 120 and BYLINE.search(text):
            yield Signed([re.sub(r"^.*?(?=\bby\s)", "", text, flags=re.I)], "text")
        elif LABEL_ONLY.match(text) and i + 1 < len(texts) and len(texts[i + 1]) < 100:
            yield Signed([texts[i + 1]], "text")
    for i in near:
        if match := HAN_BYLINE.search(texts[i][:300]):
            yield Signed([match[1] or match[2] or match[3]], "text")
    for i in near:
        if match := HAN_SIGNED.match(texts[i][:80]):
            yield Signed([match[1]], "text")


def _behind(evidence: Evidence) -> Iterator[Signed]:
    """Blocks at the article's end that say who wrote it."""
    if not evidence.chosen:
        return
    last = evidence.chosen[-1]
    texts = evidence.texts[max(0, last - 2) : last + 12]
    for i, text in enumerate(texts):
        if len(text) < 80 and re.match(r"\W*(?:written|article|story|words|text|post(?:ed)?) by\s+\S", text, re.I):
            yield Signed([text], "text")
        elif LABEL_ONLY.match(text) and len(text) > 4 and i + 1 < len(texts) and len(texts[i + 1]) < 60:
            yield Signed([texts[i + 1]], "text", False)
        elif match := (HAN_BYLINE.search(text[-60:]) or HAN_EDITOR.search(text[-60:])):
            yield Signed([match[1] or ""], "text")


def _turned(name: str) -> str:
    """ "Smith, Anna B." as Anna B. Smith, as scholarly declarations write names."""
    last, comma, given = name.partition(",")
    return f"{given.strip()} {last.strip()}" if comma and "," not in given and len(given.split()) <= 3 else name


def _is_publisher(name: str, evidence: Evidence) -> bool:
    return same_name(name, evidence.publisher) or same_name(name, evidence.host)
