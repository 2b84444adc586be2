"""Bylines in the text of a page: blocks around the headline and after the article that name its authors.

Each function yields the strings of one source; `names` parses names out of them, `authors` chooses the source.
"""

import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain, islice, takewhile
from typing import NamedTuple

from turbohtml.etree import ElementView

from newsextract.files import package_data
from newsextract.language import chinese_names, words
from newsextract.language.date_parser import DATE_START
from newsextract.language.names import AUTHOR_WORDS, GLUED_BY, JOB, KIND_WORDS, is_person, parse_names
from newsextract.metadata.evidence import BESIDE, FAR_BLOCKS, HEADINGS, NEAR_BLOCKS, PageEvidence
from newsextract.metadata.markup_hints import AUTHOR, is_profile
from newsextract.page.class_names import BITS, mask_of
from newsextract.parts.owners import Owner
from newsextract.parts.records import MAX_WITHIN
from newsextract.text import (
    HAN,
    HAN_OR_KANA,
    HANGUL,
    KANA,
    LONG_LINE,
    LONGEST_LINE,
    MAX_LABEL,
    SHORT_LINE,
    character_class,
    comparison_key,
)
from newsextract.urls import host_and_path
from newsextract.urls.paths import kinds_in

#: A short block with a label of authorship and a name.
BYLINE = re.compile(
    rf"\W*(?:{KIND_WORDS})(?:\s*[:：՝៖]\s*|\s+|(?<=โดย))\S|\W*{AUTHOR_WORDS}\s*[:：՝៖]\s*\S"
    rf"|(?-i:(?:{GLUED_BY})(?=[A-Z][a-z]))",
    re.I,
)
#: What stands before the label of authorship: "published" and a date, anything before a number or a bar.
BEFORE_BY = re.compile(
    rf"^(?:{words.alternatives('published')}.{{3,40}}|.*?[\d|•·]\.?(?:\s[–—-])?)\s+"
    rf"(?=(?:{words.alternatives('by_anywhere')}\s+|{AUTHOR_WORDS}\s*[:：՝៖]\s*)[^\W\d_])",
    re.I,
)
#: The same for a line of a label and names only.
BY_LINE = re.compile(
    rf"^\W*(?:(?P<by>(?:{KIND_WORDS})(?:\s*[:：՝៖]\s*|\s+)(?:[^\W\d_a-zà-ÿ]|[^\W\d_]\S*$)"
    rf"|(?:\w+\s)?(?:{GLUED_BY})(?=[A-Z][a-z]))|{words.alternatives('label')}(?:\s*[:：՝៖]\s*|\s+)[^\W\d_a-zà-ÿ])"
)
#: A label whose name is in the next block.
LABEL_ONLY = re.compile(
    rf"^\W*(?:{words.alternatives('label_only')}|{AUTHOR_WORDS}(?=\s*[:：՝៖]))\s*+(?:[:：՝៖]\s*+)?$", re.I
)
#: What follows "by" is no name if it is a label ("By topic: rail").
LABELLED = re.compile(r"[^\W\d]:\s")
#: A label of several authors.
PLURAL_LABEL = words.Words(rf"{words.pattern('authors').pattern}|\(s\)")
#: A short block after the text with a label of authorship and a name.
SIGNATURE = re.compile(rf"\W*(?:{words.alternatives('signature')}|{AUTHOR_WORDS}\s*[:：՝៖]\s*\S)", re.I)
#: The link to other articles of an author.
MORE_OF = words.pattern("more_of")
#: A date or a reading time beside a name makes it a byline.
DATE_OR_READING_TIME = words.Words(
    rf"\b(?:19|20)\d\d\b|\b\d{{1,2}}[./]\d{{1,2}}\b|{words.pattern('reading_time', 'ago', bounded=True).pattern}"
)
TIME = re.compile(r"^\d{1,2}[:.]\d\d\b")
#: A block that may be unlabelled names, perhaps with a job or a date after a separator.
PIECES = re.compile(r"[\s|•·](?:(?<=\s)(?<!\s\s)\s*[|•·]\s*|(?<=[|•·])\s*|(?<=\d\s)[-–—]\s)")
UNLABELLED = re.compile(r"^[^\W\d_][^|•·:!?]{4,70}(?:\s*[|•·]\s*[^|•·]{3,40}){0,2}$")
#: Words of sentences, and several words of Hangul: a Korean name is one word, perhaps with the word for reporter.
HANGUL_CLASS = character_class(HANGUL)
NO_BYLINE = re.compile(
    rf"{words.alternatives('sentence_word', bounded=True)}"
    rf"|[{HANGUL_CLASS}]\s+(?!기자|특파원)\w*[{HANGUL_CLASS}]|[A-Za-z]\s+[{HANGUL_CLASS}]"
)
#: Class of an author's portrait.
PORTRAIT = BITS["hints"]["portrait"]
#: The line below a name that makes it an author: a job, or the button of a profile.
JOB_BELOW = words.Words(rf"{JOB.pattern}|^(?:{words.pattern('follow_button').pattern})$")
#: "Name 2019-09-04 22:18" and the reverse: the line below the headline on many Chinese portals.
CHINESE_ACCOUNT = re.compile(
    rf"^(?:原创\s+)?(\w{{2,12}})\s+{DATE_START}|^(?:19|20)\d\d-\d\d?-\d\d?\s*·\s*(\w{{2,12}})$"
)


