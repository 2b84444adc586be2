"""Candidates for the article's text in a page's data: groups of prose strings at one kind of path.

Strings of prose are grouped by their path, indices left out (`props.pageProps.article.content[].text`): the paragraphs
of an article have one. A group's *container* is the smallest value that holds all of it, rendered as a whole, so that
headings and lists between the paragraphs are kept. A list of works (items with a headline and an address) is no
container: each item is a candidate of its own.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from newsextract.page.data.compiled_jsx import is_compiled_jsx, read_compiled_jsx
from newsextract.page.data.javascript import read_json
from newsextract.page.data.prose import plain_text, prose_size
from newsextract.page.data.scripts import DataValue
from newsextract.text import words_of

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
WORK_LISTS = re.compile(
    r"related|recommend|latest|recent|trending|popular|more|next|teaser|similar|articles|posts|stories|results|feed|edges|nodes",
    re.I,
)
#: A name that is an id, which differs from member to member.
ID_NAME = re.compile(r"\d{2,}|^[0-9a-f-]{16,}$|:")
#: Names of members that declare the article's text; of members of React elements that are rendered.
DECLARED = re.compile(r"article_?body(?:_?(?:text|html))?$", re.I)
RENDERED_NAMES = frozenset({"children", "__html"})
#: Lists in an article's object that are its parts, though each has a headline and an address.
PART_LISTS = re.compile(
    r"body|content|section|chapter|block|element|part|paragraph|component|slice|item|row|module|page", re.I
)
#: Similarity from which on two headlines are the same.
SAME_TITLE = 0.6
#: Objects around a candidate that are looked at.
MAX_OWNERS = 8

Path = tuple[str | int, ...]


@dataclass(slots=True)
class ProseString:
    path: Path
    text: str
    size: int
    ancestors: tuple[Any, ...]


@dataclass(slots=True)
class Candidate:
    """A value that may be the article's text. `size`: characters of prose; `owners`: the objects around it, inmost
    first; `is_declared`: whether the data say that it is the article's text (`articleBody`); `rendered`: the elements
    of the whole page, for text that stands in elements of React.

    `location`: its path; `depths`: lengths of the paths of the owners; `name`: of its strings; `position`: its number
    among all candidates; `works`: the list of works that it stands in an item of, `item_depth`: length of the path of
    that item; `is_list`: whether it is all items of such a list."""

    source: str
    path: str
    value: Any
    size: int
    texts: list[str]
    owners: list[dict[str, Any]] = field(default_factory=list)
    is_declared: bool = False
    rendered: list[Any] | None = None
    location: Path = ()
    depths: list[int] = field(default_factory=list)
    name: str = ""
    position: int = 0
    works: Any = None
    item_depth: int = 0
    is_list: bool = False

    @property
    def names(self) -> list[str]:
        """The names of its path, without that of the data themselves (`__NEXT_DATA__`); without numbers."""
        if not self.location:
            return self.path.split(".")[1:]
        steps = [name for step in self.location if isinstance(step, str) for name in step.split(".")]
        return [name for name in steps if name and not name.isdigit()]


def titles_of(owner: Mapping[str, Any]) -> Iterator[str]:
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


def find_candidates(values: Iterable[DataValue], titles: Sequence[frozenset[str]] = ()) -> list[Candidate]:
    """The candidates of a page's data, most prose first. `titles`: of the page, as sets of words."""
    found: list[Candidate] = []
    budget = [MAX_VALUES]
    for data in values:
        strings = list(prose_strings(data, budget))
        found += _grouped(data, strings, titles, len(found))
    found.sort(key=lambda candidate: -candidate.size)
    return found[:MAX_CANDIDATES]


def prose_strings(data: DataValue, budget: list[int]) -> Iterator[ProseString]:
    """The strings of prose in document order. Strings that are JSON are read in their places."""
    stack: list[tuple[Any, Path, tuple[Any, ...], int]] = [(data.value, (), (), 0)]
    count = 0
    while stack and budget[0] > 0 and count < MAX_STRINGS:
        value, path, above, nested = stack.pop()
        budget[0] -= 1
        if isinstance(value, str):
            if len(value) >= MIN_NESTED and value[:1] in "{[" and nested < MAX_NESTED:
                inner = read_json(value)
                if isinstance(inner, dict | list):
                    stack.append((inner, path, above, nested + 1))
                    continue
            if nested < MAX_NESTED and is_compiled_jsx(value):
                stack.append((read_compiled_jsx(value), path, above, MAX_NESTED))
                continue
            if size := prose_size(value):
                count += 1
                yield ProseString(path, value, size, above)
            continue
        if len(path) > MAX_DEPTH or any(value is one for one in above[-60:]):
            continue
        inside = (*above, value)
        if isinstance(value, dict):
            members: list[tuple[str | int, Any]] = list(value.items())
        else:
            members = list(enumerate(value))
        for name, member in reversed(members):
            if isinstance(member, dict | list) or (isinstance(member, str) and len(member) >= 20):
                stack.append((member, (*path, name), inside, nested))


