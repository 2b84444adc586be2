"""The project's own Python files, read and parsed once, for the tests that look at the shape of the code."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
CODE_FOLDERS = ("newsextract", "spiders", "pipelines", "evaluation", "tests", "scripts")


@cache
def sources() -> dict[Path, str]:
    """Every Python file of the project, by its path in the checkout."""
    files = (file for folder in CODE_FOLDERS for file in sorted((CHECKOUT / folder).rglob("*.py")))
    return {file.relative_to(CHECKOUT): file.read_text("utf-8") for file in files}


@cache
def trees() -> dict[Path, ast.Module]:
    return {path: ast.parse(text, str(path)) for path, text in sources().items()}


def product() -> dict[Path, ast.Module]:
    """What users run: all but tests and evaluation.speed."""
    return {path: tree for path, tree in trees().items() if path.parts[0] not in {"tests", "evaluation"}}


def dotted(path: Path) -> str:
    """The module name of a file of the checkout."""
    return ".".join(path.with_suffix("").parts)


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    yield from (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
