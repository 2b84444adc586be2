"""Prints how many numbers are set by hand at module level and how many regular expressions the package has.

    python scripts/constants.py [FOLDER]

A compass, not a gate: what a table, an example or a fitted weight can say needs neither. Numbers are counted
in module-level constants, alone or in tuples; regular expressions where `re` is given one. By package, most first.
"""

import ast
import sys
from collections import Counter
from pathlib import Path

#: Functions of `re` that take a pattern first.
PATTERN_FUNCTIONS = frozenset(
    {"compile", "search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer"}
)


def numbers_of(node: ast.expr | None) -> int:
    """How many numbers the value of a constant is."""
    if isinstance(node, ast.Tuple):
        return sum(map(numbers_of, node.elts))
    if isinstance(node, ast.UnaryOp):
        return numbers_of(node.operand)
    if isinstance(node, ast.BinOp):  # 60 * 60
        return min(1, numbers_of(node.left) + numbers_of(node.right))
    return int(isinstance(node, ast.Constant) and type(node.value) in (int, float))


def count(source: str) -> Counter[str]:
    """The numbers and patterns of one module."""
    tree, counts = ast.parse(source), Counter[str]()
    for statement in tree.body:
        if isinstance(statement, ast.Assign | ast.AnnAssign):
            counts["numbers"] += numbers_of(statement.value)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(function := node.func, ast.Attribute) and node.args:
            of_re = isinstance(function.value, ast.Name) and function.value.id == "re"
            counts["patterns"] += of_re and function.attr in PATTERN_FUNCTIONS
    return counts


def main(folder: Path) -> None:
    packages: dict[str, Counter[str]] = {}
    for path in sorted(folder.rglob("*.py")):
        name = path.relative_to(folder).parts[0] if path.parent != folder else "."
        packages.setdefault(name, Counter()).update(count(path.read_text("utf-8")))
    total = sum(packages.values(), Counter[str]())
    print(f"{'package':14} numbers patterns")
    for name, counts in sorted(packages.items(), key=lambda row: -row[1].total()):
        print(f"{name:14} {counts['numbers']:7} {counts['patterns']:8}")
    print(f"{'all':14} {total['numbers']:7} {total['patterns']:8}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / "newsextract")
