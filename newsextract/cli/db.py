"""`newsextract db upgrade`, `check`, `sizes`, `prune` and `copy`: administration of a database."""

import sys
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from newsextract.cli.options import Database, flag, open_store, option
from newsextract.cli.terminal import print_table, progress_bars
from newsextract.errors import NewsextractError, WrongCall
from newsextract.settings import NEWSEXTRACT_DATABASE_URL, NEWSEXTRACT_SITES
from newsextract.text import counted, say


def upgrade(database: Database = NEWSEXTRACT_DATABASE_URL) -> None:
    """Upgrade an older database to the schema of this version. A crawl does the same when it starts."""
    from newsextract.store.migrations import REVISION

    with open_store(database, read_only=False) as store:
        name, before = store.name, store.schema_before
    state = f"upgraded from schema {before} to {REVISION}" if before != REVISION else f"has schema {REVISION} already"
    say(f"{name} {state}", err=True)


def check(database: Database = NEWSEXTRACT_DATABASE_URL) -> None:
    """Read a whole database and report damage. Exit status 1 if there is any."""
    from newsextract.store.admin import check_integrity
    from newsextract.store.lookup import count_articles

    with open_store(database) as store:
        faults, name, count = store.read(check_integrity), store.name, store.read(count_articles)
    for fault in faults:
        say(fault)
    if faults:
        raise NewsextractError(f"{name} is damaged: restore it from a backup")
    say(f"{name} is sound: {counted(count, 'article')}", err=True)


def sizes(database: Database = NEWSEXTRACT_DATABASE_URL) -> None:
    """Show rows and bytes of every table, and how large a million articles like these would be."""
    from newsextract.store.admin import TableSize, table_sizes
    from newsextract.store.lookup import count_articles

    with open_store(database) as store:
        sizes, articles = store.read(table_sizes), store.read(count_articles)
    total = TableSize("all", 0, sum(table.size or 0 for table in sizes))
    rows = [
        (
            table.table,
            table.rows or "",
            "unknown" if table.size is None else f"{table.size / 1e6:.1f}",
            f"{table.size / table.rows:.0f}" if table.size is not None and table.rows else "",
            f"{table.size / articles / 1000:.2f}" if table.size is not None and articles else "",
        )
        for table in (*sizes, total)
    ]
    print_table(("table", "rows", "MB", "bytes a row", "GB for a million articles"), rows, boxed=True)


def prune(
    keep: Annotated[
        str | None,
        option("TIME", "How long to keep them, such as 400d; or the first day kept. [default: by sites.toml]"),
    ] = None,
    site: Annotated[list[str] | None, option("SITE", "Only this site; may be repeated.")] = None,
    articles: Annotated[bool, flag("--articles", "Also delete articles last seen before that.")] = False,
    pages: Annotated[Path | None, option("FOLDER", "Also delete WARC files in this folder from before that.")] = None,
    file: Annotated[Path, option("FILE.toml", "The file of sites, used without --keep.")] = Path(NEWSEXTRACT_SITES),
    database: Database = NEWSEXTRACT_DATABASE_URL,
    dry_run: Annotated[bool, flag("--dry-run", "Only show what would be deleted.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Don't ask.")] = False,
) -> None:
    """Delete what has expired: old versions, rows about URLs, old pages, old runs.

    The current version of every article stays, unless --articles is given. In a terminal, and before articles are
    deleted, it asks.
    """
    from newsextract.runs.retention import prune_database

    if pages is not None and not pages.is_dir():
        raise WrongCall(f"--pages {pages} isn't a folder")
    run = partial(prune_database, database, keep=keep, sites=site or (), with_articles=articles, pages=pages, file=file)
    if dry_run or (not yes and (articles or sys.stdin.isatty())):
        report = run(dry_run=True)
        for note in report.notes:
            say(note, err=True)
        if dry_run or not report.deleted.total():
            say(report.line)
            return
        if not sys.stdin.isatty():
            raise WrongCall(f"{report.line}; --yes does it, --dry-run only counts")
        typer.confirm(f"{report.line}. Delete it?", abort=True, err=True)
    report = run()
    for note in report.notes:
        say(note, err=True)
    say(report.line)


def copy(
    source: Annotated[str, typer.Argument(metavar="FROM", help="The database to read; a crawl may be using it.")],
    target: Annotated[str, typer.Argument(metavar="TO", help="An empty database, or a new SQLite file.")],
) -> None:
    """Copy a database into an empty one: to PostgreSQL, back to SQLite, or as a backup. All or nothing."""
    from newsextract.store.admin import copy_store

    with progress_bars() as progress:
        counts = copy_store(source, target, progress)
    articles, urls, rows = counts["articles"], counts["urls"], sum(counts.values())
    say(f"copied {counted(articles, 'article')}, {counted(urls, 'URL')}, {counted(rows, 'row')} in all", err=True)


def merge(
    other: Annotated[str, typer.Argument(metavar="OTHER", help="The database to merge; it isn't changed.")],
    database: Database = NEWSEXTRACT_DATABASE_URL,
) -> None:
    """Merge another database into this one: articles by identity, with versions, corrections, removals, URLs.

    All or nothing; merging the same database again changes nothing. Neither may be crawled meanwhile.
    """
    from newsextract.store import Store
    from newsextract.store.merge import merge_stores
    from newsextract.stories.merge import kept_stories, take_over
    from newsextract.stories.update import has_stories, update_stories

    with (
        open_store(other) as source,
        Store.open(database, must_exist=True) as target,
        progress_bars() as progress,
    ):
        result = merge_stores(target, source, partial(progress, "articles"))
        kept, has_own = source.read(kept_stories), target.read(has_stories)
        if kept or has_own:
            update_stories(target, database)
        decided = target.write(take_over, kept, result.here) if kept else None
        name = target.name
    clauses = [f"{result.new} new", f"{result.changed} changed", f"{result.known} known"]
    clauses += [f"{result.left_out} left out, removed here"] if result.left_out else []
    clauses += [f"{result.removed} removed here, as there"] if result.removed else []
    say(f"merged into {name}: articles: {', '.join(clauses)}; {counted(result.urls, 'new URL')}", err=True)
    if decided:
        stay = f"; {decided.otherwise} decided otherwise here, which stays" if decided.otherwise else ""
        say(f"stories of {other} that were decided by hand: {decided.held} taken over{stay}", err=True)