def _patterns(language: str) -> dict[str, str]:
    """The patterns of a language in japanese_and_korean.toml."""
    known = {"han": character_class(HAN), "han_or_kana": character_class(HAN, KANA), "hangul": HANGUL_CLASS}
    for name, patterns in package_data("newsextract.language", "japanese_and_korean.toml")[language].items():
        known[name] = (patterns if isinstance(patterns, str) else "|".join(patterns)) % known
    return known


JAPANESE, KOREAN = (_patterns(language) for language in ("ja", "ko"))
JAPANESE_BYLINE, KOREAN_BYLINE, JAPANESE_ROLE = map(
    re.compile, (JAPANESE["byline"], KOREAN["byline"], JAPANESE["role"])
)


class Byline(NamedTuple):
    """Strings of one source. `labelled`: as authors; `certain`: a name counts even if it isn't a full one."""

    strings: list[str]
    source: str
    labelled: bool = True
    certain: bool = False


def by_lines(evidence: PageEvidence) -> Iterator[Byline]:
    """Blocks below the headline with only "By" and names: more reliable than the account that a system declares."""
    texts = evidence.texts
    head, top = blocks_below_headline(evidence), evidence.headline_block
    directly_below = range(0) if top is None else range(top + 1, top + 3)
    above = range(min(head.start, evidence.near_headline.start), head.start)  # teasers may be there, too
    for i in (*head, *above):
        text = _parted(i, evidence)
        if _is_label(text) and i + 1 < len(texts):
            text = f"{text} {texts[i + 1]}"
        match = BY_LINE.match(text) if len(text) < 100 else None
        if match and not LABELLED.search(text, match.end()) and evidence.is_in_article(i):
            names = parse_names([text])
            is_single_word = len(names) == 1 and " " not in names[0] and i in directly_below and bool(match["by"])
            if is_single_word or all(map(is_person, names)):
                yield Byline(names, "text", certain=is_single_word)


def _parted(number: int, evidence: PageEvidence) -> str:
    """The text of a block, with a space where an element ends within a line and another begins: "HurstPublished"."""
    text, nodes = evidence.texts[number], evidence.page.blocks.text_nodes[number]
    if len(nodes) < 2 or len(text) > LONG_LINE:
        return text
    parted = ""
    for part in (node.data for node in nodes):
        is_glued = parted[-1:].islower() and (part[:1].isupper() or part[:1].isdigit())
        parted += f" {part}" if is_glued else part
    return " ".join(parted.split())


