"""Sites whose pages lead to another host: the paper has another domain, or one wall stands before all pages."""

from collections.abc import Mapping

from sqlalchemy import Connection, func, select

from newsextract.reasons import UrlState
from newsextract.store.engine import count_rows
from newsextract.store.leases import PAGE_KINDS
from newsextract.store.links import READ
from newsextract.store.schema import articles, urls
from newsextract.text import counted
from newsextract.urls import split_url

#: Pages that must redirect to one other host: on a quiet day a site's only new link may lead to a partner.
MIN_PAGES = 3


def find_moves(connection: Connection, run: int) -> dict[str, str]:
    """By given site, a sentence if most of the pages that a run asked for there redirect to another host.

    A front page that redirects counts if articles of the site are known: others are a name that leads to the site.
    """
    of_run = urls.c.run == run
    given = set(connection.scalars(select(urls.c.site).where(of_run, urls.c.kind == "home")))
    led = of_run & (urls.c.state == UrlState.redirected) & urls.c.kind.in_(PAGE_KINDS)
    led &= (urls.c.reason != "") & (urls.c.reason != urls.c.site)
    hosts = select(urls.c.site, urls.c.reason, func.count().label("number"), func.min(urls.c.kind).label("kind"))
    found = connection.execute(hosts.where(led).group_by(urls.c.site, urls.c.reason).order_by(func.count())).all()
    next_host = {site: host for site, host, *_ in found}
    moves = {}
    for site, host, number, first_kind in found:
        if site not in given:
            continue
        of_site = urls.c.site == site
        read = count_rows(connection, urls, of_run, of_site, urls.c.article.is_not(None), urls.c.state.in_(READ))
        is_front = first_kind == "home" and count_rows(connection, articles, articles.c.site == site)
        if number > read and (is_front or number >= MIN_PAGES):
            pages = f"{number} of {counted(number + read, 'page')} {'lead' if number > 1 else 'leads'}"
            moves[site] = f"{pages} to {_url_of(connection, _last_host(host, next_host))}: set url to that"
    return moves


def _last_host(host: str, next_host: Mapping[str, str]) -> str:
    """Where redirects from a host lead in the end, by way of others."""
    passed = set[str]()
    while host in next_host and host not in passed:
        passed.add(host)
        host = next_host[host]
    return host


def _url_of(connection: Connection, host: str) -> str:
    """The front page of a host, by a URL that is known of it."""
    known = connection.execute(select(urls.c.url).where(urls.c.site == host).limit(1)).scalar()
    parts = split_url(known or "")
    return f"{parts.scheme}://{parts.netloc}/" if parts is not None and parts.netloc else host
