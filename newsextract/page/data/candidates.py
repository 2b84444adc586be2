"""Candidates for the article's text in a page's data, which of them is the article, and what else belongs to it.

Strings of prose are grouped by their path, indices left out (`props.pageProps.article.content[].text`): the paragraphs
of an article have one. A group's *container* is the smallest value that holds all of it, rendered as a whole, so that
headings and lists between the paragraphs are kept. A list of works (items with a headline and an address) is no
container: each item is a candidate of its own. Headline, address, description, path and length decide between them.

Long articles are often in several members of one object (an introduction, a body, rankings), each a candidate of its
own. The data of a list page hold other articles: its text is all of its items, and no item of them is its article.

Front pages, shops and pages of services have no object with the page's headline and its text, but sections of short
texts at many paths. The smallest value that has at least half of the page's prose is what such a page is about; what
stands beside it are messages of the program, menus and footers.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import repeat
from math import log
from operator import is_
from typing import Any
from urllib.parse import unquote, urlsplit

from newsextract.page.data.javascript import Json, read_json
from newsextract.page.data.prose import MIN_EAST_ASIAN_PROSE, plain_text, prose_size
from newsextract.page.data.rich_text import ASIDE_NAME, is_compiled_jsx, read_compiled_jsx
from newsextract.page.data.scripts import DataValue
from newsextract.text import letters_and_digits, words_of

#: Limits of one page: values visited, levels, prose strings, candidates.
MAX_VALUES, MAX_DEPTH, MAX_STRINGS, MAX_CANDIDATES = 400_000, 150, 20_000, 60
#: Levels of JSON within strings of JSON.
MAX_NESTED = 3
MIN_NESTED = 100
#: Names under which an object has its headline, its address.
TITLE_NAMES = "headline title headlines name seoTitle displayTitle heading pageTitle Headline Title Name".split()
ADDRESS_NAMES = frozenset(
    """url slug link href permalink canonical_url canonicalUrl canonical path uri website_url urlPath fullPath pageUrl
    handle sku price Url Slug Link Path""".split()
)
#: Names of lists whose items are other works, and of parts of a page that hold no article.
OTHER_WORKS = re.compile(
    r"related|recommend|latest|recent|trending|popular|most|more|next|prev|teaser|recirc|other|similar|suggest|readmore"
    r"|comment|sidebar|footer|header|menu|nav|translation|i18n|locale|messages|legal|privacy|cookie|consent|promo"
    r"|newsletter|advert|sponsor|faq|author|bio|review|seo|meta|breadcrumb|subscri|paywall|config|setting|widget"
    r"|copyright|disclaimer|caption|credit|image|video|gallery|taxonom|categor|tags?\b|topics?\b|description|summary"
    r"|excerpt|snippet|abstract|dek|label|^links?$|variant"
    r"|testimonial|products|collection|customers|ugc|weather|forecast",
    re.I,
)
#: A name that is an id, which differs from member to member.
ID_NAME = re.compile(r"\d{2,}|^[0-9a-f-]{16,}$|:")
#: Names of members that declare the article's text.
DECLARED_NAME = re.compile(r"article_?body(?:_?(?:text|html))?$", re.I)
#: Similarity from which on two headlines are the same.
SAME_TITLE = 0.6
#: Objects around a candidate that are looked at.
MAX_OWNERS = 8

Path = tuple[str | int, ...]
#: Kinds of values that have members.
CONTAINERS = (dict, list)


@dataclass(slots=True)
class ProseString:
    path: Path
    text: str
    size: int
    ancestors: tuple[Json, ...]


@dataclass(slots=True)
class Candidate:
    """A value that may be the article's text. `size`: characters of prose; `owners`: the objects around it, inmost
    first; `is_declared`: whether the data say that it is the article's text (`articleBody`);

    `location`: its path; `depths`: lengths of the paths of the owners; `name`: of its strings; `position`: its number
    among all candidates; `works`: the list of works that it stands in an item of, `item_depth`: length of the path of
    that item; `is_list`: whether it is all items of such a list."""

    source: str
    path: str
    value: Json
    size: int
    texts: list[str]
    owners: list[dict[str, Json]] = field(default_factory=list)
    is_declared: bool = False
    location: Path = ()
    depths: list[int] = field(default_factory=list)
    name: str = ""
    position: int = 0
    works: Json = None
    item_depth: int = 0
    is_list: bool = False

    @property
    def names(self) -> list[str]:
        """The names of its path, without that of the data themselves (`__NEXT_DATA__`); without numbers."""
        if not self.location:
            return self.path.split(".")[1:]
        steps = [name for step in self.location if isinstance(step, str) for name in step.split(".")]
        return [name for name in steps if name and not name.isdigit()]


def titles_of(owner: Mapping[str, Json]) -> Iterator[str]:
    """The headlines that an object has."""
    for name in TITLE_NAMES:
        value = owner.get(name)
        if isinstance(value, dict):
            value = next(
                (
                    value[key]
                    for key in ("basic", "rendered", "text", "value", "main", "title", "headline")
                    if isinstance(value.get(key), str)
                ),
                None,
            )
        if isinstance(value, str) and 3 < len(value) < 400:
            yield plain_text(value)


def find_candidates(values: Iterable[DataValue]) -> list[Candidate]:
    """The candidates of a page's data, most prose first."""
    found: list[Candidate] = []
    budget = [MAX_VALUES]
    for data in values:
        strings = list(prose_strings(data, budget))
        found += _grouped(data, strings, len(found))
    found.sort(key=lambda candidate: -candidate.size)
    return found[:MAX_CANDIDATES]