def is_byline(text: str) -> bool:
    """Whether a short block begins with a label of authorship and a name, or has them behind a date."""
    return BYLINE.match(text) is not None or BEFORE_BY.match(text) is not None


def labelled_near_headline(evidence: PageEvidence) -> Iterator[Byline]:
    """Blocks around the headline that begin with a label of authorship, or follow one."""
    texts = evidence.texts
    for i in evidence.around_headline:
        text = _parted(i, evidence)
        if len(text) < LONG_LINE and is_byline(text):
            is_own = evidence.is_in_article(i) if i < evidence.head_end else evidence.is_own(i)
            yield Byline([BEFORE_BY.sub("", text)] if is_own else [], "text")
        elif _is_label(text) and i + 1 < len(texts) and len(texts[i + 1]) < 100:
            yield Byline(_persons_behind(texts, i) or [texts[i + 1]], "text")


def signatures(evidence: PageEvidence) -> Iterator[Byline]:
    """Labelled names at the end of the article and after it."""
    numbers = _end_blocks(evidence, FAR_BLOCKS)
    texts = evidence.texts[numbers.start : numbers.stop]
    for i, text in enumerate(texts):
        byline: Byline | None = None
        is_short = i < 2 * NEAR_BLOCKS and len(text) < LONG_LINE
        if is_short and (SIGNATURE.match(text) or (_is_by_persons(text) and evidence.is_in_article(numbers[i]))):
            byline = Byline([text], "text")
        elif len(text) < 80 and (more := MORE_OF.match(text)):
            byline = Byline([text[more.end() :]], "text", labelled=False)
        elif _is_label(text) and len(text) > 4:
            persons = _persons_behind(texts, i)
            byline = Byline(persons or list(texts[i + 1 : i + 2]), "text", bool(persons))
        if byline and _is_own(numbers[i], evidence, labelled=_is_label(text)):
            yield byline


def _is_by_persons(text: str) -> bool:
    """Whether a line is a label of authorship and persons, and nothing else."""
    match = BY_LINE.match(text)
    is_line = match and not LABELLED.search(text, match.end()) and not NO_BYLINE.search(text)
    names = parse_names([text]) if is_line else []
    return len(names) > 0 and all(map(is_person, names))


def _persons_behind(texts: Sequence[str], label: int) -> list[str]:
    """The persons in the blocks after a label, one per block: one, or several for a label in the plural."""
    below = texts[label + 1 : label + (9 if PLURAL_LABEL.search(texts[label]) else 2)]
    return list(takewhile(lambda text: len(text) < 60 and len(parse_names([text], labelled=False)) == 1, below))


def _is_label(text: str) -> bool:
    return len(text) <= MAX_LABEL and LABEL_ONLY.match(text) is not None


