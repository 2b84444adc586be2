"""The memory of a site, for people: its templates, URL patterns, and lines common to many pages."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from newsextract.limits import NEARLY_ALL
from newsextract.site_profile.page_evidence import MANY_SHARE, RARE_PAGES
from newsextract.site_profile.summary import PageSummary, hash_of
from newsextract.text import letters_and_digits
from newsextract.urls.shapes import url_shape

#: Share of equal values from which on two signatures are of one template.
SAME_TEMPLATE = 0.6
#: A page in the memory of a site, and why it isn't an article, or None.
KnownPage = tuple[PageSummary, str | None]


@dataclass(slots=True)
class PageGroup:
    """Pages of one template or URL pattern; `reasons`: why each isn't an article, or None."""

    name: str
    example: str
    reasons: list[str | None] = field(default_factory=list)

    @property
    def articles(self) -> int:
        """How many of the pages are articles."""
        return self.reasons.count(None)

    @property
    def kind(self) -> str:
        """What most of the pages are."""
        if self.articles >= NEARLY_ALL * len(self.reasons):
            return "articles"
        if self.articles > (1 - NEARLY_ALL) * len(self.reasons):
            return "mixed"
        return Counter(reason for reason in self.reasons if reason is not None).most_common(1)[0][0]


def group_by_address(pages: Iterable[KnownPage]) -> list[PageGroup]:
    """The URL patterns of the pages, most frequent first."""
    groups: dict[str, PageGroup] = {}
    for summary, reason in sorted(pages, key=lambda page: page[0].url):
        pattern = url_shape(summary.url).pattern
        groups.setdefault(pattern, PageGroup(pattern, summary.url)).reasons.append(reason)
    return sorted(groups.values(), key=lambda group: (-len(group.reasons), group.example))


def group_by_template(pages: Iterable[KnownPage]) -> list[PageGroup]:
    """The templates of the pages, most frequent first, numbered."""
    groups: dict[frozenset[int], PageGroup] = {}
    for summary, reason in sorted(pages, key=lambda page: page[0].url):
        signature = frozenset(summary.template.tolist())
        alike = (
            other for other in groups if len(signature & other) >= SAME_TEMPLATE * max(1, len(signature), len(other))
        )
        template = next(alike, signature)
        groups.setdefault(template, PageGroup("", summary.url)).reasons.append(reason)
    ordered = sorted(groups.values(), key=lambda group: (-len(group.reasons), group.example))
    for number, group in enumerate(ordered, 1):
        group.name = str(number)
    return ordered


def find_furniture(pages: Sequence[KnownPage], texts: Iterable[str]) -> list[tuple[str, int]]:
    """Which of the texts (lines of some pages of the site) are on many pages, and on how many, most frequent first."""
    counts = Counter(key for summary, _ in pages for key in np.unique(summary.rows["key"]).tolist())
    least = max(RARE_PAGES, MANY_SHARE * len(pages))
    lines = list(dict.fromkeys(text.strip() for text in texts))
    found: dict[int, tuple[str, int]] = {}
    for line in lines:
        key = hash_of(letters_and_digits(line))
        if key and counts[key] >= least:
            found.setdefault(key, (line, counts[key]))
    return sorted(found.values(), key=lambda pair: (-pair[1], -len(pair[0]), pair[0]))
