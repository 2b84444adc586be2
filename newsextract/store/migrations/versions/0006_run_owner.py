"""The process that works on a run, and an index of the runs that are not finished."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("runs", sa.Column("owner", sa.Text(), nullable=True, comment="the process that began it last"))
    unfinished = sa.text("finished_at IS NULL")
    op.create_index(
        "ix_runs_alive_until", "runs", ["alive_until"], sqlite_where=unfinished, postgresql_where=unfinished
    )
