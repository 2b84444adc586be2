"""The tables of the database as an ER diagram in Mermaid, made from `newsextract.store.schema`.

python scripts/table_diagram.py            prints it
python scripts/table_diagram.py --write    puts it into docs/ARCHITECTURE.md, between its marks
"""

import sys
from pathlib import Path

from sqlalchemy import Boolean, Column, Float, Integer, LargeBinary, String

from newsextract.store.schema import CleanText, UtcTime, metadata

PAGE = Path(__file__).resolve().parent.parent / "docs" / "ARCHITECTURE.md"
BEGIN = "<!-- tables: scripts/table_diagram.py --write -->\n"
END = "<!-- end of tables -->\n"
#: Columns that hold the key of a row of another table. Few are foreign keys, because most of these rows may go first.
KEYS = {"article": "articles", "run": "runs", "fingerprint": "urls", "duplicate_of": "articles"}
#: Names of the column types.
TYPES = {
    "text": (CleanText, String),
    "time": UtcTime,
    "number": (Integer, Float),
    "flag": Boolean,
    "bytes": LargeBinary,
}
#: Columns of `articles` that are fields of an article: docs/SCHEMA.md has them.
FIELDS_OF = "articles"


def diagram() -> str:
    """The diagram, as a fenced block."""
    lines = ["```mermaid", "erDiagram"]
    for table in metadata.sorted_tables:
        lines += [f"  {table.name} {{", *(f"    {row(column)}" for column in table.columns if is_shown(column)), "  }"]
    for table in metadata.sorted_tables:
        for column in table.columns:
            if (parent := parent_of(column)) is not None:
                is_one = column.name == "fingerprint" or (column.primary_key and len(table.primary_key.columns) == 1)
                lines.append(f"  {parent} |o--{'o|' if is_one else 'o{'} {table.name} : {column.name}")
    return "\n".join([*lines, "```", ""])


def is_shown(column: Column[object]) -> bool:
    """Whether a column is in the diagram: of an article's fields only those that other columns need."""
    return column.table.name != FIELDS_OF or column.comment is None or column.name in ("id", "key", "url", "site")


def row(column: Column[object]) -> str:
    """A column as Mermaid has it: type, name, key."""
    key = " PK" if column.primary_key else " FK" if parent_of(column) else ""
    kind = next(name for name, kinds in TYPES.items() if isinstance(column.type, kinds))
    return f"{kind} {column.name}{key}"


def parent_of(column: Column[object]) -> str | None:
    """The table with the row that a column refers to, or None."""
    parent = KEYS.get(column.name)
    is_key = not isinstance(column.type, CleanText) and parent != column.table.name
    return parent if is_key or column.name == "duplicate_of" else None


def written(page: str, tables: str) -> str:
    """The page with the diagram between its marks."""
    before, rest = page.split(BEGIN)
    return before + BEGIN + tables + END + rest.split(END)[1]


if __name__ == "__main__":
    if "--write" in sys.argv[1:]:
        PAGE.write_text(written(PAGE.read_text("utf-8"), diagram()), "utf-8")
    else:
        print(diagram(), end="")
