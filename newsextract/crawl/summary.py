"""The summary printed at the end of a crawl: what was stored where, what was dropped why; and its exit status."""

from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings

from newsextract.crawl.abort import FATAL
from newsextract.crawl.checks import feed_files
from newsextract.crawl.stats import JOINED, LINKS_NOT_READ, REFETCHED, CrawlStats, format_duration, read_stats
from newsextract.reasons import label_of
from newsextract.store.engine import parse_database_url

#: Scrapy's finish reasons that a user asked for; a crawl with any other one has failed.
NORMAL_REASONS = frozenset(
    {"finished", "max_pages", "shutdown", "closespider_itemcount", "closespider_pagecount", "closespider_timeout"}
)


def summary(crawler: Crawler) -> str:
    """Some lines about a crawl that has ended."""
    stats = crawler.stats.get_stats()
    totals = read_stats(stats)
    lines = [_headline(stats, totals)]
    if stats.get(JOINED):
        lines.append("  another process worked on this crawl too; its pages are not counted here")
    if copies := stats.get("newsextract/duplicates"):
        lines.append(f"  {copies} of these near-duplicates of other articles")
    if without_text := stats.get("newsextract/without_text"):
        lines.append(f"  {without_text} of these have no text (photo or video stories)")
    lines += [f"  {number} {clause}" for number, clause in _other_pages(totals) if number]
    if again := _again_line(stats):
        lines.append(again)
    lines += _settled_lines(stats)
    if totals.articles:
        lines += [f"  stored in {location}" for location in output_locations(crawler.settings)]
    if kept := stats.get("newsextract/kept/pages"):
        lines.append(f"  {kept} pages kept in {stats['newsextract/kept/folder']}")
    if totals.dropped:
        lines += _dropped_lines(totals.dropped)
    if lists := _lists_line(stats):
        lines.append(lists)
    if not_read := stats.get(LINKS_NOT_READ):
        lines.append(f"  {not_read} pages whose links could not be read (see the log)")
    lines += [f"  not crawled: {failure}" for failure in stats.get("newsextract/start_failed", ())]
    if fatal := stats.get(FATAL):
        lines.append(f"The crawl stopped early: {fatal}")
    elif not stats.get("newsextract/pages") and stats.get("newsextract/start_failed"):
        lines.append("Nothing was crawled: none of the given addresses could be read.")
    return "\n".join(lines)


def output_locations(settings: BaseSettings) -> list[str]:
    """Where a crawl with these settings puts its articles: database, JSON lines, feeds; files with absolute paths."""
    url = str(settings["NEWSEXTRACT_DATABASE_URL"])
    if path := parse_database_url(url).path:
        locations = [str(path)]
    else:
        parts = urlsplit(url)  # without user and password; the host may be that of a local socket, named by an option
        host = parts.netloc.rpartition("@")[2]
        locations = [f"the PostgreSQL database {parts.path.lstrip('/')}" + (f" at {host}" if host else "")]
    if settings["NEWSEXTRACT_JSONL"]:
        locations.append(str(Path(settings["NEWSEXTRACT_JSONL"]).expanduser().resolve()))
    return locations + [str(file) for file in feed_files(settings)]


def exit_status(crawler: Crawler) -> int:
    """0 if the crawl did what was asked, 1 if not."""
    stats = crawler.stats.get_stats()
    never_began = "start_time" not in stats and "finish_reason" not in stats
    if stats.get(FATAL) or (stats.get("finish_reason") not in NORMAL_REASONS and not never_began):
        return 1
    nothing_crawled = not stats.get("newsextract/pages") and stats.get("newsextract/start_failed")
    return 1 if nothing_crawled else 0


def _headline(stats: dict[str, Any], totals: CrawlStats) -> str:
    seconds = stats.get("elapsed_time_seconds", 0.0)
    rate = f" ({totals.pages / seconds:.1f} a second)" if seconds and totals.pages else ""
    articles = f"{totals.new} new, {totals.changed} changed, {totals.unchanged} unchanged"
    pages = f"{totals.pages} {'page' if totals.pages == 1 else 'pages'}"
    return f"{pages} in {format_duration(seconds)}{rate}; articles: {articles}"


def _settled_lines(stats: dict[str, Any]) -> list[str]:
    """What was changed at the end, when all pages of the sites were known; no line where nothing was."""
    labels = (("retracted", "retracted"), ("dated", "dated from feeds and lists"))
    counts = [f"{count} {label}" for name, label in labels if (count := stats.get(f"newsextract/{name}"))]
    return [f"  site review: {', '.join(counts)}"] if counts else []


def _other_pages(totals: CrawlStats) -> tuple[tuple[int, str], ...]:
    """Pages that are neither new, changed or unchanged articles nor dropped, with a clause for each kind."""
    return (
        (totals.aliases, "duplicate URLs" if totals.aliases > 1 else "duplicate URL"),
        (totals.unchanged_pages, "refetched, unchanged"),
    )


def _again_line(stats: dict[str, Any]) -> str:
    """What became of the pages that were known and asked for again; "" where all were as before."""
    labels = (("unchanged", "unchanged"), ("changed", "changed"), ("gone", "gone"), ("not_read", "not read"))
    counts = [(count, label) for name, label in labels if (count := stats.get(f"{REFETCHED}{name}"))]
    if all(label == "unchanged" for _, label in counts):
        return ""
    clauses = ", ".join(f"{count} {label}" for count, label in counts)
    return f"  known pages refetched: {sum(count for count, _ in counts)} ({clauses})"


def _lists_line(stats: dict[str, Any]) -> str:
    """How many feeds and sitemaps were read, and what became of the others; "" where none was asked for."""
    prefix = "newsextract/lists/"
    counts = {name.removeprefix(prefix): number for name, number in stats.items() if name.startswith(prefix)}
    read, unchanged = counts.pop("read", 0), counts.pop("unchanged", 0)
    missing = counts.pop("http_404", 0) + counts.pop("http_410", 0)
    parts = ((read, "read"), (unchanged, "unchanged"), (missing, "not found"), (sum(counts.values()), "failed"))
    clauses = [f"{number} {clause}" for number, clause in parts if number]
    return f"  feeds, sitemaps and robots.txt: {', '.join(clauses)}" if clauses else ""


def _dropped_lines(dropped: dict[str, int]) -> list[str]:
    """Counts by label, the most frequent first; reasons that share a label are added up."""
    counts: Counter[str] = Counter()
    for reason, count in dropped.items():
        counts[label_of(reason)] += count
    width = len(str(max(counts.values())))
    lines = (f"    {count:>{width}}  {label}" for label, count in counts.most_common())
    return [f"  {sum(counts.values())} not stored:", *lines]
