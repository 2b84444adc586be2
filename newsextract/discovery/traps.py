"""Crawler traps: calendars, filter combinations, growing paths, generated host names.

Some traps show in the URL alone: its path repeats a segment, or its query is longer than any real one. Calendars look
like news archives, but lead to nothing new: if page after page of a `folder_shape` was not an article and linked to no
other shape, the rest of that shape isn't fetched.
"""

from collections import Counter
from urllib.parse import urlsplit

from newsextract.pairing.url_shapes import folder_shape

#: Pages of one folder shape in a row without an article or a link to another shape that make it a trap.
MAX_BARREN_PAGES = 60
#: How often a segment may occur in a path, and the limits of segments and parameters.
MAX_REPEATS, MAX_SEGMENTS, MAX_PARAMETERS = 3, 20, 12
#: Maximum hosts in a crawl that may leave the given ones.
MAX_HOSTS = 500
#: Maximum folder shapes that are counted; a site that generates more isn't recognised.
MAX_SHAPES = 50_000


class TrapDetector:
    """Counts, per folder shape, the pages that led nowhere, and recognises traps."""

    def __init__(self) -> None:
        self._barren: Counter[str] = Counter()
        self._hosts: set[str] = set()

    def trap_reason(self, url: str) -> str | None:
        """The kind of trap ("path", "query", "barren", "hosts"); None for other URLs, whose host then counts."""
        parts = urlsplit(url)
        segments = Counter(filter(None, parts.path.split("/")))
        if segments.total() > MAX_SEGMENTS or max(segments.values(), default=0) > MAX_REPEATS:
            return "path"
        if parts.query.count("&") >= MAX_PARAMETERS:
            return "query"
        if self._barren[folder_shape(url)] >= MAX_BARREN_PAGES:
            return "barren"
        if len(self._hosts) >= MAX_HOSTS and parts.netloc not in self._hosts:
            return "hosts"
        self._hosts.add(parts.netloc)
        return None

    def record_page(self, url: str, is_useful: bool) -> bool:
        """Counts a page, `is_useful` if it led to anything new; whether it makes its shape a trap."""
        shape = folder_shape(url)
        if is_useful:
            del self._barren[shape]
        elif shape in self._barren or len(self._barren) < MAX_SHAPES:
            self._barren[shape] += 1
        return not is_useful and self._barren[shape] == MAX_BARREN_PAGES
