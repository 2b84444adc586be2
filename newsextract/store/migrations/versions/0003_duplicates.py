"""Near-duplicates: what an article is a copy of, the signatures of texts, and their keys to look them up by."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    original = sa.Column("duplicate_of", NUMBER, nullable=True, comment="the first article with this text")
    op.add_column("articles", original)
    op.create_index("ix_articles_duplicate_of", "articles", ["duplicate_of"], unique=False)
    op.create_table(
        "signatures",
        sa.Column("article", NUMBER, autoincrement=False, nullable=False),
        sa.Column("signature", sa.LargeBinary(), nullable=False, comment="signatures.Signature.to_bytes()"),
        sa.ForeignKeyConstraint(
            ["article"], ["articles.id"], name="fk_signatures_article_articles", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("article", name="pk_signatures"),
    )
    op.create_table(
        "bands",
        sa.Column("band", sa.Integer(), autoincrement=False, nullable=False, comment="a key of a signature"),
        sa.Column("article", NUMBER, autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("band", "article", name="pk_bands"),
        sqlite_with_rowid=False,
    )
