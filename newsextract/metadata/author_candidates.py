"""Candidates for the authors: the names that each source of a page gives, with the signs of its kind.

Persons are candidates as soon as a source names them. Names that aren't full ones, and those of the publisher, are
candidates only when all sources are read. `authors` chooses.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import islice, takewhile
from typing import Any, NamedTuple

from newsextract.items import SELECTOR
from newsextract.language import chinese_names, words
from newsextract.language.date_parser import SHOWN_YEAR
from newsextract.language.names import (
    NAME_LABEL,
    PARTICLE,
    is_job_or_employer,
    is_person,
    is_phrase,
    normalize_line,
    parse_names,
    same_name,
)
from newsextract.limits import MAX_KEPT
from newsextract.metadata import bylines
from newsextract.metadata.bylines import JAPANESE_ROLE, Byline
from newsextract.metadata.evidence import PageEvidence
from newsextract.metadata.markup import MARKUP
from newsextract.metadata.markup_hints import MarkupHint, is_profile
from newsextract.page.class_names import BITS, mask_of
from newsextract.page.json_ld import types
from newsextract.page.json_text import MAX_DEPTH
from newsextract.parts.owners import Owner
from newsextract.parts.records import ANCESTORS, MAX_WITHIN, is_record
from newsextract.text import HAN_OR_KANA, LETTERS, LONGEST_LINE, SHORT_LINE, comparison_key

METAS: list[str] = MARKUP["metas"]["author"]
#: Declared sources: if they name only the publisher, it is preferred to words of the body.
DECLARED = (SELECTOR, "json-ld", "meta")
#: Kinds of markup hints, their maximum distance from the headline, and whether the markup marks a name.
STRONG_HINTS = ((("rel-author", "author", "creator"), 250, True), (("author-class", "address", "profile"), 330, False))
#: The same for hints that are read after all other sources.
WEAK_HINTS = ((("profile",), 250, True), (("author-class", "address"), 120, True))
#: Kinds of hints that mark a name, and their maximum distance from the headline, for names that need two marks.
MARKED_KINDS = ("rel-author", "author", "creator")
MAX_MARKED = 60
#: A name and the words between it and its publisher: "Ann Lee for the Courier".
BEFORE_PUBLISHER = re.compile(
    rf"^(\S+\s\S(?:.*?[^\s,|–-])??)[\s,|–-]++"
    rf"(?:{words.alternatives('of_organisation', 'before_employer', 'phrase_begins', bounded=True)}\s){{0,4}}$"
)
#: Labels of people who did something other than writing.
OTHER_ROLE = re.compile(rf"\s*(?:{words.alternatives('other_role')})", re.I)
#: Classes of the name within a byline, of the name of a blog's owner, and of the author's at the end of an article.
NAME_CLASS = BITS["hints"]["name"]
OWNER_CLASS = BITS["hints"]["site_owner"]
AUTHOR_PART = BITS["hints"]["author_part"]
#: A family name and a given name of one to three words, as in "de la Cruz, Anna B."; levels of an author's objects.
LAST_NAME = re.compile(rf"(?:(?:{'|'.join(sorted(PARTICLE))})\s)*[^\W\d_a-z][\w'’-]+")
GIVEN_NAME = re.compile(r"[^\W\d_a-z][\w'’.-]*(?:\s[^\W\d_a-z][\w'’.-]*){0,2}")
#: By how much further from the headline the next author's element may be; distances above it count double.
MAX_APART = 8
#: A Japanese family name and a given name with a space between them, which are one name.
SIGN = HAN_OR_KANA.pattern
JAPANESE_NAME = re.compile(rf"(?<!{SIGN})({SIGN}{{1,3}})\s({SIGN}{{1,3}})(?!{SIGN})")


class AuthorCandidate(NamedTuple):
    """Names of one source, and what speaks for and against them."""

    names: tuple[str, ...]
    source: str
    signs: tuple[str, ...]


class AuthorCandidates:
    """The candidates of one page."""

    def __init__(self, evidence: PageEvidence) -> None:
        self.evidence = evidence
        self.is_chinese = (evidence.language or "").startswith("zh")
        self._persons: list[AuthorCandidate] = []
        self._others: list[AuthorCandidate] = []
        self._has_partial = self._has_publisher = False

    def groups(self) -> Iterator[list[AuthorCandidate]]:
        """The persons named so far, after each source that names some; at last, with all other names."""
        for reader, found in _readers(self.evidence):
            for byline in found:
                number = len(self._persons)
                if byline.strings:
                    self._read(reader, byline)
                if len(self._persons) > number:
                    yield self._persons
        if self._others:
            yield self._persons + self._others

    def _read(self, reader: str, byline: Byline) -> None:
        """Adds the names of a byline to the candidates."""
        evidence, source = self.evidence, byline.source
        names = _accepted_names(byline, evidence, self.is_chinese)
        others = [name for name in names if not _is_publisher(name, evidence)]
        if source == "json-ld" and len(others) > 1:
            others = _without_authors_of_teasers(others, evidence)
        persons = others if byline.certain else [name for name in others if is_person(name)]
        # In the head of Chinese pages, `author` is mostly the portal; it counts only if the text names nobody.
        if persons and (byline.certain or not (source == "meta" and HAN_OR_KANA.search(persons[0]))):
            self._add_persons(reader, byline, persons)
        elif others:
            is_late = self._has_publisher and source not in DECLARED
            self._add_others(others, source, "partial", "behind the publisher" if is_late else "")
            self._has_partial = self._has_partial or not is_late
        elif names:
            self._add_others(names, source, "publisher", "later" if self._has_publisher else "")
            self._has_publisher = True

    def _add_persons(self, reader: str, byline: Byline, persons: list[str]) -> None:
        signs = [f"from:{reader}"]
        if not byline.labelled and self._has_partial:
            signs.append("unlabelled beside a partial name")
        if byline.source == "meta" and not byline.certain and (seen := _seen_instead(persons, self.evidence)):
            signs.append("another is marked beside the headline")
            self._persons.append(AuthorCandidate(tuple(seen), "byline", ("from:marked beside the headline",)))
        self._persons.append(AuthorCandidate(tuple(persons), byline.source, tuple(signs)))
        if len(signs) == 1 and (more := _further_names(persons, byline.source, self.evidence)):
            self._persons.append(AuthorCandidate(tuple(more), "text", ("from:line with more names",)))

    def _add_others(self, names: list[str], source: str, kind: str, sign: str) -> None:
        is_late = "later" if kind == "partial" and self._has_partial else ""
        self._others.append(AuthorCandidate(tuple(names), source, tuple(filter(None, (kind, sign, is_late)))))


def _accepted_names(byline: Byline, evidence: PageEvidence, is_chinese: bool) -> list[str]:
    """The names in a byline, without those that need a more certain source."""
    strings = byline.strings
    if (evidence.language or "").startswith("ja"):
        strings = [JAPANESE_NAME.sub(r"\1\2", JAPANESE_ROLE.sub("", string)) for string in strings]
    if publisher := (evidence.publisher or "").casefold():
        strings = [_without_end(raw, publisher) for raw in strings]
    names = parse_names(strings, labelled=byline.labelled)
    if len(names) >= MAX_KEPT:
        evidence.note("authors", f"more than {MAX_KEPT} names", names[0])
    if is_chinese and not byline.labelled:
        names = [name for name in names if chinese_names.is_name(name, labelled=True)]
    if byline.source == "byline":
        # A person named in the headline is the subject, unless it begins with "Ann Lee: ".
        headline = comparison_key((evidence.headline or "").replace("：", ":").rpartition(":")[2])
        names = [name for name in names if comparison_key(name) not in headline]
    if byline.source not in DECLARED:
        return [
            name
            for name in names
            if not (is_phrase(name) and not _is_marked_and_labelled(name, evidence)) and not _is_common(name, evidence)
        ]
    if not names and any(same_name(string, evidence.publisher) for string in byline.strings):
        return [normalize_line(evidence.publisher or "")]
    return names


def _without_end(raw: str, publisher: str) -> str:
    """A name without the publisher behind it."""
    name = raw[: -len(publisher)]
    found = BEFORE_PUBLISHER.match(name) if raw[len(name) :].casefold() == publisher else None
    return found[1] if found else raw


def _further_names(names: list[str], source: str, evidence: PageEvidence) -> list[str]:
    """The names of a line below the headline that has all of these and more: systems often declare only one author."""
    if source == SELECTOR or HAN_OR_KANA.search(names[0]):
        return []
    for text in [evidence.texts[i] for i in bylines.blocks_below_headline(evidence)]:
        if len(text) < LONGEST_LINE and all(name in text for name in names):
            in_line = [name for name in parse_names([text]) if not _is_publisher(name, evidence)]
            if len(in_line) > len(names) and names[0] in in_line[0] and all(map(is_person, in_line)):
                return in_line
    return []


def _readers(evidence: PageEvidence) -> Iterator[tuple[str, Iterable[Byline]]]:
    """The readers with their bylines, in the order in which they are asked."""
    language = evidence.language or ""
    is_chinese = language.startswith("zh")
    yield SELECTOR, [Byline([*evidence.selected("authors")], SELECTOR, certain=True)]
    yield "json-ld", _json_ld_authors(evidence)
    yield "line of a label and names", bylines.chinese_authors(evidence) if is_chinese else bylines.by_lines(evidence)
    if language.startswith(("ja", "ko")):
        yield "Japanese or Korean label", bylines.japanese_and_korean_authors(evidence)
    yield "meta", _meta_authors(evidence, is_chinese)
    yield "marked author", _hinted_authors(evidence, STRONG_HINTS)
    yield "labelled line", bylines.labelled_near_headline(evidence)
    yield "signature", bylines.signatures(evidence)
    yield "unlabelled line", bylines.chinese_unlabelled(evidence) if is_chinese else bylines.unlabelled(evidence)
    yield "profile or class", _hinted_authors(evidence, WEAK_HINTS)
    if (listing := evidence.page.listing) is not None:  # which often names accounts
        persons = [name for name in listing.authors if is_person(normalize_line(name))]
        yield "list", [Byline(persons, "feed", labelled=True)]
    yield "owner", _site_owner(evidence)


def _without_authors_of_teasers(names: list[str], evidence: PageEvidence) -> list[str]:
    """Of the authors of several articles in the JSON-LD, those near the headline or in elements marked as author."""
    if len({str(thing["author"]) for thing in evidence.structured.works if thing.get("author")}) < 2:
        return names
    near = [text for text in (evidence.texts[i] for i in evidence.near_headline) if len(text) < 200]
    marked = [hint.text for hint in evidence.hints("rel-author", "author", "creator", "author-class", "profile")]
    seen = "\n".join([*near, *marked]).casefold()
    return [name for name in names if name.casefold() in seen] or names


def _seen_instead(declared: list[str], evidence: PageEvidence) -> list[str]:
    """The persons that elements beside the headline mark as authors, if no block has a declared author."""
    page = "\n".join(evidence.texts)
    if any(map(page.__contains__, declared)) or any(map(page.casefold().__contains__, map(str.casefold, declared))):
        return []
    strings = [hint.text for hint in evidence.hints(*MARKED_KINDS) if hint.distance <= MAX_MARKED]
    return parse_names(strings, labelled=False)


def _site_owner(evidence: PageEvidence) -> Iterator[Byline]:
    """The owner of a blog, which themes show beside every post (class words of Hexo's NexT and Butterfly)."""
    blocks = evidence.page.blocks
    names = {name for name in {*blocks.element_classes} if name and "author" in name and mask_of(name) & OWNER_CLASS}
    for element, name in zip(blocks.nodes, blocks.element_classes, strict=True) if names else ():
        if name in names and len(element.text) < SHORT_LINE:
            yield Byline([normalize_line(element.text)], "byline")
            return


def _meta_authors(evidence: PageEvidence, is_chinese: bool) -> Iterator[Byline]:
    """`meta` elements; on a Chinese page one is certain if a block near the headline is the same name."""
    near = {evidence.texts[i] for i in evidence.near_headline} if is_chinese else set()
    citations = evidence.metas("citation_author", "citation_authors", "dc.creator")
    yield Byline([_given_name_first(name) for name in citations], "meta")
    for name in METAS:
        if contents := [*map(_given_name_first, evidence.metas(name))]:
            yield Byline(contents, "meta", certain=contents[0] in near)
    if NAME_LABEL.match(evidence.meta.get("twitter:label1") or ""):
        yield Byline(evidence.meta.all("twitter:data1")[:1], "meta")


def _json_ld_authors(evidence: PageEvidence) -> Iterator[Byline]:
    """`author` and `creator` of JSON-LD by rank of the object; only persons, if there are any."""
    for rank in (1, 2, 3):
        every: list[str] = []
        persons: list[str] = []
        for value in evidence.structured.values("author", "creator", ranks=(rank,)):
            names = list(_names_of(value))
            every += names
            is_organisation = isinstance(value, dict) and "Organization" in " ".join(types(value))
            persons += [] if is_organisation else names
        yield Byline(persons if any(map(is_person, parse_names(persons))) else every, "json-ld")


def _names_of(value: Any, depth: int = 0) -> Iterator[str]:
    """The names in an author of JSON-LD: strings, lists, names that are objects, given and family names."""
    if isinstance(value, str) and value:
        yield from map(_given_name_first, normalize_line(value).split(";"))
    elif isinstance(value, list) and depth < MAX_DEPTH:
        for member in value[:MAX_KEPT]:
            yield from _names_of(member, depth + 1)
    elif isinstance(value, dict) and depth < MAX_DEPTH:
        whole = " ".join(str(value[part]) for part in ("givenName", "familyName") if isinstance(value.get(part), str))
        inner = filter(None, map(value.get, ("name", "@value", "@list", "author", "creator", "alternateName")))
        yield from _names_of(next(inner, whole), depth + 1)


def _hinted_authors(evidence: PageEvidence, table: Iterable[tuple[tuple[str, ...], int, bool]]) -> Iterator[Byline]:
    """Elements whose markup hints at an author: the nearest to the headline, and each next to the one before."""
    body_blocks = evidence.body_blocks
    containers = {*evidence.element(body_blocks[len(body_blocks) // 2]).node.ancestors} if body_blocks else set()
    for kinds, max_distance, labelled in table:
        hints = [
            hint
            for hint in evidence.hints(*kinds)
            if (_is_signature(hint, max_distance, evidence) if hint.is_behind else hint.distance <= max_distance)
        ]
        before: MarkupHint | None = None
        strings: list[str] = []
        for hint in [hint for hint in hints if hint.element.node not in containers][:12]:
            parent = hint.element.getparent()
            pieces = [] if parent is not None and OTHER_ROLE.match(parent.text or "") else _byline_nodes(hint)
            if not parse_names(pieces, labelled=labelled):
                continue
            if before is not None and hint.distance - before.distance > MAX_APART and not _are_alike(before, hint):
                break
            before = hint
            strings += pieces
        yield Byline(strings, "byline", labelled)


def _is_signature(hint: MarkupHint, max_distance: int, evidence: PageEvidence) -> bool:
    """Whether a name behind the text is the author's by a second sign, and in no record of comments or teasers."""
    element, owner = hint.element, evidence.owners.of(hint.element.node)
    is_labelled, is_part = NAME_LABEL.match(hint.text), mask_of(element.get("class")) & AUTHOR_PART
    is_marked = is_labelled or is_part or hint.kind in (*MARKED_KINDS, "profile")
    is_linked = any(
        is_profile(link.get("href") or "") and not is_record(evidence.page, link.node)
        for link in islice(element.iter("a"), 4)
    )
    is_near = is_labelled or hint.distance <= max_distance
    is_own = owner == Owner.ARTICLE or (is_part and evidence.owners.is_of_article(element.node))
    is_author = bool(is_own and is_near and (is_marked or is_linked))
    return is_author and not (is_record(evidence.page, element.node) or evidence.is_in_teaser(element))


def _are_alike(before: MarkupHint, hint: MarkupHint) -> bool:
    """Whether two elements have the same place in two equal elements, one right behind the other: boxes of authors."""
    above = (islice((one.element, *one.element.iterancestors()), ANCESTORS) for one in (before, hint))
    pairs = takewhile(
        lambda pair: pair[0].tag == pair[1].tag and pair[0].get("class") == pair[1].get("class"),
        zip(*above, strict=False),
    )
    return any((behind := one.getnext()) is not None and behind.node is other.node for one, other in pairs)


def _byline_nodes(hint: MarkupHint) -> list[str]:
    """The text nodes of an element up to a label of another role, a biography or a date after "by", or of the name."""
    named = [
        element
        for element in islice(hint.element.node.iter_elements(), MAX_WITHIN)
        if element.attr("itemprop") == "name" or mask_of(element.attr("class")) & NAME_CLASS
    ]
    content = named[0].attr("content") if named and not hint.text else None  # of a `meta`
    if len(named) == 1 and (name := normalize_line(content or named[0].text)):
        return [name]
    texts = [text for text in (normalize_line(node) for node in islice(hint.element.itertext("*"), 16)) if text]
    texts = [*takewhile(lambda text: not OTHER_ROLE.match(text), texts)]
    has_label = NAME_LABEL.match(" ".join(texts[:2])) is not None
    names = takewhile(lambda text: len(text) <= SHORT_LINE and not (has_label and SHOWN_YEAR.search(text)), texts)
    return [*names][: 4 if sum(map(len, texts)) > 150 else None]


def _given_name_first(name: str) -> str:
    """ "Smith, Anna B." as Anna B. Smith, but not "Ann Lee, Reuters"."""
    last, _, given = map(str.strip, name.partition(","))
    inverted = f"{given} {last}"
    is_name = LAST_NAME.fullmatch(last) and GIVEN_NAME.fullmatch(given) and is_person(inverted)
    return inverted if is_name and not is_job_or_employer(given) else name


def _is_publisher(name: str, evidence: PageEvidence) -> bool:
    """Whether a name is the declared name of the site, or its host ends with it: "Die Presse" of presse.example."""
    host = evidence.host
    is_longer = len(host) > 4 and " " in name and comparison_key(name).endswith(host)
    return is_longer or same_name(name, evidence.publisher) or same_name(name, host)


def _is_marked_and_labelled(name: str, evidence: PageEvidence) -> bool:
    """Whether a name is marked as author and follows "by": pen names ("La cocinera") need both."""
    marked = [hint.text for hint in evidence.hints(*MARKED_KINDS) if hint.distance <= MAX_MARKED]
    if not any(same_name(text, name) for text in marked):
        return False
    near = (evidence.texts[i].lower() for i in evidence.near_headline)
    before = (part for text in near if len(text) < 200 for part in text.split(name.lower())[:-1])
    return any(map(_label_before_name().search, before))


@cache
def _label_before_name() -> words.Words:
    """Words of authorship at the end of a text. Read when a name first needs them: few do."""
    return words.Words(rf"\b(?:{words.pattern('by').pattern})\s+$")


def _is_common(name: str, evidence: PageEvidence) -> bool:
    """Whether all words of a name are words of the article: "Personal Finance" on a page about personal finance."""
    words = [f" {word.lower()} " for word in LETTERS.findall(name)]
    return name.lower() != name.title() and all(map(evidence.spaced_text.__contains__, words))
