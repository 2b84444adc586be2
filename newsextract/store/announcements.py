"""Changes that a list announces: a later time of change in a feed or sitemap, or another title or teaser.

An article is due when its list says something newer than its last fetch, or than what it said then. Some sites stamp
everything daily, so an announcement is worth how many of the site's earlier ones proved true. That is derived: the time
in the list, the last fetch, and when the present version was fetched.
"""

import json
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, select

from newsextract.items import Listing
from newsextract.reasons import UrlState
from newsextract.store.outcome import LISTING, PageOutcome, QueuedLink
from newsextract.store.schema import articles, urls
from newsextract.text import letters_and_digits

#: Announcements that a list may make before they are judged, and the last ones by which a site is judged.
TRIAL = 10
JUDGED = 100


def find_announced(
    connection: Connection,
    outcomes: Sequence[PageOutcome],
    links: Sequence[Mapping[str, QueuedLink]],
    known: Mapping[str, Mapping[str, Any]],
) -> set[str]:
    """The fingerprints of the known articles that are due because the outcomes' lists announce a change.

    `links`: of each outcome, by fingerprint; `known`: rows of `urls`.
    """
    by_site: defaultdict[str, list[tuple[datetime, str]]] = defaultdict(list)
    for outcome, by_key in zip(outcomes, links, strict=True):
        for key, link in by_key.items():
            row = known.get(key)
            if row is None or row["article"] is None or row["run"] == outcome.run or link.left_out:
                continue
            if row["state"] in (UrlState.stored, UrlState.unchanged) and (when := _announced(outcome, link, row)):
                by_site[row["site"]].append((when, key))
    announced: set[str] = set()
    for site, found in by_site.items():
        followed, true = _followed(connection, site)
        number = TRIAL if followed < TRIAL else math.ceil(len(found) * ((true + 1) / (followed + 1)) ** 2)
        announced.update(key for _, key in sorted(found, reverse=True)[:number])
    return announced


def _announced(outcome: PageOutcome, link: QueuedLink, row: Mapping[str, Any]) -> datetime | None:
    """The time of a change that a link announces, now if it gives none; None if it says what it said before."""
    now, before = Listing.from_dict((link.meta or {}).get(LISTING)), listing_of(row["meta"])
    last: datetime | None = row["last_fetched"]
    if now is not None and (when := now.date_modified) is not None and last is not None:
        known = before.date_modified if before is not None else None
        if when > last or (known is not None and when > known):
            return when
    titles = (now.title, before.title) if now and before and now.source == before.source == "feed" else ("", "")
    if outcome.requested.is_main_list and link.kind == "page" and row["referrer"] == link.referrer:
        titles = titles if all(titles) else (link.anchor_text, row["anchor_text"] or "")
    one, other = map(_letters, titles)
    return outcome.when if one and other and one != other else None


def _letters(text: str) -> str:
    """The letters of a title, without the numbers of comments and hours."""
    return "".join(filter(str.isalpha, letters_and_digits(text)))


def listing_of(meta: str | None) -> Listing | None:
    return Listing.from_dict(json.loads(meta).get(LISTING)) if meta and LISTING in meta else None


def _followed(connection: Connection, site: str) -> tuple[int, int]:
    """How many articles that a site says were changed were fetched again lately, and how many had been changed."""
    columns = (urls.c.meta, urls.c.last_fetched, articles.c.first_seen_at, articles.c.fetched_at)
    query = select(*columns).join(articles, articles.c.id == urls.c.article)
    query = query.where(urls.c.site == site, urls.c.meta.contains('"date_modified"'))
    true = list[bool]()
    for meta, last, first, fetched in connection.execute(query.order_by(urls.c.last_fetched.desc()).limit(JUDGED)):
        listing = listing_of(meta)
        if listing is not None and (when := listing.date_modified) is not None and first < min(when, last):
            true.append(fetched is not None and fetched >= min(when, last))
    return len(true), sum(true)
