"""The tables of the database, their column types, and the SELECT that joins an article to its current version.

`migrations` upgrades every earlier database to these tables; a test compares the two. `articles` has the columns that
queries filter and sort by, `article_versions` each version in full, as a JSON document. Long texts are looked up by
hash, because PostgreSQL indexes no value over 2,700 bytes.
"""

import hashlib
import math
import re
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy.types import TypeEngine

from newsextract.items import ARTICLE_FIELDS, Article
from newsextract.urls import REMEMBERED, canonicalize, site_of, split_url, strip_tracking
from newsextract.urls.normalize import PLAIN

#: PostgreSQL's text type has no NUL; UTF-8 cannot encode a lone surrogate.
UNSTORABLE = re.compile("[\0\ud800-\udfff]")

#: A 64-bit integer. SQLite assigns row ids itself only in a column of type INTEGER.
Number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def replace_unstorable(text: str) -> str:
    """The text with NUL and lone surrogates replaced by U+FFFD."""
    if not text.isascii():
        try:
            text.encode()  # searching takes two hundred times as long
        except UnicodeEncodeError:
            return UNSTORABLE.sub("�", text)
    return text.replace("\0", "�")


def cleaned(value: Any) -> Any:
    """A JSON value with NUL and lone surrogates replaced in its strings; NaN and infinities become None."""
    if value is None:
        return None
    if isinstance(value, str):
        return replace_unstorable(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {cleaned(key): cleaned(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):  # a union would be made for each value
        return [cleaned(item) for item in value]
    return value


def in_utc(value: datetime) -> datetime:
    """The datetime in UTC. A naive one is taken as UTC; if the conversion overflows, only the offset is dropped."""
    if value.tzinfo is None:
        return value.replace(tzinfo=UTC)
    try:
        return value.astimezone(UTC)
    except OverflowError:
        return value.replace(tzinfo=UTC)


class CleanText(sa.TypeDecorator[str]):
    """Text without the characters that a database refuses; they are replaced by U+FFFD."""

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: sa.Dialect) -> str | None:
        return None if value is None else replace_unstorable(value)


class UtcTime(sa.TypeDecorator[datetime]):
    """An aware datetime. SQLite stores it as text in UTC, which sorts chronologically."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        if value is None:
            return None
        return in_utc(value).replace(tzinfo=None) if dialect.name == "sqlite" else in_utc(value)

    def process_result_value(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        return None if value is None else in_utc(value)


#: Column types of the article fields with their own column.
COLUMN_TYPES: dict[type, type[TypeEngine[Any]]] = {
    str: CleanText,
    datetime: UtcTime,
    bool: sa.Boolean,
    int: sa.Integer,
    float: sa.Float,
}
#: Longer URLs are crawler traps; they get no row.
LONGEST_URL = 4000
#: Sites are cut to this length, so that they can be indexed; no real host name is longer (RFC 1035: 255 bytes).
LONGEST_SITE = 255


@lru_cache(REMEMBERED)
def fingerprint(url: str) -> str:
    """SHA-256 of the canonicalized URL: equal for URLs that differ in tracking parameters, fragment or query order."""
    if not PLAIN.fullmatch(url):
        plain = strip_tracking(replace_unstorable(url))
        url = canonicalize(plain) if split_url(plain) else plain
    return hashlib.sha256(url.encode()).hexdigest()


def site_column(url: str) -> str:
    """The URL's site, cut to the length that is indexed."""
    return site_of(url)[:LONGEST_SITE]


def article_row(article: Article) -> dict[str, Any]:
    """The values of the columns of `articles` that hold fields of an article."""
    values = {spec.name: getattr(article, spec.name) for spec in ARTICLE_FIELDS if spec.column}
    return {**values, "site": article.site[:LONGEST_SITE]}


metadata = sa.MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
    }
)

