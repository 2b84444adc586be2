"""Crawler traps: calendars, filter combinations, paths that grow, host names made up by a name server.

Some traps show in the URL alone: its path repeats a segment, or its query is longer than any real one. Calendars look
like archives of news; they differ in that they lead to nothing new: when page after page of one `folder_shape` was no
article and linked to nothing of another shape, the rest of that shape is not fetched.
"""

from collections import Counter
from urllib.parse import urlsplit

from newsextract.pairing.url_shapes import folder_shape

#: Pages of one folder shape in a row without an article or a link to another shape, after which it counts as a trap.
MAX_BARREN_PAGES = 60
#: How often a segment may stand in a path, and how many segments and parameters there may be.
MAX_REPEATS, MAX_SEGMENTS, MAX_PARAMETERS = 3, 20, 12
#: Hosts that one crawl fetches from, where it may leave those given.
MAX_HOSTS = 500
#: Folder shapes that are counted; further ones of a site that makes up more are not recognised.
MAX_SHAPES = 50_000


class TrapDetector:
    """Counts, per folder shape, the pages that led nowhere; names the trap a URL belongs to."""

    def __init__(self) -> None:
        self._barren: Counter[str] = Counter()
        self._hosts: set[str] = set()

    def trap_reason(self, url: str) -> str | None:
        """The kind of trap ("path", "query", "barren", "hosts"); None for any other URL, whose host then counts."""
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
        """Counts a fetched page; `is_useful`: it was an article or linked to something new of another shape.

        Returns whether its shape counts as a trap from this page on.
        """
        shape = folder_shape(url)
        if is_useful:
            del self._barren[shape]
        elif shape in self._barren or len(self._barren) < MAX_SHAPES:
            self._barren[shape] += 1
        return not is_useful and self._barren[shape] == MAX_BARREN_PAGES
