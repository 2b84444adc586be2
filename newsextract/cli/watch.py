"""`newsextract watch`: the state of the crawls in a line, and alerts."""

from pathlib import Path
from typing import Annotated

import typer

from newsextract.cli.options import DatabaseSetting, Setting, open_store, option, pairs
from newsextract.errors import NewsextractError
from newsextract.text import say


def watch(
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE.toml]", help="The file of sites. [default: sites.toml]")
    ] = None,
    database: DatabaseSetting = None,
    clear_alerts: Annotated[str | None, option("NAME", "Delete the alerts of a site no longer crawled.")] = None,
    setting: Setting = None,
) -> None:
    """Print one line on the state of the crawls, and send alerts that have not been sent yet.

    For cron: exit status 0 if all is well, 1 if not: a site is dried up, blocked, redesigned or
    overdue, a crawl failed, a disk is nearly full.
    """
    from newsextract.runs.watch import watch as watch_sites

    overrides = pairs(setting)
    if database is not None:
        overrides["NEWSEXTRACT_DATABASE_URL"] = database
    if clear_alerts is not None:
        from newsextract.health.alerts import delete_alerts
        from newsextract.runs.one_crawl import command_settings

        with open_store(command_settings(overrides, file)["NEWSEXTRACT_DATABASE_URL"], read_only=False) as store:
            if not store.write(delete_alerts, clear_alerts):
                raise NewsextractError(f"there are no alerts for {clear_alerts}")
    report = watch_sites(file, overrides)
    say(report.line)
    if not report.notified:
        raise NewsextractError("no alert service accepted the message; it will be sent again next time")
    if not report.is_well:
        raise typer.Exit(1)
