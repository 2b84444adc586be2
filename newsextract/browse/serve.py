"""Datasette on the index and the crawl's database: read-only, on the loopback address, with facets and descriptions."""

import json
import os
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NoReturn

from newsextract.files import package_data, storing

HOST = "127.0.0.1"
#: Datasette's settings, and what it shows about each table.
TABLES = package_data("newsextract.browse", "tables.toml")
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
    requests may have SQL of their own; `host_names`: those under which a reverse proxy serves the dashboard.
    """

    database: str
    index: str
    name: str
    crawl: str | None = None
    follow: float | None = None
    sql: bool = False
    host_names: tuple[str, ...] = ()

    @classmethod
    def of_environment(cls) -> "ServerOptions":
        """Those that `exec_datasette` put into the environment."""
        return cls(**json.loads(os.environ[OPTIONS_VARIABLE]))


def metadata(options: ServerOptions) -> dict[str, object]:
    """Datasette's metadata: descriptions and facets (tables.toml), and the dashboard."""
    from newsextract.browse import dashboard  # imports Datasette, which may be missing

    databases = {options.name: TABLES["index"]}
    if options.crawl is not None:
        databases[options.crawl] = TABLES["crawl"]
    return {
        "title": "newsextract",
        "databases": databases,
        "extra_css_urls": [f"/{STATIC}/browse.css"],
        "plugins": {"datasette-dashboards": dashboard.configuration(options.name, follow=options.follow)},
    }


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
    command += [word for name, value in TABLES["settings"].items() for word in ("--setting", name, f"{value}")]
    sys.stdout.flush()
    os.execve(command[0], command, {**os.environ, OPTIONS_VARIABLE: json.dumps(asdict(options))})
