"""Bylines that a page's text has: lines around the headline and behind the article that say who wrote it.

Each function gives the strings of one kind of place; which of them are names and which place counts is the business of
`names` and `authors`.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from newsextract.metadata import han
from newsextract.metadata.evidence import Evidence
from newsextract.metadata.names import names, person

#: A short block that names who wrote it, and one that only says that the next block does.
BYLINE = re.compile(
    r"^\W*(?:(?:this (?:article|post|story) (?:was |is )?)?(?:written|posted|published|story|words|text|article|created"
    r"|authored) )?(?:by|von|par|por|di|door|av|af)(?:\s*[:：]\s*|\s+)\S"
    r"|^\W*(?:autor(?:in|en)?|authors?|auteurs?|autore|text|tekst|автор|contributors?)\s*[:：]\s*\S"
    r"|[\d|•·]\s+by\s+[A-Z]|^(?:published|posted)\b.{5,40}\bby\s+[A-Z]|^(?-i:By(?=[A-Z][a-z]))",
    re.I,
)
PLAIN = re.compile(
    r"^\W*(?:(?:[Ww]ritten|[Aa]rticle|[Ss]tory|[Pp]osted|Words) )?(?:(?:[Bb]y|BY)(?:\s*:\s*|\s+)[^\W\d_]"
    r"|By(?=[A-Z][a-z]))"
)
LABEL_ONLY = re.compile(
    r"^\W*(?:(?:(?:this )?(?:article|post|story) )?(?:written|article|posted|story|words|text|published|authored) by|by"
    r"|authors?(?:\(s\))?|von|par|autor(?:in)?|auteur)\s*[:：]?\s*$",
    re.I,
)
LONGEST_LABEL = 40
#: A label of more than one.
SEVERAL = re.compile(r"authors|\(s\)", re.I)
#: A short block behind the text that says who wrote it.
SIGNED = re.compile(
    r"\W*(?:(?:this )?(?:article|post|story|recipe) (?:was |is )?(?:originally )?)?(?:written|article|story|words|text"
    r"|post(?:ed)?|published) by(?:\s*[:：]\s*|\s+)\S|\W*authors?\s*[:：]\s*\S"
    r"|\W*(?:last )?(?:updated|published|posted)\b.{5,40}\bby\s+[A-Z]",
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
HAN_NAME = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
#: Last blocks of the text that may sign it, and blocks behind in which a signature is looked for, and a label alone.
BEFORE, SIGNATURE, LABEL = 9, 12, 40


class Signed(NamedTuple):
    """Strings that one place of the page gives as authors; `labelled` if the page says that they are, `sure` if a name
    there counts though it is no full one: no other place is better."""

    raws: list[str]
    source: str
    labelled: bool = True
    sure: bool = False


def plain(evidence: Evidence) -> Iterator[Signed]:
    """A block below the headline that is "By", names and nothing else: what readers see is better than what a
    publishing system declares of whoever typed it in."""
    texts = evidence.texts
    head, top = below(evidence), evidence.headline_block
    right_below = range(0) if top is None else range(top + 1, top + 3)
    for i in range(min(head.start, evidence.near_headline.start), head.stop):
        text = texts[i]
        if _is_label(text) and i + 1 < len(texts):
            text = f"{text} {texts[i + 1]}"
        if len(text) < 100 and PLAIN.match(text):
            found = names([text])
            single = len(found) == 1 and " " not in found[0] and i in right_below
            if single or all(map(person, found)):
                yield Signed(found, "text", sure=single)


def near(evidence: Evidence) -> Iterator[Signed]:
    """Blocks around the headline that begin with a label of authors, or follow one."""
    texts = evidence.texts
    for i in evidence.near_headline:
        text = texts[i]
        if len(text) < 120 and BYLINE.search(text):
            yield Signed([re.sub(r"^.*?(?=\bby\s)", "", text, flags=re.I)], "text")
        elif _is_label(text) and i + 1 < len(texts) and len(texts[i + 1]) < 100:
            yield Signed(_listed(texts, i) or [texts[i + 1]], "text")


def behind(evidence: Evidence) -> Iterator[Signed]:
    """Blocks at the article's end that say who wrote it."""
    texts = _end(evidence, LABEL)
    for i, text in enumerate(texts):
        if i < BEFORE + SIGNATURE and len(text) < 120 and SIGNED.match(text):
            yield Signed([text], "text")
        elif _is_label(text) and len(text) > 4:
            persons = _listed(texts, i)
            yield Signed(persons or list(texts[i + 1 : i + 2]), "text", bool(persons))


