"""`newsextract sites check`: a small crawl of each site into a temporary database."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from scrapy.crawler import AsyncCrawlerProcess, Crawler

from newsextract.crawl.checks import check_settings, check_storage
from newsextract.crawl.summary import read_totals
from newsextract.health.counts import CrawlCounts
from newsextract.reasons import FRAME, PARTLY_READ, label_of, reason_of
from newsextract.runs.crawl_queue import CrawlQueue
from newsextract.runs.one_crawl import command_settings, settings_in_use
from newsextract.runs.spider_loader import SitesSpiderLoader
from newsextract.store import Store
from newsextract.store.frontier import urls_of_run
from newsextract.text import counted

#: Pages fetched from each site.
MAX_PAGES = 8


def check_sites(
    path: Path,
    *,
    names: Sequence[str],
    overrides: Mapping[str, object],
    parallel: int,
    show: Callable[[str], None],
) -> bool:
    """Crawls a few pages of these sites (all by default); returns whether all work. Raises NewsextractError before.

    `show` gets a line on each site.
    """
    with TemporaryDirectory(prefix="newsextract-") as folder:
        url = f"sqlite:///{folder}/check.db"
        own = {"NEWSEXTRACT_DATABASE_URL": url, "NEWSEXTRACT_JSONL": None, "NEWSEXTRACT_KEEP_PAGES": None}
        quiet = {"LOG_LEVEL": "CRITICAL", "LOGSTATS_LIVE": False}
        settings = command_settings({**quiet, **overrides, **own}, path)
        check_settings(settings)
        sites = SitesSpiderLoader(settings).usable_file()
        chosen = sites.known(names) or [*sites.sites]
        check_storage(settings)
        working = []
        with Store.open(url) as store:

            def ended(name: str, crawler: Crawler) -> None:
                stats = crawler.stats.get_stats() if crawler.spider is not None else {}
                works, line = _result(store, CrawlCounts.of_run(stats))
                working.append(works)
                show(f"{name}: {line}")

            with settings_in_use():
                process = AsyncCrawlerProcess(settings)
            CrawlQueue(process, chosen, parallel, ended, {"max_pages": str(MAX_PAGES)}, quiet=True).run()
        return all(working)


def _result(store: Store, counts: CrawlCounts) -> tuple[bool, str]:
    """Whether the crawl of a site shows that it works, and what it shows, by its counts and the rows of its run."""
    rows = store.read(urls_of_run, counts.run) if counts.run is not None else []
    kinds = Counter(row.kind for row in rows if row.reason in ("list", PARTLY_READ))
    lists = f"feeds: {kinds['feed']}, sitemaps: {kinds['sitemap']}"
    found = [article for row in rows if row.article is not None and (article := store.article(row.url)) is not None]
    articles = list({article.url: article for article in found if article.is_article}.values())
    reasons = Counter(read_totals(counts).dropped)
    if not articles:
        return False, f"doesn't work: {_problem(counts, reasons)} ({lists})"
    best = max(articles, key=lambda article: (article.confidence or 0.0, article.date_published is not None))
    pages = counted(len(articles) + reasons.total(), "page")
    clauses = [f"{counted(len(articles), 'article')} of {pages}", lists]
    clauses += [] if any(article.date_published for article in articles) else ["no article has a date"]
    clauses += [f"{reasons['robots']} not allowed by robots.txt"] if reasons["robots"] else []
    missed = counts.missed_selectors.items()
    clauses += [f"the selector of {key} finds nothing in {number} of them" for key, number in missed]
    date = f"{best.date_published:%Y-%m-%d}" if best.date_published else "no date"
    confidence = "" if best.confidence is None else f", confidence {best.confidence:.2f}"
    return True, f"works: {'; '.join(clauses)}; {best.headline or best.url!r} ({date}{confidence})"


def _problem(counts: CrawlCounts, reasons: Counter[str]) -> str:
    """Why there were no articles, as a clause."""
    if reason := counts.fatal or next(iter(counts.start_failed), ""):
        return reason
    if reasons[FRAME]:
        return 'its pages are rendered by JavaScript: set render = "auto" (docs/JAVASCRIPT.md)'
    telling = Counter({reason: count for reason, count in reasons.items() if not reason_of(reason).is_list})
    if telling:
        return f"no articles: {', '.join(f'{count} {label_of(reason)}' for reason, count in telling.most_common(3))}"
    return f"none of {reasons.total()} pages is an article or links to one" if reasons else "no page could be fetched"