def unlabelled(evidence: PageEvidence) -> Iterator[Byline]:
    """Names without a label below the headline: several, beside a date, or repeated after the end of the text."""
    texts = evidence.texts
    last = evidence.body_blocks[-1] if evidence.body_blocks else len(texts)
    below, top = blocks_below_headline(evidence), evidence.headline_block
    directly_below = range(0) if top is None else range(top + 1, top + 3)
    above = range(top - 1, top) if top and DATE_OR_READING_TIME.search(texts[top - 1]) else range(0)
    for i in (*below, *above):
        text = texts[i]
        if len(text) > LONGEST_LINE:  # too long for UNLABELLED
            continue
        pieces = PIECES.split(text, maxsplit=3)
        # A date, a time or a reading time may precede the name.
        pieces.sort(key=lambda piece: bool(DATE_OR_READING_TIME.search(piece) or TIME.match(piece)))
        raw, *rest = pieces
        text = " | ".join(pieces)
        if not UNLABELLED.match(text) or NO_BYLINE.search(text) or _is_heading_of_text(i, evidence):
            continue
        is_beside = top is not None and abs(i - top) <= BESIDE and DATE_OR_READING_TIME.search(text)
        if not is_beside and evidence.owners.of(evidence.element(i).node) >= Owner.NAVIGATION:
            continue
        if _is_topic(evidence.element(i)):
            continue
        # A person named in the headline is the subject.
        headline = comparison_key(evidence.headline)
        persons = [name for name in parse_names([raw], labelled=False) if comparison_key(name) not in headline]
        if not persons or HAN_OR_KANA.search(raw):
            continue
        name = persons[0]
        around = f"{texts[i - 1] if i else ''}\n{text[len(raw) :]}\n{texts[i + 1] if i + 1 < len(texts) else ''}"
        behind = [other for other in texts[max(i + 1, last - 2) : last + 12] if other != raw or i in directly_below]
        is_byline = (
            len(persons) > 1
            or any(map(JOB.search, (*rest, raw.replace(name, ""))))
            or any(JOB_BELOW.search(below) for below in texts[i + 1 : i + 2] if len(below) < MAX_LABEL)
            or any(_repeats(name, other) for other in behind)
            or (DATE_OR_READING_TIME.search(around) and _is_marked(name, around, evidence.element(i), evidence))
            or (is_beside and i > top and len(pieces) > 1 and name == raw and _is_said_once(name, i, evidence))
        )
        if is_byline:
            yield Byline(persons, "text", False)


def _is_marked(name: str, around: str, element: ElementView, evidence: PageEvidence) -> bool:
    """Whether a name beside a date is an author's: by the paper's name, class, `rel`, portrait, link to a profile."""
    if len(evidence.host) > 4 and evidence.host in comparison_key(around):
        return True
    for part in (*islice(element.iter(), MAX_WITHIN), *islice(element.iterancestors(), 2)):
        url = part.get("href") or ""
        if is_profile(url) or url.startswith("mailto:") or "author" in (part.get("rel") or ""):
            return True
        if part.tag == "img" and (name in (part.get("alt") or "") or mask_of(part.get("class")) & PORTRAIT):
            return True
        if mask_of(part.get("class")) & AUTHOR or part.get("itemprop") in ("author", "creator"):
            return True
    return False


def _is_said_once(name: str, number: int, evidence: PageEvidence) -> bool:
    """Whether a name in a line without links is no section: no other short block, folder or declaration has it."""
    folders = comparison_key(host_and_path(evidence.page.url)[1].rpartition("/")[0])
    is_linked = next(evidence.element(number).iter("a"), None) is not None
    if is_linked or any(comparison_key(word) in folders for word in name.split()):
        return False
    key = comparison_key(name)
    declared = [*evidence.metas("article:section", "section", "keywords", "news_keywords", "article:tag")]
    others = (text for i, text in enumerate(evidence.texts) if i != number and len(text) < LONG_LINE and name in text)
    said = (*declared, *evidence.structured.texts("articleSection", "keywords"), *others)
    return not any(key in comparison_key(text) for text in said)


def _repeats(name: str, text: str) -> bool:
    """Whether a block behind the text is about a person: a biography begins with the name, a short block holds it."""
    return text.startswith(name) or (len(text) < LONG_LINE and name in text)


def _is_heading_of_text(number: int, evidence: PageEvidence) -> bool:
    """Whether a block is a heading within the article ("Take Note") without a class of authors."""
    element = evidence.element(number)
    is_heading = number in evidence.body_blocks[:3] and element.tag in HEADINGS
    return is_heading and not mask_of(element.get("class")) & AUTHOR


def _is_topic(element: ElementView) -> bool:
    """Whether an element contains or is in a link to a topic list: a tag or a category, not an author."""
    links = [*islice(element.iter("a"), MAX_WITHIN), *islice(element.iterancestors("a"), 1)]
    return any(
        not kinds_in((link.get("href") or "").rpartition("/")[0]).isdisjoint(("tag", "section"))
        or {"tag", "category"} & set((link.get("rel") or "").split())
        for link in links
    )


