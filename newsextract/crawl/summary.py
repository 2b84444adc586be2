"""A crawl's totals from Scrapy's stats; the summary printed at its end, and its exit status."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings

from newsextract.crawl.abort import HANDED_ON
from newsextract.crawl.checks import written_files
from newsextract.health.counts import CrawlCounts
from newsextract.health.refusals import is_wall
from newsextract.reasons import PARTLY_READ, label_of, reason_of
from newsextract.store.engine import parse_database_url
from newsextract.text import counted


@dataclass(frozen=True, slots=True)
class CrawlStats:
    """The requested pages by result; each page counts once.

    `new`, `changed`, `unchanged`: articles; `aliases`: duplicate URLs of articles; `dropped`: the others by reason,
    most frequent first.
    """

    new: int
    changed: int
    unchanged: int
    aliases: int
    dropped: dict[str, int]

    @property
    def pages(self) -> int:
        return self.articles + self.aliases + sum(self.dropped.values())

    @property
    def articles(self) -> int:
        """All articles found in the crawl, stored or not."""
        return self.new + self.changed + self.unchanged


def read_totals(counts: CrawlCounts) -> CrawlStats:
    """The totals of a crawl at this moment."""
    articles = counts.articles
    return CrawlStats(
        new=articles["new"],
        changed=articles["changed"],
        unchanged=articles["unchanged"] - counts.aliases,
        aliases=counts.aliases,
        dropped=dict(sorted(counts.dropped.items(), key=lambda pair: (-pair[1], pair[0]))),
    )


def format_duration(seconds: float) -> str:
    """A duration in the usual form: 7 s, 2:05, 1:02:03."""
    total = round(seconds)
    if total < 60:
        return f"{total} s"
    hours, rest = divmod(total, 3600)
    minutes, rest = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


#: Scrapy's finish reasons that a user asked for; with any other, the crawl has failed.
NORMAL_REASONS = frozenset(
    {
        "finished",
        "max_pages",
        "shutdown",
        HANDED_ON,
        "closespider_itemcount",
        "closespider_pagecount",
        "closespider_timeout",
    }
)


def summary(crawler: Crawler) -> str:
    """The summary of a finished crawl, several lines."""
    counts = CrawlCounts(crawler.stats)
    totals = read_totals(counts)
    seconds = crawler.stats.get_value("elapsed_time_seconds", 0.0)
    rate = f" ({totals.pages / seconds:.1f} a second)" if seconds and totals.pages else ""
    pages = f"{totals.pages} {'page' if totals.pages == 1 else 'pages'} in {format_duration(seconds)}{rate}"
    lines = [f"{pages}; articles: {totals.new} new, {totals.changed} changed, {totals.unchanged} unchanged"]
    if counts.joined:
        lines.append("  another process worked on this crawl too; its pages are not counted here")
    kinds = (
        (counts.duplicates, "of these near-duplicates of other articles"),
        (counts.without_text, "of these have no text (photo or video stories)"),
        (totals.aliases, "duplicate URLs" if totals.aliases > 1 else "duplicate URL"),
        (counts.unchanged, "of these as at the last fetch"),
    )
    lines += [f"  {number} {clause}" for number, clause in kinds if number]
    again = [(counts.refetched[name], name) for name in ("unchanged", "changed", "deleted", "gone_for_now", "not_read")]
    if any(number and name != "unchanged" for number, name in again):
        lines.append(f"  known pages refetched: {sum(number for number, _ in again)} ({_clauses(again)})")
    if clauses := _clauses([(counts.retracted, "retracted"), (counts.dated, "dated from feeds")]):
        lines.append(f"  site review: {clauses}")
    if totals.articles:
        lines += [f"  stored in {location}" for location in output_locations(crawler.settings)]
    if counts.kept_pages:
        lines.append(f"  {counted(counts.kept_pages, 'page')} kept in {counts.kept_folder}")
    if totals.dropped:
        lines += _dropped_lines(totals.dropped)
    lines += [f"  {site}: {text}" for site, text in counts.refused.items()]
    if clauses := _clauses(_lists(counts)):
        lines.append(f"  feeds, sitemaps and robots.txt: {clauses}")
        lines += [f"    {list_and_problem}" for list_and_problem in counts.named_lists]
        lines += [f"    and {counts.more_lists} more (see the log)"] if counts.more_lists else []
    if clauses := _clauses((number, kind) for kind, number in sorted(counts.left.items())):
        lines.append(f"  left for later crawls: {clauses}")
    missed = counts.missed_selectors.items()
    lines += [f"  the selector of {key} found nothing in {counted(number, 'article')}" for key, number in missed]
    if not_read := counts.links_not_read:
        lines.append(f"  {counted(not_read, 'page')} whose links could not be read (see the log)")
    lines += [f"  {site}: {text}" for site, text in counts.led.items()]
    moved = counts.moved.items()
    lines += [f"  {site} redirects to {url}, which was crawled: set url to that" for site, url in moved]
    lines += [f"  not crawled: {failure}" for failure in counts.start_failed]
    if counts.finish_reason == HANDED_ON:
        lines.append("  not finished: it makes room for waiting sites and continues later")
    if counts.fatal:
        lines.append(f"The crawl stopped early: {counts.fatal}")
    elif _found_nothing(counts):
        lines.append("Nothing was crawled: none of the given URLs could be read.")
    return "\n".join(lines)


def output_locations(settings: BaseSettings) -> list[str]:
    """Where a crawl with these settings stores articles: database, JSON lines, feeds; files with absolute paths."""
    files = [str(file) for file, name in written_files(settings).items() if name not in ("the database", "LOG_FILE")]
    return [parse_database_url(str(settings["NEWSEXTRACT_DATABASE_URL"])).name, *files]


def exit_status(crawler: Crawler) -> int:
    """0 if the crawl did what was asked, 1 if not."""
    counts = CrawlCounts(crawler.stats)
    never_began = crawler.stats.get_value("start_time") is None and counts.finish_reason is None
    if counts.fatal or (counts.finish_reason not in NORMAL_REASONS and not never_began):
        return 1
    return int(_found_nothing(counts) or has_site_alert(counts))


def has_site_alert(counts: CrawlCounts) -> bool:
    """Whether the crawl failed for a reason that an alert on the site gives: a wall, or a move to another host."""
    return is_walled(counts) or len(counts.led) > 0


def is_walled(counts: CrawlCounts) -> bool:
    """Whether no article was found, and most pages that might be one are refused or walled."""
    totals = read_totals(counts)
    tried = {reason: number for reason, number in totals.dropped.items() if reason_of(reason).is_tried}
    walled = sum(number for reason, number in tried.items() if is_wall(reason))
    return not totals.articles and not totals.aliases and 2 * walled > sum(tried.values())


def _found_nothing(counts: CrawlCounts) -> bool:
    """Whether none of the given URLs could be read."""
    return bool(counts.start_failed) and not (counts.pages or counts.unchanged or counts.lists["unchanged"])


def _clauses(counts: Iterable[tuple[int, str]]) -> str:
    """Counts with labels, without zeros: "3 new, 1 gone"."""
    return ", ".join(f"{number} {label.replace('_', ' ')}" for number, label in counts if number)


def _lists(counts: CrawlCounts) -> list[tuple[int, str]]:
    """How many feeds and sitemaps were read, and what happened to the others."""
    lists = dict(counts.lists)
    read, partly, unchanged = (lists.pop(name, 0) for name in ("read", PARTLY_READ, "unchanged"))
    missing = lists.pop("http_404", 0) + lists.pop("http_410", 0)
    return [
        (read, "read"),
        (partly, label_of(PARTLY_READ)),
        (unchanged, "unchanged"),
        (missing, "not found"),
        (sum(lists.values()), "failed"),
    ]


def _dropped_lines(dropped: dict[str, int]) -> list[str]:
    """Counts by label, most frequent first; reasons with the same label are added up."""
    counts: Counter[str] = Counter()
    for reason, count in dropped.items():
        counts[label_of(reason)] += count
    width = len(str(max(counts.values())))
    lines = (f"    {count:>{width}}  {label}" for label, count in counts.most_common())
    return [f"  {sum(counts.values())} not stored:", *lines]
