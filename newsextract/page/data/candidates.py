"""Candidates for the article's text in a page's data: finding them, ranking them, and joining what belongs together.

Strings of prose are grouped by their path without indices (`props.pageProps.article.content[].text`): the paragraphs of
an article share one. A group's candidate is the smallest value that contains all of it, rendered completely, so that
headings and lists between the paragraphs are kept. A list of works (items with a headline and a URL) isn't a candidate,
but each item is. Headline, URL, path and length decide between them.

Long articles are often in several members of one object (an introduction, a body, rankings): then the object is the
text. The data of a list page have other articles: its text is all of its items, and none of them is its article.

Front pages, shops and service pages have no object with the page's headline and text, but short sections at many paths.
Such a page is about the smallest value with at least half of its prose; the rest is program messages, menus and
footers.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import log
from typing import Any
from urllib.parse import unquote

from newsextract.limits import MAX_KEPT, MOST
from newsextract.page.data.compiled_jsx import is_compiled_jsx, jsx_to_html
from newsextract.page.data.javascript import MIN_LITERAL, Json, read_json
from newsextract.page.data.prose import MIN_EAST_ASIAN_PROSE, plain_text, prose_size
from newsextract.page.data.rich_text import ASIDE_NAME, NAMES
from newsextract.page.data.scripts import DataValue
from newsextract.page.json_text import MAX_DEPTH, MAX_VALUES
from newsextract.page.page import Page
from newsextract.page.titles import title_candidates
from newsextract.text import MIN_TEXT, words_of
from newsextract.urls import split_url

#: Levels of JSON in strings.
MAX_NESTED = 3
#: Names of an object's headline and URL.
TITLE_NAMES = "headline title headlines name seoTitle displayTitle heading pageTitle Headline Title Name".split()
INNER_TITLE_NAMES = "basic rendered text value main title headline".split()
ADDRESS_NAMES = frozenset(
    """url slug link href permalink canonical_url canonicalUrl canonical path uri website_url urlPath fullPath pageUrl
    handle sku price Url Slug Link Path""".split()
)
#: Names of lists of other works, and of parts of a page that aren't the article.
OTHER_WORKS = re.compile("|".join(NAMES["other_works"]), re.I)
#: Names of members with program messages, or with what surrounds the text of a page.
AROUND = re.compile("|".join(NAMES["around"]), re.I)
#: A name that is an id, different for each member.
ID_NAME = re.compile(r"\d{2,}|^[0-9a-f-]{16,}$|:")
#: Names of members with an article's text, most telling first.
BODY_NAME = re.compile(
    r"body|content|article|story|paragraph|text|richtext|blocks?|elements?|markdown|html|nodes|components|children",
    re.I,
)
#: A member with the full text of a product, report or show, rather than a summary, has this many characters.
FULL_DESCRIPTION = "description"
#: Similarity from which on two headlines are the same; how much longer a longer version of a text is.
SAME_TITLE = 0.6
MIN_LONGER = 1.4
#: How many objects around a candidate are examined.
MAX_AROUND = 8
#: What each kind of evidence adds to the log of a candidate's size; characters beyond which more prose doesn't count.
TITLE = 2.0
ADDRESS = 1.0
OTHER_WORK = -1.6
BODY = 0.4
ENOUGH = 8_000
#: Minimum size of another part of the same object: as a share of the best candidate's characters, and in characters.
MIN_PART = 0.25
#: Share of a part's words in the best candidate from which on it is a copy.
MAX_KNOWN = 0.6
#: Number of items with text that make a list; minimum share of the page's prose in its largest part.
MIN_ITEMS = 4
#: Sources of titles that name the page's article.
TITLE_SOURCES = frozenset("og twitter title title-part json-ld-headline h1 anchor meta".split())

Path = tuple[str | int, ...]
#: Kinds of values that have members.
CONTAINERS = (dict, list)


@dataclass(frozen=True, slots=True)
class ProseString:
    """A string of prose: its position, its characters of prose, and the values around it, outermost first."""

    path: Path
    text: str
    size: int
    ancestors: tuple[Json, ...]


@dataclass(frozen=True)
class Candidate:
    """A value that may be the text; `item`: length of its list item's path or 0; `is_list`: all items of one."""

    data: DataValue
    path: Path
    value: Json
    strings: Sequence[ProseString]
    item: int = 0
    is_list: bool = False

    @cached_property
    def size(self) -> int:
        return sum(string.size for string in self.strings)

    @cached_property
    def text(self) -> str:
        return plain_text("\n".join(string.text for string in self.strings))

    @cached_property
    def around(self) -> list[tuple[int, dict[str, Json]]]:
        """The objects around it, innermost first, with the lengths of their paths."""
        around = enumerate(self.strings[0].ancestors[: len(self.path) + 1])
        return [(depth, one) for depth, one in around if isinstance(one, dict)][: -MAX_AROUND - 1 : -1]

    @property
    def works(self) -> Json:
        """The list of works that has it in an item."""
        return self.strings[0].ancestors[self.item - 1] if self.item else None

    @property
    def names(self) -> list[str]:
        steps = [name for step in self.path if isinstance(step, str) for name in step.split(".")]
        return [name for name in steps if name and not name.isdigit()]

    @property
    def is_declared(self) -> bool:
        """Whether JSON-LD declares it as the article's text."""
        return self.data.source == "json-ld"

    @property
    def path_text(self) -> str:
        return self.data.name + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in self.path)


