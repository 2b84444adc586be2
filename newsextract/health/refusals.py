"""Sites that refuse their pages, or put a wall in their place."""

from datetime import datetime

from sqlalchemy import ColumnElement, Connection, func, select

from newsextract.reasons import REASONS, reason_of
from newsextract.store.schema import urls


def is_wall(reason: str) -> bool:
    """Whether a reason says that a site refuses its pages, or shows others; robots.txt may rightly exclude most."""
    return reason != "robots" and reason_of(reason).alert in ("blocked", "closed")


def refusals(connection: Connection, which: ColumnElement[bool]) -> dict[str, tuple[int, datetime]]:
    """By site, how many of these URLs are refused or walled for now, and when the first of them is tried again."""
    walls = [reason for reason in REASONS if is_wall(reason)]
    query = select(urls.c.site, func.count(), func.min(urls.c.next_due)).group_by(urls.c.site)
    query = query.where(which, urls.c.reason.in_(walls), urls.c.next_due.is_not(None))
    return {site: (number, due) for site, number, due in connection.execute(query)}


def refused_sentence(number: int, due: datetime) -> str:
    pages = "page is" if number == 1 else "pages are"
    return f"{number} {pages} refused for now, next try {due:%Y-%m-%d %H:%M} UTC"
