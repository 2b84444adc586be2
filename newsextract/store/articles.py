"""Which stored article an extracted one is, and whether it brings anything new. Decides in memory; `commit` writes.

The rules of *Identity*: the key is the accepted canonical URL, else the URL fetched. A canonical URL is accepted on the
same site, unless it is the home page, a page known to be an index, or the key of an article with another body.
"""

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, or_, select

from newsextract.items import DATES, Article
from newsextract.store.outcome import Kind, PageOutcome, UrlState
from newsextract.store.schema import UNSTORABLE, article_versions, articles, cleaned
from newsextract.store.url_states import LONGEST_URL, chunked, fingerprint, known
from newsextract.text import letters_and_digits
from newsextract.urls import article_key, content_hash, is_home, site_of, split_url

#: Front pages under another name.
FRONT = re.compile(r"/(?:index|default|home)\.\w{2,5}", re.IGNORECASE)


@dataclass(slots=True, eq=False)
class Stored:
    """An article as the database has it, or will after this transaction."""

    id: int | None
    key: str
    article: Article
    last_seen_at: datetime
    written_key: str | None = None
    change: int | None = None
    change_kind: str = "new"
    page_hash: str | None = None
    times: list[datetime] = field(default_factory=list)


@dataclass(slots=True)
class Decision:
    """What one outcome means for the articles."""

    outcome: PageOutcome
    stored: Stored | None = None
    article: Article | None = None
    kind: Kind = "none"
    canonical_refused: bool = False


def key_hash(key: str) -> str:
    """What `articles.key_hash` holds."""
    return hashlib.sha256(key.encode()).hexdigest()


def storable(article: Article, at: datetime) -> Article:
    """A copy with all that the store promises: clean text, zones on all dates, a site, a hash, a time of fetching."""
    values = cleaned(article.to_dict())
    copy = Article.from_dict(values)
    for name in DATES:
        when: datetime | None = getattr(copy, name)
        if when is not None and when.tzinfo is None:
            setattr(copy, name, when.replace(tzinfo=UTC))
    copy.site = copy.site or site_of(copy.url)
    copy.content_hash = copy.content_hash or content_hash(copy.headline, copy.article_body)
    copy.fetched_at = copy.fetched_at or at
    return copy


class ArticleResolver:
    """The stored articles that a group of outcomes may touch, as of now and as the group leaves them."""

    def __init__(self, connection: Connection, outcomes: Iterable[PageOutcome]) -> None:
        """Reads them, in a few statements for the whole group."""
        named = [(outcome.url, outcome.article.canonical_url) for outcome in outcomes if outcome.article is not None]
        addresses = {url for pair in named for url in pair if url}
        keys = set(map(key_of, addresses))
        self.ledger = known(connection, map(fingerprint, addresses))
        by_url = {article for _, article in self.ledger.values() if article is not None}
        self.by_id = {stored.id: stored for stored in _read(connection, keys, by_url)}
        self.by_key = {stored.key: stored for stored in self.by_id.values()}
        self.by_print = {
            mark: self.by_id[article] for mark, (_, article) in self.ledger.items() if article in self.by_id
        }

    def decide(self, outcome: PageOutcome) -> Decision:
        """Finds the article's place and puts it there."""
        if outcome.article is None:
            return Decision(outcome)
        article = storable(outcome.article, outcome.when)
        article.url = article.url or outcome.url
        own, canonical = key_of(outcome.url), self._plausible_canonical(article, outcome.url)
        refused = bool(article.canonical_url) and canonical is None
        if canonical is not None and self._is_taken(canonical, article, outcome.url):
            canonical, refused = None, True
        if refused:
            article.canonical_url = None
            article.sources = {**article.sources, "canonical_url": "refused"}
        stored = self._find(own, canonical, article, outcome.url)
        decision = Decision(outcome, canonical_refused=refused)
        return self._put(decision, stored, canonical or own, article)

    def _put(self, decision: Decision, stored: Stored | None, key: str, article: Article) -> Decision:
        at = decision.outcome.when
        if stored is None:
            article.first_seen_at, article.version = article.first_seen_at or at, 1
            stored = Stored(None, key, article, at)
            decision.kind = "new"
        elif stored.change_kind == "deleted" or self._differs(stored, article, decision.outcome):
            fetched = article.fetched_at or at
            written_over = is_live(stored.times, fetched)
            article.first_seen_at = stored.article.first_seen_at
            article.version = stored.article.version + (0 if written_over else 1)
            stored.times = [*stored.times[: -1 if written_over else None], fetched]
            stored.article, stored.page_hash, decision.kind = article, decision.outcome.page_hash, "changed"
        else:
            decision.kind = "unchanged"
        stored.last_seen_at = max(stored.last_seen_at, at)
        self.by_key[stored.key] = self.by_print[fingerprint(decision.outcome.url)] = stored
        decision.stored, decision.article = stored, stored.article
        return decision

    def _differs(self, stored: Stored, article: Article, outcome: PageOutcome) -> bool:
        """Whether the page tells something else than the article that is stored; the same page never does."""
        if outcome.page_hash is not None and outcome.page_hash == stored.page_hash:
            return False
        return not say_the_same(stored.article, article, outcome.shared)

    def _plausible_canonical(self, article: Article, url: str) -> str | None:
        """The key of the declared canonical URL where it may stand for an article of this site."""
        declared = article.canonical_url
        parts = split_url(declared) if declared and len(declared) <= LONGEST_URL else None
        if declared is None or parts is None or site_of(declared) != site_of(url):
            return None
        if is_home(declared) or FRONT.fullmatch(parts.path):
            return None
        state, _ = self.ledger.get(fingerprint(declared), (None, None))
        return key_of(declared) if state != UrlState.not_article or key_of(declared) == key_of(url) else None

    def _is_taken(self, key: str, article: Article, url: str) -> bool:
        """Whether another article has that key."""
        stored = self.by_key.get(key)
        if stored is None or stored.article.content_hash == article.content_hash:
            return False
        if key_of(stored.article.url) == key_of(url) or self.by_print.get(fingerprint(url)) is stored:
            return False
        return is_other_body(stored.article.article_body, article.article_body)

    def _find(self, own: str, canonical: str | None, article: Article, url: str) -> Stored | None:
        """The stored article this one is. One that had no canonical URL until now moves to its new key."""
        if canonical is not None and canonical in self.by_key:
            return self.by_key[canonical]
        for stored in (self.by_key.get(own), self.by_print.get(fingerprint(url))):
            if stored is None:
                continue
            if canonical is None:
                if stored.key == own or not is_other_body(stored.article.article_body, article.article_body):
                    return stored
            elif stored.key == own and not is_other_body(stored.article.article_body, article.article_body):
                self.by_key.pop(own)
                stored.key = canonical
                return stored
        return None


