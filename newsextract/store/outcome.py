"""What a crawl tells the store of a URL, and what the store answers."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum, auto
from typing import Literal

from newsextract.items import Article, Link

#: What a commit did with an article; "none" where the outcome brought none.
Kind = Literal["new", "changed", "unchanged", "none"]


class UrlState(StrEnum):
    """Where a URL stands in the ledger. A lease ends in exactly one of those after `held`."""

    queued = auto()
    leased = auto()
    held = auto()
    stored = auto()
    unchanged = auto()
    not_article = auto()
    dropped = auto()
    redirected = auto()
    retried = auto()
    refused = auto()
    failed = auto()


@dataclass(slots=True)
class Outcome:
    """All that one fetched (or given up) URL leaves behind; `Store.commit` writes it whole or not at all.

    `reason` says why for the states that need one; `links` enter the ledger as queued, one level deeper than `depth`.
    """

    url: str
    state: UrlState
    reason: str = ""
    article: Article | None = None
    links: Sequence[Link] = ()
    status: int | None = None
    etag: str | None = None
    last_modified: str | None = None
    page_hash: str | None = None
    depth: int = 0
    run: int | None = None
    at: datetime | None = None

    @property
    def when(self) -> datetime:
        """The time of the fetch; the present where none was given."""
        return self.at or datetime.now(UTC)


@dataclass(slots=True, frozen=True)
class Saved:
    """What became of an outcome. `article` is as stored: with version, hash and the time it was first seen."""

    kind: Kind = "none"
    key: str | None = None
    version: int = 0
    change: int | None = None
    canonical_refused: bool = False
    article: Article | None = None
