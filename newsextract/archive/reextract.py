"""Re-extraction of stored articles from their kept pages, by another extractor or newer weights.

Each article is extracted again from the page of its current version, identified by URL and time. It gets a new version
only if something differs, so repeating it changes nothing. An extractor that compares two pages gets the peer of the
current version; another extractor gets that or the best reference page of the site.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import cast, get_args

from newsextract.archive.kept_pages import KeptPages
from newsextract.archive.loop import ArchivePage
from newsextract.archive.stored_sites import StoredSites
from newsextract.article.extract import is_joined
from newsextract.items import Article, FetchedPage, Listing, ListingSource
from newsextract.reasons import GONE_KINDS
from newsextract.site_profile.extracted import ExtractedArticle
from newsextract.store import Store
from newsextract.store.articles import ArticleRecord
from newsextract.store.leases import record_command
from newsextract.store.revisions import NewVersion, present_versions, revise
from newsextract.workers.messages import ExtractionPlan

#: Pages looked up, extracted and stored in one transaction; limits the memory.
BATCH_SIZE = 50


@dataclass
class KeptArticles:
    """The source: kept pages of the current versions of articles. `counts`: pages by result, as in `cli.reextract`."""

    store: Store
    pages: KeptPages
    sites: StoredSites
    counts: Counter[str]

    def batches(self) -> Iterator[Iterable[ArchivePage[ArticleRecord]]]:
        """Pages in the order in which they were kept, each with the article that is stored of it."""
        pages = iter(self.pages)
        while batch := [*islice(pages, BATCH_SIZE)]:
            self.counts["pages"] += len(batch)
            yield self._with_articles(batch)

    def plan(self, stored: ArchivePage[ArticleRecord]) -> ExtractionPlan:
        """With the profile of its site and a peer, where the extractor uses them."""
        return self.sites.plan(stored.page, stored.known.article)

    def _with_articles(self, batch: list[FetchedPage]) -> Iterator[ArchivePage[ArticleRecord]]:
        present = self.store.read(present_versions, batch)
        for number, page in enumerate(batch):
            record = present.pop(page.id, None)
            if record is None or record.change_kind in GONE_KINDS:
                self.counts[record.change_kind if record else "no_article_of_it"] += 1
            elif is_joined(record.article):
                self.counts["of_several_pages"] += 1  # only the first page was kept
            else:
                yield ArchivePage(number, replace(page, listing=page.listing or _listing_of(record.article)), record)


@dataclass
class RevisionSink:
    """The sink: new versions of articles that differ, in a transaction for each batch. `counts`: those of the source.

    `on_change`: called with each changed article and its change number, None in a dry run.
    """

    store: Store
    counts: Counter[str]
    on_change: Callable[[NewVersion, int | None], None]
    dry_run: bool = False
    made_by: str = ""
    run: int | None = None
    _revisions: list[NewVersion] = field(default_factory=list)

    def add(self, stored: ArchivePage[ArticleRecord], article: Article) -> None:
        """Keeps a new version until the end of the batch; counts an article that is as it was, or no longer one."""
        signature = article.signature if isinstance(article, ExtractedArticle) else None
        revision = NewVersion.of(stored.known, article.as_kind(Article), signature) if article.is_article else None
        if revision is None:
            self.counts["now_no_article"] += 1
        elif not revision.differing:
            self.counts["unchanged"] += 1
        else:
            self._revisions.append(revision)

    def fail(self, stored: ArchivePage[ArticleRecord], error: Exception) -> None:
        """Counts a page that couldn't be extracted."""
        self.counts["failed"] += 1

    def flush(self) -> None:
        """Writes the new versions, unless the articles have changed meanwhile."""
        revisions, self._revisions = self._revisions, []
        if revisions and self.run is None and not self.dry_run:
            self.run = self.store.write(record_command, "reextract", {}, self.made_by)
        numbers = [None] * len(revisions) if self.dry_run else self.store.write(revise, revisions, self.run)
        for revision, number in zip(revisions, numbers, strict=True):
            overtaken = number is None and not self.dry_run
            self.counts["overtaken" if overtaken else "changed"] += 1
            if not overtaken:
                self.on_change(revision, number)


def _listing_of(article: Article) -> Listing | None:
    """What a feed, sitemap, list or AMP copy said about an article whose kept page doesn't have it."""
    used = {name: source for name, source in article.sources.items() if source in get_args(ListingSource)}
    if not used:
        return None
    values = {name: getattr(article, name) for name in ("date_published", "date_modified") if name in used}
    authors = tuple(article.authors) if "authors" in used else ()
    summary = article.description or "" if "description" in used else ""
    return Listing(cast(ListingSource, min(used.values())), authors=authors, summary=summary, **values)
