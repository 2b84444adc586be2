"""The sites that people name: by host, by a URL, or by a name of sites.toml."""

from collections.abc import Iterable

from sqlalchemy import Connection, select

from newsextract.errors import WrongCall
from newsextract.health.past_runs import past
from newsextract.store.schema import runs, sites
from newsextract.text import some_of
from newsextract.urls import named_site


def sites_named(connection: Connection, names: Iterable[str]) -> tuple[str, ...]:
    """The sites with these hosts, with URLs on them, or crawled under these names of sites.toml, sorted.

    Raises WrongCall for a name that the database doesn't know.
    """
    chosen: set[str] = set()
    for name in names:
        of_name = select(sites.c.site).where(sites.c.site.in_((name, named_site(name))))
        found = set(connection.scalars(of_name))
        for run in () if found else past(connection, (runs.c.spider == name) & runs.c.finished_at.is_not(None), 1):
            found.update(run.yields)
        if not found:
            known = connection.scalars(select(sites.c.site).order_by(sites.c.site)).all()
            raise WrongCall(f"{name} is not in the database, which has {some_of(known) or 'no site'}")
        chosen |= found
    return tuple(sorted(chosen))