runs = sa.Table(
    "runs",
    metadata,
    sa.Column("id", Number, primary_key=True),
    sa.Column("spider", CleanText, nullable=False),
    sa.Column("arguments", CleanText, nullable=False, comment="JSON object, keys sorted"),
    sa.Column("identity", sa.String(64), nullable=False, index=True, comment="hash of spider and arguments"),
    sa.Column("started_at", UtcTime, nullable=False),
    sa.Column("finished_at", UtcTime),
    sa.Column("reason", CleanText),
    sa.Column("stats", CleanText, comment="JSON object"),
    sa.Column("alive_until", UtcTime, comment="kept in the future by its workers"),
    sa.Column("owner", CleanText, comment="the process that began it last"),
    sa.Column("made_by", CleanText, comment="what extracted its articles: JSON lines, one if it never changed"),
    # For unfinished runs, on PostgreSQL too (`migrations._create`): `postgresql_where` here would load that dialect in
    # every process, which takes a tenth of a second.
    sa.Index(None, "alive_until", sqlite_where=sa.text("finished_at IS NULL")),
)

sites = sa.Table(
    "sites",
    metadata,
    sa.Column("site", CleanText, primary_key=True),
    sa.Column("first_seen", UtcTime, nullable=False),
    sa.Column("last_fetched", UtcTime),
    sa.Column("lease_owner", CleanText),
    sa.Column("lease_until", UtcTime),
    sa.Column("robots", sa.LargeBinary, comment="robots.txt as last read; NULL: none"),
    sa.Column("robots_at", UtcTime),
)

urls = sa.Table(
    "urls",
    metadata,
    sa.Column("fingerprint", sa.String(64), primary_key=True, comment="store.schema.fingerprint(url)"),
    sa.Column("url", CleanText, nullable=False),
    sa.Column("site", CleanText, nullable=False),
    sa.Column("state", sa.String(16), nullable=False),
    sa.Column("reason", CleanText, nullable=False),
    sa.Column("priority", sa.Float, nullable=False, server_default="0"),
    sa.Column("depth", sa.Integer, nullable=False, server_default="0"),
    sa.Column("referrer", CleanText),
    sa.Column("anchor_text", CleanText),
    sa.Column("attempts", sa.Integer, nullable=False, server_default="0"),
    sa.Column("lease_owner", CleanText),
    sa.Column("lease_until", UtcTime),
    sa.Column("status", sa.Integer, comment="HTTP status of the last fetch"),
    sa.Column("failures", sa.Integer, nullable=False, server_default="0", comment="runs in a row that got no page"),
    sa.Column("etag", CleanText),
    sa.Column("last_modified", CleanText),
    sa.Column("page_hash", CleanText),
    sa.Column("entries", sa.LargeBinary, comment="of a large list: hashes of the entries that were taken"),
    sa.Column("next_due", UtcTime),
    sa.Column("first_seen", UtcTime, nullable=False),
    sa.Column("last_fetched", UtcTime),
    sa.Column("run", Number, comment="the run that touched it last"),
    sa.Column("article", Number, comment="the article this URL led to"),
    sa.Column("kind", sa.String(40), nullable=False, server_default="page", comment="what is there"),
    sa.Column("meta", CleanText, comment="JSON: what else the request carries"),
    sa.Index(None, "run", "site", "state", "priority"),
    sa.Index(None, "lease_owner"),
    sa.Index(None, "state", "next_due"),
    sa.Index(None, "site", "state", "reason"),
    sa.Index(None, "article"),
)

articles = sa.Table(
    "articles",
    metadata,
    sa.Column("id", Number, primary_key=True),
    sa.Column("key_hash", sa.String(64), nullable=False, unique=True, comment="SHA-256 of key"),
    sa.Column("key", CleanText, nullable=False, comment="accepted canonical URL, else the URL fetched; normalised"),
    *(
        sa.Column(
            spec.name, COLUMN_TYPES[spec.type], nullable=spec.optional and not spec.required, comment=spec.meaning
        )
        for spec in ARTICLE_FIELDS
        if spec.column
    ),
    sa.Column("change", Number, nullable=False, unique=True, comment="number of its last change"),
    sa.Column("change_kind", sa.String(16), nullable=False),
    sa.Column("last_seen_at", UtcTime, nullable=False),
    sa.Column("duplicate_of", Number, index=True, comment="the first article with this text"),
    sa.Index(None, "site", "change"),
    sa.Index(None, "content_hash"),
    sa.Index(None, "site", "change_kind"),
)


