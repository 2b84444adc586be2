"""`newsextract status`, `history`, `why`, `site`, `watch`, `db remove`: look up and delete data."""

import difflib
import json
import sys
from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from newsextract.cli.options import Database, DatabaseSetting, Setting, open_store, option, pairs
from newsextract.cli.terminal import print_table
from newsextract.errors import NewsextractError, WrongCall
from newsextract.files import write_records
from newsextract.settings import NEWSEXTRACT_DATABASE_URL
from newsextract.text import counted, say, without_passwords

if TYPE_CHECKING:
    from newsextract.items import FetchedPage
    from newsextract.site_profile.overview import KnownPage, PageGroup
    from newsextract.store.outcome import SitePage

#: Columns of the `status` tables in a file or pipe, and which columns are numeric.
STATUS_WIDTH = 100
NUMBERS = ("articles", "new", "changed", "failed", "waiting", "run")
Url = Annotated[str, typer.Argument(metavar="URL", help="The URL, as fetched or canonical.")]


def history(url: Url, database: Database = NEWSEXTRACT_DATABASE_URL) -> None:
    """Show the versions of an article, each as a diff from the one before, and when it was deleted or retracted."""
    from newsextract.store.corrections import corrections_at
    from newsextract.store.lookup import deletions, find_versions

    with open_store(database) as store:
        versions, deleted = store.read(find_versions, url), store.read(deletions, url)
        corrected = store.read(corrections_at, url)
    if not versions:
        raise NewsextractError(f"there is no article at {url} in {store.name}")
    before: list[str] = []
    for version in versions:
        lines = [version.headline or "", *version.article_body.splitlines()]
        name = f"version {version.version}, {version.fetched_at:%Y-%m-%d %H:%M} UTC" if version.fetched_at else ""
        if not version.is_article:
            say(f"{name}: retracted, it isn't an article: {version.not_article_because}")
        elif not before:
            say(f"{name}: {counted(len(lines), 'line')}\n{lines[0]}")
        else:
            say(*difflib.unified_diff(before, lines, "before", name, lineterm="", n=1))
        for line in corrected.get(version.version, ()):
            say(line)
        for at in (at for at, number in deleted if number == version.version):
            say(f"deleted, {at:%Y-%m-%d %H:%M} UTC: its URL was not found any more")
        before = lines


def why(url: Url, database: Database = NEWSEXTRACT_DATABASE_URL) -> None:
    """Show whether a URL was seen, where it was found, when it was fetched, and with what result."""
    from newsextract.health.refusals import is_wall
    from newsextract.reasons import label_of
    from newsextract.store.frontier import find_url

    with open_store(database) as store:
        row = store.read(find_url, url)
        article = store.article(url)
    if row is None:
        raise NewsextractError(f"{url} is unknown: no page, feed or sitemap that was crawled links to it")
    found_on = row.referrer or "the command line"
    fetched = f"{row.last_fetched:%Y-%m-%d %H:%M:%S} UTC, HTTP {row.status}" if row.last_fetched else "never"
    retracted = "" if article is None or article.is_article else ", retracted: it isn't an article"
    say(f"     state  {row.state}{f': {row.reason} ({label_of(row.reason)})' if row.reason else ''}")
    say(f"first seen  {row.first_seen:%Y-%m-%d %H:%M:%S} UTC on {found_on}")
    say(f" link text  {row.anchor_text or 'none'}")
    say(f"   fetched  {fetched}")
    if row.next_due:
        refused = "refused for now, " if is_wall(row.reason) else ""
        say(f"  next try  {refused}{row.next_due:%Y-%m-%d %H:%M} UTC")
    say(f"   article  {f'{article.headline!r}, version {article.version}{retracted}' if article else 'none'}")


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
    from newsextract.health.past_runs import STALE
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
    stale = {name.removeprefix(STALE): n for run in runs for name, n in run.stats.items() if name.startswith(STALE)}
    for url, number in stale.items():
        say(
            f"{url}: answers 304 although it changed; asked anew, as in each week, it had {counted(number, 'new link')}"
        )
    for url, one in otherwise[:MAX_ROWS]:
        say(f"{url}: the page says otherwise: {one.field} {one.page!r}, corrected to {one.value!r}")
    if len(otherwise) > MAX_ROWS:
        say(f"and {len(otherwise) - MAX_ROWS} more corrected fields of which the page says otherwise")
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


