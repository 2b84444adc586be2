"""The shape of the code, held by a machine: who may import whom, how long a thing may be, what a room must say.

The rule in words is docs/ARCHITECTURE.md, *Imports point one way*.
"""

import ast
import dataclasses
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sources import CHECKOUT, dotted, functions, product, sources, trees

MAX_LINES, MAX_FUNCTION_LINES, MAX_SETTINGS = 300, 50, 5

BASE = {"errors", "settings", "items", "identity", "signatures", "version", "whole"}
EXTRACTION = BASE | {"page", "algorithms", "metadata", "discovery", "pairing", "body", "extraction", "__init__"}
LIBRARY = EXTRACTION | {"store"}
CONSUMERS = {"corpus", "cluster", "browse", "report", "bench", "demo"}
CRAWLING = {"crawl", "spiders", "pipelines"}

#: Which rooms of the project a room may import, besides itself. A room that is not here may not exist.
MAY_IMPORT = {
    **{name: BASE - {"settings"} for name in ("errors", "items", "identity", "signatures", "version", "whole")},
    "settings": {"version"},
    "page": BASE,
    **{name: BASE | {"page"} for name in ("algorithms", "metadata", "discovery", "pairing")},
    "body": BASE | {"page", "algorithms"},
    "extraction": EXTRACTION - {"__init__"},
    "__init__": EXTRACTION - {"__init__"},
    "store": BASE,
    **dict.fromkeys(CONSUMERS, LIBRARY),
    "cluster": LIBRARY | {"corpus"},
    **{name: LIBRARY | CRAWLING | {"corpus", "demo"} for name in CRAWLING},
    "cli": LIBRARY | CONSUMERS | CRAWLING,
    "__main__": {"cli"},
    **{name: LIBRARY | CONSUMERS | CRAWLING | {"cli", "tests", "evaluation"} for name in ("evaluation", "tests")},
    "scripts": set(),
}
#: Only these know Scrapy and the network engine under it.
MAY_IMPORT_SCRAPY = CRAWLING | {"evaluation", "tests"}
SCRAPY = {"scrapy", "twisted", "itemadapter", "itemloaders"}
OURS = {"newsextract", "spiders", "pipelines", "evaluation", "tests", "scripts"}


def room_of(module: str) -> str | None:
    """The room a dotted name of ours is in; None for other people's modules."""
    top, _, rest = module.partition(".")
    if top not in OURS:
        return None
    return (rest.partition(".")[0] or "__init__") if top == "newsextract" else top


def imports(tree: ast.Module, path: Path) -> Iterator[tuple[int, str]]:
    """Every module a file imports, at top level, in a function or by name, as absolute dotted names."""
    for node in ast.walk(tree):
        match node:
            case ast.Import():
                yield from ((node.lineno, alias.name) for alias in node.names)
            case ast.ImportFrom(level=0, module=str(module)):
                below = [f"{module}.{alias.name}" for alias in node.names] if module == "newsextract" else [module]
                yield from ((node.lineno, name) for name in below)
            case ast.ImportFrom():
                parent = ".".join(path.parts[: len(path.parts) - node.level])
                yield node.lineno, f"{parent}.{node.module or node.names[0].name}"
            case ast.Call(
                func=ast.Name(id="__import__") | ast.Attribute(attr="import_module"),
                args=[ast.Constant(value=str(name)), *_],
            ):
                yield node.lineno, name


def breaches(path: Path, tree: ast.Module) -> list[str]:
    """What a file imports against the rule, a line each."""
    room = room_of(dotted(path))
    if room not in MAY_IMPORT:
        return [f"{path}: {room!r} is no room of docs/ARCHITECTURE.md"]
    found = []
    for line, module in imports(tree, path):
        target = room_of(module)
        if target and module.startswith("newsextract.") and not is_module(target):
            target = "__init__"
        if target and target != room and target not in MAY_IMPORT[room]:
            found.append(f"{path}:{line}: {room} may not import {module}")
        if module.partition(".")[0] in SCRAPY and room not in MAY_IMPORT_SCRAPY:
            found.append(f"{path}:{line}: {room} may not import Scrapy ({module})")
    return found