def titles_of(thing: Mapping[str, Json]) -> Iterator[str]:
    for name in TITLE_NAMES:
        value = thing.get(name)
        if isinstance(value, dict):
            value = next((value[key] for key in INNER_TITLE_NAMES if isinstance(value.get(key), str)), None)
        if isinstance(value, str) and 3 < len(value) < 400:
            yield plain_text(value)


def title_similarity(thing: Mapping[str, Json], titles: Sequence[frozenset[str]]) -> float:
    """The best similarity (Jaccard) of a headline of an object to the page's titles."""
    own = [words for title in titles_of(thing) if len(words := set(words_of(title))) > 1]
    return max((len(words & other) / len(words | other) for words in own for other in titles), default=0.0)


# ---- prose ----------------------------------------------------------------------------------------------------------


def read_prose(values: Iterable[DataValue]) -> list[tuple[DataValue, list[ProseString]]]:
    """The values in a page's data, each with its strings of prose in document order."""
    budget = [MAX_VALUES]
    return [(data, list(_prose_strings(data, budget))) for data in values]


def _prose_strings(data: DataValue, budget: list[int]) -> Iterator[ProseString]:
    """The strings of prose in a value, including those in embedded JSON or compiled JSX."""
    stack: list[tuple[Json, Path, tuple[Json, ...], int]] = [(data.value, (), (), 0)]
    while stack and budget[0] > 0:
        value, path, above, nested = stack.pop()
        budget[0] -= 1
        if isinstance(value, str):
            if len(value) >= MIN_LITERAL and value[:1] in "{[" and nested < MAX_NESTED:
                inner = read_json(value)
                if isinstance(inner, CONTAINERS):
                    stack.append((inner, path, above, nested + 1))
                    continue
            if is_compiled_jsx(value):
                value = jsx_to_html(value)
            if size := prose_size(value):
                yield ProseString(path, value, size, above)
            continue
        if len(path) > MAX_DEPTH:
            continue
        members: Iterable[tuple[str | int, Json]] = ()
        if isinstance(value, dict):
            members = reversed(value.items())
        elif isinstance(value, list):
            members = zip(range(len(value) - 1, -1, -1), reversed(value), strict=True)
        inside = (*above, value)
        for name, member in members:
            if len(member) >= MIN_EAST_ASIAN_PROSE if isinstance(member, str) else isinstance(member, CONTAINERS):
                stack.append((member, (*path, name), inside, nested))


