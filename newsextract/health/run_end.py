"""Records how a run ended, and what it got."""

from collections.abc import Mapping
from dataclasses import asdict

from sqlalchemy import Connection, select, update

from newsextract.health.counts import CrawlCounts
from newsextract.health.drops import detect_drops
from newsextract.health.past_runs import RUNS, past
from newsextract.health.yields import SiteYield, yields_of_run
from newsextract.store.engine import database_now
from newsextract.store.leases import FINISHED_EARLY, as_json, has_urls
from newsextract.store.outcome import OPEN
from newsextract.store.schema import runs, urls


def finish_run(connection: Connection, run: int, reason: str, stats: Mapping[str, object]) -> dict[str, str]:
    """Records how a crawl ended; the run is finished once none of its URLs is open. Returns warnings by site.

    A finished run gets its yields. Only the last RUNS runs of a spider with the same arguments keep their stats.
    """
    now, warnings = database_now(connection), dict[str, str]()
    done = reason in FINISHED_EARLY or (reason == "finished" and not has_urls(connection, run, urls.c.state.in_(OPEN)))
    same = runs.c.identity == select(runs.c.identity).where(runs.c.id == run).scalar_subquery()
    same &= runs.c.finished_at.is_not(None)
    if done:
        yields = yields_of_run(connection, run)
        warnings = detect_drops(yields, now, [*past(connection, same & (runs.c.id < run))])
        all_yields = {**dict.fromkeys(warnings, SiteYield()), **yields}
        counts = CrawlCounts.of_run(stats)
        counts.yields = {site: asdict(of_site) for site, of_site in all_yields.items()}
        counts.warnings.update(warnings)
        stats = counts.stats.get_stats()
    ending = {"reason": reason, "stats": as_json(stats), "finished_at": now if done else None}
    connection.execute(update(runs).where(runs.c.id == run, runs.c.finished_at.is_(None)).values(ending))
    oldest = select(runs.c.id).where(same).order_by(runs.c.id.desc()).offset(RUNS).limit(1).scalar_subquery()
    connection.execute(update(runs).where(same, runs.c.id <= oldest, runs.c.stats.is_not(None)).values(stats=None))
    return warnings