def prose_strings(data: DataValue, budget: list[int]) -> Iterator[ProseString]:
    """The strings of prose in document order. Strings that are JSON are read in their places."""
    stack: list[tuple[Json, Path, tuple[Json, ...], int]] = [(data.value, (), (), 0)]
    count = 0
    while stack and budget[0] > 0 and count < MAX_STRINGS:
        value, path, above, nested = stack.pop()
        budget[0] -= 1
        if isinstance(value, str):
            if len(value) >= MIN_NESTED and value[:1] in "{[" and nested < MAX_NESTED:
                inner = read_json(value)
                if isinstance(inner, CONTAINERS):
                    stack.append((inner, path, above, nested + 1))
                    continue
            if nested < MAX_NESTED and is_compiled_jsx(value):
                stack.append((read_compiled_jsx(value), path, above, MAX_NESTED))
                continue
            if size := prose_size(value):
                count += 1
                yield ProseString(path, value, size, above)
            continue
        if not isinstance(value, dict | list) or len(path) > MAX_DEPTH or any(map(is_, above[-60:], repeat(value))):
            continue
        inside = (*above, value)
        if isinstance(value, dict):
            members: list[tuple[str | int, Json]] = list(value.items())
        else:
            members = list(enumerate(value))
        for name, member in reversed(members):
            if len(member) >= MIN_EAST_ASIAN_PROSE if isinstance(member, str) else isinstance(member, CONTAINERS):
                stack.append((member, (*path, name), inside, nested))


def _wild(path: Path) -> tuple[str, ...]:
    """A path without indices and ids, repeated steps of trees once."""
    out: list[str] = []
    for step in path:
        out.append("[]" if isinstance(step, int) or ID_NAME.search(step) else step)
        for length in (1, 2, 3, 4):
            if len(out) >= 2 * length and out[-length:] == out[-2 * length : -length]:
                del out[-length:]
                break
    return tuple(out)


def title_similarity(owner: Mapping[str, Json], titles: Sequence[frozenset[str]]) -> float:
    """The best similarity (Jaccard) of a headline of an object to the page's titles."""
    best = 0.0
    for title in titles_of(owner):
        words = set(words_of(title))
        if len(words) > 1:
            best = max([best, *(len(words & other) / len(words | other) for other in titles)])
    return best


def _grouped(data: DataValue, strings: list[ProseString], position: int) -> list[Candidate]:
    """The candidates of one value, in its order; `position`: the number of the first one."""
    groups: dict[tuple[Path, tuple[str, ...]], list[ProseString]] = {}
    works: dict[int, bool] = {}
    for string in strings:
        key = (_work_path(string, works), _wild(string.path))
        groups.setdefault(key, []).append(string)
    candidates = [_candidate(data, members, item) for (item, _), members in groups.items()]
    for number, candidate in enumerate(candidates, position):
        candidate.position = number
    return candidates


