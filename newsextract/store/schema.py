"""The tables as they are now. `migrations/` leads every earlier database here; a test compares the two.

An article's text stands once: `articles` says what is known and which version is present, `article_versions` holds each
version whole. Long texts are looked up by a hash, because PostgreSQL indexes no value over 2,700 bytes.
"""

import math
import re
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Dialect,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
)

#: The newest migration; a database that names one unknown here is of a newer newsextract.
REVISION = "0003"
#: Where the revision is written; a database with tables but without this one is not ours.
VERSION_TABLE = "newsextract_schema"

#: PostgreSQL has no NUL in text; no encoder takes half of a surrogate pair.
UNSTORABLE = re.compile("[\0\ud800-\udfff]")

#: 64 bits everywhere; SQLite numbers rows by itself only in a column called INTEGER.
Number = BigInteger().with_variant(Integer(), "sqlite")


def cleaned(value: Any) -> Any:
    """A value of JSON's types without NUL, lone surrogates, NaN and infinities."""
    if isinstance(value, str):
        return UNSTORABLE.sub("�", value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {cleaned(key): cleaned(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [cleaned(item) for item in value]
    return value


def in_utc(value: datetime) -> datetime:
    """The moment in UTC. A time without zone is taken as UTC; at the calendar's edge the zone's hours are lost."""
    if value.tzinfo is None:
        return value.replace(tzinfo=UTC)
    try:
        return value.astimezone(UTC)
    except OverflowError:
        return value.replace(tzinfo=UTC)


class CleanText(TypeDecorator[str]):
    """Text that every database takes."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else UNSTORABLE.sub("�", value)


class UtcTime(TypeDecorator[datetime]):
    """A moment, with zone on both ways; SQLite holds it as text in UTC, which sorts by time."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return in_utc(value).replace(tzinfo=None) if dialect.name == "sqlite" else in_utc(value)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else in_utc(value)


metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
    }
)

runs = Table(
    "runs",
    metadata,
    Column("id", Number, primary_key=True),
    Column("spider", CleanText, nullable=False),
    Column("arguments", CleanText, nullable=False, comment="JSON object, keys sorted"),
    Column("identity", String(64), nullable=False, index=True, comment="hash of spider and arguments"),
    Column("started_at", UtcTime, nullable=False),
    Column("finished_at", UtcTime),
    Column("reason", CleanText),
    Column("stats", CleanText, comment="JSON object"),
    Column("alive_until", UtcTime, comment="kept in the future by its workers"),
)

sites = Table(
    "sites",
    metadata,
    Column("site", CleanText, primary_key=True),
    Column("first_seen", UtcTime, nullable=False),
    Column("last_fetched", UtcTime),
    Column("next_due", UtcTime),
    Column("failures", Integer, nullable=False, server_default="0", comment="in a row"),
    Column("lease_owner", CleanText),
    Column("lease_until", UtcTime),
)

urls = Table(
    "urls",
    metadata,
    Column("fingerprint", String(64), primary_key=True, comment="ledger.fingerprint(url)"),
    Column("url", CleanText, nullable=False),
    Column("site", CleanText, nullable=False),
    Column("state", String(16), nullable=False),
    Column("reason", CleanText, nullable=False),
    Column("priority", Float, nullable=False, server_default="0"),
    Column("depth", Integer, nullable=False, server_default="0"),
    Column("referrer", CleanText),
    Column("anchor_text", CleanText),
    Column("attempts", Integer, nullable=False, server_default="0"),
    Column("lease_owner", CleanText),
    Column("lease_until", UtcTime),
    Column("status", Integer, comment="HTTP status of the last fetch"),
    Column("etag", CleanText),
    Column("last_modified", CleanText),
    Column("page_hash", CleanText),
    Column("next_due", UtcTime),
    Column("first_seen", UtcTime, nullable=False),
    Column("last_fetched", UtcTime),
    Column("run", Number, comment="the run that touched it last"),
    Column("article", Number, comment="the article this URL led to"),
    Column("callback", String(40), nullable=False, server_default="parse_page", comment="the spider's method"),
    Column("meta", CleanText, comment="JSON: what else the request carries"),
    Index(None, "site", "state", "priority"),
    Index(None, "run", "site", "state", "priority"),
    Index(None, "lease_owner"),
    Index(None, "state", "next_due"),
    Index(None, "article"),
)

articles = Table(
    "articles",
    metadata,
    Column("id", Number, primary_key=True),
    Column("key_hash", String(64), nullable=False, unique=True, comment="SHA-256 of key"),
    Column("key", CleanText, nullable=False, comment="accepted canonical URL, else the URL fetched; normalised"),
    Column("url", CleanText, nullable=False),
    Column("canonical_url", CleanText),
    Column("site", CleanText, nullable=False),
    Column("language", CleanText),
    Column("headline", CleanText),
    Column("date_published", UtcTime),
    Column("content_hash", CleanText, nullable=False),
    Column("version", Integer, nullable=False, comment="the present one"),
    Column("change", Number, nullable=False, unique=True, comment="number of its last change"),
    Column("change_kind", String(16), nullable=False),
    Column("fetched_at", UtcTime),
    Column("first_seen_at", UtcTime, nullable=False),
    Column("last_seen_at", UtcTime, nullable=False),
    Column("duplicate_of", Number, index=True, comment="the first article with this text"),
    Index(None, "site", "change"),
)

article_versions = Table(
    "article_versions",
    metadata,
    Column("article", Number, ForeignKey("articles.id", ondelete="CASCADE"), primary_key=True),
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("fetched_at", UtcTime),
    Column("content_hash", CleanText, nullable=False),
    Column("page_hash", CleanText),
    Column("document", CleanText, nullable=False, comment="Article.to_dict() as JSON"),
)

changes = Table(
    "changes",
    metadata,
    Column("change", Number, primary_key=True, autoincrement=False),
    Column("article", Number, ForeignKey("articles.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("version", Integer, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("at", UtcTime, nullable=False),
    Column("run", Number),
)

#: One row: the highest change number ever given; its own table, so that the number of a removed change never returns.
change_counter = Table(
    "change_counter",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("last", Number, nullable=False),
)

jsonl_files = Table(
    "jsonl_files",
    metadata,
    Column("path", CleanText, primary_key=True, comment="absolute"),
    Column("offset", Number, nullable=False, comment="bytes that are written and on disk"),
    Column("change", Number, nullable=False, comment="the last change among them"),
    Column("written_at", UtcTime, nullable=False),
)

peers = Table(
    "peers",
    metadata,
    Column("id", Number, primary_key=True),
    Column("site", CleanText, nullable=False),
    Column("pattern", CleanText, nullable=False, comment="URL pattern of the template"),
    Column("url", CleanText, nullable=False),
    Column("held", Boolean, nullable=False, comment="waits for a peer itself; else it is a reference"),
    Column("page", CleanText, nullable=False, comment="JSON: what was fetched, less the body"),
    Column("body", LargeBinary, nullable=False, comment="compressed"),
    Column("fetched_at", UtcTime, nullable=False),
    Index(None, "site", "held"),
)

signatures = Table(
    "signatures",
    metadata,
    Column("article", Number, ForeignKey("articles.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("signature", LargeBinary, nullable=False, comment="signatures.Signature.to_bytes()"),
)

#: Rows of `store.duplicates`, up to 16 an article: their key is the whole row.
bands = Table(
    "bands",
    metadata,
    Column("band", Integer, primary_key=True, autoincrement=False, comment="a key of a signature"),
    Column("article", Number, primary_key=True, autoincrement=False),
    sqlite_with_rowid=False,
)
