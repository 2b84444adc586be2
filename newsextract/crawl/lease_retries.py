"""Retries of a site that fail as before: after some in a row, the others wait for a later run."""

from collections import Counter
from collections.abc import Iterable

from newsextract.crawl.lease import Lease
from newsextract.store import PageOutcome, UrlState
from newsextract.store.recrawl_policy import is_retry

#: Retries of a site in a row, in a run, that fail as before: the others wait for a later run.
MAX_RETRIES = 10


class RetryLimit:
    """Counts the retries of each site in a row that failed as before."""

    def __init__(self) -> None:
        self._failed_again: Counter[str] = Counter()

    def to_stop(self, lease: Lease, outcome: PageOutcome, others: Iterable[Lease]) -> list[Lease] | None:
        """Once the site's retries are to end with this one: the open leases that are taken from the crawl, those not
        sent yet; None before that.
        """
        row = lease.row
        if row.kind != "page" or not is_retry(row.reason) or outcome.state == UrlState.retried:
            return None
        self._failed_again[row.site] = self._failed_again[row.site] + 1 if outcome.reason == row.reason else 0
        if self._failed_again[row.site] < MAX_RETRIES:
            return None
        alike = (row.kind, row.site, row.reason)
        return [one for one in others if (one.row.kind, one.row.site, one.row.reason) == alike and not one.sent]
