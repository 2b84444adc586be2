"""Migrations: each upgrades the tables of the revision before it, through Alembic's operations.

A new database gets the tables of `schema`, whose revision is that of the last migration. A migration is never edited,
and does not use `schema`, whose tables change.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

import sqlalchemy as sa

if TYPE_CHECKING:
    from alembic.operations import Operations

#: The revision of version 1.0, which is the oldest.
FIRST = "0006"


def add_candidates(op: "Operations") -> None:
    """Candidates: pages on which is decided later. Pages that an interrupted crawl held become candidates.

    A URL has the kind of what is there in place of the name of a spider's method.
    """
    op.create_table(
        "candidates",
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.String(length=64), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("run", sa.BigInteger().with_variant(sa.Integer(), "sqlite")),
        sa.Column("article", sa.Text()),
        sa.Column("text_confidence", sa.Float()),
        sa.Column("page", sa.Text(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("site", "fingerprint", name="pk_candidates"),
    )
    op.create_index("ix_candidates_run", "candidates", ["run"])
    op.execute(
        "INSERT INTO candidates (site, fingerprint, url, run, page, body) "
        "SELECT urls.site, urls.fingerprint, urls.url, urls.run, peers.page, peers.body FROM urls JOIN peers "
        "ON peers.site = urls.site AND peers.url = urls.url WHERE peers.held AND urls.state = 'held'"
    )
    lease = "lease_owner = NULL, lease_until = NULL"
    op.execute(
        f"UPDATE urls SET state = 'pending', {lease} "
        "WHERE state = 'held' AND fingerprint IN (SELECT fingerprint FROM candidates)"
    )
    op.execute(f"UPDATE urls SET state = 'queued', {lease} WHERE state = 'held'")
    op.execute("DELETE FROM peers WHERE held")
    op.drop_index("ix_peers_site_held", "peers")
    op.drop_column("peers", "held")
    op.create_index("ix_peers_site", "peers", ["site"])
    op.drop_table("review_pages")
    op.alter_column("site_pages", "reviewed", new_column_name="settled")
    op.alter_column("site_pages", "flips", new_column_name="decision_changes")
    op.create_index("ix_site_pages_run_settled", "site_pages", ["run", "settled"])
    op.add_column("urls", sa.Column("kind", sa.String(length=40), server_default="page", nullable=False))
    op.execute("UPDATE urls SET kind = replace(callback, 'parse_', '') WHERE callback <> 'parse_page'")
    op.drop_column("urls", "callback")


def add_notified_at(op: "Operations") -> None:
    """An alert has the time at which the services were notified of it."""
    op.alter_column("alerts", "told_at", new_column_name="notified_at")


def drop_unused_columns(op: "Operations") -> None:
    """Columns that nothing reads: counts of a page's decisions, pauses and failures of a site, times of JSON lines."""
    for table, columns in {
        "site_pages": ("known", "decision_changes"),
        "sites": ("next_due", "failures"),
        "jsonl_files": ("written_at",),
    }.items():
        for column in columns:
            op.drop_column(table, column)


#: Revision -> the migration to it, in order.
MIGRATIONS: dict[str, Callable[["Operations"], None]] = {
    "0007": add_candidates,
    "0008": add_notified_at,
    "0009": drop_unused_columns,
}