def _work_path(string: ProseString, works: dict[int, bool]) -> Path:
    """The path of the innermost item of a list of works that a string stands in."""
    for level in range(len(string.path) - 1, -1, -1):
        holder = string.ancestors[level] if level < len(string.ancestors) else None
        if isinstance(holder, CONTAINERS) and (
            isinstance(string.path[level], int) or ID_NAME.search(str(string.path[level]))
        ):
            if id(holder) not in works:
                works[id(holder)] = _is_list_of_works(holder)
            if works[id(holder)]:
                return string.path[: level + 1]
    return ()


def _is_list_of_works(holder: dict[str, Json] | list[Json]) -> bool:
    members = holder if isinstance(holder, list) else list(holder.values())
    objects = []
    for one in members[:40]:
        if isinstance(one, dict):
            inner = (one.get(key) for key in ("node", "attributes", "fields", "item"))
            objects.append(next((each for each in inner if isinstance(each, dict)), one))
    works = [one for one in objects if any(True for _ in titles_of(one)) and not ADDRESS_NAMES.isdisjoint(one)]
    return len(works) > max(0, len(members[:40]) // 3)


def _candidate(data: DataValue, strings: list[ProseString], item: Path) -> Candidate:
    """The candidate of a group: its container, which is the string itself for a group of one. `item`: the path of the
    item of a list of works that it stands in."""
    first = strings[0]
    depth = len(first.path)
    for string in strings[1:]:
        shared = 0
        for one, other in zip(first.path[:depth], string.path, strict=False):
            if one != other:
                break
            shared += 1
        depth = shared
    value = first.text if len(strings) == 1 else first.ancestors[min(depth, len(first.ancestors) - 1)]
    path = first.path[:depth]
    around = [(length, one) for length, one in enumerate(first.ancestors[: depth + 1]) if isinstance(one, dict)]
    around = around[: -MAX_OWNERS - 1 : -1]
    return Candidate(
        data.source,
        path_text(data.name, path),
        value,
        sum(string.size for string in strings),
        [string.text for string in strings],
        [one for _, one in around],
        DECLARED_NAME.match(str(first.path[-1] if first.path else "")) is not None,
        path,
        [length for length, _ in around],
        next((step for step in reversed(first.path) if isinstance(step, str)), ""),
        works=first.ancestors[len(item) - 1] if item else None,
        item_depth=len(item),
    )


def path_text(name: str, path: Path) -> str:
    return name + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)


# ---- ranking --------------------------------------------------------------------------------------------------------


#: Sources of titles that name the page's article.
TITLE_SOURCES = frozenset("og twitter title title-part json-ld-headline h1 anchor meta".split())
#: Characters of the description that are searched for in a candidate.
PROBE = 40
#: Names of a member that hold an article's text, the most telling ones.
BODY_NAME = re.compile(
    r"body|content|article|story|paragraph|text|richtext|blocks?|elements?|markdown|html|nodes|components|children",
    re.I,
)
#: What each kind of evidence adds to the log of a candidate's size.
TITLE, ADDRESS, DESCRIPTION, OTHER_WORK, BODY, DECLARED = 2.0, 1.0, 0.7, -1.6, 0.4, 1.5
#: A member with the text of what it describes (a product, a report, a show), not a summary of it, has characters:
FULL_DESCRIPTION, MIN_FULL = re.compile(r"description$", re.I), 400
#: Characters beyond which more prose says no more.
ENOUGH = 8_000


@dataclass(frozen=True)
class PageClues:
    """What a page says of its article outside its data: titles as sets of words, description, path of the address."""

    titles: tuple[frozenset[str], ...]
    description: str
    path: str


def clues_of(page: Any) -> PageClues:
    """The clues of a `Page`."""
    titles = {
        frozenset(words)
        for title in page.titles
        if title.source in TITLE_SOURCES and len(words := words_of(title.text)) > 1
    }
    described = (page.meta.get("og:description") or page.meta.get("description") or "").strip()
    try:
        path = unquote(urlsplit(page.url or page.meta.get("og:url") or "").path).strip("/").lower()
    except ValueError:
        path = ""
    return PageClues(tuple(titles), letters_and_digits(plain_text(described))[:PROBE], path)