# ---- candidates -----------------------------------------------------------------------------------------------------


def find_candidates(prose: Iterable[tuple[DataValue, list[ProseString]]]) -> list[Candidate]:
    """The candidates of a page's data, most prose first."""
    found: list[Candidate] = []
    for data, strings in prose:
        groups: dict[tuple[Path, tuple[str, ...]], list[ProseString]] = {}
        works: dict[int, bool] = {}
        for string in strings:
            groups.setdefault((_work_path(string, works), _wild(string.path)), []).append(string)
        found += [_candidate(data, members, len(item)) for (item, _), members in groups.items()]
    return sorted(found, key=lambda candidate: -candidate.size)[:MAX_KEPT]


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


def _work_path(string: ProseString, works: dict[int, bool]) -> Path:
    """The path of the innermost item of a list of works with this string."""
    for level in range(len(string.path) - 1, -1, -1):
        holder, step = string.ancestors[level], string.path[level]
        if isinstance(step, int) or ID_NAME.search(step):
            if id(holder) not in works:
                works[id(holder)] = _is_list_of_works(holder)
            if works[id(holder)]:
                return string.path[: level + 1]
    return ()


def _is_list_of_works(holder: Any) -> bool:
    """Whether more than a third of the members of a list, or of an object with ids as names, are works."""
    members = (holder if isinstance(holder, list) else list(holder.values()))[:40]
    works = 0
    for one in members:
        if isinstance(one, dict):
            inner = (one.get(key) for key in ("node", "attributes", "fields", "item"))
            one = next((each for each in inner if isinstance(each, dict)), one)
            works += any(titles_of(one)) and not ADDRESS_NAMES.isdisjoint(one)
    return works > len(members) // 3


def _candidate(data: DataValue, strings: list[ProseString], item: int) -> Candidate:
    """The candidate of a group: the smallest value that contains it; for a group of one, the string itself."""
    first = strings[0]
    if len(strings) == 1:
        return Candidate(data, first.path, first.text, strings, item)
    depth = len(first.path)
    for string in strings[1:]:
        pairs = zip(first.path[:depth], string.path, strict=False)
        depth = next((place for place, (one, other) in enumerate(pairs) if one != other), min(depth, len(string.path)))
    depth = min(depth, len(first.ancestors) - 1)
    return Candidate(data, first.path[:depth], first.ancestors[depth], strings, item)


# ---- ranking --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PageClues:
    """What a page outside its data says about its article: titles as sets of words, the URL's path."""

    titles: tuple[frozenset[str], ...]
    path: str


def clues_of(page: Page) -> PageClues:
    titles = {
        frozenset(words)
        for title in title_candidates(page)
        if title.source in TITLE_SOURCES and len(words := words_of(title.text)) > 1
    }
    parts = split_url(page.url or page.meta.get("og:url") or "")
    path = unquote(parts.path).strip("/").lower() if parts else ""
    return PageClues(tuple(titles), path)


def rank(candidates: Sequence[Candidate], clues: PageClues) -> list[tuple[float, Candidate]]:
    """The candidates with their scores, best first."""
    return sorted(((score(candidate, clues), candidate) for candidate in candidates), key=lambda row: -row[0])


def score(candidate: Candidate, clues: PageClues) -> float:
    """Log of the candidate's characters, up to ENOUGH, plus the evidence for and against it."""
    value = log(1 + min(candidate.size, ENOUGH)) + 0.2 * log(1 + max(0, candidate.size - ENOUGH))
    value += TITLE * title_match(candidate, clues)
    value += ADDRESS * any(_has_address(thing, clues.path) for _, thing in candidate.around[:4])
    names = candidate.names
    value += OTHER_WORK * min(2, sum(_is_other(name, candidate) for name in names[-6:]))
    value += BODY * any(BODY_NAME.search(name) for name in names[-3:])
    return value


