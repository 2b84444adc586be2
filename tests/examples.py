"""Tables of examples: the rows of a parametrized test, in the TOML file beside it."""

import tomllib
from pathlib import Path
from typing import Any

import pytest


def examples(test: str, table: str) -> list[Any]:
    """The rows of a table in the TOML file of a test (its `__file__`). Where a list ends early, the rest is None; a
    table of tables gives the values of each, with its name as id.
    """
    rows: Any = tomllib.loads(Path(test).with_suffix(".toml").read_text("utf-8"))[table]
    if isinstance(rows, dict):
        return [pytest.param(*row.values(), id=name) for name, row in rows.items()]
    columns = max(map(len, rows))
    return [[*row, *[None] * (columns - len(row))] if isinstance(row, list) else row for row in rows]
