"""The end of a crawl in words: what was stored where, what was dropped why, and the exit status that says the same."""

from collections import Counter
from pathlib import Path
from typing import Any

from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings

from newsextract.crawl.checks import feed_files
from newsextract.crawl.progress import elapsed
from newsextract.crawl.stats import Figures, figures

#: Endings that a user asked for; every other one is a failure of the crawl.
NORMAL = frozenset(
    {"finished", "max_pages", "shutdown", "closespider_itemcount", "closespider_pagecount", "closespider_timeout"}
)
#: Reasons in words; `http_404` and the like speak for themselves.
WORDS = {
    "front": "front pages",
    "section": "section and list pages",
    "listing": "section and list pages",
    "part": "further pages of articles, read with the first",
    "short": "too short for an article",
    "no_article": "pages without an article",
    "product": "product pages",
    "no_javascript": "pages that ask for JavaScript",
    "paywall_stub": "paywalls",
    "consent": "consent walls",
    "login": "log-in pages",
    "error_page": "error pages served as pages",
    "not_html": "files that are no HTML",
    "empty": "empty pages",
    "robots": "not allowed by robots.txt",
    "off_site": "redirects to other sites",
    "trap": "addresses without end (calendars, filters)",
    "address_refused": "addresses that are not on the public Internet",
    "too_large": "larger than DOWNLOAD_MAXSIZE",
    "timeout": "no answer in time",
    "redirects": "redirect loops",
    "redirected_to_known": "redirects to pages asked for already",
    "no_connection": "no connection",
    "no_such_host": "hosts without an address",
    "cut_off": "connections that ended too early",
    "before_since": "older than the date in since",
    "no_page": "could not be read as a page",
    "broken": "broken records of an archive",
    "error": "errors of the extractor (see the log)",
    "not_storable": "could not be stored (see the log)",
}


def summary(crawler: Crawler) -> str:
    """Some lines about a crawl that has ended."""
    stats = crawler.stats.get_stats()
    so_far = figures(stats)
    lines = [_headline(stats, so_far)]
    if copies := stats.get("newsextract/duplicates"):
        lines.append(f"  {copies} of them copies of articles that were there before")
    lines += [f"  stored in {place}" for place in places(crawler.settings)] if so_far.articles else []
    if kept := stats.get("newsextract/kept/pages"):
        lines.append(f"  {kept} pages kept in {stats['newsextract/kept/folder']}")
    if so_far.dropped:
        told: Counter[str] = Counter()
        for reason, number in so_far.dropped.items():
            told[_words(reason)] += number
        width = len(str(max(told.values())))
        lines.append("  not stored:")
        lines += [f"    {number:>{width}}  {words}" for words, number in told.most_common()]
    lines += [f"  not crawled: {useless}" for useless in stats.get("newsextract/start_failed", ())]
    if fatal := stats.get("newsextract/fatal"):
        lines.append(f"The crawl stopped early: {fatal}")
    elif not so_far.pages and stats.get("newsextract/start_failed"):
        lines.append("Nothing was crawled: no address that was given could be read.")
    return "\n".join(lines)


def places(settings: BaseSettings) -> list[str]:
    """Where a crawl with these settings puts its articles, files with their whole paths."""
    url = str(settings["NEWSEXTRACT_DATABASE_URL"])
    found = [str(Path(url.removeprefix("sqlite:///")).expanduser().absolute())] if url.startswith("sqlite:///") else []
    if not found:
        found.append(f"the database at {url.rpartition('@')[2].removeprefix('postgresql://').partition('?')[0]}")
    if settings["NEWSEXTRACT_JSONL"]:
        found.append(str(Path(settings["NEWSEXTRACT_JSONL"]).expanduser().resolve()))
    return found + [str(file) for file in feed_files(settings)]


def exit_status(crawler: Crawler) -> int:
    """0 if the crawl did what was asked, 1 if not."""
    stats = crawler.stats.get_stats()
    stopped_before_it_began = "start_time" not in stats and "finish_reason" not in stats
    if stats.get("newsextract/fatal") or (stats.get("finish_reason") not in NORMAL and not stopped_before_it_began):
        return 1
    nothing = not stats.get("newsextract/pages") and stats.get("newsextract/start_failed")
    return 1 if nothing else 0


def _headline(stats: dict[str, Any], so_far: Figures) -> str:
    took = elapsed(stats.get("elapsed_time_seconds", 0.0))
    return (
        f"{so_far.pages} pages in {took}; articles: {so_far.new} new, {so_far.changed} changed, "
        f"{so_far.unchanged} unchanged"
    )


def _words(reason: str) -> str:
    return WORDS.get(reason) or (f"answers {reason[5:]}" if reason.startswith("http_") else reason.replace("_", " "))
