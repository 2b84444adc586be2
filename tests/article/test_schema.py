"""The schema of an article: what is published of it, and what a change of it needs."""

import hashlib
import json
import subprocess
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from sqlalchemy import inspect

from newsextract.article.schema import json_schema
from newsextract.items import ARTICLE_FIELDS, SCHEMA_VERSION
from newsextract.store import Store
from tests import preloaded
from tests.sources import CHECKOUT

#: What `newsextract schema` printed for each version. A file here is never changed once its version is released.
PUBLISHED = CHECKOUT / "tests" / "article_schemas"


def is_aware_time(value: object) -> bool:
    return not isinstance(value, str) or datetime.fromisoformat(value).tzinfo is not None


def errors_of(lines: Iterable[dict[str, Any]]) -> list[str]:
    """What is wrong with the lines, of each the first error; also fields that the schema does not know."""
    from jsonschema import Draft202012Validator, FormatChecker

    formats = FormatChecker(())
    formats.checks("date-time", ValueError)(is_aware_time)
    validator = Draft202012Validator(json_schema(), format_checker=formats)
    known = json_schema()["properties"].keys()
    errors = []
    for line in lines:
        errors += [f"{error.json_path}: {error.message}" for error in validator.iter_errors(line)][:1]
        errors += [f"unknown: {name}" for name in line.keys() - known]
    return errors


def test_schema_is_valid_json_schema_and_the_command_prints_it():
    from jsonschema import Draft202012Validator

    Draft202012Validator.check_schema(json_schema())
    command = [*preloaded.command("newsextract"), "schema"]
    assert json.loads(subprocess.check_output(command, cwd=CHECKOUT, text=True)) == json_schema()


def test_page_of_the_docs_has_a_row_for_each_field():
    page = (CHECKOUT / "docs/SCHEMA.md").read_text("utf-8")
    rows = [[cell.strip(" `") for cell in line.split(" |")] for line in page.splitlines() if line.startswith("| `")]
    described = [(name, spec["description"]) for name, spec in json_schema()["properties"].items()]
    assert [(row[0].strip("| `"), row[-2]) for row in rows] == described
    since = [(row[2], row[3]) for row in rows[: len(ARTICLE_FIELDS)]]
    assert since == [("yes" if spec.optional else "", str(spec.since)) for spec in ARTICLE_FIELDS]
    assert f"This is version {SCHEMA_VERSION} of the schema." in page


def test_a_changed_schema_has_a_new_version_and_a_line_in_the_changelog():
    published = {int(file.stem): json.loads(file.read_text("utf-8")) for file in PUBLISHED.glob("*.json")}
    assert max(published) == SCHEMA_VERSION and json_schema() == published[SCHEMA_VERSION], (
        "the schema has changed: raise SCHEMA_VERSION in newsextract/items.py, give new fields that number as `since`; "
        "newsextract schema > tests/article_schemas/VERSION.json, and a line in CHANGELOG.md"
    )
    changelog = (CHECKOUT / "CHANGELOG.md").read_text("utf-8")
    for version, schema in published.items():
        digest = hashlib.sha256((PUBLISHED / f"{version}.json").read_bytes()).hexdigest()[:8]
        assert f"Schema {version} (`{digest}`)" in changelog, "CHANGELOG.md names each version with its digest"
        assert {spec.name for spec in ARTICLE_FIELDS if spec.since <= version} <= set(schema["required"])


def test_columns_of_a_postgresql_database_have_the_meanings_as_comments(postgresql_url):
    with Store.open(postgresql_url) as store, store.database.reading() as connection:
        comments = {column["name"]: column["comment"] for column in inspect(connection).get_columns("articles")}
    meanings = {spec.name: spec.meaning for spec in ARTICLE_FIELDS if spec.column}
    assert {name: comments[name] for name in meanings} == meanings