def japanese_and_korean_authors(evidence: PageEvidence) -> Iterator[Byline]:
    """Labelled names of Japanese and Korean pages: around the headline, at the beginning of the text and at its end."""
    pattern = JAPANESE_BYLINE if (evidence.language or "").startswith("ja") else KOREAN_BYLINE
    first = [evidence.texts[i][:MAX_LABEL] for i in evidence.body_blocks[:1]]
    near = [evidence.texts[i] for i in evidence.near_headline if len(evidence.texts[i]) < SHORT_LINE]
    last = evidence.last_block or 0
    # What is in brackets behind the text is read as behind its last sentence
    behind = (
        (("。" * (i >= last and text[0] in "（(【") + text)[-SHORT_LINE:], is_own)
        for i, (text, is_own) in zip(_end_blocks(evidence), _end_lines(evidence), strict=True)
    )
    for text, is_own in chain(((text, _always) for text in (*near, *first)), behind):
        names = [next(filter(None, match.groups())) for match in pattern.finditer(text)]
        if names and is_own():
            yield Byline(
                [name for part in names for name in part.replace("ㆍ", "·").replace(",", "·").split("·")],
                "text",
                certain=True,
            )


def chinese_authors(evidence: PageEvidence) -> Iterator[Byline]:
    """Labelled reporters and authors of a Chinese page, at both ends of the article and in its short blocks."""
    texts = evidence.texts
    short = (i for i in evidence.body_blocks[4:20] if len(texts[i]) < SHORT_LINE)
    numbers = sorted({*evidence.near_headline, *evidence.body_blocks[:4], *short})
    head = ((texts[i], _always) for i in numbers)
    for names in chinese_names.authors_in(chain(head, _end_lines(evidence))):
        yield Byline(names, "text")


def chinese_unlabelled(evidence: PageEvidence) -> Iterator[Byline]:
    """Unlabelled names of a Chinese page, then its editors, then the account that published it."""
    last = evidence.texts[evidence.body_blocks[-1]] if evidence.body_blocks else ""
    below = [evidence.texts[i] for i in blocks_below_headline(evidence)]
    editors = chinese_names.editors_in(_end_lines(evidence))
    for names in (*chinese_names.unlabelled_names(below, last), *editors):
        yield Byline(names, "text")
    for i in evidence.near_headline:
        if match := CHINESE_ACCOUNT.search(evidence.texts[i][:80]):
            yield Byline([match[1] or match[2]], "text", certain=bool(match[2]))


def blocks_below_headline(evidence: PageEvidence) -> range:
    """The blocks from the headline to the second block of the text."""
    first = evidence.body_blocks[0] if evidence.body_blocks else 0
    top = evidence.headline_block
    start = top + 1 if top is not None and top < first else max(0, first - 3)
    return range(start, min(len(evidence.texts), start + 12, first + 3))


def _end_blocks(evidence: PageEvidence, after: int = NEAR_BLOCKS) -> range:
    """The last blocks of the text and those after it."""
    if (last := evidence.last_block) is None:
        return range(0)
    return range(max(0, last - NEAR_BLOCKS), min(len(evidence.texts), last + after))


def _end_lines(evidence: PageEvidence) -> Iterator[chinese_names.Line]:
    """Their texts, each with what says whether it belongs to the article."""
    return ((evidence.texts[i], partial(_is_own, i, evidence)) for i in _end_blocks(evidence))


def _always() -> bool:
    return True


def _is_own(number: int, evidence: PageEvidence, *, labelled: bool = False) -> bool:
    """Whether a block is of the article's text, or behind it and of no other part."""
    return number <= (evidence.last_block or 0) or evidence.is_own(number, labelled=labelled)