def title_match(candidate: Candidate, clues: PageClues) -> float:
    """The best similarity of the candidate's headlines to a title of the page; 0 if its name is one of `tags`."""
    names = candidate.names
    if names and _is_other(names[-1], candidate):
        return 0.0
    return max((title_similarity(thing, clues.titles) for _, thing in candidate.around), default=0.0)


def _is_other(name: str, candidate: Candidate) -> bool:
    """Whether a name in a candidate's path marks it as something other than the text of its object."""
    if OTHER_WORKS.search(name) is None:
        return False
    is_full = candidate.size >= MIN_TEXT and name.lower().endswith(FULL_DESCRIPTION)
    return not is_full or candidate.item > 0 or any("@type" in thing for _, thing in candidate.around[:1])


def _has_address(thing: dict[str, Json], path: str) -> bool:
    for name in ADDRESS_NAMES if path else ():
        value = thing.get(name)
        if isinstance(value, str) and 3 < len(value) < 500:
            own = unquote(value.partition("?")[0]).strip("/").lower()
            if len(own) > 3 and (own == path or path.endswith(f"/{own}") or own.endswith(f"/{path}")):
                return True
    return False


# ---- what belongs together ------------------------------------------------------------------------------------------


def widen(best: Candidate, others: Sequence[Candidate], clues: PageClues) -> Candidate:
    """The candidate, or the object with the page's headline around it if other parts have prose, or its list."""
    if best.is_declared:
        return best
    titled = [(n, one) for n, one in best.around if title_similarity(one, clues.titles) >= SAME_TITLE]
    if best.item and not any(depth >= best.item for depth, _ in titled):
        items = [best, *(one for one in others if one.works is best.works)]
        if len({one.path[: one.item] for one in items}) < MIN_ITEMS:
            return best
        strings = [string for one in items for string in one.strings]
        return replace(best, path=best.path[: best.item - 1], value=best.works, strings=strings, is_list=True)
    if titled:
        depth, thing = titled[0]
        parts = [one for one in others if _is_part(one, depth, thing, best)]
        if parts:
            return replace(best, path=best.path[:depth], value=thing, strings=[*best.strings, *parts[0].strings])
    return best


def _is_part(one: Candidate, depth: int, thing: dict[str, Json], best: Candidate) -> bool:
    """Whether a candidate is another text of the object at this depth of its path, and not of another work in it."""
    if one.size < max(MIN_TEXT, MIN_PART * best.size) or one.item or not any(it is thing for _, it in one.around):
        return False
    names = [step for step in one.strings[0].path[depth:] if isinstance(step, str)]
    if any(OTHER_WORKS.search(name) or ASIDE_NAME.match(name) for name in names):
        return False
    shared = min(len(one.path), len(best.path))
    if one.path[:shared] == best.path[:shared]:
        return False
    words, known = Counter(words_of(one.text)), Counter(words_of(best.text))
    return (words & known).total() < MAX_KNOWN * words.total()


def largest_part(prose: Iterable[tuple[DataValue, list[ProseString]]]) -> Candidate | None:
    """The smallest value with at least half of the prose in a page's data; None without prose."""
    sizes: Counter[int] = Counter()
    places: dict[int, tuple[DataValue, ProseString, int]] = {}
    total = 0
    for data, strings in prose:
        for string in strings:
            if not any(isinstance(step, str) and AROUND.search(step) for step in string.path):
                total += string.size
                for depth, value in enumerate((*string.ancestors, string.text)):
                    sizes[id(value)] += string.size
                    places.setdefault(id(value), (data, string, depth))
    large = [places[key] for key, size in sizes.items() if size >= MOST * total]
    if not large:
        return None
    data, string, depth = max(large, key=lambda place: place[2])
    return Candidate(data, string.path[:depth], (*string.ancestors, string.text)[depth], [string])
