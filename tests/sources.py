"""The checkout, and its own Python files, for tests that look at the shape of the code."""

from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
CODE_FOLDERS = ("newsextract", "spiders", "pipelines", "evaluation", "tests", "scripts")


def sources() -> dict[Path, str]:
    """Every Python file of the project, by its path in the checkout."""
    files = (file for folder in CODE_FOLDERS for file in sorted((CHECKOUT / folder).rglob("*.py")))
    return {file.relative_to(CHECKOUT): file.read_text("utf-8") for file in files}
