"""Datasette on the index and the crawl's database: read-only, on the loopback address, with facets and descriptions."""

import importlib.util
import json
import os
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NoReturn

from newsextract.errors import NewsextractError
from newsextract.files import storing

HOST = "127.0.0.1"
#: Time limits (milliseconds) keep the pages of big tables responsive; the databases can't be downloaded.
SETTINGS = {
    "sql_time_limit_ms": "5000",
    "facet_time_limit_ms": "300",
    "default_page_size": "50",
    "truncate_cells_html": "300",
    "allow_download": "off",
    "suggest_facets": "off",
    "max_returned_rows": "20000",
}
#: The environment variable with the plugins' options as JSON; not a file, because database URLs have passwords.
OPTIONS_VARIABLE = "NEWSEXTRACT_BROWSE"
FOLDER = Path(__file__).parent
#: Path of our style sheet; no database can have a name that begins like this.
STATIC = "-/newsextract"


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """What the plugins know of the call.

    `database`: URL of the crawl's database; `index`: path of the copy; `name`, `crawl`: names of both in Datasette,
    `crawl` is None for PostgreSQL; `follow`: seconds between updates of the copy, None for no updates; `sql`: whether
    requests may have SQL of their own.
    """

    database: str
    index: str
    name: str
    crawl: str | None = None
    follow: float | None = None
    sql: bool = False

    @classmethod
    def of_environment(cls) -> "ServerOptions":
        """Those that `exec_datasette` put into the environment."""
        return cls(**json.loads(os.environ[OPTIONS_VARIABLE]))


def metadata(options: ServerOptions) -> dict[str, object]:
    """Datasette's metadata: descriptions, facets and the dashboard."""
    from newsextract.browse import dashboard  # imports Datasette, which may be missing: `check_installed`

    articles = {
        "description": "Every article. report: why each paragraph was kept; version: its earlier texts.",
        "facets": ["site", {"day": "day"}, "language"],
        "sort_desc": "fetched_at",
        "label_column": "headline",
        "size": 50,
    }
    hidden = {name: {"hidden": True} for name in ("articles_fts", "_newsextract", "_runs", "_figures", "figures")}
    databases: dict[str, object] = {
        options.name: {
            "description": "The articles with full-text search, and the figures of the dashboard.",
            "tables": {"articles": articles, **FIGURE_TABLES, **hidden},
        }
    }
    if options.crawl is not None:
        tables = {
            "urls": {
                "facets": ["site", "state", "reason"],
                "description": "Every URL that was seen. The copy's table outcomes counts them by site and state.",
            },
            "runs": {"sort_desc": "id", "description": "The crawls."},
            "sites": {"sort_desc": "last_fetched"},
            "changes": {"sort_desc": "change", "facets": ["kind"]},
        }
        databases[options.crawl] = {"description": "The crawl's own database.", "tables": tables}
    return {
        "title": "newsextract",
        "databases": databases,
        "extra_css_urls": [f"/{STATIC}/browse.css"],
        "plugins": {"datasette-dashboards": dashboard.configuration(options.name, follow=options.follow)},
    }


#: Tables of the index beside that of the articles.
FIGURE_TABLES: dict[str, object] = {
    "daily": {"description": "Changes of articles by day, site and kind.", "sort_desc": "day", "facets": ["kind"]},
    "yields": {
        "description": "Articles and pages of each finished run, by site.",
        "sort_desc": "run",
        "facets": ["site"],
    },
    "refusals": {"description": "Pages without an article.", "sort_desc": "day", "facets": ["reason", "site"]},
    "outcomes": {"description": "URLs by outcome.", "sort_desc": "number", "facets": ["outcome"]},
    "delays": {"description": "Median hours from publication to storage; no site: all of them.", "sort_desc": "day"},
    "sites": {
        "description": "Every site: its state, the last 24 hours and a usual day, and which fields its articles have."
    },
}


def check_installed() -> None:
    """NewsextractError if Datasette or its dashboards are not installed."""
    if any(importlib.util.find_spec(name) is None for name in ("datasette", "datasette_dashboards")):
        raise NewsextractError("browse needs Datasette: pip install 'newsextract[browse]'")


def exec_datasette(options: ServerOptions, crawl: Path | None, port: int) -> NoReturn:
    """Writes Datasette's metadata beside the index and replaces this process by it. Raises StorageError."""
    index = Path(options.index)
    metadata_file = index.with_name(f"{index.stem}-metadata.json")
    with storing(metadata_file):
        metadata_file.write_text(json.dumps(metadata(options), indent=1), "utf-8")
    command = [sys.executable, "-P", "-m", "datasette", "serve", str(index), *([str(crawl)] if crawl else [])]
    command += ["--host", HOST, "--port", str(port), "--metadata", str(metadata_file)]
    command += ["--plugins-dir", str(FOLDER / "plugins"), "--template-dir", str(FOLDER / "templates")]
    command += ["--static", f"{STATIC}:{FOLDER / 'static'}"]
    command += [word for setting in SETTINGS.items() for word in ("--setting", *setting)]
    sys.stdout.flush()
    os.execve(command[0], command, {**os.environ, OPTIONS_VARIABLE: json.dumps(asdict(options))})
