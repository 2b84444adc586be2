"""How a URL was found: one record, from the link or list that names it to its row in the frontier, and back."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from newsextract.discovery.entries import Entry
from newsextract.items import Listing

#: Key of a request's meta: its `FoundUrl`.
FOUND = "found_url"
#: Keys of the column `meta` of a URL's row that a `FoundUrl` has: of a list that has it, and of its request.
LIST_NAMES = ("listing", "listed_in", "date", "map_date")
REQUEST_NAMES = ("asked_for", "named_by_page", "guessed", "place")
META_NAMES = LIST_NAMES + REQUEST_NAMES


class UrlRow(Protocol):
    """The columns of the table `urls` that say how a URL was found."""

    url: str
    anchor_text: str | None
    depth: int
    referrer: str | None
    meta: str | None


@dataclass(frozen=True, slots=True)
class FoundUrl:
    """A URL with what was known of it before it was fetched.

    `anchor_text`: of a link, or the title in a list; `listed_in`: `priority.UrlKind`, "" for a link; `found_on`: the
    URL of the page or list, None for the page being committed; `depth`: links from the front page; `listing`: what a
    list says of the page, and `date`, its date there; `map_date`: the age that its place among sitemaps suggests, for
    its priority alone; `left_out`: why the run's arguments leave it out, if they do.

    `asked_for`: the URL that the user gave, which it is or stands for; `named_by_page`: it is a feed that the page at
    that URL names; `guessed`: nothing names it; `place`: of a sitemap in its index, from 1.
    """

    url: str
    anchor_text: str = ""
    listed_in: str = ""
    found_on: str | None = None
    depth: int = 0
    listing: Listing | None = None
    date: datetime | None = None
    map_date: datetime | None = None
    left_out: str = ""
    priority: int = 0
    asked_for: str = ""
    named_by_page: bool = False
    guessed: bool = False
    place: int = 0

    @property
    def list_url(self) -> str:
        """The list that has it, if any."""
        return self.found_on or "" if self.listed_in else ""

    @classmethod
    def of_entry(cls, entry: Entry, kind: str, found_on: str) -> "FoundUrl":
        """As a list has it; `kind`: of `priority.UrlKind`."""
        return cls(entry.url, entry.title, str(kind), found_on, 1, entry.listing, entry.date)

    @classmethod
    def of_row(cls, row: UrlRow, *, with_listing: bool = True) -> "FoundUrl":
        """As the frontier has it; its priority doesn't depend on the listing."""
        meta: Mapping[str, Any] = json.loads(row.meta) if row.meta else {}
        date, map_date = (datetime.fromisoformat(meta[name]) if meta.get(name) else None for name in LIST_NAMES[2:])
        listed_in = str(meta.get("listed_in", ""))
        listing = Listing.from_dict(meta.get("listing")) if with_listing else None
        known = (listed_in, row.referrer, row.depth, listing, date, map_date)
        of_request = {name: meta[name] for name in REQUEST_NAMES if name in meta} if meta else {}
        return cls(row.url, row.anchor_text or "", *known, **of_request)

    def row_meta(self) -> dict[str, object]:
        """What has no column of its own in the row, as JSON values."""
        meta = list_meta(self.listed_in, self.listing, self.date)
        if self.map_date is not None:
            meta["map_date"] = self.map_date.isoformat()
        return meta | {name: value for name in REQUEST_NAMES if (value := getattr(self, name))}


#: What is known of a URL without a `FoundUrl`.
NOT_KNOWN = FoundUrl("")


def found_in(meta: Mapping[str, Any]) -> FoundUrl:
    """What a request's meta says of how its URL was found."""
    found = meta.get(FOUND)
    return found if isinstance(found, FoundUrl) else NOT_KNOWN


def list_meta(kind: str, listing: Listing | None, date: datetime | None) -> dict[str, object]:
    """What a list says about a page, as JSON values for the row of its URL; `kind`: of `priority.UrlKind`."""
    meta: dict[str, object] = {"listing": listing.to_dict()} if listing is not None else {}
    if kind:
        meta["listed_in"] = str(kind)
    return meta if date is None else {**meta, "date": date.isoformat()}
