"""Candidates: pages on which is decided later. Pages that an interrupted crawl held become candidates.

A URL has the kind of what is there in place of the name of a spider's method.
"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "candidates",
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.String(length=64), nullable=False, comment="url_states.fingerprint(url)"),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("run", NUMBER, nullable=True),
        sa.Column("article", sa.Text(), nullable=True, comment="Article.to_dict() as JSON; NULL: not read yet"),
        sa.Column("text_confidence", sa.Float(), nullable=True),
        sa.Column("page", sa.Text(), nullable=False, comment="JSON: what was fetched, less the body"),
        sa.Column("body", sa.LargeBinary(), nullable=False, comment="compressed"),
        sa.PrimaryKeyConstraint("site", "fingerprint", name="pk_candidates"),
    )
    op.create_index("ix_candidates_run", "candidates", ["run"], unique=False)
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
    op.create_index("ix_peers_site", "peers", ["site"], unique=False)
    op.drop_table("review_pages")
    op.alter_column("site_pages", "reviewed", new_column_name="settled")
    op.alter_column("site_pages", "flips", new_column_name="decision_changes")
    op.create_index("ix_site_pages_run_settled", "site_pages", ["run", "settled"], unique=False)
    op.add_column(
        "urls",
        sa.Column("kind", sa.String(length=40), server_default="page", nullable=False, comment="what is there"),
    )
    op.execute("UPDATE urls SET kind = replace(callback, 'parse_', '') WHERE callback <> 'parse_page'")
    op.drop_column("urls", "callback")
    if op.get_context().dialect.supports_comments:
        op.alter_column(
            "site_pages", "decision", existing_type=sa.LargeBinary(), comment="site_profile.Decision.to_bytes()"
        )
