"""The frontier: how a queued URL is asked for, and until when a run is known to be alive."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    alive = "kept in the future by its workers"
    op.add_column("runs", sa.Column("alive_until", sa.DateTime(timezone=True), nullable=True, comment=alive))
    callback = sa.Column(
        "callback", sa.String(length=40), server_default="parse_page", nullable=False, comment="the spider's method"
    )
    op.add_column("urls", callback)
    op.add_column("urls", sa.Column("meta", sa.Text(), nullable=True, comment="JSON: what else the request carries"))
    op.create_index("ix_urls_run_site_state_priority", "urls", ["run", "site", "state", "priority"], unique=False)
    op.create_index("ix_urls_lease_owner", "urls", ["lease_owner"], unique=False)
