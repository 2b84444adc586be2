"""A crawl's totals from Scrapy's stats; the summary printed at its end, and its exit status."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings

from newsextract.crawl.abort import FATAL, HANDED_ON
from newsextract.crawl.checks import written_files
from newsextract.health.past_runs import LED, MOVED, REFUSED
from newsextract.health.refusals import is_wall
from newsextract.reasons import PARTLY_READ, label_of, reason_of
from newsextract.store.engine import parse_database_url
from newsextract.text import counted

#: Prefix of the stats that count dropped pages by reason.
DROPPED = "newsextract/dropped/"
#: Stat with the number of the crawl's run in the database.
RUN = "newsextract/run"
#: Prefix of the stats of refetched pages, by result.
REFETCHED = "newsextract/refetched/"
#: Prefix of the stats that count articles by the key of a site's selectors that found nothing there.
MISSED = "newsextract/selectors/missed/"
#: Stat of a crawl that joined a run of another process.
JOINED = "newsextract/joined"
#: Stat of pages whose links could not be read: their worker process died, or took too long.
LINKS_NOT_READ = "newsextract/links_not_read"
#: Stat of the first feeds and sitemaps that were not read wholly, each with the reason; and of the number of others.
NAMED_LISTS = "newsextract/named_lists"
MORE_LISTS = "newsextract/more_lists"
#: How many of them the summary names.
MAX_NAMED = 5
#: Prefix of the stats that count what later crawls take up: entries of lists, sitemaps and feeds.
LEFT = "newsextract/left/"


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


def read_stats(stats: Mapping[str, Any]) -> CrawlStats:
    """The totals in a crawler's stats (`crawler.stats.get_stats()`) at this moment."""
    dropped = {name.removeprefix(DROPPED): count for name, count in list(stats.items()) if name.startswith(DROPPED)}
    aliases = stats.get("newsextract/aliases", 0)
    return CrawlStats(
        new=stats.get("newsextract/articles/new", 0),
        changed=stats.get("newsextract/articles/changed", 0),
        unchanged=stats.get("newsextract/articles/unchanged", 0) - aliases,
        aliases=aliases,
        dropped=dict(sorted(dropped.items(), key=lambda pair: (-pair[1], pair[0]))),
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
    stats = crawler.stats.get_stats()
    totals = read_stats(stats)
    seconds = stats.get("elapsed_time_seconds", 0.0)
    rate = f" ({totals.pages / seconds:.1f} a second)" if seconds and totals.pages else ""
    pages = f"{totals.pages} {'page' if totals.pages == 1 else 'pages'} in {format_duration(seconds)}{rate}"
    lines = [f"{pages}; articles: {totals.new} new, {totals.changed} changed, {totals.unchanged} unchanged"]
    if stats.get(JOINED):
        lines.append("  another process worked on this crawl too; its pages are not counted here")
    clauses_of = (
        (stats.get("newsextract/duplicates"), "of these near-duplicates of other articles"),
        (stats.get("newsextract/without_text"), "of these have no text (photo or video stories)"),
        (totals.aliases, "duplicate URLs" if totals.aliases > 1 else "duplicate URL"),
        (stats.get("newsextract/unchanged"), "of these as at the last fetch"),
    )
    lines += [f"  {number} {clause}" for number, clause in clauses_of if number]
    again = [
        (stats.get(f"{REFETCHED}{name}", 0), name)
        for name in ("unchanged", "changed", "deleted", "gone_for_now", "not_read")
    ]
    if any(number and name != "unchanged" for number, name in again):
        lines.append(f"  known pages refetched: {sum(number for number, _ in again)} ({_clauses(again)})")
    retracted, dated = stats.get("newsextract/retracted", 0), stats.get("newsextract/dated", 0)
    if clauses := _clauses([(retracted, "retracted"), (dated, "dated from feeds")]):
        lines.append(f"  site review: {clauses}")
    if totals.articles:
        lines += [f"  stored in {location}" for location in output_locations(crawler.settings)]
    if kept := stats.get("newsextract/kept/pages"):
        lines.append(f"  {counted(kept, 'page')} kept in {stats['newsextract/kept/folder']}")
    if totals.dropped:
        lines += _dropped_lines(totals.dropped)
    lines += [f"  {name.removeprefix(REFUSED)}: {text}" for name, text in stats.items() if name.startswith(REFUSED)]
    if clauses := _clauses(_lists(stats)):
        lines.append(f"  feeds, sitemaps and robots.txt: {clauses}")
        lines += [f"    {list_and_problem}" for list_and_problem in stats.get(NAMED_LISTS) or ()]
        lines += [f"    and {more} more (see the log)"] if (more := stats.get(MORE_LISTS)) else []
    left = [(number, name.removeprefix(LEFT)) for name, number in stats.items() if name.startswith(LEFT)]
    if clauses := _clauses(sorted(left, key=lambda pair: pair[1])):
        lines.append(f"  left for later crawls: {clauses}")
    missed = {name.removeprefix(MISSED): counted(n, "article") for name, n in stats.items() if name.startswith(MISSED)}
    lines += [f"  the selector of {key} found nothing in {number}" for key, number in missed.items()]
    if not_read := stats.get(LINKS_NOT_READ):
        lines.append(f"  {counted(not_read, 'page')} whose links could not be read (see the log)")
    lines += [f"  {name.removeprefix(LED)}: {text}" for name, text in stats.items() if name.startswith(LED)]
    moved = {name.removeprefix(MOVED): url for name, url in stats.items() if name.startswith(MOVED)}
    lines += [f"  {site} redirects to {url}, which was crawled: set url to that" for site, url in moved.items()]
    lines += [f"  not crawled: {failure}" for failure in stats.get("newsextract/start_failed", ())]
    if stats.get("finish_reason") == HANDED_ON:
        lines.append("  not finished: it makes room for waiting sites and continues later")
    if fatal := stats.get(FATAL):
        lines.append(f"The crawl stopped early: {fatal}")
    elif _found_nothing(stats):
        lines.append("Nothing was crawled: none of the given URLs could be read.")
    return "\n".join(lines)


def output_locations(settings: BaseSettings) -> list[str]:
    """Where a crawl with these settings stores articles: database, JSON lines, feeds; files with absolute paths."""
    files = [str(file) for file, name in written_files(settings).items() if name not in ("the database", "LOG_FILE")]
    return [parse_database_url(str(settings["NEWSEXTRACT_DATABASE_URL"])).name, *files]


def exit_status(crawler: Crawler) -> int:
    """0 if the crawl did what was asked, 1 if not."""
    stats = crawler.stats.get_stats()
    never_began = "start_time" not in stats and "finish_reason" not in stats
    if stats.get(FATAL) or (stats.get("finish_reason") not in NORMAL_REASONS and not never_began):
        return 1
    return int(_found_nothing(stats) or is_told_of(stats))


def is_told_of(stats: Mapping[str, Any]) -> bool:
    """Whether the crawl failed for a reason that an alert on the site gives: a wall, or a move to another host."""
    return is_walled(stats) or any(name.startswith(LED) for name in stats)


def is_walled(stats: Mapping[str, Any]) -> bool:
    """Whether no article was found, and most pages that might be one are refused or walled."""
    totals = read_stats(stats)
    tried = {reason: number for reason, number in totals.dropped.items() if reason_of(reason).is_tried}
    walled = sum(number for reason, number in tried.items() if is_wall(reason))
    return not totals.articles and not totals.aliases and 2 * walled > sum(tried.values())


def _found_nothing(stats: Mapping[str, Any]) -> bool:
    """Whether none of the given URLs could be read."""
    answers = (stats.get(f"newsextract/{name}") for name in ("pages", "unchanged", "lists/unchanged"))
    return bool(stats.get("newsextract/start_failed")) and not any(answers)


def _clauses(counts: Iterable[tuple[int, str]]) -> str:
    """Counts with labels, without zeros: "3 new, 1 gone"."""
    return ", ".join(f"{number} {label.replace('_', ' ')}" for number, label in counts if number)


def _lists(stats: Mapping[str, Any]) -> list[tuple[int, str]]:
    """How many feeds and sitemaps were read, and what happened to the others."""
    prefix = "newsextract/lists/"
    counts = {name.removeprefix(prefix): number for name, number in stats.items() if name.startswith(prefix)}
    read, partly, unchanged = (counts.pop(name, 0) for name in ("read", PARTLY_READ, "unchanged"))
    missing = counts.pop("http_404", 0) + counts.pop("http_410", 0)
    return [
        (read, "read"),
        (partly, label_of(PARTLY_READ)),
        (unchanged, "unchanged"),
        (missing, "not found"),
        (sum(counts.values()), "failed"),
    ]


def _dropped_lines(dropped: dict[str, int]) -> list[str]:
    """Counts by label, most frequent first; reasons with the same label are added up."""
    counts: Counter[str] = Counter()
    for reason, count in dropped.items():
        counts[label_of(reason)] += count
    width = len(str(max(counts.values())))
    lines = (f"    {count:>{width}}  {label}" for label, count in counts.most_common())
    return [f"  {sum(counts.values())} not stored:", *lines]