def published_at(table: sa.FromClause) -> sa.ColumnElement[Any]:
    """When an article of `articles` or an alias of it was published; when it was first fetched if it has no date."""
    return sa.func.coalesce(table.c.date_published, table.c.first_seen_at)


PUBLISHED_AT = published_at(articles)

article_versions = sa.Table(
    "article_versions",
    metadata,
    sa.Column("article", Number, sa.ForeignKey("articles.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("fetched_at", UtcTime),
    sa.Column("content_hash", CleanText, nullable=False),
    sa.Column("page_hash", CleanText),
    sa.Column("document", CleanText, nullable=False, comment="Article.to_dict() as JSON"),
)

changes = sa.Table(
    "changes",
    metadata,
    sa.Column("change", Number, primary_key=True, autoincrement=False),
    sa.Column("article", Number, sa.ForeignKey("articles.id", ondelete="CASCADE"), nullable=False, index=True),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("at", UtcTime, nullable=False),
    sa.Column("run", Number),
    sa.Column("original", Number, comment="what it copied then; 0: nothing; -1: united since; NULL: not recorded"),
)

#: Changes of articles that became one with another, as they were until then (see `store.renames`).
united_changes = sa.Table(
    "united_changes",
    metadata,
    sa.Column("change", Number, sa.ForeignKey("changes.change", ondelete="CASCADE"), primary_key=True),
    sa.Column("until", Number, primary_key=True, autoincrement=False, comment="number of the change that united them"),
    sa.Column("article", Number, nullable=False, comment="id of the article that is no longer one of its own"),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("original", Number),
    sa.Column("first_seen_at", UtcTime),
)

#: What stays of removed articles (see `store.removals`).
removals = sa.Table(
    "removals",
    metadata,
    sa.Column("key_hash", sa.String(64), primary_key=True, comment="SHA-256 of its key"),
    sa.Column("url", CleanText, nullable=False),
    sa.Column("site", CleanText, nullable=False),
    sa.Column("change", Number, nullable=False, index=True, comment="number of its removal"),
    sa.Column("at", UtcTime, nullable=False),
)

#: The texts that they had, of which nothing can be read, and an index from keys of signatures to removals.
removed_texts = sa.Table(
    "removed_texts",
    metadata,
    sa.Column("removal", Number, primary_key=True, autoincrement=False, comment="its change number"),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("content_hash", CleanText, nullable=False, index=True, comment="of headline and text"),
    sa.Column("signature", sa.LargeBinary, comment="as in signatures; NULL: the text alone tells no story"),
)
removed_bands = sa.Table(
    "removed_bands",
    metadata,
    sa.Column("band", sa.Integer, primary_key=True, autoincrement=False, comment="a key of a signature"),
    sa.Column("removal", Number, primary_key=True, autoincrement=False, comment="its change number"),
)

#: Former URLs of articles, for readers who keep them by URL (see `store.former_urls`).
former_urls = sa.Table(
    "former_urls",
    metadata,
    sa.Column("change", Number, primary_key=True, autoincrement=False),
    sa.Column("url", CleanText, nullable=False),
    sa.Column("site", CleanText, nullable=False),
    sa.Column("renamed_to", CleanText, nullable=False),
    sa.Column("at", UtcTime, nullable=False),
)

#: Names of authors that were taken out (see `store.names`).
removed_names = sa.Table(
    "removed_names",
    metadata,
    sa.Column("name_hash", sa.String(64), primary_key=True, comment="SHA-256 of its words"),
    sa.Column("at", UtcTime, nullable=False),
    sa.Column("articles", sa.Integer, comment="how many lost it; NULL: not recorded"),
)

#: What was corrected by hand (see `store.corrections`). `value`, `replaced`, `page`: as JSON.
corrections = sa.Table(
    "corrections",
    metadata,
    sa.Column("article", Number, sa.ForeignKey("articles.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("version", sa.Integer, primary_key=True, autoincrement=False, comment="the version that it made"),
    sa.Column("field", sa.String(40), primary_key=True),
    sa.Column("value", CleanText, nullable=False, comment="the corrected value"),
    sa.Column("replaced", CleanText, nullable=False, comment="what the page said when it was corrected"),
    sa.Column("page", CleanText, nullable=False, comment="what the page says now"),
    sa.Column("note", CleanText, nullable=False),
    sa.Column("by", CleanText, nullable=False),
    sa.Column("at", UtcTime, nullable=False),
    sa.Column("undone", sa.Boolean, nullable=False, comment="it took a correction back"),
)

#: One row: the highest change number ever taken. A table of its own, so that numbers of removed changes are not reused.
change_counter = sa.Table(
    "change_counter",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("last", Number, nullable=False),
)

#: The histories that the database is, or came from (see `store.histories`).
histories = sa.Table(
    "histories",
    metadata,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("last", Number, comment="the last change shared with it; NULL: the own one; -1: of a merged one"),
)

#: `jsonl_files.change` of a file that still has articles which were removed from the database.
CHANGES_REMOVED = -1

jsonl_files = sa.Table(
    "jsonl_files",
    metadata,
    sa.Column("path", CleanText, primary_key=True, comment="absolute"),
    sa.Column("offset", Number, nullable=False, comment="bytes that are written and on disk"),
    sa.Column("change", Number, nullable=False, comment="the last change among them"),
)

peers = sa.Table(
    "peers",
    metadata,
    sa.Column("id", Number, primary_key=True),
    sa.Column("site", CleanText, nullable=False),
    sa.Column("pattern", CleanText, nullable=False, comment="URL pattern of the template"),
    sa.Column("url", CleanText, nullable=False),
    sa.Column("page", CleanText, nullable=False, comment="JSON: what was fetched, less the body"),
    sa.Column("body", sa.LargeBinary, nullable=False, comment="compressed"),
    sa.Column("fetched_at", UtcTime, nullable=False),
    sa.Index(None, "site"),
)

#: The memory of each site: page summaries, from which `newsextract.site_profile` builds its profile, and decisions.
site_pages = sa.Table(
    "site_pages",
    metadata,
    sa.Column("site", CleanText, primary_key=True),
    sa.Column("fingerprint", sa.String(64), primary_key=True, comment="store.schema.fingerprint(url)"),
    sa.Column("url", CleanText, nullable=False),
    sa.Column("fetched_at", UtcTime, nullable=False),
    sa.Column("run", Number),
    sa.Column("peer_url", CleanText, comment="the peer that the page was read with"),
    sa.Column("summary", sa.LargeBinary, nullable=False, comment="site_profile.PageSummary.to_bytes()"),
    sa.Column("size", sa.Integer, nullable=False, comment="bytes of the summary"),
    sa.Column("decision", sa.LargeBinary, comment="site_profile.Decision.to_bytes()"),
    sa.Column("settled", sa.Boolean, nullable=False, comment="decided with all pages of a run"),
    sa.Index(None, "site", "size"),
    sa.Index(None, "run", "settled"),
)

#: Fetched pages that are decided later: when more is known of the site, when a peer comes, at the end of the crawl.
candidates = sa.Table(
    "candidates",
    metadata,
    sa.Column("site", CleanText, primary_key=True),
    sa.Column("fingerprint", sa.String(64), primary_key=True, comment="store.schema.fingerprint(url)"),
    sa.Column("url", CleanText, nullable=False),
    sa.Column("run", Number, index=True),
    sa.Column("article", CleanText, comment="Article.to_dict() as JSON; NULL: not read yet"),
    sa.Column("text_confidence", sa.Float),
    sa.Column("page", CleanText, nullable=False, comment="JSON: what was fetched, less the body"),
    sa.Column("body", sa.LargeBinary, nullable=False, comment="compressed"),
)

signatures = sa.Table(
    "signatures",
    metadata,
    sa.Column(
        "article", Number, sa.ForeignKey("articles.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    ),
    sa.Column("signature", sa.LargeBinary, nullable=False, comment="signatures.Signature.to_bytes()"),
)

#: Index from a key of a signature to articles (see `store.duplicates`), up to 16 rows an article.
bands = sa.Table(
    "bands",
    metadata,
    sa.Column("band", sa.Integer, primary_key=True, autoincrement=False, comment="a key of a signature"),
    sa.Column("article", Number, primary_key=True, autoincrement=False),
    sqlite_with_rowid=False,
)

#: Current problems, and ended ones that services have not been notified of (see `health.alerts`).
alerts = sa.Table(
    "alerts",
    metadata,
    sa.Column("subject", CleanText, primary_key=True, comment="a site, a spider of sites.toml, or a folder"),
    sa.Column("kind", sa.String(16), primary_key=True, comment="one of health.alerts.KINDS"),
    sa.Column("sentence", CleanText, nullable=False),
    sa.Column("since", UtcTime, nullable=False),
    sa.Column("notified_at", UtcTime),
    sa.Column("ended_at", UtcTime),
)

#: Articles of one event (see `stories.update`). The id is that of the article that began the story.
stories = sa.Table(
    "stories",
    metadata,
    sa.Column("id", Number, primary_key=True, autoincrement=False, comment="of the article that began it"),
    sa.Column("first_report", Number, nullable=False, comment="its earliest article"),
    sa.Column("first_at", UtcTime, nullable=False),
    sa.Column("last_at", UtcTime, nullable=False),
    sa.Column("articles", sa.Integer, nullable=False, comment="without copies"),
    sa.Column("copies", sa.Integer, nullable=False),
    sa.Column("sites", sa.Integer, nullable=False),
    sa.Column("merged_into", Number, comment="the story that it became part of"),
    sa.Column("kept", sa.Boolean, nullable=False, comment="decided by hand: never merged or rebuilt"),
    sa.Column("closed", sa.Boolean, nullable=False, comment="no article for some weeks"),
    sa.Column("change", Number, nullable=False, unique=True, comment="number of its last change, among stories"),
    sa.Column("change_kind", sa.String(16), nullable=False, comment="new, grown, merged, split, closed"),
    sa.Index(None, "last_at"),
    sa.Index(None, "merged_into"),
)

story_articles = sa.Table(
    "story_articles",
    metadata,
    sa.Column(
        "article", Number, sa.ForeignKey("articles.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    ),
    sa.Column("story", Number, nullable=False, index=True),
    sa.Column("at", UtcTime, nullable=False, comment="when it was published, or first seen"),
    sa.Index(None, "at"),
)

#: One row: the last change of an article that the stories have, and the last change of a story.
story_progress = sa.Table(
    "story_progress",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("change", Number, nullable=False),
    sa.Column("story_change", Number, nullable=False),
)

#: The articles that others are copies of.
originals = articles.alias("originals")


def current_articles(*columns: sa.ColumnElement[Any]) -> sa.Select[*tuple[Any, ...]]:
    """SELECT of `columns` from each article joined to its current version and, if it is a copy, to its original."""
    current = (article_versions.c.article == articles.c.id) & (article_versions.c.version == articles.c.version)
    return (
        sa.select(*columns)
        .select_from(articles)
        .join(article_versions, current)
        .outerjoin(originals, originals.c.id == articles.c.duplicate_of)
    )
