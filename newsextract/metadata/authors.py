"""Who wrote the article."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from newsextract.metadata import han
from newsextract.metadata.evidence import WORD, Evidence, Found
from newsextract.metadata.marks import Mark
from newsextract.metadata.names import MAX_NAMES, names, person, same_name, tidy
from newsextract.page.jsonld import types

METAS = (
    "author article:author parsely-author sailthru.author byl dcterms.creator dc.contributor"
    " cxenseparse:author article:author_name og:article:author authors article.author shareaholic:article_author_name"
    " itemprop:author articleauthor"
).split()
#: Sources that declare; where they name only the publisher, no stray word of the body is better.
DECLARED = ("json-ld", "meta")
#: A short block that names who wrote it, and one that only says that the next block does.
BYLINE = re.compile(
    r"^\W*(?:(?:written|posted|published|story|words|text|article|created|authored) )?(?:by|von|par|por|di|door|av"
    r"|af)(?:\s*[:：]\s*|\s+)\S"
    r"|^\W*(?:autor(?:in|en)?|authors?|auteurs?|autore|text|tekst|автор)\s*[:：]\s*\S|\d\s+by\s+[A-Z]|^(?:published"
    r"|posted)\b.{5,40}\bby\s+[A-Z]",
    re.I,
)
PLAIN = re.compile(r"^\W*(?:(?:[Ww]ritten|[Aa]rticle|[Ss]tory|[Pp]osted|Words) )?(?:[Bb]y|BY)(?:\s*:\s*|\s+)[^\W\d_]")
LABEL_ONLY = re.compile(
    r"^\W*(?:(?:written|article|posted|story|words|text|published|authored) by|by|authors?(?:\(s\))?|von|par"
    r"|autor(?:in)?|auteur)\s*[:：]?\s*$",
    re.I,
)
#: A short block behind the text that says who wrote it.
SIGNED = re.compile(
    r"\W*(?:this (?:article|post|story) was )?(?:written|article|story|words|text|post(?:ed)?|published)"
    r" by(?:\s*[:：]\s*|\s+)\S|\W*(?:last )?(?:updated|published|posted)\b.{5,40}\bby\s+[A-Z]",
    re.I,
)
#: What stands beside a bare name that makes it a byline.
DATED = re.compile(r"\b(?:19|20)\d\d\b|\bmin(?:ute)?s?\b|\bago\b|\b\d{1,2}[./]\d{1,2}\b")
#: A block around the headline that is one or more bare names, perhaps with a job or a date behind a stroke.
BARE = re.compile(r"^[^\W\d_][^|•·:!?]{4,70}(?:\s*[|•·]\s*[^|•·]{3,40}){0,2}$")
#: "Name 2019-09-04 22:18" and the reverse, the line below the headline on many Chinese portals.
HAN_ACCOUNT = re.compile(
    r"^(?:原创\s+)?([\u3400-\u9fff\w]{2,12})\s+(?:19|20)\d\d(?:-\d|年|/\d)|^(?:19|20)\d\d-\d\d?-\d\d?\s*·\s*([\u3400-\u9fff\w]{2,12})$"
)
#: In heads of Chinese pages `author` is mostly the portal; it counts only where the text names nobody.
HAN_NAME = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")


class Signed(NamedTuple):
    """Strings that one place of the page gives as authors; `labelled` if the page says that they are."""

    raws: list[str]
    source: str
    labelled: bool = True


def authors(evidence: Evidence) -> Found[list[str]] | None:
    """The first place that gives a person's full name; else the first that gives any name but the publisher's, which
    is the last resort; None where nobody signs."""
    spare: Found[list[str]] | None = None
    own: Found[list[str]] | None = None
    for signed in _places(evidence):
        if spare is not None and not signed.labelled:
            continue
        found = names(signed.raws, labelled=signed.labelled)
        if len(found) >= MAX_NAMES:
            evidence.note("authors", f"more than {MAX_NAMES} names", found[0])
        if signed.source not in DECLARED:
            found = [name for name in found if not _is_common(name, evidence)]
        others = [name for name in found if not _is_publisher(name, evidence)]
        persons = [name for name in others if person(name)]
        raw = "; ".join(signed.raws)[:200]
        if persons and not (signed.source == "meta" and HAN_NAME.search(persons[0])):
            return Found(persons, signed.source, raw)
        if others and spare is None and (own is None or signed.source in DECLARED):
            spare = Found(others, signed.source, raw)
        if found and own is None:
            own = Found(found, signed.source, raw)
    return spare or own


def _places(evidence: Evidence) -> Iterator[Signed]:
    han = (evidence.language or "").startswith("zh")
    yield from _json(evidence)
    yield from _han(evidence) if han else _byline(evidence)
    yield from _metas(evidence)
    yield from _marked(evidence, STRONG)
    yield from _near(evidence)
    yield from _behind(evidence)
    yield from _han_unlabelled(evidence) if han else _bare(evidence)
    yield from _marked(evidence, WEAK)


def _metas(evidence: Evidence) -> Iterator[Signed]:
    yield Signed([_turned(raw) for raw in evidence.metas("citation_author", "dc.creator")], "meta")
    for name in METAS:
        yield Signed(evidence.meta.all(name), "meta")
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
    for kinds, within, labelled in table:
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


def _byline(evidence: Evidence) -> Iterator[Signed]:
    """A block below the headline that is "By", names and nothing else: what readers see is better than what a
    publishing system declares of whoever typed it in."""
    texts = evidence.texts
    below = _below(evidence)
    for i in range(min(below.start, evidence.near_headline.start), below.stop):
        text = texts[i]
        if LABEL_ONLY.match(text) and i + 1 < len(texts):
            text = f"{text} {texts[i + 1]}"
        if len(text) < 100 and PLAIN.match(text):
            found = names([text])
            if all(map(person, found)):
                yield Signed(found, "text")


def _near(evidence: Evidence) -> Iterator[Signed]:
    """Blocks around the headline: with a byline, behind a label, then a bare name beside a date."""
    texts, near = evidence.texts, evidence.near_headline
    for i in near:
        text = texts[i]
        if len(text) < 120 and BYLINE.search(text):
            yield Signed([re.sub(r"^.*?(?=\bby\s)", "", text, flags=re.I)], "text")
        elif LABEL_ONLY.match(text) and i + 1 < len(texts) and len(texts[i + 1]) < 100:
            yield Signed([texts[i + 1]], "text")


def _behind(evidence: Evidence) -> Iterator[Signed]:
    """Blocks at the article's end that say who wrote it."""
    texts = _end(evidence)
    for i, text in enumerate(texts):
        if len(text) < 120 and SIGNED.match(text):
            yield Signed([text], "text")
        elif LABEL_ONLY.match(text) and len(text) > 4 and i + 1 < len(texts) and len(texts[i + 1]) < 60:
            yield Signed([texts[i + 1]], "text", False)


