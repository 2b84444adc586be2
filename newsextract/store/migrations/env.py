"""Run by Alembic: upgrades over the connection and inside the transaction that `newsextract.store.migrate` opened."""

from alembic import context

from newsextract.store.schema import VERSION_TABLE

context.configure(
    connection=context.config.attributes["connection"],
    version_table=VERSION_TABLE,
    transactional_ddl=True,
    render_as_batch=True,
)
context.run_migrations()
