"""An alert has the time at which the services were notified of it."""

from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.alter_column("alerts", "told_at", new_column_name="notified_at")