def _wild(path: Path) -> tuple[str, ...]:
    """A path without indices and ids, repeated steps of trees once."""
    steps: list[str] = []
    for step in path:
        name = "[]" if isinstance(step, int) or ID_NAME.search(step) else step
        steps.append(name)
    out: list[str] = []
    for step in steps:
        out.append(step)
        for length in (1, 2, 3, 4):
            if len(out) >= 2 * length and out[-length:] == out[-2 * length : -length]:
                del out[-length:]
                break
    return tuple(out)


def title_similarity(owner: Mapping[str, Any], titles: Sequence[frozenset[str]]) -> float:
    """The best similarity (Jaccard) of a headline of an object to the page's titles."""
    best = 0.0
    for title in titles_of(owner):
        words = set(words_of(title))
        if len(words) > 1:
            best = max([best, *(len(words & other) / len(words | other) for other in titles)])
    return best


def _grouped(
    data: DataValue, strings: list[ProseString], titles: Sequence[frozenset[str]], position: int
) -> list[Candidate]:
    """The candidates of one value, in its order; `position`: the number of the first one."""
    groups: dict[tuple[Path, tuple[str, ...]], list[ProseString]] = {}
    works: dict[int, bool] = {}
    for string in strings:
        key = (_work_path(string, works, titles), _wild(string.path))
        groups.setdefault(key, []).append(string)
    candidates = [_candidate(data, members, item) for (item, _), members in groups.items()]
    for number, candidate in enumerate(candidates, position):
        candidate.position = number
    return candidates


def _work_path(string: ProseString, works: dict[int, bool], titles: Sequence[frozenset[str]]) -> Path:
    """The path of the innermost item of a list of works that a string stands in."""
    for level in range(len(string.path) - 1, -1, -1):
        holder = string.ancestors[level] if level < len(string.ancestors) else None
        if isinstance(holder, list | dict) and (
            isinstance(string.path[level], int) or ID_NAME.search(str(string.path[level]))
        ):
            if id(holder) not in works:
                works[id(holder)] = _is_list_of_works(holder) and not _is_part_of_article(
                    string.ancestors[:level], string.path[:level], titles
                )
            if works[id(holder)]:
                return string.path[: level + 1]
    return ()


def _is_part_of_article(above: Sequence[Any], path: Path, titles: Sequence[frozenset[str]]) -> bool:
    """Whether a list stands in the object with the page's headline, and not as its list of other works."""
    name = next((step for step in reversed(path) if isinstance(step, str)), "")
    if WORK_LISTS.search(name) or not PART_LISTS.search(name):
        return False
    owners = [one for one in above[-4:] if isinstance(one, dict)]
    return any(title_similarity(owner, titles) >= SAME_TITLE for owner in owners)


def _is_list_of_works(holder: Any) -> bool:
    members = holder if isinstance(holder, list) else list(holder.values())
    objects = [one for one in members[:40] if isinstance(one, dict)]
    objects = [
        next((one[key] for key in ("node", "attributes", "fields", "item") if isinstance(one.get(key), dict)), one)
        for one in objects
    ]
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
        DECLARED.match(str(first.path[-1] if first.path else "")) is not None,
        data.rendered if _is_child(first) else None,
        path,
        [length for length, _ in around],
        next((step for step in reversed(first.path) if isinstance(step, str)), ""),
        works=first.ancestors[len(item) - 1] if item else None,
        item_depth=len(item),
    )


def _is_child(string: ProseString) -> bool:
    """Whether a string is a child of a React element, not a value that a component was given."""
    names = [step for step in string.path if isinstance(step, str)]
    return bool(names) and names[-1] in RENDERED_NAMES


def path_text(name: str, path: Path) -> str:
    return name + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