def key_of(url: str) -> str:
    """The key that a URL gives."""
    return article_key(UNSTORABLE.sub("�", url))


def _read(connection: Connection, keys: Iterable[str], ids: Iterable[int]) -> list[Stored]:
    found: dict[int, Stored] = {}
    columns = (articles.c.id, articles.c.key, articles.c.last_seen_at, articles.c.change, articles.c.change_kind)
    query = select(*columns, article_versions.c.page_hash, article_versions.c.document).join(
        article_versions,
        (article_versions.c.article == articles.c.id) & (article_versions.c.version == articles.c.version),
    )
    wanted: list[tuple[Any, Iterable[Any]]] = [
        (articles.c.key_hash, sorted(map(key_hash, keys))),
        (articles.c.id, sorted(ids)),
    ]
    for column, values in wanted:
        for some in chunked(values):
            for row in connection.execute(query.where(column.in_(some))):
                article = Article.from_dict(json.loads(row.document))
                was = (row.last_seen_at, row.key, row.change, row.change_kind, row.page_hash)
                found[row.id] = Stored(row.id, row.key, article, *was)
    present = [(number, stored.article.version) for number, stored in found.items()]
    for number, times in fetch_times(connection, present).items():
        found[number].times = times
    return list(found.values())


def as_document(article: Article) -> str:
    """The article as `article_versions.document` holds it."""
    return json.dumps(article.to_dict(), ensure_ascii=False)


#: An article with so many versions within a day is a live blog; from then on its newest version is written over until
#: this long after the one before it.
LIVE, WITHIN, PAUSE = 6, timedelta(days=1), timedelta(hours=1)


def say_the_same(one: Article, other: Article, shared: frozenset[str] = frozenset()) -> bool:
    """Whether two fetches of an article tell a reader the same; `shared`: letters of lines that are the template's."""
    if one.content_hash == other.content_hash:
        return True
    if not shared or letters_and_digits(one.headline or "") != letters_and_digits(other.headline or ""):
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
    return "".join(line for line in map(letters_and_digits, article.article_body.splitlines()) if line not in shared)


#: Words of writing with spaces; single characters of writing without.
TOKEN = re.compile(r"[぀-ヿ㐀-鿿豈-﫿]|[^\W_぀-ヿ㐀-鿿豈-﫿]+")
#: Below this share of common token pairs two bodies are two articles.
SAME_BODY = 0.5


def overlap(one: str, other: str) -> float | None:
    """The share of the shorter text's neighbouring token pairs that the other has too; None where either has no text.

    Pairs, because two articles of one language share most of their frequent words but hardly a tenth of the pairs; of
    the shorter, because a story that grows through the day stays the same.
    """
    first, second = _pairs(one), _pairs(other)
    if not first or not second:
        return None
    return len(first & second) / min(len(first), len(second))


def is_other_body(one: str, other: str) -> bool:
    """Whether these are two articles; a missing text proves nothing."""
    shared = overlap(one, other)
    return shared is not None and shared < SAME_BODY


def _pairs(text: str) -> set[tuple[str, str]]:
    tokens = TOKEN.findall(text.casefold())
    return set(zip(tokens, tokens[1:] or tokens, strict=False))
