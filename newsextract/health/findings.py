"""What a finished run shows about its sites, as alerts."""

from sqlalchemy import Connection, func, select

from newsextract.health.alerts import SITE_KINDS, Problem, note_problems
from newsextract.health.drops import TRIED
from newsextract.health.past_runs import past
from newsextract.health.refusals import is_wall
from newsextract.health.yields import SiteYield
from newsextract.reasons import FRAME, reason_of
from newsextract.store.schema import articles, runs

#: How many of a site's last articles are checked for dates.
LAST_ARTICLES = 30
#: How many articles a site must have for that.
MIN_ARTICLES = 10


def note_run(connection: Connection, run: int) -> None:
    """Records what a finished run shows about its sites."""
    problems: list[Problem | None] = []
    looked_at: list[str] = []
    of_run = (runs.c.id == run) & runs.c.finished_at.is_not(None)
    for found in past(connection, of_run, with_stats=True):
        counts = found.counts
        sentences = {site: f"it redirects to {url}: set url to that" for site, url in counts.moved.items()}
        sentences |= counts.led
        problems += [Problem(site, "moved", sentence) for site, sentence in sentences.items()]
        looked_at += sentences
        for site, current in found.yields.items():
            if current.tried or current.new or current.changed or current.front_is_frame or site in found.warnings:
                looked_at.append(site)  # a run that tried nothing shows nothing
            problems += [_yield_problem(site, current, found.warnings.get(site)), _without_dates(connection, site)]
    note_problems(connection, [problem for problem in problems if problem], looked_at, SITE_KINDS)


def _yield_problem(site: str, current: SiteYield, warning: str | None) -> Problem | None:
    """What is wrong with a site's yield in a run, or None. `warning`: from the comparison with earlier runs."""
    walled = {reason: number for reason, number in current.others.items() if is_wall(reason)}
    is_walled = 2 * sum(walled.values()) > current.tried
    reason, number = max((walled if is_walled else current.others).items(), key=lambda pair: pair[1], default=("", 0))
    if warning is None:
        if current.front_is_frame and not current.tried:
            return Problem(site, reason_of(FRAME).alert, f"the front page has reason {FRAME}: {reason_of(FRAME).cause}")
        is_empty = not current.articles and current.tried >= TRIED and reason_of(reason).cause
        if not is_walled and not is_empty:
            return None
        some_tried = f"only {current.articles} of {current.tried} pages were articles"
        tried = some_tried if current.articles else f"none of {current.tried} pages was an article"
        warning = f"{tried}; {number} with reason {reason}: {reason_of(reason).cause}?"
    if current.front_is_frame and not current.articles:
        reason = FRAME
    elif sum(current.others.values()) <= current.articles:
        return Problem(site, "silent", warning)
    return Problem(site, reason_of(reason).alert or "redesigned", warning)


def _without_dates(connection: Connection, site: str) -> Problem | None:
    last = (
        select(articles.c.date_published)
        .where(articles.c.site == site, articles.c.change_kind.not_in(("deleted", "retracted")))
        .order_by(articles.c.change.desc())
        .limit(LAST_ARTICLES)
        .subquery()
    )
    number, dated = connection.execute(select(func.count(), func.count(last.c.date_published)).select_from(last)).one()
    if number < MIN_ARTICLES or 2 * dated >= number:
        return None
    return Problem(site, "no_dates", f"{number - dated} of its last {number} articles have no publication date")
