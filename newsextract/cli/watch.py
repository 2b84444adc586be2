"""`newsextract watch`: one line for cron on how the crawls do."""

from pathlib import Path
from typing import Annotated

import typer

from newsextract.cli.options import Setting, settings_of
from newsextract.errors import NewsextractError
from newsextract.settings import NEWSEXTRACT_DATABASE_URL


def watch(
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE.toml]", help="The file of sites. [default: sites.toml]")
    ] = None,
    database: Annotated[
        str | None, typer.Option(metavar="URL|FILE", help="The database: a file, or postgresql://USER@HOST/NAME.")
    ] = None,
    forget: Annotated[
        str | None, typer.Option(metavar="NAME", help="Forget the alerts of a site that is no longer crawled.")
    ] = None,
    setting: Setting = None,
) -> None:
    """Print one line on the state of the crawls, and send alerts that have not been sent yet.

    For cron: exit status 0 where all is well, 1 where something is wrong: a site is dried up, blocked, redesigned or
    overdue, a crawl failed, a disk is nearly full.
    """
    from newsextract.schedule.watch import watch as watch_sites

    overrides = settings_of(setting)
    if database is not None:
        overrides["NEWSEXTRACT_DATABASE_URL"] = database
    if forget is not None:
        from newsextract.store import Store
        from newsextract.store.alerts import forget_alerts

        with Store.open(overrides.get("NEWSEXTRACT_DATABASE_URL", NEWSEXTRACT_DATABASE_URL), must_exist=True) as store:
            if not store.write(forget_alerts, forget):
                raise NewsextractError(f"nothing is noted of {forget}")
    report = watch_sites(file, overrides)
    print(report.line)
    if not report.told:
        raise NewsextractError("no alert service accepted the message; it will be sent again next time")
    if report.wrong:
        raise typer.Exit(1)
