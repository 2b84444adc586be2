"""The schema of version 1.0, of which every database of a release is made."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = None
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = sa.DateTime(timezone=True)
HASH = sa.String(64)
WORD = sa.String(16)


def column(name: str, kind: "sa.types.TypeEngine[Any]", *, default: str | None = None) -> "sa.Column[Any]":
    """A column that must be filled."""
    return sa.Column(name, kind, nullable=False, server_default=default)


def key(name: str, kind: "sa.types.TypeEngine[Any]") -> "sa.Column[Any]":
    """A column of the primary key that the database does not count up."""
    return sa.Column(name, kind, nullable=False, autoincrement=False)


def upgrade() -> None:
    op.create_table(
        "articles",
        sa.Column("id", NUMBER, nullable=False),
        column("key_hash", HASH),
        column("key", sa.Text()),
        column("url", sa.Text()),
        sa.Column("canonical_url", sa.Text()),
        column("site", sa.Text()),
        sa.Column("language", sa.Text()),
        sa.Column("headline", sa.Text()),
        sa.Column("date_published", TIME),
        column("content_hash", sa.Text()),
        column("version", sa.Integer()),
        column("change", NUMBER),
        column("change_kind", WORD),
        sa.Column("fetched_at", TIME),
        column("first_seen_at", TIME),
        column("last_seen_at", TIME),
        sa.Column("duplicate_of", NUMBER),
        sa.PrimaryKeyConstraint("id", name="pk_articles"),
        sa.UniqueConstraint("change", name="uq_articles_change"),
        sa.UniqueConstraint("key_hash", name="uq_articles_key_hash"),
    )
    op.create_table(
        "change_counter",
        key("id", sa.Integer()),
        column("last", NUMBER),
        sa.PrimaryKeyConstraint("id", name="pk_change_counter"),
    )
    op.create_table(
        "jsonl_files",
        column("path", sa.Text()),
        column("offset", NUMBER),
        column("change", NUMBER),
        column("written_at", TIME),
        sa.PrimaryKeyConstraint("path", name="pk_jsonl_files"),
    )
    op.create_table(
        "peers",
        sa.Column("id", NUMBER, nullable=False),
        column("site", sa.Text()),
        column("pattern", sa.Text()),
        column("url", sa.Text()),
        column("held", sa.Boolean()),
        column("page", sa.Text()),
        column("body", sa.LargeBinary()),
        column("fetched_at", TIME),
        sa.PrimaryKeyConstraint("id", name="pk_peers"),
    )
    op.create_table(
        "runs",
        sa.Column("id", NUMBER, nullable=False),
        column("spider", sa.Text()),
        column("arguments", sa.Text()),
        column("identity", HASH),
        column("started_at", TIME),
        sa.Column("finished_at", TIME),
        sa.Column("reason", sa.Text()),
        sa.Column("stats", sa.Text()),
        sa.Column("alive_until", TIME),
        sa.Column("owner", sa.Text()),
        sa.PrimaryKeyConstraint("id", name="pk_runs"),
    )
    op.create_table(
        "sites",
        column("site", sa.Text()),
        column("first_seen", TIME),
        sa.Column("last_fetched", TIME),
        sa.Column("next_due", TIME),
        column("failures", sa.Integer(), default="0"),
        sa.Column("lease_owner", sa.Text()),
        sa.Column("lease_until", TIME),
        sa.PrimaryKeyConstraint("site", name="pk_sites"),
    )
    op.create_table(
        "urls",
        column("fingerprint", HASH),
        column("url", sa.Text()),
        column("site", sa.Text()),
        column("state", WORD),
        column("reason", sa.Text()),
        column("priority", sa.Float(), default="0"),
        column("depth", sa.Integer(), default="0"),
        sa.Column("referrer", sa.Text()),
        sa.Column("anchor_text", sa.Text()),
        column("attempts", sa.Integer(), default="0"),
        sa.Column("lease_owner", sa.Text()),
        sa.Column("lease_until", TIME),
        sa.Column("status", sa.Integer()),
        sa.Column("etag", sa.Text()),
        sa.Column("last_modified", sa.Text()),
        sa.Column("page_hash", sa.Text()),
        sa.Column("next_due", TIME),
        column("first_seen", TIME),
        sa.Column("last_fetched", TIME),
        sa.Column("run", NUMBER),
        sa.Column("article", NUMBER),
        column("callback", sa.String(40), default="parse_page"),
        sa.Column("meta", sa.Text()),
        sa.PrimaryKeyConstraint("fingerprint", name="pk_urls"),
    )
    op.create_table(
        "article_versions",
        key("article", NUMBER),
        key("version", sa.Integer()),
        sa.Column("fetched_at", TIME),
        column("content_hash", sa.Text()),
        sa.Column("page_hash", sa.Text()),
        column("document", sa.Text()),
        sa.ForeignKeyConstraint(["article"], ["articles.id"], name="fk_article_versions_article", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("article", "version", name="pk_article_versions"),
    )
    op.create_table(
        "changes",
        key("change", NUMBER),
        column("article", NUMBER),
        column("version", sa.Integer()),
        column("kind", WORD),
        column("at", TIME),
        sa.Column("run", NUMBER),
        sa.ForeignKeyConstraint(["article"], ["articles.id"], name="fk_changes_article", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("change", name="pk_changes"),
    )
    op.create_table(
        "signatures",
        key("article", NUMBER),
        column("signature", sa.LargeBinary()),
        sa.ForeignKeyConstraint(
            ["article"], ["articles.id"], name="fk_signatures_article_articles", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("article", name="pk_signatures"),
    )
    op.create_table(
        "bands",
        key("band", sa.Integer()),
        key("article", NUMBER),
        sa.PrimaryKeyConstraint("band", "article", name="pk_bands"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "site_pages",
        column("site", sa.Text()),
        column("fingerprint", HASH),
        column("url", sa.Text()),
        column("fetched_at", TIME),
        sa.Column("run", NUMBER),
        sa.Column("peer_url", sa.Text()),
        column("summary", sa.LargeBinary()),
        column("size", sa.Integer()),
        column("known", sa.Integer()),
        sa.Column("decision", sa.LargeBinary()),
        column("reviewed", sa.Boolean()),
        column("flips", sa.Integer(), default="0"),
        sa.PrimaryKeyConstraint("site", "fingerprint", name="pk_site_pages"),
    )
    op.create_table("review_pages", column("site", sa.Text()), column("fingerprint", HASH))
    op.create_table(
        "alerts",
        column("subject", sa.Text()),
        column("kind", WORD),
        column("sentence", sa.Text()),
        column("since", TIME),
        sa.Column("told_at", TIME),
        sa.Column("ended_at", TIME),
        sa.PrimaryKeyConstraint("subject", "kind", name="pk_alerts"),
    )
    unfinished = sa.text("finished_at IS NULL")
    op.create_index(
        "ix_runs_alive_until", "runs", ["alive_until"], sqlite_where=unfinished, postgresql_where=unfinished
    )
    for table, *columns in (
        ("articles", "site", "change"),
        ("articles", "duplicate_of"),
        ("articles", "site", "change_kind"),
        ("changes", "article"),
        ("peers", "site", "held"),
        ("runs", "identity"),
        ("site_pages", "site", "size"),
        ("urls", "article"),
        ("urls", "site", "state", "priority"),
        ("urls", "state", "next_due"),
        ("urls", "run", "site", "state", "priority"),
        ("urls", "lease_owner"),
        ("urls", "site", "state", "reason"),
    ):
        op.create_index(f"ix_{table}_{'_'.join(columns)}", table, columns)
    op.bulk_insert(sa.table("change_counter", sa.column("id"), sa.column("last")), [{"id": 1, "last": 0}])
