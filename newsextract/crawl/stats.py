"""The figures of a crawl by name, read from Scrapy's statistics: what progress and summary show."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

DROPPED = "newsextract/dropped/"


@dataclass(frozen=True, slots=True)
class Figures:
    """Pages read, articles by what became of them, and pages dropped by reason."""

    pages: int
    new: int
    changed: int
    unchanged: int
    dropped: dict[str, int]

    @property
    def articles(self) -> int:
        """Articles met, whether or not there was anything to store."""
        return self.new + self.changed + self.unchanged


def figures(stats: Mapping[str, Any]) -> Figures:
    """The figures so far."""
    dropped = {name.removeprefix(DROPPED): number for name, number in list(stats.items()) if name.startswith(DROPPED)}
    return Figures(
        pages=stats.get("newsextract/pages", 0),
        new=stats.get("newsextract/articles/new", 0),
        changed=stats.get("newsextract/articles/changed", 0),
        unchanged=stats.get("newsextract/articles/unchanged", 0),
        dropped=dict(sorted(dropped.items(), key=lambda pair: (-pair[1], pair[0]))),
    )