def _listed(texts: Sequence[str], label: int) -> list[str]:
    """The persons right behind a label, one a block: one, or more where it says that there are."""
    most = 8 if SEVERAL.search(texts[label]) else 1
    return list(takewhile(_is_one_person, texts[label + 1 : label + 1 + most]))


def _is_label(text: str) -> bool:
    return len(text) <= LONGEST_LABEL and LABEL_ONLY.match(text) is not None


def _is_one_person(text: str) -> bool:
    return len(text) < 60 and len(names([text], labelled=False)) == 1


def bare(evidence: Evidence) -> Iterator[Signed]:
    """Names without a label below the headline: beside a date or a job, or named again where the text has ended."""
    texts = evidence.texts
    last = evidence.chosen[-1] if evidence.chosen else len(texts)
    for i in below(evidence):
        text = texts[i]
        raw, *rest = re.split(r"\s*[|•·]\s*", text[:200], maxsplit=3)
        if rest and DATED.search(raw):
            raw, text = rest[0], f"{rest[0]} {raw}"
        if not BARE.match(text) or evidence.marks.elsewhere(evidence.element(i)) > 1:
            continue
        persons = names([raw], labelled=False)
        around = f"{texts[i - 1] if i else ''}\n{text[len(raw) :]}\n{texts[i + 1] if i + 1 < len(texts) else ''}"
        seen = (
            len(persons) > 1
            or DATED.search(around)
            or (persons and any(persons[0] in one != raw for one in texts[max(i + 1, last - 2) : last + 12]))
        )
        if persons and seen and not HAN_NAME.search(raw):
            yield Signed(persons, "text", False)


def signed_han(evidence: Evidence) -> Iterator[Signed]:
    """Who signs as reporter or author of a Chinese page, at the article's two ends and in its short blocks."""
    texts = evidence.texts
    short = (i for i in evidence.chosen[4:20] if len(texts[i]) < han.SHORT)
    places = sorted({*evidence.near_headline, *evidence.chosen[:4], *short})
    for found in han.signed([*(texts[i] for i in places), *_end(evidence)]):
        yield Signed(found, "text")


def unlabelled_han(evidence: Evidence) -> Iterator[Signed]:
    """Names without a label on a Chinese page, then its editors, then the account that published it."""
    last = evidence.texts[evidence.chosen[-1]] if evidence.chosen else ""
    for found in (*han.bare([evidence.texts[i] for i in below(evidence)], last), *han.edited(_end(evidence))):
        yield Signed(found, "text")
    for i in evidence.near_headline:
        if match := HAN_ACCOUNT.search(evidence.texts[i][:80]):
            yield Signed([match[1] or match[2]], "text", sure=bool(match[2]))


def below(evidence: Evidence) -> range:
    """The blocks right below the headline, to the second of the text."""
    first = evidence.chosen[0] if evidence.chosen else 0
    top = evidence.headline_block
    start = top + 1 if top is not None and top < first else max(0, first - 3)
    return range(start, min(len(evidence.texts), start + 12, first + 3))


def _end(evidence: Evidence, after: int = SIGNATURE) -> list[str]:
    """The last blocks of the text and those behind it."""
    if not evidence.chosen:
        return []
    last = evidence.chosen[-1]
    return list(evidence.texts[max(0, last - BEFORE) : last + after])
