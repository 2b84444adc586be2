"""How a worker that has nothing gets a share of what others have: sites of theirs from which nothing is asked just now.

The first worker of a run takes more sites than its share, since it can't know who else will come.
"""

from math import ceil

from sqlalchemy import ColumnElement, Connection, Select, func, select

from newsextract.store.outcome import TAKEN
from newsextract.store.schema import sites, urls


def spare_sites(connection: Connection, owner: str, ready: ColumnElement[bool]) -> list[str]:
    """Sites of the worker that has most of those that are `ready`, up to an equal share; none if nobody has more."""
    held = select(sites.c.lease_owner, func.count()).where(ready, sites.c.lease_owner.is_not(None))
    counts = {name: number for name, number in connection.execute(held.group_by(sites.c.lease_owner)) if name != owner}
    if not counts:
        return []
    richest = max(counts, key=lambda name: counts[name])
    more = counts[richest] - ceil(sum(counts.values()) / (len(counts) + 1))
    query = select(sites.c.site).where(ready, sites.c.lease_owner == richest, sites.c.site.not_in(_busy(richest)))
    query = query.order_by(sites.c.last_fetched).limit(max(0, more))
    if connection.dialect.name == "postgresql":
        query = query.with_for_update(skip_locked=True)
    locked = list(connection.execute(query).scalars())
    busy = set(connection.execute(_busy(richest)).scalars())  # again: the rows were not locked when they were chosen
    return [site for site in locked if site not in busy]


def _busy(owner: str) -> Select[str]:
    """Sites of which a worker is fetching, or keeps, pages."""
    return select(urls.c.site).where(urls.c.lease_owner == owner, urls.c.state.in_(TAKEN)).distinct()
