"""Alembic's environment. A migration is never edited, and does not import `schema.py`, whose tables change."""
