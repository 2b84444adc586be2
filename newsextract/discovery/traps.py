"""URLs without end: calendars, combinations of filters, paths that grow, hosts made up by a name server.

A URL is told by itself where its path repeats or its query is longer than any real one. Calendars look like archives of
news; what tells them apart is that nothing new stands behind them: when page after page of one shape was no article and
linked to nothing of another shape, the rest of that shape is left alone.
"""

import re
from collections import Counter
from functools import lru_cache
from urllib.parse import urlsplit

#: Pages of one shape in a row with nothing new behind them, after which there is no use in more.
BARREN = 60
#: How often a segment may stand in a path, and how many segments and parameters there may be.
MOST_REPEATS, MOST_SEGMENTS, MOST_PARAMETERS = 3, 20, 12
#: Hosts that one crawl goes to, where it may go beyond those given.
MOST_HOSTS = 500
#: Shapes that are remembered; a site that makes up more of them is not told from others.
MOST_SHAPES = 50_000


class Traps:
    """Learns which shapes lead nowhere. `refuses` says in a word why a URL is not worth asking for."""

    def __init__(self) -> None:
        self._barren: Counter[str] = Counter()
        self._hosts: set[str] = set()

    def refuses(self, url: str) -> str | None:
        """The kind of trap, None for an honest URL; a host counts as gone to from then on."""
        if (reason := endless(url)) is not None:
            return reason
        if self._barren[shape(url)] >= BARREN:
            return "barren"
        host = urlsplit(url).netloc
        if host not in self._hosts:
            if len(self._hosts) >= MOST_HOSTS:
                return "hosts"
            self._hosts.add(host)
        return None

    def learn(self, url: str, led_somewhere: bool) -> bool:
        """Counts a page that was an article or linked to something new of another shape, or neither.

        Whether its shape is left alone from now on.
        """
        key = shape(url)
        if led_somewhere:
            del self._barren[key]
        elif key in self._barren or len(self._barren) < MOST_SHAPES:
            self._barren[key] += 1
        return not led_somewhere and self._barren[key] == BARREN


def endless(url: str) -> str | None:
    """Why a URL is one of very many that some program makes up, as far as it shows by itself."""
    parts = urlsplit(url)
    segments = [segment for segment in parts.path.split("/") if segment]
    if len(segments) > MOST_SEGMENTS or max(Counter(segments).values(), default=0) > MOST_REPEATS:
        return "path"
    return "query" if parts.query.count("&") >= MOST_PARAMETERS else None


@lru_cache(20_000)
def shape(url: str) -> str:
    """What pages of one kind share: host and path with numbers made equal, without the last segment; query names."""
    parts = urlsplit(url)
    folder, _, _ = re.sub(r"\d+", "9", parts.path.rstrip("/")).rpartition("/")
    names = sorted({pair.partition("=")[0] for pair in parts.query.split("&")})
    return f"{parts.netloc}{folder}/*?{'&'.join(names)}"
