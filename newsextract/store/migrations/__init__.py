"""Alembic's environment. A migration is never edited, and must not use the tables of `schema.py`, which move on."""
