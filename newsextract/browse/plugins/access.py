"""A Datasette plugin: which requests the dashboard answers, and with which headers.

The server listens on the loopback address, but any web page in the user's browser can send requests there: a name that
resolves to 127.0.0.1 (DNS rebinding), or an image whose source is a costly query. So requests must name this machine as
their host, come from no other site, and have no SQL but that of our plots, unless the user asks for it.
"""

import sqlite3
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

from datasette import hookimpl  # type: ignore[import-untyped]
from datasette.utils.asgi import asgi_send  # type: ignore[import-untyped]

from newsextract.browse import dashboard
from newsextract.browse.serve import ServerOptions

OPTIONS = ServerOptions.of_environment()
#: Nothing is loaded from elsewhere; Vega compiles the expressions of our plots.
POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
#: Names of this machine, and those of a reverse proxy; any port, because a tunnel may have another one.
NAMES = {"127.0.0.1", "localhost", "::1", *OPTIONS.host_names}
#: Parameters that Datasette runs as SQL, or as a part of it.
SQL_PARAMETERS = ("sql", "_where")
#: Maximum bytes of a value, the largest memory that one SQL function can take.
MAX_VALUE = 20_000_000


def refusal(headers: dict[bytes, bytes], query: str, allowed_sql: frozenset[str]) -> str | None:
    """Why a request is refused, in one sentence; None if it is answered. `allowed_sql`: empty allows all."""
    host = headers.get(b"host", b"").decode("latin-1")
    if (name := _host(f"//{host}")) not in NAMES:
        return (
            f"This dashboard answers only requests to this machine (127.0.0.1 or localhost), not to {name!r}. "
            "Behind a reverse proxy, start newsextract browse with --host-name."
        )
    origin = headers.get(b"origin", b"").decode("latin-1")
    is_link = headers.get(b"sec-fetch-mode") == b"navigate"
    if (origin and _host(origin) not in NAMES) or (
        headers.get(b"sec-fetch-site") in (b"cross-site", b"same-site") and not is_link
    ):
        return "This dashboard answers no requests from other web pages."
    parameters = parse_qs(query, keep_blank_values=False)
    statements = {text.strip() for name in SQL_PARAMETERS for text in parameters.get(name, ())}
    if allowed_sql and not statements <= allowed_sql:
        return "SQL is off: start newsextract browse with --sql."
    return None


def _host(url: str) -> str | None:
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None


@hookimpl  # type: ignore[untyped-decorator]
def asgi_wrapper() -> Callable[[Any], Any]:
    """Refuses requests from elsewhere, and adds the content security policy to every answer."""
    plots = dashboard.configuration(OPTIONS.name, follow=None)[dashboard.NAME]["charts"].values()
    allowed_sql = frozenset() if OPTIONS.sql else frozenset(plot["query"].strip() for plot in plots)

    def wrap(application: Any) -> Any:
        async def wrapped(scope: Any, receive: Any, send: Any) -> None:
            async def send_with_policy(event: dict[str, Any]) -> None:
                if event["type"] == "http.response.start":
                    header = (b"content-security-policy", POLICY.encode())
                    event = {**event, "headers": [*event.get("headers", ()), header]}
                await send(event)

            if scope["type"] == "http":
                sentence = refusal(dict(scope["headers"]), scope["query_string"].decode("latin-1"), allowed_sql)
                if sentence is not None:
                    await asgi_send(send_with_policy, sentence, 403, content_type="text/plain; charset=utf-8")
                    return
            await application(scope, receive, send_with_policy)

        return wrapped

    return wrap


@hookimpl  # type: ignore[untyped-decorator]
def prepare_connection(conn: sqlite3.Connection) -> None:
    """Limits the memory of one value; Datasette limits the time of a query."""
    conn.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE)
