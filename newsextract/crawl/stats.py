"""A crawl's totals, read from Scrapy's stats for progress lines and the summary."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

#: Prefix of the stats that count dropped pages by reason.
DROPPED = "newsextract/dropped/"
#: Stat of the number of the crawl's run in the database.
RUN = "newsextract/run"
#: Prefix of the stats that count pages which were read before, by what became of them.
REFETCHED = "newsextract/refetched/"
#: Stat of a crawl that joined a run on which another process was at work.
JOINED = "newsextract/joined"
#: Stat of pages whose links could not be read: their worker process died, or took too long.
LINKS_NOT_READ = "newsextract/links_not_read"


@dataclass(frozen=True, slots=True)
class CrawlStats:
    """The pages that were asked for, by what each came to; every page counts once.

    `new`, `changed`, `unchanged`: articles, by what the store did with them; `aliases`: pages that turned out to be an
    article that another URL led to; `unchanged_pages`: pages that are as at the last fetch; `dropped`: the others
    by reason, most frequent first.
    """

    new: int
    changed: int
    unchanged: int
    aliases: int
    unchanged_pages: int
    dropped: dict[str, int]

    @property
    def pages(self) -> int:
        """All pages that were asked for: the sum of the others."""
        return self.articles + self.aliases + self.unchanged_pages + sum(self.dropped.values())

    @property
    def articles(self) -> int:
        """All articles met in the crawl, whether or not anything had to be stored."""
        return self.new + self.changed + self.unchanged


def read_stats(stats: Mapping[str, Any]) -> CrawlStats:
    """The totals in a crawler's stats at this moment (`crawler.stats.get_stats()`)."""
    dropped = {name.removeprefix(DROPPED): count for name, count in list(stats.items()) if name.startswith(DROPPED)}
    aliases = stats.get("newsextract/aliases", 0)
    return CrawlStats(
        new=stats.get("newsextract/articles/new", 0),
        changed=stats.get("newsextract/articles/changed", 0),
        unchanged=stats.get("newsextract/articles/unchanged", 0) - aliases,
        aliases=aliases,
        unchanged_pages=stats.get("newsextract/unchanged", 0),
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
