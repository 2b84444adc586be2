"""The ER diagram of the tables in docs/ARCHITECTURE.md."""

import subprocess
import sys

from tests.sources import CHECKOUT


def test_diagram_of_the_tables_is_that_of_the_schema() -> None:
    command = [sys.executable, CHECKOUT / "scripts" / "table_diagram.py"]
    diagram = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "urls {" in diagram and "articles |o--o{ changes : article" in diagram
    page = (CHECKOUT / "docs" / "ARCHITECTURE.md").read_text("utf-8")
    assert diagram in page, "python scripts/table_diagram.py --write"
