"""`newsextract crawl --urls`: crawls the pages of a list, and says of each that gave no article why."""

import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from newsextract.errors import WrongCall
from newsextract.runs.one_crawl import command_settings, crawl_with
from newsextract.spiders.url_list import MAX_BYTES, UrlList, read_url_list
from newsextract.store import Store
from newsextract.store.given_urls import without_article
from newsextract.text import MAX_LISTED, counted, say
from newsextract.workers.start import start_ahead

#: The name of the list for stdin, and that in messages.
STDIN = "-"
STDIN_NAME = "stdin"


def crawl_list(
    source: str,
    column: str,
    arguments: Mapping[str, str],
    overrides: Mapping[str, object],
    *,
    append_to: Sequence[str] = (),
    overwrite: Sequence[str] = (),
) -> int:
    """Crawls the pages of the list in a file, or of stdin ("-"); 0 or 1 (it failed, or no URL gave an article).

    `column`: see `read_url_list`. `append_to`, `overwrite`: feeds, as -o and -O. Prints URLs without an article and
    the reasons. Raises NewsextractError before anything is fetched.
    """
    if "file" in arguments or "url" in arguments:
        raise WrongCall("-a file=… and -a url=… can't be combined with --urls, which names the list")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(source).expanduser()
        if source == STDIN:
            path = Path(folder, STDIN_NAME)
            path.write_bytes(sys.stdin.buffer.read(MAX_BYTES + 1))
        listed = read_url_list(path, column, STDIN_NAME if source == STDIN else source)
        for line in listed.wrong[:MAX_LISTED]:
            say(f"{listed.name}, {line}", err=True)
        if (more := len(listed.wrong) - MAX_LISTED) > 0:
            say(f"{listed.name}: and {counted(more, 'further line')} without a URL", err=True)
        if str(overrides.get("NEWSEXTRACT_WORKERS")) != "0":
            start_ahead()
        values = {**arguments, "file": str(path), **({"column": column} if column else {})}
        status = crawl_with("pages", values, overrides, append_to=append_to, overwrite=overwrite)
    with Store.open(str(command_settings(overrides)["NEWSEXTRACT_DATABASE_URL"]), must_exist=True) as store:
        missing = store.read(without_article, listed.urls)
    is_taken = any(name.split(":")[0] == STDIN for name in (*append_to, *overwrite))
    for url, reason in missing.items():
        say(f"{url}\t{reason}", err=is_taken)
    say(_sentence(listed, len(missing)), err=True)
    return status or int(len(missing) == len(listed.urls))


def _sentence(listed: UrlList, missing: int) -> str:
    clauses = [f"articles at {len(listed.urls) - missing} of {counted(len(listed.urls), 'URL')}"]
    clauses += [counted(listed.duplicates, "duplicate")] if listed.duplicates else []
    clauses += [f"{counted(len(listed.wrong), 'line')} without a URL"] if listed.wrong else []
    return f"{listed.name}: {', '.join(clauses)}"
