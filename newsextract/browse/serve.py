"""Datasette on the index and the crawl's database: read-only, on the loopback address, with facets and descriptions."""

import importlib.util
import json
import os
import sys
from pathlib import Path
from typing import NoReturn

from newsextract.errors import NewsextractError, StorageError

HOST = "127.0.0.1"
#: Time limits (milliseconds) keep the pages of big tables responsive; the databases can't be downloaded.
SETTINGS = {
    "sql_time_limit_ms": "5000",
    "facet_time_limit_ms": "1000",
    "default_page_size": "50",
    "truncate_cells_html": "300",
    "allow_download": "off",
    "suggest_facets": "off",
}


def metadata(index: str, crawl: str | None) -> dict[str, object]:
    """Datasette's metadata; `index`, `crawl`: names of the two databases, `crawl` None if it is PostgreSQL."""
    articles = {
        "description": "Every article as it is now; report: the command that shows why each paragraph was kept.",
        "facets": ["site", {"day": "day"}, "language"],
        "sort_desc": "fetched_at",
        "label_column": "headline",
        "size": 50,
        "fts_table": "articles_fts",
        "fts_pk": "id",
    }
    hidden = {name: {"hidden": True} for name in ("articles_fts", "_newsextract")}
    databases: dict[str, object] = {
        index: {
            "description": "The articles, to be looked at and searched.",
            "tables": {"articles": articles, **hidden},
        }
    }
    if crawl is not None:
        tables = {
            "urls": {"facets": ["site", "state", "reason"], "description": "Every address that was seen, and its end."},
            "runs": {"sort_desc": "id", "description": "The crawls."},
            "sites": {"sort_desc": "last_fetched"},
            "changes": {"sort_desc": "change", "facets": ["kind"]},
        }
        databases[crawl] = {"description": "The crawl's own database, as it is.", "tables": tables}
    return {"title": "newsextract", "databases": databases}


def check_installed() -> None:
    """NewsextractError if Datasette is not installed."""
    if importlib.util.find_spec("datasette") is None:
        raise NewsextractError("browsing needs Datasette: pip install 'newsextract[browse]'")


def exec_datasette(index: Path, crawl: Path | None, port: int) -> NoReturn:
    """Replaces this process by Datasette, so that ending it leaves no child behind.

    Writes Datasette's metadata beside the index; StorageError if that fails.
    """
    metadata_file = index.with_name(f"{index.stem}-metadata.json")
    try:
        metadata_file.write_text(json.dumps(metadata(index.stem, crawl.stem if crawl else None), indent=1), "utf-8")
    except OSError as error:
        raise StorageError(f"{metadata_file} can't be written: {error.strerror or error}") from error
    command = [sys.executable, "-P", "-m", "datasette", "serve", str(index), *([str(crawl)] if crawl else [])]
    command += ["--host", HOST, "--port", str(port), "--metadata", str(metadata_file)]
    command += ["--plugins-dir", str(Path(__file__).parent / "plugins")]
    command += [word for setting in SETTINGS.items() for word in ("--setting", *setting)]
    sys.stdout.flush()
    os.execv(command[0], command)