def rank(candidates: Sequence[Candidate], clues: PageClues) -> list[tuple[float, Candidate]]:
    """The candidates with their scores, best first."""
    scored = [(score(candidate, clues), candidate) for candidate in candidates]
    scored.sort(key=lambda row: -row[0])
    return scored


def score(candidate: Candidate, clues: PageClues) -> float:
    """Log of the candidate's characters, up to ENOUGH, with what speaks for and against it."""
    value = log(1 + min(candidate.size, ENOUGH)) + 0.2 * log(1 + max(0, candidate.size - ENOUGH))
    value += TITLE * title_match(candidate, clues)
    if clues.path and any(_has_address(owner, clues.path) for owner in candidate.owners[:4]):
        value += ADDRESS
    beginning = plain_text("\n".join(candidate.texts[:5])[:20_000])
    if len(clues.description) >= PROBE and clues.description in letters_and_digits(beginning):
        value += DESCRIPTION
    steps = candidate.names
    value += OTHER_WORK * min(2, sum(_is_other(step, candidate) for step in steps[-6:]))
    value += DECLARED * candidate.is_declared
    value += BODY * any(BODY_NAME.search(step) for step in steps[-3:])
    return value


def title_match(candidate: Candidate, clues: PageClues) -> float:
    """The best similarity of a headline of the candidate's objects to a title of the page; 0 for a candidate whose own
    name says that it is something else of them (`tags`)."""
    names = candidate.names
    if names and _is_other(names[-1], candidate):
        return 0.0
    return max((title_similarity(owner, clues.titles) for owner in candidate.owners), default=0.0)


def _is_other(name: str, candidate: Candidate) -> bool:
    """Whether a name in a candidate's path says that it is something else than the text of its object."""
    if OTHER_WORKS.search(name) is None:
        return False
    is_full = candidate.size >= MIN_FULL and FULL_DESCRIPTION.search(name) is not None
    return not is_full or candidate.works is not None or any("@type" in owner for owner in candidate.owners[:1])


def _has_address(owner: dict[str, Json], path: str) -> bool:
    for name in ADDRESS_NAMES:
        value = owner.get(name)
        if isinstance(value, str) and 3 < len(value) < 500:
            try:
                own = unquote(urlsplit(value).path).strip("/").lower()
            except ValueError:
                continue
            if len(own) > 3 and (own == path or path.endswith(f"/{own}") or own.endswith(f"/{path}")):
                return True
    return False


# ---- joining --------------------------------------------------------------------------------------------------------


#: Share of the best candidate's characters that another part of the same object has at least, and characters.
MIN_PART, MIN_PART_SIZE = 0.25, 400
#: Share of a part's words from which on it is a copy of the others.
MAX_KNOWN = 0.6
#: Items with text that make a list.
MIN_ITEMS = 4
MAX_PARTS = 12


def join(best: Candidate, others: Sequence[Candidate], clues: PageClues) -> Candidate:
    """The candidate, with others that are parts of the same object, or items of the same list."""
    if best.is_declared or not best.depths:
        return best
    titled = [one for one in best.owners if title_similarity(one, clues.titles) >= SAME_TITLE]
    if best.works is not None and not any(one is owner for owner in _inside_item(best) for one in titled):
        return _list_of(best, others)
    if not titled:
        return best
    depth = best.depths[next(place for place, one in enumerate(best.owners) if one is titled[0])]
    least = max(MIN_PART_SIZE, MIN_PART * best.size)
    parts = [best]
    for one in others:
        if one.size >= least and len(parts) < MAX_PARTS and _is_part(one, depth, titled[0]) and _is_new(one, parts):
            parts.append(one)
    return _joined(best, parts) if len(parts) > 1 else best


def _inside_item(candidate: Candidate) -> list[dict[str, Json]]:
    """The owners of a candidate up to the item of the list that it stands in."""
    pairs = zip(candidate.depths, candidate.owners, strict=True)
    return [owner for depth, owner in pairs if depth >= candidate.item_depth]


