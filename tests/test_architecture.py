"""The shape of the code: who may import whom, what packages export, what an import costs, that every test runs.

The import rules are import-linter contracts in pyproject.toml, which scripts/lint checks; docs/ARCHITECTURE.md has them
in words.
"""

import ast
import importlib
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from evaluation.crawling.sites import copy_package
from tests import preloaded
from tests.sources import CHECKOUT, sources

#: Lines that break a contract, by the module they are added to.
BREACHES = {
    "store/articles.py": "import scrapy",
    "store/commit.py": "from newsextract.page import Page",
    "page/parse.py": "from ..extractors import base",
    "page/decode.py": "from newsextract import extract",
    "page/meta.py": "def late():\n    from newsextract.page.page import Page",
    "methods/econ.py": "def late():\n    from newsextract import store",
    "settings.py": "from newsextract.items import Article",
    "cli/app.py": "import twisted.internet",
    "spiders/site.py": "from evaluation import run",
    "pipelines/storage.py": "from newsextract.report import render",
    "export/formats.py": "from newsextract.crawl import context",
    "unlisted.py": "import json",
}

#: What Windows' Python doesn't have: modules, and names of others.
POSIX_MODULES = ["fcntl", "grp", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty"]
POSIX_NAMES = {
    "multiprocessing.context": "ForkContext ForkServerContext",
    "os": "O_DIRECTORY O_NONBLOCK WNOHANG fork getpgid geteuid getuid killpg pread setpgid setsid sysconf uname",
    "signal": "SIGALRM SIGCHLD SIGHUP SIGKILL SIGPIPE SIGQUIT SIGUSR1 pthread_sigmask setitimer",
    "socket": "AF_UNIX send_fds recv_fds",
}

#: The module whose line makes a circle, which is reported by its package.
CIRCLE = "newsextract.page.meta"


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [Path(sys.executable).parent / "lint-imports", "--config", CHECKOUT / "pyproject.toml", "--no-cache"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def test_import_contracts_hold_and_report_every_kind_of_breach(tmp_path):
    copy_package(tmp_path, {})
    result = lint_imports(tmp_path)
    assert result.returncode == 0, result.stdout
    for name, line in BREACHES.items():
        with (tmp_path / "newsextract" / name).open("a", encoding="utf-8") as file:
            file.write(f"\n\n{line}\n")
    result = lint_imports(tmp_path)
    assert result.returncode == 1
    assert "No cycles are allowed in newsextract.page." in result.stdout
    modules = {f"newsextract.{name.removesuffix('.py').replace('/', '.')}" for name in BREACHES} - {CIRCLE}
    assert modules <= {*re.findall(r"^-\s+(\S+)(?: ->|$)", result.stdout, re.M)}, result.stdout


def is_tool(value: object) -> bool:
    """Whether a name in a package's `__init__` is something it only uses: a module, or another project's object."""
    of = str(getattr(value, "__module__", "newsextract"))
    return isinstance(value, ModuleType) or not of.startswith("newsextract")


def test_packages_list_all_their_public_names_in_all():
    wrong = {}
    for path in sources():
        if path.name == "__init__.py" and path.parts[0] in {"newsextract", "spiders", "pipelines"}:
            module = importlib.import_module(".".join(path.parent.parts))
            public = {name for name, value in vars(module).items() if not name.startswith("_") and not is_tool(value)}
            listed = set(getattr(module, "__all__", ()))
            if public - listed or not all(hasattr(module, name) for name in listed):
                wrong[str(path)] = sorted(public ^ listed)
    assert wrong == {}


def test_all_modules_can_be_imported_without_what_only_posix_has():
    """Imported twice: other packages ask for the system, so they are loaded before it loses modules and names."""
    code = f"""
import importlib, multiprocessing.context, os, pkgutil, signal, socket, sys
def import_all():
    for module in pkgutil.walk_packages(importlib.import_module("newsextract").__path__, "newsextract."):
        module.name.endswith("__main__") or importlib.import_module(module.name)
    return [name for name in sys.modules if name.partition(".")[0] == "newsextract"]
for name in import_all():
    del sys.modules[name]
sys.modules.update(dict.fromkeys({POSIX_MODULES}))
for module, names in {POSIX_NAMES}.items():
    for name in names.split():
        delattr(sys.modules[module], name)
print(len(import_all()))
"""
    command = [*preloaded.command("-u"), "-c", code]
    assert int(subprocess.check_output(command, cwd=CHECKOUT, text=True)) > 250


@pytest.mark.parametrize(
    ("imported", "heavy"),
    [
        ("workers.worker", ["scrapy", "twisted", "sqlalchemy", "alembic", "typer", "rich", "jieba", "pydantic"]),
        ("extractors.registry", ["scipy", "jieba"]),
        ("runs.commands.crawl", ["article", "body", "render", "metadata.describe", "index.query", "workers.worker"]),
    ],
)
def test_worker_process_crawl_and_registry_import_nothing_that_only_others_need(imported, heavy):
    names = {*heavy, *(f"newsextract.{name}" for name in heavy)}
    code = f"import sys, newsextract.{imported}; print(sorted({names} & sys.modules.keys()))"
    assert subprocess.check_output([sys.executable, "-c", code], cwd=CHECKOUT, text=True) == "[]\n"


def test_no_test_is_skipped_or_expected_to_fail():
    pattern = re.compile(r"pytest\.(mark\.)?(skip|skipif|xfail|importorskip)\b")
    this = Path(__file__).resolve().relative_to(CHECKOUT)
    found = {path: pattern.findall(text) for path, text in sources().items() if path != this}
    assert {path: words for path, words in found.items() if words} == {}


def test_constants_stand_on_a_line_each():
    shared = [
        f"{path}:{node.lineno}"
        for path, text in sources().items()
        for node in ast.parse(text).body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple) and isinstance(node.value, ast.Tuple)
    ]
    assert not shared, "one constant a line, with its unit"


def classes_and_functions(path: str) -> dict[str, ast.AST]:
    """The classes and functions of a module by name, and methods by CLASS.METHOD."""
    found: dict[str, ast.AST] = {}
    for node in ast.parse((CHECKOUT / path).read_text("utf-8")).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            found[node.name] = node
            functions = (one for one in node.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef))
            found |= {f"{node.name}.{one.name}": one for one in functions}
    return found


def test_walk_of_a_page_takes_fifteen_steps_and_its_callers_call_them():
    page = (CHECKOUT / "docs" / "ARCHITECTURE.md").read_text("utf-8")
    walk = page.partition("### The walk of a page")[2].partition("\n### ")[0]
    steps = re.findall(r"^\| (\d+) \| `([\w/.]+):([\w.]+)`.* \| (Scrapy|\d+)", walk, re.M)
    assert [int(number) for number, *_ in steps] == [*range(1, len(steps) + 1)] and 10 < len(steps) <= 15
    callers = {}
    for number, path, name, caller in steps:
        functions, method = classes_and_functions(path), name.rpartition(".")[2]
        assert name in functions, f"{path} has no {name}"
        callers[number] = functions[name.partition(".")[0]]
        if caller == "Scrapy":
            assert method in ("parse_page", "process_spider_output", "process_item")
        else:
            names = {getattr(node, "attr", getattr(node, "id", "")) for node in ast.walk(callers[caller])}
            assert method in names, f"step {caller} doesn't call {name}"
