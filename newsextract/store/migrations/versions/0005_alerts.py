"""Alerts, and indexes for the figures of many sites."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "alerts",
        sa.Column("subject", sa.Text(), nullable=False, comment="a site, a spider of sites.toml, or a folder"),
        sa.Column("kind", sa.String(length=16), nullable=False, comment="one of store.alerts.KINDS"),
        sa.Column("sentence", sa.Text(), nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.Column("told_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("subject", "kind", name="pk_alerts"),
    )
    op.create_index("ix_urls_site_state_reason", "urls", ["site", "state", "reason"], unique=False)
    op.create_index("ix_articles_site_change_kind", "articles", ["site", "change_kind"], unique=False)