def is_module(name: str) -> bool:
    """Whether `newsextract.NAME` is a room, not a public name such as `newsextract.extract`."""
    return (CHECKOUT / "newsextract" / name).is_dir() or (CHECKOUT / "newsextract" / f"{name}.py").exists()


def test_imports_point_one_way():
    assert [breach for path, tree in trees().items() for breach in breaches(path, tree)] == []


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("newsextract/store/articles.py", "import scrapy"),
        ("newsextract/store/articles.py", "from newsextract.page import Page"),
        ("newsextract/page/parse.py", "from ..algorithms import base"),
        ("newsextract/page/parse.py", "from newsextract import extract"),
        ("newsextract/extractors/econ.py", "def f():\n    from newsextract import store"),
        ("evaluation/run.py", "from newsextract.crawl import run"),
        ("newsextract/settings.py", "from newsextract.items import Article"),
        ("newsextract/cli.py", "importlib.import_module('scrapy')"),
        ("spiders/site.py", "from evaluation import run"),
        ("newsextract/helpers.py", "import json"),
    ],
)
def test_the_import_rule_sees_each_way_of_breaking_it(path, line):
    assert breaches(Path(path), ast.parse(line))


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("spiders/site.py", "from newsextract.discovery.links import extract_links"),
        ("newsextract/crawl/security.py", "from scrapy.resolver import CachingThreadedResolver"),
        ("evaluation/run.py", "from newsextract import EXTRACTORS"),
        ("newsextract/cli.py", "from newsextract.crawl.run import crawl_demo"),
    ],
)
def test_the_import_rule_lets_through_what_the_design_allows(path, line):
    assert not breaches(Path(path), ast.parse(line))


def test_the_settings_module_imports_nothing_but_the_version():
    path = Path("newsextract/settings.py")
    assert {module for _, module in imports(trees()[path], path)} <= {"newsextract.version"}


def test_no_file_is_too_long_to_read_in_one_sitting():
    lengths = {str(path): text.count("\n") for path, text in sources().items()}
    assert {path: length for path, length in lengths.items() if length > MAX_LINES} == {}


def test_no_function_is_longer_than_a_screen():
    lengths = {
        f"{path}:{node.lineno} {node.name}": (node.end_lineno or node.lineno) - node.lineno + 1
        for path, tree in trees().items()
        for node in functions(tree)
    }
    assert {name: length for name, length in lengths.items() if length > MAX_FUNCTION_LINES} == {}


def test_every_file_says_what_it_is_for():
    assert [str(path) for path, tree in product().items() if not ast.get_docstring(tree)] == []


def test_every_room_says_what_it_is_for():
    rooms = {path.parent for path in product() if not {"scripts", "versions"} & set(path.parts)}
    silent = [
        str(room)
        for room in rooms
        if len(ast.get_docstring(trees().get(room / "__init__.py", ast.Module([], []))) or "") < 60
    ]
    assert sorted(silent) == []


def test_no_extractor_has_more_settings_than_a_person_can_tune():
    from newsextract import EXTRACTORS

    settings = {
        name: [field.name for field in dataclasses.fields(kind) if field.init] for name, kind in EXTRACTORS.items()
    }
    assert EXTRACTORS
    assert {name: names for name, names in settings.items() if len(names) > MAX_SETTINGS} == {}


def test_importing_the_library_is_light_and_so_is_the_start_of_a_crawl_s_worker():
    heavy = ["scrapy", "twisted", "sqlalchemy", "alembic", "typer", "rich", "jieba", "dateparser", "htmldate"]
    code = f"import sys, newsextract.crawl.workers.worker; print([name for name in {heavy} if name in sys.modules])"
    assert (
        subprocess.run([sys.executable, "-c", code], cwd=CHECKOUT, capture_output=True, text=True, check=True).stdout
        == "[]\n"
    )