def remove(
    url: Annotated[str, typer.Argument(metavar="URL|SITE", help="The URL of an article, or the name of a site.")],
    database: Database = NEWSEXTRACT_DATABASE_URL,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Don't ask before removing a whole site.")] = False,
) -> None:
    """Remove an article or a whole site for good. It is not fetched again. For a whole site it asks first."""
    from newsextract.health.chosen_sites import sites_named
    from newsextract.store.admin import remove_articles
    from newsextract.store.lookup import count_articles_of_site

    with open_store(database, read_only=False) as store:
        names = store.read(sites_named, [url]) if "/" not in url else (url,)
        if not yes and (count := sum(store.read(count_articles_of_site, name) for name in names)):
            loss = f"{counted(count, 'article')} of {url} and all their versions would go for good from {store.name}"
            if not sys.stdin.isatty():
                raise WrongCall(f"{loss}; --yes does it")
            typer.confirm(f"{loss}. Remove them?", abort=True, err=True)
        removed = [store.write(remove_articles, name) for name in names]
        articles, urls = map(sum, zip(*removed, strict=True))
    if not articles and not urls:
        raise NewsextractError(f"{url} is not in {store.name}")
    say(f"articles removed: {articles}; URLs: {urls}", err=True)


#: Rows in each table, and characters per line.
MAX_ROWS, MAX_LINE = 20, 100


def site(
    words: Annotated[list[str], typer.Argument(metavar="[forget] URL", help="A site, or any URL on it.")],
    database: Database = NEWSEXTRACT_DATABASE_URL,
) -> None:
    """Show what a crawl has learned about a site: templates, URL patterns, and lines that many pages share.

    `newsextract site forget URL` deletes what was learned; the articles stay.
    """
    from newsextract.health.chosen_sites import sites_named
    from newsextract.store.site_pages import forget_site_pages, load_peers, load_site_pages

    if len(words) > 2 or (len(words) == 2 and words[0] != "forget"):
        raise WrongCall("give one URL, with `forget` before it to delete what is known about the site")
    with open_store(database, read_only=len(words) == 1) as store:
        for name in store.read(sites_named, words[-1:]):
            if len(words) == 2:
                pages = store.write(forget_site_pages, name)
                say(f"forgot {counted(pages, 'page')} of {name}; its articles stay", err=True)
            elif rows := store.read(load_site_pages, name):
                _print_site(name, rows, store.read(load_peers, name))
            else:
                raise NewsextractError(f"nothing was learned about {name}: none of its pages were crawled")


def _print_site(name: str, rows: "list[SitePage]", references: "list[FetchedPage]") -> None:
    from newsextract.article.extract import page_of
    from newsextract.site_profile import Decision, PageSummary
    from newsextract.site_profile.overview import find_furniture, group_by_address, group_by_template

    pages: list[KnownPage] = []
    for row in rows:
        try:
            summary = PageSummary.from_bytes(row.summary)
            is_article = row.decision is not None and Decision.from_bytes(row.decision).is_article
        except ValueError:
            continue
        waits = "waits" if row.decision is None else row.reason or "no_article"
        pages.append((summary, None if is_article else waits))
    articles = sum(reason is None for _, reason in pages)
    size = sum(len(row.summary) for row in rows) / 1e6
    say(f"{name}: {counted(len(pages), 'known page')}, {articles} of them articles ({size:.2f} MB)")
    _print_groups("template", group_by_template(pages))
    _print_groups("URL pattern", group_by_address(pages))
    lines = [text for page in references for text in page_of(page).blocks.texts]
    if shared := find_furniture(pages, lines)[:MAX_ROWS]:
        cells = [(count, line if len(line) <= MAX_LINE else f"{line[:MAX_LINE]}…") for line, count in shared]
        print_table(("pages", "line on many pages"), cells, boxed=True)


def _print_groups(title: str, groups: "list[PageGroup]") -> None:
    rows = [
        (group.name, len(group.reasons), group.articles, group.kind.replace("_", " "), group.example)
        for group in groups[:MAX_ROWS]
    ]
    print_table((title, "pages", "articles", "what", "example"), rows, boxed=True)
    if len(groups) > MAX_ROWS:
        say(f"and {len(groups) - MAX_ROWS} more")


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
