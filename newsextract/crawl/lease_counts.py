"""Counts the ends of leases: what is as at the last fetch, and what became of pages that were read before."""

from newsextract.crawl.lease import PAGE_STATES, Lease
from newsextract.health.counts import CrawlCounts
from newsextract.reasons import GONE_STATUSES, LIST
from newsextract.store import CommitResult, PageOutcome, UrlState
from newsextract.store.leases import PAGE_KINDS


def count_unchanged(counts: CrawlCounts, lease: Lease, ending: str) -> None:
    """Counts a page or list that is as before as what it is, and as unchanged."""
    row = lease.row
    if ending == "not_modified":
        counts.not_modified += 1
    else:
        counts.same_page += 1
    if row.kind not in PAGE_KINDS or (row.article is None and row.reason == LIST):
        counts.lists["unchanged"] += 1
    elif row.article is None:
        counts.unchanged += 1
        counts.dropped[row.reason or "unchanged"] += 1
    else:
        counts.unchanged += 1
        counts.articles["unchanged"] += 1
        counts.aliases += int(lease.requested.is_alias)


def count_commit(counts: CrawlCounts, lease: Lease, outcome: PageOutcome, saved: CommitResult) -> None:
    """Counts what the commit of a lease's outcome shows."""
    if outcome.state == UrlState.redirected and not saved.queued:
        if saved.kind == "changed":  # renamed
            counts.articles["changed"] += 1
        else:
            counts.dropped["redirected_to_known"] += 1
    _count_again(counts, lease, outcome, saved)
    new = saved.queued + outcome.list_read.new_links
    if lease.asks_anew and new and lease.has_old_validators(outcome.response):
        counts.stale[lease.row.url] = new


def _count_again(counts: CrawlCounts, lease: Lease, outcome: PageOutcome, saved: CommitResult) -> None:
    """Counts a page that was read before, in an earlier run or before an interruption, by what became of it."""
    row = lease.row
    if row.kind not in PAGE_KINDS or not (row.page_hash or row.article):
        return
    is_as_before = outcome.state == UrlState.unchanged or saved.kind == "unchanged"
    gone = "deleted" if saved.kind == "deleted" else "gone_for_now"
    missing = gone if outcome.response.status in GONE_STATUSES else "not_read"
    counts.articles["deleted"] += int(saved.kind == "deleted")
    is_read = outcome.state in PAGE_STATES or saved.kind == "changed"
    ending = "unchanged" if is_as_before else "changed" if is_read else missing
    counts.refetched[ending] += 1
