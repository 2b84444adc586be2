"""A crawl's totals, read from Scrapy's stats for progress lines and the summary."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

#: Prefix of the stats that count dropped pages by reason.
DROPPED = "newsextract/dropped/"


@dataclass(frozen=True, slots=True)
class CrawlStats:
    """Pages extracted, articles by what the store did with them, and dropped pages by reason (most frequent first)."""

    pages: int
    new: int
    changed: int
    unchanged: int
    dropped: dict[str, int]

    @property
    def articles(self) -> int:
        """All articles met in the crawl, whether or not anything had to be stored."""
        return self.new + self.changed + self.unchanged


def read_stats(stats: Mapping[str, Any]) -> CrawlStats:
    """The totals in a crawler's stats at this moment (`crawler.stats.get_stats()`)."""
    dropped = {name.removeprefix(DROPPED): count for name, count in list(stats.items()) if name.startswith(DROPPED)}
    return CrawlStats(
        pages=stats.get("newsextract/pages", 0),
        new=stats.get("newsextract/articles/new", 0),
        changed=stats.get("newsextract/articles/changed", 0),
        unchanged=stats.get("newsextract/articles/unchanged", 0),
        dropped=dict(sorted(dropped.items(), key=lambda pair: (-pair[1], pair[0]))),
    )


def format_duration(seconds: float) -> str:
    """A duration as people write it: 7 s, 2:05, 1:02:03."""
    total = round(seconds)
    if total < 60:
        return f"{total} s"
    hours, rest = divmod(total, 3600)
    minutes, rest = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
