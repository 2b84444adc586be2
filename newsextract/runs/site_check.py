"""`newsextract sites check`: a small crawl of each site into a temporary database."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from scrapy.crawler import AsyncCrawlerProcess, Crawler

from newsextract.crawl.checks import check_settings, check_storage
from newsextract.crawl.summary import DROPPED, MISSED, RUN
from newsextract.items import Article
from newsextract.reasons import FRAME, PARTLY_READ, label_of, reason_of
from newsextract.runs.crawl_queue import CrawlQueue
from newsextract.runs.many_sites import schedule_settings
from newsextract.runs.one_crawl import end_workers
from newsextract.runs.spider_loader import usable_sites
from newsextract.store import Store
from newsextract.store.frontier import urls_of_run
from newsextract.text import counted

#: Pages fetched from each site.
MAX_PAGES = 8


@dataclass(frozen=True)
class SiteCheck:
    """What the crawl of a site showed. `problem`: why it doesn't work, "" if it does."""

    name: str
    problem: str
    articles: int = 0
    pages: int = 0
    feeds: int = 0
    sitemaps: int = 0
    best: Article | None = None
    notes: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        """The result in one line."""
        lists = f"feeds: {self.feeds}, sitemaps: {self.sitemaps}"
        if self.problem:
            return f"{self.name}: doesn't work: {self.problem} ({lists})"
        assert self.best is not None
        date = f"{self.best.date_published:%Y-%m-%d}" if self.best.date_published else "no date"
        confidence = "" if self.best.confidence is None else f", confidence {self.best.confidence:.2f}"
        clauses = [f"{counted(self.articles, 'article')} of {counted(self.pages, 'page')}", lists, *self.notes]
        return f"{self.name}: works: {'; '.join(clauses)}; {self.best.headline or self.best.url!r} ({date}{confidence})"


def check_sites(
    path: Path,
    *,
    names: Sequence[str],
    overrides: Mapping[str, object],
    parallel: int,
    show: Callable[[SiteCheck], None],
) -> list[SiteCheck]:
    """Crawls a few pages of these sites (all by default); `show` gets each result. Raises NewsextractError before."""
    with TemporaryDirectory(prefix="newsextract-") as folder:
        url = f"sqlite:///{folder}/check.db"
        own = {"NEWSEXTRACT_DATABASE_URL": url, "NEWSEXTRACT_JSONL": None, "NEWSEXTRACT_KEEP_PAGES": None}
        quiet = {"LOG_LEVEL": "CRITICAL", "LOGSTATS_LIVE": False}
        settings = schedule_settings(path, {**quiet, **overrides, **own})
        check_settings(settings)
        sites = usable_sites(settings)
        chosen = sites.known(names) or [*sites.sites]
        check_storage(settings)
        checks = []
        with Store.open(url) as store:

            def ended(name: str, crawler: Crawler) -> None:
                stats = crawler.stats.get_stats() if crawler.spider is not None else {}
                checks.append(_read_check(store, name, stats))
                show(checks[-1])

            process = AsyncCrawlerProcess(settings)
            queue = CrawlQueue(process, chosen, parallel, ended, {"max_pages": str(MAX_PAGES)}, quiet=True)
            queue.start()
            try:
                process.start()
            finally:
                end_workers()
        return checks


def _read_check(store: Store, name: str, stats: Mapping[str, Any]) -> SiteCheck:
    """The result of a crawl, from its stats and the rows of its run."""
    rows = store.read(urls_of_run, stats[RUN]) if stats.get(RUN) is not None else []
    lists = Counter(row.kind for row in rows if row.reason in ("list", PARTLY_READ))
    found = [article for row in rows if row.article is not None and (article := store.article(row.url)) is not None]
    articles = list({article.url: article for article in found if article.is_article}.values())
    reasons = Counter({key.removeprefix(DROPPED): number for key, number in stats.items() if key.startswith(DROPPED)})
    check = SiteCheck(name, "", len(articles), len(articles) + reasons.total(), lists["feed"], lists["sitemap"])
    if articles:
        best = max(articles, key=lambda article: (article.confidence or 0.0, article.date_published is not None))
        notes = [] if any(article.date_published for article in articles) else ["no article has a date"]
        notes += [f"{reasons['robots']} not allowed by robots.txt"] if reasons["robots"] else []
        missed = {key.removeprefix(MISSED): number for key, number in stats.items() if key.startswith(MISSED)}
        notes += [f"the selector of {key} finds nothing in {number} of them" for key, number in missed.items()]
        return replace(check, best=best, notes=tuple(notes))
    return replace(check, problem=_problem(stats, reasons))


def _problem(stats: Mapping[str, Any], reasons: Counter[str]) -> str:
    """Why there were no articles, as a clause."""
    if reason := stats.get("newsextract/fatal") or next(iter(stats.get("newsextract/start_failed", ())), ""):
        return str(reason)
    if reasons[FRAME]:
        return 'its pages are rendered by JavaScript: set render = "auto" (docs/JAVASCRIPT.md)'
    telling = Counter({reason: count for reason, count in reasons.items() if not reason_of(reason).is_list})
    if telling:
        return f"no articles: {', '.join(f'{count} {label_of(reason)}' for reason, count in telling.most_common(3))}"
    return f"none of {reasons.total()} pages is an article or links to one" if reasons else "no page could be fetched"
