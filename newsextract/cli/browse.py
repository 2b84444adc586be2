"""`newsextract browse`: updates the index, then replaces itself by Datasette."""

import socket
from importlib.util import find_spec
from typing import Annotated

from newsextract.cli.options import Database, Index, flag, open_store, option
from newsextract.errors import NewsextractError, WrongCall
from newsextract.settings import NEWSEXTRACT_DATABASE_URL
from newsextract.text import counted, say


def browse(
    database: Database = NEWSEXTRACT_DATABASE_URL,
    port: Annotated[int, option("N", "A port of this machine's loopback address.", min=1, max=65535)] = 8001,
    index: Index = None,
    every: Annotated[float | None, option("SECONDS", "Update the copy every so many seconds.", min=1)] = None,
    sql: Annotated[bool, flag("--sql", "Allow SQL of your own in the browser.")] = False,
    host_name: Annotated[
        list[str] | None, option("NAME", "A host name under which a reverse proxy serves it; may be repeated.")
    ] = None,
    update_only: Annotated[bool, flag("--update-only", "Update the copy and exit.")] = False,
) -> None:
    """Open the crawl in a browser: dashboard, articles by site, day and language, full-text search. Read-only."""
    from newsextract.browse.figures import update_figures
    from newsextract.browse.serve import HOST, ServerOptions, exec_datasette
    from newsextract.index.update import index_path, update_index
    from newsextract.store.engine import parse_database_url

    if find_spec("datasette") is None or find_spec("datasette_dashboards") is None:
        raise NewsextractError("browse needs Datasette: pip install 'newsextract[browse]'")
    crawl = parse_database_url(database).path
    path = index_path(database, index)
    with open_store(database) as store:
        count = update_index(store, database, path)
        update_figures(store, path)
    say(f"{counted(count, 'article')} in {path}", err=True)
    if update_only:
        return
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            raise NewsextractError(
                f"port {port} of {HOST} is in use ({error.strerror}); choose another --port"
            ) from error
    say(f"http://{HOST}:{port}/")
    names = tuple(map(_checked_name, host_name or ()))
    options = ServerOptions(database, str(path), path.stem, crawl.stem if crawl else None, every, sql, names)
    exec_datasette(options, crawl, port)


def _checked_name(name: str) -> str:
    """A host name in lower case, without anything else. Raises WrongCall."""
    host = name.strip().lower()
    if not host or any(mark in host for mark in "/:@ *"):
        raise WrongCall(f"--host-name {name!r} must be a host name alone, such as news.example.org")
    return host
