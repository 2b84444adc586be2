"""Sites: the summary of each page of a site, and the pages that are kept until the end of its crawl."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "site_pages",
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.String(length=64), nullable=False, comment="url_states.fingerprint(url)"),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("fetched_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("run", NUMBER, nullable=True),
        sa.Column("peer_url", sa.Text(), nullable=True, comment="the peer that the page was read with"),
        sa.Column("summary", sa.LargeBinary(), nullable=False, comment="site_profile.PageSummary.to_bytes()"),
        sa.Column("size", sa.Integer(), nullable=False, comment="bytes of the summary"),
        sa.Column("known", sa.Integer(), nullable=False, comment="pages of the site that were known at the decision"),
        sa.Column(
            "decision",
            sa.LargeBinary(),
            nullable=True,
            comment="site_profile.Decision.to_bytes(); NULL while the page waits",
        ),
        sa.Column("reviewed", sa.Boolean(), nullable=False, comment="decided with all pages of a run"),
        sa.Column(
            "flips",
            sa.Integer(),
            server_default="0",
            nullable=False,
            comment="decisions of earlier runs that were changed",
        ),
        sa.PrimaryKeyConstraint("site", "fingerprint", name="pk_site_pages"),
    )
    op.create_index("ix_site_pages_site_size", "site_pages", ["site", "size"], unique=False)
    op.create_table(
        "review_pages",
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.String(length=64), nullable=False),
        sa.Column("run", NUMBER, nullable=True),
        sa.Column("page", sa.Text(), nullable=False, comment="JSON: what was fetched, less the body"),
        sa.Column("body", sa.LargeBinary(), nullable=False, comment="compressed"),
        sa.Column("size", sa.Integer(), nullable=False, comment="bytes of the compressed body"),
        sa.PrimaryKeyConstraint("site", "fingerprint", name="pk_review_pages"),
    )
    op.create_index("ix_review_pages_run", "review_pages", ["run"], unique=False)
    op.create_index("ix_review_pages_site_size", "review_pages", ["site", "size"], unique=False)
