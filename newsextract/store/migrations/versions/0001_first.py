"""The first schema: runs, sites, the URL ledger, articles with versions and changes, JSON-lines files, peers."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = sa.DateTime(timezone=True)
HASH = sa.String(length=64)
WORD = sa.String(length=16)


def upgrade() -> None:
    articles()
    change_counter()
    jsonl_files()
    peers()
    runs()
    sites()
    urls()
    article_versions()
    changes()
    op.bulk_insert(sa.table("change_counter", sa.column("id"), sa.column("last")), [{"id": 1, "last": 0}])


def articles() -> None:
    op.create_table(
        "articles",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("key_hash", HASH, nullable=False, comment="SHA-256 of key"),
        sa.Column("key", sa.Text(), nullable=False, comment="accepted canonical URL, else the URL fetched; normalised"),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("canonical_url", sa.Text(), nullable=True),
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("language", sa.Text(), nullable=True),
        sa.Column("headline", sa.Text(), nullable=True),
        sa.Column("date_published", TIME, nullable=True),
        sa.Column("content_hash", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False, comment="the present one"),
        sa.Column("change", NUMBER, nullable=False, comment="number of its last change"),
        sa.Column("change_kind", WORD, nullable=False),
        sa.Column("fetched_at", TIME, nullable=True),
        sa.Column("first_seen_at", TIME, nullable=False),
        sa.Column("last_seen_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_articles"),
        sa.UniqueConstraint("change", name="uq_articles_change"),
        sa.UniqueConstraint("key_hash", name="uq_articles_key_hash"),
    )
    op.create_index("ix_articles_site_change", "articles", ["site", "change"], unique=False)


def change_counter() -> None:
    op.create_table(
        "change_counter",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("last", NUMBER, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_change_counter"),
    )


def jsonl_files() -> None:
    op.create_table(
        "jsonl_files",
        sa.Column("path", sa.Text(), nullable=False, comment="absolute"),
        sa.Column("offset", NUMBER, nullable=False, comment="bytes that are written and on disk"),
        sa.Column("change", NUMBER, nullable=False, comment="the last change among them"),
        sa.Column("written_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("path", name="pk_jsonl_files"),
    )


def peers() -> None:
    op.create_table(
        "peers",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("pattern", sa.Text(), nullable=False, comment="URL pattern of the template"),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("held", sa.Boolean(), nullable=False, comment="waits for a peer itself; else it is a reference"),
        sa.Column("page", sa.Text(), nullable=False, comment="JSON: what was fetched, less the body"),
        sa.Column("body", sa.LargeBinary(), nullable=False, comment="compressed"),
        sa.Column("fetched_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_peers"),
    )
    op.create_index("ix_peers_site_held", "peers", ["site", "held"], unique=False)


def runs() -> None:
    op.create_table(
        "runs",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("spider", sa.Text(), nullable=False),
        sa.Column("arguments", sa.Text(), nullable=False, comment="JSON object, keys sorted"),
        sa.Column("identity", HASH, nullable=False, comment="hash of spider and arguments"),
        sa.Column("started_at", TIME, nullable=False),
        sa.Column("finished_at", TIME, nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("stats", sa.Text(), nullable=True, comment="JSON object"),
        sa.PrimaryKeyConstraint("id", name="pk_runs"),
    )
    op.create_index("ix_runs_identity", "runs", ["identity"], unique=False)


def sites() -> None:
    op.create_table(
        "sites",
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("first_seen", TIME, nullable=False),
        sa.Column("last_fetched", TIME, nullable=True),
        sa.Column("next_due", TIME, nullable=True),
        sa.Column("failures", sa.Integer(), server_default="0", nullable=False, comment="in a row"),
        sa.Column("lease_owner", sa.Text(), nullable=True),
        sa.Column("lease_until", TIME, nullable=True),
        sa.PrimaryKeyConstraint("site", name="pk_sites"),
    )


def urls() -> None:
    op.create_table(
        "urls",
        sa.Column("fingerprint", HASH, nullable=False, comment="ledger.fingerprint(url)"),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("state", WORD, nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("priority", sa.Float(), server_default="0", nullable=False),
        sa.Column("depth", sa.Integer(), server_default="0", nullable=False),
        sa.Column("referrer", sa.Text(), nullable=True),
        sa.Column("anchor_text", sa.Text(), nullable=True),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("lease_owner", sa.Text(), nullable=True),
        sa.Column("lease_until", TIME, nullable=True),
        sa.Column("status", sa.Integer(), nullable=True, comment="HTTP status of the last fetch"),
        sa.Column("etag", sa.Text(), nullable=True),
        sa.Column("last_modified", sa.Text(), nullable=True),
        sa.Column("page_hash", sa.Text(), nullable=True),
        sa.Column("next_due", TIME, nullable=True),
        sa.Column("first_seen", TIME, nullable=False),
        sa.Column("last_fetched", TIME, nullable=True),
        sa.Column("run", NUMBER, nullable=True, comment="the run that touched it last"),
        sa.Column("article", NUMBER, nullable=True, comment="the article this URL led to"),
        sa.PrimaryKeyConstraint("fingerprint", name="pk_urls"),
    )
    op.create_index("ix_urls_article", "urls", ["article"], unique=False)
    op.create_index("ix_urls_site_state_priority", "urls", ["site", "state", "priority"], unique=False)
    op.create_index("ix_urls_state_next_due", "urls", ["state", "next_due"], unique=False)


def article_versions() -> None:
    op.create_table(
        "article_versions",
        sa.Column("article", NUMBER, nullable=False),
        sa.Column("version", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("fetched_at", TIME, nullable=True),
        sa.Column("content_hash", sa.Text(), nullable=False),
        sa.Column("page_hash", sa.Text(), nullable=True),
        sa.Column("document", sa.Text(), nullable=False, comment="Article.to_dict() as JSON"),
        sa.ForeignKeyConstraint(["article"], ["articles.id"], name="fk_article_versions_article", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("article", "version", name="pk_article_versions"),
    )


def changes() -> None:
    op.create_table(
        "changes",
        sa.Column("change", NUMBER, autoincrement=False, nullable=False),
        sa.Column("article", NUMBER, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("kind", WORD, nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.Column("run", NUMBER, nullable=True),
        sa.ForeignKeyConstraint(["article"], ["articles.id"], name="fk_changes_article", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("change", name="pk_changes"),
    )
    op.create_index("ix_changes_article", "changes", ["article"], unique=False)
