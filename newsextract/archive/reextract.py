"""Re-extraction of stored articles from their kept pages, by another extractor or newer weights.

Each article is extracted again from the page of its current version, identified by URL and time. It gets a new version
only if something differs, so repeating it changes nothing. An extractor that compares two pages gets the peer of the
current version; another extractor gets that or the best reference page of the site.
"""

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import cast, get_args

from newsextract.archive.kept_pages import KeptPages
from newsextract.archive.stored_sites import StoredSites
from newsextract.article.extract import is_joined
from newsextract.errors import NewsextractError
from newsextract.items import Article, FetchedPage, Listing, ListingSource
from newsextract.reasons import GONE_KINDS
from newsextract.site_profile.extracted import ExtractedArticle
from newsextract.store import Store
from newsextract.store.articles import ArticleRecord
from newsextract.store.leases import record_command
from newsextract.store.revisions import NewVersion, present_versions, revise
from newsextract.workers.messages import Worker
from newsextract.workers.pool import WorkerPool

#: Pages looked up, extracted and stored in one transaction; limits the memory.
BATCH_SIZE = 50


@dataclass
class Reextraction:
    """Re-extracts the pages of a folder. `counts`: pages by result, with the keys of `cli.reextract`."""

    store: Store
    pages: KeptPages
    workers: WorkerPool
    sites: StoredSites
    dry_run: bool = False
    made_by: str = ""
    counts: Counter[str] = field(default_factory=Counter)
    run: int | None = None

    def __iter__(self) -> Iterator[tuple[NewVersion, int | None]]:
        """Yields each changed article with its change number, None in a dry run."""
        pages = iter(self.pages)
        while batch := [*islice(pages, BATCH_SIZE)]:
            self.counts["pages"] += len(batch)
            yield from self._process_batch(batch)

    def _process_batch(self, batch: list[FetchedPage]) -> Iterator[tuple[NewVersion, int | None]]:
        versions = self.store.read(present_versions, batch)
        submitted = []
        for page in batch:
            present = versions.pop(page.id, None)
            if present is None or present.change_kind in GONE_KINDS:
                self.counts[present.change_kind if present else "no_article_of_it"] += 1
                continue
            if is_joined(present.article):
                self.counts["of_several_pages"] += 1  # only the first page was kept
                continue
            try:
                page = replace(page, listing=page.listing or _listing_of(present.article))
                plan = self.sites.plan(page, present.article)
                submitted.append((present, self.workers.submit(Worker.extract, page, plan)))
            except NewsextractError:
                self.counts["failed"] += 1
        results = (self._revise(present, future) for present, future in submitted)
        revisions = [revision for revision in results if revision is not None]
        if revisions and self.run is None and not self.dry_run:
            self.run = self.store.write(record_command, "reextract", {}, self.made_by)
        numbers = [None] * len(revisions) if self.dry_run else self.store.write(revise, revisions, self.run)
        for revision, number in zip(revisions, numbers, strict=True):
            overtaken = number is None and not self.dry_run
            self.counts["overtaken" if overtaken else "changed"] += 1
            if not overtaken:
                yield revision, number

    def _revise(self, present: ArticleRecord, future: Future[ExtractedArticle]) -> NewVersion | None:
        """The new version of an article; None, counted, if nothing differs."""
        try:
            article = future.result()
        except Exception:  # a page that crashes its worker must affect only itself
            self.counts["failed"] += 1
            return None
        if not article.is_article:
            self.counts["now_no_article"] += 1
            return None
        revision = NewVersion.of(present, article.as_kind(Article), article.signature)
        if not revision.differing:
            self.counts["unchanged"] += 1
            return None
        return revision


def _listing_of(article: Article) -> Listing | None:
    """What a feed, sitemap, list or AMP copy said about an article whose kept page doesn't have it."""
    used = {name: source for name, source in article.sources.items() if source in get_args(ListingSource)}
    if not used:
        return None
    values = {name: getattr(article, name) for name in ("date_published", "date_modified") if name in used}
    authors = tuple(article.authors) if "authors" in used else ()
    summary = article.description or "" if "description" in used else ""
    return Listing(cast(ListingSource, min(used.values())), authors=authors, summary=summary, **values)