def _is_part(candidate: Candidate, depth: int, owner: Json) -> bool:
    """Whether a candidate is text of the object at this depth of its location, and not of another work in it."""
    owners = candidate.owners
    if candidate.works is not None or not any(one is owner for one in owners):
        return False
    names = [step for step in (*candidate.location[depth:], candidate.name) if isinstance(step, str)]
    return not any(OTHER_WORKS.search(name) or ASIDE_NAME.match(name) for name in names)


def _is_new(candidate: Candidate, parts: Sequence[Candidate]) -> bool:
    """Whether a candidate stands outside the containers of the others, and most of its text is in none of them."""
    here = candidate.location
    for part in parts:
        length = min(len(here), len(part.location))
        if here[:length] == part.location[:length]:
            return False
    own = Counter(words_of(plain_text("\n".join(candidate.texts))))
    known = Counter(words_of(plain_text("\n".join(text for part in parts for text in part.texts))))
    return (own & known).total() < MAX_KNOWN * own.total()


def _list_of(best: Candidate, others: Sequence[Candidate]) -> Candidate:
    """The list of works that a candidate is an item of, where other items have text, too."""
    items = [best, *(one for one in others if one.works is best.works)]
    if len({one.location[: one.item_depth] for one in items}) < MIN_ITEMS:
        return best
    texts = [text for one in items for text in one.texts]
    size = sum(one.size for one in items)
    above = [(depth, one) for depth, one in zip(best.depths, best.owners, strict=True) if depth < best.item_depth]
    return replace(best, value=best.works, texts=texts, size=size, owners=[one for _, one in above], is_list=True)


def _joined(best: Candidate, parts: Sequence[Candidate]) -> Candidate:
    """The parts as one candidate, in the order of the page."""
    ordered = sorted(parts, key=lambda one: one.position)
    texts = [text for one in ordered for text in one.texts]
    return replace(best, value=[one.value for one in ordered], texts=texts, size=sum(one.size for one in parts))


# ---- the largest part -----------------------------------------------------------------------------------------------


#: Share of the prose that the part has at least.
MIN_SHARE = 0.5
#: Names of members that hold the program's messages, or what stands around the text of a page.
AROUND = re.compile(
    r"i18n|locale|messages|translation|footer|nav|menu|cookie|consent|legal|config|setting|comment|review|header"
    r"|sidebar|schema|meta|seo|breadcrumb|subscri|newsletter|analytics|error|privacy",
    re.I,
)


def largest_part(values: Sequence[DataValue]) -> tuple[DataValue, Path, Json] | None:
    """The value with most prose of a page's data: the data it stands in, its path there, itself; None without prose."""
    budget = [MAX_VALUES]
    prose: list[list[tuple[Path, int]]] = []
    for data in values:
        strings = prose_strings(data, budget)
        prose.append([(one.path, one.size) for one in strings if not any(map(_is_around, one.path))])
    totals = [sum(size for _, size in strings) for strings in prose]
    if not any(totals):
        return None
    best = totals.index(max(totals))
    if totals[best] < MIN_SHARE * sum(totals):
        return None
    path, value = _descend(values[best].value, prose[best], MIN_SHARE * totals[best])
    return values[best], path, value


def _descend(value: Json, strings: list[tuple[Path, int]], least: float) -> tuple[Path, Json]:
    """The innermost value below this one with `least` characters of the prose, and its path."""
    depth = 0
    here: Path = ()
    while True:
        if isinstance(value, str) and value[:1] in ("{", "["):
            value = read_json(value) or value
        if not isinstance(value, CONTAINERS):
            break
        sizes: Counter[str | int] = Counter()
        for path, size in strings:
            if len(path) > depth:
                sizes[path[depth]] += size
        step, size = sizes.most_common(1)[0] if sizes else ("", 0)
        if size < least:
            break
        value = value[step]  # type: ignore[index]
        here = (*here, step)
        strings = [row for row in strings if len(row[0]) > depth and row[0][depth] == step]
        depth += 1
    return here, value


def _is_around(step: str | int) -> bool:
    return isinstance(step, str) and AROUND.search(step) is not None
