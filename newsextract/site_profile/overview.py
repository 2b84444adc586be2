"""The memory of a site, for people: its templates, its forms of address, and the lines that many pages have."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from newsextract.pairing import url_shape
from newsextract.site_profile.summary import PageSummary, folded_lines, hash_of

#: Share of equal values from which on two signatures are of one template.
SAME_TEMPLATE = 0.6
#: A line is furniture if it stands on this share of the pages, and on this many.
FURNITURE_SHARE, FURNITURE_PAGES = 0.1, 3
#: Share of the pages of a group that makes it one of articles, or of other pages.
MOST = 0.8


@dataclass(frozen=True, slots=True)
class KnownPage:
    """A page in the memory of a site; `reason`: why it isn't an article, None for one."""

    summary: PageSummary
    reason: str | None


@dataclass(slots=True)
class PageGroup:
    """Pages of one template or one form of address (`name`); `reasons`: pages by why they aren't articles."""

    name: str
    example: str
    pages: int = 0
    reasons: Counter[str | None] = field(default_factory=Counter)

    @property
    def articles(self) -> int:
        """How many of the pages are articles."""
        return self.reasons[None]

    @property
    def kind(self) -> str:
        """What most of the pages are."""
        if self.articles >= MOST * self.pages:
            return "articles"
        if self.articles > (1 - MOST) * self.pages:
            return "mixed"
        return next(reason for reason, _ in self.reasons.most_common() if reason is not None)

    def add(self, page: KnownPage) -> None:
        """Counts a page."""
        self.pages += 1
        self.reasons[page.reason] += 1


def group_by_address(pages: Iterable[KnownPage]) -> list[PageGroup]:
    """The forms of address of the pages, the commonest first."""
    groups: dict[str, PageGroup] = {}
    for page in sorted(pages, key=lambda page: page.summary.url):
        pattern = url_shape(page.summary.url).pattern
        groups.setdefault(pattern, PageGroup(pattern, page.summary.url)).add(page)
    return _commonest_first(groups.values())


def group_by_template(pages: Iterable[KnownPage]) -> list[PageGroup]:
    """The templates of the pages, the commonest first, each named by a number."""
    groups: list[tuple[frozenset[int], PageGroup]] = []
    for page in sorted(pages, key=lambda page: page.summary.url):
        signature = frozenset(page.summary.template.tolist())
        group = next((group for other, group in groups if _likeness(signature, other) >= SAME_TEMPLATE), None)
        if group is None:
            group = PageGroup("", page.summary.url)
            groups.append((signature, group))
        group.add(page)
    ordered = _commonest_first(group for _, group in groups)
    for number, group in enumerate(ordered, 1):
        group.name = str(number)
    return ordered


def find_furniture(pages: Sequence[KnownPage], texts: Iterable[str]) -> list[tuple[str, int]]:
    """Those of the texts (lines of some pages of the site) that many pages have, with how many, the commonest first."""
    keys = [np.unique(page.summary.rows["key"]) for page in pages]
    counts = Counter(np.concatenate(keys).tolist() if keys else [])
    least = max(FURNITURE_PAGES, FURNITURE_SHARE * len(pages))
    lines = list(dict.fromkeys(text.strip() for text in texts))
    found: dict[int, tuple[str, int]] = {}
    for line, letters in zip(lines, folded_lines(lines), strict=True):
        key = hash_of(letters)
        if key and counts[key] >= least:
            found.setdefault(key, (line, counts[key]))
    return sorted(found.values(), key=lambda pair: (-pair[1], -len(pair[0]), pair[0]))


def _likeness(first: frozenset[int], second: frozenset[int]) -> float:
    return len(first & second) / max(1, len(first), len(second))


def _commonest_first(groups: Iterable[PageGroup]) -> list[PageGroup]:
    return sorted(groups, key=lambda group: (-group.pages, group.example))
