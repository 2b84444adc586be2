"""The runs of the database, with what they got and said."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, select

from newsextract.health.counts import CrawlCounts
from newsextract.health.yields import SiteYield, yields_of
from newsextract.store.engine import database_now
from newsextract.store.leases import abandoned_runs, identity
from newsextract.store.schema import runs

#: Earlier runs to compare with: enough for days of nights and weekends if a site is crawled every quarter of an hour.
RUNS = 500


@dataclass(frozen=True, slots=True)
class PastRun:
    """A row of `runs`. `alive_until`: end of its worker's lease, None once it ended; `stats`: of its last process."""

    id: int
    started_at: datetime
    finished_at: datetime | None
    alive_until: datetime | None = None
    yields: Mapping[str, SiteYield] = field(default_factory=dict)
    warnings: Mapping[str, str] = field(default_factory=dict)
    spider: str = ""
    arguments: str = ""
    reason: str | None = None
    stats: Mapping[str, Any] = field(default_factory=dict)

    @property
    def counts(self) -> CrawlCounts:
        """What its last process counted."""
        return CrawlCounts.of_run(self.stats)

    @property
    def is_refused(self) -> bool:
        """Whether it has nothing new because most of its pages were refused, walled or broken."""
        return not self.count("new") and sum(2 * site.failed - site.fetched for site in self.yields.values()) > 0

    def count(self, kind: str) -> int:
        """Articles that are "new" or "changed": of the whole run if it is finished, otherwise of its last process."""
        if self.yields:
            return sum(getattr(site, kind) for site in self.yields.values())
        return int(self.counts.articles[kind])


def past(
    connection: Connection, which: ColumnElement[bool], limit: int = RUNS, *, with_stats: bool = False
) -> Iterator[PastRun]:
    """The last runs that meet the condition, newest first, read as they are iterated over."""
    with connection.execute(select(runs).where(which).order_by(runs.c.id.desc()).limit(limit)) as rows:
        for row in rows:
            stats = json.loads(row.stats or "{}")
            times = (row.started_at, row.finished_at, row.alive_until if row.reason is None else None)
            warnings = dict(CrawlCounts.of_run(stats).warnings)
            given = (row.spider, row.arguments, row.reason)
            yield PastRun(row.id, *times, yields_of(stats), warnings, *given, stats if with_stats else {})


def past_runs(
    connection: Connection, arguments: Mapping[str, Mapping[str, str]], limit: int = RUNS
) -> dict[str, list[PastRun]]:
    """The last runs of each spider with these arguments, newest first; one whose process is dead is not alive."""
    abandoned = abandoned_runs(connection, database_now(connection))
    return {
        spider: [
            replace(run, alive_until=None) if run.id in abandoned else run
            for run in past(connection, runs.c.identity == identity(spider, given)[0], limit)
        ]
        for spider, given in arguments.items()
    }
