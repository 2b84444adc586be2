"""`newsextract status`: figures on sites and runs."""

import json
from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import Annotated

from newsextract.cli.options import Database, open_store, option
from newsextract.cli.terminal import print_table
from newsextract.files import write_records
from newsextract.settings import NEWSEXTRACT_DATABASE_URL
from newsextract.text import MAX_LISTED, counted, say, without_passwords

#: Columns of the tables in a file or pipe.
STATUS_WIDTH = 100
#: Columns that are numeric.
NUMBERS = ("articles", "new", "changed", "failed", "waiting", "run")


def status(
    database: Database = NEWSEXTRACT_DATABASE_URL,
    chosen: Annotated[
        list[str] | None, option("SITE", "Only this site, or this name in sites.toml; may be repeated.", "--site")
    ] = None,
    refused: Annotated[
        Path | None, option("FILE", "Write every URL without an article and its reason: JSON lines, or .csv.")
    ] = None,
) -> None:
    """Show every site and the last runs: articles, queue, dropped pages with reasons, and warnings."""
    from newsextract.health.status import read_status, urls_without_article
    from newsextract.store.corrections import differing

    with open_store(database) as store:
        if refused is not None:
            write_records(refused, store.read(urls_without_article, chosen or ()))
        sites, runs = store.read(read_status, names=chosen or ())
        otherwise = store.read(differing, [site.site for site in sites])
    rows = []
    for site in sites:
        states = Counter(site.states)
        row = (
            f"{site.name} ({site.site})" if site.name else site.site,
            site.articles,
            _minute(site.last.started_at if site.last else None),
            *(site.last_yield.new, site.last_yield.changed, states["failed"], states["queued"] + states["retried"]),
            ", ".join(f"{number} {reason}" for reason, number in Counter(site.dropped).most_common(5)),
        )
        rows.append(row)
    columns = ("site", "articles", "last run", "new", "changed", "failed", "waiting", "not stored")
    print_table(columns, rows, NUMBERS, STATUS_WIDTH)
    for site in sites:
        if site.warning:
            say(f"warning: {site.site}: {site.warning}", bold=True)
        if site.refused:
            say(f"{site.site}: {site.refused}", bold=True)
        if site.advice:
            say(f"{site.site}: {site.advice}", bold=True)
        if site.copies:
            say(f"copies of other articles: {site.copies} of {counted(site.articles, 'article')} of {site.site}")
    stale = {url: number for run in runs for url, number in run.counts.stale.items()}
    for url, number in stale.items():
        say(
            f"{url}: answers 304 although it changed; asked anew, as in each week, it had {counted(number, 'new link')}"
        )
    for url, one in otherwise[:MAX_LISTED]:
        say(f"{url}: the page says otherwise: {one.field} {one.page!r}, corrected to {one.value!r}")
    if len(otherwise) > MAX_LISTED:
        say(f"and {len(otherwise) - MAX_LISTED} more corrected fields that differ from the page")
    lines = []
    for run in runs:
        end = f"{_minute(run.finished_at)} {run.reason}" if run.finished_at else "unfinished"
        given = _arguments_in_words(run.arguments)
        lines.append((run.id, run.spider, _minute(run.started_at), end, run.count("new"), run.count("changed"), given))
    say()
    print_table(("run", "spider", "started", "ended", "new", "changed", "arguments"), lines, NUMBERS, STATUS_WIDTH)


def _arguments_in_words(arguments: str) -> str:
    """The arguments of a run in the form of `-a`, URL first, without defaults."""
    try:
        values = json.loads(arguments)
    except ValueError:
        return arguments
    given = {name: value for name, value in values.items() if value != "False"}
    return " ".join(
        f"{name}={without_passwords(given[name])}" for name in sorted(given, key=lambda name: (name != "url", name))
    )


def _minute(when: datetime | None) -> str:
    return f"{when:%Y-%m-%d %H:%M}" if when else "none"