def _bare(evidence: Evidence) -> Iterator[Signed]:
    """Names without a label below the headline: beside a date or a job, or named again where the text has ended."""
    texts = evidence.texts
    last = evidence.chosen[-1] if evidence.chosen else len(texts)
    for i in _below(evidence):
        text = texts[i]
        if not BARE.match(text) or evidence.marks.elsewhere(evidence.element(i)) > 1:
            continue
        raw = re.split(r"\s*[|•·]\s*", text)[0]
        persons = names([raw], labelled=False)
        around = f"{texts[i - 1] if i else ''}\n{text[len(raw) :]}\n{texts[i + 1] if i + 1 < len(texts) else ''}"
        seen = (
            len(persons) > 1
            or DATED.search(around)
            or (persons and any(persons[0] in one for one in texts[max(i + 1, last - 2) : last + 12]))
        )
        if persons and seen and not HAN_NAME.search(raw):
            yield Signed(persons, "text", False)


def _han(evidence: Evidence) -> Iterator[Signed]:
    texts = evidence.texts
    short = (i for i in evidence.chosen[4:20] if len(texts[i]) < han.SHORT)
    places = sorted({*evidence.near_headline, *evidence.chosen[:4], *short})
    for found in han.signed([*(texts[i] for i in places), *_end(evidence)]):
        yield Signed(found, "text")


def _han_unlabelled(evidence: Evidence) -> Iterator[Signed]:
    last = evidence.texts[evidence.chosen[-1]] if evidence.chosen else ""
    for found in (*han.bare([evidence.texts[i] for i in _below(evidence)], last), *han.edited(_end(evidence))):
        yield Signed(found, "text")
    for i in evidence.near_headline:
        if match := HAN_ACCOUNT.search(evidence.texts[i][:80]):
            yield Signed([match[1] or match[2]], "text")


def _below(evidence: Evidence) -> range:
    """The blocks right below the headline, to the second of the text."""
    first = evidence.chosen[0] if evidence.chosen else 0
    top = evidence.headline_block
    start = top + 1 if top is not None and top < first else max(0, first - 3)
    return range(start, min(len(evidence.texts), start + 12, first + 3))


def _end(evidence: Evidence) -> list[str]:
    """The last blocks of the text and those behind it."""
    if not evidence.chosen:
        return []
    last = evidence.chosen[-1]
    return list(evidence.texts[max(0, last - 9) : last + 12])


def _turned(name: str) -> str:
    """ "Smith, Anna B." as Anna B. Smith, as scholarly declarations write names."""
    last, comma, given = name.partition(",")
    return f"{given.strip()} {last.strip()}" if comma and "," not in given and len(given.split()) <= 3 else name


def _is_publisher(name: str, evidence: Evidence) -> bool:
    return same_name(name, evidence.publisher) or same_name(name, evidence.host)


def _is_common(name: str, evidence: Evidence) -> bool:
    """Whether the words of a name are no name's: "Personal Finance" on a page that speaks of personal finance."""
    return not HAN_NAME.search(name) and all(word.lower() in evidence.common_words for word in WORD.findall(name))
