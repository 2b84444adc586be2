"""The migrations and the tables of the code are one schema, also from an egg."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from newsextract.store import schema
from newsextract.store.migrate import migrations

ROOT = Path(__file__).parents[2]


def test_the_migrations_lead_to_the_tables_of_the_code(store):
    with store.database.reading() as connection:
        context = MigrationContext.configure(
            connection,
            opts={"version_table": schema.VERSION_TABLE, "compare_type": True, "compare_server_default": True},
        )
        assert compare_metadata(context, schema.metadata) == []


def test_the_newest_migration_is_the_one_that_the_code_expects():
    assert migrations()[0] == schema.REVISION


def test_a_database_can_be_made_from_a_zipped_egg(tmp_path):
    egg = tmp_path / "project.egg"
    with zipfile.ZipFile(egg, "w") as archive:
        for file in (ROOT / "newsextract").rglob("*.py"):
            archive.write(file, file.relative_to(ROOT))
    code = f"from newsextract.store import Store; print(Store.open('sqlite:///{tmp_path}/news.db').cursor())"
    environment = {**os.environ, "PYTHONPATH": str(egg)}
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.stdout == "0\n", done.stderr
