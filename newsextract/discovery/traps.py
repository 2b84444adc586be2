"""Crawler traps: calendars, filter combinations, growing paths, generated host names.

Some traps show in the URL alone: its path repeats a segment, or its query is longer than any real one. Calendars look
like news archives, but lead to nothing new: if page after page of a `folder_shape` was not an article and linked to no
other shape, the rest of that shape isn't fetched. Filters make new shapes by their combinations, so that all queries of
a path, and all that is below a folder, are counted together, too.
"""

from collections import Counter
from collections.abc import Collection
from functools import lru_cache
from urllib.parse import urlsplit

from newsextract.limits import MAX_REMEMBERED
from newsextract.text import DIGITS
from newsextract.urls import REMEMBERED
from newsextract.urls.shapes import folder_shape

#: Pages of one folder shape in a row without an article or a link to another shape that make it a trap.
MAX_BARREN_PAGES = 60
#: The same for the queries of one path with several parameters, which are hardly ever more than filters.
MAX_BARREN_COMBINATIONS = 20
#: In a row, too, in the groups that are larger than a shape: this many for each page of theirs that was useful.
BARREN_PER_USEFUL = 10
#: How often a segment may occur in a path, and the limits of segments and parameters.
MAX_REPEATS = 3
MAX_SEGMENTS = 20
MAX_PARAMETERS = 12
#: Maximum hosts below a given site.
MAX_HOSTS = 500


class TrapDetector:
    """Counts, per group of URLs, the pages that led out of it and those that led nowhere, and recognises traps."""

    def __init__(self) -> None:
        self._barren: Counter[str] = Counter()
        self._useful: Counter[str] = Counter()
        self._hosts: set[str] = set()

    def trap_reason(self, url: str) -> str | None:
        """The kind of trap ("path", "query", "barren", "hosts"); None for other URLs, whose host then counts."""
        parts = urlsplit(url)
        segments = Counter(filter(None, parts.path.split("/")))
        if segments.total() > MAX_SEGMENTS or max(segments.values(), default=0) > MAX_REPEATS:
            return "path"
        if parts.query.count("&") >= MAX_PARAMETERS:
            return "query"
        if any(map(self._leads_nowhere, groups_of(url))):
            return "barren"
        if len(self._hosts) >= MAX_HOSTS and parts.netloc not in self._hosts:
            return "hosts"
        self._hosts.add(parts.netloc)
        return None

    def record_page(self, url: str, is_useful: bool) -> bool:
        """Counts a page, `is_useful` if it is an article; whether it makes one of its groups a trap."""
        if is_useful:
            self.record_links(url, None)
            return False
        groups = groups_of(url)
        trapped = sum(map(self._leads_nowhere, groups))
        self._barren.update(group for group in groups if group in self._barren or len(self._barren) < MAX_REMEMBERED)
        return sum(map(self._leads_nowhere, groups)) > trapped

    def record_links(self, url: str, found: Collection[str] | None) -> None:
        """Counts a page as useful for the groups that new links on it lead out of; None: for all of its groups."""
        others = [*map(groups_of, found or ())]
        for group in groups_of(url):
            if found is None or any(group not in groups for groups in others):
                if group != folder_shape(url) and (group in self._useful or len(self._useful) < MAX_REMEMBERED):
                    self._useful[group] += 1
                del self._barren[group]

    def _leads_nowhere(self, group: str) -> bool:
        limit = MAX_BARREN_COMBINATIONS if group.endswith("?&") else MAX_BARREN_PAGES
        return self._barren[group] >= max(limit, BARREN_PER_USEFUL * self._useful[group])


@lru_cache(REMEMBERED)
def groups_of(url: str) -> tuple[str, ...]:
    """The machine-made series that a URL may belong to, smallest first: the URLs of its folder shape; with several
    parameters at its path; below any folder of it, in which filters may be combined."""
    parts = urlsplit(url)
    path = DIGITS.sub("9", parts.path)
    folders = path.split("/")[1:-1]
    above = (f"{parts.netloc}/{'/'.join(folders[:depth])}/**" for depth in range(len(folders), 0, -1))
    return (folder_shape(url), *((f"{parts.netloc}{path}?&",) if "&" in parts.query else ()), *above)
