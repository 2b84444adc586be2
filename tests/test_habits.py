"""Habits of the code that a reader counts on: rooms list their names, modules hold no state, names say something."""

import ast
import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sources import CHECKOUT, dotted, functions, product, sources

OURS = {"newsextract", "spiders", "pipelines"}
#: Words that say nothing about the thing they name.
EMPTY_WORDS = {"manager", "helper", "helpers", "util", "utils", "misc", "common", "data", "info", "process", "handle"}
MUTATORS = {"append", "extend", "insert", "add", "update", "setdefault", "pop", "popitem", "remove", "discard", "clear"}
MUTABLE_CALLS = {"list", "dict", "set", "defaultdict", "deque", "Counter", "OrderedDict", "bytearray"}


def bound_names(tree: ast.Module) -> set[str]:
    """Public names that a module binds at its top level."""
    found: set[str] = set()
    for node in tree.body:
        match node:
            case ast.Import() | ast.ImportFrom():
                found |= {alias.asname or alias.name.partition(".")[0] for alias in node.names}
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.Assign(targets=targets):
                found |= {target.id for target in targets if isinstance(target, ast.Name)}
            case ast.AnnAssign(target=ast.Name(id=name)):
                found.add(name)
    return {name for name in found if not name.startswith("_")}


def test_every_room_lists_all_its_public_names():
    wrong = {}
    for path, tree in product().items():
        if path.name != "__init__.py" or not bound_names(tree):
            continue
        module = importlib.import_module(dotted(path.parent))
        listed = set(getattr(module, "__all__", ()))
        missing = {name for name in bound_names(tree) - listed if not is_foreign_or_module(getattr(module, name))}
        absent = {name for name in listed if not hasattr(module, name)}
        if missing or absent:
            wrong[str(path)] = {"not in __all__": sorted(missing), "in __all__ but not there": sorted(absent)}
    assert wrong == {}


def is_foreign_or_module(value: object) -> bool:
    """Whether a name in a room's `__init__` is only a tool it uses: a module, or a thing of another package."""
    return (
        isinstance(value, type(sys)) or str(getattr(value, "__module__", "newsextract")).partition(".")[0] not in OURS
    )


def is_mutable(value: ast.expr | None) -> bool:
    if isinstance(value, ast.Call):
        name = value.func.attr if isinstance(value.func, ast.Attribute) else getattr(value.func, "id", "")
        return name in MUTABLE_CALLS
    return isinstance(value, ast.List | ast.Dict | ast.Set | ast.ListComp | ast.DictComp | ast.SetComp)


def module_state(path: Path, tree: ast.Module) -> Iterator[str]:
    """Signs of state at module level: mutable values that are no constant, `global`, constants changed in functions."""
    constants = set()
    for node in tree.body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        names = [target.id for target in targets if isinstance(target, ast.Name)]
        constants |= set(names)
        if is_mutable(getattr(node, "value", None)):
            yield from (f"{path}:{node.lineno} {n}" for n in names if not re.fullmatch(r"_?[A-Z][A-Z0-9_]*|__all__", n))
    for function in functions(tree):
        local = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        local |= {a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg)}
        for node in ast.walk(function):
            match node:
                case ast.Global(names=names):
                    yield f"{path}:{node.lineno} global {', '.join(names)}"
                case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr)) if attr in MUTATORS:
                    if name in constants - local:
                        yield f"{path}:{node.lineno} {name}.{attr}"
                case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()) if name in constants - local:
                    yield f"{path}:{node.lineno} {name}[...] ="


def test_modules_hold_no_state_but_constants():
    assert [sign for path, tree in product().items() for sign in module_state(path, tree)] == []


@pytest.mark.parametrize(
    "text",
    [
        "cache = {}",
        "SEEN = set()\ndef f(url):\n    SEEN.add(url)",
        "N = 0\ndef f():\n    global N\n    N += 1",
        "A = {}\ndef f():\n    A[1] = 2",
    ],
)
def test_the_check_for_state_sees_each_kind(text):
    assert list(module_state(Path("newsextract/x.py"), ast.parse(text)))


def test_names_are_words_of_the_field():
    found = [str(path) for path in product() if EMPTY_WORDS & set(path.stem.split("_"))]
    for path, tree in product().items():
        names = [node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
        found += [
            f"{path}: {name}" for name in names if EMPTY_WORDS & {w.lower() for w in re.findall("[A-Z][a-z]*", name)}
        ]
    assert found == []


def test_no_test_is_skipped_or_expected_to_fail():
    pattern = re.compile(r"pytest\.(mark\.)?(skip|skipif|xfail|importorskip)\b")
    ours = Path(__file__).resolve().relative_to(CHECKOUT)
    lines = [
        f"{path}:{n}"
        for path, text in sources().items()
        for n, line in enumerate(text.splitlines(), 1)
        if path != ours and pattern.search(line)
    ]
    assert lines == []
