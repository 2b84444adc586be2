"""Whether a fetch makes a new version of an article, takes the place of the newest one, or brings nothing new.

The same page never makes a version, whatever extractor read it and beside which peer. Of two pages, headline and body
are compared by their letters, without the lines that the page shares with its peer: those are the template's, which one
of the two fetches may have kept in its text. An article that changes all day, a live blog, keeps its first versions
and then one an hour; the newest is always kept.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta

from sqlalchemy import Connection, or_, select

from newsextract.items import Article
from newsextract.store.schema import article_versions
from newsextract.urls import letters

#: An article with so many versions within a day is a live blog; from then on its newest version is written over until
#: this long after the one before it.
LIVE, WITHIN, PAUSE = 6, timedelta(days=1), timedelta(hours=1)


def say_the_same(one: Article, other: Article, shared: frozenset[str] = frozenset()) -> bool:
    """Whether two fetches of an article tell a reader the same; `shared`: letters of lines that are the template's."""
    if one.content_hash == other.content_hash:
        return True
    if not shared or letters(one.headline or "") != letters(other.headline or ""):
        return False
    own = _own_text(one, shared)
    return bool(own) and own == _own_text(other, shared)


def is_live(times: list[datetime], at: datetime) -> bool:
    """Whether a change at that time is written over the newest version; `times`: when its last LIVE were fetched."""
    if len(times) < LIVE or at < times[-1]:
        return False
    return times[-LIVE] > at - WITHIN and times[-2] > at - PAUSE


def fetch_times(connection: Connection, present: Iterable[tuple[int, int]]) -> dict[int, list[datetime]]:
    """By article id when its last LIVE versions were fetched, oldest first; of those of (id, version) that have so
    many."""
    many = [(number, version) for number, version in present if version >= LIVE]
    if not many:
        return {}
    wanted = or_(
        *(
            (article_versions.c.article == number) & (article_versions.c.version > version - LIVE)
            for number, version in many
        )
    )
    query = select(article_versions.c.article, article_versions.c.fetched_at).where(wanted)
    found: dict[int, list[datetime]] = {}
    for row in connection.execute(query.order_by(article_versions.c.article, article_versions.c.version)):
        if row.fetched_at is not None:
            found.setdefault(row.article, []).append(row.fetched_at)
    return found


def _own_text(article: Article, shared: frozenset[str]) -> str:
    return "".join(line for line in map(letters, article.article_body.splitlines()) if line not in shared)
